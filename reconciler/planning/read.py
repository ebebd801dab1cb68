"""Readers of revisions: Settings, Overrides, files, and last readable versions of documents."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice, takewhile
from typing import Any, TypeVar, cast

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.documents.document import Document, Identity
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
from reconciler.families import is_pool
from reconciler.gitio.interface import BranchCommit, Entry, Source
from reconciler.model.errors import LimitError
from reconciler.model.pool import Contract
from reconciler.model.settings import OVERRIDES, PATH, Limits, Overrides, Settings
from reconciler.planning.cache import read_files
from reconciler.planning.documents import FileReader, LastGood, Tree, identity_of, reader_of, split
from reconciler.planning.evaluate import Evaluation, evaluate, owners_of
from reconciler.planning.settings import EarlierOverrides, is_override, overrides_of, read_settings
from reconciler.records.parse import Recalled

T = TypeVar("T")

# Search at most this many older versions of one file.
MAX_VERSIONS = 100


class EvaluationOptions(Struct, frozen=True):
    """Inputs in addition to the revision, whose Settings and Overrides they can replace: see `Tree`."""

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
    named = [identity_of(tree.settings.observed, path) for path in options.gone]
    return evaluate(
        replace(
            tree,
            retained=options.retained,
            left=options.left,
            contracts=options.contracts,
            allow_release=options.allow_release,
            gone=owners_of(filter(None, named)),
        )
    )


def read_tree(
    source: Source, settings: Settings | None = None, overrides: Overrides | None = None
) -> Tree:
    """Read a revision by its own Settings and Overrides, or by others (`check --base`)."""
    own = read_own_settings(source, settings)
    overrides = read_overrides(source) if overrides is None else overrides
    settings = settings or own.settings
    reader = reader_of(source, settings)
    sources, records = split(source.entries([*settings.folders, settings.records]), settings)
    revision = source.revision()
    loaded, record_files = read_files(reader, sources, records)
    reader.forget_others(sources, records)
    before = _last_good(reader, loaded, record_files)
    # An error among the findings of the tree would prevent the release of every record.
    before = replace(
        before,
        findings=(*before.findings, *clashes(entry.path for entry in (*sources, *records))),
        halted=own.halts if own.is_broken else before.halted,
    )
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
        spare=source.bound(settings.limits),
    )


def read_overrides(source: Source) -> Overrides:
    """Return the Overrides of a revision that were in effect before it."""
    files = _override_files(source)
    if not files:
        return Overrides()
    step = source.brought([OVERRIDES])
    changed = {item.path for item in step.changed}
    if changed and step.id and not step.is_cut and _is_all(source, changed):
        changed = set()
    left = {path: data for path, data in files.items() if path not in changed}
    earlier = EarlierOverrides(left, source.passed(), step.is_cut, is_base=not step.id)
    return overrides_of(files, earlier)


def overrides_of_change(base: Source, source: Source, now: int = 0) -> Overrides:
    """Return Overrides that the base also has. Backdated commits do not extend them."""
    files = _override_files(source)
    if not files:
        return Overrides()
    passed = max(source.passed(), base.passed(), now)
    return overrides_of(files, EarlierOverrides(_override_files(base), passed, is_base=True))


def _override_files(source: Source) -> Mapping[str, bytes]:
    if source.entries_at([OVERRIDES]) == []:
        return {}
    entries = [item for item in source.entries([OVERRIDES]) if is_override(item.path)]
    data = source.read(entries)
    return {entry.path: item for entry, item in zip(entries, data, strict=True)}


def _is_all(source: Source, changed: set[str]) -> bool:
    try:
        step = source.brought([])
    except LimitError:
        return False
    return not step.is_cut and {item.path for item in step.changed} == changed


class OwnSettings(Struct, frozen=True):
    """The effective Settings of a revision: the last readable ones if `is_broken`.

    Settings are broken if the file is unreadable, was deleted, or no longer names the records
    folder. `halts` is the file that causes this. `is_known` is false if no version is readable.
    """

    settings: Settings
    findings: tuple[Finding, ...]
    is_broken: bool = False
    halts: str = PATH
    is_known: bool = True


def read_own_settings(source: Source, judging: Settings | None = None) -> OwnSettings:
    """Return the Settings of a source, limited by them, or by the base's (`judging`)."""
    if judging is not None:
        source.bound(judging.limits)
    own = _read_own(source)
    records = own.settings.records
    source.bound((judging or own.settings).limits)
    source.require(PATH, [*own.settings.folders, records, OVERRIDES])
    # A finding here is about a path that is not a folder: the folder of records or a parent.
    barring = (it.location.path for it in source.findings())
    if barred := next((path for path in barring if f"{records}/".startswith(f"{path}/")), ""):
        return replace(own, is_broken=True, halts=barred)
    if has_records(source, records):
        return own
    last = source.reconciled(PATH)
    before, findings = read_settings(source.read([last])[0] if last is not None else None)
    folder = before.records if not has_error(findings) else records
    if folder in (records, *own.settings.folders) or not has_records(source, folder):
        return own
    lost = records_elsewhere(own.settings, folder)
    return OwnSettings(replace(own.settings, records=folder), (*own.findings, lost), is_broken=True)


