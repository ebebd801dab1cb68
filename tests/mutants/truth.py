"""Bugs of the one truth: another branch, a history that was rewritten, a folder of records."""

from tests.mutants.mutant import Mutant

BRANCH = ("tests/cli/test_truth.py",)
REMEMBERED = ("tests/adapters/git/test_remembered.py",)
ADDED = ("tests/hostile/test_records_added.py",)
ROOTS = "tests/cli/test_roots.py::test_"

TRUTH = (
    Mutant("truth: any branch will do", "commands/truth.py",
           "    if own == truth:\n", "    if True:\n", BRANCH),
    Mutant("truth: Settings do not name it", "commands/truth.py",
           "default if settings.branch else repository.standing.default_branch()",
           "repository.standing.default_branch()", BRANCH),
    Mutant("truth: what is said of a commit is believed", "commands/truth.py",
           "if judged(repository, facts, commit) is Verdict.SAME:", "if True:", REMEMBERED),
    Mutant("truth: the reference is no evidence", "commands/truth.py",
           "    if not lost:\n", "    if True:\n", REMEMBERED),
    Mutant("truth: a cluster decides nothing", "commands/truth.py",
           "if known and repository.is_in(known, base.id):", "if False:", REMEMBERED),
    Mutant("truth: any revision of a cluster will do", "commands/truth.py",
           "if known and repository.is_in(known, base.id):", "if known:", REMEMBERED),
    Mutant("truth: what lost the race overwrites", "adapters/git/standing.py",
           "push_reference(git, remote, git.root.reference(LAST), told.last, revision.id)",
           "git.check('push', '--force', '--', remote, f'{revision.id}:refs/ipam/last', remote=remote)",
           REMEMBERED),
    Mutant("roots: what is reconciled last of one is that of all", "adapters/git/root_folder.py",
           "        if not self.path:\n            return f\"refs/ipam/{name}\"",
           "        return f\"refs/ipam/{name}\"",
           [f"{ROOTS}what_the_remote_remembers_of_one_says_nothing_of_the_other"]),
    Mutant("roots: commits of another one are taken for its own", "adapters/git/root_folder.py",
           'return f" {self.path}" if self.path else ""', 'return ""',
           ["tests/adapters/git/test_root_folder.py::test_git_finds_the_commits_of_a_root_by_its"
            "_very_name"]),
    Mutant("roots: a cluster of another one is emptied", "commands/applying/fence.py",
           "other.root != self._root", "False",
           ["tests/applying/test_fence.py::test_what_another_root_of_the_repository_put_there_is_left"
            "_alone"]),
    Mutant("records: a folder's Override lets a second record of a claim pass", "records/hands.py",
           "is_added=not (hand.before or hand.is_known)", "is_added=not hand.before", ADDED),
    Mutant("records: a folder's Override lets edits pass", "records/by_hand.py",
           "is_new = item.is_added and _is_its(records, item.path, claim)", "is_new = True", ADDED),
)  # fmt: skip
