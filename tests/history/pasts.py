"""Rows and facts for tests of what happened."""

from reconciler.addresses import IPRange
from reconciler.gitio.interface import CommitRow, Touch
from reconciler.history.events import Fact, Facts, RecordEvent, events_of
from tests.world import CLOCK

RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
ROW = CommitRow("a" * 40, CLOCK, "gitops-ipam <i@x>", "ipam: allocate 1", "", True, False, ())
EDGE = "butler/NetworkPool/butler-system/edge"


def run(first: int, last: int) -> IPRange:
    return IPRange(4, 0x0A280000 + first, 0x0A280000 + last)


def fact(phase: str = "Allocated", *, first: int = 0, is_growth: bool = False) -> Fact:
    return Fact(
        "butler/TenantCluster/team-a/one/loadbalancer",
        "team-a/one (loadbalancer)",
        "team-a/one",
        "team-a-one-lb",
        "team-a",
        EDGE,
        run(first, first + 7) if phase in ("Allocated", "Released") else None,
        phase,
        is_growth,
    )


def happened(old: Fact | None, new: Fact | None, path: str = RECORD) -> list[RecordEvent]:
    """What happened in a commit that changed one record so."""
    touch = Touch(path, "old" if old else "", "new" if new else "")
    known: Facts = {("old", path): old, ("new", path): new}
    return list(events_of(ROW._replace(touched=(touch,)), known))