def raised_limits(base: Source, source: Source) -> Limits | None:
    """Return the limits of a source if they are wider than the limits that its base exceeds."""
    own, limits = _read_own(base).settings, _read_own(source).settings.limits
    try:
        base.bound(own.limits)
        base.entries([*own.folders, own.records])
    except LimitError:
        return limits if own.limits != limits == limits.widened(own.limits) else None
    return None


def _read_own(source: Source) -> OwnSettings:
    listed = source.entries([PATH])
    entries = [entry for entry in listed if entry.path == PATH]
    settings, findings = read_settings(source.read(entries)[0] if entries else None)
    if entries and not has_error(findings):
        return OwnSettings(settings, findings)
    if not entries:
        last = source.reconciled(PATH)
        if last is None:
            is_odd = bool(listed) or any(it.location.path == PATH for it in source.findings())
            return OwnSettings(settings, findings, is_broken=is_odd)
        settings, _ = read_settings(source.read([last])[0])
        message = f"{PATH} was deleted, so nothing is allocated, released, or expired"
        hint = f"restore it (git log -p -- {PATH}), or add Settings with an empty spec for all defaults"
        gone = error("settings-gone", Location(PATH), message, hint)
        return OwnSettings(settings, (gone,), is_broken=True)
    versions = (_older(source, step) for step in takewhile(_old, source.past([PATH])))
    before = next(filter(None, versions), None)
    known = before is not None
    return OwnSettings(before or settings, findings, is_broken=True, is_known=known)


def _older(source: Source, step: BranchCommit) -> Settings | None:
    old = _old(step)
    settings, findings = read_settings(source.read([old])[0] if old is not None else None)
    return None if has_error(findings) else settings


def _old(step: BranchCommit) -> Entry | None:
    return next((item.old for item in step.changed if item.path == PATH), None)


def settings_before(source: Source) -> Iterator[Settings]:
    """Yield earlier readable Settings, newest first."""
    for step in islice(source.past([PATH]), MAX_VERSIONS):
        if not step.is_cut and (before := _older(source, step)) is not None:
            yield before


def has_records(source: Source, folder: str) -> bool:
    """Return whether a folder contains a YAML file."""
    inside = source.folders([folder])
    if inside is None:
        return any(is_yaml(entry.path) for entry in source.entries([folder]))
    return any(has_records(source, it.path) if it.is_folder else is_yaml(it.path) for it in inside)


def records_elsewhere(settings: Settings, folder: str) -> Finding:
    """Return the finding for a records folder without records: another folder has them."""
    own = settings.records
    message = f"spec.records is {own}/, but the records are in {folder}/"
    hint = f"set it back to {folder}, or run git mv {folder} {own}"
    return error("settings-changed", settings.location, message, hint)


def left_over(settings: Settings, folder: str) -> Finding:
    """Return the finding for records that are in another folder than Settings name."""
    message = f"spec.records is {settings.records}/, but some records are still in {folder}/"
    hint = f"move all of {folder} in the same commit (git mv), or set it back to {folder}"
    return error("settings-changed", replace(settings.location, path=PATH), message, hint)


def _last_good(
    reader: FileReader, loaded: Sequence[Loaded], record_files: Sequence[Recalled]
) -> LastGood:
    findings = reader.source.findings()
    broken = [found.location.path for found in findings if found.severity is Severity.ERROR]
    broken += [file.path for file in loaded if file.is_broken]
    # Only reconcile writes records, so an unreadable record comes from a newer version of `ipam`.
    newer = next((it.unreadable.path for it in record_files if it.unreadable is not None), "")
    first = _originals(reader, loaded)
    if not broken:
        return LastGood(originals=first, halted=newer)
    search = _Search(reader, dict.fromkeys(sorted(broken), 0))
    search.run()
    readable = {document.identity for file in loaded for document in file.documents}
    documents = tuple(item for key, item in search.documents.items() if key not in readable)
    # The content of a file that is too large was not read, so it can be anything.
    unread = (it.path for it in loaded if isinstance(it.text, Unread))
    found = list(_replacements(documents))
    if search.halted:
        message = "this clone is too shallow to find a readable version of this file, so"
        place = Location(search.halted, 1, 1)
        found.append(cut_off(place, f"{message} nothing new is allocated"))
    return LastGood(
        files=tuple(search.files),
        documents=documents,
        originals=first,
        halted=newer or search.halted or next((it for it in unread if it not in search.files), ""),
        findings=tuple(found),
    )


