"""Whether a revision contains another, and when that cannot be told."""

import re
from collections.abc import Collection
from pathlib import Path

from reconciler.adapters.git.naming import whole_name
from reconciler.adapters.git.objects import Root, find_revisions, without_parents
from reconciler.adapters.git.process import GitProcess, common_folder, failure
from reconciler.ports import GitError, LimitError, Revision

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
