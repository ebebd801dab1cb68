"""How much a cluster may say."""

import json
import sys
from typing import Any

import pytest

from reconciler.adapters.kube.limits import (
    ANSWER,
    MANAGEMENT,
    TENANT,
    Budget,
    Limits,
    TooLargeError,
    weight,
)
from reconciler.ports import ClusterError

SMALL = Limits(items=2, pages=3, kept=1_000, read=2_000, at_once=0)


def size_of(value: Any) -> int:
    """What a value takes in memory, with all that it holds."""
    inner = value if isinstance(value, list) else []
    if isinstance(value, dict):
        inner = [*value.keys(), *value.values()]
    return sys.getsizeof(value) + sum(map(size_of, inner))


@pytest.mark.parametrize(
    "item",
    ['{"a":{}}', "{}", "[]", "[[[]]]", "1.5", '"é"', '{"a":[1,2,{"b":null}]}', '"\\ud83d\\ude00"'],
)
def test_nothing_takes_more_than_it_weighs(item: str) -> None:
    body = f"[{','.join([item] * 1_000)}]".encode()
    assert size_of(json.loads(body)) <= weight(body)


def test_an_answer_that_is_too_heavy_is_told_before_it_is_read() -> None:
    heavy = b"{" * (ANSWER // 200)
    with pytest.raises(TooLargeError, match="x: the answer would take more than 128 MiB of memory"):
        Budget(TENANT).read("x", heavy)


def test_the_largest_object_that_a_server_stores_may_be_read_of_our_own_cluster() -> None:
    """etcd takes a mebibyte and a half; somebody may fill that with as little as there is."""
    body = b"{%b}" % (b"{}," * (1024 * 1024 // 2))
    with pytest.raises(TooLargeError):
        Budget(TENANT).weigh("x", body)
    assert Budget(MANAGEMENT).weigh("x", body)
    with pytest.raises(TooLargeError):
        Budget(MANAGEMENT).weigh("x", 2 * body)


def test_what_is_read_and_what_is_kept_have_ends() -> None:
    budget = Budget(SMALL)
    assert budget.read("x", b"{}") == weight(b"{}")
    with pytest.raises(ClusterError, match="the answers of this cluster take more than 0 MiB"):
        budget.read("x", b" " * 2_000)
    budget.keep("x", 1_000)
    with pytest.raises(ClusterError, match="the answers of this cluster take more than 0 MiB"):
        budget.keep("x", 1)


def test_lists_have_ends() -> None:
    budget = Budget(SMALL)
    budget.count("x", 2, 3)
    with pytest.raises(ClusterError, match="x: the list has more than 2 objects"):
        budget.count("x", 3, 1)
    with pytest.raises(ClusterError, match="x: the list has more than 3 pages"):
        budget.count("x", 0, 4)


def test_our_own_cluster_may_say_as_much_as_the_repository_holds() -> None:
    assert MANAGEMENT.items > 10 * TENANT.items
