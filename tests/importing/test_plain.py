"""Clusters and tables as documents of a plain repository: its plan moves nothing, `--adopt` neither."""

from collections.abc import Mapping
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
import yaml

from reconciler.apply.render import rendered
from reconciler.documents.findings import Location
from reconciler.families.importing import ImportedNetwork
from reconciler.importing.assembling import Imported
from reconciler.importing.cells import ranges_in
from reconciler.importing.manifests import clusters_in
from reconciler.importing.run import ImportSource, looked
from reconciler.importing.sources import ImportedSource, writing
from reconciler.model.errors import ClusterError, UnauthorizedError
from reconciler.model.objects import NAMESPACE, NODE, Ref
from reconciler.model.plan import Refuse
from tests.apply.execution.site import failures
from tests.cli.running import ipam
from tests.fake_cluster import FakeCluster
from tests.families.plain.examples import SETTINGS, claim, codes, outcome, pool
from tests.importing.sources import conflicts, imported, lines, netbox, table, texts
from tests.loadbalancers.test_plain import Clusters
from tests.world import evaluation_of, reconciled, repository, tree_of

Capture = pytest.CaptureFixture[str]
EMPTY: dict[str, str | bytes] = {"ipam.yaml": SETTINGS}
UID = "0b3e5a52-6f1c-4a0e-9a42-7d5f4d6d2c11"


def metallb(kind: str, name: str, namespace: str = "metallb-system", **spec: Any) -> dict[str, Any]:
    metadata = {"name": name, "namespace": namespace}
    return {"apiVersion": "metallb.io/v1beta1", "kind": kind, "metadata": metadata, "spec": spec}


def addresses(name: str, *ranges: str, **spec: Any) -> dict[str, Any]:
    # The API server fills in these defaults.
    usual = {"autoAssign": True, "avoidBuggyIPs": False}
    return metallb("IPAddressPool", name, **{**usual, "addresses": list(ranges), **spec})


def service(name: str, *ips: str) -> dict[str, Any]:
    status = {"loadBalancer": {"ingress": [{"ip": it} for it in ips]}}
    metadata = {"name": name, "namespace": "shop"}
    spec = {"type": "LoadBalancer"}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": metadata,
        "spec": spec,
        "status": status,
    }


HOME = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "kube-system", "uid": UID}}
DEFAULT = addresses("default", "10.20.0.0/28", "10.20.0.32-10.20.0.39")
DUAL = addresses(
    "edge.dmz",
    "10.20.1.10-10.20.1.19",
    "2001:db8:1::/120",
    serviceAllocation={"priority": 50, "namespaces": ["edge"], "serviceSelectors": [{"matchLabels": {"a": "b"}}]},
)  # fmt: skip
DUAL["metadata"]["labels"] = {"zone": "dmz"}
MANUAL = addresses("manual", "10.20.2.7/32", autoAssign=False, avoidBuggyIPs=True)
BGP = metallb(
    "BGPAdvertisement", "uplink", ipAddressPoolSelectors=[{"matchLabels": {"zone": "dmz"}}]
)
L2 = metallb("L2Advertisement", "lan", ipAddressPools=["default"])
ONE = (HOME, DEFAULT, DUAL, MANUAL, BGP, L2, service("web", "10.20.0.3"))
TWO = (addresses("a", "10.20.0.16/29"), addresses("b", "10.20.0.24/29"))


def brought(
    files: Mapping[str, Any] | None = None, /, *more: ImportedSource, **clusters: Any
) -> Imported:
    files = files or EMPTY
    read = [
        (("", name), f"{name}.yaml", yaml.safe_dump_all(objects).encode())
        for name, objects in clusters.items()
    ]
    found, rest = clusters_in(read)
    looks = [ImportSource(*it) for it in found.items()]
    made = looked(looks, "", writer=writing(tree_of(files)))
    return imported(made.with_more(rest, *more), files)


def described(text: str) -> ImportedSource:
    name, _, cidr = text.partition("=")
    network = ImportedNetwork(name, ranges_in(cidr)[0], Location(f"--pool {text}"))
    return ImportedSource(described=(network,))


def entries(result: Imported, path: str = "clusters/one.yaml") -> dict[str, dict[str, Any]]:
    document = yaml.safe_load(texts(result)[path])
    return {it.pop("name"): it for it in document["spec"]["loadBalancers"]}


def bodies(result: Imported, folder: str) -> dict[str, Any]:
    found = (
        it
        for path, text in texts(result).items()
        if path.startswith(folder)
        for it in yaml.safe_load_all(text)
    )
    return {it["metadata"]["name"]: it["spec"] for it in found}


