"""Inventories and snapshots of clusters."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from enum import Enum
from hashlib import sha256
from typing import Any, NamedTuple

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.apply.memory import (
    HALF,
    NAME,
    ClusterStatus,
    Enrolled,
    is_line,
    join_statuses,
    line_bytes,
    lines_of,
    part_name,
    part_number,
    revision_of,
    uid_of,
)
from reconciler.kube.resources import NO_BODY, parse_ref, ref_of
from reconciler.model.objects import Manifest, Ref, Resource, owned_labels

PART_LABEL = "gitops-ipam.dev/inventory"
WHOLE = 900 * 1024
"""Bytes of a ConfigMap that are used. The server's limit is 1 MiB."""

_TENANT = 1024 * 1024
"""Characters for the objects of a tenant cluster. Each needs about 100."""

_MIN_INVENTORY = 64 * 1024
_MAX_PARTS = 512
_ORPHAN = "orphan-since-"
_LONGEST_TIME = 15
_LONGEST_LINE = 1_024
_WORDS = 3


class InventoryEntry(NamedTuple):
    """An object that `ipam` created, or a foreign object whose status it writes.

    Attributes:
        hash: The hash of the last applied content.
    """

    uid: str
    hash: str

    @property
    def is_status_only(self) -> bool:
        """Return whether only the status of the object belongs to `ipam`."""
        return self.hash.partition(".")[0] == NO_BODY

    @property
    def orphan_since(self) -> int | None:
        """Return when an orphan was first seen, or None."""
        text = self.hash.removeprefix(_ORPHAN)
        is_time = text != self.hash and text.isdecimal() and len(text) <= _LONGEST_TIME
        return int(text) if is_time else None


def orphan(uid: str, now: int) -> InventoryEntry:
    """Return the entry of an object with the label of `ipam` that no run remembers."""
    return InventoryEntry(uid, f"{_ORPHAN}{now}")


class Inventory(Struct, frozen=True):
    """The inventory of one cluster.

    Attributes:
        uid: The identity of the cluster; empty at first contact.
        objects: Entries by `str(ref)`.
        clusters: The registry of other clusters by name; in the management cluster only.
        damaged: Lines that cannot be parsed. They and their objects are left unchanged.
        odd: Errors in registry lines, by cluster name. Nothing is applied to these clusters.
        root: The folder of the repository that the revision was applied from; empty for the top.
    """

    uid: str = ""
    revision: str = ""
    objects: Mapping[str, InventoryEntry] = field(default_factory=dict)
    clusters: Mapping[str, Enrolled] = field(default_factory=dict)
    damaged: tuple[str, ...] = ()
    odd: Mapping[str, str] = field(default_factory=dict)
    root: str = ""


def read_inventory(config_maps: Iterable[Manifest], *, remembers: bool = True) -> Inventory:
    """Parse the inventory in ConfigMaps; other ConfigMaps are ignored.

    Args:
        config_maps: All ConfigMaps.
        remembers: Parse the registry of clusters. It is not parsed for tenants, which can write
            anything.

    Raises:
        ValueError: The identity or revision cannot be parsed, or the inventory is too large.
    """
    parts = data_of(config_maps)
    if not remembers:
        size = sum(len(data.get("objects", "")) for data in parts.values())
        if size > _TENANT:
            raise ValueError(f"it lists objects in {size} characters, limit {_TENANT}")
    first = parts.get(NAME, {})
    uid, revision = first.get("uid", ""), revision_of(first.get("revision", ""))
    lines = [line for data in parts.values() for line in data.get("objects", "").splitlines()]
    read = {line: _entry(line) for line in lines}
    clusters: dict[str, ClusterStatus] = {}
    for part, data in parts.items() if remembers else ():
        for line in lines_of(part, data):
            known = clusters.get(line.name)
            clusters[line.name] = line if known is None else join_statuses(known, line)
    return Inventory(
        uid and uid_of(uid),
        revision,
        dict(entry for entry in read.values() if entry is not None),
        {name: line.enrolled for name, line in clusters.items()},
        tuple(line for line, entry in read.items() if entry is None),
        {name: line.wrong[0] for name, line in clusters.items() if line.wrong},
        first.get("root", ""),
    )


