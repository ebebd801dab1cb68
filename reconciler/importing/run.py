"""Import of clusters and tables."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from reconciler.addresses import IPRange, IPSet
from reconciler.apply.management import validated
from reconciler.apply.metallb import NAMESPACE, User, describe, pool_addresses, users_of
from reconciler.documents.findings import Finding, Location, join_limited, shown
from reconciler.families.importing import ImportedList
from reconciler.gitio.interface import Source
from reconciler.importing.assembling import Imported, assemble
from reconciler.importing.found import (
    LOAD_BALANCER,
    NODES,
    ImportedRange,
    ImportedSource,
    conflict,
    copies_of,
    fitted,
    resources,
    slug,
)
from reconciler.importing.tables import (
    MAX_ROWS,
    Assumed,
    Rows,
    TableRow,
    decoded,
    found_in,
    table_rows,
    wrong,
)
from reconciler.kube.interface import Cluster
from reconciler.kube.resources import ADDRESS_POOL
from reconciler.model.errors import NoSuchKindError
from reconciler.model.objects import NAMESPACE as NAMESPACES
from reconciler.model.objects import SERVICE, Manifest, Ref
from reconciler.planning.read import read_tree

_EVERYTHING = IPSet((IPRange(4, 0, (1 << 32) - 1), IPRange(6, 0, (1 << 128) - 1)))


class Announced(NamedTuple):
    """Announcements of a cluster.

    Attributes:
        owner: Namespace and name of the cluster.
        usual: The default name of the managed pool.
        wanted: The pool to manage, as requested; empty to detect it.
    """

    owner: tuple[str, str]
    pools: Sequence[Manifest]
    services: Sequence[Manifest]
    usual: str
    wanted: str = ""


def held_by(cluster: Announced) -> ImportedSource:
    """Return the ranges of MetalLB's pools, which belong to the cluster.

    One pool becomes managed: the pool with the default name, or the only pool. Addresses of other
    pools are recorded and stay with their pools.
    """
    named = {item["metadata"]["name"]: item for item in cluster.pools}
    if not named:
        title = "/".join(cluster.owner)
        return ImportedSource(
            notes=(f"cluster {title}: no IPAddressPool",), conflicts=_outside(cluster, ())
        )
    ours = _ours(cluster, list(named))
    if not ours:
        names = ", ".join(named)
        message = f"it has {len(named)} IPAddressPools, none of which is {cluster.usual}: {names}"
        hint = "say which one ipam keeps: --metallb-pool CLUSTER=POOL; the others stay as they are"
        return ImportedSource(conflicts=(conflict(_place(cluster), message, hint),))
    parts = [_pool(cluster, item, is_ours=name == ours) for name, item in sorted(named.items())]
    inside = [item.item for part in parts for item in part.holdings]
    found = ImportedSource(conflicts=_outside(cluster, inside))
    for part in parts:
        found = found.with_more(part)
    if ours == cluster.usual:
        return found
    return found.with_more(ImportedSource(named=((cluster.owner, ours, _place(cluster, ours)),)))


def _ours(cluster: Announced, names: Sequence[str]) -> str:
    if cluster.wanted:
        return cluster.wanted if cluster.wanted in names else ""
    if cluster.usual in names:
        return cluster.usual
    return names[0] if len(names) == 1 else ""


def _place(cluster: Announced, pool: str = "") -> Location:
    named = f" IPAddressPool {pool}" if pool else ""
    return Location(f"cluster {'/'.join(cluster.owner)}{named}")


def _pool(cluster: Announced, manifest: Manifest, *, is_ours: bool) -> ImportedSource:
    name = manifest["metadata"]["name"]
    place = _place(cluster, name)
    try:
        addresses = pool_addresses(manifest)
    except ValueError as wrong:
        hint = "mend it in the cluster: MetalLB cannot read it either"
        return ImportedSource(conflicts=(conflict(place, str(wrong), hint),))
    namespace, owner = cluster.owner
    # Use another name, so that the range does not become the cluster's own, which `ipam` would put
    # into the managed pool.
    owner = owner if is_ours else fitted(f"{owner}-{slug(name)}")
    holdings = tuple(
        ImportedRange(
            namespace,
            owner,
            LOAD_BALANCER if is_ours else NODES,
            item,
            place,
            said=owner,
            is_cluster=is_ours,
            users=_users(users_of(cluster.services, IPSet((item,)))),
        )
        for item in addresses
    )
    if is_ours:
        return ImportedSource(holdings=holdings)
    note = f"{place}: {describe(addresses)} is held, and stays with the pool: ipam keeps one in a cluster"
    return ImportedSource(holdings=holdings, notes=(note,))


def _users(users: Iterable[User]) -> tuple[str, ...]:
    return tuple(f"{it.service} ({it.address})" for it in users)


def _outside(cluster: Announced, inside: Iterable[IPRange]) -> tuple[Finding, ...]:
    """Return findings for Services with an address outside the cluster's pools."""
    left = users_of(cluster.services, _EVERYTHING - IPSet.of(inside))
    if not left:
        return ()
    names = join_limited([f"{it.service} ({it.address})" for it in left])
    message = f"an address outside of every IPAddressPool: Service {names}"
    hint = "whoever gives it is not MetalLB: reserve it, or describe it as a CSV row"
    return (conflict(_place(cluster), message, hint),)


