"""Work on all processors: shares, failures, and no division within a division."""

import os
import threading
from collections.abc import Sequence

import pytest

from reconciler.adapters.processes import processors, spread

own = os.getpid()


@pytest.fixture(autouse=True)
def three_processors(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.cpu_count", lambda: 3)


def test_each_processor_has_a_share() -> None:
    items = [str(number) for number in range(10)]
    assert spread(items, list) == [items[0::3], items[1::3], items[2::3]]


def test_one_item_needs_no_process() -> None:
    assert spread(["one"], lambda items: (os.getpid(), list(items))) == [(os.getpid(), ["one"])]


def test_results_larger_than_a_pipe_get_through() -> None:
    assert [len(text) for text in spread(["a", "b"], lambda items: items[0] * 3_000_000)] == [
        3_000_000,
        3_000_000,
    ]


def test_a_failure_is_raised_where_it_can_be_told() -> None:
    def fail(items: Sequence[str]) -> None:
        raise ValueError(items[0])

    with pytest.raises(ValueError, match="a"):
        spread(["a", "b"], fail)


def test_a_failure_of_another_process_is_raised_too() -> None:
    def fail(items: Sequence[str]) -> None:
        if items != ["a"]:
            raise ValueError(items[0])

    with pytest.raises(ValueError, match="b"):
        spread(["a", "b"], fail)


def test_this_process_does_a_share() -> None:
    assert spread(["a", "b"], lambda _: os.getpid() == own) == [True, False]


def test_a_process_that_ends_early_is_told() -> None:
    with pytest.raises(RuntimeError, match="ended before it was done"):
        spread(["a", "b"], lambda items: os._exit(3) if items == ["b"] else None)


def test_there_is_no_division_within_a_division() -> None:
    assert spread(["a", "b"], lambda _: processors()) == [1, 1]
    assert spread(["a", "b"], lambda items: spread([*items, "c", "d"], len)) == [[3], [3]]


def test_nothing_is_forked_beside_a_thread() -> None:
    waiting = threading.Event()
    thread = threading.Thread(target=waiting.wait)
    thread.start()
    try:
        assert spread(["a", "b"], lambda items: (os.getpid(), list(items))) == [
            (os.getpid(), ["a", "b"])
        ]
    finally:
        waiting.set()
        thread.join()
