from reconciler.report.text.plan import check_text
from reconciler.report.text.table import Painter
from reconciler.review.result import Compared
from tests.planning.outcome import without
from tests.world import SMALL, evaluation_of, pool, reconciled, tenant

PLAIN = Painter(is_on=False)


def test_a_pool_that_comes_into_a_worse_tier_is_shown_though_nothing_stops_it() -> None:
    fuller = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/28")}
    sized = {"tenants/one.yaml": tenant("one", networking="{lbPoolSize: 12}")}
    lines = check_text(Compared(evaluation_of({**fuller, **sized})), PLAIN).splitlines()
    assert lines[-3] == "Pools"
    assert "0.0% → 75.0% of 16" in lines[-2]
    assert lines[-2].endswith("warning")
    assert lines[-1].startswith("✓ fine")
    assert "Pools" not in check_text(Compared(evaluation_of(fuller)), PLAIN)


def test_many_releases_are_counted_and_those_that_a_brake_holds_back_say_so() -> None:
    many = {f"tenants/t{at:02}.yaml": tenant(f"t{at:02}") for at in range(14)}
    files = reconciled({**SMALL, **many})
    shown = check_text(Compared(evaluation_of(without(files, *list(many)[2:]))), PLAIN).splitlines()
    assert shown[0] == "12 releases"
    assert shown[1].startswith("  -   team-a/t02   loadbalancer   10.40.0.24-10.40.0.31 of edge")
    assert shown[10].endswith("held back by a brake")
    assert shown[11] == "  and 2 more: ipam plan lists them"
