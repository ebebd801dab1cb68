"""Without retention, the run that releases addresses frees them after their withdrawal."""

from collections.abc import Mapping

from reconciler.model.applied import Applied, ClusterState
from reconciler.planning.evaluate import Evaluation
from reconciler.reconcile.reconcile import Reconciled, ReconcileOptions, Round, reconcile, rounds
from tests.planning.outcome import without
from tests.reconcile.test_reconcile import RECORD, Watched, watched
from tests.world import SMALL, reconciled, settings, tenant


class Run:
    """A run on a repository from which a tenant was removed, and its steps in order."""

    def __init__(self, retention: str = "0s", held: Mapping[str, str] | None = None) -> None:
        files = {
            **SMALL,
            "ipam.yaml": settings(f"{{retention: {retention}}}"),
            "tenants/two.yaml": tenant("two"),
        }
        gone = without(reconciled(files), "tenants/one.yaml")
        self.repository: Watched = watched(gone)
        self.steps: list[str] = []
        self.held = held or {}

    def reconcile(self) -> Reconciled:
        done = reconcile(
            self.repository, ReconcileOptions(still_announced=self.retained), sleep=lambda _: None
        )
        self.steps.append(str(done.commit and self.repository.asked[-1].message.splitlines()[0]))
        return done

    def retained(self, evaluation: Evaluation) -> Mapping[str, str]:
        expires = any(change.data is None for change in evaluation.changes)
        return self.held if expires else {}

    def apply(self, done: Reconciled) -> list[Applied]:
        assert done.head.id == self.repository.head
        self.steps.append("apply")
        return [Applied("management", ClusterState.APPLIED)]

    def all(self, most: int = 2) -> list[Round]:
        return list(rounds(self.reconcile, self.apply, most))

    def is_free(self) -> bool:
        return RECORD not in self.repository.commits[self.repository.head][2]


RELEASED, EXPIRED = "ipam: release 1", "ipam: expire 1"


def test_release_apply_expiry_apply_in_that_order() -> None:
    run = Run()
    first, last = run.all()
    assert run.steps == [RELEASED, "apply", EXPIRED, "apply"]
    assert last.done.base == first.done.commit
    assert run.is_free()
    assert len(run.all()) == 1


def test_what_clusters_still_announce_is_held_and_told() -> None:
    run = Run(held={RECORD: "a Service of team-a/one still has it"})
    _, last = run.all()
    assert run.steps == [RELEASED, "apply", "None"]
    assert (last.done.commit, last.applied) == (None, None)
    assert [item.code for item in last.done.evaluation.findings] == ["expiry-held"]
    assert not run.is_free()
    run.held = {}
    assert len(run.all()) == 1
    assert run.is_free()


def test_a_claim_that_is_back_by_then_keeps_its_range() -> None:
    run = Run()
    found = rounds(run.reconcile, run.apply)
    next(found)
    head = run.repository.head
    files = run.repository.commits[head][2]
    back = {**files, "tenants/one.yaml": tenant("one").encode()}
    run.repository.head = run.repository.add(head, run.repository.commits[head][1] + 60, back)
    (last,) = found
    assert run.steps[2:] == ["ipam: allocate 1", "apply"]
    assert last.done.commit is not None
    assert not run.is_free()
