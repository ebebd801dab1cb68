"""Demand of a cluster."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from reconciler.addresses import IPSet, format_short
from reconciler.apply.elastic import (
    Figures,
    GrantedRanges,
    GrowthOutcome,
    ObservedCluster,
    Service,
    StatusMessage,
)
from reconciler.apply.elastic_services import announced, reading_of, spare, used_by
from reconciler.documents.findings import join_limited
from reconciler.families.demand import LARGEST, DemandEntry, growth_index, next_index, standing
from reconciler.model.claim import Allocation
from reconciler.model.instant import parse_instant
from reconciler.model.plan import NOT_SERVED
from reconciler.model.settings import Elastic

TOGETHER = 1
"""Seconds that a Service can be younger if another one is old enough: times are whole seconds."""
_MAX_SHARED = 64
"""Maximum number of addresses of one sharing key that are compared with a Service."""


class Waiting(NamedTuple):
    """Services that wait for an address.

    Attributes:
        all: All Services that growth would serve, of any age.
        old: The Services that wait long enough to count.
        unserved: Services that no growth would serve, with the reason.
    """

    all: tuple[Service, ...]
    old: tuple[Service, ...]
    unserved: tuple[str, ...]


class Place:
    """An address in use, and the conditions for sharing it.

    Attributes:
        keys: The sharing keys and backends of its Services.
        ports: The ports in use.
    """

    def __init__(self) -> None:
        self.keys: set[tuple[str, str]] = set()
        self.ports: set[str] = set()

    def may_join(self, service: Service) -> bool:
        """Return whether MetalLB lets a Service share the address."""
        return self.keys == {_key(service)} and not self.ports & service.ports


class ElasticRange(NamedTuple):
    """The addresses of a tenant.

    Attributes:
        ours: The addresses of its records.
        places: The addresses of its Services, by IP version and number.
    """

    ours: IPSet
    places: Mapping[tuple[int, int], Place]

    @property
    def has_ipv6(self) -> bool:
        """Return whether the tenant has IPv6 addresses."""
        return bool(self.ours.of_version(6))


def age(service: Service, now: int) -> int:
    """Return the seconds since a Service was made; -1 if the server reports no time."""
    return now - service.created if now else -1


def places(services: Iterable[Service]) -> dict[tuple[int, int], Place]:
    """Return the addresses of Services, by IP version and number."""
    found: dict[tuple[int, int], Place] = {}
    for service in services:
        for at in _numbers(service.addresses):
            place = found.setdefault(at, Place())
            place.keys.add(_key(service))
            place.ports |= service.ports
    return found


def _numbers(addresses: IPSet) -> Iterator[tuple[int, int]]:
    """Yield IP version and number of each of a few addresses."""
    for item in addresses:
        yield from ((item.version, at) for at in range(item.first, item.last + 1))


def waiting(
    services: Iterable[Service], addresses: ElasticRange, now: int, pending_after: int
) -> Waiting:
    """Return the Services that wait for an address.

    Args:
        services: All Services.
        addresses: The addresses of the tenant.
        now: The server's clock.
        pending_after: Seconds that a Service waits before it counts.
    """
    found: list[Service] = []
    unserved: list[str] = []
    for service in sorted(services, key=_by_name):
        if not service.waits:
            continue
        why = service.problem or _why_not(service, addresses)
        if why:
            unserved.append(f"{service.name}: {why}")
        else:
            found.append(service)
    old = tuple(item for item in found if age(item, now) >= pending_after)
    if old:  # Services that were created together grow together, in one commit
        old = tuple(item for item in found if age(item, now) >= pending_after - TOGETHER)
    return Waiting(tuple(found), old, tuple(sorted(unserved)))


def _why_not(service: Service, addresses: ElasticRange) -> str:
    """Return why no growth would serve a Service; empty if it would."""
    outside = service.pinned - addresses.ours
    if outside:
        return f"it asks for {_describe(outside)}, which is none of the tenant's addresses"
    taken = [addresses.places[at] for at in _numbers(service.pinned) if at in addresses.places]
    if not all(service.sharing and place.may_join(service) for place in taken):
        more = " by another sharing key, or at the same port" if service.sharing else ""
        return f"it asks for {_describe(service.pinned)}, which another Service has{more}"
    if service.needs_ipv6 and not addresses.has_ipv6:
        return "it needs an IPv6 address, and the tenant's pools have none"
    return ""


def _describe(addresses: IPSet) -> str:
    return ", ".join(format_short(item) for item in addresses)


def counted(pending: Iterable[Service], served: Iterable[Service]) -> int:
    """Return the number of addresses that Services need. Services that share one count once.

    A Service joins an address if its Services have the same sharing key and other ports.

    Args:
        pending: The waiting Services.
        served: The Services with an address.
    """
    shared: dict[tuple[str, str], list[set[str]]] = {}
    for service in served:
        if service.sharing:
            _joined(shared.setdefault(_key(service), []), service)
    alone = 0
    for service in sorted(pending, key=_by_name):
        if not service.sharing:
            alone += 1
        elif not _join(shared.setdefault(_key(service), []), service.ports):
            shared[_key(service)].append(set(service.ports))
            alone += 1
    return alone


def _by_name(service: Service) -> tuple[str, str]:
    """Return the sort key of a Service. Name and uid are not unique in a manipulated cluster."""
    return service.name, service.uid


def _key(service: Service) -> tuple[str, str]:
    return service.sharing, service.backend


def _joined(places: list[set[str]], service: Service) -> None:
    """Add the ports of a served Service. All Services of a shared address count."""
    # The assignment to addresses is arbitrary: the ports exclude other Services anyway.
    if not _join(places, service.ports):
        places.append(set(service.ports))


def _join(places: Sequence[set[str]], ports: frozenset[str]) -> bool:
    for place in places[:_MAX_SHARED]:
        if not place & ports:
            place |= ports
            return True
    return False


def demand(
    shown: ObservedCluster, granted: GrantedRanges, idle: Mapping[str, int], settings: Elastic
) -> GrowthOutcome:
    """Return the growth that follows from the observed state of a tenant's cluster.

    Args:
        shown: The observed state.
        granted: The ranges and the demand in the tree.
        idle: The stored start of idle times.
        settings: The growth settings.
    """
    return _Demand(shown, granted, idle, settings).outcome()


def entries_of(granted: GrantedRanges) -> tuple[DemandEntry, ...]:
    """Return the entries of a tenant's Demand, or the entries that its records imply.

    An entry never changes. If it differs from its record, the record counts.
    """
    if granted.entries is None:
        return standing(granted.records)
    sizes = {growth_index(it): it.size for it in granted.records if it.range is not None}
    return tuple(
        DemandEntry(it.index, sizes.get(it.index, it.count)) for it in sorted(granted.entries)
    )


def idle_key(entry: DemandEntry, record: Allocation | None) -> str:
    """Return a key that differs between an entry and earlier entries of the same number."""
    if record is None or record.range is None:
        return f"{entry.index}@-"
    return f"{entry.index}@{record.range.first:x}"


class _Growth(NamedTuple):
    """The addresses to request, and the reason if the need is not covered."""

    wish: int = 0
    needed: int = 0
    blocked: int = 0
    why: str = ""


class _Demand:
    """The calculation for one tenant."""

    def __init__(
        self,
        shown: ObservedCluster,
        granted: GrantedRanges,
        idle: Mapping[str, int],
        settings: Elastic,
    ) -> None:
        self.shown = shown
        self.granted = granted
        self.remembered = idle
        self.settings = settings
        self.entries = entries_of(granted)
        # The range that a moved claim left is still announced, but is not spare.
        held = [it for it in granted.records if it.range is not None and not it.announced]
        self.firsts = [it for it in held if it.is_live and not growth_index(it)]
        self.records = {at: it for it in held if (at := growth_index(it))}
        self.used = used_by(shown.services)
        self.announced = announced(shown.pools)
        self.ours = IPSet.of(it.range for it in granted.records if it.range is not None)

    def outcome(self) -> GrowthOutcome:
        """Return the result."""
        waits = self._waiting()
        back = self._used_again(waits)
        figures = self._figures(waits, back)
        taken = self._taken_back(figures.need, back)
        back += taken
        growth = self._growth(max(0, figures.need - self._unused(taken)))
        figures = figures._replace(blocked=growth.blocked)
        idle = self._idle(back)
        return GrowthOutcome(
            entries=tuple(sorted((*self.entries, *back))),
            figures=figures,
            first=next_index(self.granted.records, self.entries),
            back=tuple(back),
            wish=growth.wish,
            needed=growth.needed,
            going=tuple(self._going(waits, idle)) if not back else (),
            idle=idle,
            names=join_limited([service.name for service in waits.old]) if waits.old else "",
            why=growth.why,
            words=tuple(self._words(waits)),
            again=min(self._again(waits, idle), default=None),
            reading=reading_of(self.shown),
        )

    def _released(self) -> list[tuple[DemandEntry, Allocation]]:
        """Return released growth that still holds its addresses, by number."""
        there = {entry.index for entry in self.entries}
        return [
            (DemandEntry(index, record.size), record)
            for index, record in sorted(self.records.items())
            if index not in there
        ]

    def _used_again(self, waits: Waiting) -> list[DemandEntry]:
        """Return released growth that a Service uses or requests before the withdrawal."""
        named = IPSet.of(item for service in waits.old for item in service.pinned)
        return [
            entry
            for entry, record in self._released()
            if self._is_used(record) or _overlaps(named, record)
        ]

    def _taken_back(self, need: int, back: Iterable[DemandEntry]) -> list[DemandEntry]:
        """Return released growth that is needed again. It precedes new growth."""
        there, found = set(back), list[DemandEntry]()
        for entry, _ in self._released():
            if need <= 0 or self.shown.unwell:
                break
            if entry not in there:
                found.append(entry)
                need -= entry.count
        return found

    def _unused(self, back: Iterable[DemandEntry]) -> int:
        """Return the number of addresses that come back and that no Service uses."""
        every = (self.records[entry.index].range for entry in back)
        return (IPSet.of(item for item in every if item is not None) - self.used).size

    def _is_used(self, record: Allocation) -> bool:
        return _overlaps(self.used, record)

    def _waiting(self) -> Waiting:
        addresses = ElasticRange(self.ours, places(self.shown.services))
        after = self.settings.pending_after
        return waiting(self.shown.services, addresses, self.shown.now, after)

    def _figures(self, waits: Waiting, back: Iterable[DemandEntry]) -> Figures:
        asked = {entry.index for entry in (*self.entries, *back)}
        grown = (it for at, it in self.records.items() if at in asked)
        ours = IPSet.of(it.range for it in (*self.firsts, *grown) if it.range is not None)
        lacking = sum(entry.count for entry in self.entries if entry.index not in self.records)
        served = [it for it in self.shown.services if it.addresses & self.announced]
        return Figures(
            pending=counted(waits.old, served),
            spare=spare(self.shown.pools, ours, self.used),
            in_flight=(ours - self.announced - self.used).size + lacking,
        )

    def _growth(self, need: int) -> _Growth:
        """Return the number of addresses to request."""
        if not need:
            return _Growth()
        if self.shown.unwell:
            why = f"{self.shown.unwell}; mend that, new addresses would not help"
            return _Growth(blocked=need, why=why)
        room, limit = self._room()
        wish = min(max(self.granted.increment, need), max(room, 0), LARGEST)
        needed = min(need, wish)
        return _Growth(wish, needed, need - needed, limit if need > wish else "")

    def _room(self) -> tuple[int, str]:
        """Return the number of addresses that the tenant can still get, and the limit that applies.

        Released growth that still holds addresses counts. Otherwise, alternating requests and
        releases would exceed the quota.
        """
        given = sum(entry.count for entry, _ in self._released())
        if self.granted.room is not None:
            limit = "the quota of its provider (quotaPerTenant.maxLoadBalancerIPs) is used up"
            return self.granted.room - given, f"{limit}; raise it, or delete Services"
        grown = sum(entry.count for entry in self.entries)
        limit = f"it may grow by {self.settings.max_growth} (Settings elastic.maxGrowth)"
        return (
            self.settings.max_growth - grown - given,
            f"{limit}; set a quota in its provider, or raise maxGrowth",
        )

    def _idle(self, back: Iterable[DemandEntry]) -> dict[str, int]:
        """Return the start of the idle time of entries."""
        found: dict[str, int] = {}
        now = self.shown.now
        for entry in (*self.entries, *back):
            record = self.records.get(entry.index)
            key = idle_key(entry, record)
            if not now:
                found |= {key: self.remembered[key]} if key in self.remembered else {}
            elif record is None or (self._is_announced(record) and not self._is_used(record)):
                # If a clock was set back, the duration is unknown.
                found[key] = min(self.remembered.get(key, now), now)
        return found

    def _is_announced(self, record: Allocation) -> bool:
        return record.range is not None and self.announced.covers(record.range)

    def _going(self, waits: Waiting, idle: Mapping[str, int]) -> Iterable[DemandEntry]:
        """Return entries that were idle long enough, the highest first.

        If a Service waits, or the state is not clear, all entries stay.
        """
        if waits.all or self.shown.odd or self.shown.unwell or not self.shown.now:
            return
        for entry in reversed(self.entries):
            since = idle.get(idle_key(entry, self.records.get(entry.index)))
            is_over = since is not None and self.shown.now - since >= self.settings.shrink_after
            if is_over and not self._rest(entry):
                yield entry

    def _rest(self, entry: DemandEntry) -> int:
        """Return the seconds that an entry stays at least, so a wrong clock causes few commits.

        The minimum is half of the permitted idle time since the last allocation. Two clocks never
        agree to the second.
        """
        record = self.records.get(entry.index)
        since = parse_instant(record.since) if record is not None else None
        if since is None or not self.granted.now:
            return 0
        return max(0, since + self.settings.shrink_after // 2 - self.granted.now)

    def _again(self, waits: Waiting, idle: Mapping[str, int]) -> Iterable[float]:
        """Return the seconds until a Service has waited, or growth was idle, for long enough."""
        now, old = self.shown.now, frozenset(service.uid for service in waits.old)
        for service in waits.all:
            if service.uid not in old and (waited := age(service, now)) >= 0:
                yield self.settings.pending_after - waited
        for since in idle.values():
            if self.shown.now and (left := since + self.settings.shrink_after - self.shown.now) > 0:
                yield left
        keys = {idle_key(it, self.records.get(it.index)): it for it in self.entries}
        yield from (rest for key in idle if key in keys and (rest := self._rest(keys[key])))

    def _words(self, waits: Waiting) -> Iterable[StatusMessage]:
        if unserved := [*waits.unserved, *self.shown.odd]:
            yield StatusMessage(NOT_SERVED, f"no growth serves {join_limited(unserved, '; ')}")


def _overlaps(addresses: IPSet, record: Allocation) -> bool:
    return record.range is not None and bool(addresses.overlapping(record.range))