def test_each_pool_of_metallb_is_an_entry() -> None:
    result = brought(one=ONE)
    assert conflicts(result) == []
    assert yaml.safe_load(texts(result)["clusters/one.yaml"])["spec"]["uid"] == UID
    none = {"advertisement": {"type": "None"}}
    assert entries(result) == {
        "default": {
            "poolRefs": [{"name": "net-10-20-0-0"}],
            "addresses": ["10.20.0.0-10.20.0.15", "10.20.0.32-10.20.0.39"],
            "services": {"default": True},
            **none,
        },
        "edge-dmz": {
            "objectName": "edge.dmz",
            "poolRefs": [{"name": "net-10-20-1-10"}, {"name": "net-2001-db8-1"}],
            "addresses": ["10.20.1.10-10.20.1.19", "2001:db8:1::-2001:db8:1::ff"],
            "services": {"namespaces": ["edge"], "selector": {"matchLabels": {"a": "b"}}},
            "poolSpec": {"serviceAllocation": {"priority": 50}},
            "labels": {"zone": "dmz"},
            **none,
        },
        "manual": {
            "poolRefs": [{"name": "net-10-20-2-7"}],
            "addresses": ["10.20.2.7-10.20.2.7"],
            "avoidBuggyIPs": True,
            **none,
        },
    }
    assert bodies(result, "pools/")["net-10-20-0-0"] == {
        "addresses": ["10.20.0.0-10.20.0.15", "10.20.0.32-10.20.0.39"],
        "capacityLimit": "never",
    }
    head = "cluster one IPAddressPool"
    assert [it for it in result.notes if it.startswith(head)] == [
        f"{head} default: announced by L2Advertisement lan, which ipam does not change",
        f"{head} edge.dmz: announced by BGPAdvertisement uplink, which ipam does not change",
    ]


def test_several_clusters_share_a_network_and_later_ones_keep_its_pool() -> None:
    both = brought(one=ONE, two=TWO)
    assert conflicts(both) == []
    assert all(it.is_same for it in both.lines)
    first = brought(one=ONE)
    files = reconciled({**EMPTY, **first.files})
    later = brought(files, one=ONE, two=TWO)
    assert conflicts(later) == []
    assert set(later.files) == {"clusters/two.yaml", "pools/net-10-20-0-16.yaml"}
    assert all(it.is_same for it in later.lines)


def test_pools_that_all_serve_every_service_stay_so() -> None:
    found = entries(brought(two=TWO), "clusters/two.yaml")
    assert [(it["autoAssign"], "services" in it) for it in found.values()] == [(True, False)] * 2
    six = addresses("b", "2001:db8::/120")
    found = entries(brought(two=(TWO[0], six)), "clusters/two.yaml")
    assert [it["services"] for it in found.values()] == [{"default": True}] * 2


@pytest.mark.parametrize(
    "allocation",
    [
        {"priority": 10},
        {"namespaceSelectors": [{"matchLabels": {"a": "b"}}], "namespaces": ["c"]},
        {"serviceSelectors": [{"matchLabels": {"a": "b"}}, {"matchLabels": {"c": "d"}}]},
        {"serviceSelectors": [{}]},
    ],
)
@pytest.mark.parametrize("assigns", [True, False])
def test_an_allocation_without_a_field_of_its_own_is_written_unchanged(
    clusters: Clusters, allocation: dict[str, Any], assigns: bool
) -> None:
    objects = [
        addresses("default", "10.20.0.0/28", autoAssign=assigns, serviceAllocation=allocation)
    ]
    found = brought(one=objects)
    assert entries(found)["default"].get("autoAssign", False) is assigns
    files = rendered(evaluation_of(reconciled({**EMPTY, **found.files})))
    spec = yaml.safe_load(files["one/IPAddressPool/metallb-system.default.yaml"])["spec"]
    assert (spec.get("autoAssign", True), spec["serviceAllocation"]) == (assigns, allocation)
    adopted(clusters, *objects)


def test_a_named_network_is_the_pool_and_keeps_its_limit() -> None:
    result = brought(None, described("lan=10.20.0.0/16"), one=ONE)
    assert conflicts(result) == []
    pools = bodies(result, "pools/")
    assert pools["lan"] == {
        "addresses": ["10.20.0.0/16"],
        "useAllAddresses": True,
        "reserved": [{"addresses": ["10.20.255.255-10.20.255.255"]}],
    }
    assert pools["net-2001-db8-1"]["capacityLimit"] == "never"
    inner = brought(None, described("lan=10.20.0.0/24"), two=[TWO[0]])
    assert bodies(inner, "pools/") == {"lan": {"addresses": ["10.20.0.0/24"]}}


def test_pools_of_the_repository_are_used_and_others_are_added() -> None:
    files = {**EMPTY, "pools/lan.yaml": pool("lan", "[10.20.0.0/23]", useAllAddresses="true")}
    result = brought(files, one=ONE)
    assert conflicts(result) == []
    assert entries(result)["default"]["poolRefs"] == [{"name": "lan"}]
    assert set(bodies(result, "pools/")) == {"net-10-20-2-7", "net-2001-db8-1"}


def server_of(clusters: Clusters) -> FakeCluster:
    server = clusters.connect("prod-1", b"")
    assert isinstance(server, FakeCluster)
    return server


