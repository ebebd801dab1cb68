"""Import of clusters, tables, and NetBox exports."""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from reconciler.addresses import IPRange, IPSet
from reconciler.apply.pools import TENANT_HOME, users_of
from reconciler.documents.findings import Finding, Location, join_limited
from reconciler.families.importing import ImportedCluster, ImportedList, ImportedRange, Writing
from reconciler.importing.found import (
    LOAD_BALANCER,
    NODES,
    ImportedSource,
    conflict,
    copies_of,
    fitted,
    resources,
    slug,
    undecided,
)
from reconciler.importing.manifests import ManifestCluster
from reconciler.importing.tables import (
    MAX_ROWS,
    Assumed,
    Rows,
    TableRow,
    UnreadableError,
    decoded,
    found_in,
    plain,
    table_rows,
)
from reconciler.kube.interface import Cluster
from reconciler.loadbalancers import controller, controllers
from reconciler.loadbalancers.interface import Controller, ImportedPool
from reconciler.loadbalancers.ranges import describe
from reconciler.model.errors import NoSuchKindError
from reconciler.model.objects import NAMESPACE as NAMESPACES
from reconciler.model.objects import SERVICE, Manifest, Ref, Resource

_BALANCER = controller()
_KIND = _BALANCER.pool.kind
_OPTION = _BALANCER.name.lower()
_EVERYTHING = IPSet((IPRange(4, 0, (1 << 32) - 1), IPRange(6, 0, (1 << 128) - 1)))


class Announced(NamedTuple):
    """A cluster's pools and Services, and its default (`usual`) and requested managed pool."""

    owner: tuple[str, str]
    pools: Sequence[Manifest]
    services: Sequence[Manifest]
    usual: str
    wanted: str = ""
    balancer: Controller = _BALANCER

    def place(self, pool: str = "") -> Location:
        """Return the location of the cluster, or of one of its pools."""
        title = f"cluster {_title(self.owner)}"
        return Location(f"{title} {self.balancer.pool.kind} {pool}" if pool else title)

    def users(self, ranges: IPSet) -> tuple[str, ...]:
        """Return the Services with addresses in some ranges, for display."""
        return tuple(
            f"{it.service} ({it.address})"
            for it in users_of(self.services, ranges, counts_pins=False)
        )

    def held(
        self, name: str, place: Location, ranges: Iterable[IPRange], *, is_ours: bool = True
    ) -> list[ImportedRange]:
        """Return ranges that are its own, or of another owner."""
        return [
            ImportedRange(
                *(self.owner[0], name, LOAD_BALANCER if is_ours else NODES, item, place),
                said=name,
                is_cluster=is_ours,
                users=self.users(IPSet((item,))),
            )
            for item in ranges
        ]

    def outside(self, inside: IPSet) -> ImportedSource:
        """Return the conflict of Services whose addresses no pool has, if there are any."""
        outside, name = self.users(_EVERYTHING - inside), self.balancer.name
        if not outside:
            return ImportedSource()
        message = f"an address outside of every {self.balancer.pool.kind}: Service {join_limited(outside)}"
        hint = "reserve the address or import it as a CSV row, then repeat with --partial"
        if not self.pools:
            hint = f"if {name} is in another namespace: --{_OPTION}-namespace NAME; else {hint}"
        return undecided(self.place(), message, hint)


def _title(owner: tuple[str, str]) -> str:
    return "/".join(filter(None, owner))


def held_by(cluster: Announced) -> ImportedSource:
    """Return the ranges of pools. The default or only pool becomes managed, others keep theirs."""
    named = {item["metadata"]["name"]: item for item in cluster.pools}
    ours = cluster.wanted or (cluster.usual if cluster.usual in named else "")
    if not ours and len(named) == 1:
        (ours,) = named
    if named and ours not in named:
        names = ", ".join(named)
        message = f"it has {len(named)} {_KIND}s, none of which is {cluster.usual}: {names}"
        hint = (
            f"say which one ipam keeps: --{_OPTION}-pool CLUSTER=POOL; the others stay as they are"
        )
        return undecided(cluster.place(), message, hint)
    parts = [_pool(cluster, item, is_ours=name == ours) for name, item in sorted(named.items())]
    inside = IPSet.of(item.item for part in parts for item in part.holdings)
    parts.insert(0, cluster.outside(inside))
    if not named:
        parts.append(ImportedSource(notes=(f"{cluster.place()}: no {_KIND}",)))
    elif ours != cluster.usual:
        parts.append(ImportedSource(named=((cluster.owner, ours, cluster.place(ours)),)))
    return ImportedSource().with_more(*parts)


