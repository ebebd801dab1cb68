"""Copies of live objects in Git contain only identity, uid, and the fields that their kind reads."""

from itertools import pairwise
from typing import Any

import pytest

from reconciler.apply.intake import ObjectCopy, copies_of, copy_of
from reconciler.documents.load import load
from reconciler.families.importing import copied
from reconciler.model.objects import PART_MANAGER, STATUS_MANAGER
from reconciler.model.settings import Settings
from reconciler.planning.documents import path_of, source_kinds
from reconciler.records.changes import records_after
from tests.families.live import IPAM, VIP, cluster, intake, live, of_pool, pool, wrote
from tests.world import SMALL, evaluation_of, reconciled, tenant

HOST: dict[str, Any] = {"f:spec": {"f:controlPlaneEndpoint": {"f:host": {}, "f:port": {}}}}


def copy(manifest: Any) -> Any:
    return copied(manifest, intake(manifest["kind"]))


def refused(manifest: Any) -> str:
    found = copy_of(manifest, intake(manifest["kind"]), Settings())
    assert isinstance(found, str)
    return found


def test_a_copy_of_a_cluster_holds_identity_uid_and_what_is_read() -> None:
    manifest = cluster(
        spec={"infrastructureRef": {"name": "secret"}, "paused": False},
        annotations={f"{VIP}ingress-enabled": "false", "note": "password"},
        labels={"team": "a"},
        status={"phase": "Provisioned"},
        ownerReferences=[{"kind": "X"}],
    )
    found = copy_of(manifest, intake("Cluster"), Settings())
    assert found == ObjectCopy(
        b"""apiVersion: cluster.x-k8s.io/v1beta1
kind: Cluster
metadata:
  annotations:
    gitops-ipam.dev/uid: uid-shop
    vip.capi.gorizond.io/ingress-enabled: "false"
  name: shop
  namespace: default
spec:
  topology:
    class: web
""",
        "uid-shop",
    )


def test_what_we_wrote_into_an_object_is_asked_for_by_nobody() -> None:
    before = cluster(spec={"controlPlaneEndpoint": {"host": "", "port": 0}})
    ours = {**HOST, "f:metadata": {"f:annotations": {f"f:{VIP}ingress-vip": {}}}}
    after = cluster(
        spec={"controlPlaneEndpoint": {"host": "10.0.0.10", "port": 6443}},
        annotations={f"{VIP}ingress-vip": "10.0.0.100"},
        managedFields=[wrote(PART_MANAGER, ours)],
    )
    assert copy(after) == copy(before)


def test_what_somebody_else_wrote_too_stays() -> None:
    manifest = cluster(
        spec={"controlPlaneEndpoint": {"host": "10.0.0.10", "port": 6443}},
        managedFields=[wrote(PART_MANAGER, HOST), wrote("kubectl", HOST)],
    )
    assert copy(manifest)["spec"]["controlPlaneEndpoint"] == {"host": "10.0.0.10", "port": 6443}


def test_an_address_that_novaedge_gave_a_vip_is_pinned_until_it_is_ours() -> None:
    spec = {"mode": "BGP", "ports": [443], "poolRef": {"name": "main"}, "addressFamily": "dual"}
    status = {"allocatedAddress": "10.200.0.1/32", "allocatedIPv6Address": "2001:db8::1/128"}
    theirs = copy(live("ProxyVIP", "web", spec, status=status))["spec"]
    assert (theirs["address"], theirs["ipv6Address"]) == ("10.200.0.1/32", "2001:db8::1/128")
    fields: Any = {"f:status": {"f:allocatedAddress": {}, "f:allocatedIPv6Address": {}}}
    ours = live(
        "ProxyVIP", "web", spec, status=status, managedFields=[wrote(STATUS_MANAGER, fields)]
    )
    assert copy(ours)["spec"] == spec
    alone = live("ProxyVIP", "web", {"mode": "BGP", "ports": [443]}, status=status)
    assert "address" not in copy(alone)["spec"]


def test_a_claim_that_another_provider_serves_asks_nothing_of_us() -> None:
    served = intake("IPAddressClaim").is_others
    assert served(of_pool("IPAddressClaim", "one", status={"addressRef": {"name": "one"}}))
    assert not served(of_pool("IPAddressClaim", "one"))
    assert intake("IPAllocation").is_others({"status": {"startAddress": "10.0.0.1"}})


