"""What counts as failed and as changed."""

import pytest

from reconciler.clusters.outcome import Applied, Outcome, Result, State, together


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


def told(name: str, **results: Result) -> Applied:
    outcomes = [Outcome(name, result) for name, result in results.items()]
    return Applied(name, State.APPLIED, outcomes=outcomes, requests=(1, 2, 3), notes=[name])


def test_a_cluster_that_was_applied_to_twice_is_as_the_last_time_left_it() -> None:
    first = told(
        "web",
        a=Result.CREATED,
        b=Result.FAILED,
        c=Result.CONFIGURED,
        d=Result.UNCHANGED,
        gone=Result.DELETED,
    )
    last = told(
        "web",
        a=Result.UNCHANGED,
        b=Result.UNCHANGED,
        c=Result.FAILED,
        d=Result.DELETED,
        new=Result.CREATED,
    )
    (both,) = together([first], [last])
    assert {item.object: item.result for item in both.outcomes} == {
        "a": Result.CREATED,
        "b": Result.UNCHANGED,
        "c": Result.FAILED,
        "d": Result.DELETED,
        "gone": Result.DELETED,
        "new": Result.CREATED,
    }
    assert both.requests == (2, 4, 6)
    assert both.notes == ("web",)


def test_a_cluster_that_was_applied_to_once_is_told_as_it_is() -> None:
    one, two, three = told("one"), told("two"), told("three")
    assert together([one, two], []) == [one, two]
    assert [item.cluster for item in together([two, one], [three, one])] == ["two", "one", "three"]


def test_a_bug_stays_told_although_the_last_time_nothing_brought_it_out() -> None:
    bug = Applied("web", State.FAILED, error="a bug: KeyError: 'x'", is_bug=True)
    (both,) = together([bug], [told("web")])
    assert (both.state, both.error, both.is_bug) == (State.APPLIED, "", True)
    assert both.notes == ("a bug: KeyError: 'x'", "web")
    (both,) = together([told("web")], [bug])
    assert (both.error, both.is_bug, both.notes) == ("a bug: KeyError: 'x'", True, ("web",))
