"""Simulated merges."""

import atexit
import os
from dataclasses import replace
from tempfile import TemporaryDirectory

from reconciler.documents.findings import join_limited
from reconciler.gitio import process
from reconciler.gitio.history import DEEPEN, merge_base
from reconciler.gitio.interface import Revision
from reconciler.gitio.process import GitProcess, ObjectReader
from reconciler.gitio.repository import Repository, signature
from reconciler.model.errors import GitError, UnmergedError

_NAME, _ADDRESS = "ipam", "ipam@invalid"
# Settings that forges merge with, in place of the repository's own configuration.
_SETTINGS = (
    "merge.conflictStyle=merge",
    "merge.directoryRenames=conflict",
    "merge.renames=true",
    "merge.renormalize=false",
)
_UNKNOWN = 129
"""Exit code for an unknown option. Git before 2.38 can merge only in a work tree."""


def merge(repository: Repository, base: Revision, head: Revision) -> tuple[Repository, Revision]:
    """Merge a revision into a base without changing the repository. Return a copy, and the commit.

    The commit depends on both only: the parents are base and revision, the date is the later one.
    """
    git = repository.git
    if not merge_base(git, base.id, head.id):
        raise UnmergedError("their merge base is not in this clone", DEEPEN)
    repository = quarantined(repository)
    git = repository.git
    made = git.run(
        *(part for item in _SETTINGS for part in ("-c", item)),
        *("merge-tree", "--write-tree", "--name-only", "-z", "--no-messages", base.id, head.id),
    )
    if made.status == _UNKNOWN:
        raise UnmergedError(
            "Git is older than 2.38, which cannot merge without a work tree", "update Git"
        )
    tree, *files = os.fsdecode(made.out).split("\0")
    if made.status == 1 and tree:
        paths = list(dict.fromkeys(filter(None, files)))
        mine = [path for path in paths if git.root.holds(path)]
        others = join_limited([path for path in paths if path not in mine])
        message = f"they conflict outside the root: {others}" if others else "they conflict"
        raise UnmergedError(message, paths=[git.root.outside(path) for path in mine])
    if made.status != 0:
        raise UnmergedError(str(process.failure("merge-tree", made)), process.DAMAGED)
    clock = max(base.clock, head.clock)
    result = _commit(git, tree, (base, head), clock)
    git.reader.bases[base.id, result.id] = base.id
    return repository, result


def quarantined(repository: Repository) -> Repository:
    """Return the repository with an object folder that is deleted with the value."""
    git = repository.git
    if git.objects:
        return repository
    try:
        folder = TemporaryDirectory(prefix="ipam-")
    except OSError as failed:
        hint = "set TMPDIR to a folder that can be written"
        raise GitError(f"cannot create a folder for a merge: {failed.strerror}", hint) from None
    atexit.register(folder.cleanup)
    objects = {
        "GIT_ALTERNATE_OBJECT_DIRECTORIES": process.alternate(git),
        "GIT_OBJECT_DIRECTORY": folder.name,
        "GIT_INDEX_FILE": f"{folder.name}/index",
    }
    git = replace(process.guarded(git), objects=objects, reader=ObjectReader())
    return replace(repository, git=git)


def _commit(git: GitProcess, tree: str, parents: tuple[Revision, ...], clock: int) -> Revision:
    words = [word for parent in parents for word in ("-p", parent.id)]
    extra = signature((_NAME, _ADDRESS), clock)
    made = git.run("commit-tree", *words, tree, data=b"merge\n", extra=extra)
    if made.status != 0:
        raise process.failure("commit-tree", made)
    return Revision(made.out.decode("ascii").strip(), clock)
