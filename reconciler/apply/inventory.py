"""Identities of clusters, and ConfigMaps that list created objects and (management) clusters."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import closing, suppress
from hashlib import sha256
from itertools import chain, count
from typing import NamedTuple
from urllib.parse import quote, unquote

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.documents.findings import shown
from reconciler.kube.interface import Cluster, Clusters
from reconciler.kube.resources import NO_BODY, parse_ref, ref_of
from reconciler.loadbalancers.ranges import ranges_of
from reconciler.model import objects
from reconciler.model.errors import ClusterError, IdentityError, StaleError, UnauthorizedError
from reconciler.model.objects import CONFIG_MAP, MANAGER, Manifest, Ref

NAME = "gitops-ipam-inventory"
PART_LABEL = "gitops-ipam.dev/inventory"
WHOLE = 900 * 1024
"""Bytes of a ConfigMap that are used. The server's limit is 1 MiB."""
HALF = 450 * 1024
"""Bytes of a ConfigMap for registry lines. The rest is for objects."""
IDENTITY = Ref(objects.NAMESPACE, "", "kube-system")
"""The object whose uid identifies a cluster."""

_MAX_PARTS = 512
_UID = re.compile(r"[0-9A-Za-z-]{1,64}")
_REVISION = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")
_PART = re.compile(rf"{NAME}-([1-9][0-9]{{0,3}})")
_ORPHAN = re.compile(r"orphan-since-([0-9]{1,15})")
_CLUSTER = "cluster."
_HASHED = f"{_CLUSTER}-"
_MAX_KEY = 253

Parts = Mapping[str, Mapping[str, str]]
"""The data of the inventory's ConfigMaps, by name."""


def uid_of(text: str) -> str:
    """Return a valid uid of a cluster, or raise ValueError."""
    if not _UID.fullmatch(text):
        raise ValueError(f"{shown(text)} is not the uid of a cluster")
    return text


def _revision_of(text: str) -> str:
    if text and not _REVISION.fullmatch(text):
        raise ValueError(f"{shown(text)} is not the id of a commit")
    return text


class InventoryEntry(NamedTuple):
    """An object that `ipam` created, or a foreign object whose status it writes."""

    uid: str
    hash: str

    @property
    def is_status_only(self) -> bool:
        """Return whether only the status of the object belongs to `ipam`."""
        return self.hash.partition(".")[0] == NO_BODY

    @property
    def orphan_since(self) -> int | None:
        """Return when an orphan was first seen, or None."""
        found = _ORPHAN.fullmatch(self.hash)
        return int(found[1]) if found else None


def orphan(uid: str, now: int) -> InventoryEntry:
    """Return the entry of an object with the label of `ipam` that no run remembers."""
    return InventoryEntry(uid, f"orphan-since-{now}")


class Enrolled(Struct, frozen=True):
    """An entry of the registry: ranges that a cluster might announce, in the syntax of pools."""

    uid: str
    revision: str
    spaces: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()


class _ClusterLine(Struct, frozen=True):
    name: str
    enrolled: Enrolled
    wrong: tuple[str, ...] = ()


class Inventory(Struct, frozen=True):
    """Entries by `str(ref)`, and the registry. Damaged lines stay. Odd lines prevent applies."""

    uid: str = ""
    revision: str = ""
    objects: Mapping[str, InventoryEntry] = field(default_factory=dict)
    clusters: Mapping[str, Enrolled] = field(default_factory=dict)
    damaged: tuple[str, ...] = ()
    odd: Mapping[str, str] = field(default_factory=dict)
    root: str = ""
    repository: str = ""  # its first commit


def data_of(config_maps: Iterable[Manifest]) -> dict[str, Mapping[str, str]]:
    """Return the data of the inventory's ConfigMaps by name, in numerical order."""
    found = {item["metadata"]["name"]: item.get("data") or {} for item in config_maps}
    parts = {name: it for name in found if (it := _PART.fullmatch(name)) or name == NAME}
    numbers = {name: int(it[1]) if it else 0 for name, it in parts.items()}
    return {name: found[name] for name in sorted(numbers, key=numbers.__getitem__)}