def adopted(clusters: Clusters, *objects: dict[str, Any]) -> None:
    """Import, reconcile, and adopt: no range moves, and no `spec` changes."""
    server = server_of(clusters)
    server.put({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "shop"}})
    for item in objects:
        server.put(deepcopy(item))
    before = deepcopy(clusters.objects["prod-1"])
    result = brought(**{"prod-1": objects})
    files = {**EMPTY, **result.files}
    assert (conflicts(result), codes(files)) == ([], [])
    assert {it.partition(" ")[0] for it in outcome(files).values()} == {"allocate"}
    tree = reconciled(files)
    applied = clusters.one(tree, adopt=True, enroll=frozenset(("prod-1",)))
    assert (failures(applied), applied.error) == ({}, "")
    after = clusters.objects["prod-1"]
    assert {ref: after[ref].get("spec") for ref in before} == {
        ref: item.get("spec") for ref, item in before.items()
    }
    assert not clusters.one(tree, "c").is_changed


@pytest.fixture
def clusters() -> Clusters:
    made = Clusters()
    made.unknown["prod-1"] = set()
    return made


def test_adopting_what_was_foundchanges_no_spec(clusters: Clusters) -> None:
    adopted(clusters, *(it for it in ONE if it is not HOME))


def test_adopting_pools_that_all_serve_every_service_changes_no_spec(clusters: Clusters) -> None:
    adopted(clusters, *TWO)


def test_an_advertisement_of_others_refuses_a_second_one(clusters: Clusters) -> None:
    server = server_of(clusters)
    for item in (DEFAULT, L2):
        server.put(deepcopy(item))
    found = brought(**{"prod-1": (DEFAULT, L2)})
    files = {**EMPTY, **found.files}
    path = "clusters/prod-1.yaml"
    files[path] = found.files[path].replace(b"type: None", b"type: BGP")
    applied = clusters.one(reconciled(files), adopt=True, enroll=frozenset(("prod-1",)))
    (error,) = failures(applied).values()
    assert error.startswith(
        "L2Advertisement lan, which has another owner, selects IPAddressPool default"
    )


def test_pools_of_cilium_are_entries() -> None:
    block = {"start": "10.20.0.10", "stop": "10.20.0.19"}
    found = {
        "apiVersion": "cilium.io/v2",
        "kind": "CiliumLoadBalancerIPPool",
        "metadata": {"name": "blue"},
        "spec": {"blocks": [block, {"cidr": "10.20.1.0/30"}], "disabled": True},
    }
    result = brought(one=[found])
    assert conflicts(result) == []
    assert yaml.safe_load(texts(result)["clusters/one.yaml"])["spec"]["controller"] == {
        "type": "Cilium"
    }
    assert entries(result)["blue"]["addresses"] == [
        "10.20.0.10-10.20.0.19", "10.20.1.0-10.20.1.3",
    ]  # fmt: skip
    files = rendered(evaluation_of(reconciled({**EMPTY, **result.files})))
    spec = yaml.safe_load(files["one/CiliumLoadBalancerIPPool/blue.yaml"])["spec"]
    assert spec["disabled"] is True
    said = conflicts(brought(one=[found, DEFAULT]))
    assert said == ["one.yaml: cluster one: the cluster has pools of Cilium and MetalLB"]


def test_another_namespace_of_the_controller_is_kept() -> None:
    moved = metallb("IPAddressPool", "a", "lb", addresses=["10.20.0.0/30"])
    document = yaml.safe_load(texts(brought(one=[moved]))["clusters/one.yaml"])
    assert document["spec"]["controller"] == {"type": "MetalLB", "metalLB": {"namespace": "lb"}}
    assert conflicts(brought(one=[moved, DEFAULT])) == [
        "one.yaml: cluster one: the cluster has IPAddressPools in several namespaces: lb, metallb-system"
    ]


def test_what_nobody_can_decide_is_a_conflict() -> None:
    assert conflicts(brought(one=[DEFAULT], two=[DEFAULT]))[0].startswith(
        "two.yaml:1: cluster two IPAddressPool default: 10.20.0.0-10.20.0.15 has two holders: two"
    )
    outside = conflicts(brought(one=[DEFAULT, service("far", "192.0.2.1")]))
    assert outside == [
        "one.yaml:13: cluster one Service shop/far: 192.0.2.1 is in use, but no pool of the cluster contains it"
    ]
    wrong = conflicts(brought(one=[addresses("a", "10.20.0.0/40")]))
    assert wrong[0].startswith("one.yaml:1: cluster one IPAddressPool a: ")
    assert brought(one=[HOME]).notes == ("cluster one: no CiliumLoadBalancerIPPool, IPAddressPool",)


