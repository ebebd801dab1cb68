"""Entries of ClusterTargets in clusters without a management cluster."""

from copy import deepcopy

import pytest

from reconciler.kube.interface import Cluster as Connection
from reconciler.model.applied import Applied
from tests.apply.execution.site import Files, failures
from tests.fake_cluster import FakeCluster
from tests.fake_clusters import FakeClusters
from tests.families.plain.examples import BOTH, TWO_REFS, cluster, entry, files, pool
from tests.world import reconciled

A = "prod-1"
KINDS = ("IPAddressPool", "L2Advertisement", "BGPAdvertisement", "CiliumLoadBalancerIPPool")


class Clusters(FakeClusters):
    """Clusters without a management cluster."""

    def management(self) -> Connection | None:
        raise AssertionError("not needed")

    def one(self, tree: Files, revision: str = "b", **options: object) -> Applied:
        found = self.run(tree, revision, repository="1" * 40, **options)
        return found[A]

    def specs(self) -> dict[str, object]:
        return {
            f"{ref.resource.kind} {ref.name}": item["spec"]
            for ref, item in self.objects[A].items()
            if ref.resource.kind in KINDS
        }


@pytest.fixture
def clusters() -> Clusters:
    made = Clusters()
    made.unknown[A] = set()
    return made


BGP = "{type: BGP, bgp: {communities: ['65000:100']}}"


def test_each_entry_is_a_pool_of_its_own(clusters: Clusters) -> None:
    inner = entry(count=4, services="{default: true}", advertisement="{type: L2}")
    dmz = entry(
        "dmz", count=2, poolRefs=TWO_REFS, services="{namespaces: [edge]}", advertisement=BGP
    )
    tree = reconciled(files(cluster(inner, dmz), pools=BOTH))
    applied = clusters.one(tree, enroll=frozenset((A,)))
    assert (failures(applied), applied.error) == ({}, "")
    specs = clusters.specs()
    (four, six) = specs["IPAddressPool dmz"]["addresses"]  # type: ignore[index]
    assert (":" in four, ":" in six) == (False, True)
    assert specs["IPAddressPool dmz"]["serviceAllocation"] == {"namespaces": ["edge"]}  # type: ignore[index]
    assert specs["BGPAdvertisement dmz"] == {
        "ipAddressPools": ["dmz"], "communities": ["65000:100"],
    }  # fmt: skip
    assert specs["L2Advertisement internal"] == {"ipAddressPools": ["internal"]}
    assert not clusters.one(tree, "c", policies=True).is_failed
    told = str(clusters.objects[A]).lower()
    assert [name for name in ("butler", "novaedge") if name in told] == []
    assert not clusters.one(tree, "c").is_changed
    clusters.use(A, four.partition("-")[0])
    gone = reconciled({**tree, **files(cluster(inner), pools=BOTH)})
    waiting = clusters.one(gone, "d")
    (note,) = waiting.notes
    assert "IPAddressPool dmz keeps" in note
    assert "Service default/shop uses" in note
    assert (waiting.is_failed, clusters.specs()) == (False, specs)
    without = {path: text for path, text in gone.items() if path != "clusters/prod-1.yaml"}
    waiting = clusters.one(reconciled(without), "e")
    assert "Service default/shop uses" in str(waiting.notes)
    kept = {name: spec for name, spec in specs.items() if name.endswith(" dmz")}
    assert (waiting.is_failed, clusters.specs()) == (False, kept)


def test_a_refused_object_name_can_be_removed_again(clusters: Clusters) -> None:
    first = files(cluster(entry(count=4)))
    tree = reconciled(first)
    clusters.one(tree, enroll=frozenset((A,)))
    specs = clusters.specs()
    clusters.use(A, "10.22.0.1")
    renamed = reconciled({**tree, **files(cluster(entry(count=4, objectName="web")))})
    (failed,) = failures(clusters.one(renamed, "c")).values()
    assert "use the name internal in the repository again" in failed
    undone = clusters.one(reconciled({**renamed, **first}), "d")
    assert (failures(undone), clusters.specs()) == ({}, specs)