def _replacements(documents: Iterable[Document]) -> Iterator[Finding]:
    by_file: dict[str, list[str]] = {}
    # Report documents at their own path before moved documents, and pools first.
    for document in sorted(documents, key=lambda it: (it.path != it.file, not is_pool(it.kind.id))):
        by_file.setdefault(document.file, []).append(document.title)
    for path, titles in by_file.items():
        get = "get" if len(titles) > 1 else "gets"
        why = f"file cannot be read, so ipam uses the last readable version of {join_limited(titles)}, which {get} no new addresses"
        yield warning("last-good", Location(path, 1, 1), why, "fix the errors in this file")


def _originals(reader: FileReader, loaded: Sequence[Loaded]) -> dict[Identity, str]:
    """Return the effective file of each object: source before observed, then the first."""
    every = [(document.identity, file.path) for file in loaded for document in file.documents]
    one, places = dict(every), dict[Identity, set[str]]()
    for identity, path in every:
        if path != one[identity]:
            places.setdefault(identity, {one[identity]}).add(path)
    observed = f"{reader.settings.observed}/"
    several = {
        identity: [path for path in sorted(paths) if not path.startswith(observed)] or sorted(paths)
        for identity, paths in places.items()
    }
    found = {identity: paths[0] for identity, paths in several.items()}
    pending = {identity: paths for identity, paths in several.items() if len(paths) > 1}
    for step in reader.source.past(reader.settings.folders) if pending else ():
        if step.is_cut or not pending:
            break
        before = _before(reader, step, {path for paths in pending.values() for path in paths})
        for identity, paths in list(pending.items()):
            left = [path for path in paths if identity in before.get(path, (identity,))]
            if left:
                found[identity], pending[identity] = left[0], left
            if len(left) < 2:
                del pending[identity]
    return found


def _before(
    reader: FileReader, step: BranchCommit, paths: set[str]
) -> Mapping[str, Sequence[Identity]]:
    changed = [item for item in step.changed if item.path in paths]
    found: dict[str, Sequence[Identity]] = {it.path: () for it in changed if it.old is None}
    old = [item.old for item in changed if item.old is not None]
    for entry, data in zip(old, reader.source.read(old), strict=True):
        file = reader.read_source(entry.path, data)
        if not file.unclear:
            found[entry.path] = (*(item.identity for item in file.documents), *file.broken)
    return found


class _Search(Struct):
    """Search of the first-parent history for readable versions.

    Attributes:
        pending: Files without a readable version so far, with the number of versions.
        behind: Files that were deleted or fixed while broken: older versions replace a broken one.
        halted: The file whose history the clone does not contain, or empty.
    """

    reader: FileReader
    pending: dict[str, int]
    behind: dict[str, str] = field(default_factory=dict)
    files: list[str] = field(default_factory=list)
    documents: dict[Identity, Document] = field(default_factory=dict)
    halted: str = ""

    def run(self) -> None:
        above = (path for path in self.pending if not self.reader.is_read(path))
        paths = dict.fromkeys([*self.reader.settings.folders, *above])
        for step in self.reader.source.past(list(paths)):
            first = self._replaced(next(iter(self.pending)))
            if step.is_cut:
                self.halted = first
                break
            wanted = self._wanted(step)
            for entry, data in zip(wanted, self.reader.source.read(wanted), strict=True):
                self._file(entry.path, data, first)
            for item in step.changed:  # files that a symlink or submodule replaced
                is_link = item.old is not None and not item.old.is_file
                if is_link and item.path not in self.pending:
                    self.pending[item.path], self.behind[item.path] = 0, first
            self._give_up(step)
            if not self.pending:
                break

    def _wanted(self, step: BranchCommit) -> list[Entry]:
        reader = self.reader
        return [
            item.old
            for item in step.changed
            if item.old is not None and item.old.is_file and is_yaml(item.path)
            if item.path in self.pending
            or (
                reader.is_read(item.path)
                and not (step.is_reconcile and reader.is_written(item.path))
            )
        ]

    def _file(self, path: str, data: bytes, first: str) -> None:
        loaded = self.reader.read_source(path, data)
        replaced = self._replaced(path, first)
        if path not in self.pending:
            # Last readable versions were deleted with a file that was broken at that time, for
            # example by `git mv` of a file that broke some commits earlier.
            if loaded.is_broken:
                self.pending[path], self.behind[path] = 0, first
        elif loaded.is_broken:
            self.pending[path] += 1
            return
        else:
            del self.pending[path]
            if self.behind.pop(path, None) is None:
                self.files.append(path)
        for item in loaded.documents:
            self.documents.setdefault(item.identity, replace(item, unread=replaced))

    def _replaced(self, path: str, first: str = "") -> str:
        return self.behind.get(path, path if path in self.pending else first)

    def _give_up(self, step: BranchCommit) -> None:
        given_up = [it.path for it in step.changed if it.old is None and it.path in self.pending]
        given_up += [path for path, seen in self.pending.items() if seen >= MAX_VERSIONS]
        for path in given_up:
            self.pending.pop(path, None)
            self.behind.pop(path, None)


