"""What counts as failed and as changed."""

from reconciler.apply.plan import Applied, ClusterState, ObjectOutcome, ObjectResult, together


def describe(name: str, **results: ObjectResult) -> Applied:
    outcomes = [ObjectOutcome(name, result) for name, result in results.items()]
    return Applied(name, ClusterState.APPLIED, outcomes=outcomes, requests=(1, 2, 3), notes=[name])


def test_a_cluster_that_was_applied_to_twice_is_as_the_last_time_left_it() -> None:
    first = describe(
        "web",
        a=ObjectResult.CREATED,
        b=ObjectResult.FAILED,
        c=ObjectResult.CONFIGURED,
        d=ObjectResult.UNCHANGED,
        gone=ObjectResult.DELETED,
    )
    last = describe(
        "web",
        a=ObjectResult.UNCHANGED,
        b=ObjectResult.UNCHANGED,
        c=ObjectResult.FAILED,
        d=ObjectResult.DELETED,
        new=ObjectResult.CREATED,
    )
    (both,) = together([first], [last])
    assert {item.object: item.result for item in both.outcomes} == {
        "a": ObjectResult.CREATED,
        "b": ObjectResult.UNCHANGED,
        "c": ObjectResult.FAILED,
        "d": ObjectResult.DELETED,
        "gone": ObjectResult.DELETED,
        "new": ObjectResult.CREATED,
    }
    assert both.requests == (2, 4, 6)
    assert both.notes == ("web",)
