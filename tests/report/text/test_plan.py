from msgspec.structs import replace

from reconciler.planning.evaluate import evaluate
from reconciler.report.markdown import markdown_text
from reconciler.report.text.plan import check_text, plan_text
from reconciler.report.text.table import Painter
from reconciler.review.result import Compared
from tests.planning.outcome import Files, without
from tests.world import CLOCK, SMALL, evaluation_of, pool, reconciled, tenant, tree_of

PLAIN = Painter(is_on=False)
FULL = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")}


def planned(files: Files, clock: int = CLOCK) -> list[str]:
    lines = plan_text(evaluation_of(files, clock), PLAIN).splitlines()
    assert lines[0].startswith("Plan for aaaaaaaaaaaa   sha256:")
    return lines[1:]


def test_a_release_and_an_expiry_say_that_nobody_asks_any_more() -> None:
    gone = without(reconciled(SMALL), "tenants/one.yaml")
    row = (
        "team-a/one   loadbalancer   edge   8   10.40.0.0-10.40.0.7   its TenantCluster was removed"
    )
    assert planned(gone)[0] == f"  =   {row}  held back by the release limit"
    assert planned(gone)[-1] == "Plan: 1 held back by the release limit, 0 kept, 0 moved."
    allowed = plan_text(evaluate(replace(tree_of(gone), allow_release=1)), PLAIN).splitlines()[1:]
    assert (allowed[0], allowed[-1]) == (f"  -   {row}", "Plan: 1 to release, 0 kept, 0 moved.")
    lines = planned(reconciled(gone), CLOCK + 86_400)
    assert lines[0].split()[1:] == [
        "team-a/one", "loadbalancer", "edge", "8", "10.40.0.0-10.40.0.7", "its", "TenantCluster", "was", "removed",
    ]  # fmt: skip
    assert lines[-1] == "Plan: 1 to expire, 0 kept, 0 moved."
    failed = without(reconciled(FULL), "tenants/one.yaml")
    assert planned(failed)[0].split()[5] == "nothing"


def test_what_adds_to_a_range_says_from_how_many_to_how_many_in_text_and_markdown() -> None:
    files = {**reconciled(SMALL), "tenants/one.yaml": tenant("one", networking="{lbPoolSize: 16}")}
    grown = evaluation_of(files)
    assert "tenants/one.yaml:1  grow 8 → 16: + 10.40.0.8-15\n" in plan_text(grown, PLAIN)
    told = markdown_text(Compared(grown), "plan")
    assert "`10.40.0.8-10.40.0.15`<br>grow 8 → 16: + 10.40.0.8-15 |" in told


def test_a_pool_that_comes_into_a_worse_tier_is_shown_though_nothing_stops_it() -> None:
    fuller = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/28")}
    sized = {"tenants/one.yaml": tenant("one", networking="{lbPoolSize: 12}")}
    lines = check_text(Compared(evaluation_of({**fuller, **sized})), PLAIN).splitlines()
    assert lines[-3] == "Pools"
    assert "0.0% → 75.0% of 16" in lines[-2]
    assert lines[-2].endswith("warning")
    assert lines[-1].startswith("✓ OK")
    assert "Pools" not in check_text(Compared(evaluation_of(fuller)), PLAIN)


def test_many_releases_are_counted_and_those_that_a_brake_holds_back_say_so() -> None:
    many = {f"tenants/t{at:02}.yaml": tenant(f"t{at:02}") for at in range(14)}
    files = reconciled({**SMALL, **many})
    shown = check_text(Compared(evaluation_of(without(files, *list(many)[2:]))), PLAIN).splitlines()
    assert shown[0] == "12 releases"
    assert shown[1].startswith("  -   team-a/t02   loadbalancer   10.40.0.24-10.40.0.31 of edge")
    assert shown[10].endswith("held back by the release limit")
    assert shown[11] == "  and 2 more; run ipam plan to list them"
