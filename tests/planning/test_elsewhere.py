"""A document that is missing where it is named, and is there in another place."""

import pytest

from reconciler.model.plan import Refuse
from tests.families.capi import trees as capi
from tests.planning.outcome import refusal
from tests.world import SMALL, evaluation_of, pool


@pytest.mark.parametrize(
    ("there", "kind", "named"),
    [
        (capi.pool("vips", namespace="other"), "InClusterIPPool", "InClusterIPPool other/vips"),
        (capi.pool("vips", namespace="default"), "GlobalInClusterIPPool",
         "InClusterIPPool default/vips"),
        (capi.pool("vips"), "InClusterIPPool", "GlobalInClusterIPPool vips"),
        (pool("vips"), "InClusterIPPool", "NetworkPool butler-system/vips"),
    ],
)  # fmt: skip
def test_a_claim_of_a_missing_pool_hears_of_its_namesakes(
    there: str, kind: str, named: str
) -> None:
    files = {"pools/p.yaml": there, "clusters/c.yaml": capi.claim(kind=kind)}
    (refused,) = evaluation_of(files).plan.decisions
    assert isinstance(refused, Refuse)
    assert refused.reason == "pool-not-found"
    assert refused.message == f"pool vips does not exist in this repository (only {named})"


def test_a_provider_whose_pool_is_in_another_namespace_hears_of_it() -> None:
    files = {**SMALL, "pools/edge.yaml": pool(namespace="infra")}
    (found,) = (it for it in evaluation_of(files).findings if it.code == "reference-not-found")
    assert found.message == (
        "NetworkPool butler-system/edge does not exist in this repository (only NetworkPool infra/edge)"
    )
    assert refusal(files, "team-a/one (loadbalancer)").message == (
        "pool edge does not exist in this repository (only NetworkPool infra/edge)"
    )


def test_a_cluster_hears_of_a_pool_with_its_labels_in_another_namespace() -> None:
    files = capi.of(capi.pool("vips", namespace="other"), capi.cluster())
    hints = [it.hint for it in evaluation_of(files).plan.decisions if isinstance(it, Refuse)]
    assert any("InClusterIPPool other/vips serves only its own namespace" in it for it in hints)
