from reconciler.documents.findings import Location
from reconciler.model.claim import Owner
from reconciler.model.plan import Blocked
from reconciler.planning.space import Space, Withheld
from tests.planning.outcome import a_pool, span

ONE, TWO = Owner("team-a", "one", "red"), Owner("team-a", "two", "red")
EDGE = a_pool(span("10.0.0.0-10.0.0.9"))
MIXED = a_pool(span("10.0.0.0-10.0.0.1"), span("2001:db8::-2001:db8::9"))


def test_a_range_is_free_until_a_record_or_this_plan_takes_it() -> None:
    space = Space([span("10.0.0.0-10.0.0.1")], {})
    assert not space.is_free(span("10.0.0.1-10.0.0.2"), ONE)
    assert space.is_free(span("10.0.0.2-10.0.0.3"), ONE)
    space.take(EDGE, span("10.0.0.2-10.0.0.3"))
    assert not space.is_free(span("10.0.0.3"), ONE)
    assert space.is_free(span("10.0.0.4"), ONE)


def test_what_is_taken_is_no_longer_allocated_though_runs_were_built_before() -> None:
    space = Space([], {})
    assert space.allocate(EDGE, 2) == span("10.0.0.0-10.0.0.1")
    space.take(EDGE, span("10.0.0.2-10.0.0.3"))
    assert space.allocate(EDGE, 2) == span("10.0.0.4-10.0.0.5")
    assert space.free(EDGE).size == 4


def test_a_neighbour_whose_runs_are_not_built_yet_sees_it_when_they_are() -> None:
    other = a_pool(span("10.0.0.0-10.0.0.9"), name="other")
    space = Space([], {EDGE.key: EDGE.key, other.key: EDGE.key})
    assert space.allocate(EDGE, 2) == span("10.0.0.0-10.0.0.1")
    assert space.allocate(other, 2) == span("10.0.0.2-10.0.0.3")
    assert space.allocate(EDGE, 2) == span("10.0.0.4-10.0.0.5")


def test_a_pool_of_both_ip_versions_gives_from_the_first_with_room() -> None:
    space = Space([], {})
    assert space.allocate(MIXED, 2) == span("10.0.0.0-10.0.0.1")
    assert space.allocate(MIXED, 4) == span("2001:db8::-2001:db8::3")
    assert space.allocate(MIXED, 16) is None


def test_a_blocked_range_is_free_for_its_own_tenant_only() -> None:
    blocked = Blocked(span("10.0.0.0-10.0.0.3"), "team-a/one (loadBalancerPool)", Location("t"))
    space = Space([], {}, Withheld((blocked,)))
    assert space.is_free(span("10.0.0.2"), ONE)
    assert not space.is_free(span("10.0.0.2"), TWO)
    assert space.withheld.by_others(span("10.0.0.2"), TWO) == [blocked]
    assert space.withheld.by_others(span("10.0.0.4"), TWO) == []
    assert space.allocate(EDGE, 1) == span("10.0.0.4")
