"""A poolRef that no provider knows: by its kind, its group, or a version in the group."""

import pytest

from reconciler.families.capi import reading
from tests.families.capi.trees import IPAM as GROUP
from tests.families.capi.trees import VIP, claim, cluster, document, gets, of, pool
from tests.world import evaluation_of, reconciled

NO_INGRESS = {f"{VIP}ingress-enabled": "false"}
GLOBAL, NAMESPACED = "GlobalInClusterIPPool", "InClusterIPPool"
WRONG = [
    (GROUP, "InclusterIPPool", "kind", NAMESPACED),
    (GROUP, "GlobalInclusterIPPool", "kind", GLOBAL),
    (GROUP, "IPPool", "kind", f"{NAMESPACED} or {GLOBAL}"),
    (f"{GROUP}/v1alpha2", GLOBAL, "apiGroup", GLOBAL),
    ("ipam.cluster.x-k8s.oi", "GlobalInClusterIPool", "apiGroup", GLOBAL),
    ("butler.butlerlabs.dev", "NetworkPool", "apiGroup", f"{NAMESPACED} or {GLOBAL}"),
    ("novaedge.io", "ProxyIPPool", "apiGroup", f"{NAMESPACED} or {GLOBAL}"),
    (f"{GROUP}/v1alpha1", "InfobloxIPPool", "apiGroup", "InfobloxIPPool"),
]


@pytest.mark.parametrize(("group", "kind", "field", "right"), WRONG)
def test_a_claim_of_no_known_kind_is_an_error_once_with_the_right_spelling(
    group: str, kind: str, field: str, right: str
) -> None:
    evaluation = evaluation_of(of(pool(), claim(kind=kind, group=group)))
    (found,) = (*evaluation.findings, *evaluation.gates)
    assert (found.severity, found.code) == ("error", "kind-unknown")
    assert (found.location.path, found.location.pointer) == (
        "clusters/01.yaml",
        f"/spec/poolRef/{field}",
    )
    assert found.hint == f"write apiGroup: {GROUP} and kind: {right}"


def test_a_version_in_the_group_of_another_provider_is_an_error() -> None:
    wrong = claim(kind="Metal3IPPool", group="ipam.metal3.io/v1alpha1")
    (found,) = evaluation_of(of(pool(), wrong)).findings
    assert found.hint == "write apiGroup: ipam.metal3.io and kind: Metal3IPPool"


def test_names_of_correct_references_are_not_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[str] = []

    def compare(text: str, *_: object) -> str:
        asked.append(text)
        return ""

    monkeypatch.setattr(reading, "nearest", compare)
    evaluation_of(of(pool(), claim(), claim("other", kind="InfobloxIPPool")))
    assert asked == []
    evaluation_of(of(pool(), claim(kind="IPPool")))
    assert set(asked) == {"ippool"}


def test_a_claim_that_holds_an_address_keeps_it_when_its_pool_is_misspelt() -> None:
    files = reconciled(of(pool(), claim()))
    files["clusters/01.yaml"] = claim(kind="GlobalInclusterIPPool")
    evaluation = evaluation_of(files)
    assert ("error", "kind-unknown") in [(it.severity, it.code) for it in evaluation.findings]
    assert evaluation.changes == ()


def test_the_claim_of_a_cluster_is_refused_and_takes_no_other_pool() -> None:
    own = claim("vip-cp-shop", "b", kind="GlobalInclusterIPPool")
    assert gets(pool(), own, cluster(annotations=NO_INGRESS)) == {
        "shop.control-plane": "kind-unknown"
    }


def test_an_ipaddress_of_no_known_pool_is_an_error() -> None:
    spec = {
        "poolRef": {"apiGroup": GROUP, "kind": "GlobalInclusterIPPool", "name": "vips"},
        "claimRef": {"name": "one"},
        "address": "10.0.0.12",
        "prefix": 24,
    }
    text = document("IPAddress", f"{GROUP}/v1beta1", {"name": "one"}, spec)
    (found,) = evaluation_of(of(pool(), text)).findings
    assert (found.code, found.location.pointer) == ("kind-unknown", "/spec/poolRef/kind")
