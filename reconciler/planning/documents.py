"""Files and effective documents of a revision."""

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from types import MappingProxyType
from typing import NamedTuple, TypeVar

from msgspec import Struct, field

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
from reconciler.documents.load import Kinds, Loaded, is_meant, load, unread
from reconciler.documents.text import is_yaml
from reconciler.families import families, judge, role_of
from reconciler.families.demand import DEMAND, demand_document, entries_of, judge_demand
from reconciler.families.plain.kinds import GROUP
from reconciler.gitio.interface import Entry, Source
from reconciler.model.change import FileChange
from reconciler.model.key import shortened
from reconciler.model.pool import Contract
from reconciler.model.settings import OVERRIDES, Limits, Overrides, Settings
from reconciler.model.settings import PATH as SETTINGS_PATH
from reconciler.planning.settings import HOME, OVERRIDE, SETTINGS, within
from reconciler.records.parse import Recalled, parse_record


class LastGood(Struct, frozen=True):
    """Last readable versions of broken files (docs/reference/planning.md).

    Attributes:
        documents: `unread` names the broken file now at their path.
        originals: The effective file for each object that several files describe.
        halted: The file that prevents all grants, releases, and expiries, or empty.
    """

    files: tuple[str, ...] = ()
    documents: tuple[Document, ...] = ()
    originals: Mapping[Identity, str] = field(default_factory=dict)
    halted: str = ""
    findings: tuple[Finding, ...] = ()


