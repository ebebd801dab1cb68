"""The checks of a change, and the review that runs them."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from msgspec import Struct
from msgspec.structs import replace

from reconciler.commands.by_hand import as_reconciled, with_found, with_overrides
from reconciler.commands.reading.reader import evaluate_source
from reconciler.engine.guard import CAPACITY
from reconciler.evaluate import Evaluation, counts_of, held_releases
from reconciler.findings import Finding, Location, Severity, ordered, warning
from reconciler.model.plan import Usage
from reconciler.ports import Repository, Source
from reconciler.review.announcements import (
    lost_announcements,
    renamed_cluster_pools,
    replaced_ranges,
)
from reconciler.review.causes import held_by_limit
from reconciler.review.change import Change
from reconciler.review.documents import manual_ranges, shared_documents
from reconciler.review.pools import address_spaces, given_twice, limits_changed, shrunk, unreserved
from reconciler.review.records import dated_back, moved_roots, record_changes
from reconciler.review.renames import dangling_requests, renames
from reconciler.review.result import Compared
from reconciler.review.settings import settings_changed, settings_loosened
from reconciler.review.takeovers import handovers, reused_names
from reconciler.review.team_scope import within
from reconciler.review.unread import errors_once_read, files_not_read, removed_while_broken
from reconciler.review.unreconciled import undone_renames, withdrawn_pins


def missing_commits(change: Change) -> Iterator[Finding]:
    """Report a change that lacks commits of its base."""
    if not change.is_contained:
        message = f"{change.name} has commits that this revision lacks"
        hint = "merge it first: until then the plan may differ from what merging makes"
        yield warning("base-ahead", Location("."), message, hint)


def releases_held(change: Change) -> Iterator[Finding]:
    """Report the releases of the change that the release limit holds back."""
    known = change.held_by_base
    return held_by_limit(change.result, change.repository, change.head, known)


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
    releases_held,
)
REPLACES: Mapping[str, str] = {
    "announcement-moved": "announcement-moved",
    "reference-not-found": "reference-not-found",
}
"""A finding of a check replaces those of the evaluation at the same place: code by code."""

_BRAKE = "brake"
_OF_CHANGE = ("brake-held", "clock-ahead")
"""Codes of findings about the change as a whole, though they have a place."""
_WAITING = "override-unused"
"""An Override counts once it is in the base, and the change need not use it."""


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
        held = held_by_limit(evaluation, repository, source)
        return Compared(with_overrides(with_found(evaluation, held)))
    return review_change(Change(repository, base, source, proposed))


def review_change(change: Change) -> Compared:
    """Return the review of a change: the findings of all checks, and the values next to them."""
    found = [finding for check in CHECKS for finding in check(change)]
    evaluation = change.result
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


class _Same(Struct, frozen=True):
    """The properties by which a finding is known again."""

    severity: Severity
    code: str
    place: Location
    message: str


def preexisting(change: Change, findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Return the findings that the plan of the base has already: they do not fail the change.

    A finding counts as new if it is about a pool that the change makes fuller, if it is an error
    in a file that the change touches, or if it is in another place than in the base.
    """
    suspects = [
        it
        for it in findings
        if it.code == _BRAKE or (it.code not in _OF_CHANGE and it.location.path != ".")
    ]
    if not suspects:
        return ()
    base = change.base_plan
    known = Counter(
        _same(it, change.paths) for it in (*base.findings, *base.gates, *errors_once_read(base))
    )
    asked = Counter(_same(it, change.paths) for it in suspects)
    return tuple(
        item
        for item in suspects
        if item.code == _WAITING
        or (item.code == _BRAKE and _is_within_limit(change))
        or (
            item.code != _BRAKE
            and asked[same := _same(item, change.paths)] <= known[same]
            and not _is_worse(item, change.result, base)
            and not (item.severity is Severity.ERROR and item.location.path in change.paths)
        )
    )


def _is_within_limit(change: Change) -> bool:
    """Whether the base holds releases back, and the change adds no more than the limit permits."""
    known, result = change.held_by_base, change.result
    if not known:
        return False
    added = sum(it.claim not in known for it in held_releases(result))
    counts = replace(counts_of(result), releases=added)
    is_over = counts.is_over(result.tree.settings) or added == counts.live - len(known)
    return not added or not is_over


def _same(item: Finding, changed: frozenset[str]) -> _Same:
    """Return the identity of a finding, without lines of edited files and figures of gates."""
    is_edited = item.location.path in changed
    place = item.location._replace(line=0, column=0) if is_edited else item.location
    message = item.message if is_edited or item.severity is not Severity.GATE else ""
    if item.code == CAPACITY:
        place, message = item.location._replace(line=0, column=0), ""
    return _Same(item.severity, item.code, place, message)


def _is_worse(item: Finding, evaluation: Evaluation, base: Evaluation) -> bool:
    """Whether the finding is about a pool that the change makes fuller."""
    if item.code != CAPACITY:
        return False
    pools = evaluation.state.pools.values()
    for key in (pool.key for pool in pools if pool.source == item.location):
        now, was = evaluation.plan.after[key], base.plan.after.get(key)
        if was is None or _used(now) * was.total > _used(was) * now.total:
            return True
    return False


def _used(usage: Usage) -> int:
    return usage.allocated + usage.held