def test_a_new_pool_of_a_described_cluster_is_a_conflict() -> None:
    files = reconciled({**EMPTY, **brought(one=[DEFAULT]).files})
    assert brought(files, one=[DEFAULT]).files == {}
    wider = deepcopy(DEFAULT)
    wider["spec"]["addresses"].append("10.20.0.48/30")
    result = brought(files, one=[wider, MANUAL])
    assert [it.partition(", which")[0] for it in conflicts(result)] == [
        "one.yaml: cluster one: pool default has 10.20.0.48-10.20.0.51",
        "one.yaml: cluster one: pool manual has 10.20.2.7",
    ]
    assert "addresses: [10.20.0.48-10.20.0.51]" in result.conflicts[0].hint


def test_rows_of_a_table_are_claims() -> None:
    rows = (
        "ip,name,namespace\n10.22.0.9,db-1,team-db\n10.22.0.20,db-1,team-db\n"
        "2001:db8::5,db-1,team-db\n10.22.0.255,gw,\n"
    )
    result = imported(table(rows), EMPTY)
    assert conflicts(result) == []
    assert bodies(result, "claims/") == {
        "db-1": {"poolRefs": [{"name": "net-10-22-0-9"}], "addresses": ["10.22.0.9-10.22.0.9"]},
        "db-1-10-22-0-20": {
            "poolRefs": [{"name": "net-10-22-0-9"}], "addresses": ["10.22.0.20-10.22.0.20"],
        },
        "db-1-2001-db8-5": {
            "poolRefs": [{"name": "net-2001-db8-5"}],
            "addresses": ["2001:db8::5-2001:db8::5"],
        },
        "gw": {"poolRefs": [{"name": "net-10-22-0-9"}], "addresses": ["10.22.0.255-10.22.0.255"]},
    }  # fmt: skip


def test_rows_with_a_type_are_known_when_they_are_foundagain() -> None:
    result = imported(table("ip,name,type\n10.22.0.9,web,loadbalancer\n10.22.0.8,,node\n"), EMPTY)
    assert (conflicts(result), len(result.lines)) == ([], 2)


def test_a_prefix_of_netbox_reserves_what_is_not_given_out() -> None:
    rows = netbox(
        '[{"prefix": "10.22.0.0/24", "description": "lan"}]',
        '[{"start_address": "10.22.0.10/24", "end_address": "10.22.0.99/24", "status": "active",'
        ' "role": "pool"}, {"start_address": "10.22.0.200/24", "end_address": "10.22.0.203/24",'
        ' "description": "nodes", "role": "nodes"}]',
    )
    result = imported(rows, EMPTY)
    assert conflicts(result) == []
    assert bodies(result, "pools/")["lan"] == {
        "addresses": ["10.22.0.0/24"],
        "reserved": [
            {
                "addresses": [
                    "10.22.0.1-10.22.0.9", "10.22.0.100-10.22.0.199", "10.22.0.204-10.22.0.254",
                ]
            }
        ],
    }  # fmt: skip


def test_clusters_of_one_name_are_a_conflict_and_one_has_its_uid() -> None:
    servers = [FakeCluster(name) for name in ("a", "b")]
    for server, item in zip(servers, TWO, strict=True):
        server.put(item)
    writer = writing(tree_of(EMPTY))
    one = looked([ImportSource(("", "one"), servers[0])], "", writer=writer)
    home = servers[0].get(Ref(NAMESPACE, "", "kube-system"))
    assert [it.uid for it in one.clusters] == [home and home["metadata"]["uid"]]
    both = looked([ImportSource(("", "one"), it) for it in servers], "", writer=writer)
    assert conflicts(both) == ["cluster one: another cluster has this name"]


FOREIGN = ("butler", "novaedge", "networkpool", "tenantcluster", "providerconfig", "proxyippool")


def test_the_command_writes_a_clean_repository_without_other_apis(
    tmp_path: Path, capsys: Capture
) -> None:
    repo = repository(tmp_path / "repo", EMPTY)
    (tmp_path / "one.yaml").write_text(yaml.safe_dump_all(ONE))
    (tmp_path / "two.yaml").write_text(yaml.safe_dump({"kind": "List", "items": [*TWO]}))
    paths = [str(tmp_path / "one.yaml"), str(tmp_path / "two.yaml")]
    words = ["import", "manifests", *paths, "--repo", str(repo)]
    ran = ipam(capsys, *words, "--pool", "lan=10.20.0.0/16")
    assert ran.code == 0, ran.out + ran.err
    again = ipam(capsys, *words)
    checked = ipam(capsys, "check", "--worktree", "--repo", repo)
    plan = ipam(capsys, "plan", "--worktree", "--repo", repo)
    assert (again.code, checked.code, plan.code) == (0, 0, 0)
    assert "Nothing to write." in again.out
    said = "".join(it.out + it.err for it in (ran, again, checked, plan)).lower()
    said += "".join(it.read_text("utf-8").lower() for it in repo.rglob("*.yaml"))
    assert [it for it in FOREIGN if it in said] == []
    for more in (["--tenants"], ["--metallb-pool", "one=default"]):
        wrong = ipam(capsys, *words, *more)
        assert (wrong.code, "hint: omit " in wrong.err) == (64, True)


