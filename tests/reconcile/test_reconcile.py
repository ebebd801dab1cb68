"""`reconcile` on a repository in memory. tests/contracts tests real Git."""

from dataclasses import dataclass, field

import pytest

from reconciler import __version__
from reconciler.gitio.interface import Commit, Revision
from reconciler.model.change import Proposed
from reconciler.model.errors import ExitCode, HistoryError, LostRaceError
from reconciler.planning.digest import actions, digest
from reconciler.reconcile.reconcile import ReconcileOptions, reconcile
from tests.fakes import FakeRepository
from tests.planning.outcome import without
from tests.review.sides import branch, encoded
from tests.world import CLOCK, SMALL, evaluation_of, pool, raw, reconciled, tenant

RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"


class Watched(FakeRepository):
    """Records commits, and loses races on demand."""

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


@dataclass
class ProposalBranch:
    """Records proposals, and loses races on demand."""

    name: str = "ipam/records"
    losing: int = 0
    brought: list[tuple[str, str]] = field(default_factory=list)

    def bring(self, base: Revision, revision: Revision | None) -> Proposed:
        if self.losing:
            self.losing -= 1
            raise LostRaceError("branch ipam/records moved")
        self.brought.append((base.id, revision.id if revision is not None else ""))
        return Proposed.PUSHED


def test_what_was_made_on_a_branch_that_moved_meanwhile_is_forgotten() -> None:
    class Moving(Watched):
        def fetch(self) -> Revision:
            found = super().fetch()
            files = {**self.commits[self.head][2], "pools/more.yaml": pool("more").encode()}
            if self.losing:
                self.losing -= 1
                self.head = self.add(self.head, found.clock + 60, files)
            return found

    repository, to = Moving(), ProposalBranch(losing=1)
    made = watched(dict(SMALL))
    repository.commits, repository.head, repository.losing = made.commits, made.head, 1
    done = reconcile(repository, ReconcileOptions(propose=to.bring), sleep=lambda seconds: None)
    ((base, _),) = to.brought
    assert (base, done.base.id, len(done.parts)) == (repository.head, repository.head, 1)
