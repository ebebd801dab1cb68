"""Runs of reconcile that observe clusters, with real Git, and clusters in memory."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from reconciler.apply.expiry import still_announced
from reconciler.apply.fleet import Scope, apply_fleet
from reconciler.apply.targets import ApplyOptions
from reconciler.model.change import Observation
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.read import evaluate_source
from reconciler.reconcile.discovery import LookOptions, ObservingRun
from reconciler.reconcile.reconcile import Reconciled, ReconcileOptions, reconcile
from reconciler.reconcile.writing import Planned, RunCommit
from tests.reconcile.looking.country import Country, elastic
from tests.reconcile.test_commits_of_a_run import all_same, opened
from tests.world import git, repository


class Site:
    """A checkout and the clusters of its tenants."""

    def __init__(self, folder: Path) -> None:
        files = elastic("one", "two")
        self.folder = repository(folder, files)
        self.here = Country({})
        self.looker = ObservingRun(
            opened(self.folder),
            self.whole,
            self.here.clusters,
            LookOptions(),
            now=lambda: self.here.now,
        )

    def whole(self, revision: str) -> Evaluation:
        return evaluate_source(opened(self.folder).source(revision))

    def run(self) -> Reconciled:
        done = self.reconcile(look=self.looker.look, still_announced=self.announced)
        evaluation = self.whole(done.head.id)
        branch = opened(self.folder)
        apply_fleet(
            evaluation,
            self.here.clusters,
            ApplyOptions(),
            branch.is_in,
            Scope(words=self.looker.looked.words),
        )
        self.here.serve()
        return done

    def announced(self, evaluation: Evaluation) -> Mapping[str, str]:
        return still_announced(evaluation, self.here.clusters, ApplyOptions())

    def reconcile(self, **asked: Any) -> Reconciled:
        """Reconcile without clusters."""
        self.here.clusters.clock = self.here.now
        options = ReconcileOptions(now=lambda: self.here.now, **asked)
        return reconcile(opened(self.folder), options, sleep=lambda _: None)

    def newest(self) -> list[str]:
        return git(self.folder, "show", "--format=", "--name-only", "HEAD").splitlines()


@pytest.fixture
def site(tmp_path: Path) -> Site:
    made = Site(tmp_path / "repo")
    made.run()
    for name in "ab":
        made.here.ask(name)
    made.run()
    assert all(made.here.services().values())
    return made


def test_what_is_given_back_stays_where_no_cluster_is_asked_and_comes_back_when_it_is_used(
    site: Site,
) -> None:
    site.here.ask("c")
    site.run()
    address = site.here.services()["c"]
    site.here.leave("c")
    site.here.now += 60
    site.run()
    site.here.now += 600
    released = site.reconcile(look=site.looker.look, still_announced=site.announced)
    assert "releasedAt" in git(site.folder, "show", "HEAD")
    site.here.now += 60
    alone = site.reconcile()
    assert (alone.commit, alone.code, alone.base) == (None, 0, released.head)
    assert not alone.evaluation.findings
    site.here.ask("d")
    site.here.serve()
    site.here.ask("e", "team-a/two")
    site.run()
    assert site.here.services()["d"] == address
    assert address not in site.here.services("team-a/two").values()
    assert site.run().commit is None
    all_same(site.folder)


def test_a_server_without_a_clock_takes_that_of_this_machine(site: Site) -> None:
    site.here.clusters.clock = 0
    head = opened(site.folder).resolve("HEAD")
    evaluation = site.whole(head.id)
    part = RunCommit(Planned(head, evaluation), evaluation, None)
    site.looker.now = lambda: site.here.now + 0.5
    assert site.looker.look(part) == Observation(site.here.now, ())