def test_the_table_names_the_pool_of_each_range() -> None:
    both = addresses("web", "172.20.5.0/29", "198.51.100.16-198.51.100.19")
    networks = described("vlan205=172.20.5.0/24"), described("public=198.51.100.0/24")
    result = brought(None, *networks, one=[both])
    assert lines(result) == [
        "one loadbalancer public 198.51.100.16-198.51.100.19 198.51.100.16-198.51.100.19",
        "one loadbalancer vlan205 172.20.5.0-172.20.5.7 172.20.5.0-172.20.5.7",
    ]
    # Outside of the pool, the message names both pools. For a taken range, it names the holder.
    path = "pools/public.yaml"
    files = {**EMPTY, **result.files, path: pool("public", "[198.51.100.0/28]")}
    files["pools/vlan205.yaml"] = pool("vlan205", "[172.20.5.0/24]", useAllAddresses="true")
    (refused,) = (it for it in evaluation_of(files).plan.decisions if isinstance(it, Refuse))
    assert refused.message == (
        "pinned range 198.51.100.16-198.51.100.19 is outside the ranges of"
        " pool vlan205 (172.20.5.0-172.20.5.255) and pool public (198.51.100.0-198.51.100.15)"
    )
    files[path] = pool("public", "[198.51.100.0/24]")
    files["claims/a.yaml"] = claim("a", poolRefs="[{name: public}]", addresses="[198.51.100.17]")
    refusals = [it for it in evaluation_of(files).plan.decisions if isinstance(it, Refuse)]
    assert {it.reason for it in refusals} == {"pin-taken"}


@pytest.mark.parametrize("owner", ["prod-1", "default/prod-1", "Prod-1"])
def test_a_row_that_repeats_an_address_of_a_cluster_is_known(owner: str) -> None:
    first = brought(**{"prod-1": [DEFAULT]})
    for files in ({**EMPTY, **first.files}, reconciled({**EMPTY, **first.files})):
        rows = f"ip,cluster\n10.20.0.3,{owner}\n10.20.0.4-10.20.0.6,{owner}\n10.20.0.33,{owner}\n"
        result = imported(table(rows), files)
        assert (conflicts(result), result.files) == ([], {})
        assert "a.csv:2: 10.20.0.3 of prod-1 is already known" in result.notes


def test_a_row_of_another_owner_or_beyond_the_cluster_is_a_conflict() -> None:
    files = {**EMPTY, **brought(**{"prod-1": [DEFAULT]}).files}
    for row in ("10.20.0.3,web,,", "10.20.0.3,,prod-2,", "10.20.0.3,,prod-1,node"):
        (found,) = imported(table(f"ip,name,cluster,type\n{row}\n"), files).conflicts
        assert "10.20.0.3 has two holders" in found.message
        assert found.hint.startswith("set the column cluster of the row to prod-1")
    assert len(imported(table("ip,cluster\n10.20.0.14-10.20.0.17,prod-1\n"), files).conflicts) == 1


def test_a_service_outside_of_all_pools_needs_a_reservation_or_a_claim() -> None:
    objects = [DEFAULT, service("far", "192.0.2.1"), service("near", "10.20.0.2")]
    lan = pool("lan", "[192.0.2.0/24]")
    (found,) = brought({**EMPTY, "pools/lan.yaml": lan}, one=objects).conflicts
    assert "Service shop/far: 192.0.2.1 is in use, but in pool lan" in found.message
    reserved = pool("lan", "[192.0.2.0/24]", reserved=f"[{found.hint.partition(': ')[2]}]")
    assert conflicts(brought({**EMPTY, "pools/lan.yaml": reserved}, one=objects)) == []
    named = brought(None, described("lan=192.0.2.0/24"), one=objects)
    assert conflicts(named) == []
    assert bodies(named, "pools/")["lan"]["reserved"] == [
        {"addresses": ["192.0.2.1-192.0.2.1"], "description": "cluster one Service shop/far"}
    ]
    row = imported(table("ip,name\n192.0.2.1,far\n"), EMPTY)
    assert conflicts(brought({**EMPTY, **row.files}, one=objects)) == []
    # The pool of another cluster has the address, so one of the two is wrong.
    other = [addresses("a", "192.0.2.0/30")]
    assert len(brought({**EMPTY, **brought(two=other).files}, one=objects).conflicts) == 1
    assert len(brought(one=objects, two=other).conflicts) == 1


def test_notes_about_addresses_in_use_come_before_notes_about_pools() -> None:
    objects = [DEFAULT, L2, service("far", "192.0.2.1")]
    notes = brought(None, described("lan=192.0.2.0/24"), one=objects).notes
    assert notes[0] == "cluster one Service shop/far: in use, and not allocated: 192.0.2.1"
    assert any("announced by" in it for it in notes[1:])


