"""Tenants that can grow, claims of their growth, and Events with the reason if they do not."""

from typing import Any

import pytest

from reconciler.families.butler.kinds import TENANT_CLUSTER
from reconciler.families.butler.objects import event_of
from reconciler.families.butler.reading import growers
from reconciler.families.interface import ObjectEvent
from reconciler.model.objects import Ref
from reconciler.model.plan import BLOCKED, NOT_SERVED
from tests.world import CLOCK, SMALL, evaluation_of, provider

ELASTIC = "{allocationMode: elastic, growthIncrement: 3}"


def test_a_tenant_of_an_elastic_provider_may_grow() -> None:
    quota = "{maxLoadBalancerIPs: 9}"
    elastic = provider(loadBalancer=ELASTIC, quotaPerTenant=quota)
    evaluation = evaluation_of({**SMALL, "providers/default.yaml": elastic})
    (one,) = growers(evaluation.documents, evaluation.tree.settings)
    assert (one.cluster, one.increment, str(one.ref)) == (
        "team-a/one", 3, "butler.butlerlabs.dev/TenantCluster/team-a/one"
    )  # fmt: skip
    claim = one.claim(4, 2)
    assert claim.key.owner == one.owner
    assert str(claim.key) == "butler/TenantCluster/team-a/one/loadbalancer-4"
    assert (claim.size, claim.role, claim.name) == (2, "growth", "team-a-one-lb-4")
    assert claim.quota is not None
    assert claim.quota.limit == 9
    assert [key.name for key in claim.candidates] == ["edge"]


def cluster(reason: str, message: str = "no room") -> dict[str, Any]:
    ready = {"type": "NetworkReady", "status": "True", "reason": reason, "message": message}
    metadata = {"name": "one", "namespace": "team-a", "uid": "u"}
    return {"metadata": metadata, "status": {"conditions": [{"type": "Other"}, ready]}}


def tenant_event(wanted: Any, live: Any) -> Any:
    ref = Ref(TENANT_CLUSTER, "team-a", "one")
    return event_of(ObjectEvent(ref, False, wanted, live, None, lambda _: None, (), CLOCK))


@pytest.mark.parametrize("reason", [BLOCKED, NOT_SERVED])
def test_why_a_tenant_does_not_grow_is_an_event(reason: str) -> None:
    made = tenant_event(cluster(reason), cluster("Ready"))
    assert made is not None
    assert (made["type"], made["reason"], made["message"]) == ("Warning", reason, "no room")
    assert made["metadata"]["namespace"] == "team-a"
    assert tenant_event(cluster(reason), None) is not None


def test_what_is_told_already_is_no_event() -> None:
    assert tenant_event(cluster(BLOCKED), cluster(BLOCKED)) is None
    assert tenant_event(cluster("Ready"), cluster(BLOCKED)) is None
