"""When the time of a condition moves: only when its status flips."""

from typing import Any

from reconciler.kube.resources import is_whole_list, settled_conditions, timeless

EARLY = "2026-02-15T10:00:30Z"
LATE = "2026-02-16T08:00:00Z"


def ready(status: str, since: str | None = LATE, message: str = "8/16") -> dict[str, Any]:
    found = {"type": "Ready", "status": status, "reason": "Ready", "message": message}
    return found if since is None else {**found, "lastTransitionTime": since}


def settled(wanted: dict[str, Any], *live: dict[str, Any]) -> Any:
    (found,) = settled_conditions({"conditions": [wanted]}, {"conditions": [*live]})["conditions"]
    return found


def test_a_condition_that_did_not_flip_keeps_its_time_and_gets_the_new_message() -> None:
    found = settled(ready("True", message="7/16"), ready("True", EARLY))
    assert found == ready("True", EARLY, "7/16")


def test_conditions_of_others_are_not_declared() -> None:
    other = {"type": "CredentialsValid", "status": "True", "lastTransitionTime": EARLY}
    assert settled(ready("True"), other) == ready("True")


def test_what_a_status_says_does_not_depend_on_its_times() -> None:
    early, late = (
        {"conditions": [ready("True", since)], "totalIPs": 16} for since in (EARLY, LATE)
    )
    assert timeless(early) == timeless(late)
    assert timeless(early) != timeless({**late, "conditions": [ready("False")]})
    assert timeless({"phase": "Allocated"}) == {"phase": "Allocated"}


def test_where_who_writes_one_condition_writes_all_those_of_others_go_with_ours() -> None:
    theirs = {**ready("False"), "type": "Announced"}
    live = {"conditions": [theirs, ready("True", EARLY)]}
    wanted = {"conditions": [ready("True")]}
    assert settled_conditions(wanted, live)["conditions"] == [ready("True", EARLY)]
    assert settled_conditions(wanted, live, is_whole=True)["conditions"] == [
        ready("True", EARLY), theirs,
    ]  # fmt: skip


def test_that_is_told_by_what_somebody_owns() -> None:
    def live(*owned: object) -> dict[str, Any]:
        return {"metadata": {"managedFields": [{"fieldsV1": item} for item in owned]}}

    assert not is_whole_list({"metadata": {}})
    assert not is_whole_list(live(None, {}, {"f:status": 7}, {"f:status": {}}))
    assert not is_whole_list(live({"f:status": {"f:conditions": {'k:{"type":"Ready"}': {}}}}))
    assert is_whole_list(live({}, {"f:status": {"f:conditions": {}}}))
