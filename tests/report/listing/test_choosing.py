"""Selection and order of objects in `ipam get`."""

import pytest

from reconciler.planning.evaluate import Evaluation
from reconciler.report.listing import (
    ORDERS,
    ListedItem,
    ListQuery,
    choose,
    items,
    listings,
    parse_selector,
    words,
)
from tests.world import SMALL, evaluation_of, pool, reconciled, tenant

FILES = {
    **SMALL,
    "pools/second.yaml": pool("second", "10.41.0.0/24"),
    "tenants/two.yaml": tenant("two", networking="{lbPoolSize: 4}", teamRef="{name: red}"),
    "tenants/big.yaml": tenant("big", networking="{lbPoolSize: 300}"),
}


def all_of(what: str, evaluation: Evaluation | None = None) -> list[ListedItem]:
    return items(evaluation or evaluation_of(reconciled(FILES)), listings()[what])


def names(what: str, wish: ListQuery) -> list[str]:
    return [item.name for item in choose(all_of(what), wish).items]


def test_a_tenant_is_found_by_what_it_holds() -> None:
    assert names("tenants", ListQuery(("10.40.0.1",))) == ["one"]
    assert names("tenants", ListQuery(pool="edge", team="red")) == ["two"]
    assert names("tenants", ListQuery(has_labels=parse_selector("app"))) == []


def test_a_tenant_lists_what_it_holds_in_the_order_of_its_slots() -> None:
    grown = {**reconciled(FILES), "tenants/one.yaml": tenant("one", networking="{lbPoolSize: 16}")}
    (one,) = choose(all_of("tenants", evaluation_of(reconciled(grown))), ListQuery(("one",))).items
    assert one.body is not None
    status = one.body()["status"]
    assert [it["slot"] for it in status["addresses"]] == ["loadbalancer", "loadbalancer-1"]


def test_what_is_not_there_is_told_with_what_is_near() -> None:
    chosen = choose(all_of("tenants"), ListQuery(("one", "tow", "10.99.0.1")))
    assert [item.name for item in chosen.items] == ["one"]
    assert chosen.missing == (("tow", "two"), ("10.99.0.1", ""))


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ("name", ["big", "one", "two"]), ("namespace", ["big", "one", "two"]),
        ("address", ["one", "two", "big"]), ("pool", ["big", "one", "two"]),
        ("team", ["big", "two", "one"]), ("age", ["big", "one", "two"]),
    ],
)  # fmt: skip
def test_objects_come_in_the_order_of_a_word(order: str, expected: list[str]) -> None:
    assert [item.name for item in sorted(all_of("tenants"), key=ORDERS[order])] == expected


@pytest.mark.parametrize(
    ("word", "what"),
    [
        ("pools", "pools"), ("pool", "pools"), ("np", "pools"), ("networkpool", "pools"),
        ("networkpools.butler.butlerlabs.dev", "pools"), ("ipa", "allocations"),
        ("ipallocation", "allocations"), ("ipallocations.butler.butlerlabs.dev", "allocations"),
        ("tc", "tenants"), ("proxyvip", "vips"), ("ipaddressclaims", "claims"), ("cluster", "clusters"),
    ],
)  # fmt: skip
def test_each_word_of_kubectl_is_taken(word: str, what: str) -> None:
    assert words()[word] == what
