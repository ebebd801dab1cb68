"""A branch of its own for what reconcile made, where nobody may push to the branch itself.

The branch is ours as long as each commit on it, beside what it is based on, says that reconcile made
it. Then it is replaced, or taken away, with a lease on what was seen. All else is somebody's work.
"""

from msgspec import Struct

from reconciler.adapters.git.ancestry import is_in
from reconciler.adapters.git.exchange import push_reference
from reconciler.adapters.git.naming import check_branch, require_unshown, shown_branch
from reconciler.adapters.git.process import GitProcess, failure, unreachable
from reconciler.adapters.git.repository import GitRepository
from reconciler.adapters.git.saying import plan_commits
from reconciler.model.proposed import Proposed
from reconciler.ports import LostRaceError, Revision, UsageError

_HEADS = "refs/heads/"


def open_proposing(repository: GitRepository, name: str) -> "ProposingBranch":
    """The branch of the same remote that a pull request to the branch is made of.

    Raises:
        UsageError: It can be no branch, is the branch itself, or is shown by a work tree.
    """
    git, remote = repository.git, repository.remote
    if check_branch(name) == repository.branch:
        raise UsageError(
            f"--to-branch {name} is the branch that is reconciled itself",
            "name another one, from which a pull request to it is made",
        )
    if remote is None:
        require_unshown(git, name)
        if repository.worktree is not None and shown_branch(git) == name:
            message = f"branch {name} is checked out here, and would be replaced"
            raise UsageError(message, f"git switch {repository.branch}")
    return ProposingBranch(git, remote, name)


class ProposingBranch(Struct, frozen=True):
    """The branch that a pull request is made of.

    Attributes:
        remote: URL or path of what has it; None for this repository itself.
        name: The branch.
    """

    git: GitProcess
    remote: str | None
    name: str

    def bring(self, base: Revision, revision: Revision | None) -> Proposed:
        """Let the branch hold what reconcile would have published on its base.

        Args:
            base: The head of the branch that is the truth.
            revision: The last commit on top of it; None when there is nothing to do.

        Raises:
            GitError: The remote fails, or refuses.
            LostRaceError: Somebody moved it meanwhile.
            UsageError: It holds commits that reconcile did not make.
        """
        old = self._seen()
        if revision is None and (not old or self._is_in(old, base.id)):
            return Proposed.NOTHING
        if old and revision is not None and self._says_the_same(old, base, revision):
            return Proposed.STANDS
        if old:
            self._require_ours(old, base)
        self._move(old, revision.id if revision is not None else "")
        return Proposed.WITHDRAWN if revision is None else Proposed.BROUGHT

    @property
    def _reference(self) -> str:
        return f"{_HEADS}{self.name}"

    def _seen(self) -> str:
        """The head of the branch, brought here; empty where there is none."""
        git, remote, name = self.git, self.remote, self._reference
        if remote is None:
            return git.run("rev-parse", "--verify", "--quiet", name).out.decode("ascii").strip()
        listed = git.run("ls-remote", "--", remote, name, remote=remote)
        if listed.status != 0:
            raise unreachable("cannot reach the remote", "ls-remote", listed)
        lines = listed.out.decode("utf-8", "replace").splitlines()
        seen = next((line.split("\t")[0] for line in lines if line.endswith(f"\t{name}")), "")
        if seen and git.run("cat-file", "-e", f"{seen}^{{commit}}").status != 0:
            how = ("--no-tags", "--no-write-fetch-head", "--quiet")
            done = git.run("fetch", *how, "--", remote, name, remote=remote)
            if done.status != 0:
                raise unreachable(f"cannot fetch branch {self.name}", "fetch", done)
        return seen

    def _is_in(self, commit: str, revision: str) -> bool:
        return is_in(self.git, commit, revision)

    def _says_the_same(self, old: str, base: Revision, revision: Revision) -> bool:
        """What is there would be merged to the very same files, so nobody is bothered again."""
        trees = self.git.check("rev-parse", f"{old}^{{tree}}", f"{revision.id}^{{tree}}").split()
        return trees[0] == trees[1] and self._is_in(base.id, old)

    def _require_ours(self, old: str, base: Revision) -> None:
        """Refuse to replace what people did.

        Raises:
            UsageError: Not all of it says that reconcile made it.
        """
        without = ("--no-merges", old, f"^{base.id}")
        all_of_it = self.git.check("rev-list", *without).decode("ascii").split()
        made = frozenset(plan_commits(self.git, old, [base.id]))
        other = next((commit for commit in all_of_it if commit not in made), "")
        if other:
            raise UsageError(
                f"branch {self.name} has commit {other[:12]}, which reconcile did not make",
                "merge it or remove it, or name another branch with --to-branch",
            )

    def _move(self, old: str, new: str) -> None:
        if self.remote is not None:
            push_reference(self.git, self.remote, self._reference, old, new)
            return
        none = "0" * 40
        what = (self._reference, new or none, old or none)
        how = ("update-ref", *what) if new else ("update-ref", "-d", self._reference, old)
        result = self.git.run(*how)
        if result.status == 0:
            return
        if self._seen() != old:
            raise LostRaceError(f"branch {self.name} moved while this was planned")
        raise failure("update-ref", result, f"see whether {self.name} can be a branch here")
