"""Which revision the management cluster was brought to last, asked where a branch seems rewritten."""

from reconciler.commands.applying.last_applied import last_applied
from reconciler.ports import UnreachableError
from tests.fake_cluster import HUB
from tests.fake_clusters import FakeClusters
from tests.world import SMALL, reconciled


def test_it_is_that_of_the_newest_apply_that_changed_something() -> None:
    clusters = FakeClusters()
    clusters.run(reconciled(SMALL), "b")
    assert last_applied(clusters) == "b" * 40


def test_a_cluster_that_nobody_applied_to_says_nothing() -> None:
    assert last_applied(FakeClusters()) == ""


def test_one_that_cannot_be_asked_says_nothing() -> None:
    clusters = FakeClusters()
    clusters.run(reconciled(SMALL), "b")
    clusters.faults[HUB] = lambda _verb, _what: UnreachableError("it is away")
    assert last_applied(clusters) == ""
