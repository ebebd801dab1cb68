"""What counts as failed and as changed."""

import pytest

from reconciler.clusters.outcome import Applied, Outcome, Result, State


def applied(state: State, *results: Result) -> Applied:
    outcomes = [Outcome(f"Node/{at}", result) for at, result in enumerate(results)]
    return Applied("team-a/web", state, outcomes=outcomes)


@pytest.mark.parametrize(
    ("state", "results", "failed"),
    [
        (State.APPLIED, (), False),
        (State.WAITING, (), False),
        (State.APPLIED, (Result.CREATED, Result.DELETED), False),
        (State.APPLIED, (Result.CREATED, Result.FAILED), True),
        (State.UNREACHABLE, (), True),
        (State.REFUSED, (), True),
        (State.FAILED, (Result.UNCHANGED,), True),
    ],
)
def test_a_cluster_fails_as_a_whole_or_by_one_object(
    state: State, results: tuple[Result, ...], failed: bool
) -> None:
    assert applied(state, *results).is_failed is failed


@pytest.mark.parametrize("result", list(Result))
def test_what_is_written_is_a_change(result: Result) -> None:
    changed = result in (Result.CREATED, Result.CONFIGURED, Result.DELETED)
    assert applied(State.APPLIED, Result.UNCHANGED, result).is_changed is changed


def test_results_are_counted() -> None:
    cluster = applied(State.APPLIED, Result.CREATED, Result.FAILED, Result.CREATED)
    assert [cluster.count(result) for result in Result] == [2, 0, 0, 0, 1]
