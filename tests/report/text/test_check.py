from reconciler.report.text.check import check_text
from reconciler.report.text.table import Painter
from tests.engine.outcome import Files
from tests.world import SMALL, evaluation_of, pool, reconciled, tenant

PLAIN, COLOURED = Painter(is_on=False), Painter(is_on=True)
FULL = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")}


def last_line(files: Files) -> str:
    return check_text(evaluation_of(files), PLAIN).splitlines()[-1]


def test_a_check_ends_with_its_verdict_and_what_was_counted() -> None:
    assert last_line(SMALL) == "✓ fine: no findings; 1 to allocate, 0 kept"
    assert last_line(reconciled(SMALL)) == "✓ fine: no findings; 1 kept"
    assert last_line(FULL) == ("✗ the content is right, but a gate stops it: 1 refused; 0 kept")
    two_wrong = {"pools/a.yaml": pool("a", "7"), "pools/b.yaml": pool("b", "7")}
    assert last_line(two_wrong).startswith("✗ the content is wrong: 2 errors; 0 kept")
    assert last_line({"pools/a.yaml": pool("a", "7")}).startswith(
        "✗ the content is wrong: 1 error;"
    )
    shared = {"pools/a.yaml": pool("a"), "pools/b.yaml": pool("b")}
    assert last_line(shared) == "✓ passes: 1 warning; 0 kept"


def test_the_verdict_is_green_or_red() -> None:
    assert "\x1b[32m✓ fine\x1b[0m" in check_text(evaluation_of(SMALL), COLOURED)
    assert "\x1b[31m✗ the content" in check_text(evaluation_of(FULL), COLOURED)


def test_a_pool_that_comes_into_a_worse_tier_is_shown_though_nothing_stops_it() -> None:
    fuller = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/28")}
    sized = {"tenants/one.yaml": tenant("one", networking="{lbPoolSize: 12}")}
    lines = check_text(evaluation_of({**fuller, **sized}), PLAIN).splitlines()
    assert lines[-3] == "Pools"
    assert "0.0% → 75.0% of 16" in lines[-2]
    assert lines[-2].endswith("warning")
    assert lines[-1].startswith("✓ fine")
    assert "Pools" not in check_text(evaluation_of(fuller), PLAIN)
