"""A revision as reconcile sees it: beside what it made last, with what people did since then."""

from collections.abc import Iterable
from functools import partial

from msgspec.structs import replace

from reconciler.commands.handwork import records_since
from reconciler.commands.last_made import LastMade, last_made
from reconciler.commands.let_go import without_let_go
from reconciler.commands.putting_back import Anchor, allowing, with_records_since
from reconciler.commands.reading.reader import evaluate_source
from reconciler.commands.reading.settings import (
    folder_with_records,
    has_records,
    left_over,
    read_own_settings,
)
from reconciler.commands.strays import Move, stray_records
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Location, cut_off, ordered
from reconciler.model.plan import Grant
from reconciler.model.settings import PATH, Settings
from reconciler.observed import is_observed
from reconciler.overrides import told
from reconciler.ports import Changed, Repository, Source
from reconciler.review.observed_edits import Beside, with_observed_edits
from reconciler.review.settings import held_to


def as_reconciled(source: Source, repository: Repository) -> Evaluation:
    """The evaluation of a revision beside what reconcile made last."""
    evaluation = evaluate_source(source)
    return with_changes_by_hand(repository, source, evaluation)


def with_changes_by_hand(
    repository: Repository,
    source: Source,
    evaluation: Evaluation,
    base: Source | None = None,
) -> Evaluation:
    """The evaluation with what people did to records since the newest reconcile commit.

    Before the first one all of them are.

    Args:
        repository: Where they are.
        source: The files of the revision.
        evaluation: Of the revision.
        base: What a change is compared with, if it is one: only on its line people were allowed
            something already.
    """
    revision, settings, first = source.revision(), evaluation.tree.settings, evaluation.findings
    made = LastMade(None) if revision is None else last_made(repository, revision)
    last, cut = made.commit, _cut(repository, source, settings, made)
    changes: list[Changed] = []
    if revision is not None and last is not None and last != revision.id:
        paths = [PATH, settings.records, settings.observed]
        changes, _ = repository.changed(last, revision.id, paths, settings.limits)
    is_set_anew = any(change.path == PATH for change in changes)
    doubts = [
        *made.findings,
        *([cut] if cut else []),
        *(strays(repository, source, evaluation) if last is None else []),
    ]
    # Where reconcile went on, no record was left elsewhere.
    if last is None or is_set_anew:
        folder = folder_with_records(source, settings)
        doubts += [left_over(settings, folder)] if folder else []
    evaluation = replace(with_found(evaluation, doubts), cut=cut)
    if last is None or revision is None or not changes:
        return evaluation
    before = repository.source(last)
    before.bound(settings.limits)
    theirs = read_own_settings(before, settings).settings if is_set_anew else settings
    evaluation = held_to(evaluation, theirs, last[:12])
    between = partial(repository.changed, last, revision.id, limits=settings.limits)
    if theirs.observed != settings.observed:
        # What was moved along with the folder is what stood in the earlier one.
        changes += between([theirs.observed])[0]
    if any(it.new is None and _is_of_either(it.path, theirs, settings) for it in changes):
        # People may describe by now what was observed.
        changes += between(settings.sources)[0]
    # Of what stood before anything that reconcile made, records may have been brought in.
    if not made.is_proven and not has_records(before, theirs.records):
        return evaluation

    sides = Beside(last[:12], (before, theirs), (source, settings))
    evaluation = with_observed_edits(evaluation, sides, changes)
    records = without_let_go(
        repository,
        (base or source, settings),
        last,
        records_since(sides.before, sides.now, changes),
        allowing(evaluation),
    )
    told_of = tuple(item for item in evaluation.findings if item not in first)
    return with_records_since(
        evaluation, source, records, Anchor(last, theirs, made.is_proven, told_of)
    )


def with_overrides(evaluation: Evaluation) -> Evaluation:
    """The evaluation with what each Override lets pass, or that it does not, at the very end."""
    return with_found(evaluation, told(evaluation.tree.overrides, evaluation.plan.after))


def strays(
    repository: Repository,
    source: Source,
    evaluation: Evaluation,
    base: Source | None = None,
) -> list[Finding]:
    """What is said of a root that was moved; nearly always nothing is asked.

    Without a base reconcile never went over it.
    """
    settings, now = evaluation.tree.settings, source.revision()
    decisions, before = evaluation.plan.decisions, base.revision() if base is not None else None
    anew = [it.claim for it in decisions if isinstance(it, Grant) and it.replaces is None]
    begins = now is not None and not has_records(source, settings.records)
    if now is None or not (begins or (anew and before is not None and before != now)):
        return []

    if base is not None:
        begins = begins and last_made(repository, now).commit is None
    move = Move(now.id, settings, before.id if before is not None else None, anew, begins=begins)
    return stray_records(repository, move)


def with_found(evaluation: Evaluation, found: Iterable[Finding]) -> Evaluation:
    """The evaluation with more findings, all of them by place."""
    listed = list(found)
    if not listed:
        return evaluation
    return replace(evaluation, findings=ordered([*evaluation.findings, *listed]))


def _is_of_either(path: str, *settings: Settings) -> bool:
    """The path is that of a file of what was observed, by one of the Settings."""
    return any(is_observed(it, path) for it in settings)


def _cut(
    repository: Repository, source: Source, settings: Settings, made: LastMade
) -> Finding | None:
    """What is said where the clone ends before the newest commit that is known to be reconcile's."""
    is_told = made.is_proven or source.revision() is None or not repository.is_shallow()
    if is_told or not has_records(source, settings.records):
        return None
    message = "the clone is too shallow to tell what people did to records"
    return cut_off(Location(settings.records), message)