def data_of(config_maps: Iterable[Manifest]) -> dict[str, Mapping[str, str]]:
    """Return the data of the inventory's ConfigMaps by name, in numerical order."""
    found = {item["metadata"]["name"]: item.get("data") or {} for item in config_maps}
    numbers = {name: number for name in found if (number := part_number(name)) is not None}
    return {name: found[name] for name in sorted(numbers, key=numbers.__getitem__)}


def _entry(line: str) -> tuple[str, InventoryEntry] | None:
    """Return an object and its entry, or None for an unknown line."""
    words = line.split(" ") if len(line) <= _LONGEST_LINE else []
    if len(words) != _WORDS:
        return None
    name, uid, hash_of = words
    try:
        parse_ref(name)
    except (KeyError, ValueError):
        return None
    return name, InventoryEntry(uid, hash_of)


def config_maps(
    inventory: Inventory, namespace: str, there: Mapping[str, Mapping[str, str]] | None = None
) -> list[Manifest]:
    """Return the ConfigMaps of an inventory, without the registry of clusters.

    Args:
        inventory: The inventory.
        namespace: The namespace of the ConfigMaps.
        there: The data of existing ConfigMaps, by name, whose registry lines take space.
    """
    # The end mark keeps a damaged line that is a bare object name from parsing as an entry.
    lines = {f"{line}\n": f"{line}\n" for line in inventory.damaged}
    for name, entry in sorted(inventory.objects.items()):
        lines[name] = f"{name} {entry.uid} {entry.hash}\n"
    taken = {part_number(name): line_bytes(data) for name, data in (there or {}).items()}
    # Older versions stored all clusters in the first ConfigMap; their lines move out one by one.
    rooms = [max(WHOLE - max(HALF, taken.get(at, 0)), _MIN_INVENTORY) for at in range(_MAX_PARTS)]
    texts = _divided(lines, rooms)
    first = {"uid": inventory.uid, "revision": inventory.revision}
    if inventory.root or "root" in (there or {}).get(NAME, {}):
        first["root"] = inventory.root
    return [
        part_manifest(part_name(number), namespace, {**({} if number else first), "objects": text})
        for number, text in enumerate(texts)
    ]


def part_manifest(name: str, namespace: str, data: Mapping[str, str]) -> Manifest:
    """Return one of the ConfigMaps of an inventory."""
    labels = {**owned_labels(), PART_LABEL: "true"}
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": dict(data)}


def _divided(lines: Mapping[str, str], rooms: Sequence[int]) -> list[str]:
    """Distribute lines over as few parts as possible; doubles the number if a part is full."""
    number = 1
    while True:
        parts: list[list[str]] = [[] for _ in range(number)]
        for name, line in lines.items():
            parts[_part(name, number)].append(line)
        texts = ["".join(part) for part in parts]
        does = all(len(text.encode()) <= room for text, room in zip(texts, rooms, strict=False))
        if does or number >= len(rooms):
            return texts
        number *= 2


def stale_parts(
    there: Mapping[str, Mapping[str, str]], wanted: Iterable[Manifest]
) -> Iterator[tuple[str, bool]]:
    """Return ConfigMaps that no object needs any more, and whether they have registry lines."""
    needed = [item["metadata"]["name"] for item in wanted]
    for name, data in there.items():
        if name not in needed:
            yield name, any(map(is_line, data))


def _part(name: str, count: int) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:4], "big") % count


_NO_ITEMS: tuple[Any, ...] = ()


