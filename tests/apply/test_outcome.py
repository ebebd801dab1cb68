"""Results that count as failed or changed."""

from reconciler.model.applied import Applied, ClusterState, ObjectOutcome, ObjectResult, together

CREATED, CONFIGURED, UNCHANGED, DELETED, FAILED = (
    *(ObjectResult.CREATED, ObjectResult.CONFIGURED, ObjectResult.UNCHANGED),
    *(ObjectResult.DELETED, ObjectResult.FAILED),
)


def describe(name: str, **results: ObjectResult) -> Applied:
    outcomes = [ObjectOutcome(name, result) for name, result in results.items()]
    return Applied(name, ClusterState.APPLIED, outcomes=outcomes, requests=(1, 2, 3), notes=[name])


def test_a_cluster_that_was_applied_to_twice_is_as_the_last_time_left_it() -> None:
    first = describe("web", a=CREATED, b=FAILED, c=CONFIGURED, d=UNCHANGED, gone=DELETED)
    last = describe("web", a=UNCHANGED, b=UNCHANGED, c=FAILED, d=DELETED, new=CREATED)
    (both,) = together([first], [last])
    found = {item.object: item.result for item in both.outcomes}
    assert found == dict(a=CREATED, b=UNCHANGED, c=FAILED, d=DELETED, gone=DELETED, new=CREATED)  # noqa: C408
    assert (both.requests, both.notes) == ((2, 4, 6), ("web",))
