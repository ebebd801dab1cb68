"""One tenant's cluster, looked at: its Services, its pools, how MetalLB is, what it remembers."""

from contextlib import AbstractContextManager

from msgspec import Struct

from reconciler.addresses import IPSet
from reconciler.clusters.decision import is_ours
from reconciler.clusters.desired import MANAGER
from reconciler.clusters.elastic.demand import demand
from reconciler.clusters.elastic.idle import KEY, read_idle, remembered, write_idle
from reconciler.clusters.elastic.model import Granted, Outcome, Pool, Shown
from reconciler.clusters.elastic.pools import announced, read_pool, unwell
from reconciler.clusters.elastic.services import read_services
from reconciler.clusters.memory import NAME, Enrolled
from reconciler.clusters.metallb import NAMESPACE, ranges_of
from reconciler.clusters.resources import (
    ADDRESS_POOL,
    CONFIG_MAP,
    CONFIGURATION_STATE,
    SERVICE,
)
from reconciler.clusters.snapshot import Live, live_of
from reconciler.commands.applying.cluster_identity import ClusterIdentity, identify
from reconciler.commands.applying.response_validation import ValidatedCluster
from reconciler.model.resource import Manifest, Ref, Resource
from reconciler.model.settings import Elastic
from reconciler.ports import Cluster, ClusterError, NoSuchKindError

NO_METALLB = "MetalLB is not there: no kind IPAddressPool of metallb.io"


class Asked(Struct, frozen=True):
    """How a tenant's cluster is looked at.

    Attributes:
        name: Of the cluster.
        granted: What the tree says of the tenant.
        known: What the management cluster remembers of the cluster, or None.
        settings: How tenants grow.
        accepts: It may be another cluster than before.
        writes: Since when addresses are idle is noted there.
        lb_class: The class of Services that MetalLB serves there; empty for those without one.
    """

    name: str
    granted: Granted
    known: Enrolled | None
    settings: Elastic
    accepts: bool = False
    writes: bool = True
    lb_class: str = ""


def look_at(cluster: Cluster, asked: Asked, place: AbstractContextManager[object]) -> Outcome:
    """What follows from what a cluster shows.

    Args:
        cluster: The cluster.
        asked: How it is looked at.
        place: Taken once it has answered: those that never do must not take all places.

    Raises:
        ClusterError: It cannot be asked, or is another one than before.
    """
    uid = asked.known.uid if asked.known else ""
    identity = identify(cluster, asked.name, NAMESPACE, uid, accept=asked.accepts)
    with place:
        shown = _shown(cluster, identity, asked)
        text = remembered(identity.config_maps)
        found = demand(shown, asked.granted, read_idle(text or ""), asked.settings)
        now = write_idle(found.idle)
        if asked.writes and text is not None and text != now:
            ref = Ref(CONFIG_MAP, NAMESPACE, NAME)
            cluster.merge(ref, {"data": {KEY: now}}, MANAGER)
        return found


def _shown(cluster: Cluster, identity: ClusterIdentity, asked: Asked) -> Shown:
    # Each Service is looked at by itself: one that cannot be read is no reason to look at none.
    unchecked = cluster.cluster if isinstance(cluster, ValidatedCluster) else cluster
    items = unchecked.list(SERVICE).items
    now = cluster.now()
    manifests = _list(cluster, ADDRESS_POOL)
    if manifests is None:
        services, odd = read_services(items, asked.lb_class)
        return Shown(services, (), now, odd, NO_METALLB)
    entries = identity.inventory.objects
    every = [live_of(manifest) for manifest in manifests]
    ours = [live for live in every if is_ours(live, entries.get(str(live.ref)))]
    services, odd = read_services(items, asked.lb_class, [live.ref.name for live in ours])
    pools = tuple(_pool(live) for live in ours)
    states = _list(cluster, CONFIGURATION_STATE) or []
    lacks = _lacking(asked, pools)
    why = unwell([live.manifest for live in ours], states, lacks, now)
    return Shown(services, pools, now, odd, why)


def _lacking(asked: Asked, pools: tuple[Pool, ...]) -> IPSet:
    """What was applied, is still asked for, and is not in the pools any more."""
    live = (it.range for it in asked.granted.records if it.is_live and it.range is not None)
    applied = ranges_of(asked.known.addresses if asked.known else ())
    return (IPSet.of(live) & applied) - announced(pools)


def _pool(live: Live) -> Pool:
    try:
        return read_pool(live.manifest)
    except ValueError as wrong:
        raise ClusterError(f"IPAddressPool {live.ref.name} cannot be read: {wrong}") from wrong


def _list(cluster: Cluster, resource: Resource) -> list[Manifest] | None:
    """All objects of a kind beside MetalLB; None where the cluster does not know the kind."""
    kind = {"apiVersion": resource.api_version, "kind": resource.kind}
    try:
        return [{**item, **kind} for item in cluster.list(resource, NAMESPACE).items]
    except NoSuchKindError:
        return None
