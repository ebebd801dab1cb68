"""Where a record stands in the tree, and what its path alone tells (`contract.md` §3)."""

import re
from typing import NamedTuple

from reconciler.documents.load import without_suffix
from reconciler.model.key import Key

UNPLACED = "_unplaced"

# The kind of owner that a slot belongs to; the path does not name it.
_OWNER_OF_SLOT = {
    "nodes": ("butler", "TenantCluster"),
    "loadbalancer": ("butler", "TenantCluster"),
    "request": ("butler", "IPAllocation"),
    "vip": ("novaedge", "ProxyVIP"),
    "vip-ipv6": ("novaedge", "ProxyVIP"),
    "control-plane": ("capi", "Cluster"),
    "ingress": ("capi", "Cluster"),
    "address": ("capi", "IPAddressClaim"),
}
FAMILY_OF_POOL = {
    "NetworkPool": "butler",
    "ProxyIPPool": "novaedge",
    "InClusterIPPool": "capi",
    "GlobalInClusterIPPool": "capi",
}
# Where a record has no pool folder: the kind that its family's claims name without a kind.
POOL_KIND = {"butler": "NetworkPool", "novaedge": "ProxyIPPool", "capi": "InClusterIPPool"}
_GROWN = re.compile(r"(nodes|loadbalancer)-[0-9]+", re.ASCII)


class Place(NamedTuple):
    """What a path says; None for what it does not."""

    claim: Key | None
    pool: Key | None


def path_of(folder: str, pool: Key | None, claim: Key) -> str:
    """The path of a claim's record, below the records folder; without a pool it has no place."""
    owner = f"{claim.namespace or '_'}/{claim.name}.{claim.slot}.yaml"
    if pool is None:
        return f"{folder}/{UNPLACED}/{owner}"
    return f"{folder}/{pool.kind}/{pool.file_stem}/{owner}"


def place_of(folder: str, path: str) -> Place:
    """Read a path back."""
    parts = without_suffix(path.removeprefix(f"{folder}/")).split("/")
    if len(parts) == 3 and parts[0] == UNPLACED:
        return Place(_claim(parts[1], parts[2]), None)
    if len(parts) == 4 and parts[0] in FAMILY_OF_POOL:
        return Place(_claim(parts[2], parts[3]), pool_key(parts[0], parts[1]))
    return Place(None, None)


def claim_of(text: str) -> Key | None:
    """The claim that a record's annotation names, or None when it names none."""
    claim = Key.parse(text)
    return claim if claim is not None and claim.slot and claim.family in POOL_KIND else None


def pool_key(kind: str, stem: str) -> Key:
    """The pool that a folder name stands for: `<namespace>.<name>`, or `<name>` alone."""
    namespace, _, name = stem.rpartition(".")
    return Key(FAMILY_OF_POOL[kind], namespace, name, "", kind)


def base_slot(slot: str) -> str:
    """The slot without its growth number."""
    found = _GROWN.fullmatch(slot)
    return found.group(1) if found else slot


def owner_kind(slot: str) -> tuple[str, str] | None:
    """Family and kind of the owner of a slot, or None for an unknown slot."""
    return _OWNER_OF_SLOT.get(base_slot(slot))


def _claim(namespace: str, stem: str) -> Key | None:
    name, _, slot = stem.rpartition(".")
    owner = owner_kind(slot)
    if owner is None:
        return None
    family, kind = owner
    return Key.parse(f"{family}/{kind}/{namespace}/{name}/{slot}")


def part_of(folder: str, path: str) -> str:
    """The part of a tree that a file is of: the folder of a pool's records, else the file itself.

    Args:
        folder: The records folder.
        path: Path of a source file or of a record.
    """
    if not path.startswith(f"{folder}/"):
        return path
    kind, _, below = path[len(folder) + 1 :].partition("/")
    pool, slash, _ = below.partition("/")
    return f"{folder}/{kind}/{pool}" if slash and kind in FAMILY_OF_POOL else path
