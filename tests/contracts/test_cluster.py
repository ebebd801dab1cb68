"""Behavior of clusters that code relies on: the fake in memory, and a real API server."""

from collections.abc import Iterator
from typing import Any

import pytest

from reconciler.apply.snapshot import Live, live_of
from reconciler.families.butler.kinds import MACHINE, NETWORK_POOL
from reconciler.kube.clusters import KubeClusters
from reconciler.kube.interface import Cluster
from reconciler.kube.resources import IP_ALLOCATION
from reconciler.loadbalancers.metallb.kinds import ADDRESS_POOL
from reconciler.model.errors import (
    NoSuchKindError,
    NoSuchObjectError,
    OwnedError,
    StaleError,
    UnreachableError,
)
from reconciler.model.objects import CONFIG_MAP, NAMESPACE, WHO_AM_I, Manifest, Ref
from tests.envtest.fixtures import CRDS
from tests.envtest.servers import ApiServer, Fleet
from tests.fake_cluster import FakeCluster

US, THEM, HERE = "gitops-ipam", "helm", "metallb-system"
POOL = Ref(ADDRESS_POOL, HERE, "one")
CLAIM = Ref(IP_ALLOCATION, HERE, "one")
EDGE = Ref(NETWORK_POOL, HERE, "edge")
READY = {"reason": "Fine", "message": "m", "lastTransitionTime": "2026-02-15T10:00:30Z"}


def named(ref: Ref, **metadata: Any) -> dict[str, Any]:
    resource = ref.resource
    inside = {"namespace": ref.namespace} if ref.namespace else {}
    metadata = {"name": ref.name, **inside, **metadata}
    return {"apiVersion": resource.api_version, "kind": resource.kind, "metadata": metadata}


def pool(*addresses: str, ref: Ref = POOL, **spec: Any) -> dict[str, Any]:
    return {**named(ref), "spec": {"addresses": list(addresses), **spec}}


def claim(count: int = 4) -> dict[str, Any]:
    spec = {"poolRef": {"name": "edge"}, "type": "nodes", "count": count}
    spec["tenantClusterRef"] = {"namespace": "a", "name": "b"}
    return {**named(CLAIM, finalizers=["example.com/hold"]), "spec": spec}


def edge(*types: str, **status: Any) -> dict[str, Any]:
    conditions = [{"type": name, "status": "True", **READY} for name in types]
    said = {"conditions": conditions} if types else {}
    return {**named(EDGE), "spec": {"cidr": "10.0.0.0/24"}, "status": {**said, **status}}


def a_map(name: str, labels: dict[str, str] | None = None, **data: str) -> dict[str, Any]:
    return {**named(Ref(CONFIG_MAP, HERE, name), labels=labels or {}), "data": data}


def managers(live: Live) -> list[str]:
    return [entry["manager"] for entry in live.metadata["managedFields"]]


def owners(live: Live, *path: str) -> list[str]:
    """Return the owners of a field."""
    found = []
    for entry in live.metadata["managedFields"]:
        node: Any = entry["fieldsV1"]
        for step in path:
            node = None if node is None else node.get(f"f:{step}")
        found += [] if node is None else [entry["manager"]]
    return sorted(found)


@pytest.fixture(scope="module")
def server(fleet: Fleet) -> Iterator[ApiServer]:
    """An API server with our CRDs and MetalLB's."""
    fleet.start(["contract"])
    made = fleet.servers.pop("contract")
    made.install_crds(CRDS)
    made.install_crds(fleet.assets.crds["metallb"])
    yield made
    made.stop()


