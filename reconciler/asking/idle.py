"""How many addresses of tenants their Services do not use, by the result of an apply."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from reconciler.asking.applied import ApplyResult
from reconciler.model.allocation import Allocation

NOT_THERE = "it is not in the result"
NOT_READ = "its Services were not read"
NOT_ANNOUNCED = "the cluster did not announce {} of them yet"


class Headroom(NamedTuple):
    """The load-balancer addresses of one cluster.

    Attributes:
        allocated: That its live records hold.
        looked: Of how many of them it is known whether Services use them.
        used: How many of those Services use.
        why: Why not all of them were looked at; empty when they were.
    """

    cluster: str
    allocated: int
    looked: int
    used: int
    why: str = ""

    @property
    def idle(self) -> int:
        """How many of those that were looked at nobody uses."""
        return self.looked - self.used


class Idle(NamedTuple):
    """What is idle.

    Attributes:
        result: The commit that the result is of.
        revision: The commit that is read.
        items: By cluster, every cluster that has load-balancer addresses.
    """

    result: str
    revision: str
    items: Sequence[Headroom]

    @property
    def is_other(self) -> bool:
        """The result is of another revision."""
        return self.result != self.revision

    @property
    def total(self) -> Headroom:
        """All of them together."""
        sums = (sum(found) for found in zip(*((it[1:4]) for it in self.items), strict=True))
        return Headroom("", *(sums if self.items else (0, 0, 0)))


def used_of(record: Allocation, cluster: str, result: ApplyResult) -> int | None:
    """How many addresses of a record Services use; None where nobody looked."""
    seen = result.clusters.get(cluster)
    if seen is None or seen.uses is None or record.range is None:
        return None
    return seen.uses.get(record.range)


def headroom(
    records: Mapping[str, Iterable[Allocation]], result: ApplyResult, revision: str
) -> Idle:
    """What is idle in some clusters.

    Args:
        records: Those of load-balancer addresses, by cluster.
        result: What an apply told.
        revision: The commit that the records are of; empty for a work tree.
    """
    items = [_headroom(name, records[name], result) for name in sorted(records)]
    return Idle(result.revision, revision, [item for item in items if item.allocated])


def _headroom(cluster: str, records: Iterable[Allocation], result: ApplyResult) -> Headroom:
    allocated = looked = used = 0
    for record in records:
        if not record.is_live or record.range is None:
            continue
        allocated += record.range.size
        found = used_of(record, cluster, result)
        if found is not None:
            looked, used = looked + record.range.size, used + found
    return Headroom(cluster, allocated, looked, used, _why(cluster, result, allocated - looked))


def _why(cluster: str, result: ApplyResult, left: int) -> str:
    """Why some addresses were not looked at."""
    seen = result.clusters.get(cluster)
    if not left:
        return ""
    if seen is None:
        return NOT_THERE
    if seen.uses is None:
        return NOT_READ if seen.state in ("applied", "failed") else f"it was {seen.state}"
    return NOT_ANNOUNCED.format(left)
