"""A hub with Butler's own CRDs: `reconcile --crds` works with them, and does not change them."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.documentation import ROOT
from tests.e2e.site import BUTLER, Site, require_quiet
from tests.envtest.servers import ApiServer
from tests.world import SMALL

THEIRS = ROOT / "tests" / "crds" / "butler"
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
LACKING = ("fragmentationPercent", "largestFreeBlock")


def older(folder: Path) -> Path:
    """CRDs of a Butler that did not know two figures of a pool, nor lists of addresses."""
    folder.mkdir()
    for path in THEIRS.glob("*.yaml"):
        crd: dict[str, Any] = yaml.safe_load(path.read_text(encoding="utf-8"))
        schema = crd["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
        fields = schema["properties"]["status"]["properties"]
        for name in (*LACKING, "addresses"):
            fields.pop(name, None)
        (folder / path.name).write_text(yaml.safe_dump(crd), encoding="utf-8")
    return folder


@pytest.mark.parametrize("is_older", [False, True])
def test_a_hub_with_crds_of_butler_keeps_them_and_lacks_only_what_they_lack(
    tmp_path: Path, bare: ApiServer, is_older: bool
) -> None:
    bare.install_crds(older(tmp_path / "crds") if is_older else THEIRS)
    before = {it["metadata"]["name"]: it["spec"] for it in bare.get(CRDS)["items"]}
    site = Site(tmp_path, bare, SMALL)
    ran = site.reconcile("--crds")
    (hub,) = (it for it in ran.document["apply"]["clusters"] if it["cluster"] == "management")
    notes = [it for it in hub["notes"] if "ipallocations" in it]
    assert len(notes) == 1
    assert "status.announced" in notes[0]
    after = {it["metadata"]["name"]: it["spec"] for it in bare.get(CRDS)["items"]}
    assert after == before, "CRDs of unused families are also not installed"
    pool = bare.get(f"{BUTLER}/networkpools/edge")["status"]
    assert pool["availableIPs"] == 248
    assert [name in pool for name in LACKING] == [not is_older] * 2
    (record,) = bare.get(f"{BUTLER}/ipallocations")["items"]
    assert ("addresses" in record["status"]) is not is_older
    require_quiet(site)
    site.reconcile("--crds")