class Tree(Struct, frozen=True):
    """One revision, parsed: its Settings, source files, and records.

    Attributes:
        clock: The newest committer date that is not in the future, in seconds since 1970.
        findings: Problems of the tree itself, such as a symlink among the sources.
        retained: Paths of released records that a cluster might announce, with the reason if known.
        left: Paths of records that claims moved away from, with the reason if still announced.
        contracts: Contracts of the base of a change, checked in addition to the tree's own.
        clock_ahead: The committer date if it is in the future; nothing expires then.
        spare: The files and bytes that the read limits still allow.
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
    spare: Limits = Limits()

    @property
    def held_back(self) -> dict[str, str]:
        """Return released records that a cluster still uses, with the reason."""
        return {path: why for path, why in self.retained.items() if why}


def path_of(folder: str, identity: Identity) -> str:
    """Return the path of a document: `<folder>/<Kind>.<group>/<namespace or _>/<name>.yaml`."""
    group, kind, namespace, name = identity
    return f"{folder}/{kind}.{group}/{namespace or '_'}/{shortened(name, 250)}.yaml"


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


def _edited(document: Document, folder: str) -> Iterator[Finding]:
    path = path_of(folder, document.identity)
    if document.kind.id == DEMAND.id:
        expected = demand_document(document.namespace, document.name, entries_of(document))
    else:
        namespace = {"namespace": document.namespace} if document.namespace else {}
        metadata = {**document.metadata, **namespace}
        expected = yaml.dump({**document.body, "metadata": metadata}).encode()
    if document.path != path or document.data != expected:
        message = f"{document.title} is not in the form that ipam reconcile writes"
        if document.path != path:
            message = f"{document.title} belongs in {path}"
        hint = "revert the change: only ipam reconcile writes this file"
        yield warning("observed-edited", document.at(), message, hint)


class EffectiveDocuments(NamedTuple):
    """The effective document of each object, duplicates, and replaced observed documents."""

    first: dict[Identity, Document]
    second: list[Document]
    replaced: list[Document]


def effective_documents(tree: Tree) -> EffectiveDocuments:
    """Return the effective documents. Within one file, the first one of an object is effective."""
    originals, folder = tree.last_good.originals, f"{tree.settings.observed}/"
    files = sorted(tree.sources, key=lambda it: it.path.startswith(folder))
    every = [(item.identity, item) for source in files for item in source.documents]
    first: dict[Identity, Document] = {}
    for identity, document in every:
        if originals.get(identity, document.path) == document.path:
            first.setdefault(identity, document)
    second: list[Document] = []
    replaced: list[Document] = []
    for identity, item in every if len(first) < len(every) else ():
        if (other := first[identity]) is not item:
            is_replaced = item.path.startswith(folder) and not other.path.startswith(folder)
            (replaced if is_replaced else second).append(item)
    return EffectiveDocuments(first, second, replaced)


def of_people(tree: Tree) -> frozenset[Identity]:
    """Return identities that source documents describe, as opposed to observed documents."""
    last = {item.identity: item for item in tree.last_good.documents}
    every = (last | effective_documents(tree).first).items()
    return frozenset(key for key, it in every if not is_observed(tree.settings, it.path))


def tidied(tree: Tree, changes: Iterable[FileChange]) -> tuple[FileChange, ...]:
    """Return the changes of a discovery, plus deletions of moved copies of the same documents."""
    folder = tree.settings.observed
    found = {it.path: it for it in changes}
    there = [it for it in tree.sources if is_observed(tree.settings, it.path)]
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
    """Return observed files that source documents replace, except for broken files."""
    seen = [source for source in tree.sources if is_observed(tree.settings, source.path)]
    if not seen or tree.last_good.halted:
        return []
    first, _, replaced = effective_documents(tree)
    broken = {source.path for source in tree.sources if source.is_broken}
    gone = {id(it) for it in replaced if first[it.identity].path not in broken}
    return [
        source.path
        for source in seen
        if not source.is_broken and all(id(document) in gone for document in source.documents)
    ]


OWN_KINDS = (SETTINGS, OVERRIDE, DEMAND)
"""Kinds that belong to no family and have folders of their own."""
_LIKENESS = 0.8
# The role of each default folder. Folders of an empty role hold several kinds.
_ROLES = {"pools": "pool", "providers": "provider", "teams": "team"}
_ROLES |= dict.fromkeys(("tenants", "clusters", "claims"), "")


def source_kinds(settings: Settings | None = None) -> Kinds:
    """Return all kinds that source folders can hold."""
    observed = (settings or Settings()).observed
    demand = f"{observed}/{DEMAND.name}.{DEMAND.id.group}/, which only ipam reconcile writes"
    # The first kind is the example in hints.
    return _kinds(sorted(_of_families(), key=lambda it: it.id.group != GROUP), {DEMAND: demand})


def observed_kinds() -> Kinds:
    """Return all kinds that the observed folder can hold."""
    return _kinds([DEMAND, *_of_families()])


def _kinds(kinds: Iterable[Kind], elsewhere: Mapping[Kind, str] = MappingProxyType({})) -> Kinds:
    homes = {SETTINGS: SETTINGS_PATH, OVERRIDE: HOME, **elsewhere}
    return Kinds([*kinds], {(kind.api_version, kind.name): path for kind, path in homes.items()})


def _of_families() -> Iterator[Kind]:
    return (kind for family in families() for kind in family.kinds)


@lru_cache(maxsize=16)
def source_reader(settings: Settings) -> Callable[[str, bytes], Loaded]:
    """Return a function that parses one source file from its path and bytes."""

    def judge_written(document: Document) -> list[Finding]:
        return [*misplaced(document, settings), *judge(document, settings)]

    def judge_observed(document: Document) -> list[Finding]:
        is_demand = document.kind.id == DEMAND.id
        found = judge_demand(document) if is_demand else judge(document, settings)
        return [*found, *_edited(document, settings.observed)]

    written, observed = source_kinds(settings), observed_kinds()

    def read(path: str, data: bytes) -> Loaded:
        if is_observed(settings, path):
            return load(path, data, observed, judge_observed)
        return load(path, data, written, judge_written)

    return read


def misplaced(document: Document, settings: Settings) -> list[Finding]:
    """Return the finding about a kind in the wrong folder: an error if Settings name the folder."""
    folder, _, _ = document.path.rpartition("/")
    wrong = _wrong_folder(folder, document.kind, settings.sources, settings.kinds)
    if wrong is None:
        return []
    say, where, hint = wrong
    message = f"{document.title} is {where}"
    return [say("kind-in-wrong-folder", document.at("kind"), message, hint)]


@lru_cache(maxsize=4_096)
def _wrong_folder(
    folder: str,
    kind: Kind,
    sources: tuple[str, ...],
    kinds: tuple[tuple[str, tuple[str, ...]], ...],
) -> tuple[Callable[..., Finding], str, str] | None:
    if named := [name for name, _ in kinds if within(folder, name)]:
        innermost, allowed = max(named, key=len), dict(kinds)
        if kind.name in allowed[innermost]:
            return None
        only = article_list(allowed[innermost], "and") or "nothing"
        homes = [f"{name}/" for name, names in kinds if kind.name in names]
        hint = (
            f"move it to {article_list(homes)}"
            if homes
            else "add the kind to spec.kinds of Settings"
        )
        return error, f"not allowed in {innermost}/ (allowed: {only})", hint
    source = max((name for name in sources if within(folder, name)), key=len, default="")
    role = role_of(kind)
    homes = [f"{name}/" for name in sources if _ROLES.get(name) == role]
    if _ROLES.get(source, role) == role or not homes:
        return None
    hint = f"move it to {article_list(homes)}, or list the kind in spec.kinds of Settings"
    return warning, f"in {source}/, a folder for other kinds", hint


def is_elsewhere(path: str, settings: Settings) -> bool:
    """Return whether a file outside the read folders and hidden ones has a name of read files."""
    folders = (*settings.folders, settings.records, OVERRIDES)
    is_ours = path == SETTINGS_PATH or any(within(path, folder) for folder in folders)
    return is_meant(path) and not is_ours and not f"/{path}".count("/.")


def is_suspect(path: str, data: bytes) -> bool:
    """Return whether a file might hold a document of a known kind, without parsing it."""
    del path
    return any(kind.group.encode() in data for kind in _every_kind())


@lru_cache(maxsize=1)
def _every_kind() -> dict[GroupKind, Kind]:
    return {kind.id: kind for kind in (*_of_families(), *OWN_KINDS)}


def elsewhere(path: str, data: bytes, settings: Settings) -> Finding | None:
    """Return the finding for a valid file outside the read folders that holds known kinds."""
    lines: dict[Kind, int] = {}
    for parsed in yaml.read(data).documents if is_suspect(path, data) else ():
        body = parsed.value if isinstance(parsed.value, dict) else {}
        version, name = body.get("apiVersion"), body.get("kind")
        if isinstance(version, str) and isinstance(name, str):
            kind = _every_kind().get(GroupKind(version.rpartition("/")[0], name))
            if kind is not None:
                lines.setdefault(kind, parsed.line)
    if not lines:
        return None
    names = join_limited([kind.name for kind in lines])
    folders = join_limited([f"{it}/" for it in settings.sources])
    message = f"{names} outside the source folders is ignored (source folders: {folders})"
    kind, line = next(iter(lines.items()))
    return warning("file-not-read", Location(path, line, 1), message, _way_in(path, kind, settings))


def _way_in(path: str, kind: Kind, settings: Settings) -> str:
    own = source_kinds(settings).elsewhere.get((kind.api_version, kind.name))
    if own is not None:
        return f"move it to {own}"
    parts = path.lower().split("/")[:-1]
    near = (nearest(part, settings.sources, _LIKENESS) for part in parts)
    if meant := next(filter(None, near), ""):
        is_so = meant in parts
        return f"move it to {meant}/ at the root" if is_so else f"did you mean {meant}/?"
    homes = [f"{it}/" for it in settings.sources if _ROLES.get(it) == role_of(kind)]
    named = "list its folder in spec.sources of Settings"
    return f"move it to {article_list(homes)}, or {named}" if homes else named


def every_kind() -> list[Kind]:
    """Return all documented kinds."""
    return [*_of_families(), *OWN_KINDS]


def schema_files(kinds: Sequence[Kind] | None = None) -> dict[str, str]:
    """Return the schemas of some or all kinds, by name, or by `Kind.v1.example.org`."""
    kinds = every_kind() if kinds is None else kinds
    names = [kind.name for kind in kinds]
    found = {}
    for kind in kinds:
        version = kind.api_version.rpartition("/")[2]
        is_unique = names.count(kind.name) == 1
        name = kind.name if is_unique else f"{kind.name}.{version}.{kind.id.group}"
        found[name] = kind.schema
    return dict(sorted(found.items()))


T = TypeVar("T")


class FileReader(Struct, frozen=True):
    """Parser of a revision's files, by path and bytes. Settings name the folders."""

    source: Source
    settings: Settings
    read_source: Callable[[str, bytes], Loaded]
    read_record: Callable[[str, bytes], Recalled]

    def sources(self, entries: Sequence[Entry]) -> list[Loaded]:
        """Parse source files."""
        return parsed_files(self.source, entries, self.settings, self.read_source)

    def recalled(self, entries: Sequence[Entry]) -> list[Recalled]:
        """Parse record files."""
        return parsed_files(self.source, entries, self.settings.records, self.read_record)

    def forget_others(self, sources: Sequence[Entry], records: Sequence[Entry]) -> None:
        """Drop cached files of earlier revisions once they outnumber the files of this one."""
        for how, entries in ((self.settings, sources), (self.settings.records, records)):
            known = self.source.parsed.get(how, {})
            if len(known) > 2 * len(entries) + 1_000:
                self.source.parsed[how] = {it: known[it] for it in entries if it.oid}

    def is_written(self, path: str) -> bool:
        """Return whether only reconcile writes a file, or the file is where its folders are."""
        records = f"{self.settings.records}/"
        is_record = path.startswith(records) or records.startswith(f"{path}/")
        return is_record or is_observed(self.settings, path)

    def is_read(self, path: str) -> bool:
        """Return whether a path is below a folder that `ipam` reads."""
        folders = (*self.settings.folders, self.settings.records)
        return path.startswith(tuple(f"{folder}/" for folder in folders))


