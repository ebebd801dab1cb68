"""Log, ancestry, and commit trailers."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from reconciler.gitio.interface import BranchCommit, Changed, Entry, Revision
from reconciler.gitio.limits import Tally, fields
from reconciler.gitio.objects import Root, find_revisions, present, whole_name, without_parents
from reconciler.gitio.process import GitProcess, common_folder, failure
from reconciler.model.errors import GitError, LimitError
from reconciler.model.settings import Limits

_STEP = re.compile(r"[~^]\d*$", re.ASCII)
DEEPEN = "git fetch --unshallow, or name the remote with --remote URL"


def is_in(git: GitProcess, ancestor: str, revision: str) -> bool:
    """Whether a revision contains another, of which this repository may know nothing.

    Raises:
        GitError: It cannot be told: it is not here, its history is cut off, or git fails.
    """
    try:
        return _is_in(git, ancestor, revision)
    except LimitError as heavy:  # who asks may be told of any commit by anybody
        raise GitError(str(heavy), heavy.hint) from heavy


def _is_in(git: GitProcess, ancestor: str, revision: str) -> bool:
    try:
        return holds(git, Revision(revision, 0), Revision(ancestor, 0))
    except GitError:
        new, old = find_revisions(git, [revision, ancestor]).revisions
        if new is None or old is not None or is_shallow(git):
            raise
        return False  # all that it contains is here, and the other one is not


def holds(git: GitProcess, revision: Revision, ancestor: Revision) -> bool:
    """Whether a revision contains another; refuses to guess where the history is cut off.

    Raises:
        GitError: The history is cut off, or git fails.
    """
    if revision.id == ancestor.id:
        return True
    # Not with --is-ancestor: what a change is made of asks the same question, and has its answer.
    result = git.run("merge-base", ancestor.id, revision.id)
    if result.status > 1 or result.status < 0:
        raise failure("merge-base", result, DEEPEN)
    is_held = result.status == 0 and result.out.decode("ascii").strip() == ancestor.id
    if not is_held and is_shallow(git):
        message = f"the clone is too shallow to tell whether {revision.id} holds {ancestor.id}"
        raise GitError(message, DEEPEN)
    return is_held


def named(git: GitProcess, rev: str) -> tuple[Revision, Root | None]:
    """The commit that a name means, and what stands at its top.

    Raises:
        GitError: There is none, or the clone ends before it.
        UsageError: It cannot be one, or several references bear its name.
    """
    found = find_revisions(git, [whole_name(git, rev)])
    (revision,) = found.revisions
    if revision is not None:
        return revision, found.root
    if _STEP.search(rev) and is_shallow(git):
        message = f"the clone is too shallow: it ends before {rev!r}"
        raise GitError(message, "git fetch --deepen 1; in a CI job: fetch-depth: 2, or 0 for all")
    hint = "git branch -a names the branches; a new one needs a first commit, or --worktree"
    raise GitError(f"no commit {rev!r} in the repository", hint)


def shallow_file(git: GitProcess) -> Path:
    """Where a shallow clone names its oldest commits."""
    return common_folder(git) / "shallow"


def is_shallow(git: GitProcess) -> bool:
    """Part of the history is not here.

    Raises:
        GitError: Git fails.
    """
    return bool(cut_off(git))


def cut_off(git: GitProcess, among: Collection[str] | None = None) -> set[str]:
    """Commits whose parents a shallow clone does not have; told beside all of its work trees.

    A clone that is as deep as the history names the first commits, too: those have no parents.

    Args:
        git: The repository.
        among: Those that are asked about; None for all.

    Raises:
        GitError: Git fails.
    """
    file = shallow_file(git)
    named = set(file.read_text(encoding="ascii").split()) if file.is_file() else set[str]()
    asked = sorted(named if among is None else named.intersection(among))
    # A whole clone names none, and git is not started for it.
    return set(asked) - without_parents(git, asked) if asked else set()


_ONE_PARENT = ("--min-parents=1", "--max-parents=1")


def plan_commits(git: GitProcess, revision: str, without: Sequence[str] = ()) -> Iterator[str]:
    """Return the commits of a history that have one parent and a line of this root, newest first.

    Args:
        git: The repository.
        revision: The newest commit.
        without: Commits; whatever they contain is left out.

    Raises:
        GitError: Git fails.
    """
    if revision in without:
        return
    reach = [*_ONE_PARENT, f"--grep={git.root.trailer}", revision, *(f"^{it}" for it in without)]
    first = git.check("rev-list", "--max-count=1", *reach).decode("ascii").split()
    yield from first
    if first:
        yield from git.check("rev-list", "--skip=1", *reach).decode("ascii").split()


def said_by(git: GitProcess, commits: Sequence[str]) -> frozenset[str]:
    """Return the given commits that have one parent and a line of this root.

    Raises:
        GitError: Git fails.
    """
    if not commits:
        return frozenset()
    how = ("rev-list", "--no-walk=unsorted", *_ONE_PARENT, f"--grep={git.root.trailer}", "--stdin")
    data = "".join(f"{commit}\n" for commit in commits).encode()
    return frozenset(git.check(*how, data=data).decode("ascii").split())


def changes_only(git: GitProcess, commit: str, folders: Sequence[str]) -> bool:
    """Whether a commit changes at least one file, and none outside of some folders of the root.

    Raises:
        GitError: Git fails.
    """
    inside = tuple(f"{folder}/" for folder in git.root.inside(folders))
    how = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-commit-id", commit)
    is_any = False
    with closing(fields(git, Tally(f"commit {commit[:12]}"), *how)) as paths:
        for path in filter(None, paths):
            if not path.startswith(inside):
                return False
            is_any = True
    return is_any


def nearest(git: GitProcess, commits: Sequence[str], revision: str) -> str:
    """Return the commit that no other of them contains; of several the nearest by first parents.

    Raises:
        GitError: Git fails.
    """
    tips = git.check("merge-base", "--independent", *commits).decode("ascii").split()

    def distance(commit: str) -> tuple[int, str]:
        how = ("rev-list", "--first-parent", "--count", revision, f"^{commit}")
        return int(git.check(*how)), commit

    return min(tips, key=distance) if len(tips) > 1 else tips[0]


def touching(
    git: GitProcess, revision: str, without: str, paths: Sequence[str], most: int
) -> list[str]:
    """Return the newest commits between two revisions that changed some paths.

    Raises:
        GitError: Git fails.
    """
    how = ("rev-list", "--full-history", f"--max-count={most}", revision)
    but = (f"^{without}",) if without else ()
    return git.check(*how, *but, "--", *git.root.inside(paths)).decode("ascii").split()


def is_whole(git: GitProcess, revision: str, without: Sequence[str]) -> bool:
    """Whether all commits up to a revision are here, except for those that others contain.

    Raises:
        GitError: Git fails.
    """
    but = [f"^{commit}" for commit in without]
    return not cut_off(git, git.check("rev-list", revision, *but).decode("ascii").split())


# Most files that are asked for changed recently: a small portion first, then larger ones.
_FIRST_LOOK = 32
_NONE = "000000"


def past(
    git: GitProcess,
    revision: str,
    paths: Sequence[str],
    tally: Callable[[], Tally],
    newest: Callable[[str], str],
) -> Iterator[BranchCommit]:
    """Return the commits of a line that changed a file below the paths.

    Args:
        git: The repository.
        revision: Id of the newest commit.
        paths: Files and folders that the history contains.
        tally: Counts the files that one commit changed.
        newest: Returns R of a revision; called only if there are merges.

    Raises:
        GitError: Git fails.
        LimitError: A commit changed more files than are read of a revision.
    """
    line = line_of(git, revision, newest)
    # The parents of the oldest commit of a shallow clone are missing.
    last = line.pop() if cut_off(git, line[-1:]) else ""
    before = [*line, last][1:]
    pairs = [f"{commit} {parent}".strip() for commit, parent in zip(line, before, strict=True)]
    start, size = 0, _FIRST_LOOK
    while start < len(pairs):
        found = list(changed_files(git, pairs[start : start + size], paths, tally))
        said = said_by(git, [commit for commit, _ in found])
        for commit, changed in found:
            yield BranchCommit(commit, changed, commit in said)
        start, size = start + size, size * 8
    if last:
        yield BranchCommit(last, (), is_cut=True)


def line_of(git: GitProcess, revision: str, newest: Callable[[str], str]) -> list[str]:
    """Return the ids of the commits of a line, newest first.

    Raises:
        GitError: Git fails.
    """
    listed = git.check("rev-list", "--first-parent", "--parents", revision).decode("ascii")
    commits = [line.split() for line in listed.splitlines()]
    line = [commit[0] for commit in commits]
    leading = newest(revision) if any(len(commit) > 2 for commit in commits) else ""
    if not leading or leading in frozenset(line):
        return line
    listed = git.check("rev-list", "--ancestry-path", "--parents", revision, f"^{leading}").decode()
    parents = {commit: rest for commit, *rest in map(str.split, listed.splitlines())}
    line = [revision]
    while line[-1] != leading:
        line.append(next(it for it in parents[line[-1]] if it == leading or it in parents))
    return [*line[:-1], *git.check("rev-list", "--first-parent", leading).decode("ascii").split()]


def knows(git: GitProcess, revision: str, paths: Sequence[str]) -> bool:
    """Whether the history of a revision knows anything of some paths.

    Raises:
        GitError: Git fails.
    """
    return bool(git.check("rev-list", "--max-count=1", revision, "--", *git.root.inside(paths)))


def brought(
    git: GitProcess,
    revision: str,
    paths: Sequence[str],
    tally: Callable[[], Tally],
    newest: Callable[[str], str],
) -> BranchCommit:
    """Return the files below the paths that the newest commit of a person changed.

    Reconcile commits on top of it are included: they are made of that commit. If the line leaves the
    first parents at a merge, its files differ from either parent: one of them is not the branch.

    Raises:
        GitError: Git fails.
        LimitError: It changed more files than are read of a revision.
    """
    line = line_of(git, revision, newest)
    said, start, size = frozenset[str](), 0, _FIRST_LOOK
    for at, commit in enumerate(line):
        if at == start:
            said, start, size = said_by(git, line[at : at + size]), at + size, size * 8
        if commit not in said:
            break
    if cut_off(git, [line[at]]):
        return BranchCommit(revision, (), is_cut=True)
    pairs = [" ".join(line[it : it + 2]) for it in range(at + 1)]
    parents = git.check("rev-list", "--parents", "--max-count=1", line[at]).decode().split()[1:]
    if parents and parents[0] != line[at + 1]:
        pairs.append(f"{line[at]} {parents[0]}")
    steps = changed_files(git, pairs, paths, tally)
    return BranchCommit(revision, tuple(item for _, changed in steps for item in changed))


def changed_files(
    git: GitProcess, pairs: Sequence[str], paths: Sequence[str], tally: Callable[[], Tally]
) -> Iterator[tuple[str, tuple[Changed, ...]]]:
    """What commits changed below some paths; of no paths, anywhere.

    Args:
        git: The repository.
        pairs: A commit and its parent each, with a space; or a commit alone.
        paths: Files and folders.
        tally: Counts what one commit may have changed.

    Raises:
        GitError: Git fails.
        LimitError: A commit changed too many files.
    """
    options = ("--stdin", "--root", "-r", "-z", "--no-renames", "--")
    data = "\n".join([*pairs, ""]).encode()
    commit, found, counted = "", list[Changed](), tally()
    inside = git.root.inside(paths)
    with closing(fields(git, counted, "diff-tree", *options, *inside, data=data)) as parts:
        for part in parts:
            if part.startswith(":"):
                found.append(changed_file(part, git.root.outside(next(parts))))
                counted.add(found[-1].path)
            elif part:
                if commit:
                    yield commit, tuple(found)
                commit, found, counted = part, [], tally()
    if commit:
        yield commit, tuple(found)


def changed_since(
    git: GitProcess, ends: tuple[str, str], paths: Sequence[str], limits: Limits
) -> tuple[list[Changed], bool]:
    """Files that differ since two revisions parted, and whether the second has all of the first.

    Without a common ancestor at hand (a shallow clone) the first itself is compared with.
    """
    base, rev = ends
    result = git.run("merge-base", base, rev)
    parted = result.out.decode().strip() or base
    tally = Tally(f"the change from {base[:12]} to {rev[:12]}", limits)
    found = changes(git, (parted, rev), paths, tally)
    # Who names paths reads both sides next, so what is not here of them comes in one go. Who asks
    # for all looks at names alone.
    if git.brings is not None and paths:
        sides = (side for it in found for side in (it.old, it.new) if side and side.is_file)
        present(git, list(dict.fromkeys(side.oid for side in sides)))
    return found, result.status == 0 and parted == base


def changes(
    git: GitProcess, revisions: tuple[str, str], paths: Sequence[str], tally: Tally
) -> list[Changed]:
    """Files that differ between two revisions, at or below some paths; of no paths, all.

    Raises:
        GitError: Git fails.
        LimitError: There are too many.
    """
    return _changes(git, revisions, git.root.inside(paths), tally)


def _changes(
    git: GitProcess, trees: tuple[str, str], paths: Sequence[str], tally: Tally
) -> list[Changed]:
    found = []
    options = ("diff-tree", "-r", "-z", "--no-renames")
    with closing(fields(git, tally, *options, *trees, "--", *paths)) as parts:
        for part in parts:
            found.append(changed_file(part, git.root.outside(next(parts))))
            tally.add(found[-1].path)
    return found


def changed_file(about: str, path: str) -> Changed:
    """An entry of raw `diff-tree` output: modes and ids, and the path."""
    old_mode, new_mode, old_oid, new_oid, _ = about[1:].split(" ")
    old = None if old_mode == _NONE else Entry(path, old_mode, old_oid)
    new = None if new_mode == _NONE else Entry(path, new_mode, new_oid)
    return Changed(path, old, new)
