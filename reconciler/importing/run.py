"""Import of clusters, tables, and NetBox exports."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any, NamedTuple

from reconciler.addresses import IPRange, IPSet
from reconciler.apply.pools import TENANT_HOME, nodes_in, users_of
from reconciler.documents.findings import Location, join_limited
from reconciler.families.importing import ImportedCluster, ImportedList, ImportedRange, Writing
from reconciler.importing import sources, tables
from reconciler.importing.manifests import ManifestCluster
from reconciler.importing.sources import LOAD_BALANCER, NODES, ImportedSource, Window, undecided
from reconciler.kube.interface import Cluster
from reconciler.loadbalancers import controller, controllers
from reconciler.loadbalancers.interface import Controller, ImportedPool, by_tool
from reconciler.loadbalancers.ranges import describe, ranges_of
from reconciler.model.errors import NoSuchKindError, UnauthorizedError
from reconciler.model.objects import NAMESPACE as NAMESPACES
from reconciler.model.objects import NODE, PREFIX, SERVICE, Manifest, Ref, Resource

_BALANCER = controller()
_KIND = _BALANCER.pool.kind
_OPTION = _BALANCER.name.lower()
_EVERYTHING = IPSet((IPRange(4, 0, (1 << 32) - 1), IPRange(6, 0, (1 << 128) - 1)))


class ImportSource(NamedTuple):
    """A cluster to import from, its owner if no source names it, and its managed pool or empty."""

    owner: tuple[str, str]
    cluster: Cluster | ManifestCluster
    pool: str = ""

    @property
    def place(self) -> Location:
        """Return the location of the cluster."""
        return Location(f"cluster {'/'.join(filter(None, self.owner))}")


class Announced(NamedTuple):
    """A cluster, the pools of its controller there, and addresses in use without it, by user."""

    source: ImportSource
    pools: Sequence[ImportedPool]
    services: Sequence[Manifest]
    balancer: Controller = _BALANCER
    others: Mapping[str, IPSet] = {}

    @property
    def homes(self) -> Sequence[str]:
        """Return the namespaces of the pools."""
        return sorted({it.namespace for it in self.pools})

    def several_homes(self) -> ImportedSource:
        """Return the conflict of pools in several namespaces."""
        kind, homes = self.balancer.pool.kind, ", ".join(self.homes)
        hint = f"pass the namespace of {self.balancer.name}: --{_OPTION}-namespace NAME"
        return undecided(
            self.source.place, f"the cluster has {kind}s in several namespaces: {homes}", hint
        )

    def held(
        self, it: ImportedPool, name: str, notes: Iterable[str], *, is_ours: bool = True
    ) -> ImportedSource:
        """Return the ranges of a pool, which are the cluster's or another owner's, with notes."""
        place = Location(f"{self.source.place} {self.balancer.pool.kind} {it.pool.name}")
        if it.problem:
            hint = f"correct the pool in the cluster, because {self.balancer.name} cannot read it either"
            return undecided(place, it.problem, hint)
        holdings = tuple(
            ImportedRange(
                *(self.source.owner[0], name, LOAD_BALANCER if is_ours else NODES, item, place),
                said=name,
                is_cluster=is_ours,
                users=tuple(
                    f"{it.service} ({it.address})"
                    for it in users_of(self.services, IPSet((item,)), counts_pins=False)
                ),
            )
            for item in IPSet.of(it.pool.ranges)
        )
        return ImportedSource(holdings=holdings, notes=tuple(f"{place}: {it}" for it in notes))

    def with_outside(self, parts: Sequence[ImportedSource]) -> ImportedSource:
        """Return the content of pools, and users of addresses that none of them has."""
        inside = IPSet.of(item.item for part in parts for item in part.holdings)
        users = users_of(self.services, _EVERYTHING - inside, counts_pins=False)
        every = [(f"Service {it.service}", _set([it.address]), sources.SERVICE) for it in users]
        every += [(*of, sources.ROUTE) for it in self.pools for of in it.advertised_by.items()]
        every += [(*of, sources.OUTSIDE) for of in self.others.items()]
        outside = (
            Window(it, Location(f"{self.source.place} {by}"), use=use)
            for by, addresses, use in every
            for it in addresses - inside
        )
        pending = {*users_of(self.services, _EVERYTHING - inside)}.difference(users)
        named = join_limited([f"{it.service} ({it.address})" for it in sorted(pending)])
        note = f"{self.source.place}: Services request addresses outside of its pools: {named}"
        found = ImportedSource(reserved=tuple(dict.fromkeys(outside)), notes=(note,) * bool(named))
        return found.with_more(*parts)


def _one_managed(cluster: Announced, usual: str) -> ImportedSource:
    """Return the ranges of pools. The default or only pool becomes managed, others keep theirs."""
    place, owner = cluster.source.place, cluster.source.owner
    pools = {it.pool.name: it for it in cluster.pools}
    ours = cluster.source.pool or (usual if usual in pools or len(pools) != 1 else min(pools))
    if pools and ours not in pools:
        message = (
            f"the cluster has {len(pools)} {_KIND}s, none of which is {usual}: {', '.join(pools)}"
        )
        hint = f"pass the pool that ipam manages: --{_OPTION}-pool CLUSTER=POOL; the others stay as they are"
        return undecided(place, message, hint)
    parts: list[ImportedSource] = []
    for name, it in sorted(pools.items()):
        ranges = describe(IPSet.of(it.pool.ranges))
        note = (
            f"{ranges} is held, and stays with this pool, because ipam manages one pool per cluster"
        )
        # Under the cluster's own name, `ipam` would put the range into the managed pool.
        other = sources.fitted(f"{owner[1]}-{sources.slug(name)}")
        is_ours = name == ours
        notes = () if is_ours else (note,)
        parts.append(cluster.held(it, owner[1] if is_ours else other, notes, is_ours=is_ours))
    if not pools:
        parts.append(ImportedSource(notes=(f"{place}: no {_KIND}",)))
    elif ours != usual:
        path = Location(f"{place} {_KIND} {ours}")
        parts.append(ImportedSource(named=((owner, ours, path),)))
    return cluster.with_outside(parts)


# Attributes of an object by meaning; the first attribute with a value is used.
_PARTS = {
    "address": ("address",),
    "cidr": ("prefix",),
    "start": ("start_address",),
    "end": ("end_address",),
    "name": ("assigned_object", "dns_name"),
    "team": ("tenant",),
    "type": ("role",),
    "status": ("status",),
    "used": ("mark_utilized", "mark_populated"),
    "description": ("description",),
    "space": ("vrf",),
}
_NAMES = ("virtual_machine", "device", "fhrp_group", "name", "label", "value", "display", "slug")
# Attributes of objects, and columns of list exports.
_SHAPES = {"prefix": "network", "startaddress": "range", "ipaddress": "host", "address": "host"}
_COLUMNS = {"tenant": "team", "vlan": "ignore", "site": "ignore", "scope": "ignore"}


def _shape(names: Iterable[str]) -> str:
    return next((_SHAPES[name] for name in map(tables.plain, names) if name in _SHAPES), "")


def netbox_rows(path: str, text: str, mapped: Mapping[str, str]) -> tables.Rows:
    """Return the rows of an export: a list of objects, a page of the API, or a table."""
    if text.lstrip()[:1] not in ("[", "{"):
        return tables.table_rows(path, text, mapped, _COLUMNS, _shape)
    if mapped:
        raise tables.UnreadableError(path, "--map needs columns, and JSON has none", "omit --map")
    read = _parsed(path, text)
    items = read.get("results", [read]) if isinstance(read, dict) else read
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        hint = "pass a list of prefixes, ip-ranges, or ip-addresses, as /api/ipam/… returns it"
        raise tables.UnreadableError(path, "the file contains no list of objects", hint)
    if len(items) > tables.MAX_ROWS:
        message = f"the file has more than {tables.MAX_ROWS:,} objects"
        hint = "export several files, and import them one after the other"
        raise tables.UnreadableError(path, message, hint)
    if isinstance(read, dict) and read.get("next"):
        hint = "export all objects: add ?limit=0 to the URL, or pass all pages"
        raise tables.UnreadableError(path, "the file is one page of several", hint)
    return [_row(path, at, item) for at, item in enumerate(items)], ()


def _parsed(path: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as failed:
        line = failed.lineno if isinstance(failed, json.JSONDecodeError) else 0
        why = failed.msg if isinstance(failed, json.JSONDecodeError) else "the nesting is too deep"
        message = f"the file is not valid JSON: {why}"
        raise tables.UnreadableError(path, message, "export the file again", line) from failed


def _row(path: str, at: int, item: Mapping[str, Any]) -> tables.TableRow:
    values = {
        meaning: text
        for meaning, parts in _PARTS.items()
        if (text := next(filter(None, (_text(item.get(part)) for part in parts)), ""))
    }
    number = item.get("id")
    pointer = f"/{at} (id {number})" if isinstance(number, int) else f"/{at}"
    return tables.TableRow(Location(path, 0, 0, pointer), values, _shape(item))


def _text(value: object) -> str:
    for _ in range(len(_NAMES)):
        if not isinstance(value, Mapping):
            break
        value = next((value[name] for name in _NAMES if value.get(name)), "")
    return "true" if value is True else value.strip() if isinstance(value, str) else ""


def files_found(
    files: Iterable[tuple[str, bytes]],
    assumed: tables.Assumed,
    rows_of: Callable[[str, str, Mapping[str, str]], tables.Rows] = tables.table_rows,
) -> ImportedSource:
    """Return the content of files, tables or, with `netbox_rows`, of NetBox."""
    parts: list[ImportedSource] = []
    for path, data in files:
        try:
            rows, notes = rows_of(path, tables.decoded(path, data), assumed.mapped)
            parts += [ImportedSource(notes=tuple(notes)), tables.found_in(rows, assumed)]
        except tables.UnreadableError as failed:
            parts.append(ImportedSource(conflicts=(failed.finding,)))
    return ImportedSource().with_more(*parts)


def looked(
    looks: Sequence[ImportSource], usual: str, namespace: str = "", writer: Writing | None = None
) -> ImportedSource:
    """Return the content of clusters. `namespace` is the controller's, or empty."""
    parts: list[ImportedSource] = []
    seen: dict[str, Location] = {}
    has_entries = writer is not None and writer.entries is not None
    for look in looks:
        place = look.place
        system = look.cluster.get(Ref(NAMESPACES, "", "kube-system"))
        uid = system["metadata"]["uid"] if system is not None else ""
        if uid and uid in seen:
            note = f"{place}: same cluster as {seen[uid]}, which is already read"
            parts.append(ImportedSource(notes=(note,)))
            continue
        if has_entries and place in seen.values():
            message, hint = "another cluster has this name", "pass each cluster as NAME=KUBECONFIG"
            parts.append(undecided(place, message, hint))
            continue
        seen[uid] = place
        own = () if has_entries else (_BALANCER.pool,)
        there, missing = _listed(look.cluster, (*own, *sources.resources(writer)), namespace)
        parts.append(sources.copies_of(str(place), there, writer))
        try:
            if has_entries:
                parts.append(_with_entries(look, uid, namespace))
            else:
                parts.append(_with_one(look, there, missing, usual))
        except (KeyError, TypeError, ValueError, AttributeError):
            message, hint = (
                "its pools or Services cannot be read",
                "correct them, or export them again",
            )
            parts.append(undecided(place, message, hint))
    return ImportedSource().with_more(*parts)


