"""Admission policies: their content, and names that are quoted."""

import pytest

from reconciler.apply.policies import OWNED, intruders, literal
from reconciler.model.objects import Manifest


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
