import re
from collections.abc import Iterator

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from msgspec.structs import replace

from reconciler.digest import actions, digest
from reconciler.evaluate import Evaluation, evaluate
from reconciler.findings import Location, error, info, warning
from reconciler.report.markdown import LIMIT, MARKER, markdown_text
from reconciler.report.markup import IN_VIEW
from reconciler.review.result import Compared
from tests.engine.outcome import after_removal, without
from tests.moving import KEY, LEAVING, moving
from tests.report.hostile import PLACE, corpus, everywhere, found
from tests.world import SMALL, evaluation_of, pool, provider, reconciled, tenant, tree_of

HTML = {MARKER, "<br>", "<details>", "<summary>", "</summary>", "</details>", "<sub>", "</sub>"}
TWO = {**reconciled(SMALL), "tenants/two.yaml": tenant("two")}
FULL = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")}


def shown(evaluation: Evaluation, base: str | None = None) -> str:
    return markdown_text(Compared(evaluation), "check", base=base)


def tokens(text: str) -> Iterator[Token]:
    for token in MarkdownIt("commonmark", {"html": True}).enable("table").parse(text):
        yield token
        yield from token.children or ()


def row_of(text: str, word: str) -> list[str]:
    (line,) = (line for line in text.splitlines() if line.startswith("|") and word in line)
    return [cell.strip() for cell in line.strip("|").split(" | ")]


def test_it_begins_with_the_mark_by_which_a_comment_is_found_and_the_verdict() -> None:
    assert shown(evaluation_of(TWO)).splitlines()[:2] == [
        MARKER,
        "### ✅ Fine: no findings; 1 to allocate, 1 kept, 0 moved",
    ]


def test_claims_that_move_stand_out() -> None:
    text = shown(moving(LEAVING, KEY))
    assert "kept, **1 moved**\n" in text
    assert "No address changes hands" not in text
    assert text.index("#### 1 moves") < text.index("#### Capacity")
    assert row_of(text, "🟠") == [
        "🟠 `team-a/one` loadbalancer",
        "`10.40.0.0-10.40.0.7` of `edge`",
        "`10.50.0.0-10.50.0.7` of `far`",
        "until nobody uses it",
        "`edge` 3.1% of 256, 248 free; `far` 3.1% of 256, 248 free",
    ]


def test_each_allocation_has_its_exact_addresses_and_its_source() -> None:
    assert row_of(shown(evaluation_of(TWO)), "team-a/two") == [
        "🟢 allocate", "`team-a/two` loadbalancer", "`edge`", "`10.40.0.8-10.40.0.15`", "8",
        "`tenants/two.yaml:1`",
    ]  # fmt: skip


def test_what_stays_is_shown_on_demand() -> None:
    compared = Compared(evaluation_of(TWO))
    assert "▫️ keep" not in markdown_text(compared, "plan")
    assert row_of(markdown_text(compared, "plan", keeps=True), "team-a/one")[0] == "▫️ keep"


def test_what_is_released_has_no_claim_any_more() -> None:
    gone = without(TWO, "tenants/one.yaml")
    assert row_of(shown(evaluation_of(gone)), "team-a/one")[0] == "🟡 held back by a brake"
    text = shown(evaluate(replace(tree_of(gone), allow_release=1)))
    assert row_of(text, "team-a/one") == [
        "🟠 release", "`team-a/one` loadbalancer", "`edge`", "`10.40.0.0-10.40.0.7`", "8",
        "its TenantCluster is gone",
    ]  # fmt: skip


def test_who_asks_for_none_any_more_is_named_with_its_place() -> None:
    cloud = {**TWO, "providers/default.yaml": provider().replace("mode: ipam", "mode: cloud")}
    text = shown(evaluate(replace(tree_of(cloud), allow_release=2)))
    assert row_of(text, "team-a/one")[-1] == "`tenants/one.yaml:1` asks for none"


def test_what_expires_is_told() -> None:
    files = after_removal(TWO, "tenants/one.yaml")
    evaluation = evaluate(replace(tree_of(files), clock=2_000_000_000))
    assert row_of(shown(evaluation), "team-a/one")[0] == "⚪ expire"


def test_a_refusal_has_its_reason_and_stands_first_among_the_findings() -> None:
    text = shown(evaluation_of(FULL))
    assert text.splitlines()[1] == (
        "### ⛔ The content is right, but a gate stops it: 1 refused; 0 kept, 0 moved"
    )
    assert row_of(text, "team-a/one")[:5] == [
        "🔴 refuse", "`team-a/one` loadbalancer", "`edge`", "`request-too-large`", "8"
    ]  # fmt: skip
    assert text.index("#### Findings") < text.index("#### Addresses")
    assert "- ⛔ **request-too-large** at `tenants/one.yaml:1:1`<br>`team-a/one`" in text


def test_a_record_that_holds_nothing_any_more_gives_nothing_back() -> None:
    failed = without(reconciled(FULL), "tenants/one.yaml")
    assert row_of(shown(evaluation_of(failed)), "team-a/one")[3] == "nothing"


