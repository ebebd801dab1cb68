"""networking.loadBalancerPool: a range from before IPAM, which no other claim gets."""

import pytest

from reconciler.planning.projection import project
from tests.memory import evaluation_after
from tests.planning.outcome import codes, outcome
from tests.world import SMALL, evaluation_of, provider, reconciled, request, tenant

LB = "team-a/one (loadbalancer)"
OLD = tenant("old", networking="{loadBalancerPool: {start: 10.40.0.0, end: 10.40.0.9}}")
CLOUD = provider("cloud").replace("mode: ipam", "mode: cloud")
BY_HAND = {
    **SMALL,
    "providers/cloud.yaml": CLOUD,
    "tenants/old.yaml": f"{OLD}  providerConfigRef: {{name: cloud}}\n",
}


def pin(owner: str, start: str = "10.40.0.0", end: str = "10.40.0.9") -> str:
    text = request("pin", pinnedRange=f"{{startAddress: {start}, endAddress: {end}}}")
    owned = text.replace("Ref: {name: pin, n", f"Ref: {{name: {owner}, n")
    return owned.replace("type: nodes", "type: loadbalancer")


def test_nobody_else_is_given_its_addresses() -> None:
    assert outcome(BY_HAND) == {LB: "allocate 10.40.0.10-10.40.0.17 of edge"}


def addresses(files: dict[str, str | bytes] | dict[str, str], cluster: str) -> list[str]:
    return [
        address
        for item in project(evaluation_of(files))
        if item.cluster == cluster and item.manifest["kind"] == "IPAddressPool"
        for address in item.manifest["spec"]["addresses"]
    ]


def test_metallb_gets_it_until_a_record_says_otherwise() -> None:
    assert addresses(BY_HAND, "team-a/old") == ["10.40.0.0-10.40.0.9"]
    assert addresses(BY_HAND, "team-a/one") == []
    files = reconciled({**BY_HAND, "tenants/pin.yaml": pin("old", end="10.40.0.3")})
    assert addresses(files, "team-a/old") == ["10.40.0.0-10.40.0.3"]


def test_a_record_outlives_a_mistake_in_the_document_that_had_a_range_by_hand() -> None:
    files = reconciled({**BY_HAND, "tenants/pin.yaml": pin("old", end="10.40.0.3")})
    for wrong in ("kind: [", OLD.replace("10.40.0.9", "10.40.0.999")):
        changed = {**files, "tenants/old.yaml": wrong}
        assert addresses(changed, "team-a/old") == ["10.40.0.0-10.40.0.3"]


BROKEN = {**BY_HAND, "tenants/old.yaml": f"{OLD}  teamRef: three\n"}


def test_a_mistake_elsewhere_in_its_document_frees_nothing() -> None:
    assert codes(BROKEN) == [("error", "field-type")]
    assert outcome(BROKEN)[LB] == "allocate 10.40.0.10-10.40.0.17 of edge"


def test_a_mistake_elsewhere_in_its_document_withdraws_nothing() -> None:
    evaluation = evaluation_after([BY_HAND], BROKEN)
    (found,) = [item for item in project(evaluation) if item.cluster == "team-a/old"][:1]
    assert found.manifest["spec"] == {"addresses": ["10.40.0.0-10.40.0.9"]}


@pytest.mark.parametrize(
    ("more", "code"),
    [({"quotaPerTenant": "none"}, "field-type"), ({"pools": "[]"}, "provider-without-pools")],
)
def test_the_gateway_of_a_provider_that_is_wrong_is_given_to_nobody(
    more: dict[str, str], code: str
) -> None:
    files = {**SMALL, "providers/lab.yaml": provider("lab", gateway="10.40.0.0", **more)}
    assert codes(files) == [("error", code)]
    assert outcome(files)[LB] == "allocate 10.40.0.1-10.40.0.8 of edge"
