"""What a cluster showed of its use: which addresses its pools announce, and which its Services have."""

from collections.abc import Iterable, Mapping

from reconciler.addresses import IPSet
from reconciler.clusters.decision import is_ours
from reconciler.clusters.elastic.model import Reading, Service, Shown, Use
from reconciler.clusters.elastic.pools import announced
from reconciler.clusters.elastic.services import read_services
from reconciler.clusters.inventory import Entry
from reconciler.clusters.metallb import NAMESPACE, pool_addresses
from reconciler.clusters.plan_tenant import SERVICES
from reconciler.clusters.resources import ADDRESS_POOL
from reconciler.clusters.snapshot import Live, Query, Snapshot
from reconciler.model.allocation import Allocation

_POOLS = Query(ADDRESS_POOL, NAMESPACE)


def used_by(services: Iterable[Service]) -> IPSet:
    """The addresses that some Services have."""
    return IPSet.of(item for service in services for item in service.addresses)


def reading_of(shown: Shown) -> Reading | None:
    """What a look read; None where a Service cannot be read: nobody knows what that one uses."""
    return None if shown.odd else Reading(announced(shown.pools), used_by(shown.services))


def reading_for(snapshot: Snapshot, entries: Mapping[str, Entry]) -> Reading | None:
    """What the plan of a cluster read; None where it needed no Services, or some cannot be read.

    Args:
        snapshot: What was read.
        entries: What the inventory says was put there.
    """
    services, pools = snapshot.answers.get(SERVICES), snapshot.answers.get(_POOLS)
    if services is None or pools is None:
        return None
    found, odd = read_services(live.manifest for live in services.objects.values())
    ours = [it for ref, it in pools.objects.items() if is_ours(it, entries.get(str(ref)))]
    addresses = _addresses(ours)
    return None if odd or addresses is None else Reading(addresses, used_by(found))


def _addresses(pools: Iterable[Live]) -> IPSet | None:
    try:
        return IPSet.of(item for live in pools for item in pool_addresses(live.manifest))
    except ValueError:
        return None


def uses(records: Iterable[Allocation], reading: Reading) -> tuple[Use, ...]:
    """How many addresses of each record Services use, by name.

    A record is left out of which a part was not announced and none is used: what is not there yet is
    not idle.
    """
    found = []
    held = ((it.name, it.range) for it in records if it.range is not None)
    for name, item in held:
        # By its ends: a cluster may show very many Services, and each record asks.
        runs = reading.used.overlapping(item)
        used = sum(min(it.last, item.last) - max(it.first, item.first) + 1 for it in runs)
        if used or reading.announced.covers(item):
            found.append(Use(name, item, used))
    return tuple(sorted(found))
