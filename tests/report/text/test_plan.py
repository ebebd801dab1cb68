from msgspec.structs import replace

from reconciler.planning.evaluate import evaluate
from reconciler.report.markdown import markdown_text
from reconciler.report.text.plan import plan_text
from reconciler.report.text.table import Painter
from reconciler.review.result import Compared
from tests.planning.outcome import Files, without
from tests.world import CLOCK, SMALL, evaluation_of, pool, reconciled, tenant, tree_of

PLAIN, COLOURED = Painter(is_on=False), Painter(is_on=True)
FULL = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")}


def planned(files: Files, clock: int = CLOCK) -> list[str]:
    lines = plan_text(evaluation_of(files, clock), PLAIN).splitlines()
    assert lines[0].startswith("Plan for aaaaaaaaaaaa   sha256:")
    return lines[1:]


def test_a_release_and_an_expiry_say_that_nobody_asks_any_more() -> None:
    gone = without(reconciled(SMALL), "tenants/one.yaml")
    row = "team-a/one   loadbalancer   edge   8   10.40.0.0-10.40.0.7   its TenantCluster is gone"
    assert planned(gone)[0] == f"  =   {row}  held back by a brake"
    assert planned(gone)[-1] == "Plan: 1 held back by a brake, 0 kept, 0 moved."
    allowed = plan_text(evaluate(replace(tree_of(gone), allow_release=1)), PLAIN).splitlines()[1:]
    assert (allowed[0], allowed[-1]) == (f"  -   {row}", "Plan: 1 to release, 0 kept, 0 moved.")
    lines = planned(reconciled(gone), CLOCK + 86_400)
    assert lines[0].split()[1:] == [
        "team-a/one", "loadbalancer", "edge", "8", "10.40.0.0-10.40.0.7", "its", "TenantCluster", "is", "gone",
    ]  # fmt: skip
    assert lines[-1] == "Plan: 1 to expire, 0 kept, 0 moved."
    failed = without(reconciled(FULL), "tenants/one.yaml")
    assert planned(failed)[0].split()[5] == "nothing"


def test_what_stays_is_shown_on_demand_only() -> None:
    evaluation = evaluation_of(reconciled(SMALL))
    assert plan_text(evaluation, PLAIN).splitlines()[1:] == [
        "No changes. 1 allocations kept, 0 moved."
    ]
    assert plan_text(evaluation, PLAIN, keeps=True).splitlines()[1].split()[0] == "="


def test_a_record_that_is_only_rewritten_is_said_so() -> None:
    files = {**reconciled(SMALL), "tenants/one.yaml": tenant("one", teamRef="{name: red}")}
    assert planned(files) == ["Plan: 1 to rewrite, 1 kept, 0 moved."]


def test_a_plan_in_colour_says_the_same() -> None:
    files = {**reconciled(SMALL), "tenants/two.yaml": tenant("two", networking="{lbPoolSize: 300}")}
    text = plan_text(evaluation_of(files), COLOURED)
    for code in ("0", "1", "2", "31", "32", "33"):
        text = text.replace(f"\x1b[{code}m", "")
    assert text == plan_text(evaluation_of(files), PLAIN)


def test_what_adds_to_a_range_says_from_how_many_to_how_many_in_text_and_markdown() -> None:
    files = {**reconciled(SMALL), "tenants/one.yaml": tenant("one", networking="{lbPoolSize: 16}")}
    grown = evaluation_of(files)
    assert "tenants/one.yaml:1  grow 8 → 16: + 10.40.0.8-15\n" in plan_text(grown, PLAIN)
    told = markdown_text(Compared(grown), "plan")
    assert "`10.40.0.8-10.40.0.15`<br>grow 8 → 16: + 10.40.0.8-15 |" in told
