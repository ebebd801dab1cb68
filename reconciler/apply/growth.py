"""Growth of elastic tenants: the demand that a cluster shows, and the entries that it gets."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import count
from operator import attrgetter
from typing import NamedTuple

from msgspec.structs import replace

from reconciler.addresses import IPSet
from reconciler.apply import elastic
from reconciler.apply.elastic import Figures, GrantedRanges, GrowthOutcome, ObservedCluster, Service
from reconciler.documents.findings import join_limited
from reconciler.families import demand, families
from reconciler.families.demand import DEMAND, DemandEntry, growth_index
from reconciler.families.interface import Grower
from reconciler.loadbalancers.ranges import describe
from reconciler.model.change import FileChange
from reconciler.model.claim import Allocation, Refusal
from reconciler.model.instant import parse_instant
from reconciler.model.plan import BLOCKED, NOT_SERVED
from reconciler.model.settings import Elastic
from reconciler.planning.documents import path_of
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.renames import REFUSED

TOGETHER = 1
"""Seconds that a Service can be younger if another one is old enough: times are whole seconds."""


class GrowthCalculation:
    """The growth that follows from the observed state of a tenant's cluster."""

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
        sizes = {growth_index(it): it.size for it in granted.records if it.range is not None}
        own = (
            granted.entries
            if granted.entries is not None
            else demand.granted_entries(granted.records)
        )
        # A record counts more than its entry in the Demand.
        self.entries = tuple(replace(it, count=sizes.get(it.index, it.count)) for it in sorted(own))
        # The range that a moved claim left is still announced, but is not spare.
        held = [it for it in granted.records if it.range is not None and not it.announced]
        self.firsts = [it for it in held if it.is_live and not growth_index(it)]
        self.records = {at: it for it in held if (at := growth_index(it))}
        self.used = elastic.addresses_of(shown.services)
        self.announced = elastic.addresses_of(shown.pools)
        ours = IPSet.of(it.range for it in granted.records if it.range is not None)
        self.waiting, unserved = _waiting(shown.services, ours)
        after, now = settings.pending_after, shown.now
        is_due = any(_age(item, now) >= after for item in self.waiting)
        # Services that were created together grow together, in one commit.
        old = [item for item in self.waiting if _age(item, now) >= after - TOGETHER]
        self.old = old if is_due else []
        self.unserved = [*unserved, *shown.odd]
        there = {entry.index for entry in self.entries}
        # Released growth that still holds its addresses, by number.
        self.released = [
            (DemandEntry(index, record.size), record.range)
            for index, record in sorted(self.records.items())
            if index not in there and record.range is not None
        ]

    def outcome(self) -> GrowthOutcome:
        """Return the growth."""
        named = IPSet.of(item for service in self.old for item in service.pinned)
        # Released growth that a Service uses or requests before the withdrawal comes back.
        taken = IPSet.of([*self.used, *named])
        back = [entry for entry, item in self.released if taken.overlapping(item)]
        figures = self._figures(back)
        again = self._taken_back(figures.need, back)
        back += again
        ranges = (self.records[entry.index].range for entry in again)
        unused = IPSet.of(item for item in ranges if item is not None) - self.used
        need = max(0, figures.need - unused.size)
        request, needed, why = self._growth(need)
        idle = self._idle(back)
        message = f"growth cannot serve {join_limited(self.unserved, '; ')}"
        return GrowthOutcome(
            entries=tuple(sorted((*self.entries, *back))),
            figures=figures._replace(blocked=need - needed),
            first=demand.next_index(self.granted.records, self.entries),
            back=tuple(back),
            request=request,
            needed=needed,
            going=() if back else tuple(self._going(idle)),
            idle=idle,
            names=join_limited([service.name for service in self.old]) if self.old else "",
            why=why,
            words=(elastic.StatusMessage(NOT_SERVED, message),) if self.unserved else (),
            again=min(self._again(idle), default=None),
        )

    def _taken_back(self, need: int, back: Collection[DemandEntry]) -> list[DemandEntry]:
        found = list[DemandEntry]()
        for entry, _ in self.released:
            if need <= 0 or self.shown.unwell:
                break
            if entry not in back:
                found.append(entry)
                need -= entry.count
        return found

    def _figures(self, back: Iterable[DemandEntry]) -> Figures:
        asked = {entry.index for entry in (*self.entries, *back)}
        grown = (it for at, it in self.records.items() if at in asked)
        ours = IPSet.of(it.range for it in (*self.firsts, *grown) if it.range is not None)
        lacking = sum(entry.count for entry in self.entries if entry.index not in self.records)
        served = [it for it in self.shown.services if it.addresses & self.announced]
        return Figures(
            pending=_counted(self.old, served),
            spare=elastic.spare(self.shown.pools, ours, self.used),
            in_flight=(ours - self.announced - self.used).size + lacking,
        )

    def _growth(self, need: int) -> tuple[int, int, str]:
        """Return requested and needed addresses, and the limit. Held released growth counts."""
        if not need:
            return 0, 0, ""
        if self.shown.unwell:
            return (
                0,
                0,
                f"{self.shown.unwell}; fix that first, because new addresses would not help",
            )
        given = sum(entry.count for entry, _ in self.released)
        if self.granted.room is not None:
            room = self.granted.room - given
            limit = "the quota of the provider (quotaPerTenant.maxLoadBalancerIPs) is used up; raise the quota, or delete Services"
        elif self.granted.most is not None:
            held = (*self.firsts, *self.records.values())
            lacking = (it.count for it in self.entries if it.index not in self.records)
            room = self.granted.most - sum(it.size for it in held) - sum(lacking)
            limit = f"growth.max of the entry is {self.granted.most}; raise the limit, or delete Services"
        else:
            grown = sum(entry.count for entry in self.entries)
            room = self.settings.max_growth - grown - given
            limit = f"the tenant can grow by at most {self.settings.max_growth} (elastic.maxGrowth in Settings); set a quota in the provider, or raise maxGrowth"
        request = min(max(self.granted.increment, need), max(room, 0), demand.LARGEST)
        return request, min(need, request), limit if need > request else ""

    def _idle(self, back: Iterable[DemandEntry]) -> dict[str, int]:
        found: dict[str, int] = {}
        now = self.shown.now
        for entry in (*self.entries, *back):
            record = self.records.get(entry.index)
            item, key = None if record is None else record.range, _idle_key(entry, record)
            if not now:
                found |= {key: self.remembered[key]} if key in self.remembered else {}
            elif item is None or (self.announced.covers(item) and not self.used.overlapping(item)):
                # If a clock was set back, the duration is unknown.
                found[key] = min(self.remembered.get(key, now), now)
        return found

    def _going(self, idle: Mapping[str, int]) -> Iterable[DemandEntry]:
        if self.waiting or self.shown.odd or self.shown.unwell or not self.shown.now:
            return
        for entry in reversed(self.entries):
            since = idle.get(_idle_key(entry, self.records.get(entry.index)))
            is_over = since is not None and self.shown.now - since >= self.settings.shrink_after
            if is_over and not self._rest(entry):
                yield entry

    def _rest(self, entry: DemandEntry) -> int:
        """Return the seconds that an entry stays at least: a wrong clock must not cause many commits."""
        record = self.records.get(entry.index)
        since = parse_instant(record.since) if record is not None else None
        if since is None or not self.granted.now:
            return 0
        return max(0, since + self.settings.shrink_after // 2 - self.granted.now)

    def _again(self, idle: Mapping[str, int]) -> Iterable[float]:
        now, old = self.shown.now, {service.uid for service in self.old}
        for service in self.waiting:
            if service.uid not in old and (waited := _age(service, now)) >= 0:
                yield self.settings.pending_after - waited
        for since in idle.values():
            if now and (left := since + self.settings.shrink_after - now) > 0:
                yield left
        for entry in self.entries:
            if _idle_key(entry, self.records.get(entry.index)) in idle and self._rest(entry):
                yield self._rest(entry)


def _idle_key(entry: DemandEntry, record: Allocation | None) -> str:
    name = entry.slot if entry.name else entry.index
    item = record.range if record is not None else None
    return f"{name}@-" if item is None else f"{name}@{item.first:x}"


def _age(service: Service, now: int) -> int:
    return now - service.created if now else -1


def _waiting(services: Sequence[Service], ours: IPSet) -> tuple[list[Service], list[str]]:
    places: dict[tuple[int, int], list[Service]] = {}
    for service in services:
        for at in _numbers(service.addresses):
            places.setdefault(at, []).append(service)
    found: list[Service] = []
    unserved: list[str] = []
    for service in sorted(
        (it for it in services if it.is_ours and not it.is_dying and not it.addresses),
        key=attrgetter("name", "uid"),
    ):
        if why := service.problem or _why_not(service, ours, places):
            unserved.append(f"{service.name}: {why}")
        else:
            found.append(service)
    return found, sorted(unserved)


def _numbers(addresses: IPSet) -> Iterator[tuple[int, int]]:
    for item in addresses:
        yield from ((item.version, at) for at in range(item.first, item.last + 1))


def _why_not(
    service: Service, ours: IPSet, places: Mapping[tuple[int, int], Sequence[Service]]
) -> str:
    if outside := service.pinned - ours:
        return f"it asks for {describe(outside)}, which is not an address of the tenant"
    others = [it for at in _numbers(service.pinned) for it in places.get(at, ())]
    # Services can share an address if they have the same key and other ports.
    if not all(
        service.sharing
        and (it.sharing, it.backend) == (service.sharing, service.backend)
        and not it.ports & service.ports
        for it in others
    ):
        more = " with another sharing key, or with the same port" if service.sharing else ""
        return f"it asks for {describe(service.pinned)}, which another Service has{more}"
    if 6 in service.versions and not ours.of_version(6):
        return "it needs an IPv6 address, and the tenant's pools have none"
    return ""


def _counted(pending: Iterable[Service], served: Iterable[Service]) -> int:
    shared: dict[tuple[str, str], list[set[str]]] = {}

    def joins(service: Service) -> bool:
        places = shared.setdefault((service.sharing, service.backend), [])
        for place in places:
            if not place & service.ports:
                place |= service.ports
                return True
        places.append(set(service.ports))
        return False

    # The assignment to addresses is arbitrary: the ports exclude other Services anyway.
    for service in (it for it in served if it.sharing):
        joins(service)
    return sum(
        not (service.sharing and joins(service))
        for service in sorted(pending, key=attrgetter("name", "uid"))
    )


_ROUNDS = 16
_NO_RUN = ("pool-exhausted", "pool-fragmented", "quota-exceeded", "request-too-large")
"""Refusals after which a smaller request can succeed."""


class Fitted(NamedTuple):
    """The entries that one tenant gets, and the refusal of the rest; None if all is granted."""

    back: tuple[DemandEntry, ...]
    new: tuple[DemandEntry, ...]
    refusal: Refusal | None


RefusedGrowth = Callable[[Mapping[str, tuple[DemandEntry, ...]]], Mapping[tuple[str, int], Refusal]]
"""Returns the refused entries, by tenant and number, of the requested entries by tenant."""


def fitted(requests: Mapping[str, GrowthOutcome], refused: RefusedGrowth) -> dict[str, Fitted]:
    """Return entries that `refused` permits together. Requests are halved until they fit."""
    sizes = {name: [it.request] if it.request else [] for name, it in requests.items()}
    back = {name: it.back for name, it in requests.items()}
    why: dict[str, Refusal] = {}

    def new(name: str) -> tuple[DemandEntry, ...]:
        first = requests[name].first
        return tuple(DemandEntry(first + at, size) for at, size in enumerate(sizes[name]))

    for number in count(1):
        asked = {name: every for name in requests if (every := (*back[name], *new(name)))}
        found = refused(asked) if asked else {}
        if not found:
            break
        for name in sorted({name for name, _ in found}):
            here = {index: it for (other, index), it in found.items() if other == name}
            why[name] = here[min(here)]
            back[name] = tuple(it for it in back[name] if it.index not in here)
            can_halve = number < _ROUNDS
            sizes[name] = list(_halved(new(name), here, can_halve=can_halve))
    return {name: Fitted(back[name], new(name), why.get(name)) for name in requests}


def _halved(
    entries: Iterable[DemandEntry], refused: Mapping[int, Refusal], *, can_halve: bool
) -> Iterator[int]:
    for entry in entries:
        refusal, size = refused.get(entry.index), entry.count
        if refusal is None:
            yield size
        elif size > 1 and refusal.reason in _NO_RUN and can_halve:
            yield from (size - size // 2, size // 2)


class Settled(NamedTuple):
    """The resulting demand of a tenant: its new entries, figures, and messages."""

    entries: tuple[DemandEntry, ...]
    figures: Figures
    words: tuple[elastic.StatusMessage, ...]


def settled(
    outcome: GrowthOutcome, got: Fitted, stays: Collection[int] = (), most: int = demand.MAX_DEMAND
) -> Settled:
    """Return the resulting demand of a tenant: `most` entries. Those of `stays` must not change now."""
    refused = {entry.index for entry in outcome.back} - {entry.index for entry in got.back}
    going = {entry.index for entry in outcome.going if entry.index not in stays}
    kept = [it for it in outcome.entries if it.index not in refused | going]
    room = max(0, most - len(kept))
    new = tuple(entry for entry in got.new if entry.index <= demand.LAST)[:room]
    lacks = max(0, outcome.needed - sum(entry.count for entry in new))
    blocked = outcome.figures.blocked + lacks
    words = outcome.words
    if blocked:
        reasons = [outcome.why] if outcome.why else []
        if len(new) < len(got.new):
            reasons.append(
                f"the Demand has room for {most} entries up to number {demand.LAST}; delete Services"
            )
        elif lacks and got.refusal is not None:
            reasons.append(f"{got.refusal.message}; {got.refusal.hint}")
        what = "1 more address is" if blocked == 1 else f"{blocked} more addresses are"
        message = f"{what} needed for {outcome.names}: {'. Also, '.join(reasons)}"
        words = (elastic.StatusMessage(BLOCKED, message), *words)
    return Settled(tuple(sorted([*kept, *new])), outcome.figures._replace(blocked=blocked), words)


def document_of(
    before: tuple[DemandEntry, ...] | None,
    after: tuple[DemandEntry, ...],
    stated: tuple[DemandEntry, ...],
    records: Sequence[Allocation],
) -> tuple[DemandEntry, ...] | None:
    """Return the new entries of a Demand (empty while growth is left), or None for no document."""
    if after == (stated if before is None else tuple(sorted(before))):
        is_over = before is not None and not after and not records
        return None if is_over else before
    return after


def all_growers(evaluation: Evaluation, *, is_refused: bool = False) -> Iterator[Grower]:
    """Return the elastic tenants of a complete tree whose rename is refused, or all others."""
    claims = evaluation.state.claims.values()
    refused = {it.key.owner for it in claims if it.refusal and it.refusal.reason == REFUSED}
    for family in families():
        if family.objects.growers is not None:
            every = family.objects.growers(evaluation.documents, evaluation.tree.settings)
            yield from (it for it in every if (it.owner in refused) == is_refused)


def abandoned(evaluation: Evaluation) -> Iterator[FileChange]:
    """Return removals of Demands without growth whose owner is removed, or was another one."""
    documents, folder = evaluation.documents, evaluation.tree.settings.observed
    demands = list(documents.of(DEMAND.id))
    if not demands or evaluation.state.unclear or evaluation.state.halted:
        return
    records = evaluation.state.records
    grown = {it.claim.owner[2:] for it in records if it.range is not None and growth_index(it)}
    refused = {grower.owner[2:] for grower in all_growers(evaluation, is_refused=True)}
    for document in demands:
        name = document.identity[2:]
        if name in grown or document.doubt or document.file != path_of(folder, document.identity):
            continue
        owns = [it.objects.may_own for it in families() if it.objects.may_own is not None]
        if name in refused or not any(may_own(documents, *name) for may_own in owns):
            yield FileChange(document.file, None)