def node(name: str, *ips: str) -> dict[str, Any]:
    every = [{"type": "InternalIP", "address": it} for it in ips]
    status = {"addresses": [*every, {"type": "Hostname", "address": name}]}
    return {"apiVersion": "v1", "kind": "Node", "metadata": {"name": name}, "status": status}


LEGACY = service("legacy")
LEGACY["spec"] = {"type": "ClusterIP", "externalIPs": ["192.0.2.200"]}
NODES = (node("n1", "192.0.2.11"), node("n2", "192.0.2.12", "10.20.0.2"), node("n3", "192.0.2.20"))
OTHERS = [DEFAULT, LEGACY, *NODES]


def test_addresses_of_nodes_and_external_ips_are_reserved_in_new_pools() -> None:
    NODES[2]["status"]["addresses"][0]["type"] = "ExternalIP"
    result = brought(None, described("lan=192.0.2.0/24"), one=OTHERS)
    assert conflicts(result) == []
    assert bodies(result, "pools/")["lan"]["reserved"] == [
        {
            "addresses": ["192.0.2.200-192.0.2.200"],
            "description": "cluster one Service shop/legacy",
        },
        {
            "addresses": ["192.0.2.11-192.0.2.12", "192.0.2.20-192.0.2.20"],
            "description": "cluster one Nodes",
        },
    ]
    # A cluster without pools also has nodes.
    assert bodies(brought(None, described("lan=192.0.2.0/24"), one=NODES), "pools/")["lan"]


def test_a_pool_that_allocates_addresses_of_nodes_is_a_conflict_unless_claims_have_them() -> None:
    lan = "pools/lan.yaml"
    files = {**EMPTY, lan: pool("lan", "[192.0.2.0/24]")}
    row = imported(table("ip,name\n192.0.2.12,db\n"), files)
    (found,) = brought({**files, **row.files}, one=OTHERS).conflicts
    ranges = ("192.0.2.11-192.0.2.11", "192.0.2.20-192.0.2.20", "192.0.2.200-192.0.2.200")
    block = f"{{addresses: [{', '.join(ranges)}]}}"
    assert found.hint == f"add to spec.reserved of the pool: {block}"
    assert (found.location.path, found.location.line > 1) == ("one.yaml", True)
    fixed = pool("lan", "[192.0.2.0/24]", reserved=f"[{block}]")
    assert conflicts(brought({**files, **row.files, lan: fixed}, one=OTHERS)) == []
    # The pool of another cluster has addresses of the nodes.
    (both,) = brought(one=[DEFAULT, *NODES], two=[addresses("a", "192.0.2.8/29")]).conflicts
    assert both.hint.startswith("correct the pool")


def test_addresses_of_nodes_outside_of_all_pools_are_one_note_per_cluster() -> None:
    near = node("n4", "10.20.0.99")
    result = brought(one=[*OTHERS, near])
    assert (conflicts(result), result.notes[:2]) == (
        [],
        (
            "cluster one Service shop/legacy: in use without a load balancer,"
            " and in no pool (reserve if you add a pool): 192.0.2.200",
            "cluster one Nodes: in use without a load balancer, and in no pool"
            " (reserve if you add a pool): 10.20.0.99, 192.0.2.11-192.0.2.12, 192.0.2.20",
        ),
    )
    assert (
        "# Reserve 10.20.0.99-10.20.0.99 (cluster one Nodes)\n"
        in texts(result)["pools/net-10-20-0-0.yaml"]
    )


def test_a_cluster_whose_nodes_cannot_be_listed_is_imported_with_a_note() -> None:
    def fault(_: str, what: Any) -> ClusterError | None:
        return UnauthorizedError("no right") if what == NODE else None

    server = FakeCluster(fault=fault)
    for item in (*ONE[1:-1], *NODES):
        server.put(deepcopy(item))
    found = looked([ImportSource(("", "one"), server)], "", writer=writing(tree_of(EMPTY)))
    assert conflicts(imported(found, EMPTY)) == []
    assert (
        "cluster one: Nodes cannot be listed: reserve their addresses in the pools" in found.notes
    )


def test_requests_of_pending_services_outside_of_their_pools_are_noted() -> None:
    asking = service("asking")
    asking["spec"]["loadBalancerIP"] = "192.0.2.9"
    pinned = service("pinned")
    pinned["metadata"]["annotations"] = {"metallb.io/loadBalancerIPs": "192.0.2.8,10.20.0.2"}
    result = brought(one=[DEFAULT, asking, pinned])
    assert (conflicts(result), result.notes[0]) == (
        [],
        "cluster one: Services request addresses outside of its pools:"
        " shop/asking (192.0.2.9) and shop/pinned (192.0.2.8)",
    )


