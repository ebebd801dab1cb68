"""Changes for tests: two trees as commits of a repository in memory."""

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from reconciler.documents.findings import Finding
from reconciler.model.settings import Overrides
from reconciler.planning.evaluate import evaluate
from reconciler.review.change import Change
from tests.planning.outcome import Files
from tests.review.test_review import branch, encoded
from tests.world import CLOCK, tree_of


def change_of(base: Files, head: Files, overrides: Overrides | None = None) -> Change:
    """Return the change from one tree to another; overrides are in the base."""
    repository = branch(base)
    first = repository.head
    repository.head = repository.add(first, CLOCK + 1, encoded(head))
    change = Change(repository, first, repository.source("HEAD"))
    change.name = "main"
    if overrides is not None:
        change.result = evaluate(replace(tree_of(head), overrides=overrides))
    return change


def found_by(
    change: Change, *checks: Callable[[Change], Iterable[Finding]], code: str = ""
) -> list[Finding]:
    """Return the findings of some checks."""
    found = [item for check in checks for item in check(change)]
    return [it for it in found if code in ("", it.code)]
