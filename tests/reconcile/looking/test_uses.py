"""How many addresses of each record Services use, as the result of an apply has it."""

from reconciler.model.errors import UnreachableError
from reconciler.model.objects import SERVICE, Ref
from tests.reconcile.looking.country import ONE, TWO, Country, country

LB = "team-a-one-lb"


def used(here: Country, cluster: str = ONE) -> list[tuple[str, int]] | None:
    """Return the result of an apply for a cluster after an observation."""
    applied = here.apply(here.looked())[cluster]
    return None if applied.uses is None else [(it.record, it.used) for it in applied.uses]


def test_an_apply_tells_how_many_addresses_of_each_record_services_use() -> None:
    here = country("one", "two")
    here.leave("b")
    here.leave("a", TWO)
    here.leave("b", TWO)
    assert used(here) == [(LB, 1)]
    assert used(here, TWO) == [("team-a-two-lb", 0)]


def test_a_cluster_that_was_not_reached_or_not_read_whole_has_no_figures() -> None:
    here = country("one", "two")

    def away(*_: object) -> None:
        raise UnreachableError("no route to host")

    here.clusters.faults[TWO] = away
    assert used(here, TWO) is None
    here.clusters.faults.clear()
    odd = here.clusters.hand(ONE).objects[Ref(SERVICE, "default", "b")]
    odd["status"] = {"loadBalancer": {"ingress": [{"ip": "nowhere"}]}}
    assert (used(here), used(here, TWO)) == (None, [("team-a-two-lb", 2)])
