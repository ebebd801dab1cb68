"""Names of Kubernetes: with dots, and up to 253 characters."""

import pytest
from msgspec.structs import replace

from reconciler.model.key import Key, is_label_value, is_name
from reconciler.planning.projection import project
from reconciler.records.layout import path_of, place_of
from tests.families.capi.trees import claim, cluster, document, got, of, pool, said
from tests.world import evaluation_of, reconciled

SPACE = "n" * 63
LONG = f"{'a' * 100}.{'b' * 152}"
NAMES = ["vlan40.dc1", "node-0.dc1.example.org-net0", "a" * 64, LONG, "1.10", "a.address"]


def in_space(text: str) -> str:
    return text.replace("metadata:\n", f"metadata:\n  namespace: {SPACE}\n")


@pytest.mark.parametrize("name", NAMES)
def test_a_pool_and_a_claim_with_the_name_are_read_recorded_and_kept(name: str) -> None:
    texts = in_space(pool("x")).replace("Global", ""), in_space(claim("y", "z", "InClusterIPPool"))
    there, asks = (
        text.replace("name: x\n", f"name: '{name}'\n")
        .replace("name: y\n", f"name: '{name}'\n")
        .replace("name: z\n", f"name: '{name}'\n")
        for text in texts
    )
    files = of(there, asks)
    assert said(there, asks) == []
    assert got(evaluation_of(files)) == {f"{name}.address": f"{name}:10"}
    held = reconciled(files)
    (record,) = (path for path in held if path.startswith("allocations/"))
    assert all(len(part) <= 255 for part in record.split("/"))
    after = evaluation_of(held)
    assert (after.findings, after.changes) == ((), ())
    assert after.state.records[0].pristine
    assert after.state.records[0].claim == Key("capi", SPACE, name, "address", "IPAddressClaim")
    assert is_name(after.state.records[0].name)


@pytest.mark.parametrize("name", [*NAMES, "c" * 253])
def test_a_cluster_with_the_name_gets_objects_that_a_server_takes(name: str) -> None:
    texts = pool("vips"), cluster("x").replace("name: x\n", f"name: '{name}'\n")
    held = reconciled(of(*texts))
    objects = [it.manifest for it in project(evaluation_of(held))]
    assert {it["kind"] for it in objects} >= {"IPAddress", "IPAddressClaim", "Cluster"}
    for item in objects:
        assert is_name(item["metadata"]["name"])
        assert all(map(is_label_value, item["metadata"].get("labels", {}).values()))
        assert len(item.get("spec", {}).get("clusterName", "")) <= 63
    assert evaluation_of(held).changes == ()


def test_a_pool_of_the_whole_cluster_with_dots_is_found_by_its_folder() -> None:
    wide = Key("capi", "", "vlan40.dc1", "", "GlobalInClusterIPPool")
    own = Key("capi", "team", "vlan40.dc1", "", "InClusterIPPool")
    long = Key("capi", SPACE, "p" * 253, "", "InClusterIPPool")
    asks = Key("capi", "team", "c" * 253, "address", "IPAddressClaim")
    for pool_ in (wide, own):
        dotted = replace(asks, name="one.two")
        place = place_of("allocations", path_of("allocations", pool_, dotted))
        assert (place.pool, place.claim) == (pool_, dotted)
    place = place_of("allocations", path_of("allocations", long, asks))
    assert (place.pool, place.claim) == (None, None)


@pytest.mark.parametrize("name", ["a" * 254, "a..b", ".a", "a.", "a-.b", "A.b", "a_b", "../x"])
def test_a_name_that_no_server_takes_is_refused(name: str) -> None:
    text = claim("x").replace("name: x\n", f"name: '{name}'\n")
    assert [code for code, _ in said(pool(), text)] == ["name-invalid"]


def test_an_ip_address_of_others_with_such_a_name_holds_its_address() -> None:
    reference = {
        "apiGroup": "ipam.cluster.x-k8s.io",
        "kind": "GlobalInClusterIPPool",
        "name": "a.b",
    }
    spec = {"address": "10.0.0.10", "claimRef": {"name": LONG}, "poolRef": reference, "prefix": 24}
    other = document("IPAddress", "ipam.cluster.x-k8s.io/v1beta1", {"name": LONG}, spec)
    found = got(evaluation_of(of(pool("a.b"), claim("one", "a.b"), other)))
    assert found == {"one.address": "a.b:11"}
