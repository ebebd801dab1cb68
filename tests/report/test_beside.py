"""Causes, other open changes, and the contract next to findings contain no active markup."""

import json
import re

import pytest
from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.documents.findings import Location
from reconciler.model.key import Key
from reconciler.model.plan import Cause
from reconciler.model.pool import Tier, Within
from reconciler.report.formats import json_text
from reconciler.report.json import check_document, plan_document
from reconciler.report.markdown import markdown_text
from reconciler.report.text.plan import check_text
from reconciler.report.text.table import Painter
from reconciler.review.result import Both, Compared, Fuller, Second, Together
from tests.report.hostile import assert_inert, corpus, tokens
from tests.world import SMALL, evaluation_of

RANGE = IPRange(4, 0x0A280000, 0x0A280007)
# An empty reason is not shown.
each = pytest.mark.parametrize("text", [it for it in corpus() if it], ids=ascii)


def key(text: str) -> Key:
    return Key(text, text, text, text, text)


def beside(text: str) -> Compared:
    """Return a change with the text in each field of another change, a cause, and a contract."""
    evaluation = evaluation_of(SMALL)
    usage = next(iter(evaluation.plan.after.values()))
    claim = key(text)
    together = Together(
        name=text,
        revision=text,
        why=text,
        conflicts=(text, f"a {text}"),
        both=(Both(claim, claim, claim, RANGE),),
        ours=(Second(claim, RANGE, RANGE),),
        theirs=(Second(claim, RANGE, None, text),),
        pools=(Fuller(claim, usage, replace(usage, tier=Tier.CRITICAL)),),
    )
    here = Cause(claim, Location(text, 3, 1), text, commit=text)
    causes = (here, Cause(claim, None, text, is_caused=False))
    return Compared(evaluation, also=(together,), causes=causes, within=Within("", (text, text)))


def named(text: str) -> Compared:
    """Return a change within the contract of a team with this name."""
    return Compared(evaluation_of(SMALL), within=Within(text))


def shape(compared: Compared) -> list[str]:
    raw = markdown_text(compared, "check", base="main")
    found = (token.type for token in tokens(raw))
    return [it for it in found if it.endswith("_open") or it == "html_block"]


@each
def test_no_text_becomes_markup_a_link_or_a_mention(text: str) -> None:
    for compared, plain in ((beside(text), beside("plain")), (named(text), named("plain"))):
        raw = markdown_text(compared, "check", base="main")
        assert_inert(raw)
        assert shape(compared) == shape(plain)


@each
def test_no_text_becomes_a_line_or_a_command_of_its_own(text: str) -> None:
    for compared, plain in ((beside(text), beside("plain")), (named(text), named("plain"))):
        said, wanted = (
            check_text(it, Painter(is_on=False)).split("\n") for it in (compared, plain)
        )
        assert len(said) == len(wanted)
        for line in said:
            line.encode()
            assert line.isprintable()
            assert not re.match(r"\s*::", line)
            assert "##" not in line


@each
def test_as_data_it_is_a_string_and_nothing_else(text: str) -> None:
    for compared in (beside(text), named(text)):
        evaluation = compared.evaluation
        document = check_document(compared, plan_document(evaluation), 0)
        raw = json_text(document)
        raw.encode()
        assert "##" not in raw
        assert all(line.isprintable() for line in raw.split("\n"))
        assert json.loads(raw) == json.loads(json.dumps(document))


def test_all_that_is_told_beside_is_in_each_form() -> None:
    compared = beside("canary")
    titles = ("Caused elsewhere in this change", "Not caused by this change")
    said = check_text(compared, Painter(is_on=False))
    raw = markdown_text(compared, "check", base="main")
    for form, name in ((said, "With canary"), (raw, "With other open pull requests")):
        for words in (*titles, name, "Needs review: "):
            assert words in form
    document = check_document(compared, {}, 0)
    assert document["beside"][0]["name"] == "canary"
    assert document["withinContract"] == {"team": None, "reasons": ["canary", "canary"]}
    assert [it["reason"] for it in document["causes"]] == ["canary", "canary"]
