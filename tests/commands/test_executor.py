"""Steps that are taken side by side: really at once, and told as if they were not."""

from threading import Barrier, Event
from typing import Any

import pytest

from reconciler.clusters.desired import desired_object
from reconciler.clusters.outcome import Result
from reconciler.clusters.progress import Progress
from reconciler.clusters.resources import CONFIG_MAP
from reconciler.clusters.steps import Abreast, Apply, applied
from reconciler.commands.applying.executor import WRITERS, Executor
from reconciler.ports import ClusterError, RejectedError, UnreachableError
from tests.fake_cluster import FakeCluster

NAMES = tuple(f"n{number:02}" for number in range(3 * WRITERS))


def bring(name: str) -> Apply:
    kind = {"apiVersion": CONFIG_MAP.api_version, "kind": CONFIG_MAP.kind}
    metadata = {"name": name, "namespace": "default"}
    return applied(
        desired_object({**kind, "metadata": metadata, "data": {"a": "b"}}), None, None, adopt=False
    )


def run(cluster: FakeCluster, *names: str) -> Progress:
    progress = Progress({})
    Executor(cluster, "a" * 40, progress).run(Abreast(tuple((bring(name),) for name in names)))
    return progress


def told(progress: Progress) -> list[tuple[str, Result]]:
    return [(item.object.rpartition("/")[2], item.result) for item in progress.outcomes]


def test_so_many_objects_are_written_at_once_and_no_more() -> None:
    meeting = Barrier(WRITERS)

    def fault(verb: str, _what: Any) -> ClusterError | None:
        if verb == "apply":
            meeting.wait(60)  # it breaks when fewer come, and when one more stays alone
        return None

    progress = run(FakeCluster(fault=fault), *NAMES)
    assert told(progress) == [(name, Result.CREATED) for name in NAMES]


def test_what_was_done_is_told_in_the_order_of_the_plan_whoever_was_first() -> None:
    last = Event()

    def fault(verb: str, what: Any) -> ClusterError | None:
        if verb == "apply" and what.name == NAMES[0]:
            last.wait(60)
        if verb == "apply" and what.name == NAMES[-1]:
            last.set()
            return RejectedError("no")
        return None

    progress = run(FakeCluster(fault=fault), *NAMES)
    assert [name for name, _ in told(progress)] == list(NAMES)
    assert told(progress)[-1] == (NAMES[-1], Result.FAILED)
    assert progress.has_failed(bring(NAMES[-1]).ref)
    assert set(progress.entries) == {str(bring(name).ref) for name in NAMES[:-1]}


def test_when_the_cluster_is_away_nothing_more_is_begun_and_what_was_done_is_known() -> None:
    def fault(verb: str, what: Any) -> ClusterError | None:
        return UnreachableError("away") if verb == "apply" and what.name != NAMES[0] else None

    cluster, progress = FakeCluster(fault=fault), Progress({})
    lanes = Abreast(tuple((bring(name),) for name in NAMES))
    with pytest.raises(UnreachableError):
        Executor(cluster, "a" * 40, progress).run(lanes)
    assert told(progress) == [(NAMES[0], Result.CREATED)]
    assert set(progress.entries) == {str(bring(NAMES[0]).ref)}
    assert len(cluster.writes()) <= 1 + WRITERS


def test_what_is_there_already_needs_no_place_among_those_that_are_written() -> None:
    cluster = FakeCluster()
    first = run(cluster, *NAMES)
    cluster.log.clear()
    ref = bring(NAMES[0]).ref
    live = first.live(ref, None)
    kept = applied(bring(NAMES[0]).desired, live, first.entries[str(ref)], adopt=False)
    progress = Progress(dict(first.entries))
    Executor(cluster, "a" * 40, progress).run(Abreast(((kept,), (bring("new"),))))
    assert told(progress) == [(NAMES[0], Result.UNCHANGED), ("new", Result.CREATED)]
    assert cluster.writes() == ["apply new"]
