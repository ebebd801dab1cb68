"""Objects created in the management cluster: copies, addresses, Events, and deletion."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from reconciler.apply.fleet import apply_fleet
from reconciler.apply.intake import MIN_DELETIONS
from reconciler.apply.intake_run import IntakeLook, look_for_intake, remember_intake
from reconciler.apply.rights import crd_name
from reconciler.apply.targets import ApplyOptions
from reconciler.documents.yaml import dump
from reconciler.families.capi.kinds import CLASSES, CLUSTERS, GLOBAL_POOLS
from reconciler.model.change import FileChange
from reconciler.model.errors import ClusterError, IdentityError, UnauthorizedError
from reconciler.model.objects import CRD, EVENT, Manifest, Ref, Resource
from reconciler.planning.evaluate import Evaluation
from tests.apply.execution.site import results
from tests.fake_cluster import HUB, FakeCluster
from tests.fake_clusters import FakeClusters, is_in
from tests.families.capi.hub import SHOP, shop
from tests.families.live import VIP
from tests.world import evaluation_of

SETTINGS = """apiVersion: gitops-ipam.dev/v1alpha1
kind: Settings
metadata: {name: ipam}
spec:
  intake: [{kind: GlobalInClusterIPPool}, {kind: ClusterClass}, {kind: Cluster}]
