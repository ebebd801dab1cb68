"""Files and effective documents of a revision."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import compress
from operator import not_
from typing import NamedTuple, TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.documents import yaml
from reconciler.documents.document import Document, GroupKind, Identity, Kind
from reconciler.documents.findings import (
    Finding,
    Location,
    article_list,
    error,
    join_limited,
    nearest,
    warning,
)
from reconciler.documents.load import Kinds, Loaded, is_meant, load, reserved, unfit, unread
from reconciler.documents.text import is_yaml
from reconciler.documents.yaml import dump
from reconciler.families import families, judge, role_of
from reconciler.families.demand import DEMAND, demand_document, entries_of, judge_demand
from reconciler.gitio.interface import Entry, Source
from reconciler.model.change import FileChange
from reconciler.model.pool import Contract
from reconciler.model.settings import OVERRIDES, Overrides, Settings
from reconciler.model.settings import PATH as SETTINGS_PATH
from reconciler.planning.settings import CLUSTER_TARGET, HOME, OVERRIDE, SETTINGS, within
from reconciler.records.parse import Recalled, parse_record


class LastGood(Struct, frozen=True):
    """Last readable versions of broken files (docs/reference/planning.md).

    Attributes:
        files: Broken files that have a readable earlier version.
        documents: Documents of those versions; `unread` names the broken file now at their path.
        originals: The effective file for each object that several files describe.
        halted: The file that prevents all grants, releases, and expiries; empty if there is none.
        findings: Findings about these files.
    """

    files: tuple[str, ...] = ()
    documents: tuple[Document, ...] = ()
    originals: Mapping[Identity, str] = field(default_factory=dict)
    halted: str = ""
    findings: tuple[Finding, ...] = ()


class Tree(Struct, frozen=True):
    """One revision, parsed: its Settings, source files, and records.

    Attributes:
        revision: The commit, or None for a work tree.
        clock: The revision's committer date, in seconds since 1970; or the newest date of its
            ancestors that is not in the future.
        sources: Source files, by path.
        records: Record files, by path.
        findings: Problems of the tree itself, such as a symlink among the sources.
        last_good: Documents that replace broken files, from earlier revisions.
        retained: Paths of released records that a cluster might still announce, with the reason; an
            empty reason if no cluster was queried.
        left: Paths of records that claims moved away from and that a cluster was queried for, with
            the reason why it still announces them; an empty reason if it does not.
        overrides: The Overrides of the base, and findings about Override files.
        contracts: Contracts of the base of a change, checked in addition to the tree's own.
        allow_release: The number of releases that `--allow-release` permits, or None.
        gone: Owners that are proven to be deleted: family, kind, namespace, name.
        clock_ahead: The committer date if it is in the future; nothing expires then.
    """

    revision: str | None
    clock: int
    settings: Settings
    sources: tuple[Loaded, ...]
    records: tuple[Recalled, ...]
    findings: tuple[Finding, ...] = ()
    last_good: LastGood = field(default_factory=LastGood)
    retained: Mapping[str, str] = field(default_factory=dict)
    left: Mapping[str, str] = field(default_factory=dict)
    clock_ahead: int | None = None
    overrides: Overrides = field(default_factory=Overrides)
    contracts: tuple[Contract, ...] = ()
    allow_release: int | None = None
    gone: frozenset[tuple[str, str, str, str]] = frozenset()

    @property
    def held_back(self) -> dict[str, str]:
        """Return released records that a cluster still uses, with the reason."""
        return {path: why for path, why in self.retained.items() if why}


EDITED = "observed-edited"
"""The code of manual changes to the observed folder."""


def path_of(folder: str, identity: Identity) -> str:
    """Return the path of a document: `<folder>/<Kind>.<group>/<namespace or _>/<name>.yaml`."""
    group, kind, namespace, name = identity
    return f"{folder}/{kind}.{group}/{namespace or '_'}/{name}.yaml"


def identity_of(folder: str, path: str) -> Identity | None:
    """Return the identity that `path_of` maps to a path; None for any other path."""
    kind, _, rest = path.removeprefix(f"{folder}/").partition("/")
    name, _, group = kind.partition(".")
    place, _, file = rest.partition("/")
    identity = (group, name, "" if place == "_" else place, file.removesuffix(".yaml"))
    return identity if path_of(folder, identity) == path else None


def is_observed(settings: Settings, path: str) -> bool:
    """Return whether a path is in the observed folder."""
    return path.startswith(f"{settings.observed}/")


def expected_bytes(document: Document) -> bytes:
    """Return the canonical bytes of a document."""
    if document.kind.id == DEMAND.id:
        return demand_document(document.namespace, document.name, entries_of(document))
    metadata = dict(document.metadata)
    if document.namespace:
        metadata["namespace"] = document.namespace
    return dump({**document.body, "metadata": metadata}).encode()


def remedy(path: str, base: str = "") -> str:
    """Return the command that restores a file of the observed folder.

    Args:
        path: The file.
        base: The revision that contains the file as reconcile wrote it; empty if unknown.
    """
    why = "ipam reconcile alone writes it"
    return f"git checkout {base} -- {path}: {why}" if base else f"revert the change: {why}"


def differences(there: Mapping[str, bytes], wanted: Mapping[str, bytes]) -> tuple[FileChange, ...]:
    """Return the changes from one set of files to another, by path; none if the bytes are equal.

    Args:
        there: The current files of the folder, by path.
        wanted: The expected files.
    """
    return tuple(
        FileChange(path, wanted.get(path))
        for path in sorted({*there, *wanted})
        if there.get(path) != wanted.get(path)
    )


def odd(document: Document, folder: str) -> Iterator[Finding]:
    """Return findings about a document that differs from its canonical form or path."""
    path = path_of(folder, document.identity)
    if document.path != path:
        message = f"{document.title} belongs to {path}"
        yield warning(EDITED, document.at(), message, remedy(path))
    elif document.data != expected_bytes(document):
        message = f"{document.title} is not written as ipam reconcile writes it"
        yield warning(EDITED, document.at(), message, remedy(path))


class Counting(NamedTuple):
    """Effective and duplicate documents.

    Attributes:
        first: The effective document of each object.
        second: Duplicates: documents of objects that another document describes.
        replaced: Observed documents that a document in the source folders replaces.
    """

    first: dict[Identity, Document]
    second: list[Document]
    replaced: list[Document]


def counting_of(tree: Tree) -> Counting:
    """Return the effective documents.

    Within one file, the first document of an object is effective.
    """
    originals, folder = tree.last_good.originals, f"{tree.settings.observed}/"
    seen = [source.path.startswith(folder) for source in tree.sources]
    files = [*compress(tree.sources, map(not_, seen)), *compress(tree.sources, seen)]
    every = [(item.identity, item) for source in files for item in source.documents]
    counting: dict[Identity, Document] = {}
    for identity, document in every:
        if originals.get(identity, document.path) == document.path:
            counting.setdefault(identity, document)
    second: list[Document] = []
    replaced: list[Document] = []
    for identity, item in every if len(counting) < len(every) else ():
        if (first := counting[identity]) is not item:
            is_replaced = item.path.startswith(folder) and not first.path.startswith(folder)
            (replaced if is_replaced else second).append(item)
    return Counting(counting, second, replaced)


def of_people(tree: Tree) -> frozenset[Identity]:
    """Return identities that source documents describe, as opposed to observed documents."""
    counting = counting_of(tree).first
    last = {item.identity: item for item in tree.last_good.documents}
    folder = f"{tree.settings.observed}/"
    every = (last | counting).items()
    return frozenset(identity for identity, it in every if not it.path.startswith(folder))


def tidied(tree: Tree, changes: Iterable[FileChange]) -> tuple[FileChange, ...]:
    """Return the changes of a discovery, plus deletions of moved copies of the same documents.

    A moved copy would describe its object twice.

    Args:
        tree: The tree that was searched.
        changes: The changes of the observed folder, at canonical paths.
    """
    folder = tree.settings.observed
    found = {it.path: it for it in changes}
    there = [it for it in tree.sources if it.path.startswith(f"{folder}/")]
    strays = [
        source.path
        for source in there
        if source.path not in found
        and source.documents
        and not source.is_broken
        and all(path_of(folder, it.identity) in found for it in source.documents)
    ]
    # A moved file has nothing left at its original path to delete.
    names = {it.path for it in there}
    kept = [it for it in found.values() if it.data is not None or it.path in names]
    return tuple(sorted([*kept, *(FileChange(path, None) for path in strays)]))


def taken_over(tree: Tree) -> list[str]:
    """Return observed files that source documents replace, so they can be deleted.

    Files with a broken document are excluded, because their intended content is unknown.
    """
    folder = f"{tree.settings.observed}/"
    seen = [source for source in tree.sources if source.path.startswith(folder)]
    if not seen or tree.last_good.halted:
        return []
    counting = counting_of(tree)
    broken = {source.path for source in tree.sources if source.is_broken}
    there = {
        id(document)
        for document in counting.replaced
        if counting.first[document.identity].path not in broken
    }
    return [
        source.path
        for source in seen
        if not source.is_broken and all(id(document) in there for document in source.documents)
    ]


OWN_KINDS = (SETTINGS, OVERRIDE, DEMAND)
"""Kinds that belong to no family and have folders of their own."""
_LIKENESS = 0.8
# The role of each default folder. The folder of tenants holds two kinds.
_ROLES = {"pools": "pool", "providers": "provider", "teams": "team", "tenants": "", "clusters": ""}


def source_kinds(settings: Settings | None = None) -> Kinds:
    """Return all kinds that source folders can hold."""
    observed = (settings or Settings()).observed
    demand = f"{observed}/{DEMAND.name}.{DEMAND.id.group}/, where ipam reconcile alone writes"
    homes = {SETTINGS: SETTINGS_PATH, OVERRIDE: HOME, DEMAND: demand}
    homes_of = {(kind.api_version, kind.name): path for kind, path in homes.items()}
    return Kinds([*_of_families(), CLUSTER_TARGET], homes_of)


def _of_families() -> Iterator[Kind]:
    return (kind for family in families() for kind in family.kinds)


def observed_kinds() -> Kinds:
    """Return all kinds that the observed folder can hold."""
    kinds = [DEMAND, *_of_families()]
    homes = {SETTINGS: SETTINGS_PATH, OVERRIDE: HOME}
    return Kinds(kinds, {(kind.api_version, kind.name): path for kind, path in homes.items()})


@lru_cache(maxsize=16)
def source_reader(settings: Settings) -> Callable[[str, bytes], Loaded]:
    """Return a function that parses one source file from its path and bytes."""
    written = partial(load, kinds=source_kinds(settings), judge=partial(_judge, settings=settings))
    judged = partial(_judge_observed, settings=settings)
    seen = partial(load, kinds=observed_kinds(), judge=judged)
    return partial(_read, settings=settings, written=written, seen=seen)


def _read(
    path: str,
    data: bytes,
    settings: Settings,
    written: Callable[[str, bytes], Loaded],
    seen: Callable[[str, bytes], Loaded],
) -> Loaded:
    return (seen if is_observed(settings, path) else written)(path, data)


def _judge(document: Document, settings: Settings) -> list[Finding]:
    return [*misplaced(document, settings), *judge(document, settings)]


def _judge_observed(document: Document, settings: Settings) -> list[Finding]:
    found = judge_demand(document) if document.kind.id == DEMAND.id else judge(document, settings)
    return [*found, *odd(document, settings.observed)]


def misplaced(document: Document, settings: Settings) -> list[Finding]:
    """Return findings about a kind in the wrong folder.

    The finding is an error if Settings name the folder, else a warning.
    """
    folder, _, _ = document.path.rpartition("/")
    wrong = _wrong(folder, document.kind, settings.sources, settings.kinds)
    if wrong is None:
        return []
    say, where, hint = wrong
    place = document.at("kind")
    return [say("kind-in-wrong-folder", place, f"{document.title} is in {where}", hint)]


@lru_cache(maxsize=4_096)
def _wrong(
    folder: str,
    kind: Kind,
    sources: tuple[str, ...],
    kinds: tuple[tuple[str, tuple[str, ...]], ...],
) -> tuple[Callable[..., Finding], str, str] | None:
    """Return the finding type, location, and hint for a kind in the wrong folder."""
    named = [name for name, _ in kinds if within(folder, name)]
    if named:
        return _forbidden(max(named, key=len), kind.name, dict(kinds))  # the innermost folder
    source = max((name for name in sources if within(folder, name)), key=len, default="")
    role = role_of(kind)
    homes = [f"{name}/" for name in sources if _ROLES.get(name) == role]
    if _ROLES.get(source, role) == role or not homes:
        return None
    hint = f"move it to {article_list(homes)}; spec.kinds of Settings says what a folder holds"
    return warning, f"{source}/, where nobody looks for it", hint


def _forbidden(
    folder: str, kind: str, kinds: Mapping[str, tuple[str, ...]]
) -> tuple[Callable[..., Finding], str, str] | None:
    if kind in kinds[folder]:
        return None
    only = f"{article_list(kinds[folder], 'and')} only" if kinds[folder] else "nothing"
    homes = [f"{name}/" for name, allowed in kinds.items() if kind in allowed]
    hint = f"move it to {article_list(homes)}" if homes else "see spec.kinds of Settings"
    return error, f"{folder}/, which holds {only}", hint


def is_elsewhere(path: str, settings: Settings) -> bool:
    """Return whether a file outside the read folders has a name that `ipam` would read.

    Hidden folders belong to other programs.
    """
    folders = (*settings.folders, settings.records, OVERRIDES)
    is_ours = path == SETTINGS_PATH or any(within(path, folder) for folder in folders)
    return is_meant(path) and not is_ours and not f"/{path}".count("/.")


def is_suspect(path: str, data: bytes) -> bool:
    """Return whether a file might hold a document of a known kind, without parsing it."""
    del path
    return any(group in data for group in _groups())


@lru_cache(maxsize=1)
def _groups() -> tuple[bytes, ...]:
    return tuple(dict.fromkeys(kind.group.encode() for kind in _every_kind()))


@lru_cache(maxsize=1)
def _every_kind() -> dict[GroupKind, Kind]:
    return {kind.id: kind for kind in (*_of_families(), CLUSTER_TARGET, *OWN_KINDS)}


def elsewhere(path: str, data: bytes, settings: Settings) -> Finding | None:
    """Return the finding for a file outside the read folders that holds known kinds.

    Files that are not valid YAML are ignored.
    """
    lines: dict[Kind, int] = {}
    for kind, line in _held(data) if is_suspect(path, data) else ():
        lines.setdefault(kind, line)
    if not lines:
        return None
    names, folders = (
        join_limited([kind.name for kind in lines]),
        [f"{it}/" for it in settings.sources],
    )
    message = (
        f"it holds {names}, and counts for nothing: only what is in {join_limited(folders)} is read"
    )
    kind, line = next(iter(lines.items()))
    return warning("file-not-read", Location(path, line, 1), message, _way_in(path, kind, settings))


def _held(data: bytes) -> Iterator[tuple[Kind, int]]:
    """Return the known kinds of the readable documents, each with its line."""
    for parsed in yaml.read(data).documents:
        body = parsed.value if isinstance(parsed.value, dict) else {}
        version, name = body.get("apiVersion"), body.get("kind")
        if isinstance(version, str) and isinstance(name, str):
            kind = _every_kind().get(GroupKind(version.rpartition("/")[0], name))
            if kind is not None:
                yield kind, parsed.line


def _way_in(path: str, kind: Kind, settings: Settings) -> str:
    """Return the hint that names the folder where a document would be read.

    The folder has a similar name, or is the folder of its kind.
    """
    own = source_kinds(settings).elsewhere.get((kind.api_version, kind.name))
    if own is not None:
        return f"move it to {own}"
    parts = path.lower().split("/")[:-1]
    near = (nearest(part, settings.sources, _LIKENESS) for part in parts)
    if meant := next(filter(None, near), ""):
        is_so = meant in parts
        return f"move it to {meant}/ at the top" if is_so else f"did you mean {meant}/?"
    homes = [f"{it}/" for it in settings.sources if _ROLES.get(it) == role_of(kind)]
    named = "spec.sources of Settings names the folders"
    return f"move it to {article_list(homes)}; {named}" if homes else named


def schema_files() -> dict[str, str]:
    """Return the schema of each source kind, by kind.

    Names that two kinds or versions share are followed by version and group, as in kubectl:
    `Kind.v1.example.org`.
    """
    kinds = [*_of_families(), CLUSTER_TARGET, *OWN_KINDS]
    names = [kind.name for kind in kinds]
    found = {
        kind.name if names.count(kind.name) == 1 else _told_apart(kind): kind.schema
        for kind in kinds
    }
    return dict(sorted(found.items()))


def _told_apart(kind: Kind) -> str:
    _, _, version = kind.api_version.rpartition("/")
    return f"{kind.name}.{version}.{kind.id.group}"


T = TypeVar("T")


class FileReader(Struct, frozen=True):
    """Parser of a revision's files, by path and bytes.

    Attributes:
        settings: Settings that name the folders.
    """

    source: Source
    settings: Settings
    read_source: Callable[[str, bytes], Loaded]
    read_record: Callable[[str, bytes], Recalled]

    def sources(self, entries: Sequence[Entry]) -> list[Loaded]:
        """Parse source files."""
        return _parsed(self.source, entries, self.settings, self.read_source)

    def recalled(self, entries: Sequence[Entry]) -> list[Recalled]:
        """Parse record files."""
        return _parsed(self.source, entries, self.records, self.read_record)

    def forget_others(self, sources: Sequence[Entry], records: Sequence[Entry]) -> None:
        """Drop cached files of earlier revisions once they outnumber the files of this one."""
        for how, entries in ((self.settings, sources), (self.records, records)):
            known = self.source.parsed.get(how, {})
            if len(known) > 2 * len(entries) + 1_000:
                keys = ((entry.path, entry.oid) for entry in entries if entry.oid)
                self.source.parsed[how] = {key: known[key] for key in keys}

    @property
    def folders(self) -> Sequence[str]:
        """The folders of documents."""
        return self.settings.folders

    @property
    def records(self) -> str:
        """The records folder."""
        return self.settings.records

    def is_record(self, path: str) -> bool:
        """Return whether a path is a record, or is at the path of the records folder."""
        return path.startswith(f"{self.records}/") or f"{self.records}/".startswith(f"{path}/")

    def is_written(self, path: str) -> bool:
        """Return whether a path is a file that only reconcile writes."""
        return self.is_record(path) or is_observed(self.settings, path)

    def is_read(self, path: str) -> bool:
        """Return whether a path is below a folder that `ipam` reads."""
        return path.startswith(tuple(f"{folder}/" for folder in [*self.folders, self.records]))


def reader_of(source: Source, settings: Settings) -> FileReader:
    """Return the file parser for a source."""
    read_record = partial(_record, settings.records)
    read_source = partial(_source, source_reader(settings))
    return FileReader(source, settings, read_source, read_record)


def _parsed(
    source: Source, entries: Sequence[Entry], how: Hashable, work: Callable[[str, bytes], T]
) -> list[T]:
    """Return parsed files, each parsed once.

    Files of a work tree have no id and are parsed every time.
    """
    known = source.parsed.setdefault(how, {})
    missing = [it for it in entries if not it.oid or (it.path, it.oid) not in known]
    new = zip(missing, source.each(missing, work), strict=True) if missing else ()
    fresh = {(entry.path, entry.oid): item for entry, item in new}
    known.update((key, item) for key, item in fresh.items() if key[1])
    keys = ((entry.path, entry.oid) for entry in entries)
    return [fresh[key] if key in fresh else known[key] for key in keys]


def _source(read: Callable[[str, bytes], Loaded], path: str, data: bytes) -> Loaded:
    """Parse a source file and check its name."""
    if not is_yaml(path):
        return Loaded(path, (), (unread(path),))
    loaded = read(path, data)
    odd = (*unfit(path), *reserved(loaded.documents))
    return replace(loaded, findings=(*loaded.findings, *odd)) if odd else loaded


def _record(folder: str, path: str, data: bytes) -> Recalled:
    """Parse a record and check its name."""
    if not is_yaml(path):
        return Recalled(None, findings=(unread(path),))
    recalled = parse_record(folder, path, data)
    odd = unfit(path)
    return replace(recalled, findings=(*recalled.findings, *odd)) if odd else recalled


def split(entries: Sequence[Entry], settings: Settings) -> tuple[list[Entry], list[Entry]]:
    """Split the files of the folders in Settings into source files and record files.

    Files that only look like source or record files are included, so that findings can report them.
    """
    folder = f"{settings.records}/"
    read = [entry for entry in entries if is_yaml(entry.path) or is_meant(entry.path)]
    return (
        [entry for entry in read if not entry.path.startswith(folder)],
        [entry for entry in read if entry.path.startswith(folder)],
    )