_SHAPES = (("prefix", "network"), ("start_address", "range"), ("address", "host"))
_ALSO = {"Prefix": "network", "Start address": "range", "IP Address": "host", "Address": "host"}
# Names for the attributes of an object; the first attribute with a value is used.
_PARTS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("address", ("address",)),
    ("cidr", ("prefix",)),
    ("start", ("start_address",)),
    ("end", ("end_address",)),
    ("name", ("assigned_object", "dns_name")),
    ("team", ("tenant",)),
    ("type", ("role",)),
    ("status", ("status",)),
    ("description", ("description",)),
    ("space", ("vrf",)),
)
_NAMES = ("virtual_machine", "device", "fhrp_group", "name", "value", "display", "slug")
# Column names of list exports. Columns of import tables are in lower case.
_TABLE = {"tenant": "team", "vlan": "ignore", "site": "ignore", "scope": "ignore"}


def netbox_rows(path: str, text: str) -> Rows:
    """Return the rows of an export: a list of objects, a page of the API, or a table."""
    if text.lstrip()[:1] not in ("[", "{"):
        return _table(path, text)
    read = _parsed(path, text)
    if isinstance(read, Rows):
        return read
    items = read.get("results", [read]) if isinstance(read, dict) else read
    if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
        hint = "a list of prefixes, ip-ranges or ip-addresses, as /api/ipam/… gives it"
        return wrong(path, "the file holds no list of objects", hint)
    if len(items) > MAX_ROWS:
        message = f"the file has more than {MAX_ROWS:,} objects"
        return wrong(path, message, "export it in several files, and import one after the other")
    more = isinstance(read, dict) and read.get("next")
    rows = tuple(_row(path, at, item) for at, item in enumerate(items))
    if more:
        hint = "export all of them: add ?limit=0 to the address, or name all pages"
        return Rows(rows, wrong(path, "the file is one page of several", hint).conflicts)
    return Rows(rows)


def _parsed(path: str, text: str) -> Any:
    """Return the parsed JSON, or `Rows` with the reason why it is invalid."""
    try:
        return json.loads(text, object_pairs_hook=_object)
    except _TwiceError as failed:
        message = f"an object says {shown(str(failed))} twice"
        return wrong(path, message, "export it once more: of two values one would be lost")
    except json.JSONDecodeError as failed:
        message = f"the file is no JSON: {failed.msg}"
        return wrong(path, message, "export it once more", failed.lineno)
    except RecursionError:
        return wrong(path, "the file is no JSON: it is nested too deep", "export it once more")
    except ValueError:  # Python limits the number of digits of an integer
        message = "the file holds a number of thousands of digits"
        return wrong(path, message, "export it once more: NetBox writes none")


