"""Who has some addresses, and what stands beside them."""

from reconciler.addresses import format_short
from reconciler.history.who import Holder, concerning, nearest_holders, of_name, of_ranges
from reconciler.model.plan import State
from reconciler.planning.pool_map import AddressUse
from tests.history.pasts import EDGE, fact, happened, run
from tests.world import CLOCK, SMALL, evaluation_of, pool, reconciled, tenant

FILES = reconciled({**SMALL, "tenants/two.yaml": tenant("two")})
GONE = reconciled({path: it for path, it in FILES.items() if path != "tenants/two.yaml"})
STATE = evaluation_of(GONE).state


def ranges(holders: list[Holder]) -> list[str]:
    return [format_short(it.part.range) for it in holders]


def test_an_address_has_a_holder_a_document_and_neighbours() -> None:
    (holder,) = of_ranges(STATE, [run(3, 3)])
    assert holder.part.sort is AddressUse.ALLOCATED
    assert holder.document is not None
    assert holder.document.path == "tenants/one.yaml"
    assert holder.before is None
    assert holder.after is not None
    assert (format_short(holder.after.range), holder.after.sort) == (
        "10.40.0.8-10.40.0.15",
        AddressUse.HELD,
    )


def test_what_is_held_has_an_end_and_no_document() -> None:
    (holder,) = of_ranges(STATE, [run(9, 9)])
    assert (holder.until, holder.document) == (CLOCK + 86_400, None)
    assert holder.before is not None
    assert holder.before.sort is AddressUse.ALLOCATED


def test_outside_of_all_pools_nothing_stands_beside() -> None:
    (holder,) = of_ranges(STATE, [run(4096, 4096)])
    assert (holder.part.sort, holder.before, holder.after) == (AddressUse.OUTSIDE, None, None)


def test_a_name_is_that_of_a_tenant_a_claim_a_record_or_a_pool() -> None:
    key = "butler/TenantCluster/team-a/one/loadbalancer"
    for text in ("one", "team-a/one", key, "team-a/one (loadbalancer)", "team-a-one-lb"):
        assert ranges(of_name(STATE, text)) == ["10.40.0.0-10.40.0.7"], text
    for text in ("edge", "butler-system/edge", EDGE):
        assert len(of_name(STATE, text)) == 3, text
    assert of_name(STATE, "nobody") == []


def test_a_pool_is_told_without_its_neighbours_of_the_same_addresses() -> None:
    state = evaluation_of({**GONE, "pools/half.yaml": pool("half", "10.40.0.0/25")}).state
    found = of_name(state, "edge")
    assert [it.part.pool.name for it in found if it.part.pool] == ["edge"] * len(found)


def test_a_name_that_is_nearly_one_is_proposed() -> None:
    assert (nearest_holders(STATE, "edgy"), nearest_holders(STATE, "zzz")) == ("edge", "")


def test_versions_of_records_go_by_the_same_names() -> None:
    (item,) = happened(None, fact())
    for text in ("one", "team-a/one", "edge", "butler-system/edge", EDGE, "team-a-one-lb"):
        assert concerning(text)(item), text
    assert not concerning("two")(item)
    given = item._replace(giver="team-a/two")
    assert [concerning(it)(given) for it in ("two", "team-a/two", "", "a/two")] == [
        True,
        True,
        False,
        False,
    ]


def test_a_record_whose_pool_is_gone_has_no_neighbours() -> None:
    state: State = evaluation_of({k: v for k, v in GONE.items() if k != "pools/edge.yaml"}).state
    (holder, *_) = of_ranges(state, [run(3, 3)])
    assert (holder.part.sort, holder.before) == (AddressUse.ALLOCATED, None)
