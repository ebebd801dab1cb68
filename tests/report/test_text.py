from dataclasses import replace

from reconciler.evaluate import evaluate
from reconciler.findings import Location, error, gate, warning
from reconciler.report.table import Painter
from reconciler.report.text import (
    MAX_FINDINGS,
    check_text,
    findings_text,
    plan_text,
    reconcile_text,
    status_text,
)
from tests.engine.outcome import Files, without
from tests.world import CLOCK, SMALL, evaluation_of, pool, provider, reconciled, tenant, tree_of

PLAIN, COLOURED = Painter(is_on=False), Painter(is_on=True)
PLACE = Location("pools/a.yaml", 3, 9, "/spec/cidr")
FULL = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")}


def test_a_finding_is_its_place_its_word_and_what_to_do() -> None:
    found = [error("cidr-invalid", PLACE, "no CIDR", "write one")]
    assert findings_text(found, PLAIN) == (
        "pools/a.yaml:3:9: error cidr-invalid: no CIDR\n  hint: write one\n"
    )


def test_without_a_place_in_the_file_or_a_hint_they_are_left_out() -> None:
    found = [warning("base-ahead", Location("."), "behind"), gate("brake", PLACE, "too much")]
    assert findings_text(found, PLAIN) == (
        ".: warning base-ahead: behind\npools/a.yaml:3:9: refused brake: too much\n"
    )


def test_no_findings_are_no_text() -> None:
    assert findings_text([], PLAIN) == ""


def test_severity_has_its_colour_and_the_hint_is_dim() -> None:
    found = [error("cidr-invalid", PLACE, "x", "y"), warning("base-ahead", PLACE, "z")]
    text = findings_text(found, COLOURED)
    assert "\x1b[31merror cidr-invalid\x1b[0m: x" in text
    assert "\x1b[33mwarning base-ahead\x1b[0m: z" in text
    assert "\x1b[2m  hint: y\x1b[0m" in text


def test_of_very_many_the_gravest_are_shown_and_the_rest_counted() -> None:
    found = [
        *(warning("base-ahead", Location("a.yaml", line), "w") for line in range(MAX_FINDINGS)),
        gate("brake", PLACE, "stopped"),
        error("cidr-invalid", PLACE, "wrong"),
    ]
    lines = findings_text(found, PLAIN).splitlines()
    assert lines[0] == "pools/a.yaml:3:9: error cidr-invalid: wrong"
    assert lines[1] == "pools/a.yaml:3:9: refused brake: stopped"
    assert lines[-1] == "and 2 more; -o json has them all"
    assert len(lines) == MAX_FINDINGS + 1


def test_hostile_text_of_a_file_reaches_no_terminal() -> None:
    found = [error("cidr-invalid", Location("::a\x1b.yaml", 1, 1), "\x1b[2J", "\u202ex")]
    text = findings_text(found, PLAIN)
    assert text == ("\\::a\\u001b.yaml:1:1: error cidr-invalid: \\u001b[2J\n  hint: \\u202ex\n")


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
    assert last_line(shared) == "✓ fine: 1 warning; 0 kept"


def test_the_verdict_is_green_or_red() -> None:
    assert "\x1b[32m✓ fine\x1b[0m" in check_text(evaluation_of(SMALL), COLOURED)
    assert "\x1b[31m✗ the content" in check_text(evaluation_of(FULL), COLOURED)


def planned(files: Files, clock: int = CLOCK) -> list[str]:
    lines = plan_text(evaluation_of(files, clock), PLAIN).splitlines()
    assert lines[0].startswith("Plan for aaaaaaaaaaaa   sha256:")
    return lines[1:]


def test_a_plan_shows_what_is_given_from_which_pool_to_whom_and_where_it_was_asked() -> None:
    assert planned(SMALL) == [
        "  +   team-a/one   loadbalancer   edge   8   10.40.0.0-10.40.0.7   tenants/one.yaml:1",
        "Pools",
        "  edge   0.0% → 3.1% of 256   248 free, largest run 248   ok",
        "Plan: 1 to allocate, 0 kept, 0 moved.",
    ]


