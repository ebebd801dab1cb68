"""MetalLB: objects for entries, imports, and advertisements of other managers."""

from typing import Any

import pytest
from msgspec.structs import replace

from reconciler.loadbalancers import controller
from reconciler.loadbalancers.interface import (
    ClusterBalancer,
    ImportedPool,
    LoadBalancerPool,
    ServiceSelection,
)
from reconciler.loadbalancers.metallb.kinds import ADDRESS_POOL, ADVERTISEMENT, BGP_ADVERTISEMENT
from reconciler.model.objects import POLICY
from tests.apply.execution.site import address_pool
from tests.loadbalancers.clusters import Cluster, errors, ranges

ONE, SIX = ranges("10.22.0.96-10.22.0.103"), ranges("fd00:22::10-fd00:22::1f")
NODES = [{"matchLabels": {"rack": "a"}}]
L2 = {"type": "L2", "l2": {"interfaces": ["eth1"], "nodeSelectors": NODES}}
BGP = {
    "type": "BGP",
    "bgp": {
        "communities": ["65000:100", "no-advertise"],
        "peers": ["tor-1"],
        "aggregationLength": 30,
        "aggregationLengthV6": 124,
        "nodeSelectors": NODES,
        "localPref": 100,
    },
}
METALLB = controller("MetalLB")


def pool(name: str = "dmz", **fields: Any) -> LoadBalancerPool:
    return LoadBalancerPool(name, fields.pop("ranges", ONE), **fields)


