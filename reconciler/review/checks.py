"""The checks of a change, and the review that runs them."""

from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec.structs import replace

from reconciler.commands.by_hand import as_reconciled, with_overrides
from reconciler.commands.reading.reader import evaluate_source
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Location, Severity, ordered, warning
from reconciler.ports import Repository, Source
from reconciler.review.announcements import (
    lost_announcements,
    renamed_cluster_pools,
    replaced_ranges,
)
from reconciler.review.change import Change
from reconciler.review.documents import manual_ranges, shared_documents
from reconciler.review.held import with_held_releases
from reconciler.review.pools import address_spaces, given_twice, limits_changed, shrunk, unreserved
from reconciler.review.preexisting import preexisting
from reconciler.review.records import dated_back, moved_roots, record_changes
from reconciler.review.renames import dangling_requests, renames
from reconciler.review.result import Compared
from reconciler.review.settings import settings_changed, settings_loosened
from reconciler.review.takeovers import handovers, reused_names
from reconciler.review.team_scope import within
from reconciler.review.unread import files_not_read, removed_while_broken
from reconciler.review.unreconciled import undone_renames, withdrawn_pins


def missing_commits(change: Change) -> Iterator[Finding]:
    """Report a change that lacks commits of its base."""
    if not change.is_contained:
        message = f"{change.name} has commits that this revision lacks"
        hint = "merge it first: until then the plan may differ from what merging makes"
        yield warning("base-ahead", Location("."), message, hint)


CHECKS: tuple[Callable[[Change], Iterable[Finding]], ...] = (
    missing_commits,
    settings_changed,
    settings_loosened,
    limits_changed,
    shrunk,
    unreserved,
    address_spaces,
    given_twice,
    shared_documents,
    manual_ranges,
    renames,
    dangling_requests,
    reused_names,
    handovers,
    lost_announcements,
    replaced_ranges,
    renamed_cluster_pools,
    withdrawn_pins,
    undone_renames,
    removed_while_broken,
    files_not_read,
    record_changes,
    moved_roots,
    dated_back,
)
REPLACES: Mapping[str, str] = {
    "announcement-moved": "announcement-moved",
    "reference-not-found": "reference-not-found",
}
"""A finding of a check replaces those of the evaluation at the same place: code by code."""


def review(
    source: Source,
    repository: Repository | None = None,
    base: str | None = None,
    proposed: str | None = None,
) -> Compared:
    """Evaluate a revision, and compare it with its base.

    Args:
        source: The files of the revision.
        repository: The repository of the base; needed with `base` only.
        base: The revision that the change is made to. Its Settings judge the change; only the
            folders are those of the change.
        proposed: The tip of the branch that only reconcile may push to; with `base` only.
    """
    if repository is None:
        return Compared(with_overrides(evaluate_source(source)))
    if base is None:
        evaluation = as_reconciled(source, repository)
        return Compared(with_overrides(with_held_releases(evaluation, repository, source)))
    return review_change(Change(repository, base, source, proposed))


def review_change(change: Change) -> Compared:
    """Return the review of a change: the findings of all checks, and the values next to them."""
    found = [finding for check in CHECKS for finding in check(change)]
    known = change.held_by_base
    evaluation = with_held_releases(change.result, change.repository, change.head, known)
    replaced = {(REPLACES.get(it.code), it.location) for it in found}
    kept = [it for it in evaluation.findings if (it.code, it.location) not in replaced]
    evaluation = _with(evaluation, [*kept, *found, *evaluation.gates])
    evaluation = with_overrides(evaluation)
    every = (*evaluation.findings, *evaluation.gates)
    inherited = preexisting(change, every)
    apart = set(map(id, inherited))
    evaluation = _with(evaluation, [it for it in every if id(it) not in apart])
    return Compared(evaluation, inherited, causes=change.causes, within=within(change))


def _with(evaluation: Evaluation, found: Iterable[Finding]) -> Evaluation:
    """Return the evaluation with these findings and gates, sorted."""
    listed = ordered(found)
    return replace(
        evaluation,
        findings=tuple(it for it in listed if it.severity is not Severity.GATE),
        gates=tuple(it for it in listed if it.severity is Severity.GATE),
    )
