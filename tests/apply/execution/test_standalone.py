"""Clusters without a management cluster: identity, write access, and order."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest

from reconciler.apply.expiry import still_announced
from reconciler.apply.inventory import NAME
from reconciler.apply.targets import ApplyOptions
from reconciler.kube.interface import Cluster
from reconciler.model.applied import Applied, ClusterState
from reconciler.model.errors import GitError, UnreachableError
from reconciler.model.objects import CONFIG_MAP, Ref
from reconciler.model.plan import Refuse
from tests.apply.execution.site import Files, evaluated, failures
from tests.fake_cluster import FakeCluster
from tests.fake_clusters import POOL, FakeClusters
from tests.toy import STANDALONE, installed
from tests.world import CLOCK, reconciled

QUAY = """\
apiVersion: harbour.example/v1
kind: Quay
metadata: {name: quay, labels: {side: north}}
spec: {cidr: 10.0.0.0/27}
"""
FIRST, SECOND = "1" * 40, "2" * 40
A, B = "prod-1", "prod-2"
INVENTORY = Ref(CONFIG_MAP, "kube-system", NAME)


def target(name: str, uid: str = "") -> str:
    spec = f"spec: {{uid: {uid}}}\n" if uid else ""
    head = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: ClusterTarget\n"
    return f"{head}metadata: {{name: {name}}}\n{spec}"


def boat(cluster: str, address: str) -> str:
    head = "apiVersion: harbour.example/v1\nkind: Boat\n"
    spec = f"{{quay: {{side: north}}, address: {address}}}"
    return f"{head}metadata: {{name: b{address[-1]}, namespace: {cluster}}}\nspec: {spec}\n"


def fleet(uids: dict[str, str] | None = None, **addresses: str) -> dict[str, str | bytes]:
    """Return a reconciled tree of two clusters. `prod_N` lists the last octets of each."""
    files: dict[str, str | bytes] = {"pools/quay.yaml": QUAY}
    files |= {f"clusters/{it}.yaml": target(it, (uids or {}).get(it, "")) for it in (A, B)}
    for name, numbers in addresses.items():
        cluster = name.replace("_", "-")
        texts = [boat(cluster, f"10.0.0.{number}") for number in numbers.split()]
        files[f"tenants/{cluster}.yaml"] = "---\n".join(texts)
    return reconciled(files)


@dataclass
class Standalone(FakeClusters):
    """Clusters without a management cluster.

    Attributes:
        repository: The first commit of the applied repository.
        swapped: Clusters whose kubeconfig connects to another one.
    """

    repository: str = FIRST
    swapped: dict[str, str] = field(default_factory=dict)

    def management(self) -> Cluster | None:
        raise AssertionError("not needed")

    def connect(self, cluster: str, kubeconfig: bytes, *, is_named: bool = False) -> Cluster:
        return super().connect(self.swapped.get(cluster, cluster), kubeconfig, is_named=is_named)

    def apply(self, files: Files, revision: str = "a", **options: Any) -> dict[str, Applied]:
        return super().apply(files, revision, **{"repository": self.repository, **options})

    def inventory(self, cluster: str) -> dict[str, str]:
        data: dict[str, str] = self.objects[cluster][INVENTORY]["data"]
        return data

    def uid(self, cluster: str) -> str:
        (uid,) = (
            str(it["metadata"]["uid"])
            for ref, it in self.hand(cluster).objects.items()
            if ref.name == "kube-system"
        )
        return uid


@pytest.fixture(autouse=True)
def _toy() -> Iterator[None]:
    with installed(STANDALONE):
        yield


@pytest.fixture
def clusters() -> Standalone:
    return Standalone()


@pytest.fixture
def applied(clusters: Standalone) -> Standalone:
    """Two enrolled clusters with an address each."""
    found = clusters.run(fleet(prod_1="1", prod_2="2"), "b", enroll=frozenset((A, B)))
    assert states(found) == {A: "applied", B: "applied"}
    return clusters


def states(applied: dict[str, Applied]) -> dict[str, str]:
    return {name: item.state.value for name, item in applied.items()}


def test_a_cluster_that_is_not_known_is_refused_until_its_uid_is_in_git_or_it_is_enrolled(
    clusters: Standalone,
) -> None:
    files = fleet(prod_1="1")
    found = clusters.run(files)
    assert states(found) == {A: "refused", B: "refused"}
    uid = clusters.uid(A)
    assert found[A].error == f"the identity of the cluster is unknown: kube-system has uid {uid}"
    assert f"spec.uid: {uid}" in found[A].hint
    assert "--enroll prod-1" in found[A].hint
    assert INVENTORY not in clusters.objects[A]
    bound = fleet({A: uid}, prod_1="1")
    assert states(clusters.run(bound)) == {A: "applied", B: "refused"}
    assert states(clusters.run(files, "b")) == {A: "applied", B: "refused"}


def test_the_inventory_names_repository_cluster_revision_and_ranges(applied: Standalone) -> None:
    data = applied.inventory(A)
    uid = applied.uid(A)
    assert data.items() >= {
        ("repository", FIRST), ("root", ""), ("uid", uid), ("revision", "b" * 40),
        ("cluster._prod-1", f"{uid} {'b' * 40} default 10.0.0.1-10.0.0.1"),
    }  # fmt: skip
    assert data["objects"].startswith("metallb.io/IPAddressPool/metallb-system/default-pool ")
    assert applied.announced(A) == ["10.0.0.1-10.0.0.1"]


def test_a_second_run_writes_nothing_and_a_new_revision_one_line(applied: Standalone) -> None:
    files = fleet(prod_1="1", prod_2="2")
    applied.run(files, "b")
    assert [item.writes() for item in applied.opened] == [[]] * 4
    applied.run(files, "c")
    assert applied.last(A).writes() == ["merge gitops-ipam-inventory"]
    assert applied.inventory(A)["revision"] == "c" * 40


def test_a_swapped_kubeconfig_changes_nothing(applied: Standalone) -> None:
    """Each of two kubeconfigs connects to the other cluster, with and without uids in Git."""
    applied.swapped = {A: B, B: A}
    before = {name: dict(objects) for name, objects in applied.objects.items()}
    found = applied.run(fleet(prod_1="3", prod_2="4"), "c")
    assert states(found) == {A: "refused", B: "refused"}
    assert found[A].error == f"the cluster is prod-2: kube-system has uid {applied.uid(B)}"
    uids = {name: applied.uid(name) for name in (A, B)}
    found = applied.run(fleet(uids, prod_1="3", prod_2="4"), "c")
    assert states(found) == {A: "refused", B: "refused"}
    assert f"has uid {uids[B]}, expected {uids[A]}" in found[A].error
    assert applied.objects == before
    released = fleet(prod_2="2")  # the range stays reserved, because a wrong cluster was asked
    doubts = still_announced(evaluated(expiring(released), clock=LATER), applied, ApplyOptions())
    assert all(": the cluster is prod-2" in why for why in doubts.values())
    assert doubts


def test_both_names_of_one_cluster_are_refused_though_both_are_enrolled(
    clusters: Standalone,
) -> None:
    clusters.swapped = {A: B}
    found = clusters.run(fleet(prod_1="1", prod_2="2"), enroll=frozenset((A, B)))
    assert sorted(states(found).values()) == ["applied", "refused"]
    (refused,) = (item for item in found.values() if item.state is ClusterState.REFUSED)
    assert "the kubeconfig reaches the cluster of prod-" in refused.error


def test_a_uid_that_another_cluster_has_in_git_is_refused(applied: Standalone) -> None:
    applied.swapped = {B: A}
    files = fleet({A: applied.uid(A)}, prod_1="1", prod_2="2")
    applied.unnamed = (A,)  # not part of this run
    found = applied.run(files, "c", enroll=frozenset((B,)))
    assert found[B].error.startswith("the kubeconfig reaches the cluster of prod-1")


@pytest.mark.parametrize("is_there", [False, True], ids=["without kubeconfig", "kubeconfig"])
def test_a_stated_uid_does_not_take_an_enrolled_cluster(
    clusters: Standalone, *, is_there: bool
) -> None:
    clusters.unnamed = (A,)
    clusters.run(fleet(prod_2="2"), "b", enroll=frozenset((B,)))
    clusters.swapped, clusters.unnamed = {A: B}, () if is_there else (A,)
    found = clusters.run(fleet({A: clusters.uid(B)}, prod_1="1", prod_2="2"), "c")
    assert states(found) == {A: "refused" if is_there else "waiting", B: "applied"}
    if is_there:
        assert found[A].error.startswith("the kubeconfig reaches the cluster of prod-2")


def test_a_cluster_that_has_the_entry_of_another_one_in_git_is_refused(applied: Standalone) -> None:
    applied.swapped, applied.unnamed = {B: A}, (A,)
    files = fleet(prod_1="1", prod_2="2")
    found = applied.run(files, "c", enroll=frozenset((B,)))
    assert found[B].error.startswith("the kubeconfig reaches the cluster of prod-1")
    renamed = {k: v for k, v in fleet(prod_2="1").items() if A not in k}
    found = applied.run(renamed, "c", enroll=frozenset((B,)))
    assert states(found) == {B: "applied"}
    assert set(applied.inventory(A)) >= {"cluster._prod-2"}
    assert "cluster._prod-1" not in applied.inventory(A)


def test_of_two_repositories_on_one_cluster_the_second_is_refused_until_it_takes_over(
    applied: Standalone,
) -> None:
    applied.repository = SECOND
    before = {name: dict(objects) for name, objects in applied.objects.items()}
    files = fleet(prod_1="9")
    found = applied.run(files, "9")
    assert states(found) == {A: "refused", B: "refused"}
    assert found[A].error == (
        "the top of the repository 111111111111 was applied last, but this is the top of the"
        " repository 222222222222"
    )
    assert "--take-over prod-1" in found[A].hint
    assert states(applied.run(files, "9", enroll=frozenset((A, B))))[A] == "refused"
    assert applied.objects == before
    found = applied.run(files, "9", take_over=frozenset((A,)))
    assert states(found) == {A: "applied", B: "refused"}
    assert applied.announced(A) == ["10.0.0.9-10.0.0.9"]
    assert applied.inventory(A)["repository"] == SECOND
    applied.repository = FIRST
    assert states(applied.run(fleet(prod_1="1", prod_2="2"), "c"))[A] == "refused"


def test_another_root_of_the_same_repository_is_refused(applied: Standalone) -> None:
    found = applied.run(fleet(prod_1="1"), "c", root="net/two")
    assert "this is root 'net/two' of the repository 111111111111" in found[A].error


def test_a_revision_that_does_not_contain_the_applied_one_is_refused(applied: Standalone) -> None:
    files = fleet(prod_1="3", prod_2="2")
    found = applied.run(files, "a")
    assert found[A].error == "bbbbbbbbbbbb is already applied, and newer than aaaaaaaaaaaa"
    applied.inventory(A)["revision"] = "9" * 40
    found = applied.run(files, "c")
    assert states(found) == {A: "refused", B: "applied"}
    assert applied.announced(A) == ["10.0.0.1-10.0.0.1"]


def test_a_clone_that_is_too_shallow_to_name_the_repository_applies_nothing(
    clusters: Standalone,
) -> None:
    with pytest.raises(GitError, match="too shallow"):
        clusters.apply(fleet(prod_1="1"), repository="")


@dataclass
class Overtaken(FakeCluster):
    """A cluster that another run claims before this one."""

    def merge(self, ref: Ref, patch: Any, manager: str) -> Any:
        if ref == INVENTORY and "metadata" in patch:
            super().merge(ref, {"data": {"revision": "d" * 40}}, "other")
        return super().merge(ref, patch, manager)


def test_of_two_runs_at_once_one_writes_nothing(applied: Standalone) -> None:
    class Race(Standalone):
        def opener(self, cluster: str) -> FakeCluster:
            return Overtaken(cluster) if cluster == A else FakeCluster(cluster)

    race = Race(applied.objects)
    found = race.apply(fleet(prod_1="3", prod_2="2"), "c")
    assert states(found) == {A: "failed", B: "applied"}
    assert "another run changed the inventory of the cluster" in found[A].error
    assert race.announced(A) == ["10.0.0.1-10.0.0.1"]
    assert race.inventory(A)["revision"] == "d" * 40


def test_a_range_goes_to_another_cluster_once_the_first_one_withdrew_it(
    applied: Standalone,
) -> None:
    found = applied.run(fleet(prod_2="1 2"), "c")
    assert states(found) == {A: "applied", B: "applied"}
    assert applied.announced(A) is None
    assert applied.announced(B) == ["10.0.0.1-10.0.0.2"]


def test_a_range_that_a_service_uses_goes_to_nobody(applied: Standalone) -> None:
    applied.use(A, "10.0.0.1")
    found = applied.run(fleet(prod_2="1 2"), "c")
    assert "not withdrawn: Service default/shop uses 10.0.0.1" in failures(found[A])[str(POOL)]
    assert "prod-1 might still announce 10.0.0.1" in failures(found[B])[str(POOL)]
    assert applied.announced(A) == ["10.0.0.1-10.0.0.1"]
    assert applied.announced(B) == ["10.0.0.2-10.0.0.2"]


def expiring(files: Files) -> Files:
    """Return the tree with the records of released ranges."""
    before = fleet(prod_1="1", prod_2="2")
    kept = {path: text for path, text in before.items() if path.startswith("allocations/")}
    rest = {path: text for path, text in files.items() if not path.startswith("allocations/")}
    return reconciled({**rest, **kept})


LATER = CLOCK + 25 * 3_600


def test_a_cluster_that_is_not_asked_holds_a_range_until_its_retention_ends(
    applied: Standalone,
) -> None:
    released = expiring({k: v for k, v in fleet(prod_2="2").items() if k != "tenants/prod-1.yaml"})
    applied.unnamed = (A,)
    assert still_announced(evaluated(released, clock=LATER), applied, ApplyOptions()) == {}
    found = applied.run(released, "c")
    assert found[A].state is ClusterState.WAITING
    applied.unnamed = ()
    (why,) = still_announced(evaluated(released, clock=LATER), applied, ApplyOptions()).values()
    assert why == "IPAddressPool default-pool of prod-1 still has 10.0.0.1"

    def away(_verb: str, _what: Any) -> UnreachableError:
        return UnreachableError("no answer")

    applied.faults[A] = away
    (why,) = still_announced(evaluated(released, clock=LATER), applied, ApplyOptions()).values()
    assert why == "cannot reach prod-1: no answer"


def test_a_released_range_of_a_cluster_that_is_not_asked_goes_to_nobody(
    applied: Standalone,
) -> None:
    """An edited record gives the range to another cluster before its retention has ended."""
    both = fleet(prod_2="1 2")
    gone = {k: v for k, v in fleet(prod_2="2").items() if k != "tenants/prod-1.yaml"}
    released = {k: v for k, v in expiring(gone).items() if "prod-1" in k}
    applied.unnamed = (A,)
    found = applied.run({**both, **released}, "c")
    assert found[A].state is ClusterState.WAITING
    assert "prod-1 might still announce 10.0.0.1" in failures(found[B])[str(POOL)]
    assert applied.announced(B) == ["10.0.0.2-10.0.0.2"]


def test_a_pin_on_a_range_that_leaves_a_cluster_says_whom_it_waits_for_and_until_when() -> None:
    gone = {k: v for k, v in fleet(prod_2="2").items() if k != "tenants/prod-1.yaml"}
    released = {**expiring(gone), "tenants/prod-2.yaml": boat(B, "10.0.0.1")}
    (refused,) = (it for it in evaluated(released).plan.decisions if isinstance(it, Refuse))
    assert refused.message == "pinned range 10.0.0.1 is already held by prod-1/b1 (berth)"
    assert refused.hint.endswith("or wait for prod-1 until 2026-02-16T10:00:30Z")


def test_what_a_removed_cluster_has_is_withdrawn_while_its_records_are_kept(
    applied: Standalone,
) -> None:
    rest = {k: v for k, v in fleet(prod_2="2").items() if A not in k}
    found = applied.run(expiring(rest), "c")
    assert states(found) == {A: "applied", B: "applied"}
    assert applied.announced(A) is None
