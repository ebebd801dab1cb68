"""Parsed files for the next process: records, and documents of files without findings."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from itertools import repeat
from operator import attrgetter
from sys import intern
from typing import Any

from msgspec import Raw
from msgspec.msgpack import decode, encode
from msgspec.structs import astuple

from reconciler.addresses import IPRange
from reconciler.documents.document import Document
from reconciler.documents.load import Loaded
from reconciler.documents.yaml import lean
from reconciler.gitio.interface import Entry
from reconciler.model.claim import Allocation, Owner, Phase
from reconciler.model.key import Key
from reconciler.planning.documents import FileReader, observed_kinds, source_kinds
from reconciler.records.parse import Recalled

MIN_FILES = 1_000
"""The least number of files for which the cache is used."""
_NEW = 0.03  # the share of new files above which the cache is written again
_row = attrgetter("kind.api_version", "kind.name", "index", "line", "namespace", "name", "span")
_FIELDS = (
    *(f"{key}.{field}" for key in ("claim", "pool") for field in Key.__struct_fields__),
    "owner.namespace", "owner.name", "owner.team", "range.version", "phase", "since",
    "allocated_at", "pinned", "type", "role", "name", "namespace", "pristine", "adopted", "announced",
)  # fmt: skip


def read_files(
    reader: FileReader, sources: Sequence[Entry], records: Sequence[Entry]
) -> tuple[list[Loaded], list[Recalled]]:
    """Parse source files and records, except for those that an earlier process parsed."""
    entries, settings, parsed = [*sources, *records], reader.settings, reader.source.parsed
    if len(entries) < MIN_FILES or not all(it.oid for it in entries) or not (file := parsed.kept):
        return reader.sources(sources), reader.recalled(records)
    parsed.kept, known = None, set[Entry]()
    if data := file.read():
        of, *packed = decode(data, type=tuple[str, Raw, Raw])
        for how, unpack in ((settings, _unpack_files), (settings.records, _unpack_records)):
            found = dict(unpack(packed.pop(0))) if of == repr(settings) else {}
            parsed.setdefault(how, {}).update(found)
            known |= found.keys()
    del data
    loaded, recalled = reader.sources(sources), reader.recalled(records)
    every: Any = zip(entries, (*loaded, *recalled), strict=True)
    if sum(it not in known and not found.findings for it, found in every) > _NEW * len(entries):
        files = list(_pack_files(zip(sources, loaded, strict=True)))
        rows = _pack_records(zip(records, recalled, strict=True))
        file.write(encode((repr(settings), files, rows)))
    return loaded, recalled


def _pack_files(files: Iterable[tuple[Entry, Loaded]]) -> Iterator[tuple[object, ...]]:
    for entry, found in files:
        bodies = [it.body for it in found.documents]
        with suppress(ValueError, TypeError, OverflowError):
            # A value that is written as another one, such as a Decimal as a text, is left out.
            if not found.findings and decode(packed := encode(bodies)) == bodies:
                rows = list(map(_row, found.documents))
                yield *astuple(entry), found.documents[0].data, Raw(packed), rows


def _unpack_files(packed: Raw) -> Iterator[tuple[Entry, Loaded]]:
    written, observed = source_kinds(), observed_kinds()
    for path, mode, oid, data, bodies, rows in map(decode, decode(packed, type=list[Raw])):
        documents = list[Document]()
        for body, (version, kind, index, line, *names, span) in zip(bodies, rows, strict=True):
            of: Any = written.find(version, kind) or observed.find(version, kind)
            namespace, name = map(intern, names)
            place = path, index, line, of, namespace, name
            documents.append(Document(*place, lean(body), data, span=tuple(span)))
        yield Entry(path, mode, oid), Loaded(path, tuple(documents), ())


def _pack_records(records: Iterable[tuple[Entry, Recalled]]) -> list[object]:
    every = {entry: it.allocation for entry, it in records if not it.findings}
    kept: dict[Entry, Any] = {entry: it for entry, it in every.items() if it and it.range}
    columns: list[Iterable[object]] = [map(attrgetter(it), kept) for it in Entry.__struct_fields__]
    columns += (map(attrgetter(field), kept.values()) for field in _FIELDS)
    columns.append(hex(it.range.first) for it in kept.values())
    columns.append(hex(it.range.last) for it in kept.values())
    return [_numbered(column) for column in columns]


def _numbered(column: Iterable[object]) -> tuple[list[object], list[int]]:
    """Return each distinct value once, and the place of each value among these."""
    places: dict[object, int] = {}
    numbers = [places.setdefault(it, len(places)) for it in column]
    return list(places), numbers


def _unpack_records(packed: Raw) -> Iterator[tuple[Entry, Recalled]]:
    columns = [list(map(values.__getitem__, places)) for values, places in decode(packed)]
    paths, modes, oids, *keys, first, last = columns
    *owner, version, phase, since, at, pinned, kind, role, name, namespace = keys[10:-3]
    ranges = list(map(IPRange, version, *([int(it, 16) for it in ends] for ends in (first, last))))
    found = map(
        Allocation,
        *(map(Key, *keys[:5]), map(cache(Key), *keys[5:10]), ranges, map(cache(Phase), phase)),
        *(since, at, [it.size for it in ranges], pinned, kind, role, map(cache(Owner), *owner)),
        *(name, namespace, repeat(""), repeat(""), paths, *keys[-3:]),
    )
    return zip(map(Entry, paths, modes, oids), map(Recalled, found), strict=True)
