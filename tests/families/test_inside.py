"""Networks of pods and services, as the kinds of two families state them."""

import pytest

from reconciler.planning.evaluate import Evaluation
from tests.families.capi import trees
from tests.world import SMALL, evaluation_of, pool, provider, tenant

BLOCKS = {"pods": {"cidrBlocks": ["10.40.0.0/16"]}, "services": {"cidrBlocks": ["10.96.0.0/12"]}}
LAB = "system, annotations: {gitops-ipam.dev/address-space: lab}}"


def describe(evaluation: Evaluation) -> list[tuple[str, str, str]]:
    return [(it.code, str(it.location), it.message) for it in evaluation.findings]


def of_tenant(networking: str, **files: str) -> Evaluation:
    text = tenant("two", networking=networking)
    return evaluation_of({**SMALL, "tenants/two.yaml": text, **files})


def test_a_tenants_pods_and_services_are_compared_with_pools() -> None:
    evaluation = of_tenant("{podCIDR: 10.40.0.0/16, serviceCIDR: 10.40.0.128/25}")
    edge = "overlaps NetworkPool butler-system/edge at pools/edge.yaml:5"
    assert describe(evaluation) == [
        ("pool-overlap", "tenants/two.yaml:6",
         f"10.40.0.0/16, pods of team-a/two, {edge}: 10.40.0.0-10.40.0.255"),
        ("pool-overlap", "tenants/two.yaml:6",
         f"10.40.0.128/25, services of team-a/two, {edge}: 10.40.0.128-10.40.0.255"),
    ]  # fmt: skip


def test_the_usual_networks_of_many_tenants_are_no_finding() -> None:
    usual = "{podCIDR: 10.244.0.0/16, serviceCIDR: 10.96.0.0/12}"
    assert describe(of_tenant(usual, **{"tenants/b.yaml": tenant("b", networking=usual)})) == []


def test_a_tenant_stands_in_the_address_spaces_of_its_pools() -> None:
    files = {
        "pools/lab.yaml": pool("lab", "10.50.0.0/24").replace("system}", LAB),
        "providers/lab.yaml": provider("lab", "[{name: lab}]"),
        "tenants/lab.yaml": tenant(
            "lab", providerConfigRef="{name: lab}", networking="{podCIDR: 10.40.0.0/15}"
        ),
    }
    assert describe(evaluation_of({**SMALL, **files})) == []
    met = tenant("lab", providerConfigRef="{name: lab}", networking="{podCIDR: 10.50.0.0/16}")
    ((code, _, message),) = describe(evaluation_of({**SMALL, **files, "tenants/lab.yaml": met}))
    assert (code, message.count("pools/lab.yaml:5")) == ("pool-overlap", 1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("10.40.0.1/16", "'10.40.0.1/16' has host bits set, so it is not compared with the pools"),
        ('"10.40.0.0/16, 10.41.0.0/16"',
         "' 10.41.0.0' is not a canonical IPv4 address, so it is not compared with the pools"),
    ],
)  # fmt: skip
def test_what_is_no_cidr_is_said_not_to_be_compared_and_stops_nothing(
    text: str, message: str
) -> None:
    evaluation = of_tenant(f"{{podCIDR: {text}}}")
    assert ("cidr-invalid", "tenants/two.yaml:6", message) in describe(evaluation)
    assert {it.severity.value for it in evaluation.findings} == {"warning"}
    assert len(evaluation.plan.decisions) == 2


@pytest.mark.parametrize("version", ["v1beta1", "v1beta2"])
def test_a_clusters_pods_and_services_are_compared_with_pools_of_all_families(version: str) -> None:
    files = {**SMALL, **trees.of(trees.cluster(version=version, class_="", clusterNetwork=BLOCKS))}
    ((code, _, message),) = describe(evaluation_of(files))
    assert code == "pool-overlap"
    assert message.startswith("10.40.0.0/16, pods of default/shop, overlaps NetworkPool")


def test_a_cluster_stands_in_the_address_spaces_of_its_pools() -> None:
    lab = {"gitops-ipam.dev/address-space": "lab"}
    vips = trees.pool("vips", "10.40.0.9", annotations=lab), trees.pool("in", role="ingress")
    cluster = trees.cluster(clusterNetwork=BLOCKS)
    alone = trees.of(vips[0], trees.cluster(clusterNetwork=BLOCKS))
    assert "10.40.0.9" in next(it.message for it in evaluation_of(alone).findings)
    both = evaluation_of({**SMALL, **trees.of(*vips, cluster)})
    (found,) = [it for it in both.findings if it.code == "pool-overlap"]
    assert found.message.endswith("10.40.0.0-10.40.0.255; GlobalInClusterIPPool vips"
                                  " at pools/00.yaml:12: 10.40.0.9")  # fmt: skip
