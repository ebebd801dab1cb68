"""Readers of revisions, and last readable versions of documents."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace as replace_document
from itertools import islice
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.documents.document import Document, GroupKind, Identity
from reconciler.documents.findings import (
    Finding,
    Location,
    Severity,
    cut_off,
    error,
    has_error,
    join_limited,
    warning,
)
from reconciler.documents.load import Loaded, clashes
from reconciler.documents.text import Unread, is_yaml
from reconciler.families import family_of_kind, is_pool
from reconciler.gitio.interface import BranchCommit, Entry, Parsed, Revision, Source
from reconciler.model.errors import LimitError
from reconciler.model.pool import Contract
from reconciler.model.settings import OVERRIDES, PATH, Limits, Overrides, Settings
from reconciler.planning.documents import FileReader, LastGood, Tree, identity_of, reader_of, split
from reconciler.planning.evaluate import Evaluation, evaluate
from reconciler.planning.settings import Stood, is_override, overrides_of, read_settings
from reconciler.records.parse import Recalled


def read_overrides(source: Source) -> Overrides:
    """Return the Overrides of a revision that were in effect before it."""
    files = _files(source)
    return overrides_of(files, _stood(source, files)) if files else Overrides()


def overrides_beside(base: Source, source: Source) -> Overrides:
    """Return the Overrides of a change that its base also contains.

    The committer sets the committer date. A commit date before the base, or before its parent,
    therefore does not extend an Override.
    """
    files = _files(source)
    if not files:
        return Overrides()
    stood = Stood(_files(base), max(source.passed(), base.passed()), is_base=True)
    return overrides_of(files, stood)


def _files(source: Source) -> Mapping[str, bytes]:
    if source.standing([OVERRIDES]) == []:
        return {}
    entries = [item for item in source.entries([OVERRIDES]) if is_override(item.path)]
    data = source.read(entries)
    return {entry.path: item for entry, item in zip(entries, data, strict=True)}


def _stood(source: Source, files: Mapping[str, bytes]) -> Stood:
    step = source.brought([OVERRIDES])
    changed = {item.path for item in step.changed}
    if changed and step.id and not step.is_cut and _is_all(source, changed):
        changed = set()
    left = {path: data for path, data in files.items() if path not in changed}
    return Stood(left, source.passed(), step.is_cut, is_base=not step.id)


def _is_all(source: Source, changed: set[str]) -> bool:
    """Return whether a revision added Overrides and nothing that they could permit."""
    try:
        step = source.brought([])
    except LimitError:
        return False
    return not step.is_cut and {item.path for item in step.changed} == changed


class OwnSettings(Struct, frozen=True):
    """The Settings of a revision.

    Attributes:
        settings: The effective Settings. For an unreadable file: the last readable version, or the
            defaults if there is none. If the records were left in another folder, that folder.
        findings: Findings about the file.
        is_broken: The file is unreadable, was deleted, or no longer names the records folder:
            nothing can be derived from it.
        halts: The file that causes this.
    """

    settings: Settings
    findings: tuple[Finding, ...]
    is_broken: bool = False
    halts: str = PATH


def read_own_settings(source: Source, judging: Settings | None = None) -> OwnSettings:
    """Return the Settings of a source, with the folder that contains its records.

    Args:
        source: The source. It is limited by its Settings from now on.
        judging: Settings of the base, which limit the source instead.
    """
    if judging is not None:
        source.bound(judging.limits)
    own = _read_own(source)
    source.bound((judging or own.settings).limits)
    source.require(PATH, [*own.settings.folders, own.settings.records, OVERRIDES])
    barred = _barred(source, own.settings.records)
    if barred:
        return replace(own, is_broken=True, halts=barred)
    if has_records(source, own.settings.records):
        return own
    for step in islice(source.past([PATH]), MAX_VERSIONS):
        before = None if step.is_cut else _older(source, step)
        folder = before.records if before is not None else own.settings.records
        if folder not in (own.settings.records, *own.settings.folders) and _holds(source, folder):
            settings = replace(own.settings, records=folder)
            lost = left_behind(own.settings, folder)
            return OwnSettings(settings, (*own.findings, lost), is_broken=True)
        if step.is_cut:
            message = f"no record is in {own.settings.records}/, and whether some were left in"
            message += " another folder is behind the end of this clone: nothing new is given"
            cut = cut_off(Location(PATH, 1, 1), message)
            if judging is not None and judging.records == own.settings.records:
                break  # a change that keeps the folder leaves no records behind
            return OwnSettings(own.settings, (*own.findings, cut), is_broken=True)
    return own


def folder_with_records(source: Source, settings: Settings) -> str:
    """Return an earlier records folder that still contains records; empty if there is none."""
    now = settings.records
    inside = (folder for folder in folders_before(source) if folder != now)
    return next((folder for folder in inside if _holds(source, folder)), "")


def folders_before(source: Source) -> Iterator[str]:
    """Yield the records folders of earlier Settings, newest first."""
    for step in islice(source.past([PATH]), MAX_VERSIONS):
        if not step.is_cut and (before := _older(source, step)) is not None:
            yield before.records


def _read_own(source: Source) -> OwnSettings:
    entries = [entry for entry in source.entries([PATH]) if entry.path == PATH]
    if entries:
        settings, findings = read_settings(source.read(entries)[0])
        if not has_error(findings):
            return OwnSettings(settings, findings)
    else:
        settings, findings = Settings(), ()
    before = _settings_before(source)
    if before is None:
        return OwnSettings(settings, findings, is_broken=bool(entries))
    if not entries:
        message = f"{PATH} was there before: nothing is given, released or expired without it"
        hint = f"git log -p -- {PATH}; for all defaults keep kind Settings with an empty spec"
        findings = (error("settings-gone", Location(PATH), message, hint),)
    return OwnSettings(before, findings, is_broken=True)


def _barred(source: Source, records: str) -> str:
    """Return the path of a non-folder at or above the records folder; empty if there is none."""
    found = (item.location.path for item in source.findings())
    return next((path for path in found if f"{records}/".startswith(f"{path}/")), "")


def _settings_before(source: Source) -> Settings | None:
    """Return the newest readable earlier Settings; None if there are none."""
    for step in source.past([PATH]):
        old = _old(step)
        if old is None:
            break
        settings, findings = read_settings(source.read([old])[0])
        if not has_error(findings):
            return settings
    return None


def _older(source: Source, step: BranchCommit) -> Settings | None:
    """Return the Settings before a step: defaults without a file, None if unreadable."""
    old = _old(step)
    settings, findings = read_settings(source.read([old])[0] if old is not None else None)
    return None if has_error(findings) else settings


def _old(step: BranchCommit) -> Entry | None:
    return next((item.old for item in step.changed if item.path == PATH), None)


def has_records(source: Source, folder: str) -> bool:
    """Return whether a folder contains a record, or a folder that might; a cheap check."""
    inside = source.folders([folder])
    if inside is None:
        return _holds(source, folder)
    return any(item.is_folder or is_yaml(item.path) for item in inside)


def _holds(source: Source, folder: str) -> bool:
    return any(is_yaml(entry.path) for entry in source.entries([folder]))


def left_behind(settings: Settings, folder: str) -> Finding:
    """Return the finding for a records folder without records, while another folder has them."""
    message = (
        f"no record is in {settings.records}/, which spec.records names: they are in {folder}/"
    )
    hint = f"set it back to {folder}, or git mv {folder} {settings.records}"
    return error("settings-changed", settings.location, message, hint)


def left_over(settings: Settings, folder: str) -> Finding:
    """Return the finding for records that are in another folder than Settings name."""
    message = f"spec.records names {settings.records}/, but records are left in {folder}/"
    hint = f"git mv all that is left in {folder} in the same commit, or set it back to {folder}"
    return error("settings-changed", settings.location._replace(path=PATH), message, hint)


class EvaluationOptions(Struct, frozen=True):
    """Inputs of an evaluation that are not files of the revision.

    Attributes:
        settings: Settings of another revision to use instead of its own.
        overrides: The Overrides that apply; None for the Overrides of the revision.
        allow_release: How many releases `--allow-release` permits.
        retained: Released records that stay although their retention has ended, with the reason.
        left: Records that claims left when they moved, with the reason why a cluster still
            announces them; an empty reason if no cluster does.
        contracts: What teams can request according to the base of a change.
        gone: Paths of observed files whose objects are proven to be deleted.
    """

    settings: Settings | None = None
    overrides: Overrides | None = None
    allow_release: int | None = None
    retained: Mapping[str, str] = field(default_factory=dict)
    left: Mapping[str, str] = field(default_factory=dict)
    contracts: tuple[Contract, ...] = ()
    gone: tuple[str, ...] = ()


DEFAULTS = EvaluationOptions()


def evaluate_source(source: Source, options: EvaluationOptions = DEFAULTS) -> Evaluation:
    """Read a revision and evaluate it."""
    tree = read_tree(source, options.settings, overrides=options.overrides)
    tree = replace(
        tree,
        retained=options.retained,
        left=options.left,
        contracts=options.contracts,
        allow_release=options.allow_release,
        gone=_owners(tree.settings.observed, options.gone),
    )
    return evaluate(tree)


def _owners(observed: str, paths: Iterable[str]) -> frozenset[tuple[str, str, str, str]]:
    """Return the owners that observed files describe: family, kind, namespace, name."""
    named = [identity_of(observed, path) for path in paths]
    return frozenset(
        (family.name, kind, namespace, name)
        for group, kind, namespace, name in filter(None, named)
        if (family := family_of_kind(GroupKind(group, kind))) is not None
    )


def read_tree(
    source: Source,
    settings: Settings | None = None,
    own: OwnSettings | None = None,
    overrides: Overrides | None = None,
) -> Tree:
    """Read a revision.

    Args:
        source: The files of the revision.
        settings: Settings of another revision to use instead of its own (`check --base`). They
            also name the folders.
        own: The Settings of the revision, if they are already read.
        overrides: The Overrides that apply; None for the Overrides of the revision.
    """
    own = own or read_own_settings(source, settings)
    overrides = read_overrides(source) if overrides is None else overrides
    settings = settings or own.settings
    reader = reader_of(source, settings)
    sources, records = split(source.entries([*settings.folders, settings.records]), settings)
    revision = source.revision()
    loaded = reader.sources(sources)
    record_files = reader.recalled(records)
    reader.forget_others(sources, records)
    before = last_good(reader, loaded, record_files)
    twice = clashes(entry.path for entry in (*sources, *records))
    # Both files of such a pair are read. An error among the findings of the tree would prevent
    # the release of every record.
    before = replace(before, findings=(*before.findings, *twice)) if twice else before
    if own.is_broken:
        before = replace(before, halted=own.halts)
    return Tree(
        revision=revision.id if revision else None,
        clock=source.clock(),
        clock_ahead=source.clock_ahead(),
        settings=settings,
        sources=tuple(loaded),
        records=tuple(record_files),
        findings=(*own.findings, *source.findings()),
        last_good=before,
        overrides=overrides,
    )


T = TypeVar("T")


class SourceView(Struct, frozen=True):
    """A view of another source.

    Attributes:
        of: The other source.
    """

    of: Source

    @property
    def parsed(self) -> Parsed:
        """Cache of parsed files."""
        return self.of.parsed

    def bound(self, limits: Limits) -> None:
        """Limit listings and reads."""
        self.of.bound(limits)

    def revision(self) -> Revision | None:
        """The revision."""
        return self.of.revision()

    def clock(self) -> int:
        """The clock of the revision."""
        return self.of.clock()

    def clock_ahead(self) -> int | None:
        """The committer date, if it is in the future."""
        return self.of.clock_ahead()

    def passed(self) -> int:
        """The newest time in the ancestry that has certainly passed."""
        return self.of.passed()

    def entries(self, folders: Sequence[str]) -> list[Entry]:
        """Return all files below the folders."""
        return self.of.entries(folders)

    def require(self, file: str, folders: Sequence[str]) -> None:
        """Raise if a plain file or a folder is something else."""
        self.of.require(file, folders)

    def standing(self, paths: Sequence[str]) -> list[Entry] | None:
        """Return the entries at some paths."""
        return self.of.standing(paths)

    def folders(self, parents: Sequence[str]) -> list[Entry] | None:
        """Return the direct entries of the parents."""
        return self.of.folders(parents)

    def read(self, entries: Sequence[Entry]) -> list[bytes]:
        """Return the bytes of files."""
        return self.of.read(entries)

    def findings(self) -> tuple[Finding, ...]:
        """Return findings about files as such."""
        return self.of.findings()

    def past(self, paths: Sequence[str]) -> Iterator[BranchCommit]:
        """Yield the commits that changed these files and folders."""
        return self.of.past(paths)

    def brought(self, paths: Sequence[str]) -> BranchCommit:
        """Return the changes of the revision itself."""
        return self.of.brought(paths)

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        """Return `work(path, bytes)` for each file."""
        return self.of.each(entries, work)


class AsOf(SourceView, frozen=True):
    """A source with its own clock.

    Attributes:
        seconds: The clock, in seconds since 1970.
        ahead: The committer date, if it was in the future then.
    """

    seconds: int
    ahead: int | None = None

    def clock(self) -> int:
        """The given clock."""
        return self.seconds

    def clock_ahead(self) -> int | None:
        """The committer date, if it was in the future then."""
        return self.ahead

    def passed(self) -> int:
        """The given clock, or a newer ancestor date that was not in the future then."""
        return self.seconds if self.ahead is not None else max(self.seconds, self.of.passed())


class Overlay(SourceView, frozen=True):
    """A source with one folder from another source.

    Attributes:
        above: The other source. Each source can read the entries of both by their ids.
        folder: The folder from the other source.
    """

    above: Source
    folder: str

    def bound(self, limits: Limits) -> None:
        """Limit listings and reads."""
        self.of.bound(limits)
        self.above.bound(limits)

    def entries(self, folders: Sequence[str]) -> list[Entry]:
        """Return all files below the folders."""
        found = [it for it in self.of.entries(folders) if not self._is_inside(it.path)]
        inside = self._inside(folders)
        return sorted([*found, *self.above.entries(inside)]) if inside else found

    def require(self, file: str, folders: Sequence[str]) -> None:
        """Raise if a plain file or a folder is something else."""
        inside = self._inside(folders)
        self.of.require(file, [item for item in folders if item not in inside])
        if inside:
            self.above.require(file, inside)

    def standing(self, paths: Sequence[str]) -> list[Entry] | None:
        """Return the entries at some paths."""
        inside = [path for path in paths if self._is_inside(path)]
        outside = [path for path in paths if path not in inside]
        found = self.of.standing(outside) if outside else []
        there = self.above.standing(inside) if inside else []
        return None if found is None or there is None else sorted([*found, *there])

    def folders(self, parents: Sequence[str]) -> list[Entry] | None:
        """Return the direct entries of the parents, including the folder itself."""
        found = self.of.folders(parents)
        there = self.above.folders(parents)
        if found is None or there is None:
            return None
        kept = [item for item in found if not self._is_inside(item.path)]
        return sorted([*kept, *(item for item in there if self._is_inside(item.path))])

    def read(self, entries: Sequence[Entry]) -> list[bytes]:
        """Return the bytes of files."""
        inside = [item for item in entries if self._is_inside(item.path)]
        if not inside:
            return self.of.read(entries)
        outside = [item for item in entries if not self._is_inside(item.path)]
        known = dict(zip(inside, self.above.read(inside), strict=True))
        known |= dict(zip(outside, self.of.read(outside), strict=True))
        return [known[item] for item in entries]

    def findings(self) -> tuple[Finding, ...]:
        """Return findings about files as such."""
        found = [it for it in self.of.findings() if not self._is_inside(it.location.path)]
        there = (it for it in self.above.findings() if self._is_inside(it.location.path))
        return tuple(dict.fromkeys([*found, *there]))

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        """Return `work(path, bytes)` for each file."""
        inside = [item for item in entries if self._is_inside(item.path)]
        if not inside:
            return self.of.each(entries, work)
        outside = [item for item in entries if not self._is_inside(item.path)]
        known = dict(zip(inside, self.above.each(inside, work), strict=True))
        known |= dict(zip(outside, self.of.each(outside, work), strict=True))
        return [known[item] for item in entries]

    def _is_inside(self, path: str) -> bool:
        return f"{path}/".startswith(f"{self.folder}/")

    def _inside(self, folders: Sequence[str]) -> list[str]:
        return [path for path in folders if self._is_inside(path)]


def originals(
    source: Source,
    folders: Sequence[str],
    load: Callable[[str, bytes], Loaded],
    loaded: Sequence[Loaded],
    observed: str,
) -> dict[Identity, str]:
    """Return the effective file for each object that several files describe.

    A source file takes precedence over an observed file.

    The history is searched newest first: a file that did not describe the object before a commit is
    newer than a file that did. If all files appeared in one commit, the first path is effective.
    """
    places: dict[Identity, dict[str, None]] = {}
    for file in loaded:
        for document in file.documents:
            places.setdefault(document.identity, {})[file.path] = None
    several = {
        identity: _written(sorted(paths), f"{observed}/")
        for identity, paths in places.items()
        if len(paths) > 1
    }
    found = {identity: paths[0] for identity, paths in several.items()}
    open_ = {identity: paths for identity, paths in several.items() if len(paths) > 1}
    for step in source.past(folders) if open_ else ():
        if step.is_cut or not open_:
            break
        before = _before(source, load, step, {path for paths in open_.values() for path in paths})
        for identity, paths in list(open_.items()):
            left = [path for path in paths if identity in before.get(path, (identity,))]
            if left:
                found[identity], open_[identity] = left[0], left
            if len(left) < 2:
                del open_[identity]
    return found


def _written(paths: list[str], observed: str) -> list[str]:
    """Return the source files among some paths; all paths if there are none."""
    return [path for path in paths if not path.startswith(observed)] or paths


def _before(
    source: Source, load: Callable[[str, bytes], Loaded], step: BranchCommit, paths: set[str]
) -> Mapping[str, Sequence[Identity]]:
    """Return the identities in changed files before a commit; none for ambiguous files."""
    found: dict[str, Sequence[Identity]] = {}
    old: list[Entry] = []
    for item in step.changed:
        if item.path in paths and item.old is not None:
            old.append(item.old)
        elif item.path in paths:
            found[item.path] = ()
    for entry, data in zip(old, source.read(old), strict=True):
        file = load(entry.path, data)
        if not file.unclear:
            found[entry.path] = (*(item.identity for item in file.documents), *file.broken)
    return found


# Search at most this many older versions of one file.
MAX_VERSIONS = 100


def last_good(
    reader: FileReader,
    loaded: Sequence[Loaded],
    record_files: Sequence[Recalled],
) -> LastGood:
    """Return the last readable versions of all broken files. Without broken files, return at once.

    Args:
        reader: The file parser.
        loaded: The source files.
        record_files: The record files.
    """
    findings = reader.source.findings()
    broken = [found.location.path for found in findings if found.severity is Severity.ERROR]
    broken += [file.path for file in loaded if file.is_broken]
    # Only reconcile writes records, so an unreadable record comes from a newer version of `ipam`.
    newer = next((it.unreadable.path for it in record_files if it.unreadable is not None), "")
    folder = reader.settings.observed
    first = originals(reader.source, reader.folders, reader.read_source, loaded, folder)
    if not broken:
        return LastGood(originals=first, halted=newer)
    unread = [file.path for file in loaded if isinstance(file.text, Unread)]
    search = _Search(reader, dict.fromkeys(sorted(broken), 0))
    search.run()
    readable = {document.identity for file in loaded for document in file.documents}
    documents = tuple(item for key, item in search.documents.items() if key not in readable)
    return LastGood(
        files=tuple(search.files),
        documents=documents,
        originals=first,
        # The content of a file that is too large was not read, so it can be anything.
        halted=newer or search.halted or next((it for it in unread if it not in search.files), ""),
        findings=(*_as_findings(documents), *_cut(search.halted)),
    )


def _as_findings(documents: Sequence[Document]) -> list[Finding]:
    """Return a finding for each broken file that an older version replaces."""
    by_file: dict[str, list[str]] = {}
    # Report documents at their own path before moved documents, and pools first.
    for document in sorted(documents, key=_rank):
        by_file.setdefault(document.file, []).append(document.title)
    found = []
    for path, titles in by_file.items():
        counts = "count as they were" if len(titles) > 1 else "counts as it was"
        message = (
            f"until this can be read, {join_limited(titles)} {counts}; nothing new is given for it"
        )
        found.append(warning("last-good", Location(path, 1, 1), message))
    return found


def _rank(document: Document) -> tuple[bool, bool]:
    return document.path != document.file, not is_pool(document.kind.id)


def _cut(path: str) -> list[Finding]:
    if not path:
        return []
    message = "the history of this clone is cut off before this could be read: nothing new is given"
    return [cut_off(Location(path, 1, 1), message)]


class _Search(Struct):
    """One walk through the first-parent history.

    Attributes:
        pending: Files whose last readable version is not found yet, with the number of versions
            seen.
        behind: Files of `pending` that were broken when they were deleted or fixed, next to a file
            that is broken now: their older versions replace it.
        files: Files with a readable version.
        halted: The file whose history the clone does not contain, or empty.
    """

    reader: FileReader
    pending: dict[str, int]
    behind: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    documents: dict[Identity, Document] = field(default_factory=dict)
    halted: str = ""

    def run(self) -> None:
        """Walk until each file is found, or did not exist yet."""
        above = [path for path in self.pending if not self.reader.is_read(path)]
        paths = dict.fromkeys([*self.reader.folders, *above])
        for step in self.reader.source.past(list(paths)):
            first = self._now(next(iter(self.pending)))
            if step.is_cut:
                self.halted = first
                break
            wanted = self._wanted(step)
            for entry, data in zip(wanted, self.reader.source.read(wanted), strict=True):
                self._file(entry.path, data, first)
            self._follow_links(step, first)
            self._give_up(step)
            if not self.pending:
                break

    def _wanted(self, step: BranchCommit) -> list[Entry]:
        """Return the old versions to read at a step: pending files, and deleted files."""
        return [
            item.old
            for item in step.changed
            if item.old is not None
            and item.old.is_file
            and (item.path in self.pending or self.reader.is_read(item.path))
            and (item.path in self.pending or not self._is_output(step, item.path))
            and is_yaml(item.path)
        ]

    def _is_output(self, step: BranchCommit, path: str) -> bool:
        """Return whether a reconcile commit changed a file that reconcile owns."""
        return step.is_reconcile and self.reader.is_written(path)

    def _file(self, path: str, data: bytes, first: str) -> None:
        loaded = self.reader.read_source(path, data)
        is_own = path in self.pending
        counted = [
            replace_document(item, unread=self._now(path, first)) for item in loaded.documents
        ]
        if is_own and loaded.is_broken:
            self.pending[path] += 1
            return
        if is_own:
            self._found(path)
        elif loaded.is_broken:
            self._follow(path, first)
        for document in counted:
            self.documents.setdefault(document.identity, document)

    def _found(self, path: str) -> None:
        del self.pending[path]
        if self.behind.pop(path, None) is None:
            self.files.append(path)

    def _follow(self, path: str, first: str) -> None:
        """Add files that were broken at the parent and were deleted or fixed in this commit.

        Their last readable versions were deleted with them, as readable documents are (for example
        `git mv` of a file that broke some commits earlier).
        """
        self.pending[path] = 0
        self.behind[path] = first

    def _follow_links(self, step: BranchCommit, first: str) -> None:
        """Add files that a symlink or submodule replaced."""
        for item in step.changed:
            is_link = item.old is not None and not item.old.is_file
            if is_link and item.path not in self.pending:
                self._follow(item.path, first)

    def _now(self, path: str, first: str = "") -> str:
        """Return the file of the tree that an older file replaces."""
        return self.behind.get(path, path if path in self.pending else first)

    def _give_up(self, step: BranchCommit) -> None:
        """Drop files that did not exist before."""
        brought = [item.path for item in step.changed if item.old is None]
        given_up = [path for path in brought if path in self.pending]
        given_up += [path for path, seen in self.pending.items() if seen >= MAX_VERSIONS]
        for path in dict.fromkeys(given_up):
            del self.pending[path]
            self.behind.pop(path, None)
