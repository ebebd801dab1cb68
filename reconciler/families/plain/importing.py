"""Documents of an import: AddressPools, AddressClaims, and ClusterTargets with their entries."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import chain, count

from reconciler.addresses import IPSet, format_cidr, format_range
from reconciler.families import importing
from reconciler.families.importing import ImportedBody, ImportedCluster, ImportedNetwork
from reconciler.families.plain.kinds import CLAIM, POOL, TARGET, pool_key
from reconciler.loadbalancers import controller
from reconciler.loadbalancers.interface import DEFAULT, NOT_ADVERTISED, ImportedPool, by_tool
from reconciler.loadbalancers.ranges import written
from reconciler.model.key import MAX_LABEL, is_label
from reconciler.model.objects import API_VERSION
from reconciler.model.pool import DEFAULT_SPACE


def _document(kind: str, name: str, spec: ImportedBody, namespace: str = "") -> ImportedBody:
    metadata = {"name": name, **({"namespace": namespace} if namespace else {})}
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": metadata, "spec": spec}


def _pool(network: ImportedNetwork) -> ImportedBody:
    """Return the pool of a network; of exactly the addresses in use if no source describes it."""
    extent = network.extent
    given = IPSet.of(network.windows) - IPSet.of(network.reserved)
    spec: ImportedBody = {"addresses": [format_range(it) for it in given]}
    if not network.is_found:
        first, last = extent._replace(last=extent.first), extent._replace(first=extent.last)
        ends = IPSet.of((first, last) if extent.size > 2 else ())
        spec = {"addresses": [format_cidr(extent)]}
        if ends & given:
            spec["useAllAddresses"], ends = True, IPSet()
        left, reserved = IPSet((extent,)) - given - ends, list[ImportedBody]()
        for user, addresses in (*network.users, ("", left)):  # at most 1,000 entries
            if (its := left & addresses) and (len(reserved) < 999 or not user):
                about = {"description": user} if user else {}
                reserved.append({"addresses": list(written(its)), **about})
                left -= its
        spec |= {"reserved": reserved} if reserved else {}
    if network.space != DEFAULT_SPACE:
        spec["addressSpace"] = network.space
    if network.is_found or network.is_full:
        spec["capacityLimit"] = "never"
    return _document(POOL.kind, network.name, spec)


def _claim(held: importing.ImportedRange, name: str) -> ImportedBody:
    pinned = {"poolRefs": [{"name": held.pool}], "addresses": [format_range(held.item)]}
    return _document(CLAIM.kind, name, pinned, held.namespace)


def _target(
    cluster: ImportedCluster, pools: Sequence[tuple[ImportedPool, Sequence[str]]]
) -> ImportedBody:
    spec: ImportedBody = {"uid": cluster.uid} if cluster.uid else {}
    spec["controller"] = {"type": cluster.controller}
    if cluster.namespace not in ("", controller(cluster.controller).namespace):
        own = f"{cluster.controller[0].lower()}{cluster.controller[1:]}"
        spec["controller"][own] = {"namespace": cluster.namespace}
    elif cluster.controller == DEFAULT:
        del spec["controller"]
    spec["loadBalancers"] = list(_entries(pools))
    return _document(TARGET.kind, cluster.name, spec)


def _entries(pools: Sequence[tuple[ImportedPool, Sequence[str]]]) -> Iterator[ImportedBody]:
    """Yield entries. The only one of an IP family that serves all Services is its default."""
    chosen = Counter(
        version
        for it, _ in pools
        if it.pool.services.is_default
        for version in {item.version for item in it.pool.ranges}
    )
    names: set[str] = set()
    for imported, refs in pools:
        pool, services = imported.pool, imported.pool.services
        name = _name(pool.name, names)
        entry: ImportedBody = {"name": name}
        if name != pool.name:
            entry["objectName"] = pool.name
        entry["poolRefs"] = [{"name": it} for it in refs]
        entry["addresses"] = list(written(pool.ranges))
        if services.is_default:
            limits = "serviceAllocation" in pool.spec
            is_only = all(chosen[item.version] == 1 for item in pool.ranges) and not limits
            entry |= {"services": {"default": True}} if is_only else {"autoAssign": True}
        elif not services.is_empty:
            entry["services"] = {
                **({"namespaces": list(services.namespaces)} if services.namespaces else {}),
                **({"selector": services.selector} if services.selector else {}),
            }
        entry["advertisement"] = NOT_ADVERTISED
        if pool.avoids_buggy:
            entry["avoidBuggyIPs"] = True
        if pool.spec:
            entry["poolSpec"] = pool.spec
        if labels := {key: it for key, it in pool.labels.items() if not by_tool(key)}:
            entry["labels"] = labels
        yield entry


def _name(pool: str, taken: set[str]) -> str:
    base = pool if is_label(pool) else pool.replace(".", "-")[: MAX_LABEL - 4].rstrip("-")
    names = chain((base,), (f"{base}-{number}" for number in count(2)))
    name = next(it for it in names if it not in taken)
    taken.add(name)
    return name


WRITING = importing.Writing(
    kind=TARGET,
    versions=(4, 6),
    pool_key=pool_key,
    pool=_pool,
    pin=_claim,
    request_name=lambda owner, _: owner[1],
    folder="claims",
    limit="capacityLimit",
    ranges="spec.addresses",
    entries=_target,
)
