import re

import pytest
from msgspec.structs import replace

from reconciler.documents.findings import error
from reconciler.planning.evaluate import Evaluation
from reconciler.report.markdown import LIMIT, markdown_text
from reconciler.review.result import Compared
from tests.moving import KEY, LEAVING, moving
from tests.report.hostile import PLACE, assert_inert, corpus, everywhere, tokens
from tests.world import SMALL, evaluation_of, pool, tenant

FULL = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/30")}


def shown(evaluation: Evaluation, base: str | None = None) -> str:
    return markdown_text(Compared(evaluation), "check", base=base)


def row_of(text: str, word: str) -> list[str]:
    (line,) = (line for line in text.splitlines() if line.startswith("|") and word in line)
    return [cell.strip() for cell in line.strip("|").split(" | ")]


def test_claims_that_move_stand_out() -> None:
    text = shown(moving(LEAVING, KEY))
    assert "kept, **1 moved**\n" in text
    assert "This change does not affect any addresses" not in text
    assert text.index("#### 1 move") < text.index("#### Capacity")
    assert row_of(text, "🟠") == [
        "🟠 `team-a/one` loadbalancer",
        "`10.40.0.0-10.40.0.7` in pool `edge`",
        "`10.50.0.0-10.50.0.7` in pool `far`",
        "announced while in use",
        "`edge` 3.1% of 256, 248 free; `far` 3.1% of 256, 248 free",
    ]


def test_a_refusal_has_its_reason_and_stands_first_among_the_findings() -> None:
    text = shown(evaluation_of(FULL))
    assert text.splitlines()[1] == ("### ⛔ Blocked: 1 refused; 0 kept, 0 moved")
    assert row_of(text, "team-a/one")[:5] == [
        "🔴 refuse", "`team-a/one` loadbalancer", "`edge`", "`request-too-large`", "8"
    ]  # fmt: skip
    assert text.index("#### Findings") < text.index("#### Addresses")
    assert "- ⛔ **request-too-large** at `tenants/one.yaml:1:1`<br>`team-a/one`" in text


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


@pytest.mark.parametrize("text", corpus(), ids=ascii)
def test_no_text_of_a_file_becomes_markup_a_link_or_a_mention(text: str) -> None:
    raw = shown(everywhere(text), base=text)
    assert_inert(raw)
    assert sum(token.type == "list_item_open" for token in tokens(raw)) == 3