def test_a_cluster_with_cilium_has_a_pool_with_a_block_for_each_record(clusters: Clusters) -> None:
    dmz = entry("dmz", count=2, services="{namespaces: [edge]}")
    tree = reconciled(files(cluster(dmz, controller="{type: Cilium}")))
    applied = clusters.one(tree, enroll=frozenset((A,)))
    assert (failures(applied), applied.error) == ({}, "")
    wider = files(cluster(dmz.replace("count: 2", "count: 6"), controller="{type: Cilium}"))
    clusters.one(reconciled({**tree, **wider}), "c")
    (spec,) = clusters.specs().values()
    assert len(spec["blocks"]) == 2  # type: ignore[index]
    clusters.one(
        reconciled({**tree, "clusters/prod-1.yaml": cluster(controller="{type: Cilium}")}), "d"
    )
    assert clusters.specs() == {}


def test_a_live_pool_keeps_a_pinned_range_whose_claim_is_refused(clusters: Clusters) -> None:
    """The address .0 of the pool's CIDR is its network address."""
    both = ["10.22.0.0-10.22.0.15", "10.22.0.32-10.22.0.39"]
    live = {
        "apiVersion": "metallb.io/v1beta1",
        "kind": "IPAddressPool",
        "metadata": {"name": "p", "namespace": "metallb-system"},
        "spec": {"addresses": both, "autoAssign": False},
    }
    server = clusters.connect(A, b"")
    assert isinstance(server, FakeCluster)
    server.put(deepcopy(live))
    tree = reconciled(files(cluster(entry("p", addresses=f'["{both[0]}", "{both[1]}"]'))))
    for revision in ("b", "c"):
        applied = clusters.one(tree, revision, enroll=frozenset((A,)), adopt=True)
        (failed,) = failures(applied).values()
        assert failed == (
            "10.22.0.0-10.22.0.15 is not withdrawn: a claim pins 10.22.0.0-10.22.0.15, but is"
            " refused; run ipam check"
        )
        assert clusters.specs() == {"IPAddressPool p": live["spec"]}
    free = {"pools/pools.yaml": pool(useAllAddresses="true")}
    applied = clusters.one(reconciled({**tree, **free}), "d", adopt=True)
    assert failures(applied) == {}
    assert clusters.specs() == {"IPAddressPool p": live["spec"]}


def test_a_range_of_cilium_in_use_keeps_its_block_while_others_come_and_go(
    clusters: Clusters,
) -> None:
    def reconciled_with(tree: Files, *sizes: int) -> Files:
        listed = [entry(f"e{at}", count=it) for at, it in enumerate(sizes)]
        return reconciled({**tree, **files(cluster(*listed, controller="{type: Cilium}"))})

    tree = reconciled_with({}, 4, 4)
    clusters.one(tree, enroll=frozenset((A,)))
    clusters.use(A, "10.22.0.1")
    blocks = [{"start": "10.22.0.1", "stop": "10.22.0.4"}]

    def first() -> object:
        return clusters.specs()["CiliumLoadBalancerIPPool e0"]["blocks"]  # type: ignore[index]

    assert first() == blocks
    tree = reconciled_with(tree, 8, 4)
    clusters.one(tree, "c")
    more = {"start": "10.22.0.9", "stop": "10.22.0.12"}
    assert first() == [*blocks, more]
    gone = reconciled({**tree, **files(cluster(controller="{type: Cilium}"))})
    (note,) = clusters.one(gone, "d").notes
    assert "CiliumLoadBalancerIPPool e0 keeps" in note
    assert list(clusters.specs()) == ["CiliumLoadBalancerIPPool e0"]
    assert first() == [*blocks, more]


def test_a_broken_file_elsewhere_does_not_keep_a_removed_entry(clusters: Clusters) -> None:
    server = clusters.connect(A, b"")
    assert isinstance(server, FakeCluster)
    both = cluster(entry(count=2), entry("dmz", count=2))
    tree = reconciled(files(both))
    clusters.one(tree, enroll=frozenset((A,)))
    removed = reconciled({**tree, "clusters/prod-1.yaml": cluster(entry(count=2))})
    applied = clusters.one({**removed, "claims/other.yaml": "kind: Nothing\n"}, "b")
    assert (failures(applied), applied.is_failed) == ({}, False)
    assert list(clusters.specs()) == ["IPAddressPool internal"]