def read_inventory(config_maps: Iterable[Manifest], *, remembers: bool = True) -> Inventory:
    """Parse the inventory in ConfigMaps, or raise ValueError; `remembers` includes the registry."""
    parts = data_of(config_maps)
    first = parts.get(NAME, {})
    uid = first.get("uid", "")
    read = {
        line: _entry(line)
        for data in parts.values()
        for line in data.get("objects", "").splitlines()
    }
    clusters: dict[str, _ClusterLine] = {}
    for part, data in parts.items() if remembers else ():
        for key in filter(_is_line, data):
            line = _cluster_line(f"{key} of ConfigMap {part}", key, data[key])
            known = clusters.get(line.name)
            clusters[line.name] = line if known is None else _joined(known, line)
    return Inventory(
        uid and uid_of(uid),
        _revision_of(first.get("revision", "")),
        dict(entry for entry in read.values() if entry is not None),
        {name: line.enrolled for name, line in clusters.items()},
        tuple(line for line, entry in read.items() if entry is None),
        {name: line.wrong[0] for name, line in clusters.items() if line.wrong},
        first.get("root", ""),
        first.get("repository", ""),
    )


def _entry(line: str) -> tuple[str, InventoryEntry] | None:
    try:
        name, uid, hash_of = line.split(" ")
        parse_ref(name)
    except (KeyError, ValueError):
        return None
    return name, InventoryEntry(uid, hash_of)


def config_maps(inventory: Inventory, namespace: str, there: Parts | None = None) -> list[Manifest]:
    """Return the ConfigMaps of an inventory, without the registry, next to the lines `there`."""
    there = there or {}
    # The end mark keeps a damaged line that is a bare object name from parsing as an entry.
    lines = {f"{line}\n": f"{line}\n" for line in inventory.damaged}
    for name, entry in sorted(inventory.objects.items()):
        lines[name] = f"{name} {entry.uid} {entry.hash}\n"
    number = 1
    while True:
        parts: list[list[str]] = [[] for _ in range(number)]
        for name, line in lines.items():
            at = int.from_bytes(sha256(name.encode()).digest()[:4], "big") % number
            parts[at].append(line)
        texts = ["".join(part) for part in parts]
        fits = all(len(text.encode()) <= WHOLE - HALF for text in texts)
        if fits or number >= _MAX_PARTS:
            break
        number *= 2
    first = {"uid": inventory.uid, "revision": inventory.revision}
    if inventory.root or "root" in there.get(NAME, {}):
        first["root"] = inventory.root
    return [
        part_manifest(part_name(at), namespace, {**({} if at else first), "objects": text})
        for at, text in enumerate(texts)
    ]


def part_manifest(name: str, namespace: str, data: Mapping[str, str]) -> Manifest:
    """Return one of the ConfigMaps of an inventory."""
    labels = {**objects.owned_labels(), PART_LABEL: "true"}
    metadata = {"name": name, "namespace": namespace, "labels": labels}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": metadata, "data": dict(data)}


def part_name(number: int) -> str:
    """Return the name of a ConfigMap by number."""
    return f"{NAME}-{number}" if number else NAME


Write = tuple[str, Mapping[str, str | None]]
"""A ConfigMap by name, and its changed data; None removes a key."""


def cluster_data(clusters: Mapping[str, Enrolled | None]) -> dict[str, str | None]:
    """Return entries of the registry as data of ConfigMaps; None removes an entry."""
    data: dict[str, str | None] = {}
    for name, enrolled in sorted(clusters.items()):
        key = _cluster_key(name)
        data[key] = None
        if enrolled is not None:
            named = [name] if key.startswith(_HASHED) else []
            # Names of address spaces are free text. `%` is the empty name.
            spaces = ",".join(quote(space, safe="") or "%" for space in enrolled.spaces)
            words = [*named, enrolled.uid, enrolled.revision, spaces, *enrolled.addresses]
            data[key] = " ".join(words)
    return data


def _is_line(key: str) -> bool:
    return key.startswith(_CLUSTER)


