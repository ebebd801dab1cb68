"""The inventory of a cluster: what we put there, kept in ConfigMaps beside it.

The first ConfigMap, `gitops-ipam-inventory`, names the cluster's identity and the revision. Objects
are lines of text, so that people can read them, and are spread over more ConfigMaps when there are
many, `gitops-ipam-inventory-1` and so on, each object by the hash of its name: a change touches one
of them. In the management cluster they also hold a line for every other cluster that was applied
to: `memory.py`. Source: `contract.md` §8.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import NamedTuple

from msgspec import Struct, field

from reconciler.clusters.desired import NO_BODY, owned_labels
from reconciler.clusters.memory import (
    HALF,
    NAME,
    Enrolled,
    Line,
    is_line,
    joined,
    line_bytes,
    lines_of,
    part_name,
    part_number,
    revision_of,
    uid_of,
)
from reconciler.clusters.resources import parse_ref
from reconciler.model.resource import Manifest

PART_LABEL = "gitops-ipam.dev/inventory"
WHOLE = 900 * 1024
"""Bytes of a ConfigMap that are used; a server takes 1 MiB, and others may write at the same time."""

_TENANT = 1024 * 1024
"""Letters that the objects of a tenant's cluster may take: each needs a hundred, and few are there."""

_LEAST = 64 * 1024
_MOST_PARTS = 512
_ORPHAN = "orphan-since-"
_LONGEST_TIME = 15
_LONGEST_LINE = 1_024
_WORDS = 3


class Entry(NamedTuple):
    """An object that we put into a cluster, or one of others that we keep the status of.

    Attributes:
        hash: Of what was applied last.
    """

    uid: str
    hash: str

    @property
    def is_status_only(self) -> bool:
        """Others made the object: only its status is ours, to write as to forget."""
        return self.hash.partition(".")[0] == NO_BODY

    @property
    def orphan_since(self) -> int | None:
        """When an object with our label was first seen that nothing here knows; else None."""
        text = self.hash.removeprefix(_ORPHAN)
        is_time = text != self.hash and text.isdecimal() and len(text) <= _LONGEST_TIME
        return int(text) if is_time else None


def orphan(uid: str, now: int) -> Entry:
    """The entry of an object that carries our label, but that no run remembers."""
    return Entry(uid, f"{_ORPHAN}{now}")


class Inventory(Struct, frozen=True):
    """What is known of one cluster.

    Attributes:
        uid: The identity of the cluster that it was written in; empty at first contact.
        objects: By reference, as `str(ref)`.
        clusters: Other clusters by name; in the management cluster only.
        damaged: Lines that cannot be read. What they name is left alone, and so are they.
        odd: What is wrong with the lines of some of the other clusters, by name. Of these clusters
            it is known what can be read, and nothing is done in them.
        root: The folder of the repository that the revision was applied from; empty for its top.
    """

    uid: str = ""
    revision: str = ""
    objects: Mapping[str, Entry] = field(default_factory=dict)
    clusters: Mapping[str, Enrolled] = field(default_factory=dict)
    damaged: tuple[str, ...] = ()
    odd: Mapping[str, str] = field(default_factory=dict)
    root: str = ""


def read_inventory(config_maps: Iterable[Manifest], *, remembers: bool = True) -> Inventory:
    """The inventory that some ConfigMaps hold; other ConfigMaps are ignored.

    Args:
        config_maps: All of them.
        remembers: It is that of the management cluster, which knows of others. Any other is a
            tenant's, who may have written anything: what it says of others is not read.

    Raises:
        ValueError: Its own identity or revision cannot be read, or it is too large.
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
    clusters: dict[str, Line] = {}
    for part, data in parts.items() if remembers else ():
        for line in lines_of(part, data):
            known = clusters.get(line.name)
            clusters[line.name] = line if known is None else joined(known, line)
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
    """The data of the ConfigMaps of an inventory, by name, in the order of their numbers."""
    found = {item["metadata"]["name"]: item.get("data") or {} for item in config_maps}
    numbers = {name: number for name in found if (number := part_number(name)) is not None}
    return {name: found[name] for name in sorted(numbers, key=numbers.__getitem__)}


def _entry(line: str) -> tuple[str, Entry] | None:
    """An object and its entry; None for a line that somebody else, or a newer program, wrote."""
    words = line.split(" ") if len(line) <= _LONGEST_LINE else []
    if len(words) != _WORDS:
        return None
    name, uid, hash_of = words
    try:
        parse_ref(name)
    except (KeyError, ValueError):
        return None
    return name, Entry(uid, hash_of)


def config_maps(
    inventory: Inventory, namespace: str, there: Mapping[str, Mapping[str, str]] | None = None
) -> list[Manifest]:
    """The ConfigMaps of an inventory, without the other clusters.

    Args:
        inventory: What they shall say.
        namespace: Where they are.
        there: The data of those that are there, by name: lines of clusters take a part of each.
    """
    # A damaged line may be the bare name of an object: with its end it is not taken for that.
    lines = {f"{line}\n": f"{line}\n" for line in inventory.damaged}
    for name, entry in sorted(inventory.objects.items()):
        lines[name] = f"{name} {entry.uid} {entry.hash}\n"
    taken = {part_number(name): line_bytes(data) for name, data in (there or {}).items()}
    # Older programs put all clusters into the first one; their lines leave it one by one.
    rooms = [max(WHOLE - max(HALF, taken.get(at, 0)), _LEAST) for at in range(_MOST_PARTS)]
    texts = _divided(lines, rooms)
    first = {"uid": inventory.uid, "revision": inventory.revision}
    if inventory.root or "root" in (there or {}).get(NAME, {}):
        first["root"] = inventory.root
    return [
        part_manifest(part_name(number), namespace, {**({} if number else first), "objects": text})
        for number, text in enumerate(texts)
    ]


def part_manifest(name: str, namespace: str, data: Mapping[str, str]) -> Manifest:
    """One of the ConfigMaps of an inventory."""
    labels = {**owned_labels(), PART_LABEL: "true"}
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": dict(data)}


def _divided(lines: Mapping[str, str], rooms: Sequence[int]) -> list[str]:
    """Lines in as few parts as there is room for; twice as many when it does not do."""
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
    """ConfigMaps of a bigger inventory that no object needs any more, and whether a cluster does."""
    needed = [item["metadata"]["name"] for item in wanted]
    for name, data in there.items():
        if name not in needed:
            yield name, any(map(is_line, data))


def _part(name: str, count: int) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:4], "big") % count
