"""What counts as failed and as changed."""

from reconciler.clusters.outcome import Applied, Outcome, Result, State, together


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
