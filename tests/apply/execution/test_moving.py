"""A moved claim: both ranges are announced until no Service uses the old one."""

from collections.abc import Mapping
from typing import Any

import pytest

from reconciler.apply.expiry import still_announced
from reconciler.apply.targets import ApplyOptions
from reconciler.model.applied import ClusterState
from reconciler.model.errors import UnreachableError
from reconciler.model.objects import RESOURCE, STILL_ANNOUNCED
from tests.apply.execution.site import Files, evaluated
from tests.fake_cluster import HUB
from tests.fake_clusters import FakeClusters
from tests.moving import KEY, LEAVING, NEW, OLD, moved, moving
from tests.world import CLOCK, SMALL, carried, provider, reconciled, tenant

ONE = "team-a/one"
OLD_RANGE, NEW_RANGE = "10.40.0.0-10.40.0.7", "10.50.0.0-10.50.0.7"
AFTER = moved(LEAVING, KEY)
LATER = CLOCK + 3_600
UNUSED = carried(AFTER, moving(AFTER, left={OLD: ""}, clock=LATER))


@pytest.fixture
def clusters() -> FakeClusters:
    """The cluster announces what its tenant held before."""
    found = FakeClusters()
    found.run(reconciled(SMALL))
    assert found.announced(ONE) == [OLD_RANGE]
    return found


def doubts(clusters: FakeClusters, files: Files = AFTER, **options: Any) -> Mapping[str, str]:
    return still_announced(evaluated(files, "b", LATER), clusters, ApplyOptions(**options))


def test_both_ranges_are_announced_and_each_record_is_an_object(clusters: FakeClusters) -> None:
    clusters.use(ONE, "10.40.0.3")
    applied = clusters.run(AFTER, "b")
    assert {item.state for item in applied.values()} == {ClusterState.APPLIED}
    assert clusters.announced(ONE) == [OLD_RANGE, NEW_RANGE]
    objects = {
        ref.name: item for ref, item in clusters.objects[HUB].items() if ref.resource == RESOURCE
    }
    old = objects.pop("team-a-one-lb")
    assert old["metadata"]["annotations"][STILL_ANNOUNCED] == "until-unused"
    assert (old["spec"]["poolRef"]["name"], old["status"]["phase"]) == ("edge", "Released")
    assert "announced" not in old["status"]
    ((name, new),) = objects.items()
    assert name.startswith("team-a-one-lb-")
    assert (new["spec"]["poolRef"]["name"], new["status"]["phase"]) == ("far", "Allocated")
    assert not clusters.run(AFTER, "c")[ONE].is_changed


def test_nothing_goes_before_the_new_range_is_announced(clusters: FakeClusters) -> None:
    assert doubts(clusters) == {OLD: f"{ONE} does not announce {NEW_RANGE} yet"}
    clusters.run(AFTER, "b")
    assert doubts(clusters) == {}


def test_nothing_goes_that_a_service_uses_unless_a_person_says_so(clusters: FakeClusters) -> None:
    clusters.run(AFTER, "b")
    clusters.use(ONE, "10.40.0.3")
    assert doubts(clusters) == {OLD: f"Service default/shop of {ONE} still has {OLD_RANGE}"}
    assert doubts(clusters, force_withdraw=True) == {}
    assert doubts(clusters, confirm_withdrawn=(ONE,)) == {}
    clusters.use(ONE, "10.50.0.3")
    assert doubts(clusters) == {}


@pytest.mark.parametrize("name", [ONE, KEY, f"{ONE}/loadbalancer"])
def test_a_person_may_say_so_of_one_claim_alone(clusters: FakeClusters, name: str) -> None:
    clusters.run(AFTER, "b")
    clusters.use(ONE, "10.40.0.3")
    assert doubts(clusters, forced_claims=frozenset({name})) == {}
    other = {**AFTER, "tenants/two.yaml": tenant("two")}
    assert doubts(clusters, other, forced_claims=frozenset({"team-a/two"})) == doubts(clusters)
    clusters.run(UNUSED, "c", forced_claims=frozenset({name}))
    assert clusters.announced(ONE) == [NEW_RANGE]


def test_what_nobody_uses_any_more_is_withdrawn_and_expires_a_day_later(
    clusters: FakeClusters,
) -> None:
    clusters.run(AFTER, "b")
    clusters.run(UNUSED, "c")
    assert clusters.announced(ONE) == [NEW_RANGE]
    evaluation = moving(UNUSED, clock=LATER + 86_400)
    assert still_announced(evaluation, clusters, ApplyOptions()) == {}
    assert [(it.path, it.data) for it in evaluation.changes] == [(OLD, None)]


def test_a_service_that_came_between_is_kept_on_the_air(clusters: FakeClusters) -> None:
    clusters.run(AFTER, "b")
    clusters.use(ONE, "10.40.0.3")
    applied = clusters.apply(UNUSED, "c")[ONE]
    assert applied.is_failed
    assert clusters.announced(ONE) == [OLD_RANGE, NEW_RANGE]
    evaluation = moving(UNUSED, clock=LATER + 86_400)
    assert list(still_announced(evaluation, clusters, ApplyOptions())) == [OLD]


def test_a_cluster_that_cannot_be_asked_keeps_it(clusters: FakeClusters) -> None:
    clusters.run(AFTER, "b")
    clusters.faults[ONE] = lambda _verb, what: UnreachableError(f"read {what}: no answer")
    (why,) = doubts(clusters).values()
    assert why.startswith(f"cannot reach {ONE}: ")


def test_a_cluster_that_nobody_looked_into_keeps_it() -> None:
    clusters = FakeClusters(unnamed=(ONE,))
    assert list(doubts(clusters)) == [OLD]
    assert doubts(clusters, confirm_withdrawn=(ONE,)) == {}


def test_a_move_that_is_taken_back_announces_both_again(clusters: FakeClusters) -> None:
    clusters.run(AFTER, "b")
    files = {**AFTER, "providers/default.yaml": provider()}
    back = carried(files, moving(files, KEY))
    clusters.run(back, "c")
    assert clusters.announced(ONE) == [OLD_RANGE, NEW_RANGE]
    assert doubts(clusters, back) == {}
    assert list(still_announced(moving(back, clock=LATER), clusters, ApplyOptions())) == []
    clusters.use(ONE, "10.50.0.3")
    assert doubts(clusters, back) == {NEW: f"Service default/shop of {ONE} still has {NEW_RANGE}"}
