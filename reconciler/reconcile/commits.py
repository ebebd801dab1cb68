"""Reconcile commits in a history."""

import re
from collections.abc import Mapping

from reconciler.documents.findings import has_error
from reconciler.gitio.interface import Entry, Source
from reconciler.gitio.repository import Repository
from reconciler.model.errors import GitError
from reconciler.model.settings import PATH, Settings
from reconciler.planning.settings import read_settings

Side = tuple[Source, Settings]
"""A revision, and the Settings that name its folders."""

_PLAN = re.compile(r"^Ipam-Plan: sha256:[0-9a-f]{64}\r?$", re.MULTILINE | re.ASCII)
_BASE = re.compile(r"^Ipam-Base: ([0-9a-f]{40}|[0-9a-f]{64})\r?$", re.MULTILINE | re.ASCII)
_DEEPEN = "run git fetch --unshallow --filter=blob:none; in a CI job, set fetch-depth: 0"


def newest(repository: Repository, revision: str) -> str:
    """Return the id of R, empty for none. Raises GitError if the clone is too shallow."""
    known, found = repository.seen.newest, list[str]()
    if revision in known:
        return known[revision]
    for base in repository.bases_of(revision, known):
        if not any(repository.plan_commits(revision, [base])):
            return known.setdefault(revision, known[base])
    while True:
        said = repository.plan_commits(revision, without=found)
        commit = next((it for it in said if is_reconcile_commit(repository, it)), "")
        if not commit:
            break
        found.append(commit)
    require_whole(repository, revision, found)
    known[revision] = repository.nearest(found, revision)
    return known[revision]


def require_whole(repository: Repository, revision: str, without: list[str]) -> None:
    """Raise GitError if history is missing, except ancestors of some commits."""
    if repository.is_shallow() and not repository.is_whole(revision, without):
        message = "the clone is too shallow to find the newest reconcile commit"
        raise GitError(f"{message} of {revision[:12]}", _DEEPEN)


def is_reconcile_commit(repository: Repository, commit: str) -> bool:
    """Return whether a commit has the form for this root. Raises GitError for a shallow clone."""
    while True:
        made = repository.made(commit)
        bases = _BASE.findall(made.message) if _PLAN.search(made.message) else []
        if len(made.parents) != 1 or made.clock is None or not bases:
            return False
        settings, (parent,) = settings_at(repository.source(commit)), made.parents
        folders = (settings.records, settings.observed) if settings is not None else ()
        if not folders or not repository.changes_only(commit, folders):
            return False
        if parent in bases:
            return True
        try:
            there = [it for it in bases if repository.is_in(it, parent)]
        except GitError as cut:
            raise GitError(f"the clone is too shallow: it lacks {bases[0][:12]}", _DEEPEN) from cut
        if there:
            own = _content_at(repository, parent)
            return own is not None and any(_content_at(repository, it) == own for it in there)
        # A rebase of a proposal leaves commits on top of one that has lost its name.
        commit = parent


def settings_at(source: Source) -> Settings | None:
    """Return the Settings of a revision; None if they cannot be read."""
    entries = [entry for entry in source.entries([PATH]) if entry.path == PATH]
    settings, findings = read_settings(source.read(entries)[0] if entries else None)
    return None if has_error(findings) else settings


def side_at(repository: Repository, commit: str) -> Side:
    """Return the side of a commit; with default Settings if they cannot be read."""
    source = repository.source(commit)
    settings = settings_at(source) or Settings()
    source.bound(settings.limits)
    return source, settings


def content(side: Side) -> tuple[tuple[str, str] | None, ...] | None:
    """Return mode and id of the records and observed folders; None if the source has no ids."""
    source, settings = side
    folders = settings.records, settings.observed
    there = source.entries_at(folders)
    if there is None:
        return None
    found = {entry.path: (entry.mode, entry.oid) for entry in there}
    return tuple(found.get(folder) for folder in folders)


def differing(before: Side, now: Side) -> dict[str, tuple[Entry | None, Entry | None]]:
    """Return record and observed files that differ between two revisions, keyed as in `files`."""
    first = content(before)
    if first is not None and first == content(now):
        return {}
    old, new = files(before), files(now)
    found = {}
    for name in sorted(old.keys() | new.keys()):
        was, entry = old.get(name), new.get(name)
        if was is None or entry is None or not _is_same(before[0], was, now[0], entry):
            found[name] = (was, entry)
    return found


def files(side: Side) -> Mapping[str, Entry]:
    """Return record and observed files, keyed by `records/` or `observed/` and the path below."""
    source, settings = side
    entries = source.entries([settings.records, settings.observed])
    return {name: it for it in entries if (name := name_of(settings, it.path))}


def name_of(settings: Settings, path: str) -> str:
    """Return the key in `files` of a path, independent of folder names; empty for other files."""
    for name in ("records", "observed"):
        if path.startswith(folder := f"{getattr(settings, name)}/"):
            return f"{name}/{path.removeprefix(folder)}"
    return ""


def path_of(settings: Settings, name: str) -> str:
    """Return the path of a record or observed file from its key in `files`."""
    folder, _, below = name.partition("/")
    return f"{getattr(settings, folder)}/{below}"


def _is_same(source: Source, entry: Entry, other: Source, new: Entry) -> bool:
    if entry.oid and new.oid:
        return (entry.mode, entry.oid) == (new.mode, new.oid)
    return source.read([entry]) == other.read([new])


def _content_at(repository: Repository, commit: str) -> tuple[tuple[str, str] | None, ...] | None:
    is_sound = repository.made(commit).clock is not None
    return content(side_at(repository, commit)) if is_sound else None
