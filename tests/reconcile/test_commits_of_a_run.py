"""A run creates separate commits for the plan, due changes, and observed changes."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reconciler.gitio.history import read_message
from reconciler.gitio.interface import ReplayVerdict, Source
from reconciler.gitio.repository import Repository, open_repository
from reconciler.model.change import FileChange, Observation
from reconciler.model.errors import ReconcilerError
from reconciler.planning.evaluate import Evaluation
from reconciler.reconcile.commits import newest
from reconciler.reconcile.evaluation import as_reconciled
from reconciler.reconcile.reconcile import Reconciled, ReconcileOptions, reconcile
from reconciler.reconcile.verify import replay
from reconciler.reconcile.writing import RunCommit
from tests.world import (
    CLOCK,
    ENVIRONMENT,
    SMALL,
    commit,
    copied,
    git,
    repository,
    settings,
    tenant,
    write,
)

RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
SEEN = "observed/Demand.gitops-ipam.dev/team-a/nobody.yaml"
# Of a tenant that is not there: it claims nothing.
DEMAND = b"""apiVersion: gitops-ipam.dev/v1alpha1
kind: Demand
metadata:
  name: nobody
  namespace: team-a
spec:
  loadBalancer:
    - count: 1
      index: 1
"""
DAY = 86_400


def story(made: Path) -> None:
    """One of two tenants was released a minute after the beginning."""
    repository(made, {**SMALL, "tenants/two.yaml": tenant("two")})
    assert run(made, CLOCK).commit is not None
    git(made, "rm", "-q", "tenants/one.yaml")
    commit(made, clock=CLOCK + 60)
    assert run(made, CLOCK + 61).commit is not None


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return copied(tmp_path / "repo", "two tenants", story)


def opened(folder: Path) -> Repository:
    return open_repository(folder, ENVIRONMENT)


def run(
    folder: Path,
    now: float,
    look: Callable[[RunCommit], Observation] | None = None,
    **options: object,
) -> Reconciled:
    asked = ReconcileOptions(now=lambda: now, look=look, **options)  # type: ignore[arg-type]
    return reconcile(opened(folder), asked, sleep=lambda _: None)


def subjects(folder: Path) -> list[str]:
    return git(folder, "log", "--format=%s", "--reverse").splitlines()


def date(folder: Path) -> int:
    return int(git(folder, "show", "-s", "--format=%ct"))


def looking(
    at: int, data: bytes | None = DEMAND, seen: str = ""
) -> Callable[[RunCommit], Observation]:
    return lambda _: Observation(at, (FileChange(SEEN, data),), seen)


def all_same(folder: Path) -> None:
    found = opened(folder)
    for made in git(folder, "log", "--format=%H", "--grep=Ipam-Plan").splitlines():
        assert replay(found, made).verdict is ReplayVerdict.SAME, git(folder, "show", made)


def test_on_a_quiet_branch_retention_ends_at_the_second_in_which_it_does(folder: Path) -> None:
    before = git(folder, "rev-parse", "HEAD")
    assert run(folder, CLOCK + 60 + DAY - 1).commit is None
    assert git(folder, "rev-parse", "HEAD") == before
    done = run(folder, CLOCK + 60 + DAY)
    assert done.commit is not None
    assert not (folder / RECORD).exists()
    assert date(folder) == CLOCK + 60 + DAY
    said = read_message(opened(folder).made("HEAD").message)
    assert said is not None
    assert said.clock == CLOCK + 60 + DAY
    assert run(folder, CLOCK + 9 * DAY).commit is None
    all_same(folder)


def test_whoever_comes_between_two_due_instants_makes_the_same_commit(folder: Path) -> None:
    other = folder.parent / "other"
    git(folder.parent, "clone", "-q", str(folder), str(other))
    git(other, "remote", "remove", "origin")
    first = run(folder, CLOCK + 2 * DAY).commit
    assert first is not None
    assert run(other, CLOCK + 7 * DAY).commit == first


def test_what_the_revision_asks_for_is_planned_at_its_own_date_and_apart(folder: Path) -> None:
    write(folder, {"tenants/new.yaml": tenant("new")})
    commit(folder, clock=CLOCK + 120)
    base = git(folder, "rev-parse", "HEAD")
    done = run(folder, CLOCK + 3 * DAY)
    assert subjects(folder)[-2:] == ["ipam: allocate 1", "ipam: expire 1"]
    assert [part.commit is not None for part in done.parts] == [True, True]
    assert (done.base.id, done.head.id) == (base, git(folder, "rev-parse", "HEAD"))
    assert date(folder) == CLOCK + 60 + DAY
    assert int(git(folder, "show", "-s", "--format=%ct", "HEAD~1")) == CLOCK + 121
    all_same(folder)


def test_what_was_released_by_an_old_date_rests_until_the_next_run(folder: Path) -> None:
    git(folder, "rm", "-q", "tenants/two.yaml")
    commit(folder, clock=CLOCK + 120)
    assert run(folder, CLOCK + 9 * DAY, allow_release=1).commit is not None
    assert subjects(folder)[-1] == "ipam: release 1"
    run(folder, CLOCK + 9 * DAY, allow_release=1)
    assert subjects(folder)[-1] == "ipam: expire 2"
    assert date(folder) == CLOCK + 120 + DAY
    all_same(folder)


def test_every_commit_of_a_run_asks_ci_to_leave_it_out_where_settings_say_so(folder: Path) -> None:
    marked = settings("{commit: {skipCi: true}}")
    write(folder, {"tenants/new.yaml": tenant("new"), "ipam.yaml": marked})
    commit(folder, clock=CLOCK + 120)
    done = run(folder, CLOCK + 3 * DAY, look=looking(CLOCK + 3 * DAY))
    assert [part.commit is not None for part in done.parts] == [True, True, True]
    assert subjects(folder)[-4:] == [
        "change",
        "ipam: allocate 1 [skip ci]",
        "ipam: expire 1 [skip ci]",
        "ipam: observe 1 [skip ci]",
    ]
    all_same(folder)
    head_id = opened(folder).resolve("HEAD")
    assert newest(opened(folder), head_id.id) == head_id.id
    write(folder, {"ipam.yaml": settings(), "tenants/more.yaml": tenant("more")})
    commit(folder, clock=CLOCK + 4 * DAY)
    run(folder, CLOCK + 4 * DAY)
    assert subjects(folder)[-1] == "ipam: allocate 1"


def test_nothing_falls_due_after_what_the_management_cluster_shows(folder: Path) -> None:
    late = CLOCK + 3 * DAY
    assert run(folder, late, server_now=lambda _: CLOCK + 60 + DAY - 1).commit is None
    assert run(folder, CLOCK + 61, server_now=lambda _: late).commit is None
    asked: list[int] = []
    run(folder, CLOCK + 61, server_now=lambda _: asked.append(1))
    assert asked == []
    assert run(folder, late, server_now=lambda _: None).commit is not None


def test_what_is_due_and_still_announced_stays_while_what_is_not_goes(folder: Path) -> None:
    git(folder, "rm", "-q", "tenants/two.yaml")
    commit(folder, clock=CLOCK + 600)
    run(folder, CLOCK + 601, allow_release=1)
    held = ReconcileOptions(
        now=lambda: CLOCK + 2 * DAY, still_announced=lambda _: {RECORD: "it is announced"}
    )
    done = reconcile(opened(folder), held)
    assert subjects(folder)[-1] == "ipam: expire 1"
    assert (folder / RECORD).exists()
    assert date(folder) == CLOCK + 600 + DAY
    assert [item.code for item in done.evaluation.findings] == ["expiry-held"]
    assert reconcile(opened(folder), held).commit is None
    all_same(folder)


def test_what_was_looked_at_is_committed_at_the_time_of_the_look(folder: Path) -> None:
    done = run(folder, CLOCK + 600, looking(CLOCK + 500, seen="Demand 12"))
    assert subjects(folder)[-1] == "ipam: observe 1"
    assert (folder / SEEN).read_bytes() == DEMAND
    assert date(folder) == CLOCK + 500
    assert "Ipam-Observed: Demand 12" in git(folder, "show", "-s", "--format=%B")
    assert done.commit is not None
    all_same(folder)
    assert run(folder, CLOCK + 600, looking(CLOCK + 550)).commit is None
    assert run(folder, CLOCK + 600, lambda _: Observation(CLOCK + 590, ())).commit is None
    assert run(folder, CLOCK + 700, looking(CLOCK + 690, None)).commit is not None
    assert not (folder / SEEN).exists()
    all_same(folder)


@pytest.mark.parametrize(("at", "dated"), [(0, CLOCK + 62), (CLOCK + 99 * DAY, CLOCK + 600)])
def test_a_look_has_no_time_before_its_base_or_after_now(folder: Path, at: int, dated: int) -> None:
    assert run(folder, CLOCK + 600, looking(at)).commit is not None
    assert date(folder) == dated
    all_same(folder)


def test_what_falls_due_by_the_time_of_the_look_goes_with_it(folder: Path) -> None:
    at = CLOCK + 60 + DAY
    reconcile(opened(folder), ReconcileOptions(look=looking(at)))
    assert subjects(folder)[-1] == "ipam: expire 1, observe 1"
    all_same(folder)


def test_clusters_are_looked_at_after_the_earlier_commits_and_again_after_a_race(
    folder: Path,
) -> None:
    write(folder, {"tenants/new.yaml": tenant("new")})
    commit(folder, clock=CLOCK + 120)
    shown: list[str | None] = []

    def look(part: RunCommit) -> Observation:
        shown.append(part.head.id)
        if len(shown) == 1:
            write(folder, {"README.md": "x\n"})
            commit(folder, clock=CLOCK + 300)
        return Observation(CLOCK + 400, (FileChange(SEEN, DEMAND),))

    done = run(folder, CLOCK + 500, look)
    assert done.attempts == 2
    assert subjects(folder)[-3:] == ["ipam: allocate 1", "change", "ipam: observe 1"]
    assert shown == git(folder, "log", "-3", "--format=%H", "--reverse").splitlines()[:2]
    assert [part.planned.look is not None for part in done.parts] == [False, True]


def test_a_run_does_not_evaluate_its_own_commit(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, {"tenants/new.yaml": tenant("new")})
    commit(folder, clock=CLOCK + 120)
    read: list[Source] = []

    def counted(source: Source, *rest: Any) -> Evaluation:
        read.append(source)
        return as_reconciled(source, *rest)

    monkeypatch.setattr("reconciler.reconcile.reconcile.as_reconciled", counted)
    done = run(folder, CLOCK + 121, lambda _: Observation(CLOCK, ()))
    assert done.commit is not None
    assert [it.revision() for it in read] == [done.base]


@pytest.mark.parametrize("path", ["pools/edge.yaml", "observed/../pools/edge.yaml", "observed"])
def test_a_look_writes_in_its_folder_alone(folder: Path, path: str) -> None:
    with pytest.raises(ReconcilerError, match="outside"):
        run(folder, CLOCK + 600, lambda _: Observation(CLOCK, (FileChange(path, b""),)))


def test_a_plan_that_brings_what_was_observed_is_not_ours(folder: Path) -> None:
    write(folder, {"tenants/new.yaml": tenant("new")})
    commit(folder, clock=CLOCK + 120)
    assert run(folder, CLOCK + 121).commit is not None
    clock = date(folder)
    write(folder, {SEEN: DEMAND})
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "--amend", "--no-edit", clock=clock)
    assert replay(opened(folder), "HEAD").verdict is ReplayVerdict.DIFFERENT
