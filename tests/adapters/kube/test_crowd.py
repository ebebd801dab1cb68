"""A cluster that says much waits for those beside it; one that says little never waits."""

from dataclasses import dataclass, field
from math import inf

import pytest

from reconciler.adapters.kube.cluster import KubeCluster
from reconciler.adapters.kube.crowd import Crowd, Place
from reconciler.adapters.kube.kubeconfig import check, parse
from reconciler.clusters.resources import NODE
from reconciler.model.resource import Ref
from tests.adapters.kube.kubeconfigs import data, kubeconfig
from tests.adapters.kube.server import Reply, Time, serving

ONE = Ref(NODE, "", "one")
MIB = 1024 * 1024


@dataclass
class Run:
    """Clusters that are worked on side by side, by one clock.

    Attributes:
        lively: Those that are heard of again and again.
    """

    time: Time = field(default_factory=Time)
    crowd: Crowd = field(default_factory=Crowd)
    lively: list[Place] = field(default_factory=list)

    def place(self, at_once: float = 1_000) -> Place:
        return Place(self.crowd, at_once, self.time.clock, self._sleep)

    def _sleep(self, seconds: float) -> None:
        self.time.sleep(seconds)
        for place in self.lively:
            place.heard()

    def waited(self, place: Place, size: int, *, has_time: bool = True) -> float:
        """How long a cluster waits until so many bytes are read."""
        before = self.time.now
        place.take_turn(size, lambda: has_time)
        return self.time.now - before


@pytest.fixture
def run() -> Run:
    found = Run()
    found.lively.append(found.place())
    found.lively[0].heard()
    return found


def test_who_says_little_is_read_at_once(run: Run) -> None:
    assert run.waited(run.place(), 1_000) == 0


def test_who_says_much_waits_ten_times_as_long_as_reading_it_takes(run: Run) -> None:
    assert run.waited(run.place(), MIB) == pytest.approx(0.4)


def test_much_in_small_pieces_waits_as_long(run: Run) -> None:
    place = run.place()
    assert sum(run.waited(place, MIB // 100) for _ in range(100)) == pytest.approx(0.4, abs=0.06)


def test_our_own_cluster_never_waits(run: Run) -> None:
    assert run.waited(run.place(inf), 8 * MIB) == 0


def test_nobody_waits_for_a_cluster_that_is_done(run: Run) -> None:
    run.lively.pop().leave()
    assert run.waited(run.place(), 8 * MIB) == 0


def test_nobody_waits_long_for_a_cluster_that_does_not_answer(run: Run) -> None:
    run.lively.clear()
    assert run.waited(run.place(), 8 * MIB) == pytest.approx(1.0, abs=0.06)


def test_those_that_say_much_do_not_wait_for_each_other(run: Run) -> None:
    other = run.lively.pop()
    other.take_turn(MIB, lambda: False)
    other.heard()
    assert run.waited(run.place(), 8 * MIB) == 0


def test_who_has_no_time_left_does_not_wait(run: Run) -> None:
    assert run.waited(run.place(), 8 * MIB, has_time=False) == 0


def test_clusters_of_one_run_know_of_each_other() -> None:
    with serving(Reply(), Reply(body={"x": "x" * 2 * MIB})) as server:
        timeouts = server.time.timeouts()
        access = check("t/one", parse("t/one", data(kubeconfig(server.url))))
        first, second = KubeCluster(access, timeouts), KubeCluster(access, timeouts)
        first.get(ONE)
        second.get(ONE)
        assert 0.4 <= sum(server.time.slept) <= 0.8
        first.close()
        server.time.slept.clear()
        second.get(ONE)
        assert server.time.slept == []
