"""The dirty set: the tenants of a round, and its time."""

import pytest

from reconciler.daemon.dirty import ALL, GIT, PACED, Backoff, DirtySet
from tests.reconcile.watching.times import Moved


@pytest.fixture
def time() -> Moved:
    return Moved()


@pytest.fixture
def dirty(time: Moved) -> DirtySet:
    return DirtySet(600.0, time)


def taken(dirty: DirtySet, time: Moved, at: float) -> frozenset[str] | None:
    time.now = at
    found = dirty.take()
    assert found is not None
    return found.clusters


def test_marks_of_a_tenth_of_a_second_are_one_round(dirty: DirtySet, time: Moved) -> None:
    dirty.mark("a", "services")
    time.now = 0.09
    dirty.mark("b", "drift")
    dirty.mark("a", "drift")
    assert dirty.take() is None
    time.now = 0.1
    found = dirty.take()
    assert found is not None
    assert (found.clusters, found.reasons, found.since) == (
        frozenset("ab"),
        ("drift", "services"),
        0.0,
    )
    time.now = 10
    assert dirty.take() is None


def test_a_cluster_that_is_never_quiet_delays_no_round(dirty: DirtySet, time: Moved) -> None:
    for step in range(10):
        time.now = step / 100
        dirty.mark("noisy", "services")
    assert taken(dirty, time, 0.1) == frozenset({"noisy"})


def test_a_noisy_cluster_begins_a_round_a_second_and_others_begin_at_once(
    dirty: DirtySet, time: Moved
) -> None:
    rounds = []
    for step in range(1000):
        time.now = step / 50
        dirty.mark("noisy", "drift")
        if dirty.take() is not None:
            rounds.append(time.now)
    assert 20 <= len(rounds) <= 20 + PACED
    dirty.mark("calm", "services")
    assert "calm" in (taken(dirty, time, time.now + 0.1) or ())
    dirty.mark("noisy", "drift")
    dirty.unpace({"noisy"})
    assert taken(dirty, time, time.now + 0.1) == frozenset({"noisy"})


def test_a_timer_is_taken_with_its_cluster(dirty: DirtySet, time: Moved) -> None:
    dirty.mark("a", "growth", 50.0)
    dirty.mark("b", "growth", 50.05)
    dirty.mark("c", "retry", 60.0)
    dirty.wait(600)
    assert time.now == 50
    assert taken(dirty, time, 50) == frozenset("ab")
    dirty.mark("c", "drift")
    assert taken(dirty, time, 50.1) == frozenset("c")
    time.now = 70
    assert dirty.take() is None


def test_the_branch_is_no_cluster(dirty: DirtySet, time: Moved) -> None:
    dirty.mark(GIT, "git")
    assert taken(dirty, time, 0.1) == frozenset()


def test_a_full_round_takes_everything_and_repeats_itself(dirty: DirtySet, time: Moved) -> None:
    dirty.mark(ALL, "start", 0.0)
    dirty.mark("a", "retry", 30.0)
    assert taken(dirty, time, 0) is None
    time.now = 599
    assert dirty.take() is None
    assert taken(dirty, time, 600) is None


def test_marks_of_a_held_cluster_wait_for_the_end_of_its_pause(
    dirty: DirtySet, time: Moved
) -> None:
    dirty.hold({"a": 30.0})
    dirty.mark("a", "services")
    dirty.mark("b", "services")
    assert taken(dirty, time, 0.1) == frozenset("b")
    dirty.mark(ALL, "resync")
    assert taken(dirty, time, 0.2) is None
    assert taken(dirty, time, 30) == frozenset("a")


def test_of_a_forgotten_cluster_no_mark_stays(dirty: DirtySet, time: Moved) -> None:
    dirty.mark("a", "drift")
    dirty.forget("a")
    time.now = 1
    assert dirty.take() is None


def test_a_wait_ends_when_the_end_is_asked_for_and_when_it_is_woken(
    dirty: DirtySet, time: Moved
) -> None:
    dirty.wake()
    dirty.wait(600)
    assert time.now == 0
    dirty.wait(7)
    assert time.now == 7
    assert dirty.pause(5)
    dirty.stop()
    dirty.wait(600)
    assert not dirty.pause(600)
    assert time.now == 12


def test_pauses_double_up_to_five_minutes() -> None:
    backoff = Backoff(lambda: 1.0)
    assert [backoff.pause() for _ in range(10)] == [1, 2, 4, 8, 16, 32, 64, 128, 256, 300]
    backoff.failures = 0
    assert backoff.pause() == 1
