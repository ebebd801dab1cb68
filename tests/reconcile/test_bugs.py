"""A bug is reported as a bug, with exit code 70, and affects only one cluster."""

import logging
from collections.abc import Sequence
from typing import Any, cast

import pytest

from reconciler.apply.executor import contained, refused
from reconciler.apply.expiry import still_announced
from reconciler.apply.targets import ApplyOptions
from reconciler.kube.interface import Clusters
from reconciler.model.applied import Applied, ClusterState
from reconciler.model.errors import BugError, ClusterError, ExitCode, GitError, UnreachableError
from reconciler.model.objects import Ref
from reconciler.planning.evaluate import evaluate
from reconciler.reconcile.evaluation import applied_code, reconciled_code
from tests.world import CLOCK, SMALL, reconciled, tree_of


def test_an_unexpected_exception_is_a_bug(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    bug = KeyError("x")
    with pytest.raises(BugError) as raised, contained():
        raise bug
    assert str(raised.value) == "internal error: KeyError: 'x'"
    (record,) = caplog.records
    assert record.exc_info is not None
    assert record.exc_info[1] is bug


@pytest.mark.parametrize("failure", [UnreachableError("gone"), GitError("no")])
def test_a_failure_that_is_no_bug_stays_the_same(failure: Exception) -> None:
    with pytest.raises(type(failure)) as raised, contained():
        raise failure
    assert raised.value is failure


@pytest.mark.parametrize("failure", [OSError(7, "Argument list too long"), MemoryError()])
def test_a_failure_of_this_machine_is_the_failure_of_that_cluster(failure: Exception) -> None:
    with pytest.raises(ClusterError) as raised, contained():
        raise failure
    assert not isinstance(raised.value, BugError)


def test_a_bug_in_one_cluster_is_the_exit_code_of_the_run() -> None:
    evaluation = evaluate(tree_of(reconciled(SMALL)))
    fine = Applied("management", ClusterState.APPLIED)
    away = refused("team-a/two", UnreachableError("gone"))
    bug = refused("team-a/one", BugError(KeyError("x")))
    assert (bug.state, bug.error) == (ClusterState.FAILED, "internal error: KeyError: 'x'")
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


def test_a_bug_in_asking_leaves_a_record_in_doubt() -> None:
    noted: list[BugError] = []
    gone = {path: text for path, text in reconciled(SMALL).items() if "tenants/" not in path}
    expiring = evaluate(tree_of(reconciled(gone), CLOCK + 25 * 3_600))
    found: Sequence[str] = list(
        still_announced(expiring, cast(Clusters, Odd()), ApplyOptions(), noted).values()
    )
    assert found == ["cannot reach the management cluster: internal error: KeyError: 'x'"]
    assert [str(bug) for bug in noted] == ["internal error: KeyError: 'x'"]