class Contract:
    """Each test gets a cluster in which nothing of its own is."""

    @pytest.fixture
    def cluster(self) -> Cluster:
        raise NotImplementedError

    def test_what_is_applied_is_there(self, cluster: Cluster) -> None:
        assert cluster.get(POOL) is None
        made = live_of(cluster.apply(pool("10.0.0.0/30"), US))
        assert made.manifest["spec"]["addresses"] == ["10.0.0.0/30"]
        assert made.generation == 1
        assert (made.ref, managers(made), made.dying_since) == (POOL, [US], "")
        assert owners(made, "spec", "addresses") == [US]
        found = cluster.get(POOL)
        assert found is not None
        assert (live_of(found).uid, live_of(found).version) == (made.uid, made.version)

    def test_a_write_of_nothing_changes_nothing(self, cluster: Cluster) -> None:
        made = live_of(cluster.apply(pool("10.0.0.0/30"), US))
        again = live_of(cluster.apply(pool("10.0.0.0/30"), US, force=True))
        assert again.version == made.version
        assert again.metadata["managedFields"] == made.metadata["managedFields"]
        assert live_of(cluster.merge(POOL, {}, US)).version == made.version

    def test_another_spec_is_another_generation_and_labels_are_not(self, cluster: Cluster) -> None:
        made = live_of(cluster.apply(pool("10.0.0.0/30"), US))
        label = {**named(POOL, labels={"a": "b"}), "spec": {"addresses": ["10.0.0.0/30"]}}
        labelled = live_of(cluster.apply(label, US))
        assert (labelled.generation, labelled.labels) == (1, {"a": "b"})
        assert labelled.version != made.version
        grown = live_of(cluster.apply(pool("10.0.0.0/29"), US))
        assert (grown.generation, grown.labels, grown.uid) == (2, {}, made.uid)

    def test_a_field_of_others_is_refused_until_it_is_forced(self, cluster: Cluster) -> None:
        cluster.apply(pool("10.0.0.0/30"), THEM)
        with pytest.raises(OwnedError) as refused:
            cluster.apply(pool("10.0.0.0/29"), US)
        assert refused.value.owners == ((THEM, "spec.addresses"),)
        forced = live_of(cluster.apply(pool("10.0.0.0/29"), US, force=True))
        assert owners(forced, "spec", "addresses") == [US]

    def test_what_both_say_both_own(self, cluster: Cluster) -> None:
        cluster.apply(pool("10.0.0.0/30"), THEM)
        both = live_of(cluster.apply(pool("10.0.0.0/30"), US))
        assert owners(both, "spec", "addresses") == [US, THEM]
        left = live_of(cluster.apply({**named(POOL), "spec": {"autoAssign": False}}, THEM))
        assert left.manifest["spec"]["addresses"] == ["10.0.0.0/30"]
        assert owners(left, "spec", "addresses") == [US]

    def test_what_is_not_said_any_more_goes_and_what_others_said_stays(
        self, cluster: Cluster
    ) -> None:
        cluster.apply(pool("10.0.0.0/30", avoidBuggyIPs=True), US)
        theirs = {**named(POOL, labels={"team": "a"}), "spec": {"autoAssign": False}}
        cluster.apply(theirs, THEM, force=True)
        now = live_of(cluster.apply(pool("10.0.0.0/30"), US))
        assert now.manifest["spec"].get("avoidBuggyIPs") in (None, False)
        assert (now.manifest["spec"]["autoAssign"], now.labels) == (False, {"team": "a"})

    def test_a_merge_takes_a_field_from_who_had_it(self, cluster: Cluster) -> None:
        cluster.apply(pool("10.0.0.0/30"), US)
        live = live_of(cluster.merge(POOL, {"spec": {"addresses": ["10.0.0.0/29"]}}, "edit"))
        assert owners(live, "spec", "addresses") == ["edit"]
        assert (live.generation, managers(live).count("edit")) == (2, 1)
        label = {"metadata": {"labels": {"a": "b", "c": None}}}
        assert live_of(cluster.merge(POOL, label, "edit")).labels == {"a": "b"}

    def test_body_and_status_are_written_apart(self, cluster: Cluster) -> None:
        made = live_of(cluster.apply(edge("Ready"), US))
        assert made.status.get("conditions") in (None, [])
        said = live_of(cluster.apply(edge("Ready", totalIPs=8), US, status=True))
        assert (said.status["totalIPs"], said.generation) == (8, 1)
        (entry,) = [it for it in said.metadata["managedFields"] if it.get("subresource")]
        who = (entry["subresource"], entry["manager"], entry["operation"])
        assert who == ("status", US, "Apply")
        assert live_of(cluster.apply(edge(), US)).status["totalIPs"] == 8

    def test_conditions_are_known_by_their_type(self, cluster: Cluster) -> None:
        cluster.apply(edge(), US)
        cluster.apply(edge("Ready"), US, status=True)
        both = live_of(cluster.apply(edge("Checked"), THEM, status=True))
        assert [item["type"] for item in both.status["conditions"]] == ["Ready", "Checked"]
        other = edge("Ready")
        other["status"]["conditions"][0]["status"] = "False"
        with pytest.raises(OwnedError) as refused:
            cluster.apply(other, THEM, status=True)
        assert refused.value.owners == ((US, 'status.conditions[type="Ready"].status'),)

    def test_only_the_object_that_was_read_is_written(self, cluster: Cluster) -> None:
        made = live_of(cluster.apply(pool("10.0.0.0/30"), US))
        other = {**named(POOL, uid="11111111-2222-3333-4444-555555555555"), "spec": {}}
        with pytest.raises(StaleError):
            cluster.apply(other, US)
        mine = named(POOL, uid=made.uid)
        cluster.apply({**mine, "spec": {"addresses": ["10.0.0.0/29"]}}, US)
        patch = {"metadata": {"resourceVersion": made.version, "uid": made.uid}}
        with pytest.raises(StaleError):
            cluster.merge(POOL, patch, US)

    def test_an_object_that_is_gone_is_not_made_anew_by_its_uid(self, cluster: Cluster) -> None:
        made = live_of(cluster.apply(pool("10.0.0.0/30"), US))
        cluster.delete(POOL, made.uid, made.version)
        assert cluster.get(POOL) is None
        cluster.delete(POOL, made.uid)
        with pytest.raises(StaleError):
            cluster.apply({**named(POOL, uid=made.uid), "spec": {"addresses": ["10.0.0.1/32"]}}, US)
        with pytest.raises(NoSuchObjectError):
            cluster.merge(POOL, {}, US)

    def test_only_the_object_that_was_read_is_deleted(self, cluster: Cluster) -> None:
        made = live_of(cluster.apply(pool("10.0.0.0/30"), US))
        with pytest.raises(StaleError):
            cluster.delete(POOL, "11111111-2222-3333-4444-555555555555")
        cluster.apply(pool("10.0.0.0/29"), US)
        with pytest.raises(StaleError):
            cluster.delete(POOL, made.uid, made.version)
        assert cluster.get(POOL) is not None

    def test_a_finalizer_holds_what_is_deleted(self, cluster: Cluster) -> None:
        made = live_of(cluster.apply(claim(), US))
        assert made.finalizers == ("example.com/hold",)
        cluster.delete(CLAIM, made.uid, made.version)
        found = cluster.get(CLAIM)
        assert found is not None
        dying = live_of(found)
        assert (dying.uid, bool(dying.dying_since)) == (made.uid, True)
        patch = {"metadata": {"resourceVersion": dying.version, "finalizers": []}}
        cluster.merge(CLAIM, patch, US)
        assert cluster.get(CLAIM) is None

    def test_what_is_created_is_created_once(self, cluster: Cluster) -> None:
        made = live_of(cluster.create(a_map("one", a="b")))
        assert made.manifest["data"] == {"a": "b"}
        with pytest.raises(StaleError):
            cluster.create(a_map("one", a="c"))
        merged = cluster.merge(made.ref, {"data": {"a": None, "c": "d"}}, US)
        assert merged["data"] == {"c": "d"}

    def test_lists_are_of_a_kind_a_namespace_labels_and_fields(self, cluster: Cluster) -> None:
        for name, labels in (("one", {"x": "1"}), ("two", {"x": "2"}), ("three", {"y": "1"})):
            cluster.create(a_map(name, labels))

        def names(**query: str) -> list[str]:
            found = cluster.list(CONFIG_MAP, HERE, **query).items
            return sorted(item["metadata"]["name"] for item in found)

        assert names(labels="x") == ["one", "two"]
        assert names(labels="x=2") == ["two"]
        assert names(labels="x", fields="metadata.name=one") == ["one"]
        assert names(fields="metadata.name=none") == []
        assert {item["kind"] for item in cluster.list(CONFIG_MAP).items} == {"ConfigMap"}
        assert [*cluster.list(CONFIG_MAP, "nowhere").items] == []

    def test_a_kind_that_is_not_known_is_told(self, cluster: Cluster) -> None:
        ref = Ref(MACHINE, HERE, "one")
        with pytest.raises(NoSuchKindError):
            cluster.list(MACHINE)
        with pytest.raises(NoSuchKindError):
            cluster.get(ref)
        with pytest.raises(NoSuchKindError):
            cluster.apply({**named(ref), "spec": {}}, US)

    def test_a_namespace_has_to_be_there(self, cluster: Cluster) -> None:
        there = Ref(CONFIG_MAP, "contract-new", "one")
        with pytest.raises(NoSuchObjectError):
            cluster.create({**named(there), "data": {}})
        assert cluster.get(there) is None
        cluster.apply(named(Ref(NAMESPACE, "", "contract-new")), US)
        assert cluster.create({**named(there), "data": {}})["metadata"]["uid"]

    def test_a_status_needs_its_object_and_a_review_is_stored_nowhere(
        self, cluster: Cluster
    ) -> None:
        with pytest.raises(NoSuchObjectError):
            cluster.apply(edge(totalIPs=8), US, status=True)
        asked = {"apiVersion": WHO_AM_I.api_version, "kind": WHO_AM_I.kind}
        told: Manifest = cluster.create(asked)
        assert told["status"]["userInfo"]["username"]

    def test_requests_are_counted_and_the_clock_is_the_servers(self, cluster: Cluster) -> None:
        assert (cluster.now(), sum(cluster.requests())) == (0, 0)
        cluster.list(ADDRESS_POOL, HERE)
        cluster.delete(POOL, live_of(cluster.apply(pool("10.0.0.0/30"), US)).uid)
        assert cluster.requests() == (1, 1, 1)
        assert cluster.now() > 1_700_000_000
        assert cluster.version().startswith("v1.")

    def test_nobody_waits_beyond_the_deadline(self, cluster: Cluster) -> None:
        cluster.pause(0.01)
        with pytest.raises(UnreachableError):
            cluster.pause(1_000_000)
        cluster.extend(2_000_000)
        for limit, seconds in ((0.0, 0.01), (60.0, 61.0)):
            cluster.limit(None)
            cluster.pause(0.01)
            cluster.limit(limit)
            with pytest.raises(UnreachableError):
                cluster.pause(seconds)
        cluster.close()

    def test_a_list_tells_of_which_state_it_is(self, cluster: Cluster) -> None:
        before = cluster.list(ADDRESS_POOL, HERE)
        made = live_of(cluster.apply(pool("10.0.0.0/30"), US))
        after = cluster.list(ADDRESS_POOL, HERE)
        assert (len(before.items), len(after.items)) == (0, 1)
        assert int(before.resource_version) < int(made.version) <= int(after.resource_version)


class TestFakeCluster(Contract):
    """The one in memory."""

    @pytest.fixture
    def cluster(self) -> Cluster:
        return FakeCluster()


class TestApiServer(Contract):
    """A real one."""

    @pytest.fixture
    def cluster(self, server: ApiServer) -> Cluster:
        server.wipe()
        server.namespace(HERE)
        made = KubeClusters(server.kubeconfig).management()
        assert made is not None
        return made
