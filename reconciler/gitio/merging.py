"""Simulated merges."""

import atexit
import os
from collections.abc import Sequence
from dataclasses import replace
from tempfile import TemporaryDirectory

from reconciler.documents.findings import join_limited
from reconciler.gitio.config import RootFolder
from reconciler.gitio.history import DEEPEN
from reconciler.gitio.interface import Revision
from reconciler.gitio.process import DAMAGED, GitProcess, common_folder, failure, guarded, quoted
from reconciler.gitio.repository import GitRepository
from reconciler.model.errors import GitError, UnmergedError

_NAME, _ADDRESS = "ipam", "ipam@invalid"
# What forges go by, whatever the repository's own configuration says.
_SETTINGS = (
    "merge.conflictStyle=merge",
    "merge.directoryRenames=conflict",
    "merge.renames=true",
    "merge.renormalize=false",
)
_UNKNOWN = 129
"""How git ends that does not know an option: before 2.38 it merges in a work tree alone."""


def merge(
    repository: GitRepository, base: Revision, head: Revision
) -> tuple[GitRepository, Revision]:
    """Merge a revision into a base, without a trace in the repository.

    The commit is a function of both: its parents are the base and the revision, in this order, as
    those of a forge's merge are, and its date is the later one of theirs.

    Args:
        repository: Where they are.
        base: What is merged into.
        head: What is merged.

    Returns:
        A repository that has the merge, and the merge.

    Raises:
        UnmergedError: They conflict, git is too old, or what both come from is not here.
        GitError: Git fails.
        UsageError: A program that the configuration names cannot be beaten.
    """
    git = repository.git
    if git.run("merge-base", base.id, head.id).status != 0:
        raise UnmergedError("what both come from is not in this clone", DEEPEN)
    git = _quarantine(git)
    made = git.run(
        *(part for item in _SETTINGS for part in ("-c", item)),
        *("merge-tree", "--write-tree", "--name-only", "-z", "--no-messages", base.id, head.id),
    )
    if made.status == _UNKNOWN:
        raise UnmergedError("git is older than 2.38, which cannot merge them aside", "update git")
    tree, *files = os.fsdecode(made.out).split("\0")
    if made.status == 1 and tree:
        raise _conflict(git.root, list(dict.fromkeys(filter(None, files))))
    if made.status != 0:
        raise UnmergedError(str(failure("merge-tree", made)), DAMAGED)
    clock = max(base.clock, head.clock)
    return replace(repository, git=git), _commit(git, tree, (base, head), clock)


def quarantined(repository: GitRepository) -> GitRepository:
    """The repository, which from now on gets nothing of what is made. It goes with the value.

    Raises:
        GitError: There is no place for it.
        UsageError: A program that the configuration names cannot be beaten.
    """
    return replace(repository, git=_quarantine(repository.git))


def _quarantine(git: GitProcess) -> GitProcess:
    """Return Git that writes objects to a folder of this run, and reads those of the repository.

    The folder is removed with this process.
    """
    if git.objects:
        return git
    try:
        folder = TemporaryDirectory(prefix="ipam-")
    except OSError as failed:
        hint = "TMPDIR names a folder that can be written"
        raise GitError(f"there is no place for a merge: {failed.strerror}", hint) from None
    atexit.register(folder.cleanup)
    objects = {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": quoted(str((common_folder(git) / "objects").resolve())),
        "GIT_OBJECT_DIRECTORY": folder.name,
        "GIT_INDEX_FILE": f"{folder.name}/index",
    }
    cache = git.cache.apart() if git.cache is not None else None
    return replace(guarded(git), objects=objects, cache=cache)


def _conflict(root: RootFolder, files: Sequence[str]) -> UnmergedError:
    """What is said of files that conflict: each of the root, and together those that are of none."""
    mine = [path for path in files if root.holds(path)]
    others = join_limited([path for path in files if path not in mine])
    message = f"they conflict outside of the root: {others}" if others else "they conflict"
    return UnmergedError(message, paths=[root.outside(path) for path in mine])


def _commit(git: GitProcess, tree: str, parents: tuple[Revision, ...], clock: int) -> Revision:
    """A commit of a tree, dated, and by nobody."""
    extra = dict[str, str]()
    for role in ("AUTHOR", "COMMITTER"):
        extra |= {f"GIT_{role}_NAME": _NAME, f"GIT_{role}_EMAIL": _ADDRESS}
        extra[f"GIT_{role}_DATE"] = f"{clock} +0000"
    words = [word for parent in parents for word in ("-p", parent.id)]
    made = git.run("commit-tree", *words, tree, data=b"merge\n", extra=extra)
    if made.status != 0:
        raise failure("commit-tree", made)
    return Revision(made.out.decode("ascii").strip(), clock)