def test_claims_and_addresses_name_their_pool() -> None:
    pool_of = intake("IPAddress").pool
    assert pool_of(of_pool("IPAddress", "x")) == (IPAM, "GlobalInClusterIPPool", "", "vips")
    local = live(
        "IPAddress", "x", {"poolRef": {"apiGroup": IPAM, "kind": "InClusterIPPool", "name": "p"}}
    )
    assert pool_of(local) == (IPAM, "InClusterIPPool", "default", "p")
    assert pool_of(live("IPAddress", "x")) == ("None", "None", "", "None")


@pytest.mark.parametrize(
    ("manifest", "reason"),
    [
        (cluster("a..b"), "metadata.name is 'a..b', which is not"),
        (live("GlobalInClusterIPPool", "vips", {"prefix": 24}), "spec.addresses is missing;"),
        (pool("vips", "10.0.0.300"), "spec.addresses[0]: '10.0.0.300'"),
        (cluster(spec={"paused": "yes"}), "spec.paused is the string 'yes', expected a boolean"),
        (cluster(spec={"controlPlaneEndpoint": {"port": 1.5}}), "spec.controlPlaneEndpoint.port is"),
        (of_pool("IPAddress", "x", spec={"address": ["10.0.0.1"]}), "spec.address is a list, expected a string; write a"),
        (live("IPAllocation", "x"), "spec is missing;"),
    ],
)  # fmt: skip
def test_an_object_that_is_not_valid_is_refused_as_its_file_would_be(
    manifest: Any, reason: str
) -> None:
    assert refused(manifest).startswith(reason)


def test_a_pool_makes_no_address_space_of_its_own() -> None:
    kind = intake("GlobalInClusterIPPool")
    other = pool(annotations={"gitops-ipam.dev/address-space": "mine"})
    assert refused(other) == (
        "annotation gitops-ipam.dev/address-space: 'mine', and spec.addressSpaces of Settings lists"
        " none, so addresses in use could be allocated twice"
    )
    assert isinstance(
        copy_of(other, kind, Settings(address_spaces=("default", "mine"))), ObjectCopy
    )
    assert isinstance(copy_of(other, kind, Settings(address_spaces=("default",))), str)
    same = pool(annotations={"gitops-ipam.dev/address-space": "default"})
    assert isinstance(copy_of(same, kind, Settings()), ObjectCopy)


def test_a_pool_that_is_taken_in_over_one_of_people_gives_nothing_twice() -> None:
    start = reconciled(SMALL)
    over = live("InClusterIPPool", "wide", {"addresses": ["10.40.0.0-10.40.0.63"], "prefix": 24})
    asks = [
        live("IPAddressClaim", f"c{at}", {
            "poolRef": {"apiGroup": IPAM, "kind": "InClusterIPPool", "name": "wide"}
        }) for at in range(3)
    ]  # fmt: skip
    files = {**start, "tenants/two.yaml": tenant("two")}
    for item in (over, *asks):
        kind = intake(item["kind"])
        copy_ = copy_of(item, kind, Settings())
        assert isinstance(copy_, ObjectCopy)
        files[path_of("observed", kind.identity(item))] = copy_.data
    found = evaluation_of(files)
    assert [(it.code, it.severity) for it in found.findings] == [("pool-overlap", "warning")]
    held = sorted(
        it.range
        for it in records_after(found.plan, found.state, "allocations")
        if it.range is not None
    )
    assert len(held) == 5
    assert all(one.last < other.first for one, other in pairwise(held))


def test_copies_stand_at_their_place_and_name_the_uid_of_their_object() -> None:
    vips = copy_of(pool(), intake("GlobalInClusterIPPool"), Settings())
    assert isinstance(vips, ObjectCopy)
    identity = intake("GlobalInClusterIPPool").identity(pool())
    path = path_of("observed", identity)
    assert path == f"observed/GlobalInClusterIPPool.{IPAM}/_/vips.yaml"
    documents = load(path, vips.data, source_kinds()).documents
    found = copies_of(documents, "observed")
    assert found.of(intake("GlobalInClusterIPPool")) == {identity: vips}
    assert found.of(intake("Cluster")) == {}
    elsewhere = load("observed/x.yaml", vips.data, source_kinds()).documents
    moved = copies_of(elsewhere, "observed").of(intake("GlobalInClusterIPPool"))
    assert moved == {identity: ObjectCopy(b"", vips.uid)}
    both = copies_of((*documents, *elsewhere), "observed")
    assert both == found == copies_of((*elsewhere, *documents), "observed")
    assert not copies_of(load("x.yaml", vips.data, source_kinds()).documents, "observed").every
