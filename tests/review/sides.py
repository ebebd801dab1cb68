"""Changes for tests: trees as commits of a repository in memory."""

from collections.abc import Callable, Iterable

from msgspec.structs import replace

from reconciler.documents.findings import Finding
from reconciler.model.settings import Overrides
from reconciler.planning.evaluate import evaluate
from reconciler.review.change import Change
from reconciler.review.checks import review
from reconciler.review.result import Compared
from tests.fakes import FakeRepository
from tests.planning.outcome import Files
from tests.world import CLOCK, tree_of


def encoded(files: Files) -> dict[str, bytes]:
    return {
        path: data if isinstance(data, bytes) else data.encode() for path, data in files.items()
    }


def branch(*versions: Files) -> FakeRepository:
    """Return a repository with commits in sequence. The last one is the head."""
    repository = FakeRepository()
    for at, files in enumerate(versions):
        repository.head = repository.add(repository.head, CLOCK + at, encoded(files))
    return repository


def sides(base: Files, head: Files) -> tuple[FakeRepository, str]:
    """A commit on another, and the id of that."""
    repository = branch(base)
    first = repository.head
    repository.head = repository.add(first, CLOCK + 1, encoded(head))
    return repository, first


def reviewed(base: Files, head: Files) -> Compared:
    repository, first = sides(base, head)
    return review(repository.source("HEAD"), repository, first)


def as_findings(base: Files, head: Files, *codes: str) -> list[Finding]:
    """Findings and gates of a change, by their codes."""
    evaluation = reviewed(base, head).evaluation
    return [it for it in (*evaluation.findings, *evaluation.gates) if it.code in codes]


def change_of(base: Files, head: Files, overrides: Overrides | None = None) -> Change:
    """Return the change from one tree to another; overrides are in the base."""
    repository, first = sides(base, head)
    change = Change(repository, first, repository.source("HEAD"), None, 0)
    change.name = "main"
    if overrides is not None:
        change.result = evaluate(replace(tree_of(head), overrides=overrides))
    return change


def found_by(
    change: Change, *checks: Callable[[Change], Iterable[Finding]], code: str = ""
) -> list[Finding]:
    found = [item for check in checks for item in check(change)]
    return [it for it in found if code in ("", it.code)]
