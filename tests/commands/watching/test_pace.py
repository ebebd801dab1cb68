"""Who was too slow in a round rests, whatever its watch says; nobody waits for it again and again."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.clusters.resources import NAMESPACE
from reconciler.clusters.watched import tenant_topics
from reconciler.commands.watching.backoff import LONGEST
from reconciler.commands.watching.events import Cause, Event
from reconciler.commands.watching.pace import (
    CROWD,
    FORGIVEN,
    HURRY,
    LEAST,
    TIMES,
    Pace,
    PacedClusters,
)
from reconciler.model.resource import Ref
from reconciler.ports import Cluster, ClusterError, UnreachableError
from tests.commands.looking.country import ONE, elastic
from tests.commands.watching.country import Country
from tests.commands.watching.times import Moved
from tests.fake_cluster import FakeCluster
from tests.fake_clusters import FakeClusters

HOME = Ref(NAMESPACE, "", "kube-system")


@pytest.fixture
def time() -> Moved:
    return Moved()


@pytest.fixture
def pace(time: Moved) -> Pace:
    return Pace(time.monotonic, lambda: 1.0)


def hang(here: Country, *names: str) -> None:
    """Have clusters hang on what a round asks first, for as long as a round waits."""

    def fault(name: str) -> ClusterError | None:
        here.time.pass_by(here.clusters.last(name).seconds)
        return UnreachableError("read namespace kube-system: the cluster's seconds are over")

    for name in names:
        here.clusters.faults[name] = lambda _verb, what, name=name: (  # type: ignore[misc]
            fault(name) if what == HOME else None
        )


def listed(here: Country) -> None:
    """The watch of a cluster works, as it does for one that only hangs on rounds."""
    here.watches._ups(ONE, tenant_topics()[0], None)


def urge(here: Country, seconds: float) -> list[float]:
    """For some seconds have a cluster tell all that it can; how long each round took."""
    end, before = here.time.now + seconds, len(here.told)
    while here.time.now < end:
        listed(here)
        for cause in (Cause.UP, Cause.SERVICES, Cause.DRIFT, Cause.KUBECONFIG):
            here.inbox.put(Event(cause, ONE))
        here.daemon.turn()
    return [done.seconds for done in here.told[before:]]


def test_who_watches_well_and_hangs_on_rounds_keeps_nobody_waiting_again_and_again() -> None:
    here = Country(elastic("one", "two"))
    here.start()
    hang(here, ONE)
    took = urge(here, 590)
    assert max(took) <= HURRY
    assert len([seconds for seconds in took if seconds]) > 1
    assert sum(took) < 60


def test_one_that_answers_again_is_worked_on_when_its_rest_is_over() -> None:
    here = Country(elastic("one", "two"))
    here.start()
    hang(here, ONE)
    urge(here, 5)
    here.clusters.faults.clear()
    listed(here)
    here.rounds(1, until=40)
    assert [(it.cluster, it.is_failed) for it in here.told[-1].applied] == [(ONE, False)]


def test_a_round_over_everything_waits_as_long_as_a_person_allows_and_finds_nobody_gone() -> None:
    here = Country(elastic("one", "two"))
    here.start()
    hang(here, ONE)
    here.inbox.put(Event(Cause.RESYNC))
    here.rounds(1)
    assert here.told[-1].seconds == 60
    here.inbox.put(Event(Cause.RESYNC))
    here.rounds(1)
    assert here.told[-1].seconds == 0
    assert here.watches.follow([], here.told[-1].evaluation, is_whole=False) == []  # type: ignore[arg-type]
    assert f"watch {ONE} services" in here.begun


def test_rests_grow_and_are_forgiven_after_a_long_time_alone(time: Moved, pace: Pace) -> None:
    rests = []
    for _ in range(5):
        pace.failed(ONE, 10.0, "no answer")
        pace.failed(ONE, 10.0, "no answer")  # another connection of the same round
        rests.append(pace.resting()[ONE] - time.now)
        time.now = pace.resting()[ONE]
        assert pace.resting() == {}
    assert rests == [10 * TIMES, 20 * TIMES, 40 * TIMES, 80 * TIMES, LONGEST]
    time.now += FORGIVEN
    pace.failed(ONE, 10.0, "no answer")
    assert pace.resting()[ONE] - time.now == 10 * TIMES


def test_one_that_refuses_at_once_rests_for_a_moment(time: Moved, pace: Pace) -> None:
    for _ in range(9):
        pace.failed(ONE, 0.1, "refused")
        assert pace.resting() == {ONE: time.now + LEAST}
        time.now += LEAST


def test_one_that_rests_is_not_asked_and_says_what_befell_it(time: Moved, pace: Pace) -> None:
    fakes = FakeClusters()
    clusters = PacedClusters(fakes, pace)
    fakes.faults[ONE] = lambda _verb, _what: UnreachableError("no answer")
    with pytest.raises(UnreachableError, match="no answer"):
        clusters.connect(ONE, b"").get(HOME)
    with pytest.raises(UnreachableError, match="no answer"):
        clusters.connect(ONE, b"")
    assert len(fakes.opened) == 1
    pace.forget(ONE)
    assert clusters.connect(ONE, b"")
    assert clusters.management() is not None


def test_what_is_no_silence_is_no_reason_to_rest(pace: Pace) -> None:
    fakes = FakeClusters()
    fakes.faults[ONE] = lambda _verb, _what: ClusterError("refused")
    with pytest.raises(ClusterError):
        PacedClusters(fakes, pace).connect(ONE, b"").version()
    assert pace.resting() == {}


@pytest.mark.parametrize(("timeout", "most"), [(60.0, HURRY), (5.0, 5.0)])
def test_in_a_round_about_few_a_cluster_has_less_time(timeout: float, most: float) -> None:
    fakes, pace = FakeClusters(), Pace(lambda: 0.0, lambda: 0.5, timeout)
    opened: list[Cluster] = []
    clusters = PacedClusters(fakes, pace)

    def seconds() -> float:
        made = clusters.connect(ONE, b"")
        found: FakeCluster = fakes.opened[-1]
        opened.append(made)
        return found.seconds

    assert seconds() == 60
    pace.begin(is_whole=False)
    assert [seconds() for _ in range(CROWD)] == [*[most] * (CROWD - 1), 60]
    for made in opened:
        made.close()
    assert seconds() == most
    pace.begin(is_whole=True)
    assert seconds() == 60


@given(st.lists(st.tuples(st.floats(1, 60), st.floats(0, 1, exclude_max=True)), max_size=40))
def test_no_cluster_has_more_of_the_time_of_rounds_than_two_fifths(
    failures: list[tuple[float, float]],
) -> None:
    time, chances = Moved(), iter([chance for _, chance in failures])
    pace, waited = Pace(time.monotonic, lambda: next(chances)), 0.0
    for seconds, _ in failures:
        time.now += seconds
        waited += seconds
        pace.failed(ONE, seconds, "no answer")
        time.now = pace.resting()[ONE]  # and not a moment later it is asked again
    assert waited <= 0.4 * time.now + 1e-6
