"""The toy family in clusters: applied, told, locked, listed, taken away; no code knows it."""

from collections.abc import Iterator
from typing import Any

import pytest

from reconciler.model.objects import MANAGEMENT
from reconciler.records.emit import record_document
from tests.apply.execution.site import Site, failures, results
from tests.envtest.servers import ApiServer
from tests.toy import installed
from tests.toy.test_toy import FILES, Files
from tests.world import evaluation_of, reconciled

QUAY_PATH = "/apis/harbour.example/v1/quays"
RECORDS_CRD = (
    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/ipallocations.butler.butlerlabs.dev"
)
RECORDS_TRIED = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces/default/ipallocations?dryRun=All"


@pytest.fixture(autouse=True)
def _beside_the_others() -> Iterator[None]:
    with installed():
        yield


@pytest.fixture
def site(management: ApiServer) -> Site:
    """A real API server, whose CRD of records takes the toy's type of claim."""
    made = Site(management)
    made.apply(FILES, crds=True)  # what is applied later puts the enum back
    crd = management.get(RECORDS_CRD)
    for version in crd["spec"]["versions"]:
        spec = version["schema"]["openAPIV3Schema"]["properties"]["spec"]
        del spec["properties"]["type"]["enum"]
    assert management.request("PUT", RECORDS_CRD, crd)[0] == 200
    # The server goes by the new schema a little later: it is asked until it does.
    record = record_document(evaluation_of(reconciled(FILES)).state.records[0])
    record["metadata"]["namespace"] = "default"
    asked = (management.request("POST", RECORDS_TRIED, record)[0] for _ in range(3_000))
    assert any(status == 201 for status in asked)
    return made


def test_a_real_server_holds_them_and_locks_them(site: Site) -> None:
    files: Files = reconciled(FILES)
    hub = site.apply(files, "b", policies=True)[MANAGEMENT]
    assert failures(hub) == {}
    north = site.management.get(f"{QUAY_PATH}/north")
    assert north["status"] == {"free": 254, "observedGeneration": 1}
    assert results(site.apply(files, "c")[MANAGEMENT]) == {}
    records: dict[str, Any] = site.management.get(
        "/apis/butler.butlerlabs.dev/v1alpha1/ipallocations"
    )
    assert sorted(item["spec"]["claimRef"]["name"] for item in records["items"]) == [
        "anna", "bert", "cleo",
    ]  # fmt: skip
    assert failures(site.apply({}, "c", allow_release=9)[MANAGEMENT]) == {}
    assert site.management.get(QUAY_PATH)["items"] == []
