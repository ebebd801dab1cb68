"""Objects of new commits that Git, or a checkout, cannot use."""

import re
from collections.abc import Iterator

from reconciler.gitio import objects
from reconciler.gitio.history import commits_since
from reconciler.gitio.interface import Made
from reconciler.gitio.process import GitProcess, is_filtered
from reconciler.gitio.revision import is_named, no_checkout
from reconciler.model.settings import Limits

MAX_FILES = 250_000
"""The maximum number of files of a whole repository."""

_LINK, _SUBMODULE = "120000", "160000"
_MODES = ("100644", "100755", "100664", _LINK, _SUBMODULE)
# Longer messages of commits are refused, and longer targets of symlinks cannot be written.
_MESSAGE, _TARGET = 1 << 20, 4_095
# Git does not write a symlink with this name, or with its short name on NTFS.
_GITMODULES = re.compile(r"\.gitmodules|gitmod~[1-4]|(?=.{8}\Z)g?i?7?e?b?a?~[1-9]\d*")


def unusable(git: GitProcess, base: str, revision: str) -> Iterator[tuple[str, str, str]]:
    """Yield path (or empty), commit, and reason for each unusable object that `base` lacks."""
    # Later commits cannot undo such an object: it stays in the history that is fetched and read.
    listed = [base, *(it.partition("\n")[0] for it in commits_since(git, revision, base))]
    onto, *commits = [it for it in objects.find_commits(git, listed) if it is not None]
    for commit in commits:
        if "\0" in commit.message:
            yield "", commit.id, "a message with a zero byte"
        if len(commit.message) > _MESSAGE:
            yield "", commit.id, f"a message of more than {_MESSAGE} characters"
        parents = [it for it in objects.find_commits(git, commit.parents) if it is not None] or [
            onto
        ]
        others = [onto.tree, *(it.tree for it in parents[1:])]
        for path, why in _wrong_entries(git, parents[0], commit):
            entry = objects.entry_at(git, commit.tree, path)
            if entry is None or all(objects.entry_at(git, it, path) != entry for it in others):
                yield path, commit.id, why


def _wrong_entries(git: GitProcess, parent: Made, commit: Made) -> Iterator[tuple[str, str]]:
    tally = objects.Tally(f"commit {commit.id[:12]}", Limits(files=MAX_FILES))
    changed, misplaced = objects.differences(git, (parent.tree, commit.tree), (), tally)
    yield from ((path, "its tree is not in canonical form") for path in misplaced)
    new = [it.new for it in changed if it.new is not None]
    # A partial clone lacks most files: only symlinks are read.
    known = [it for it in new if it.mode == _LINK] if is_filtered(git) else new
    found = zip(known, objects.present(git, [it.oid for it in known]), strict=True)
    heads = {it.oid: head for it, head in found}
    for entry in new:
        why = no_checkout(entry.path) or _wrong_object(git, entry.mode, heads.get(entry.oid))
        if entry.mode == _LINK and is_named(entry.path, _GITMODULES):
            why = "a symlink has a name that Git reserves"
        if not entry.oid.strip("0"):
            why = "its object ID is zero"
        if why:
            yield entry.path, why


def _wrong_object(git: GitProcess, mode: str, head: objects.Header | None) -> str:
    if mode not in _MODES:
        return f"Git does not write mode {mode}"
    if mode == _SUBMODULE or head is None:
        return ""
    if head.kind != "blob":
        return f"its mode is a file, but its object is a {head.kind}"
    if mode != _LINK or 0 < head.size <= _TARGET:
        is_empty = mode == _LINK and next(objects.read_blobs(git, [head.oid])).startswith(b"\0")
        return "the target of the symlink is empty" if is_empty else ""
    return f"the target of the symlink has {head.size} bytes, must have 1 to {_TARGET}"
