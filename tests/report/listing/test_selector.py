"""Label selectors, as kubectl takes them."""

import pytest

from reconciler.report.listing import parse_selector

LABELS = {"example.com/tier": "gold", "app": "web"}


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("", True), ("app=web", True), ("app==web", True), ("app = web", True), ("app=shop", False),
        ("app!=shop", True), ("app!=web", False), ("other!=web", True), ("other=", False),
        ("app in (web, shop)", True), ("app in (shop)", False), ("app notin (shop)", True),
        ("app notin (web)", False), ("other notin (web)", True), ("app", True), ("other", False),
        ("!other", True), ("!app", False), ("app=web,example.com/tier in (gold,silver)", True),
        ("app=web,example.com/tier in (iron,silver)", False), ("app=web,app!=web", False),
    ],
)  # fmt: skip
def test_a_selector_holds_as_for_kubectl(text: str, holds: bool) -> None:
    assert parse_selector(text)(LABELS) is holds


@pytest.mark.parametrize("text", ["app=web,", "=web", "app in web", "app>3", "a b", "app=(x)"])
def test_what_is_no_selector_is_said_to_be_none(text: str) -> None:
    with pytest.raises(ValueError, match="is not a term of a label selector"):
        parse_selector(text)