def _pool(cluster: Announced, manifest: Manifest, *, is_ours: bool) -> ImportedSource:
    name = manifest["metadata"]["name"]
    place = cluster.place(name)
    try:
        addresses = _BALANCER.addresses(manifest)
    except ValueError as wrong:
        hint = f"fix it in the cluster: {_BALANCER.name} cannot read it either"
        return undecided(place, str(wrong), hint)
    _, owner = cluster.owner
    # Under the cluster's own name, `ipam` would put the range into the managed pool.
    owner = owner if is_ours else fitted(f"{owner}-{slug(name)}")
    holdings = tuple(cluster.held(owner, place, addresses, is_ours=is_ours))
    note = f"{place}: {describe(addresses)} is held, and stays with the pool:"
    notes = () if is_ours else (f"{note} ipam keeps one in a cluster",)
    return ImportedSource(holdings=holdings, notes=notes)


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
    return next((_SHAPES[name] for name in map(plain, names) if name in _SHAPES), "")


def netbox_rows(path: str, text: str, mapped: Mapping[str, str]) -> Rows:
    """Return the rows of an export: a list of objects, a page of the API, or a table."""
    if text.lstrip()[:1] not in ("[", "{"):
        return table_rows(path, text, mapped, _COLUMNS, _shape)
    if mapped:
        raise UnreadableError(path, "--map names a column, and JSON has none", "omit --map")
    read = _parsed(path, text)
    items = read.get("results", [read]) if isinstance(read, dict) else read
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        hint = "a list of prefixes, ip-ranges or ip-addresses, as /api/ipam/… gives it"
        raise UnreadableError(path, "the file holds no list of objects", hint)
    if len(items) > MAX_ROWS:
        message = f"the file has more than {MAX_ROWS:,} objects"
        hint = "export it in several files, and import one after the other"
        raise UnreadableError(path, message, hint)
    if isinstance(read, dict) and read.get("next"):
        hint = "export all of them: add ?limit=0 to the address, or name all pages"
        raise UnreadableError(path, "the file is one page of several", hint)
    return [_row(path, at, item) for at, item in enumerate(items)], ()


