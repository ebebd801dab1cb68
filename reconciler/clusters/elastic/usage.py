"""The use of addresses in a cluster: announced, used by Services, and idle since when."""

from collections.abc import Iterable, Mapping

from reconciler.addresses import IPSet
from reconciler.clusters.decision import is_ours
from reconciler.clusters.elastic.model import Reading, Service, Shown, Use
from reconciler.clusters.elastic.pools import announced
from reconciler.clusters.elastic.services import read_services
from reconciler.clusters.inventory import Entry, data_of
from reconciler.clusters.memory import NAME
from reconciler.clusters.metallb import NAMESPACE, pool_addresses
from reconciler.clusters.plan_tenant import SERVICES
from reconciler.clusters.resources import ADDRESS_POOL
from reconciler.clusters.snapshot import Live, Query, Snapshot
from reconciler.model.allocation import Allocation
from reconciler.model.resource import Manifest

KEY = "idle"
"""The key in the first ConfigMap of the inventory."""

_MOST_LINES = 2_000
_MOST_DIGITS = 15


def remembered(config_maps: Iterable[Manifest]) -> str | None:
    """What an inventory remembers, as text; None where there is no inventory."""
    first = data_of(config_maps).get(NAME)
    return None if first is None else first.get(KEY, "")


def write_idle(idle: Mapping[str, int]) -> str:
    """Seconds since 1970 by address, as a text of lines."""
    return "".join(f"{key} {since}\n" for key, since in sorted(idle.items()))


def read_idle(text: str) -> dict[str, int]:
    """What `write_idle` wrote. A tenant may have written anything: what cannot be read is left out."""
    found: dict[str, int] = {}
    for line in text.splitlines()[:_MOST_LINES]:
        key, _, since = line.partition(" ")
        if since.isascii() and since.isdecimal() and len(since) <= _MOST_DIGITS:
            found[key] = int(since)
    return found


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