def _cluster_line(where: str, key: str, value: str) -> _ClusterLine:
    words = value.split(" ")
    if key.startswith(_HASHED):
        name = words.pop(0)
    else:
        text = key.removeprefix(_CLUSTER)
        name = text[1:] if text.startswith("_") else text.replace(".", "/", 1)
    wrong: list[str] = []
    if _cluster_key(name) != key:
        name = key
        wrong.append("the key does not match the cluster in the line")

    def read(parse: Callable[[str], object], text: str) -> str:
        try:
            if text:
                parse(text)
        except ValueError as failed:
            wrong.append(str(failed))
            return ""
        return text

    uid, revision, spaces, *addresses = [*words, "", ""]
    uid, revision = read(uid_of, uid), read(_revision_of, revision)
    ranges = tuple(text for text in addresses if read(lambda it: ranges_of([it]), text))
    named = tuple("" if item == "%" else unquote(item) for item in spaces.split(",") if item)
    # With an invalid word, positions are unreliable, so the addresses can be of any space.
    enrolled = Enrolled(uid, revision, () if wrong else named, ranges)
    return _ClusterLine(name, enrolled, tuple(f"{where}: {why}" for why in wrong))


def _joined(one: _ClusterLine, other: _ClusterLine) -> _ClusterLine:
    mine, theirs = one.enrolled, other.enrolled
    wrong = (*one.wrong, *other.wrong)
    if mine.uid != theirs.uid:
        wrong += ("two lines name it, with different uids",)
    is_anywhere = not (mine.spaces and theirs.spaces)  # an unknown address can be of any space
    spaces = () if is_anywhere else tuple(sorted({*mine.spaces, *theirs.spaces}))
    addresses = tuple(dict.fromkeys([*mine.addresses, *theirs.addresses]))
    return _ClusterLine(one.name, replace(mine, spaces=spaces, addresses=addresses), wrong)


# Keys of ConfigMaps have up to 253 letters, digits, `-`, `_`, and `.`. A namespace has no `.`
# and starts with neither `_` nor `-`. If the names are too long, the value starts with them.
def _cluster_key(name: str) -> str:
    namespace, slash, rest = name.partition("/")
    key = f"{_CLUSTER}{namespace}.{rest}" if slash else f"{_CLUSTER}_{name}"
    return key if len(key) <= _MAX_KEY else f"{_HASHED}{sha256(name.encode()).hexdigest()}"


def line_bytes(data: Mapping[str, str]) -> int:
    """Return the bytes of registry lines in a ConfigMap."""
    return sum(_bytes(key, value) for key, value in data.items() if _is_line(key))


def _bytes(key: str, value: str) -> int:
    return len(key) + len(value.encode())


def placed(there: Parts, changes: Mapping[str, str | None]) -> list[Write]:
    """Return ConfigMap writes in order: a line is in its new place before it leaves the old one."""
    sizes = {name: line_bytes(data) for name, data in there.items()}
    more: dict[str, dict[str, str | None]] = {}
    less: dict[str, dict[str, str | None]] = {}
    for key, value in changes.items():
        present = {name: _bytes(key, data[key]) for name, data in there.items() if key in data}
        home = ""
        if value is not None:
            size = _bytes(key, value)
            for home in chain(present, map(part_name, count())):
                others = sizes.get(home, 0) - present.get(home, 0)
                if not others or others + size <= HALF:
                    break
            sizes[home] = others + size
            more.setdefault(home, {})[key] = value
        for name in present:
            if name != home:
                less.setdefault(name, {})[key] = None
    # The first ConfigMap is last, because its other data mark the work as done.
    writes: list[Write] = [(name, more[name]) for name in sorted(more, reverse=True)]
    return writes + [(name, less[name]) for name in sorted(less)]


def written_to(there: Parts, writes: Iterable[Write]) -> dict[str, Mapping[str, str]]:
    """Return the data of ConfigMaps after changes."""
    after = dict(there)
    for part, data in writes:
        changed: dict[str, str | None] = {**after.get(part, {}), **data}
        after[part] = {key: text for key, text in changed.items() if text is not None}
    return after


class ClusterIdentity(Struct, frozen=True):
    """The identity of a cluster, its inventory, and the ConfigMaps of the inventory."""

    uid: str
    inventory: Inventory
    config_maps: Sequence[Manifest]
    namespace: str

    @property
    def home(self) -> Ref | None:
        """Return the first ConfigMap of the inventory, or None."""
        return Ref(CONFIG_MAP, self.namespace, NAME) if self.config_maps else None


