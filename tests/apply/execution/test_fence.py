"""What git cannot tell of one cluster is that cluster's failure: it is left alone, others are not."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from reconciler.apply.fleet import apply_fleet
from reconciler.apply.inventory import NAME
from reconciler.apply.plan import Applied, ClusterState
from reconciler.apply.targets import ApplyOptions
from reconciler.kube.resources import ADDRESS_POOL
from reconciler.model.errors import GitError
from reconciler.model.objects import CONFIG_MAP, Ref, Resource
from tests.apply.execution.site import FIRST, SECOND, Files, evaluated, world
from tests.fake_cluster import HUB, FakeCluster
from tests.fake_clusters import FakeClusters

HISTORY = "abc"
STRANGE = "f" * 40
FILES = world("web", "shop")
POOL = Ref(ADDRESS_POOL, "metallb-system", "default-pool")


def is_in(ancestor: str, revision: str) -> bool:
    """As a whole clone answers: what contains a revision that is not here cannot be told."""
    if revision[0] not in HISTORY:
        raise GitError(f"git merge-base: Not a valid commit name {revision}")
    return 0 <= HISTORY.find(ancestor[0]) <= HISTORY.find(revision[0])


def broken(_ancestor: str, _revision: str) -> bool:
    raise GitError("git merge-base took over 60 seconds")


def apply(
    country: FakeClusters, revision: str, files: Files = FILES, git: Any = is_in, **options: Any
) -> dict[str, Applied]:
    found = apply_fleet(evaluated(files, revision), country, ApplyOptions(**options), git)
    return {item.cluster: item for item in found}


def inventory(country: FakeClusters, cluster: str) -> dict[str, str]:
    namespace = "butler-system" if cluster == HUB else "metallb-system"
    data: dict[str, str] = country.objects[cluster][Ref(CONFIG_MAP, namespace, NAME)]["data"]
    return data


@pytest.fixture
def country() -> FakeClusters:
    """Everything is applied, as of the first revision."""
    made = FakeClusters()
    states = [item.state for item in apply(made, "a").values()]
    assert states == [ClusterState.APPLIED] * 3
    return made


def test_a_cluster_that_a_revision_nobody_knows_changed_is_left_alone(
    country: FakeClusters,
) -> None:
    """It may be newer than this clone: nothing is withdrawn, and the others are applied."""
    inventory(country, SECOND)["revision"] = STRANGE
    applied = apply(country, "b", world("web"))
    assert applied[SECOND].state is ClusterState.REFUSED
    assert applied[SECOND].error == (
        "ffffffffffff was applied last, and may be newer than bbbbbbbbbbbb:"
        f" git merge-base: Not a valid commit name {STRANGE}"
    )
    assert applied[SECOND].hint == (
        "another repository, or too shallow a clone? if it is meant: --re-enrol team-a/shop"
    )
    assert POOL in country.objects[SECOND]
    assert (applied[HUB].state, applied[FIRST].state) == (
        ClusterState.APPLIED,
        ClusterState.APPLIED,
    )


def test_it_is_worked_on_when_a_person_says_so(country: FakeClusters) -> None:
    inventory(country, SECOND)["revision"] = STRANGE
    applied = apply(country, "b", world("web"), re_enrol=frozenset([SECOND]))
    assert applied[SECOND].state is ClusterState.APPLIED
    assert POOL not in country.objects[SECOND]


def test_what_was_done_is_remembered_when_git_fails_on_one_cluster(country: FakeClusters) -> None:
    inventory(country, SECOND)["revision"] = STRANGE

    def flaky(ancestor: str, revision: str) -> bool:
        return broken("", "") if STRANGE in (ancestor, revision) else is_in(ancestor, revision)

    applied = apply(country, "b", git=flaky)
    assert applied[SECOND].state is ClusterState.REFUSED
    assert "took over 60 seconds" in applied[SECOND].error
    known = inventory(country, HUB)
    assert known["revision"] == "b" * 40
    assert known["cluster.team-a.web"].split()[1] == "b" * 40
    assert known["cluster.team-a.shop"].split()[1] == "a" * 40


class Failing(FakeCluster):
    """A connection on which something comes up that is no cluster's failure."""

    failure: Exception

    def list(
        self, resource: Resource, namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> Any:
        raise self.failure


@dataclass
class WithFailure(FakeClusters):
    """A country in which something comes up in the work on the second cluster."""

    failure: Exception = field(default_factory=RuntimeError)

    def opener(self, cluster: str) -> FakeCluster:
        if cluster != SECOND:
            return FakeCluster(cluster)
        failing = Failing(cluster)
        failing.failure = self.failure
        return failing


def test_what_was_done_is_remembered_when_something_ends_the_run(country: FakeClusters) -> None:
    with pytest.raises(GitError, match="the repository is gone"):
        apply(WithFailure(country.objects, failure=GitError("the repository is gone")), "b")
    assert inventory(country, HUB)["cluster.team-a.web"].split()[1] == "b" * 40


class Late(FakeCluster):
    """A management cluster in which another run notes something while this one runs."""

    meanwhile: Mapping[str, str]

    def extend(self, seconds: float) -> None:  # the last thing that is done before noting
        del seconds
        self.merge(Ref(CONFIG_MAP, "butler-system", NAME), {"data": self.meanwhile}, "other")


@dataclass
class Overtaken(FakeClusters):
    """A country in which another run is quicker."""

    def opener(self, cluster: str) -> FakeCluster:
        if cluster != HUB:
            return FakeCluster(cluster)
        late = Late(cluster)
        note = f"uid {STRANGE} default 10.0.0.0-10.0.0.3"
        late.meanwhile = {"revision": STRANGE, "cluster.team-a.shop": note}
        return late


def test_what_a_run_noted_meanwhile_that_git_does_not_know_stays(country: FakeClusters) -> None:
    apply(Overtaken(country.objects), "b")
    known = inventory(country, HUB)
    assert known["revision"] == STRANGE
    assert STRANGE in known["cluster.team-a.shop"]
    assert known["cluster.team-a.web"].split()[1] == "b" * 40


def test_what_another_root_of_the_repository_put_there_is_left_alone(country: FakeClusters) -> None:
    before = {name: dict(objects) for name, objects in country.objects.items()}
    (applied,) = apply(country, "b", world("web"), root="net/one").values()
    assert (applied.state, applied.cluster) == (ClusterState.REFUSED, "management")
    assert applied.error == "the top of the repository was applied last, and this is root 'net/one'"
    assert "--re-enrol management" in applied.hint
    assert {name: dict(objects) for name, objects in country.objects.items()} == before


def test_a_root_that_moved_is_taken_on_when_a_person_says_so(country: FakeClusters) -> None:
    names = frozenset({"management"})
    moved = apply(country, "b", root="net/one", re_enrol=names)
    assert [item.state for item in moved.values()] == [ClusterState.APPLIED] * 3
    for cluster in (HUB, FIRST, SECOND):
        assert inventory(country, cluster)["root"] == "net/one"
    assert [it.state for it in apply(country, "c", root="net/one").values()] == [
        ClusterState.APPLIED
    ] * 3
    (refused,) = apply(country, "c").values()
    assert refused.error == "root 'net/one' was applied last, and this is the top of the repository"
    back = apply(country, "c", re_enrol=names)
    assert [item.state for item in back.values()] == [ClusterState.APPLIED] * 3
    assert inventory(country, FIRST)["root"] == ""
    assert [item.state for item in apply(country, "c").values()] == [ClusterState.APPLIED] * 3
