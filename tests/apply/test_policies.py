"""Admission policies: what they say, and that no name breaks out of them."""

import pytest

from reconciler.apply.policies import OWNED, POOLS, intruders, literal, policies
from reconciler.kube.resources import ref_of
from reconciler.model.objects import Manifest


def test_each_policy_stands_before_its_binding_and_denies() -> None:
    found = policies("ci")
    assert [str(ref_of(item)).partition("/")[2] for item in found] == [
        f"ValidatingAdmissionPolicy/{OWNED}",
        f"ValidatingAdmissionPolicyBinding/{OWNED}",
        f"ValidatingAdmissionPolicy/{POOLS}",
        f"ValidatingAdmissionPolicyBinding/{POOLS}",
    ]
    for policy, binding in (found[:2], found[2:]):
        assert policy["spec"]["failurePolicy"] == "Fail"
        assert binding["spec"] == {
            "policyName": policy["metadata"]["name"],
            "validationActions": ["Deny", "Audit"],
        }


def test_status_is_never_locked_and_what_is_deleted_is() -> None:
    owned, _, pools, _ = policies("ci")
    matched = [
        *owned["spec"]["matchConstraints"]["resourceRules"],
        *pools["spec"]["matchConstraints"]["resourceRules"],
    ]
    names = [name for rule in matched for name in rule["resources"]]
    assert not any("/" in name or "*" in name for name in names)
    assert {tuple(rule["operations"]) for rule in matched[:-1]} == {("CREATE", "UPDATE", "DELETE")}
    assert matched[-1]["operations"] == ["UPDATE"]


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("system:serviceaccount:a:b", '"system:serviceaccount:a:b"'),
        ('a"b', '"a\\U00000022b"'),
        ("a\\", '"a\\U0000005C"'),
        ("a'\n", '"a\\U00000027\\U0000000A"'),
        ("é🙂", '"\\U000000E9\\U0001F642"'),
        ("", '""'),
    ],
)
def test_a_literal_ends_where_its_text_ends(text: str, written: str) -> None:
    assert literal(text) == written


def test_who_owns_a_part_of_a_policy_beside_us_is_told() -> None:
    fields: Manifest = {"f:spec": {"f:matchConditions": {}}}
    managed = [
        {"manager": "gitops-ipam", "fieldsV1": {"f:spec": {"f:failurePolicy": {}}}},
        {"manager": "kube-controller-manager", "fieldsV1": {"f:status": {}}},
        {"manager": "kubectl-edit", "fieldsV1": fields},
    ]
    live: Manifest = {"metadata": {"name": OWNED, "managedFields": managed}}
    assert intruders(live) == ["kubectl-edit"]
    assert intruders({"metadata": {"name": OWNED}}) == []