def test_a_refusal_is_told_with_reason_and_remedy() -> None:
    assert planned(FULL) == [
        "  !   team-a/one   loadbalancer   edge   8   request-too-large   tenants/one.yaml:1",
        "Refused",
        "  team-a/one (loadbalancer): needs 8 addresses; edge has 4 in all",
        "    hint: ask for fewer, or add a larger pool",
        "Plan: 0 kept, 0 moved. 1 refused.",
    ]
    assert planned(reconciled(FULL))[-1] == "Plan: 0 kept, 0 moved. 1 refused."


def test_a_release_and_an_expiry_say_that_nobody_asks_any_more() -> None:
    gone = without(reconciled(SMALL), "tenants/one.yaml")
    assert planned(gone)[0] == (
        "  -   team-a/one   loadbalancer   edge   8   10.40.0.0-10.40.0.7   no claim"
    )
    assert planned(gone)[-1] == "Plan: 1 to release, 0 kept, 0 moved."
    lines = planned(reconciled(gone), CLOCK + 86_400)
    assert lines[0].split()[1:] == [
        "team-a/one", "loadbalancer", "edge", "8", "10.40.0.0-10.40.0.7", "no", "claim",
    ]  # fmt: skip
    assert lines[-1] == "Plan: 1 to expire, 0 kept, 0 moved."
    failed = without(reconciled(FULL), "tenants/one.yaml")
    assert planned(failed)[0].split()[5] == "nothing"


def test_what_stays_is_shown_on_demand_only() -> None:
    evaluation = evaluation_of(reconciled(SMALL))
    assert plan_text(evaluation, PLAIN, moved=2).splitlines()[1:] == [
        "No changes. 1 allocations kept, 2 moved."
    ]
    assert plan_text(evaluation, PLAIN, keeps=True).splitlines()[1].split()[0] == "="


def test_a_record_that_is_only_rewritten_is_said_so() -> None:
    files = {**reconciled(SMALL), "tenants/one.yaml": tenant("one", teamRef="{name: red}")}
    assert planned(files) == ["Plan: 1 to rewrite, 1 kept, 0 moved."]


def test_a_work_tree_has_no_revision_to_name() -> None:
    evaluation = evaluate(replace(tree_of(SMALL), revision=None))
    assert plan_text(evaluation, PLAIN).startswith("Plan for the work tree   sha256:")


def test_a_plan_in_colour_says_the_same() -> None:
    files = {**reconciled(SMALL), "tenants/two.yaml": tenant("two", networking="{lbPoolSize: 300}")}
    text = plan_text(evaluation_of(files), COLOURED)
    for code in ("0", "1", "2", "31", "32", "33"):
        text = text.replace(f"\x1b[{code}m", "")
    assert text == plan_text(evaluation_of(files), PLAIN)


def test_status_has_the_columns_of_the_contract() -> None:
    assert status_text(evaluation_of(reconciled(SMALL)), PLAIN) == (
        "NAME   KIND          TOTAL   ALLOC   AVAIL   COUNT   FRAG   USED%   TIER\n"
        "edge   NetworkPool     256       8     248       1      0     3.1   ok\n"
    )
    assert status_text(evaluation_of({}), PLAIN) == "No pools found.\n"


def test_a_full_pool_is_red_and_a_warning_yellow() -> None:
    files = {
        "pools/a.yaml": pool("a", "10.40.0.0/29"),
        "pools/b.yaml": pool("b", "10.41.0.0/29"),
        "providers/default.yaml": provider(pools="[{name: a}, {name: b}]"),
        "tenants/1.yaml": tenant("one"),
        "tenants/2.yaml": tenant("two", networking="{lbPoolSize: 6}"),
    }
    text = status_text(evaluation_of(reconciled(files)), COLOURED)
    assert "\x1b[31mexhausted\x1b[0m" in text
    assert "\x1b[33mwarning\x1b[0m" in text


def test_what_a_reconcile_did_is_one_line() -> None:
    assert reconcile_text("Committed\nx.", PLAIN) == "Committed\\u000ax.\n"