def reader_of(source: Source, settings: Settings) -> FileReader:
    """Return the file parser for a source. Files that only look like YAML files are reported."""
    read = source_reader(settings)

    def read_source(path: str, data: bytes) -> Loaded:
        return read(path, data) if is_yaml(path) else Loaded(path, (), (unread(path),))

    def read_record(path: str, data: bytes) -> Recalled:
        if not is_yaml(path):
            return Recalled(None, findings=(unread(path),))
        return parse_record(settings.records, path, data)

    return FileReader(source, settings, read_source, read_record)


def parsed_files(
    source: Source, entries: Sequence[Entry], how: Hashable, work: Callable[[str, bytes], T]
) -> list[T]:
    """Return the results of `work` for files. A process calls it once for each file and `how`."""
    known = source.parsed.setdefault(how, {})
    missing = [entry for entry in entries if not entry.oid or entry not in known]
    fresh = dict(zip(missing, source.each(missing, work), strict=True)) if missing else {}
    known.update((entry, item) for entry, item in fresh.items() if entry.oid)
    return [fresh[entry] if entry in fresh else known[entry] for entry in entries]


def split(entries: Sequence[Entry], settings: Settings) -> tuple[list[Entry], list[Entry]]:
    """Split files into source files and record files, with files that only look like these."""
    read = [entry for entry in entries if is_meant(entry.path)]
    is_record = [entry.path.startswith(f"{settings.records}/") for entry in read]
    sources = [entry for entry, it in zip(read, is_record, strict=True) if not it]
    return sources, [entry for entry, it in zip(read, is_record, strict=True) if it]
