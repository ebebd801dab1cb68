"""Counts of IPv6 pools are exact in each output, and in objects within limits of their types."""

import json

import yaml

from reconciler.planning.evaluate import Evaluation
from reconciler.planning.projection import project
from reconciler.report.formats import json_text, yaml_text
from reconciler.report.json import check_document, plan_document
from reconciler.review.result import Compared
from tests.families.capi import trees
from tests.families.novaedge import pool, vip
from tests.world import evaluation_of, reconciled

FILES = {
    **trees.of(trees.pool("six", "2001:db8:6::/64", prefix=64), trees.claim(pool="six")),
    "pools/nova.yaml": pool("nova", cidrs='["2001:db8::/48"]'),
    "tenants/v.yaml": vip(of="nova", addressFamily="ipv6"),
}
SIX, NOVA = 2**64 - 1, 2**80
"""What each has: Cluster API keeps the first address of a subnet."""
EVALUATION = evaluation_of(FILES)


def test_json_and_yaml_have_integers_without_loss() -> None:
    document = check_document(Compared(EVALUATION), plan_document(EVALUATION), 0)
    for read in (json.loads(json_text(document)), yaml.safe_load(yaml_text(document))):
        nova, six = sorted(read["plan"]["pools"], key=lambda it: str(it["pool"]), reverse=True)
        sizes = nova["total"], nova["available"], nova["largestFreeBlock"]
        assert sizes == (NOVA, NOVA - 1, NOVA - 2)  # the first address is anycast, and stays free
        assert (six["total"], six["available"], six["largestFreeBlock"]) == (SIX, *[SIX - 1] * 2)


def test_objects_count_as_far_as_their_types_reach_and_conditions_tell_the_rest() -> None:
    objects = {it.manifest["metadata"]["name"]: it.manifest for it in project(carried_out())}
    counts = objects["six"]["status"]["ipAddresses"]
    assert counts == {"total": 2**63 - 1, "free": 2**63 - 1, "used": 1, "outOfRange": 0}
    status = objects["nova"]["status"]
    assert (status["allocated"], status["available"]) == (1, 2**31 - 1)
    (condition,) = status["conditions"]
    assert condition["message"] == f"Pool has {NOVA - 1} available addresses"


def carried_out() -> Evaluation:
    return evaluation_of(reconciled(FILES))