def identify(
    cluster: Cluster, name: str, namespace: str, known: Enrolled | None, *, accept: bool = False
) -> ClusterIdentity:
    """Return the identity and inventory of a cluster; `known` is its entry in the registry."""
    home = cluster.get(IDENTITY)
    if home is None:
        raise ClusterError("namespace kube-system is missing, which identifies a cluster")
    with suppress(UnauthorizedError):  # a server that hides its version is accepted
        cluster.version()
    try:
        uid = uid_of(home["metadata"]["uid"])
    except ValueError as wrong:
        message = f"namespace kube-system, which identifies a cluster: {wrong}"
        raise IdentityError(
            message, "check that the kubeconfig reaches a Kubernetes cluster"
        ) from wrong
    maps = cluster.list(CONFIG_MAP, namespace, labels=PART_LABEL).items
    is_labeled = any(item["metadata"]["name"] == NAME for item in maps)
    # An inventory without its label would count as empty.
    if not is_labeled and cluster.list(CONFIG_MAP, namespace, fields=f"metadata.name={NAME}").items:
        message = f"ConfigMap {NAME} in {namespace} exists, but lacks the label {PART_LABEL}"
        raise ClusterError(
            message, f'restore the label, {PART_LABEL}="true", or delete the ConfigMap'
        )
    try:
        inventory = read_inventory(maps, remembers=objects.tenant_of(name) is None)
    except ValueError as wrong:
        message = f"the inventory (ConfigMap {NAME} in {namespace}) is damaged: {wrong}"
        raise ClusterError(message, "correct the value, or remove its key") from wrong
    before = (known.uid if known else "") or inventory.uid
    if {before, inventory.uid or before} - {uid, ""}:
        if not accept:
            message = (
                f"not the same cluster as before: kube-system has uid {uid}, expected {before}"
            )
            hint = f"pass the kubeconfig of {name}; if the cluster was rebuilt, add --enroll {name}"
            raise IdentityError(message, hint)
        inventory = Inventory(clusters=inventory.clusters)
    return ClusterIdentity(uid, inventory, maps, namespace)


def check_memory(inventory: Inventory, name: str) -> None:
    """Raise IdentityError if the entry of a cluster in the registry is damaged."""
    if name in inventory.odd:
        hint = f"correct the value, or write it again with --enroll {name}"
        raise IdentityError(f"the inventory entry is damaged: {inventory.odd[name]}", hint)


def save(
    cluster: Cluster,
    identity: ClusterIdentity,
    revision: str,
    entries: Mapping[str, InventoryEntry],
    root: str = "",
) -> None:
    """Write the inventory if its objects, identity, or root differ."""
    old = identity.inventory
    is_same = dict(old.objects) == dict(entries) and old.uid == identity.uid
    if is_same and (old.root == root or not old.revision):
        return
    there = data_of(identity.config_maps)
    new = Inventory(identity.uid, revision, entries, damaged=old.damaged, root=root)
    wanted = config_maps(new, identity.namespace, there)
    # An entry is added to its new ConfigMap before it is removed from the old one, so growing
    # inventories write later ConfigMaps first, and shrinking ones write the remaining ones first.
    for item in reversed(wanted):
        name = item["metadata"]["name"]
        if name not in there:
            create_or_merge(cluster, item)
        elif not item["data"].items() <= there[name].items():
            ref = Ref(CONFIG_MAP, identity.namespace, name)
            cluster.merge(ref, {"data": item["data"]}, MANAGER)
    present = {item["metadata"]["name"]: item["metadata"] for item in identity.config_maps}
    needed = {item["metadata"]["name"] for item in wanted}
    for name in (name for name in there if name not in needed):
        ref = Ref(CONFIG_MAP, identity.namespace, name)
        if not any(map(_is_line, there[name])):
            with suppress(StaleError):  # changed in the meantime
                cluster.delete(ref, present[name]["uid"], present[name]["resourceVersion"])
        elif there[name].get("objects"):
            cluster.merge(ref, {"data": {"objects": ""}}, MANAGER)


def create_or_merge(cluster: Cluster, config_map: Manifest) -> None:
    """Create a ConfigMap, or add its data if it was created in the meantime."""
    try:
        cluster.create(config_map)
    except StaleError:
        ref = ref_of(config_map)
        cluster.merge(ref, {"data": config_map["data"]}, MANAGER)


def server_now(clusters: Clusters) -> int | None:
    """Return the management cluster's clock in seconds since 1970, or None if it is unreachable."""
    try:
        cluster = clusters.management()
        if cluster is None:
            return None
        with closing(cluster):
            cluster.version()
            return cluster.now() or None
    except ClusterError:
        return None