def test_capacity_is_shown_before_and_after_with_a_bar() -> None:
    assert row_of(shown(evaluation_of(TWO)), "% →") == [
        "`edge`", "`█░░░░░░░░░░░░░░░░░░░`", "3.1% → 6.3% of 256", "240", "240", "🟢 ok"
    ]  # fmt: skip
    half = {**SMALL, "tenants/one.yaml": tenant("one", networking="{lbPoolSize: 200}")}
    assert row_of(shown(evaluation_of(half)), "% →")[1:3] + row_of(
        shown(evaluation_of(half)), "% →"
    )[5:] == ["`▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓░░░░`", "0.0% → 78.1% of 256", "🟡 ok → **warning**"]


def test_a_pool_that_is_filling_up_is_shown_even_when_nothing_changes_in_it() -> None:
    half = {**SMALL, "tenants/one.yaml": tenant("one", networking="{lbPoolSize: 200}")}
    text = shown(evaluation_of(reconciled(half)))
    assert row_of(text, "`edge`")[5] == "🟡 warning"
    assert "No address changes hands." in text


def test_with_nothing_to_do_that_is_said() -> None:
    text = shown(evaluation_of(reconciled(SMALL)))
    assert "No address changes hands." in text
    assert "####" not in text


def test_with_nothing_to_do_but_errors_both_are_said() -> None:
    wrong = replace(evaluation_of(reconciled(SMALL)), findings=(error("cidr-invalid", PLACE, "m"),))
    text = shown(wrong)
    assert "### ❌ The content is wrong: 1 error; " in text
    assert "No address changes hands." in text


def test_a_warning_stands_last_with_its_hint_and_without_a_place_that_it_lacks() -> None:
    text = shown(found(warning("base-ahead", Location("."), "main is ahead", "merge it first")))
    assert text.index("#### Findings") > text.index("#### Capacity")
    assert "- ⚠️ **base-ahead**<br>main is ahead<br>💡 merge it first\n" in text


def test_what_is_only_to_know_has_a_sign_of_its_own() -> None:
    text = shown(found(info("pool-added", Location("."), "new")))
    assert "### ✅ Passes: 1 to know; " in text
    assert "- 📝 **pool-added**<br>new\n" in text


def test_the_footer_tells_revision_base_digest_and_how_to_do_it_again() -> None:
    evaluation = evaluation_of(TWO)
    mark = digest(actions(evaluation))
    revision = "a" * 40
    assert shown(evaluation, base="main").splitlines()[-1] == (
        f"<sub>Revision `{revision}` · base `main` · digest `{mark}` · again:"
        f" `ipam check --base main --rev {revision[:12]}`</sub>"
    )
    assert shown(evaluation).endswith(f"again: `ipam check --rev {revision[:12]}`</sub>\n")


def test_what_only_this_machine_can_do_again_is_not_told() -> None:
    evaluation = evaluation_of(TWO)
    assert "again" not in shown(evaluation, base="HEAD^1")
    tree = replace(evaluation.tree, revision=None)
    footer = shown(replace(evaluation, tree=tree)).splitlines()[-1]
    assert footer.startswith("<sub>The work tree · digest")
    assert "again" not in footer


def test_a_comment_fits_whatever_there_is_to_tell() -> None:
    long = "x" * 100
    tenants = {f"tenants/{long}{at}.yaml": tenant(f"n{at}") for at in range(1_000)}
    evaluation = evaluation_of({**SMALL, **tenants, "pools/edge.yaml": pool(cidr="10.40.0.0/18")})
    many = [error("cidr-invalid", PLACE, "@" * 900, "| " * 900) for _ in range(1_000)]
    text = shown(replace(evaluation, findings=tuple(many)), base="b" * 5_000)
    assert LIMIT - 6_000 < len(text) <= LIMIT
    assert len(re.findall(r"^\*\d+ more do not fit here", text, re.MULTILINE)) == 2
    assert text.endswith("</sub>\n")
    assert text.count("<details>") == text.count("</details>")


def test_rows_that_are_folded_are_a_table_too() -> None:
    tenants = {f"tenants/{at}.yaml": tenant(f"n{at}") for at in range(20)}
    text = shown(evaluation_of({**SMALL, **tenants}))
    assert f"<summary>{21 - IN_VIEW} more</summary>" in text
    tables = [token for token in tokens(text) if token.type == "table_open"]
    assert len(tables) == 3


@pytest.mark.parametrize("text", corpus(), ids=ascii)
def test_no_text_of_a_file_becomes_markup_a_link_or_a_mention(text: str) -> None:
    raw = shown(everywhere(text), base=text)
    raw.encode()
    assert all(line.isprintable() for line in raw.replace("\ufe0f", "").split("\n"))
    html = set()
    for token in tokens(raw):
        assert token.type not in ("link_open", "image", "fence", "code_block", "blockquote_open")
        if token.type in ("html_inline", "html_block"):
            html |= set(re.findall(r"<[^>]*>", token.content))
        elif token.type == "text":
            assert not re.search(r"[@#<>\[\]`*_~/$!\\|]|\w\.\w*[a-z]|\w:\w", token.content)
    assert html <= HTML
    assert sum(token.type == "list_item_open" for token in tokens(raw)) == 3
