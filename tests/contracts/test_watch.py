"""Watches of clusters: the fake in memory, and a real API server."""

from collections.abc import Iterator
from contextlib import suppress
from itertools import islice

import pytest

from reconciler.apply.snapshot import live_of
from reconciler.kube.clusters import KubeClusters
from reconciler.kube.interface import Became, WatchableCluster, WatchEvent
from reconciler.loadbalancers.metallb.kinds import ADDRESS_POOL
from reconciler.model.errors import StaleError, UnreachableError
from reconciler.model.objects import SECRET, Ref
from tests.contracts.test_cluster import CLAIM, HERE, POOL, US, a_map, claim, named, pool
from tests.envtest.fixtures import CRDS
from tests.envtest.servers import ApiServer, Fleet
from tests.fake_cluster import FakeCluster

Pair = tuple[WatchableCluster, WatchableCluster]
OTHER = Ref(ADDRESS_POOL, HERE, "other")


def describe(changes: Iterator[WatchEvent], count: int) -> list[WatchEvent]:
    """The first changes but for bookmarks, which come whenever a server likes."""
    return list(islice((it for it in changes if it.became is not Became.BOOKMARK), count))


class Contract:
    """Each test gets a cluster in which nothing of its own is, twice: one writes, one watches."""

    @pytest.fixture
    def both(self) -> Pair:
        raise NotImplementedError

    def test_a_watch_tells_what_changed_since_a_list(self, both: Pair) -> None:
        cluster, watcher = both
        cluster.apply(pool("10.0.0.0/30"), US)
        since = watcher.list(ADDRESS_POOL, HERE).resource_version
        cluster.apply(pool("10.0.0.0/29"), US)
        cluster.create(a_map("one"))
        cluster.delete(POOL, live_of(cluster.get(POOL) or {}).uid)
        first, last = describe(watcher.watch(ADDRESS_POOL, HERE, since=since), 2)
        assert (first.became, last.became) == (Became.MODIFIED, Became.DELETED)
        assert first.manifest["spec"]["addresses"] == ["10.0.0.0/29"]
        assert first.manifest["kind"] == "IPAddressPool"

    def test_it_goes_on_from_the_newest_object_that_was_told(self, both: Pair) -> None:
        cluster, watcher = both
        since = watcher.list(ADDRESS_POOL).resource_version
        made = live_of(cluster.apply(pool("10.0.0.0/30"), US))
        cluster.apply(pool("10.1.0.0/30", ref=OTHER), US)
        (first,) = describe(watcher.watch(ADDRESS_POOL, since=since), 1)
        assert first.became is Became.ADDED
        assert first.manifest["metadata"]["resourceVersion"] == made.version
        (second,) = describe(watcher.watch(ADDRESS_POOL, since=made.version), 1)
        assert second.manifest["metadata"]["name"] == "other"

    def test_a_state_that_is_forgotten_is_told(self, both: Pair) -> None:
        _, watcher = both
        watcher.list(ADDRESS_POOL)
        with pytest.raises(StaleError):
            describe(watcher.watch(ADDRESS_POOL, since="1"), 1)

    def test_of_heads_nothing_but_the_metadata_comes(self, both: Pair) -> None:
        cluster, watcher = both
        secret = {**named(Ref(SECRET, HERE, "one")), "data": {"value": "YQ=="}}
        cluster.create(secret)
        listing = watcher.heads(SECRET, HERE)
        (head,) = [it for it in listing.items if it["metadata"]["name"] == "one"]
        assert (head["kind"], head["apiVersion"], "data" in head) == ("Secret", "v1", False)
        cluster.create({**secret, "metadata": {"name": "two", "namespace": HERE}})
        since = listing.resource_version
        (change,) = describe(watcher.watch(SECRET, HERE, since=since, heads=True), 1)
        assert change.manifest["metadata"]["name"] == "two"
        assert (change.manifest["kind"], "data" in change.manifest) == ("Secret", False)

    def test_a_deletion_is_reported_with_and_without_finalizers(self, both: Pair) -> None:
        cluster, watcher = both
        held = live_of(cluster.apply(claim(), US))
        free = live_of(cluster.apply({**claim(), **named(CLAIM._replace(name="free"))}, US))
        since = watcher.heads(CLAIM.resource, HERE).resource_version
        for made in (held, free):
            cluster.delete(made.ref, made.uid, made.version)
        cluster.merge(CLAIM, {"metadata": {"finalizers": None}}, US)
        changes = describe(watcher.watch(CLAIM.resource, HERE, since=since, heads=True), 3)
        assert [(it.became, it.manifest["metadata"]["name"]) for it in changes] == [
            (Became.MODIFIED, "one"),
            (Became.DELETED, "free"),
            (Became.DELETED, "one"),
        ]
        assert [it.manifest["metadata"]["uid"] for it in changes[1:]] == [free.uid, held.uid]

    def test_who_closes_the_connection_ends_the_watch(self, both: Pair) -> None:
        cluster, watcher = both
        since = watcher.list(ADDRESS_POOL).resource_version
        cluster.apply(pool("10.0.0.0/30"), US)
        changes = watcher.watch(ADDRESS_POOL, since=since)
        assert len(describe(changes, 1)) == 1
        watcher.close()
        with suppress(UnreachableError):
            assert describe(changes, 1) == []


class TestFakeCluster(Contract):
    """The one in memory."""

    @pytest.fixture
    def both(self) -> Pair:
        cluster = FakeCluster()
        return cluster, cluster


class TestApiServer(Contract):
    """A real one."""

    @pytest.fixture
    def both(self, server: ApiServer) -> Iterator[Pair]:
        server.wipe()
        server.namespace(HERE)
        clusters = KubeClusters(server.kubeconfig)
        cluster, watcher = clusters.management(), clusters.management()
        assert cluster is not None
        assert watcher is not None
        yield cluster, watcher
        cluster.close()
        watcher.close()


@pytest.fixture(scope="module")
def server(fleet: Fleet) -> Iterator[ApiServer]:
    fleet.start(["watched"])
    made = fleet.servers.pop("watched")
    made.install_crds(CRDS)
    made.install_crds(fleet.assets.crds["metallb"])
    yield made
    made.stop()
