"""MetalLB's pools of a cluster, with the Services that use them, to who has which addresses."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from reconciler.addresses import IPRange, IPSet
from reconciler.clusters.metallb import User, pool_addresses, told, users_of
from reconciler.findings import Finding, Location, few
from reconciler.importing.found import LOAD_BALANCER, NODES, Found, Holding, conflict
from reconciler.importing.naming import fitted, slug
from reconciler.model.resource import Manifest

_EVERYTHING = IPSet((IPRange(4, 0, (1 << 32) - 1), IPRange(6, 0, (1 << 128) - 1)))


class Announced(NamedTuple):
    """What a cluster announces.

    Attributes:
        owner: Namespace and name of the cluster.
        usual: What our pool is called there, where nothing says otherwise.
        wanted: The pool that becomes ours, as a person says; empty to tell it by itself.
    """

    owner: tuple[str, str]
    pools: Sequence[Manifest]
    services: Sequence[Manifest]
    usual: str
    wanted: str = ""


def held_by(cluster: Announced) -> Found:
    """Who has the addresses of MetalLB's pools: the cluster.

    One pool becomes ours: the one that has the usual name, or the only one. Addresses of the others
    are held, and stay with those who announce them.
    """
    named = {item["metadata"]["name"]: item for item in cluster.pools}
    if not named:
        title = "/".join(cluster.owner)
        return Found(notes=(f"cluster {title}: no IPAddressPool",), conflicts=_outside(cluster, ()))
    ours = _ours(cluster, list(named))
    if not ours:
        names = ", ".join(named)
        message = f"it has {len(named)} IPAddressPools, none of which is {cluster.usual}: {names}"
        hint = "say which one ipam keeps: --metallb-pool CLUSTER=POOL; the others stay as they are"
        return Found(conflicts=(conflict(_place(cluster), message, hint),))
    parts = [_pool(cluster, item, is_ours=name == ours) for name, item in sorted(named.items())]
    inside = [item.item for part in parts for item in part.holdings]
    found = Found(conflicts=_outside(cluster, inside))
    for part in parts:
        found = found.with_more(part)
    if ours == cluster.usual:
        return found
    return found.with_more(Found(named=((cluster.owner, ours, _place(cluster, ours)),)))


def _ours(cluster: Announced, names: Sequence[str]) -> str:
    if cluster.wanted:
        return cluster.wanted if cluster.wanted in names else ""
    if cluster.usual in names:
        return cluster.usual
    return names[0] if len(names) == 1 else ""


def _place(cluster: Announced, pool: str = "") -> Location:
    named = f" IPAddressPool {pool}" if pool else ""
    return Location(f"cluster {'/'.join(cluster.owner)}{named}")


def _pool(cluster: Announced, manifest: Manifest, *, is_ours: bool) -> Found:
    name = manifest["metadata"]["name"]
    place = _place(cluster, name)
    try:
        addresses = pool_addresses(manifest)
    except ValueError as wrong:
        hint = "mend it in the cluster: MetalLB cannot read it either"
        return Found(conflicts=(conflict(place, str(wrong), hint),))
    namespace, owner = cluster.owner
    # Of another name: no range of the cluster's own, which ipam would put into its pool.
    owner = owner if is_ours else fitted(f"{owner}-{slug(name)}")
    holdings = tuple(
        Holding(
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
        return Found(holdings=holdings)
    note = (
        f"{place}: {told(addresses)} is held, and stays with the pool: ipam keeps one in a cluster"
    )
    return Found(holdings=holdings, notes=(note,))


def _users(users: Iterable[User]) -> tuple[str, ...]:
    return tuple(f"{it.service} ({it.address})" for it in users)


def _outside(cluster: Announced, inside: Iterable[IPRange]) -> tuple[Finding, ...]:
    """Services that have an address which no pool of the cluster gives."""
    left = users_of(cluster.services, _EVERYTHING - IPSet.of(inside))
    if not left:
        return ()
    names = few([f"{it.service} ({it.address})" for it in left])
    message = f"an address outside of every IPAddressPool: Service {names}"
    hint = "whoever gives it is not MetalLB: reserve it, or describe it as a CSV row"
    return (conflict(_place(cluster), message, hint),)