class Live(Struct, frozen=True):
    """A validated object of a cluster.

    Attributes:
        manifest: The complete object.
    """

    ref: Ref
    manifest: Manifest

    @property
    def metadata(self) -> Mapping[str, Any]:
        """Return the metadata."""
        metadata: Mapping[str, Any] = self.manifest["metadata"]
        return metadata

    @property
    def uid(self) -> str:
        """Return the uid."""
        uid: str = self.metadata["uid"]
        return uid

    @property
    def version(self) -> str:
        """Return the resourceVersion."""
        version: str = self.metadata["resourceVersion"]
        return version

    @property
    def generation(self) -> int:
        """Return the generation, or 1 if the server does not set it."""
        generation: int = self.metadata.get("generation", 1)
        return generation

    @property
    def labels(self) -> Mapping[str, str]:
        """Return the labels."""
        return self.metadata.get("labels") or {}

    @property
    def annotations(self) -> Mapping[str, str]:
        """Return the annotations."""
        return self.metadata.get("annotations") or {}

    @property
    def finalizers(self) -> tuple[str, ...]:
        """Return the finalizers."""
        return tuple(self.metadata.get("finalizers") or _NO_ITEMS)

    @property
    def dying_since(self) -> str:
        """Return the deletion time; empty if the object is not being deleted."""
        since: str = self.metadata.get("deletionTimestamp") or ""
        return since

    @property
    def managers(self) -> tuple[str, ...]:
        """Return the managedFields."""
        entries = self.metadata.get("managedFields") or _NO_ITEMS
        return tuple(entry.get("manager", "") for entry in entries)

    @property
    def spec(self) -> Mapping[str, Any]:
        """Return the spec, or an empty mapping."""
        return self.manifest.get("spec") or {}

    @property
    def status(self) -> Mapping[str, Any]:
        """Return the status, or an empty mapping."""
        return self.manifest.get("status") or {}

    @property
    def phase(self) -> str | None:
        """Return the phase of the status, or an empty string."""
        return self.status.get("phase")


def live_of(manifest: Manifest) -> Live:
    """Return an object that has apiVersion and kind."""
    return Live(ref_of(manifest), manifest)


InventoryObjects = Mapping[Ref, Live]


def objects_of(manifests: Iterable[Manifest], resource: Resource) -> dict[Ref, Live]:
    """Return the objects of a list by reference. Items can lack their kind."""
    kind = {"apiVersion": resource.api_version, "kind": resource.kind}
    found = [live_of({**manifest, **kind}) for manifest in manifests]
    return {live.ref: live for live in found}


class Tolerates(Enum):
    """The failures of a query that do not stop the work on the cluster."""

    NOTHING = "nothing"
    DENIAL = "denial"  # no permission
    REFUSAL = "refusal"  # any failure except an unreachable cluster


class Query(NamedTuple):
    """A query: all objects of a kind, all in a namespace, or one object.

    Attributes:
        name: The name of the object; empty for a list.
        fields: A field selector.
    """

    resource: Resource
    namespace: str = ""
    name: str = ""
    fields: str = ""
    tolerates: Tolerates = Tolerates.NOTHING


class ClusterAnswer(Struct, frozen=True):
    """The answer to a query.

    Attributes:
        problem: A tolerated failure; empty if the query succeeded.
        is_unknown: The cluster does not know the kind.
    """

    objects: InventoryObjects = field(default_factory=dict)
    problem: str = ""
    is_unknown: bool = False


class Unanswered(Exception):  # noqa: N818 - nothing failed: something is asked
    """The snapshot lacks answers that the plan needs."""

    def __init__(self, queries: tuple[Query, ...]) -> None:
        super().__init__(*queries)
        self.queries = queries


class Snapshot(Struct, frozen=True):
    """The answers of a cluster so far.

    Attributes:
        now: The server's clock in seconds since 1970.
    """

    answers: Mapping[Query, ClusterAnswer] = field(default_factory=dict)
    now: int = 0

    def need(self, *queries: Query) -> tuple[ClusterAnswer, ...]:
        """Return the answers to queries.

        Raises:
            Unanswered: An answer is missing.
        """
        missing = tuple(query for query in queries if query not in self.answers)
        if missing:
            raise Unanswered(missing)
        return tuple(self.answers[query] for query in queries)

    def of(self, query: Query) -> ClusterAnswer:
        """Return the answer to one query.

        Raises:
            Unanswered: The answer is missing.
        """
        return self.need(query)[0]

    def with_answers(self, answers: Mapping[Query, ClusterAnswer], now: int) -> "Snapshot":
        """Return the snapshot with more answers."""
        return replace(self, answers={**self.answers, **answers}, now=now)
