"""Reconcile against a repository in memory; what Git adds is in tests/contracts."""

import pytest

from reconciler import __version__
from reconciler.gitio.interface import Commit, Revision
from reconciler.model.errors import ExitCode, GitError, HistoryError, LostRaceError
from reconciler.planning.digest import actions, digest
from reconciler.reconcile.reconcile import ATTEMPTS, ReconcileOptions, reconcile
from tests.fakes import FakeRepository
from tests.planning.outcome import without
from tests.review.sides import branch, encoded
from tests.world import CLOCK, SMALL, evaluation_of, pool, raw, reconciled, tenant

RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"


class Watched(FakeRepository):
    """Remembers what it was asked to commit, and loses races as told."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: list[Commit] = []
        self.losing = 0

    def commit(self, commit: Commit) -> Revision:
        self.asked.append(commit)
        return super().commit(commit)

    def publish(self, base: Revision, revision: Revision) -> None:
        if self.losing:
            self.losing -= 1
            files = {**self.commits[self.head][2], f"pools/x{self.losing}.yaml": b"# note\n---\n"}
            self.head = self.add(self.head, base.clock + 60, files)
        super().publish(base, revision)


def watched(files: dict[str, str | bytes]) -> Watched:
    repository = Watched()
    repository.head = repository.add("", CLOCK, encoded(files))
    return repository


def done(
    repository: FakeRepository, options: ReconcileOptions | None = None
) -> tuple[ExitCode, bool, int]:
    found = reconcile(repository, options or ReconcileOptions(), sleep=lambda seconds: None)
    return found.code, found.commit is not None, found.attempts


def test_records_are_committed_and_a_second_run_commits_nothing() -> None:
    repository = watched(dict(SMALL))
    assert done(repository) == (0, True, 1)
    assert RECORD in repository.commits[repository.head][2]
    assert done(repository) == (0, False, 1)


def test_the_commit_names_what_it_does_its_plan_and_its_base() -> None:
    repository = watched(dict(SMALL))
    base = repository.head
    done(repository)
    (commit,) = repository.asked
    lines = commit.message.splitlines()
    assert lines[:2] == ["ipam: allocate 1", ""]
    assert lines[2].startswith("Ipam-Plan: sha256:")
    assert lines[3:] == [f"Ipam-Base: {base}", f"Ipam-Version: {__version__}"]
    assert commit.committer == ("gitops-ipam", "noreply@gitops-ipam.dev")
    assert commit.sign == ""


def test_a_brake_holds_releases_back_until_the_number_is_named() -> None:
    files = without(reconciled(SMALL), "tenants/one.yaml")
    assert done(watched(files)) == (3, False, 1)
    assert done(watched(files), ReconcileOptions(allow_release=1)) == (0, True, 1)


def test_what_a_brake_does_not_stop_is_committed() -> None:
    before = reconciled(SMALL)
    files = {**without(before, "tenants/one.yaml"), "tenants/two.yaml": tenant("two")}
    repository = watched(files)
    assert done(repository) == (3, True, 1)
    assert repository.asked[0].message.startswith("ipam: allocate 1\n")
    assert f"Ipam-Plan: {digest(actions(evaluation_of(files)))}" in repository.asked[0].message
    after = repository.commits[repository.head][2]
    assert after[RECORD] == raw(before[RECORD])
    assert list(after.keys() - files.keys()) == [RECORD.replace("one", "two")]


def test_a_lost_race_is_answered_by_planning_again() -> None:
    repository = watched(dict(SMALL))
    repository.losing = 2
    waits: list[float] = []
    found = reconcile(repository, ReconcileOptions(), sleep=waits.append)
    assert found.attempts == 3
    assert len(waits) == 2
    assert all(seconds > 0 for seconds in waits)
    assert RECORD in repository.commits[repository.head][2]


def test_after_all_attempts_it_gives_up_and_says_that_nothing_was_published() -> None:
    repository = watched(dict(SMALL))
    repository.losing = ATTEMPTS
    waits: list[float] = []
    with pytest.raises(GitError, match="lost the race for the branch 5 times") as failed:
        reconcile(repository, ReconcileOptions(), sleep=waits.append)
    assert not isinstance(failed.value, LostRaceError)
    assert "nothing was published" in failed.value.hint
    assert len(waits) == ATTEMPTS - 1


def test_a_rewritten_branch_is_refused_until_its_head_is_accepted() -> None:
    repository = branch(SMALL)
    done(repository)
    repository.head = repository.add("", CLOCK, encoded({**SMALL, "pools/edge.yaml": pool()}))
    with pytest.raises(HistoryError):
        done(repository)
    with pytest.raises(HistoryError):
        done(repository, ReconcileOptions(accept_history=repository.head[:3]))
    with pytest.raises(HistoryError):
        done(repository, ReconcileOptions(accept_history="f" * 40))
    assert done(repository, ReconcileOptions(accept_history=repository.head[:12]))[0] == 0
