"""Rows and versions of records for tests of events."""

from reconciler.addresses import IPRange
from reconciler.gitio.interface import CommitRow, Touch
from reconciler.history.events import RecordEvent, Versions, events_of
from reconciler.model.claim import Allocation, Owner, Phase
from reconciler.model.key import Key
from tests.world import CLOCK

RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
ROW = CommitRow("a" * 40, CLOCK, "gitops-ipam <i@x>", "ipam: allocate 1", "", True, False, ())
EDGE = Key("butler", "butler-system", "edge", "", "NetworkPool")


def run(first: int, last: int) -> IPRange:
    return IPRange(4, 0x0A280000 + first, 0x0A280000 + last)


def version(phase: str = "Allocated", *, first: int = 0, is_growth: bool = False) -> Allocation:
    return Allocation(
        claim=Key("butler", "team-a", "one", "loadbalancer", "TenantCluster"),
        pool=EDGE,
        range=run(first, first + 7) if phase in ("Allocated", "Released") else None,
        phase=Phase(phase),
        since="",
        allocated_at="",
        size=8,
        pinned=False,
        type="",
        role="growth" if is_growth else "",
        owner=Owner("team-a", "one", "team-a"),
        name="team-a-one-lb",
        namespace="butler-system",
    )


def happened(
    old: Allocation | None, new: Allocation | None, path: str = RECORD
) -> list[RecordEvent]:
    """Return the events of a commit that changed one record."""
    touch = Touch(path, "old" if old else "", "new" if new else "")
    known: Versions = {("old", path): old, ("new", path): new}
    return list(events_of(ROW._replace(touched=(touch,)), known))
