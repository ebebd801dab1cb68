"""Services, pools and records of a tenant, as tests of growth need them."""

from collections.abc import Iterable, Mapping
from typing import Any

from reconciler.addresses import IPRange, IPSet
from reconciler.apply.elastic import (
    GrantedRanges,
    GrowthOutcome,
    ObservedCluster,
    Service,
    read_services,
)
from reconciler.apply.growth import GrowthCalculation
from reconciler.families.demand import DemandEntry
from reconciler.loadbalancers import controller
from reconciler.loadbalancers.interface import LivePool
from reconciler.loadbalancers.ranges import ranges_of
from reconciler.model.claim import Allocation, Owner, Phase
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.settings import Elastic
from tests.world import CLOCK

METALLB = controller("MetalLB")
EDGE = Key("butler", "butler-system", "edge", "", "NetworkPool")
OWNER = Owner("team-a", "one", "team-a")
LONG_AGO = CLOCK - 3_600


def service(name: str = "web", address: str = "", **changes: Any) -> dict[str, Any]:
    """A LoadBalancer Service as a server has it: `created`, `annotations`, and fields of spec."""
    created = format_instant(changes.pop("created", LONG_AGO))
    annotations = changes.pop("annotations", {})
    metadata = {
        "name": name,
        "namespace": "default",
        "uid": f"uid-{name}",
        "creationTimestamp": created,
        "annotations": annotations,
        **changes.pop("metadata", {}),
    }
    ingress = [{"ip": address}] if address else []
    spec = {"type": "LoadBalancer", "ports": [{"port": 80}], **changes}
    return {"metadata": metadata, "spec": spec, "status": {"loadBalancer": {"ingress": ingress}}}


def addresses(*texts: str) -> IPSet:
    """Return a set of addresses from ranges in MetalLB's notation."""
    return ranges_of(texts)


def record(index: int, text: str, phase: Phase = Phase.ALLOCATED, at: int = LONG_AGO) -> Allocation:
    """A record of a tenant's addresses; the first one has the number 0."""
    slot = f"loadbalancer-{index}" if index else "loadbalancer"
    found: tuple[IPRange, ...] = ranges_of([text]).ranges if text else ()
    return Allocation(
        claim=Key("butler", "team-a", "one", slot, "TenantCluster"),
        pool=EDGE,
        range=found[0] if found else None,
        phase=phase,
        since=format_instant(at),
        allocated_at=format_instant(at),
        size=found[0].size if found else 1,
        pinned=False,
        type="loadbalancer",
        role="growth" if index else "initial",
        owner=OWNER,
        name=f"team-a-one-lb-{index}",
        namespace="butler-system",
    )


FIRST = record(0, "10.0.0.0-10.0.0.1")


def entry(index: int, count: int = 1) -> DemandEntry:
    return DemandEntry(index, count)


class Tenant:
    """A tenant with two initial addresses in use, as a run observes it.

    Attributes:
        services: Services as the server returns them.
    """

    def __init__(self, *services: Any, entries: Iterable[DemandEntry] | None = None) -> None:
        self.services = [service("a", "10.0.0.0"), service("b", "10.0.0.1"), *services]
        self.entries = None if entries is None else tuple(entries)
        self.records: tuple[Allocation, ...] = (FIRST,)
        self.announced = addresses("10.0.0.0-10.0.0.1")
        self.pool = LivePool(self.announced)
        self.now = CLOCK
        self.clock = 0
        self.unwell = ""
        self.increment = 1
        self.room: int | None = None
        self.idle: Mapping[str, int] = {}
        self.settings = Elastic()

    def with_growth(self, *records: Allocation, announces: bool = True) -> "Tenant":
        """The tenant with records of growth, and the entries that they answer."""
        self.records = (*self.records, *records)
        live = [it for it in records if it.is_live]
        if self.entries is None:
            self.entries = tuple(
                DemandEntry(int(it.claim.slot.rpartition("-")[2]), it.size) for it in live
            )
        if announces:
            ranges = [it.range for it in records if it.range is not None]
            self.pool = self.pool._replace(addresses=self.pool.addresses | IPSet.of(ranges))
        return self

    def looked_at(self) -> GrowthOutcome:
        services, odd = read_services(self.services, METALLB)
        shown = ObservedCluster(services, (self.pool,), self.now, odd, self.unwell)
        granted = GrantedRanges(self.entries, self.records, self.increment, self.room, self.clock)
        return GrowthCalculation(shown, granted, self.idle, self.settings).outcome()


def read(item: Any, lb_class: str = "") -> Service:
    """The only Service of a cluster, which can be read."""
    (found,), odd = read_services([item], METALLB, lb_class)
    assert odd == ()
    return found
