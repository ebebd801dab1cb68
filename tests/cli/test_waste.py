"""What rounds of a daemon leave in memory is let go of after each, not when there is much of it."""

import gc
import weakref
from collections.abc import Iterator

import pytest

from reconciler.adapters.git.repository import GitRepository
from reconciler.cli.shared.daemon import Order, Teller
from reconciler.cli.shared.watch_options import Watch
from reconciler.clusters.options import ApplyOptions
from reconciler.commands.reconcile import ReconcileOptions
from reconciler.commands.watching.observer import Ending, RoundDone


class Ring:
    """As connections are, and failures that know where they came from: it holds itself."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def nothing_is_dropped_by_itself() -> Iterator[None]:
    gc.disable()
    yield
    gc.unfreeze()
    gc.enable()


def nowhere() -> GitRepository:
    raise NotImplementedError


def left_after(clusters: frozenset[str] | None, tidied: list[int]) -> Ring | None:
    """Tell of a round that left a ring; what is there of it then."""
    watch = Watch(resync=600, elects=False, log_format="json")
    order = Order(nowhere, ReconcileOptions(), None, ApplyOptions(), watch, None)
    left = weakref.ref(Ring())
    assert left() is not None  # nothing but a sweep ends it
    tell = Teller(order, lambda: tidied.append(1))
    tell(RoundDone(1, (), clusters, 0.0, 0.0, Ending.OK, 0))
    return left()


def test_a_round_that_is_about_some_clusters_leaves_nothing_in_memory() -> None:
    tidied: list[int] = []
    assert left_after(frozenset({"team-a/one"}), tidied) is None
    assert tidied == []


def test_a_round_over_everything_tidies_the_repository_too() -> None:
    tidied: list[int] = []
    assert left_after(None, tidied) is None
    assert tidied == [1]