def test_labels_of_other_tools_are_omitted_and_noted_once_with_the_annotations() -> None:
    flux, argo = "kustomize.toolkit.fluxcd.io", "argocd.argoproj.io"
    tools = (f"{flux}/name", f"{argo}/instance", "app.kubernetes.io/managed-by", "helm.sh/chart")
    pools = [addresses("a", "10.20.0.0/30"), addresses("b", "10.20.1.0/30")]
    for item in pools:
        item["metadata"] |= {
            "labels": {**dict.fromkeys(tools, "infra"), "app.kubernetes.io/part-of": "edge"},
            "annotations": {
                f"{flux}/prune": "disabled",
                "kubectl.kubernetes.io/last-applied-configuration": "{}",
            },
        }
    result = brought(one=pools)
    written = [it["labels"] for it in entries(result).values()]
    assert written == [{"app.kubernetes.io/part-of": "edge"}] * 2
    omitted = ", ".join(sorted((*tools, f"{flux}/prune")))
    assert [it for it in result.notes if flux in it] == [
        f"cluster one: labels and annotations of its pools are not imported: {omitted}"
    ]


WIDE = metallb("BGPAdvertisement", "wide", aggregationLength=28, aggregationLengthV6=124)
EDGE = addresses("edge", "10.20.9.0/29", "2001:db8:9::/126")
BESIDE = addresses("beside", "10.20.9.8/31")


def test_the_rest_of_an_announced_aggregate_is_reserved() -> None:
    networks = described("lan=10.20.9.0/27"), described("six=2001:db8:9::/120")
    result = brought(None, *networks, one=[EDGE, BESIDE, WIDE])
    assert conflicts(result) == []
    pools, by = bodies(result, "pools/"), {"description": "cluster one BGPAdvertisement wide"}
    assert pools["lan"]["reserved"][0] == {"addresses": ["10.20.9.10-10.20.9.15"], **by}
    assert pools["six"]["reserved"][0] == {"addresses": ["2001:db8:9::4-2001:db8:9::f"], **by}
    later = claim("web", poolRefs="[{name: lan}]", count=4)
    found = outcome({**EMPTY, **result.files, "claims/web.yaml": later})
    assert [it for name, it in found.items() if name.startswith("web/")] == [
        "allocate 10.20.9.16-10.20.9.19"
    ]


def test_a_pool_that_gives_out_an_announced_aggregate_is_a_conflict() -> None:
    lan = "pools/lan.yaml"
    files = {**EMPTY, lan: pool("lan", "[10.20.9.0/24]", useAllAddresses="true")}
    two = brought(files, two=[addresses("near", "10.20.9.12/30")])
    files = reconciled({**files, **two.files})
    objects = [addresses("edge", "10.20.9.0/29"), WIDE]
    (found,) = brought(files, one=objects).conflicts
    assert (
        "BGPAdvertisement wide: 10.20.9.8-10.20.9.15 is announced in an aggregate" in found.message
    )
    hint = "add to spec.reserved of the pool: {addresses: [10.20.9.8-10.20.9.11]}"
    assert found.hint == hint
    block = f"[{hint.partition(': ')[2]}]"
    fixed = pool("lan", "[10.20.9.0/24]", useAllAddresses="true", reserved=block)
    assert conflicts(brought({**files, lan: fixed}, one=objects)) == []


def test_an_aggregate_outside_of_all_pools_is_the_first_note() -> None:
    result = brought(one=[addresses("edge", "10.20.9.0/29"), WIDE])
    assert (conflicts(result), result.notes[0]) == (
        [],
        "cluster one BGPAdvertisement wide: announced in an aggregate,"
        " and in no pool (reserve if you add a pool): 10.20.9.8-10.20.9.15",
    )
    # Whoever widens the pool later reads only its file.
    text = texts(result)["pools/net-10-20-9-0.yaml"]
    assert "# Reserve 10.20.9.8-10.20.9.15 (cluster one BGPAdvertisement wide)\n" in text
    wrong = metallb("BGPAdvertisement", "wide", aggregationLength=40)
    assert conflicts(brought(one=[DEFAULT, wrong])) == [
        "one.yaml: cluster one: its pools or Services cannot be read"
    ]


def test_rows_of_load_balancers_without_their_cluster_are_noted() -> None:
    rows = table("ip,cluster,type\n10.20.0.3,prod-1,vip\n10.20.0.4,web,vip\n10.20.0.5,db,node\n")
    (note,) = (it for it in imported(rows, EMPTY).notes if "prod-1" in it)
    assert note.startswith("prod-1 and web: no ClusterTarget has these load-balancer addresses")
    files = {**EMPTY, **brought(**{"prod-1": [DEFAULT]}).files}
    known = imported(table("ip,cluster,type\n10.20.0.3,prod-1,vip\n"), files)
    assert [it for it in known.notes if "no ClusterTarget" in it] == []


