"""`reconcile` queries clusters about each record once before it frees addresses."""

from collections.abc import Mapping

import pytest

from reconciler.model.plan import Expire
from reconciler.planning.evaluate import Evaluation
from reconciler.reconcile.reconcile import ATTEMPTS, Reconciled, ReconcileOptions, reconcile
from tests.planning.outcome import Files, without
from tests.reconcile.test_reconcile import RECORD, Watched
from tests.review.sides import encoded
from tests.world import CLOCK, SMALL, reconciled, tenant

HOUR = 3_600
TWO = RECORD.replace("/one.", "/two.")
NOTHING: Mapping[str, str] = {}


class Asked:
    """Clusters that log the records of each query, with fixed answers."""

    def __init__(self, said: Mapping[str, str] = NOTHING) -> None:
        self.said = said
        self.paths: list[list[str]] = []

    def __call__(self, evaluation: Evaluation) -> Mapping[str, str]:
        leaving = [item for item in evaluation.plan.decisions if isinstance(item, Expire)]
        self.paths.append([item.allocation.path for item in leaving])
        return {path: why for path, why in self.said.items() if path in self.paths[-1]}


def released() -> dict[str, str | bytes]:
    """The range of one was released at `CLOCK`, that of two an hour later. Retention is a day."""
    both: Files = {**SMALL, "tenants/two.yaml": tenant("two")}
    first = reconciled(without(reconciled(both), "tenants/one.yaml"))
    return reconciled(without(first, "tenants/two.yaml"), CLOCK + HOUR)


def a_day_later(more: int = 60) -> Watched:
    """The branch after the retention of one, and before the end of the retention of two."""
    repository = Watched()
    repository.head = repository.add("", CLOCK + 24 * HOUR + more, encoded(released()))
    return repository


def done(repository: Watched, asked: Asked) -> Reconciled:
    return reconcile(
        repository, ReconcileOptions(still_announced=asked), sleep=lambda seconds: None
    )


def records(repository: Watched) -> list[str]:
    files = repository.commits[repository.head][2]
    return [path for path in files if path.startswith("allocations/")]


def test_a_record_is_asked_about_once_though_races_are_lost() -> None:
    """A cluster that does not answer takes a minute, so a lost race must not repeat the query."""
    repository = a_day_later()
    asked = Asked({RECORD: "cannot reach team-a/one: no answer"})
    repository.head = repository.add(
        repository.head,
        CLOCK + 24 * HOUR + 61,
        {**repository.commits[repository.head][2], "tenants/new.yaml": tenant("new").encode()},
    )
    repository.losing = ATTEMPTS - 1
    assert done(repository, asked).attempts == ATTEMPTS
    assert asked.paths == [[RECORD]]
    assert RECORD in records(repository)


@pytest.mark.parametrize("held", [(), (TWO,)])
def test_what_falls_due_while_others_are_asked_is_asked_about_too(held: tuple[str, ...]) -> None:
    repository = a_day_later()

    class Slow(Asked):
        def __call__(self, evaluation: Evaluation) -> Mapping[str, str]:
            found = super().__call__(evaluation)
            files = {**repository.commits[repository.head][2], "note.md": b"later"}
            repository.head = repository.add(repository.head, CLOCK + 26 * HOUR, files)
            return found

    asked = Slow(dict.fromkeys(held, "it still exists"))
    done(repository, asked)
    assert asked.paths == [[RECORD], [RECORD, TWO]]
    assert records(repository) == list(held)
