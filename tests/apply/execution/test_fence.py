"""If Git cannot verify the revision of a cluster, only that cluster fails, without changes."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from reconciler.apply.fleet import apply_fleet
from reconciler.apply.inventory import NAME
from reconciler.apply.targets import ApplyOptions
from reconciler.model.applied import Applied, ClusterState
from reconciler.model.errors import GitError
from reconciler.model.objects import CONFIG_MAP, Ref
from tests.apply.execution.site import FIRST, SECOND, evaluated, world
from tests.fake_cluster import HUB, FakeCluster
from tests.fake_clusters import POOL, FakeClusters, is_in

STRANGE = "9" * 40
FILES = world("web", "shop")


def states(applied: Mapping[str, Applied]) -> set[ClusterState]:
    return {item.state for item in applied.values()}


@pytest.fixture
def clusters() -> FakeClusters:
    """Everything is applied, as of the second revision."""
    made = FakeClusters()
    assert states(made.apply(FILES, "b")) == {ClusterState.APPLIED}
    return made


def by(clusters: FakeClusters, git: Any) -> dict[str, Applied]:
    """Return the result of each cluster for an answer of Git."""
    found = apply_fleet(evaluated(FILES, "c"), clusters, ApplyOptions(), git)
    return {item.cluster: item for item in found}


def test_a_cluster_that_a_revision_nobody_knows_changed_is_left_alone_until_a_person_says_so(
    clusters: FakeClusters,
) -> None:
    """It can be newer than this clone: nothing is withdrawn, and the others are applied."""
    clusters.inventory(SECOND)["revision"] = STRANGE
    applied = clusters.run(world("web"), "c")
    assert applied[SECOND].state is ClusterState.REFUSED
    assert applied[SECOND].error == (
        "999999999999 was applied last, and might be newer than cccccccccccc:"
        f" git merge-base: Not a valid commit name {STRANGE}"
    )
    assert applied[SECOND].hint.endswith("--enroll team-a/shop")
    assert POOL in clusters.objects[SECOND]
    assert {applied[HUB].state, applied[FIRST].state} == {ClusterState.APPLIED}
    applied = clusters.run(world("web"), "c", enroll=frozenset([SECOND]))
    assert applied[SECOND].state is ClusterState.APPLIED
    assert POOL not in clusters.objects[SECOND]


def test_an_older_revision_is_refused_once_a_newer_one_is_applied(clusters: FakeClusters) -> None:
    (applied,) = clusters.run(world("web"), "a").values()
    assert (applied.cluster, applied.state) == (HUB, ClusterState.REFUSED)
    assert applied.error == "bbbbbbbbbbbb is already applied, and newer than aaaaaaaaaaaa"
    assert POOL in clusters.objects[SECOND]


def test_a_history_that_does_not_hold_what_was_applied_is_refused(clusters: FakeClusters) -> None:
    """Another repository does not describe the existing objects, and would delete all of them."""
    (applied,) = by(clusters, lambda _old, _new: False).values()
    error = "bbbbbbbbbbbb was applied last, and cccccccccccc does not contain it"
    assert (applied.cluster, applied.state, applied.error) == (HUB, ClusterState.REFUSED, error)
    clusters.inventory(HUB)["revision"] = STRANGE
    assert states(clusters.run(world(), "c")) == {ClusterState.REFUSED}
    clusters.run(FILES, "c", enroll=frozenset([HUB]))
    assert clusters.inventory(HUB)["revision"] == "c" * 40


def test_a_late_run_does_not_give_back_what_a_newer_one_withdrew(clusters: FakeClusters) -> None:
    """The late one read the management cluster before the newer one wrote it."""
    memory = dict(clusters.inventory(HUB))
    clusters.run(world("web"), "d")
    assert clusters.announced(SECOND) is None
    clusters.inventory(HUB).update(memory)
    applied = clusters.run(FILES, "c")[SECOND]
    assert applied.state is ClusterState.REFUSED
    assert applied.error == "dddddddddddd is already applied, and newer than cccccccccccc"
    assert clusters.announced(SECOND) is None


def test_what_was_done_is_remembered_when_git_fails_on_one_cluster(clusters: FakeClusters) -> None:
    clusters.inventory(SECOND)["revision"] = STRANGE

    def flaky(ancestor: str, revision: str) -> bool:
        if STRANGE in (ancestor, revision):
            raise GitError("git merge-base took over 60 seconds")
        return is_in(ancestor, revision)

    applied = by(clusters, flaky)
    assert applied[SECOND].state is ClusterState.REFUSED
    assert "took over 60 seconds" in applied[SECOND].error
    known = clusters.inventory(HUB)
    assert known["revision"] == "c" * 40
    assert known["cluster.team-a.web"].split()[1] == "c" * 40
    assert known["cluster.team-a.shop"].split()[1] == "b" * 40


def test_what_was_done_is_remembered_when_something_ends_the_run(clusters: FakeClusters) -> None:
    def gone(verb: str, _what: Any) -> None:
        if verb == "list":
            raise GitError("the repository is gone")

    clusters.faults[SECOND] = gone
    with pytest.raises(GitError, match="the repository is gone"):
        clusters.apply(FILES, "c")
    assert clusters.inventory(HUB)["cluster.team-a.web"].split()[1] == "c" * 40


@dataclass
class Late(FakeCluster):
    """A management cluster in which another run notes something while this one runs."""

    meanwhile: Mapping[str, str] = field(default_factory=dict)

    def extend(self, seconds: float) -> None:  # the last thing that is done before noting
        del seconds
        if self.meanwhile:
            self.merge(Ref(CONFIG_MAP, "butler-system", NAME), {"data": self.meanwhile}, "other")


def test_what_a_run_noted_meanwhile_that_git_does_not_know_stays(clusters: FakeClusters) -> None:
    note = f"uid {STRANGE} default 10.0.0.0-10.0.0.3"
    other = {HUB: {"revision": STRANGE, "cluster.team-a.shop": note}}

    class Overtaken(FakeClusters):
        def opener(self, cluster: str) -> FakeCluster:
            return Late(cluster, meanwhile=other.get(cluster, {}))

    Overtaken(clusters.objects).apply(FILES, "c")
    known = clusters.inventory(HUB)
    assert known["revision"] == STRANGE
    assert STRANGE in known["cluster.team-a.shop"]
    assert known["cluster.team-a.web"].split()[1] == "c" * 40


def test_a_root_that_moved_is_left_alone_until_a_person_says_so(clusters: FakeClusters) -> None:
    def refusal(files: Any, revision: str, **options: Any) -> str:
        before = {name: dict(objects) for name, objects in clusters.objects.items()}
        (refused,) = clusters.run(files, revision, **options).values()
        assert (refused.state, refused.cluster) == (ClusterState.REFUSED, HUB)
        assert "--enroll management" in refused.hint
        assert {name: dict(objects) for name, objects in clusters.objects.items()} == before
        return refused.error

    error = (
        "the top of the repository was applied last, but this is root 'net/one' of the repository"
    )
    assert refusal(world("web"), "c", root="net/one") == error
    meant = {"enroll": frozenset({HUB})}
    assert states(clusters.run(FILES, "c", root="net/one", **meant)) == {ClusterState.APPLIED}
    assert {clusters.inventory(name)["root"] for name in (HUB, FIRST, SECOND)} == {"net/one"}
    assert states(clusters.run(FILES, "d", root="net/one")) == {ClusterState.APPLIED}
    error = (
        "root 'net/one' of the repository was applied last, but this is the top of the repository"
    )
    assert refusal(FILES, "d") == error
    assert states(clusters.run(FILES, "d", **meant)) == {ClusterState.APPLIED}
    assert clusters.inventory(FIRST)["root"] == ""
    assert states(clusters.run(FILES, "d")) == {ClusterState.APPLIED}
