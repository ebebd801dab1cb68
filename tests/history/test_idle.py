"""Unused addresses: counted in observed clusters, unknown in others."""

from collections.abc import Mapping

from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.families.clusters import balancer_records
from reconciler.history.applied import ApplyResult, Headroom, Idle, SeenCluster, headroom
from reconciler.model.claim import Allocation, Phase
from tests.world import SMALL, evaluation_of, reconciled, tenant

FILES = reconciled({**SMALL, "tenants/two.yaml": tenant("two")})
ONE, TWO = "team-a/one", "team-a/two"
OLD, NEW = "a" * 40, "b" * 40


def records() -> dict[str, list[Allocation]]:
    return balancer_records(evaluation_of(FILES).state.records)


def found(clusters: Mapping[str, SeenCluster], revision: str = OLD) -> Idle:
    return headroom(records(), ApplyResult(OLD, clusters), revision)


def test_what_nobody_looked_at_is_no_zero_and_says_why() -> None:
    none, other = SeenCluster("unreachable", None), IPRange(4, 1, 8)
    assert found({ONE: none}).items == [
        Headroom(ONE, 8, 0, 0, "it was unreachable"),
        Headroom(TWO, 8, 0, 0, "not in the result"),
    ]
    idle = found({ONE: SeenCluster("applied", None), TWO: SeenCluster("applied", {other: 0})}, NEW)
    assert [item.why for item in idle.items] == [
        "its Services were not read",
        "the cluster did not announce 8 of them yet",
    ]
    assert (idle.is_other, idle.total[1:4]) == (True, (16, 0, 0))


def test_what_is_released_is_not_allocated() -> None:
    gone = {
        name: [replace(it, phase=Phase.RELEASED) for it in found]
        for name, found in records().items()
    }
    assert headroom(gone, ApplyResult(OLD, {}), OLD).items == []
