"""A bug of ours is told as one, with the exit code of one, and keeps to the cluster it was met in."""

import logging
from collections.abc import Sequence
from typing import Any, cast

import pytest

from reconciler.apply.executor import contained, refused
from reconciler.apply.expiry import still_announced
from reconciler.apply.plan import Applied, ClusterState
from reconciler.apply.targets import ApplyOptions
from reconciler.kube.interface import Clusters
from reconciler.model.errors import BugError, ClusterError, ExitCode, GitError, UnreachableError
from reconciler.model.objects import Ref
from reconciler.planning.evaluate import evaluate
from reconciler.reconcile.evaluation import applied_code, reconciled_code
from tests.world import CLOCK, SMALL, reconciled, tree_of

BUGS = [KeyError("x"), TypeError(), AttributeError("y"), ValueError("z"), AssertionError()]


@pytest.mark.parametrize("bug", BUGS, ids=lambda bug: type(bug).__name__)
def test_what_no_world_made_fail_is_a_bug(bug: Exception, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    with pytest.raises(BugError) as told, contained():
        raise bug
    assert str(told.value) == f"a bug: {type(bug).__name__}: {bug}"
    assert told.value.hint == "run it again with --debug and report it with what that prints"
    (record,) = caplog.records
    assert record.exc_info is not None
    assert record.exc_info[1] is bug


@pytest.mark.parametrize("failure", [UnreachableError("gone"), GitError("no")])
def test_a_failure_of_the_world_stays_what_it_is(failure: Exception) -> None:
    with pytest.raises(type(failure)) as told, contained():
        raise failure
    assert told.value is failure


@pytest.mark.parametrize(
    ("failure", "told"),
    [
        (OSError(7, "Argument list too long"), "this machine failed at it: Argument list too long"),
        (OSError("odd"), "this machine failed at it: odd"),
        (MemoryError(), "it takes more memory than there is"),
    ],
)
def test_what_this_machine_cannot_do_for_a_cluster_is_the_failure_of_that_cluster(
    failure: Exception, told: str
) -> None:
    with pytest.raises(ClusterError) as raised, contained():
        raise failure
    assert not isinstance(raised.value, BugError)
    assert str(raised.value) == told


def test_a_bug_in_one_cluster_is_the_exit_code_of_the_run() -> None:
    evaluation = evaluate(tree_of(reconciled(SMALL)))
    fine = Applied("management", ClusterState.APPLIED)
    away = refused("team-a/two", UnreachableError("gone"))
    bug = refused("team-a/one", BugError(KeyError("x")))
    assert (bug.state, bug.error) == (ClusterState.FAILED, "a bug: KeyError: 'x'")
    for applied, code in (([fine, bug, away], ExitCode.BUG), ([fine, away], ExitCode.CLUSTER)):
        assert applied_code(evaluation, applied) is code
        assert reconciled_code(ExitCode.OK, evaluation, applied) is code


class Odd:
    """A management cluster that is asked by code with a bug."""

    def management(self) -> Any:
        return self

    def get(self, ref: Ref) -> None:
        raise KeyError("x")

    def close(self) -> None: ...


@pytest.mark.parametrize("noted", [[], None])
def test_a_bug_in_asking_leaves_a_record_in_doubt(noted: list[BugError] | None) -> None:
    gone = {path: text for path, text in reconciled(SMALL).items() if "tenants/" not in path}
    expiring = evaluate(tree_of(reconciled(gone), CLOCK + 25 * 3_600))
    found: Sequence[str] = list(
        still_announced(expiring, cast(Clusters, Odd()), ApplyOptions(), noted).values()
    )
    assert found == ["the management cluster cannot be asked: a bug: KeyError: 'x'"]
    assert noted is None or [str(bug) for bug in noted] == ["a bug: KeyError: 'x'"]