def advertisement(kind: str, name: str, **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": "metallb-system"}
    return {"apiVersion": "metallb.io/v1beta1", "kind": kind, "metadata": metadata, "spec": spec}


def test_an_entry_is_a_pool_and_its_advertisement() -> None:
    chosen = ServiceSelection(namespaces=("edge",), selector={"matchLabels": {"tier": "web"}})
    labels, notes = {"gitops-ipam.dev/load-balancer": "dmz"}, {"gitops-ipam.dev/claim": "x"}
    entry = pool(
        ranges=(*SIX, *ONE),
        services=chosen,
        advertisement=BGP,
        labels=labels,
        annotations=notes,
        avoids_buggy=True,
    )
    named = {"name": "dmz", "namespace": "lb", "labels": labels, "annotations": notes}
    kind = {"apiVersion": "metallb.io/v1beta1"}
    assert METALLB.objects((entry,), "lb") == (
        {
            **kind,
            "kind": "IPAddressPool",
            "metadata": named,
            "spec": {
                "addresses": ["10.22.0.96-10.22.0.103", "fd00:22::10-fd00:22::1f"],
                "avoidBuggyIPs": True,
                "serviceAllocation": {
                    "namespaces": ["edge"],
                    "serviceSelectors": [{"matchLabels": {"tier": "web"}}],
                },
            },
        },
        {
            **kind,
            "kind": "BGPAdvertisement",
            "metadata": named,
            "spec": {"ipAddressPools": ["dmz"], **BGP["bgp"]},  # type: ignore[dict-item]
        },
    )
    (made, announced) = METALLB.objects((pool(services=ServiceSelection(), advertisement=L2),), "")
    assert made["spec"] == {"addresses": ["10.22.0.96-10.22.0.103"], "autoAssign": False}
    assert announced["spec"] == {"ipAddressPools": ["dmz"], **L2["l2"]}  # type: ignore[dict-item]
    assert METALLB.aggregation(BGP) == {4: 30, 6: 124}
    assert METALLB.aggregation(L2) == {}


def test_another_advertisement_replaces_the_one_of_before() -> None:
    cluster = Cluster("MetalLB")
    cluster.apply(pool("a", advertisement=L2), pool("b", ranges=SIX, advertisement=L2))
    assert cluster.others() == ["L2Advertisement a", "L2Advertisement b"]
    cluster.apply(pool("a", advertisement=BGP), pool("b", ranges=SIX, advertisement=L2))
    assert cluster.writes() == ["apply a", "delete a"]
    assert cluster.others() == ["BGPAdvertisement a", "L2Advertisement b"]
    cluster.apply(pool("a"), pool("b", ranges=SIX, advertisement=L2))
    assert cluster.others() == ["L2Advertisement b"]


def test_a_pool_that_is_held_keeps_its_advertisement_and_no_other() -> None:
    cluster = Cluster("MetalLB")
    spare = ranges("10.22.0.8-10.22.0.9")
    cluster.apply(
        pool("a", advertisement=L2),
        pool("b", ranges=SIX, advertisement=BGP),
        pool("c", ranges=spare, advertisement=L2),
    )
    cluster.use("10.22.0.97")
    cluster.apply(pool("c", ranges=spare, advertisement=L2))
    assert sorted(cluster.pools()) == ["a", "c"]
    assert cluster.others() == ["L2Advertisement a", "L2Advertisement c"]
    cluster.apply(pool("new", advertisement=L2), pool("c", ranges=spare, advertisement=L2))
    assert sorted(cluster.pools()) == ["a", "c"]
    assert cluster.spec("L2Advertisement", "new")["ipAddressPools"] == ["a"]


def test_an_entry_of_one_family_gives_the_other_back() -> None:
    cluster = Cluster("MetalLB")
    cluster.apply(pool(ranges=(*ONE, *SIX)))
    cluster.use("fd00:22::10")
    (error,) = errors(cluster.apply(pool()))
    assert error.startswith("fd00:22::10-fd00:22::1f is not withdrawn")
    cluster.release()
    cluster.apply(pool())
    assert cluster.pools() == {"dmz": list(ONE)}


def test_the_last_pool_does_not_wait_while_others_have_one() -> None:
    cluster = Cluster("MetalLB")
    cluster.put(address_pool("theirs", "192.0.2.0/24"))
    cluster.apply(pool())
    cluster.use("192.0.2.1")
    assert errors(cluster.apply()) == []
    assert list(cluster.pools()) == ["theirs"]


THEIRS = address_pool("theirs", "10.0.0.0/30", "10.0.0.4/30")
THEIRS["spec"] |= {"serviceAllocation": {"priority": 50, "namespaces": ["edge"]}}


def test_adoption_keeps_the_form_of_ranges_and_fields_that_no_entry_has() -> None:
    cluster = Cluster("MetalLB")
    cluster.put(THEIRS)
    (found,) = METALLB.imported({ADDRESS_POOL: [THEIRS]})
    cluster.apply(found.pool, adopt=True)
    assert cluster.spec("IPAddressPool", "theirs") == THEIRS["spec"]
    assert not cluster.apply(found.pool).is_changed
    cluster.apply(replace(found.pool, ranges=(*found.pool.ranges, *ONE)))
    written = ["10.0.0.0-10.0.0.7", "10.22.0.96-10.22.0.103"]
    assert cluster.spec("IPAddressPool", "theirs") == {**THEIRS["spec"], "addresses": written}


@pytest.mark.parametrize(
    "theirs",
    [
        advertisement("L2Advertisement", "all"),
        advertisement("BGPAdvertisement", "by-name", ipAddressPools=["other", "dmz"]),
        advertisement(
            "BGPAdvertisement", "by-label", ipAddressPoolSelectors=[{"matchLabels": {"x": "y"}}]
        ),
    ],
    ids=lambda it: it["metadata"]["name"],
)
def test_a_pool_that_others_advertise_gets_no_advertisement(theirs: dict[str, Any]) -> None:
    cluster = Cluster("MetalLB")
    cluster.put(theirs)
    named = f"{theirs['kind']} {theirs['metadata']['name']}"
    labels = {"x": "y"}
    (error,) = errors(cluster.apply(pool(labels=labels, advertisement=L2)))
    assert error == (
        f"{named}, which has another owner, selects IPAddressPool dmz;"
        " delete it, or set advertisement.type None"
    )
    assert cluster.others() == [named]
    assert list(cluster.pools()) == ["dmz"]
    assert errors(cluster.apply(pool(labels=labels))) == []


def test_an_advertisement_of_others_is_taken_over_without_a_gap() -> None:
    cluster = Cluster("MetalLB")
    cluster.put(address_pool("theirs", "192.0.2.0/24"), advertisement("L2Advertisement", "all"))
    (error,) = errors(cluster.apply(pool(advertisement=L2)))
    assert "; limit its pools or selectors to theirs, or set" in error
    own = advertisement("L2Advertisement", "dmz", ipAddressPools=["dmz"])
    cluster.put(own, advertisement("L2Advertisement", "all", ipAddressPools=["theirs"]))
    assert errors(cluster.apply(pool(advertisement=L2), adopt=True)) == []
    assert cluster.writes() == ["apply dmz"]
    assert cluster.others() == ["L2Advertisement all", "L2Advertisement dmz"]


def test_an_advertisement_of_others_for_other_pools_is_left_alone() -> None:
    cluster = Cluster("MetalLB")
    cluster.put(advertisement("L2Advertisement", "theirs", ipAddressPools=["other"]))
    assert errors(cluster.apply(pool(advertisement=L2))) == []
    assert cluster.others() == ["L2Advertisement dmz", "L2Advertisement theirs"]


def imported(**spec: Any) -> ImportedPool:
    manifest = address_pool("edge", "10.0.0.0/30", "10.0.0.9-10.0.0.12")
    manifest["metadata"]["labels"] = {"site": "dc1"}
    manifest["spec"] |= spec
    every = {
        ADDRESS_POOL: [manifest],
        ADVERTISEMENT: [advertisement("L2Advertisement", "mine", ipAddressPools=["edge"])],
        BGP_ADVERTISEMENT: [advertisement("BGPAdvertisement", "all")],
    }
    (found,) = METALLB.imported(every)
    return found


def test_an_import_keeps_what_a_pool_says() -> None:
    found = imported(avoidBuggyIPs=True, autoAssign=True)
    assert found.pool == LoadBalancerPool(
        "edge",
        ranges("10.0.0.0/30", "10.0.0.9-10.0.0.12"),
        labels={"site": "dc1"},
        avoids_buggy=True,
    )
    assert found.namespace == "metallb-system"
    assert [*found.advertised_by] == ["L2Advertisement mine", "BGPAdvertisement all"]
    assert (found.pool.spec, found.problem) == ({}, "")


SELECTOR = {"matchLabels": {"tier": "web"}}
UNEXPRESSED: tuple[dict[str, Any], ...] = (
    {"serviceAllocation": {"priority": 7}},
    {"serviceAllocation": {"namespaceSelectors": [SELECTOR]}},
    {"serviceAllocation": {"serviceSelectors": [SELECTOR, SELECTOR]}},
    {"serviceAllocation": {"serviceSelectors": [{}]}},
    {"serviceAllocation": {"namespaceSelectors": [SELECTOR], "namespaces": ["a"]}},
    {"protocol": "layer2"},
)


@pytest.mark.parametrize(
    ("spec", "services", "more"),
    [
        ({"autoAssign": False}, ServiceSelection(), {}),
        (
            {"autoAssign": False, "serviceAllocation": {"namespaces": ["a"]}},
            ServiceSelection(),
            {"serviceAllocation": {"namespaces": ["a"]}},
        ),
        (
            {"serviceAllocation": {"namespaces": ["a", "b"]}},
            ServiceSelection(namespaces=("a", "b")),
            {},
        ),
        (
            {"serviceAllocation": {"serviceSelectors": [SELECTOR]}},
            ServiceSelection(selector=SELECTOR),
            {},
        ),
        (
            {"serviceAllocation": {"priority": 7, "namespaces": ["a"]}},
            ServiceSelection(namespaces=("a",)),
            {"serviceAllocation": {"priority": 7}},
        ),
        *((it, ServiceSelection(is_default=True), it) for it in UNEXPRESSED),
    ],
)
def test_an_imported_pool_is_written_with_all_its_fields(
    spec: dict[str, Any], services: ServiceSelection, more: dict[str, Any]
) -> None:
    found = imported(**spec)
    assert (found.pool.services, found.pool.spec) == (services, more)
    cluster = Cluster("MetalLB")
    manifest = address_pool("edge", "10.0.0.0-10.0.0.3")
    manifest["spec"] |= spec
    cluster.put(manifest)
    (again,) = METALLB.imported({ADDRESS_POOL: [manifest]})
    (written,) = METALLB.objects((again.pool,), "")
    assert written["spec"] == manifest["spec"]
    cluster.apply(again.pool, adopt=True)
    assert cluster.spec("IPAddressPool", "edge") == manifest["spec"]


def test_a_selection_of_an_entry_replaces_the_same_fields_of_its_spec() -> None:
    more = {"serviceAllocation": {"priority": 7, "namespaces": ["b"]}}
    made = pool(services=ServiceSelection(namespaces=("a",)), spec=more)
    (written,) = METALLB.objects((made,), "")
    assert written["spec"]["serviceAllocation"] == {"priority": 7, "namespaces": ["a"]}
    (written,) = METALLB.objects((pool(spec={"serviceAllocation": "all"}),), "")
    assert "serviceAllocation" in written["spec"]


def test_an_import_of_a_pool_that_cannot_be_read_says_why() -> None:
    found = imported(addresses=["10.0.0.0/33"])
    assert found.problem == "'10.0.0.0/33' is not a CIDR or a range (START-END)"


def test_policies_of_a_cluster_with_entries_lock_the_kinds_of_its_controller() -> None:
    cluster = Cluster("MetalLB")
    assert errors(cluster.apply(pool(), policies=True)) == []
    (policy,) = (it for it in cluster.server.objects if it.resource == POLICY)
    rules = cluster.server.objects[policy]["spec"]["matchConstraints"]["resourceRules"]
    assert {kind for rule in rules for kind in rule["resources"]} == {
        "ipaddresspools", "l2advertisements", "bgpadvertisements", "configmaps",
    }  # fmt: skip


def test_another_controller_waits_for_the_pools_of_the_one_before() -> None:
    cluster = Cluster("MetalLB")
    cluster.apply(pool())
    other = Cluster("Cilium")
    other.server, other.known = cluster.server, cluster.known
    applied = other.apply(pool())
    assert applied.error == (
        "metallb.io/IPAddressPool/metallb-system/dmz exists, expected only objects of Cilium"
    )
    assert other.pools() == {}
    cluster.apply()
    assert not other.apply(pool()).error
    assert list(other.pools()) == ["dmz"]


def test_another_namespace_waits_for_the_pools_in_the_one_before() -> None:
    cluster = Cluster("MetalLB")
    cluster.apply(pool())
    cluster.balancing = replace(cluster.balancing, namespace="lb")
    applied = cluster.apply(pool())
    assert applied.error.endswith("exists, expected only objects of MetalLB in lb")
    assert list(cluster.pools()) == ["dmz"]


@pytest.mark.parametrize(("name", "home"), [("MetalLB", "lb"), ("Cilium", "")])
def test_a_cluster_that_no_document_describes_loses_its_pools(name: str, home: str) -> None:
    cluster = Cluster(name)
    cluster.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "lb"}})
    cluster.balancing = replace(cluster.balancing, namespace=home)
    cluster.apply(pool())
    cluster.use("10.22.0.97")
    cluster.balancing = ClusterBalancer()
    (error,) = errors(cluster.apply())
    assert "Service default/shop uses 10.22.0.97" in error
    assert list(cluster.pools()) == ["dmz"]
    cluster.release()
    assert errors(cluster.apply()) == []
    assert cluster.pools() == {}