"""
KINDS = (GLOBAL_POOLS, CLASSES, CLUSTERS)
COPY = "observed/Cluster.cluster.x-k8s.io/default/shop.yaml"
OPTIONS = ApplyOptions()


def manifest(resource: Resource, name: str, spec: Any, **metadata: Any) -> dict[str, Any]:
    place = {"namespace": "default"} if resource.is_namespaced else {}
    return {
        "apiVersion": resource.api_version,
        "kind": resource.kind,
        "metadata": {"name": name, **place, **metadata},
        "spec": spec,
    }


@dataclass
class World:
    """A repository as files, and a management cluster in which people work with kubectl."""

    clusters: FakeClusters
    files: dict[str, str | bytes] = field(default_factory=lambda: {"ipam.yaml": SETTINGS})
    named: str = ""

    @property
    def hand(self) -> FakeCluster:
        return self.clusters.hand(HUB)

    def evaluation(self) -> Evaluation:
        return evaluation_of(self.files, self.clusters.clock)

    def commit(self, changes: Any) -> None:
        for path, data in changes:
            self.files = {**self.files, path: data}
        self.files = {path: data for path, data in self.files.items() if data is not None}

    def look(self, options: ApplyOptions = OPTIONS) -> IntakeLook:
        """Observe the cluster, commit, and store the state."""
        look = look_for_intake(self.evaluation(), self.clusters, options, self.named)
        self.commit(look.taken.changes)
        if look.taken.changes:
            self.named = look.taken.seen
        remember_intake(look, self.clusters, options)
        return look

    def apply(self) -> dict[str, Any]:
        self.commit(self.evaluation().changes)
        found = apply_fleet(self.evaluation(), self.clusters, OPTIONS, is_in)
        return {item.cluster: item for item in found}


def fill(hand: FakeCluster) -> None:
    """Create CRDs, two pools, a class, and a Cluster, like a person."""
    for resource in KINDS:
        definition = {"apiVersion": CRD.api_version, "kind": CRD.kind, "spec": {}}
        hand.put({**definition, "metadata": {"name": crd_name(resource)}})
    for role, first in (("control-plane", 10), ("ingress", 100)):
        labels = {f"{VIP}cluster-class": "web", f"{VIP}role": role}
        spec = {"addresses": [f"10.0.0.{first}-10.0.0.{first + 5}"], "prefix": 24}
        hand.put(manifest(GLOBAL_POOLS, role, spec, labels=labels))
    hand.put(manifest(CLASSES, "web", {"variables": [{"name": "clusterVip", "schema": {}}]}))
    hand.put(shop())


@pytest.fixture
def world(clusters: FakeClusters) -> World:
    found = World(clusters)
    fill(found.hand)
    return found


@pytest.fixture
def served(world: World) -> World:
    """The Cluster has its addresses."""
    world.look()
    assert not [name for name, it in results(world.apply()[HUB]).items() if it == "failed"]
    world.look()
    return world


def there(world: World, ref: Ref = SHOP) -> Manifest:
    found = world.hand.get(ref)
    assert found is not None
    return found


def test_a_pool_that_is_deleted_stays_in_git_while_records_hold_its_addresses(
    served: World,
) -> None:
    pool = "observed/GlobalInClusterIPPool.ipam.cluster.x-k8s.io/_/ingress.yaml"
    served.hand.objects.pop(Ref(GLOBAL_POOLS, "", "ingress"))
    served.look()
    served.clusters.clock += MIN_DELETIONS
    held = served.look().taken
    assert held.changes == ()
    assert "_/ingress was deleted in the management cluster, but records hold" in held.held[0]
    assert [it.severity for it in served.evaluation().findings] == []
    served.files = {
        path: data for path, data in served.files.items() if not path.startswith("allocations/")
    }
    assert served.look().taken.changes == (FileChange(pool, None),)


def test_a_cluster_that_comes_back_under_the_same_name_keeps_its_addresses(served: World) -> None:
    served.hand.delete(SHOP, there(served)["metadata"]["uid"])
    served.look()
    served.hand.put(shop())
    served.clusters.clock += MIN_DELETIONS
    (change,) = served.look().taken.changes
    assert change.path == COPY
    served.apply()
    assert there(served)["spec"]["controlPlaneEndpoint"]["host"] == "10.0.0.10"


def refuses(kind: Resource, error: ClusterError) -> Callable[[str, Any], ClusterError | None]:
    return lambda verb, what: error if verb == "list" and what == kind else None


def gone_for_long(world: World) -> World:
    """The Cluster was deleted, and ten minutes have passed."""
    world.hand.delete(SHOP, there(world)["metadata"]["uid"])
    world.look()
    world.clusters.clock += MIN_DELETIONS
    return world


def test_a_file_that_nobody_can_read_takes_no_copy_away(served: World) -> None:
    held = [path for path in served.files if path.startswith("allocations/")]
    wrong = shop()
    wrong["spec"]["topology"]["class"] = 7
    served.files["clusters/shop.yaml"] = dump(wrong)
    assert served.evaluation().changes == ()
    assert served.look().taken.changes == ()
    del served.files["clusters/shop.yaml"]
    served.apply()
    assert held
    assert {COPY, *held} <= served.files.keys()


def test_a_kind_without_its_crd_is_no_proof(served: World) -> None:
    gone_for_long(served)
    ref = Ref(CRD, "", crd_name(CLUSTERS))
    served.hand.delete(ref, there(served, ref)["metadata"]["uid"])
    assert "the CRD is not established" in served.look().taken.notes[0]
    assert COPY in served.files


def test_a_management_cluster_with_another_identity_is_refused(served: World) -> None:
    gone_for_long(served)
    objects = served.clusters.objects[HUB]
    home = next(ref for ref in objects if ref.name == "kube-system")
    objects[home]["metadata"]["uid"] = "another"
    with pytest.raises(IdentityError):
        served.look()
    accept = ApplyOptions(enroll=frozenset(["management"]))
    assert served.look(accept).taken.changes == ()


def test_who_made_a_wrong_object_is_told_once(world: World) -> None:
    world.apply()  # the inventory
    bad = manifest(CLUSTERS, "bad", {"controlPlaneEndpoint": {"host": "10.0.0.300"}})
    world.hand.put(bad)
    assert len(world.look().taken.rejected) == 1
    events = [ref for ref in world.clusters.objects[HUB] if ref.resource == EVENT]
    assert len(events) == 1
    assert there(world, events[0])["reason"] == "IPAMRejected"
    assert world.look().taken.events == ()


def test_apply_says_what_is_not_in_git_and_not_taken_in(world: World) -> None:
    labels = {f"{VIP}cluster-class": "web", f"{VIP}role": "control-plane"}
    own = manifest(GLOBAL_POOLS, "own", {"addresses": ["10.0.9.1"], "prefix": 24}, labels=labels)
    world.files = {"pools/own.yaml": dump(own)}
    world.hand.put({**shop(), "metadata": {"name": "blog", "namespace": "default"}})
    assert world.apply()[HUB].notes == (
        "2 GlobalInClusterIPPools are not in Git and allocate nothing; see intake in Settings",
        "2 Clusters are not in Git and get no VIP; see intake in Settings",
    )
    world.clusters.faults[HUB] = refuses(CLUSTERS, UnauthorizedError("403"))
    assert len(world.apply()[HUB].notes) == 1
