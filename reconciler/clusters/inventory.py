"""The inventory of a cluster: what we put there, kept in ConfigMaps beside it.

The first ConfigMap, `gitops-ipam-inventory`, names the cluster's identity and the revision; in the
management cluster also every other cluster that was applied to. Objects are lines of text, so that
people can read them, and are spread over more ConfigMaps when there are many, each object by the
hash of its name: a change touches one of them. Source: `contract.md` §8.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import NamedTuple
from urllib.parse import quote, unquote

from reconciler.clusters.desired import NO_BODY, owned_labels
from reconciler.clusters.metallb import ranges_of
from reconciler.clusters.resources import parse_ref
from reconciler.model.resource import Manifest

NAME = "gitops-ipam-inventory"
PART_LABEL = "gitops-ipam.dev/inventory"
# A line takes up to 424 bytes, a ConfigMap 1 MiB.
_OBJECTS_IN_ONE = 2_000
_ORPHAN = "orphan-since-"
_LONGEST_TIME = 15
_CLUSTER = "cluster."
_HASHED = f"{_CLUSTER}-"
_MAX_KEY = 253


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


class Enrolled(NamedTuple):
    """A cluster as the management cluster knows it.

    Attributes:
        uid: Of its kube-system namespace.
        revision: What was applied to it last.
        spaces: The address spaces that its addresses are of.
        addresses: The ranges that it may announce, as MetalLB writes them.
    """

    uid: str
    revision: str
    spaces: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Inventory:
    """What is known of one cluster.

    Attributes:
        uid: The identity of the cluster that it was written in; empty at first contact.
        objects: By reference, as `str(ref)`.
        clusters: Other clusters by name; in the management cluster only.
        damaged: Lines that cannot be read. What they name is left alone, and so are they.
    """

    uid: str = ""
    revision: str = ""
    objects: Mapping[str, Entry] = field(default_factory=dict)
    clusters: Mapping[str, Enrolled] = field(default_factory=dict)
    damaged: tuple[str, ...] = ()


def read_inventory(config_maps: Iterable[Manifest]) -> Inventory:
    """The inventory that some ConfigMaps hold; other ConfigMaps are ignored.

    Raises:
        ValueError: What another cluster may announce cannot be read, so nothing is safe to give.
    """
    uid = revision = ""
    objects: dict[str, Entry] = {}
    clusters: dict[str, Enrolled] = {}
    damaged: list[str] = []
    for config_map in config_maps:
        name = config_map["metadata"]["name"]
        if name != NAME and not name.startswith(f"{NAME}-"):
            continue
        data: Mapping[str, str] = config_map.get("data") or {}
        if name == NAME:
            uid, revision = data.get("uid", ""), data.get("revision", "")
        for line in data.get("objects", "").splitlines():
            read = _entry(line)
            if read is None:
                damaged.append(line)
            else:
                objects[read[0]] = read[1]
        clusters.update(_enrolled(*it) for it in data.items() if it[0].startswith(_CLUSTER))
    return Inventory(uid, revision, objects, clusters, tuple(damaged))


def _entry(line: str) -> tuple[str, Entry] | None:
    """An object and its entry; None for a line that somebody else, or a newer program, wrote."""
    try:
        name, uid, hash_of = line.split(" ")
        parse_ref(name)
    except (KeyError, ValueError):
        return None
    return name, Entry(uid, hash_of)


def config_maps(inventory: Inventory, namespace: str) -> list[Manifest]:
    """The ConfigMaps of an inventory, without the other clusters."""
    count = 1
    while count * _OBJECTS_IN_ONE < len(inventory.objects):
        count *= 2
    lines: list[list[str]] = [[] for _ in range(count)]
    lines[0] += [f"{line}\n" for line in inventory.damaged]
    for name, entry in sorted(inventory.objects.items()):
        lines[_part(name, count)].append(f"{name} {entry.uid} {entry.hash}\n")
    first = {"uid": inventory.uid, "revision": inventory.revision}
    return [
        {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {
                "name": NAME if index == 0 else f"{NAME}-{index}",
                "namespace": namespace,
                "labels": {**owned_labels(), PART_LABEL: "true"},
            },
            "data": {**(first if index == 0 else {}), "objects": "".join(part)},
        }
        for index, part in enumerate(lines)
    ]


def cluster_data(clusters: Mapping[str, Enrolled | None]) -> dict[str, str | None]:
    """Other clusters as data of the first ConfigMap; None takes one out of it."""
    data: dict[str, str | None] = {}
    for name, enrolled in sorted(clusters.items()):
        key = _cluster_key(name)
        named = [name] if key.startswith(_HASHED) else []
        data[key] = None if enrolled is None else " ".join([*named, *_words(enrolled)])
    return data


def _words(enrolled: Enrolled) -> list[str]:
    # Names of address spaces are free text; the empty one is written as `%`, which is no other.
    spaces = ",".join(quote(space, safe="") or "%" for space in enrolled.spaces)
    return [enrolled.uid, enrolled.revision, spaces, *enrolled.addresses]


def _enrolled(key: str, value: str) -> tuple[str, Enrolled]:
    words = value.split(" ")
    name = words.pop(0) if key.startswith(_HASHED) else _cluster_name(key)
    uid, revision, spaces, *addresses = [*words, "", ""]
    ranges = tuple(text for text in addresses if text)
    try:
        ranges_of(ranges)
    except ValueError as wrong:
        raise ValueError(f"{key} of ConfigMap {NAME}: {wrong}") from wrong
    named = tuple("" if item == "%" else unquote(item) for item in spaces.split(",") if item)
    return name, Enrolled(uid, revision, named, ranges)


def stale_parts(config_maps_there: Iterable[Manifest], wanted: Iterable[Manifest]) -> Iterator[str]:
    """Names of ConfigMaps of a bigger inventory that are not needed any more."""
    needed = [item["metadata"]["name"] for item in wanted]
    for item in config_maps_there:
        name = item["metadata"]["name"]
        if name.startswith(f"{NAME}-") and name not in needed:
            yield name


def _part(name: str, count: int) -> int:
    return int.from_bytes(sha256(name.encode()).digest()[:4], "big") % count


# A key of a ConfigMap has up to 253 letters, digits, `-`, `_` and `.`; a namespace has no `.`, and
# begins with neither `_` nor `-`. Where the names are too long for a key, the value begins with them.
def _cluster_key(name: str) -> str:
    namespace, slash, rest = name.partition("/")
    key = f"{_CLUSTER}{namespace}.{rest}" if slash else f"{_CLUSTER}_{name}"
    return key if len(key) <= _MAX_KEY else f"{_HASHED}{sha256(name.encode()).hexdigest()}"


def _cluster_name(key: str) -> str:
    text = key.removeprefix(_CLUSTER)
    if text.startswith("_"):
        return text[1:]
    return text.replace(".", "/", 1)
