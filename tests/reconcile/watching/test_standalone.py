"""Rounds of a daemon without a management cluster."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from reconciler.apply.targets import ApplyOptions
from reconciler.cli.opening import open_branch
from reconciler.daemon.dirty import Dirty
from reconciler.daemon.reach import RoundClusters
from reconciler.daemon.work import DaemonRounds
from reconciler.model.applied import ClusterState
from reconciler.reconcile.branch import is_in_history
from reconciler.reconcile.reconcile import ReconcileOptions, Round
from tests.apply.execution.test_standalone import QUAY, A, B, Standalone, boat, target
from tests.toy import STANDALONE, installed
from tests.world import CLOCK, commit, git, repository, write


@pytest.fixture(autouse=True)
def _toy() -> Iterator[None]:
    with installed(STANDALONE):
        yield


def outcome(rounds: list[Round]) -> dict[str, ClusterState]:
    return {item.cluster: item.state for it in rounds for item in it.applied or ()}


def test_a_round_after_a_commit_asks_only_the_clusters_that_it_changes(tmp_path: Path) -> None:
    repo = repository(
        tmp_path / "repo",
        {
            "pools/quay.yaml": QUAY,
            "clusters/prod-1.yaml": target(A),
            "clusters/prod-2.yaml": target(B),
            "tenants/one.yaml": boat(A, "10.0.0.1"),
            "tenants/two.yaml": boat(B, "10.0.0.2"),
        },
    )
    clusters = Standalone()
    opened = open_branch(repo, None, None)
    work = DaemonRounds(
        opened,
        partial(is_in_history, opened),
        ReconcileOptions(),
        RoundClusters(clusters),
        ApplyOptions(enroll=frozenset((A, B))),
        now=lambda: CLOCK + 60.0,
    )
    found = outcome(list(work.rounds(Dirty(None, ("start",), 0.0))))
    assert found == {A: ClusterState.APPLIED, B: ClusterState.APPLIED}
    git(repo, "reset", "-q", "--hard", "main")
    write(repo, {"tenants/three.yaml": boat(B, "10.0.0.3")})
    commit(repo, clock=CLOCK + 120)
    clusters.opened.clear()
    found = outcome(list(work.rounds(Dirty(frozenset(), ("git",), 0.0))))
    assert found == {B: ClusterState.APPLIED}
    assert {item.name for item in clusters.opened} == {B}
    assert clusters.announced(B) == ["10.0.0.2-10.0.0.3"]