def test_two_files_of_one_cluster_need_its_name(tmp_path: Path, capsys: Capture) -> None:
    repo = repository(tmp_path / "repo", EMPTY)
    paths = [tmp_path / f"{site}.prod-9.yaml" for site in ("dc1", "dc2")]
    for path, item in zip(paths, TWO, strict=True):
        path.write_text(yaml.safe_dump(item))
    words = ["import", "manifests", "--repo", str(repo), "--dry-run"]
    wrong = ipam(capsys, *words, *paths)
    assert wrong.code == 64
    assert f"{paths[0]} and {paths[1]} are both cluster prod-9" in wrong.err
    assert "NAME=PATH" in wrong.err
    assert ipam(capsys, *words, *(f"{it.name[:3]}={it}" for it in paths)).code == 0
    assert ipam(capsys, *words, *(f"prod-9={it}" for it in paths)).code == 0


def test_one_range_of_two_clusters_can_be_in_two_address_spaces(
    tmp_path: Path, capsys: Capture
) -> None:
    (found, *_) = brought(one=[DEFAULT], two=[DEFAULT]).conflicts
    assert "--address-space NAME (spec.addressSpace" in found.hint
    repo = repository(tmp_path / "repo", EMPTY)
    for name in ("one", "two"):
        (tmp_path / f"{name}.yaml").write_text(yaml.safe_dump_all([DEFAULT, service("web")]))
    words = ["import", "manifests", "--repo", str(repo)]
    assert ipam(capsys, *words, str(tmp_path / "one.yaml")).code == 0
    refused = ipam(capsys, *words, str(tmp_path / "two.yaml"))
    assert (refused.code, "--address-space NAME (spec.addressSpace" in refused.out) == (1, True)
    more = [*words, str(tmp_path / "two.yaml"), "--address-space", "lab"]
    assert ipam(capsys, *more).code == 0
    assert ipam(capsys, "check", "--worktree", "--repo", repo).code == 0
    assert "addressSpace: lab" in (repo / "pools/lab-net-10-20-0-0.yaml").read_text()
    assert "Nothing to write." in ipam(capsys, *more).out


def test_conflicts_of_manifests_name_file_and_line() -> None:
    text = yaml.safe_dump({"apiVersion": "v1", "kind": "List", "items": [service("web"), DEFAULT]})
    line = text[: text.index("kind: IPAddressPool")].count("\n")  # apiVersion is the line before
    found, rest = clusters_in([(("", name), f"{name}.yaml", text.encode()) for name in "ab"])
    made = looked([ImportSource(*it) for it in found.items()], "", writer=writing(tree_of(EMPTY)))
    first, *_ = conflicts(imported(made.with_more(rest), EMPTY))
    assert first.startswith(f"b.yaml:{line}: cluster b IPAddressPool default: 10.20.0.0-10.20.0.15")


def test_manifests_without_services_are_noted_once() -> None:
    note = "cluster one and cluster two: the files have no Services, so their use is not checked"
    assert [it for it in brought(one=[DEFAULT], two=TWO).notes if it.startswith(note)]
    assert not [it for it in brought(one=ONE).notes if "not checked" in it]


def test_ranges_of_others_are_reserved_as_ranges() -> None:
    files = {**EMPTY, "pools/lan.yaml": pool("lan", "[10.22.0.0/24]")}
    rows = "range,name,type\n10.22.0.100-10.22.0.149,office,dhcp\n"
    (found,) = imported(table(rows), files).conflicts
    listed = "[{addresses: [10.22.0.100-10.22.0.149]}]"
    assert found.hint == f"add to spec.reserved of the pool: {listed[1:-1]}"
    files["pools/lan.yaml"] = pool("lan", "[10.22.0.0/24]", reserved=listed)
    assert conflicts(imported(table(rows), files)) == []


def test_reserved_rows_of_one_pool_are_one_conflict_with_one_patch() -> None:
    pools = {
        "pools/lan.yaml": pool("lan", "[10.22.0.0/24]"),
        "pools/far.yaml": pool("far", "[10.30.0.0/24]"),
    }
    rows = "range,name,type\n10.22.0.100-10.22.0.149,office,dhcp\n10.22.0.8,router,reserved\n"
    rows += "10.30.0.4,router,reserved\n"
    lan, far = imported(table(rows), {**EMPTY, **pools}).conflicts
    assert lan.message.startswith(
        "10.22.0.100-10.22.0.149 is used by another system and 10.22.0.8 is"
    )
    assert (lan.location.line, far.location.line) == (2, 4)
    listed = "{addresses: [10.22.0.8-10.22.0.8, 10.22.0.100-10.22.0.149]}"
    assert lan.hint == f"add to spec.reserved of the pool: {listed}"
    pools["pools/lan.yaml"] = pool("lan", "[10.22.0.0/24]", reserved=f"[{listed}]")
    (left,) = imported(table(rows), {**EMPTY, **pools}).conflicts
    assert left.message == far.message


@pytest.mark.parametrize("text", ["ip,name\n10.0.0.5,web\n", "ip,name\n10.0.0.5,a: b\n"])
def test_a_table_that_is_read_as_manifests_names_the_command(text: str) -> None:
    _, found = clusters_in([(("", "a"), "a.csv", text.encode())])
    assert found.conflicts[0].hint.endswith("for a table, run ipam import csv a.csv")
