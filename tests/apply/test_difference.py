"""Differences between an object and its intent, and their field managers."""

from collections.abc import Mapping
from typing import Any

import pytest

from reconciler.apply.steps import differing, drift, taken
from reconciler.model.applied import Drift

OLD, MIDDLE, NEW = "2026-02-15T10:00:30Z", "2026-02-15T10:00:31Z", "2026-02-15T10:00:32Z"
OWNER = "metadata.labels.gitops-ipam.dev/managed-by"
READY = {"type": "Ready", "status": "True"}
OTHER = {"type": "Other", "status": "False"}


@pytest.mark.parametrize(
    ("wanted", "live"),
    [
        ({"a": 1}, {"a": 1, "b": 2}),
        ({"a": {"b": {"c": 1}}}, {"a": {"b": {"c": 1, "d": 2}, "e": 3}}),
        ({"a": {}}, {"a": {"b": 1}}),
        ({"a": [1, {"b": 2}]}, {"a": [1, {"b": 2}]}),
        ({"a": ("x", "y")}, {"a": ["x", "y"]}),
        ({"a": None}, {}),
        ({"finalizers": ["ours"]}, {"finalizers": ["theirs", "ours"]}),
        ({"conditions": [READY]}, {"conditions": [OTHER, {**READY, "message": "theirs"}]}),
        ({"conditions": [READY, OTHER]}, {"conditions": [OTHER, READY]}),
        ({"conditions": []}, {"conditions": [OTHER]}),
        (
            {"infrastructureAllocations": [{"ip": "10.0.0.1", "purpose": "x"}]},
            {"infrastructureAllocations": [{"ip": "10.0.0.2"}, {"ip": "10.0.0.1", "purpose": "x"}]},
        ),
    ],
)
def test_what_others_add_is_no_difference(wanted: Any, live: Any) -> None:
    assert differing(wanted, live) == ()


@pytest.mark.parametrize(
    ("wanted", "live", "fields"),
    [
        ({"a": 1}, {}, ("a",)),
        ({"a": 1}, {"a": 2}, ("a",)),
        ({"a": 1}, {"a": "1"}, ("a",)),
        ({"a": 1, "b": 2, "c": 3}, {"b": 2}, ("a", "c")),
        ({"a": {"b": 1, "c": 2}}, {"a": {"b": 1}}, ("a.c",)),
        ({"a": {"b": 1, "c": 2}}, {}, ("a.b", "a.c")),
        ({"a": {"b": 1}}, {"a": "text"}, ("a.b",)),
        ({"a": {"b": 1}}, {"a": [1]}, ("a.b",)),
        ({"a": {}}, {}, ("a",)),
        ({"a": {}}, {"a": []}, ("a",)),
        ({"a": []}, {}, ("a",)),
        ({"a": [1, 2]}, {"a": [2, 1]}, ("a",)),
        ({"a": [1]}, {"a": [1, 2]}, ("a",)),
        ({"a": [{"b": 1}]}, {"a": [{"b": 1, "c": 2}]}, ("a",)),
        ({"a": "xy"}, {"a": ["x", "y"]}, ("a",)),
        ({"metadata": {"finalizers": ["ours"]}}, {"metadata": {}}, ("metadata.finalizers",)),
        ({"finalizers": ["ours"]}, {"finalizers": ["theirs"]}, ("finalizers",)),
        ({"conditions": [READY]}, {"conditions": [OTHER]}, ("conditions",)),
        ({"conditions": [READY]}, {"conditions": [{**READY, "status": "False"}]}, ("conditions",)),
        ({"conditions": [READY]}, {"conditions": None}, ("conditions",)),
        ({"conditions": [READY]}, {"conditions": [{"status": "True"}]}, ("conditions",)),
        (
            {"metadata": {"labels": {"gitops-ipam.dev/managed-by": "x"}}},
            {"metadata": {"labels": {"gitops-ipam": {"dev/managed-by": "x"}}}},
            (OWNER,),
        ),
    ],
)
def test_what_is_declared_and_is_not_so_is_named(
    wanted: Any, live: Any, fields: tuple[str, ...]
) -> None:
    assert differing(wanted, live) == fields


def entry(manager: str, time: str | None, *fields: str, part: str = "") -> dict[str, Any]:
    """An entry of managedFields; keys of a field are parted by spaces."""
    owned: dict[str, Any] = {}
    for field in fields:
        node = owned
        for step in field.split():
            node = node.setdefault(f"f:{step}", {})
    made: dict[str, Any] = {"manager": manager, "operation": "Update", "fieldsV1": owned}
    made |= {} if time is None else {"time": time}
    return made | ({"subresource": part} if part else {})


def blamed(*entries: Mapping[str, Any], fields: tuple[str, ...] = ("spec.addresses",)) -> Drift:
    found = drift({"metadata": {"managedFields": list(entries)}}, fields)
    assert found.fields == fields
    return found


OURS = entry("gitops-ipam", MIDDLE, "spec addresses", "metadata labels gitops-ipam.dev/managed-by")


def test_who_owns_a_field_that_differs_made_it_so() -> None:
    edit = entry("kubectl-edit", NEW, "spec addresses")
    later = entry("controller", NEW, "spec autoAssign")
    for entries in ((OURS, edit, later), (later, edit, OURS)):
        assert blamed(*entries) == Drift("kubectl-edit", NEW, ("spec.addresses",))


def test_of_several_owners_it_is_the_last() -> None:
    one, two = entry("one", OLD, "spec addresses"), entry("two", NEW, "spec autoAssign")
    fields = ("spec.addresses", "spec.autoAssign")
    assert blamed(two, one, OURS, fields=fields).manager == "two"
    same = [entry(name, NEW, "spec addresses") for name in ("b", "c", "a")]
    assert blamed(*same).manager == "c"


def test_a_field_that_was_removed_was_so_by_the_last_who_wrote_after_us() -> None:
    before, after = entry("before", OLD, "spec x"), entry("after", NEW, "spec x")
    at_once = entry("at-once", MIDDLE, "spec x")
    assert blamed(before, OURS, at_once, after).manager == "after"
    assert blamed(before, OURS, at_once).manager == "at-once"
    assert blamed(before, OURS) == Drift("", "", ("spec.addresses",))


def test_a_field_that_is_no_more_ours_was_taken_by_its_owner() -> None:
    edit = entry("kubectl-edit", NEW, "spec addresses")
    label = entry("gitops-ipam", MIDDLE, "metadata labels gitops-ipam.dev/managed-by")
    for entries, found in (
        ((label, edit), Drift("kubectl-edit", NEW, ("spec.addresses",))),
        ((OURS, edit), None),  # both say the same: nothing was changed
        ((OURS,), None),
        ((), None),
    ):
        assert taken({"metadata": {"managedFields": entries}}, "spec.addresses") == found
