"""Holders of addresses, and their neighbors."""

from reconciler.addresses import format_short
from reconciler.history.who import Holder, concerning, of_name, of_ranges
from reconciler.model.plan import State
from reconciler.planning.pool_map import AddressUse
from tests.history.pasts import EDGE, happened, run, version
from tests.world import SMALL, evaluation_of, reconciled, tenant

FILES = reconciled({**SMALL, "tenants/two.yaml": tenant("two")})
GONE = reconciled({path: it for path, it in FILES.items() if path != "tenants/two.yaml"})
STATE = evaluation_of(GONE).state


def ranges(holders: list[Holder]) -> list[str]:
    return [format_short(it.part.range) for it in holders]


def test_a_name_is_that_of_a_tenant_a_claim_a_record_or_a_pool() -> None:
    key = "butler/TenantCluster/team-a/one/loadbalancer"
    for text in ("one", "team-a/one", key, "team-a/one (loadbalancer)", "team-a-one-lb"):
        assert ranges(of_name(STATE, text)) == ["10.40.0.0-10.40.0.7"], text
    for text in ("edge", "butler-system/edge", str(EDGE)):
        assert len(of_name(STATE, text)) == 3, text
    assert of_name(STATE, "nobody") == []


def test_versions_of_records_go_by_the_same_names() -> None:
    (item,) = happened(None, version())
    for text in ("one", "team-a/one", "edge", "butler-system/edge", str(EDGE), "team-a-one-lb"):
        assert concerning(text)(item), text
    assert not concerning("two")(item)
    given = item._replace(giver="team-a/two")
    assert [concerning(it)(given) for it in ("two", "team-a/two")] == [True, True]
    assert [concerning(it)(given) for it in ("", "a/two")] == [False, False]


def test_a_record_whose_pool_is_gone_has_no_neighbours() -> None:
    state: State = evaluation_of({k: v for k, v in GONE.items() if k != "pools/edge.yaml"}).state
    (holder, *_) = of_ranges(state, [run(3, 3)])
    assert (holder.part.sort, holder.before) == (AddressUse.ALLOCATED, None)
