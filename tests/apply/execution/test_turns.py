"""Who waits for whom: a cluster that shall get addresses waits for those that may have them."""

from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event

import pytest

from reconciler.apply.fleet import apply_fleet, in_turn
from reconciler.apply.plan import Applied, ClusterState
from reconciler.apply.targets import ApplyOptions
from reconciler.kube.resources import ADDRESS_POOL
from reconciler.model.errors import UnreachableError
from reconciler.model.objects import Manifest, Ref
from tests.apply.execution.site import FIRST, SECOND, Files, evaluated, world
from tests.fake_cluster import FakeCluster
from tests.fake_clusters import FakeClusters

POOL = Ref(ADDRESS_POOL, "metallb-system", "default-pool")
BLOG = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: ClusterTarget\nmetadata: {name: blog}\n"


@dataclass
class Silent(FakeCluster):
    """A cluster that does not answer before another one is done."""

    done: Event = field(default_factory=Event)
    waited: list[bool] = field(default_factory=list)

    def get(self, ref: Ref) -> Manifest | None:
        self.waited.append(self.done.wait(10))
        raise UnreachableError(f"read {ref}: no answer")


@dataclass
class Watched(FakeCluster):
    """A cluster of which is told when it has got its pool."""

    done: Event = field(default_factory=Event)

    def apply(
        self, manifest: Manifest, manager: str, *, force: bool = False, status: bool = False
    ) -> Manifest:
        now = super().apply(manifest, manager, force=force, status=status)
        if manifest["kind"] == "IPAddressPool":
            self.done.set()
        return now


@dataclass
class Waiting(FakeClusters):
    """A country in which one does not answer before web has got its pool."""

    silent: str = ""
    done: Event = field(default_factory=Event)
    waited: list[bool] = field(default_factory=list)

    def opener(self, cluster: str) -> FakeCluster:
        if cluster == self.silent:
            return Silent(cluster, done=self.done, waited=self.waited)
        return Watched(cluster, done=self.done) if cluster == FIRST else FakeCluster(cluster)

    def all(self, files: Files, revision: str) -> dict[str, Applied]:
        self.done.clear()
        found = apply_fleet(
            evaluated(files, revision), self, ApplyOptions(), lambda old, new: old <= new
        )
        return {item.cluster: item for item in found}


@pytest.fixture
def country() -> Waiting:
    """Shop has the range that web gets when shop is gone."""
    made = Waiting()
    made.all(world("web", "shop"), "a")
    assert made.announced(SECOND) == ["10.0.0.0-10.0.0.3"]
    return made


def test_a_dead_cluster_does_not_delay_one_that_waits_for_another(country: Waiting) -> None:
    """Web gets the range of shop; blog, which has no part in it, answers only when web is done."""
    country.silent = "blog"
    applied = country.all(world("web", **{"clusters/blog.yaml": BLOG}), "b")
    assert country.waited == [True]
    assert applied["blog"].state is ClusterState.UNREACHABLE
    assert country.announced(SECOND) is None
    assert country.announced(FIRST) == ["10.0.0.0-10.0.0.3"]


def test_who_waits_for_a_dead_cluster_does_not_get_its_addresses(country: Waiting) -> None:
    class Away(Waiting):
        def opener(self, cluster: str) -> FakeCluster:
            self.done.set()
            return super().opener(cluster)

    away = Away(country.objects, silent=SECOND)
    applied = away.all(world("web"), "b")
    assert applied[SECOND].state is ClusterState.UNREACHABLE
    assert "may still announce 10.0.0.0-10.0.0.3" in applied[FIRST].outcomes[0].error
    assert away.announced(FIRST) is None


# The order alone


def turns(
    after: Mapping[str, tuple[str, ...]], *, width: int = 4
) -> tuple[dict[str, str], list[str]]:
    """What each of five saw of those that it waited for, and who was done in which order."""
    order: list[str] = []

    def work(name: str, done: Mapping[str, str]) -> str:
        if name == "bad":
            raise ValueError(name)
        order.append(name)
        return f"{name}({','.join(sorted(done.values()))})"

    with ThreadPoolExecutor(width) as pool:
        begun = in_turn(pool, ["a", "b", "c", "d", "bad"], after, work)
        found = {name: future.result() for name, future in begun.items() if name != "bad"}
    return found, order


def test_two_that_wait_for_each_other_do_not_wait_for_ever() -> None:
    assert turns({"a": ("b",), "b": ("a", "c")})[0] == {
        "a": "a()",
        "b": "b(c())",
        "c": "c()",
        "d": "d()",
    }