class _TwiceError(Exception):
    """An object has a duplicate key: the key."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return an object without duplicate keys."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise _TwiceError(key)
        found[key] = value
    return found


def _table(path: str, text: str) -> Rows:
    header = next((line for line in text.splitlines() if line.strip()), "")
    names = [cell.strip().strip('"') for cell in header.split(",")]
    mapped = {name: _TABLE[name.casefold()] for name in names if name.casefold() in _TABLE}
    found = table_rows(path, text, mapped)
    plain = {name.casefold().replace("_", " "): shape for name, shape in _ALSO.items()}
    lowered = {shape.casefold(): meaning for shape, meaning in plain.items()}
    shape = next(
        (lowered[key] for name in names if (key := name.casefold().replace("_", " ")) in lowered),
        "",
    )
    return found._replace(rows=tuple(row._replace(shape=shape) for row in found.rows))


def _row(path: str, at: int, item: Mapping[str, Any]) -> TableRow:
    values = {}
    for meaning, parts in _PARTS:
        text = next((text for part in parts if (text := _text(item.get(part)))), "")
        if text:
            values[meaning] = text
    shape = next((shape for field, shape in _SHAPES if field in item), "")
    number = item.get("id")
    pointer = f"/{at}" if not isinstance(number, int) else f"/{at} (id {number})"
    return TableRow(Location(path, 0, 0, pointer), values, shape)


def _text(value: object) -> str:
    """Return a value, or the name of an object."""
    for _ in range(len(_NAMES)):
        if not isinstance(value, Mapping):
            break
        value = next((value[name] for name in _NAMES if value.get(name)), "")
    return value.strip() if isinstance(value, str) else ""


class ImportSource(NamedTuple):
    """A cluster to import from.

    Attributes:
        owner: Namespace and name if no other source names it.
        pool: The MetalLB pool to manage, as requested; empty to detect it.
    """

    owner: tuple[str, str]
    cluster: Cluster
    pool: str = ""


def files_found(
    files: Iterable[tuple[str, bytes]],
    assumed: Assumed,
    *,
    mapped: Mapping[str, str] | None = None,
) -> ImportedSource:
    """Return the content of files.

    Args:
        files: Files with their names.
        assumed: Defaults for values that rows do not contain.
        mapped: Meanings of columns, as requested; None for NetBox exports.
    """
    found = ImportedSource()
    left = MAX_ROWS
    for path, data in files:
        rows = _rows(path, data, mapped)
        left -= len(rows.rows)
        if left < 0:
            message = f"all files together have more than {MAX_ROWS:,} rows"
            rows = wrong(path, message, "import one after the other")
        more = found_in(rows.rows, assumed)
        found = found.with_more(
            ImportedSource(conflicts=rows.conflicts, notes=rows.notes)
        ).with_more(more)
    return found


def _rows(path: str, data: bytes, mapped: Mapping[str, str] | None) -> Rows:
    text = decoded(path, data)
    if isinstance(text, Rows):
        return text
    return netbox_rows(path, text) if mapped is None else table_rows(path, text, mapped)


def looked(looks: Sequence[ImportSource], usual: str) -> ImportedSource:
    """Return the content of clusters, which are only listed.

    Args:
        looks: The clusters.
        usual: The default name of the managed pool of a cluster.

    Raises:
        ClusterError: A cluster cannot be reached, or a permission is missing.
    """
    found = ImportedSource()
    seen: dict[str, str] = {}
    for look in looks:
        title = "/".join(look.owner)
        cluster = validated(look.cluster)
        uid = _uid(cluster)
        if uid in seen:
            note = f"cluster {title}: it is {seen[uid]}, which is read already"
            found = found.with_more(ImportedSource(notes=(note,)))
            continue
        seen[uid] = title
        found = found.with_more(_one(look, cluster, title, usual))
    return found


def _uid(cluster: Cluster) -> str:
    there = cluster.get(Ref(NAMESPACES, "", "kube-system"))
    return there["metadata"]["uid"] if there is not None else ""


def _one(look: ImportSource, cluster: Cluster, title: str, usual: str) -> ImportedSource:
    there: ImportedList = {}
    missing: list[str] = []
    for resource in (ADDRESS_POOL, *resources()):
        namespace = NAMESPACE if resource == ADDRESS_POOL else ""
        try:
            there[resource] = list(cluster.list(resource, namespace).items)
        except NoSuchKindError:
            missing.append(resource.kind)
    notes = (f"cluster {title}: it has no kind {', '.join(missing)}",) if missing else ()
    found = ImportedSource(notes=notes).with_more(copies_of(title, there))
    if ADDRESS_POOL not in there:
        return found
    services = cluster.list(SERVICE).items
    return found.with_more(
        held_by(Announced(look.owner, there[ADDRESS_POOL], services, usual, look.pool))
    )


def imported(source: Source, found: ImportedSource) -> Imported:
    """Return the result of an import into the tree of a source."""
    return assemble(read_tree(source), found)