def _parsed(path: str, text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as failed:
        line = failed.lineno if isinstance(failed, json.JSONDecodeError) else 0
        why = failed.msg if isinstance(failed, json.JSONDecodeError) else "it cannot be read"
        message = f"the file is no JSON: {why}"
        raise UnreadableError(path, message, "export it again", line) from failed


def _row(path: str, at: int, item: Mapping[str, Any]) -> TableRow:
    values = {
        meaning: text
        for meaning, parts in _PARTS.items()
        if (text := next(filter(None, (_text(item.get(part)) for part in parts)), ""))
    }
    number = item.get("id")
    pointer = f"/{at} (id {number})" if isinstance(number, int) else f"/{at}"
    return TableRow(Location(path, 0, 0, pointer), values, _shape(item))


def _text(value: object) -> str:
    for _ in range(len(_NAMES)):
        if not isinstance(value, Mapping):
            break
        value = next((value[name] for name in _NAMES if value.get(name)), "")
    return "true" if value is True else value.strip() if isinstance(value, str) else ""


def files_found(
    files: Iterable[tuple[str, bytes]],
    assumed: Assumed,
    rows_of: Callable[[str, str, Mapping[str, str]], Rows] = table_rows,
) -> ImportedSource:
    """Return the content of files, tables or, with `netbox_rows`, of NetBox."""
    parts: list[ImportedSource] = []
    for path, data in files:
        try:
            rows, notes = rows_of(path, decoded(path, data), assumed.mapped)
            parts += [ImportedSource(notes=tuple(notes)), found_in(rows, assumed)]
        except UnreadableError as failed:
            parts.append(ImportedSource(conflicts=(failed.finding,)))
    return ImportedSource().with_more(*parts)


class ImportSource(NamedTuple):
    """A cluster to import from, its owner if no source names it, and its managed pool or empty."""

    owner: tuple[str, str]
    cluster: Cluster | ManifestCluster
    pool: str = ""


def looked(
    looks: Sequence[ImportSource], usual: str, namespace: str = "", writer: Writing | None = None
) -> ImportedSource:
    """Return the content of clusters. `namespace` is the controller's, or empty."""
    parts: list[ImportedSource] = []
    seen: dict[str, str] = {}
    for look in looks:
        title = _title(look.owner)
        system = look.cluster.get(Ref(NAMESPACES, "", "kube-system"))
        uid = system["metadata"]["uid"] if system is not None else ""
        if uid and uid in seen:
            note = f"cluster {title}: it is {seen[uid]}, which is read already"
            parts.append(ImportedSource(notes=(note,)))
            continue
        place, has_entries = Location(f"cluster {title}"), writer and writer.entries is not None
        if has_entries and title in seen.values():
            message, hint = "another cluster has this name", "name each cluster: NAME=KUBECONFIG"
            parts.append(undecided(place, message, hint))
            continue
        seen[uid] = title
        own = () if has_entries else (_BALANCER.pool,)
        there, missing = _listed(look.cluster, (*own, *resources(writer)), namespace)
        parts.append(copies_of(title, there, writer))
        try:
            if has_entries:
                parts.append(_with_entries(look, uid, namespace))
            else:
                parts.append(_one(look, there, missing, usual))
        except (KeyError, TypeError, AttributeError):
            message, hint = "its pools or Services cannot be read", "fix or export them"
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


def _with_entries(look: ImportSource, uid: str, home: str) -> ImportedSource:
    """Return all pools of a cluster, of the controller that has pools there."""
    place = Location(f"cluster {_title(look.owner)}")
    used = [
        (it, pools)
        for it in controllers()
        if (pools := it.imported(_listed(look.cluster, (it.pool, *it.others), home)[0]))
    ]
    if len(used) == 1:
        return _entries_of(look, uid, *used[0], look.cluster.list(SERVICE).items)
    if not used:
        names = ", ".join(it.pool.kind for it in controllers())
        return ImportedSource(notes=(f"{place}: no {names}",))
    message = f"it has pools of {' and '.join(it.name for it, _ in used)}"
    hint = "import manifests of the controller that gives the addresses only"
    return undecided(place, message, hint)


def _entries_of(
    look: ImportSource,
    uid: str,
    balancer: Controller,
    pools: Sequence[ImportedPool],
    services: Sequence[Manifest],
) -> ImportedSource:
    cluster = Announced(look.owner, (), services, "", balancer=balancer)
    _, name = cluster.owner
    homes = sorted({it.namespace for it in pools})
    if len(homes) > 1:
        return _several_homes(cluster.place(), balancer, homes)
    holdings: list[ImportedRange] = []
    notes: list[str] = []
    conflicts: list[Finding] = []
    for it in pools:
        place = cluster.place(it.pool.name)
        if it.problem:
            hint = f"fix it in the cluster: {balancer.name} cannot read it either"
            conflicts.append(conflict(place, it.problem, hint))
        if by := join_limited(it.advertised_by):
            notes.append(f"{place}: announced by {by}, left as it is")
        if it.unknown:
            notes.append(f"{place}: left as it is: {join_limited(it.unknown)}")
        holdings += cluster.held(name, place, IPSet.of(it.pool.ranges))
    outside = cluster._replace(pools=[{}]).outside(IPSet.of(it.item for it in holdings))
    sound = tuple(it for it in pools if not it.problem)
    made = ImportedCluster(name, uid, balancer.name, homes[0], sound, cluster.place())
    return ImportedSource(
        holdings=tuple(holdings), notes=tuple(notes), conflicts=tuple(conflicts), clusters=(made,)
    ).with_more(outside)


def _several_homes(place: Location, balancer: Controller, homes: Sequence[str]) -> ImportedSource:
    message = f"it has {balancer.pool.kind}s in several namespaces: {', '.join(homes)}"
    hint = f"say which one {balancer.name} is in: --{_OPTION}-namespace NAME"
    return undecided(place, message, hint)


def _one(
    look: ImportSource, there: ImportedList, missing: Sequence[str], usual: str
) -> ImportedSource:
    place = Location(f"cluster {_title(look.owner)}")
    notes = (f"{place}: it has no kind {', '.join(missing)}",) if missing else ()
    found = ImportedSource(notes=notes)
    if _BALANCER.pool not in there:
        return found
    pools = there[_BALANCER.pool]
    homes = sorted({item["metadata"].get("namespace", TENANT_HOME) for item in pools})
    if len(homes) > 1:
        return found.with_more(_several_homes(place, _BALANCER, homes))
    if homes and homes != [TENANT_HOME]:
        note = (
            f"{place}: {_BALANCER.name} is in namespace {homes[0]}; apply writes to {TENANT_HOME}"
        )
        found = found.with_more(ImportedSource(notes=(note,)))
    services = look.cluster.list(SERVICE).items
    return found.with_more(held_by(Announced(look.owner, pools, services, usual, look.pool)))