def _listed(
    cluster: Cluster | ManifestCluster, kinds: Iterable[Resource], home: str = ""
) -> tuple[ImportedList, list[str]]:
    """Return the objects of kinds, pools of a namespace, and the kinds that are not there."""
    there: ImportedList = {}
    missing: list[str] = []
    pools = [it.pool for it in controllers() if it.pool.is_namespaced]
    for resource in kinds:
        try:
            there[resource] = list(cluster.list(resource, home if resource in pools else "").items)
        except NoSuchKindError:
            missing.append(resource.kind)
    return there, missing


def _others(cluster: Cluster | ManifestCluster) -> dict[str, IPSet]:
    """Return addresses in `externalIPs`, and of nodes if they can be listed, by user."""
    found = {
        "Service {namespace}/{name}".format_map(it["metadata"]): _set(ips)
        for it in cluster.list(SERVICE).items
        if (ips := (it.get("spec") or {}).get("externalIPs"))
    }
    with suppress(UnauthorizedError):
        nodes = nodes_in(cluster.list(NODE).items, _EVERYTHING)
        found["Nodes"] = _set(it.address for it in nodes)
    return found


def _set(addresses: Iterable[str]) -> IPSet:
    return ranges_of(f"{it}-{it}" for it in addresses)


def _with_entries(look: ImportSource, uid: str, home: str) -> ImportedSource:
    """Return all pools of a cluster, of the controller that has pools there."""
    used = [
        (it, pools)
        for it in controllers()
        if (pools := it.imported(_listed(look.cluster, (it.pool, *it.others), home)[0]))
    ]
    others = _others(look.cluster)
    note = f"{look.place}: Nodes cannot be listed: reserve their addresses in the pools"
    parts = [] if "Nodes" in others else [ImportedSource(notes=(note,))]
    if not used:
        names = ", ".join(it.pool.kind for it in controllers())
        parts.append(ImportedSource(notes=(f"{look.place}: no {names}",)))
        return Announced(look, (), (), others=others).with_outside(parts)
    if len(used) > 1:
        message = f"the cluster has pools of {' and '.join(it.name for it, _ in used)}"
        hint = "import only manifests of the controller that assigns the addresses"
        return undecided(look.place, message, hint)
    balancer, pools = used[0]
    cluster = Announced(look, pools, look.cluster.list(SERVICE).items, balancer, others)
    if len(cluster.homes) > 1:
        return cluster.several_homes()
    for it in pools:
        by = join_limited([*it.advertised_by])
        note = f"announced by {by}, which ipam does not change"
        parts.append(cluster.held(it, look.owner[1], [note] * bool(by)))
    keys = {key for it in pools for key in (*it.pool.annotations, *filter(by_tool, it.pool.labels))}
    if named := sorted(it for it in keys if not it.startswith((PREFIX, "kubectl."))):
        note = f"labels and annotations of its pools are not imported: {', '.join(named)}"
        parts.append(ImportedSource(notes=(f"{look.place}: {note}",)))
    sound = tuple(it for it in pools if not it.problem)
    made = ImportedCluster(look.owner[1], uid, balancer.name, cluster.homes[0], sound, look.place)
    return cluster.with_outside([*parts, ImportedSource(clusters=(made,))])


def _with_one(
    look: ImportSource, there: ImportedList, missing: Sequence[str], usual: str
) -> ImportedSource:
    """Return the pools of a cluster of which one becomes managed."""
    notes = (f"{look.place}: no kind {', '.join(missing)}",) if missing else ()
    found = ImportedSource(notes=notes)
    if _BALANCER.pool not in there:
        return found
    cluster = Announced(look, _BALANCER.imported(there), look.cluster.list(SERVICE).items)
    if len(cluster.homes) > 1:
        return found.with_more(cluster.several_homes())
    if homes := [it for it in cluster.homes if it not in ("", TENANT_HOME)]:
        note = f"{_BALANCER.name} is in namespace {homes[0]}; ipam apply writes to {TENANT_HOME}"
        found = found.with_more(ImportedSource(notes=(f"{look.place}: {note}",)))
    return found.with_more(_one_managed(cluster, usual))
