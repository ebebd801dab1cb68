"""Objects of the management cluster that are written at once."""

from threading import Barrier, Event
from typing import Any

from reconciler.apply.executor import Executor
from reconciler.apply.plan import ClusterPlan, Progress
from reconciler.apply.steps import Apply, applied
from reconciler.kube.resources import desired_object
from reconciler.model.applied import ObjectResult
from reconciler.model.errors import ClusterError, RejectedError
from reconciler.model.objects import CONFIG_MAP, SECRET, Resource
from tests.fake_cluster import FakeCluster

NAMES = tuple(f"n{number:02}" for number in range(12))


def step(name: str, resource: Resource = CONFIG_MAP) -> Apply:
    kind = {"apiVersion": resource.api_version, "kind": resource.kind}
    metadata = {"name": name, "namespace": "default"}
    return applied(desired_object({**kind, "metadata": metadata}), None, None, adopt=False)


def run(cluster: FakeCluster, *steps: Apply, progress: Progress | None = None) -> list[str]:
    progress = progress or Progress({})
    Executor(cluster, "a" * 40, progress).run_all(ClusterPlan(steps, writers=4))
    return [item.object.rpartition("/")[2] for item in progress.outcomes]


def test_objects_of_one_kind_are_written_at_once_and_reported_in_order() -> None:
    meeting, last = Barrier(4), Event()

    def fault(verb: str, what: Any) -> ClusterError | None:
        if verb == "apply":
            meeting.wait(60)
            if what.name == NAMES[0]:
                last.wait(60)
            if what.name == NAMES[3]:
                last.set()
                return RejectedError("no")
        return None

    progress = Progress({})
    assert run(FakeCluster(fault=fault), *map(step, NAMES[:4]), progress=progress) == [*NAMES[:4]]
    assert progress.outcomes[-1].result is ObjectResult.FAILED
    assert len(progress.entries) == 3


def test_a_kind_waits_for_the_kind_before() -> None:
    cluster = FakeCluster()
    run(cluster, *map(step, NAMES), *(step(name, SECRET) for name in NAMES))
    kinds = [what.resource for verb, what in cluster.log if verb == "apply"]
    assert kinds == [CONFIG_MAP] * len(NAMES) + [SECRET] * len(NAMES)