class SourceView:
    """Another source: subclasses define the calls that differ."""

    def __init__(self, of: Source) -> None:
        self.of = of

    def __getattr__(self, name: str) -> Any:
        return getattr(self.of, name)


class _AsOf(SourceView):
    def __init__(self, of: Source, seconds: int, ahead: int | None) -> None:
        super().__init__(of)
        self.seconds, self.ahead = seconds, ahead

    def clock(self) -> int:
        return self.seconds

    def clock_ahead(self) -> int | None:
        return self.ahead

    def passed(self) -> int:
        return self.seconds if self.ahead is not None else max(self.seconds, self.of.passed())


def as_of(source: Source, seconds: int, ahead: int | None = None) -> Source:
    """Return a source with another clock, and the committer date if it was in the future then."""
    return cast("Source", _AsOf(source, seconds, ahead))


class _Overlay(SourceView):
    def __init__(self, of: Source, above: Source, folder: str) -> None:
        super().__init__(of)
        self.above, self.folder = above, folder

    def bound(self, limits: Limits) -> Limits:
        self.above.bound(limits)
        return self.of.bound(limits)

    def entries(self, folders: Sequence[str]) -> list[Entry]:
        found = [it for it in self.of.entries(folders) if not self._is_inside(it.path)]
        inside = list(filter(self._is_inside, folders))
        return sorted([*found, *self.above.entries(inside)]) if inside else found

    def require(self, file: str, folders: Sequence[str]) -> None:
        self.of.require(file, [item for item in folders if not self._is_inside(item)])
        if inside := list(filter(self._is_inside, folders)):
            self.above.require(file, inside)

    def entries_at(self, paths: Sequence[str]) -> list[Entry] | None:
        inside = list(filter(self._is_inside, paths))
        outside = [path for path in paths if path not in inside]
        found = self.of.entries_at(outside) if outside else []
        there = self.above.entries_at(inside) if inside else []
        return None if found is None or there is None else sorted([*found, *there])

    def folders(self, parents: Sequence[str]) -> list[Entry] | None:
        found, there = self.of.folders(parents), self.above.folders(parents)
        if found is None or there is None:
            return None
        kept = [item for item in found if not self._is_inside(item.path)]
        return sorted([*kept, *(item for item in there if self._is_inside(item.path))])

    def read(self, entries: Sequence[Entry]) -> list[bytes]:
        return self._of_both(entries, lambda source, some: source.read(some))

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        return self._of_both(entries, lambda source, some: source.each(some, work))

    def findings(self) -> tuple[Finding, ...]:
        found = [it for it in self.of.findings() if not self._is_inside(it.location.path)]
        there = (it for it in self.above.findings() if self._is_inside(it.location.path))
        return tuple(dict.fromkeys([*found, *there]))

    def _of_both(
        self, entries: Sequence[Entry], call: Callable[[Source, Sequence[Entry]], list[T]]
    ) -> list[T]:
        inside = [item for item in entries if self._is_inside(item.path)]
        outside = [item for item in entries if not self._is_inside(item.path)]
        known = dict(zip(inside, call(self.above, inside), strict=True)) if inside else {}
        known |= dict(zip(outside, call(self.of, outside), strict=True))
        return [known[item] for item in entries]

    def _is_inside(self, path: str) -> bool:
        return f"{path}/".startswith(f"{self.folder}/")


def overlay(source: Source, above: Source, folder: str) -> Source:
    """Return a source with one folder from another source of the same repository."""
    return cast("Source", _Overlay(source, above, folder))
