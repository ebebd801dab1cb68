"""A run that proposes: the branch that is reconciled stays, also where clusters are applied to."""

from dataclasses import dataclass, field

from reconciler.gitio.interface import Revision
from reconciler.model.change import Proposed
from reconciler.model.errors import LostRaceError
from reconciler.reconcile.reconcile import ReconcileOptions, is_free_at_once, reconcile
from tests.reconcile.test_reconcile import RECORD, Watched, watched
from tests.world import SMALL, pool


@dataclass
class Branch:
    """Remembers what it was brought; loses races as told."""

    name: str = "ipam/records"
    losing: int = 0
    brought: list[tuple[str, str]] = field(default_factory=list)

    def bring(self, base: Revision, revision: Revision | None) -> Proposed:
        if self.losing:
            self.losing -= 1
            raise LostRaceError("branch ipam/records moved")
        self.brought.append((base.id, revision.id if revision is not None else ""))
        return Proposed.BROUGHT


def test_the_branch_stays_so_what_is_applied_is_what_somebody_merged() -> None:
    repository, to = watched(dict(SMALL)), Branch()
    base = repository.head
    done = reconcile(repository, ReconcileOptions(propose=to.bring))
    assert done.commit is not None
    assert to.brought == [(base, done.commit.id)]
    assert RECORD in repository.commits[done.commit.id][2]
    assert (repository.head, done.head.id, done.proposed) == (base, base, Proposed.BROUGHT)
    assert repository.noted == base, "what waits for a merge is no head that was reconciled"
    assert not is_free_at_once(done)


def test_a_lost_race_for_it_is_answered_by_planning_again() -> None:
    repository, to = watched(dict(SMALL)), Branch(losing=2)
    done = reconcile(repository, ReconcileOptions(propose=to.bring), sleep=lambda seconds: None)
    assert (done.attempts, len(done.parts), len(to.brought)) == (3, 1, 1)


def test_what_was_made_on_a_branch_that_moved_meanwhile_is_forgotten() -> None:
    class Moving(Watched):
        def fetch(self) -> Revision:
            found = super().fetch()
            files = {**self.commits[self.head][2], "pools/more.yaml": pool("more").encode()}
            if self.losing:
                self.losing -= 1
                self.head = self.add(self.head, found.clock + 60, files)
            return found

    repository, to = Moving(), Branch(losing=1)
    made = watched(dict(SMALL))
    repository.commits, repository.head, repository.losing = made.commits, made.head, 1
    done = reconcile(repository, ReconcileOptions(propose=to.bring), sleep=lambda seconds: None)
    ((base, _),) = to.brought
    assert (base, done.base.id, len(done.parts)) == (repository.head, repository.head, 1)
