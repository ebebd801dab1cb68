"""A revision as reconcile sees it: its plan, judged with the newest reconcile commit (ADR 0016)."""

from collections.abc import Iterable

from msgspec.structs import replace

from reconciler.commands.edited_records import edited
from reconciler.commands.reading.reader import DEFAULTS, EvaluationOptions, evaluate_source
from reconciler.commands.reading.settings import folder_with_records, has_records, left_over
from reconciler.commands.reconcile_commits import newest, settings_at
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, ordered
from reconciler.model.plan import Grant
from reconciler.overrides import told
from reconciler.ports import Repository, Source
from reconciler.review.settings import held_to


def as_reconciled(
    source: Source, repository: Repository, options: EvaluationOptions = DEFAULTS
) -> Evaluation:
    """Return the evaluation of a revision of the branch, with errors about edited records."""
    evaluation = evaluate_source(source, options)
    return with_changes_by_hand(repository, source, evaluation)


def with_changes_by_hand(
    repository: Repository, source: Source, evaluation: Evaluation
) -> Evaluation:
    """Return an evaluation by the stricter Settings of both, with errors about edited records.

    Args:
        repository: The repository.
        source: The files of the revision.
        evaluation: The evaluation of the revision.
    """
    revision = source.revision()
    if revision is None:
        folder = folder_with_records(source, evaluation.tree.settings)
        return with_found(
            evaluation, [left_over(evaluation.tree.settings, folder)] if folder else []
        )
    # A source may be laid over with other files or have another clock.
    source = repository.source(revision.id)
    settings, last = evaluation.tree.settings, newest(repository, revision.id)
    earlier = settings_at(repository.source(last)) if last else None
    found = [] if last else strays(repository, source, evaluation)
    found = found or list(edited(repository, source, evaluation))
    if earlier is None or earlier.records != settings.records:
        folder = folder_with_records(source, settings)
        found += [left_over(settings, folder)] if folder else []
    if earlier is not None:
        evaluation = held_to(evaluation, earlier, last[:12])
    return with_found(evaluation, found)


def with_overrides(evaluation: Evaluation) -> Evaluation:
    """Return the evaluation with a finding for each Override that permits something, or nothing."""
    return with_found(evaluation, told(evaluation.tree.overrides, evaluation.plan.after))


def strays(
    repository: Repository,
    source: Source,
    evaluation: Evaluation,
    base: Source | None = None,
) -> list[Finding]:
    """Return errors about records of a root that was moved or removed.

    Args:
        repository: The repository.
        source: The files of the revision.
        evaluation: The evaluation of the revision.
        base: The base of a change; without it the root has no reconcile commit.
    """
    settings, now = evaluation.tree.settings, source.revision()
    decisions, before = evaluation.plan.decisions, base.revision() if base is not None else None
    anew = [it.claim for it in decisions if isinstance(it, Grant) and it.replaces is None]
    begins = now is not None and not has_records(source, settings.records)
    if now is None or not (begins or (anew and before is not None and before != now)):
        return []
    from reconciler.commands.strays import Move, stray_records

    if base is not None:
        begins = begins and not newest(repository, now.id)
    move = Move(now.id, settings, before.id if before is not None else None, anew, begins=begins)
    return stray_records(repository, move)


def with_found(evaluation: Evaluation, found: Iterable[Finding]) -> Evaluation:
    """Return the evaluation with more findings, all of them by place."""
    listed = list(found)
    if not listed:
        return evaluation
    return replace(evaluation, findings=ordered([*evaluation.findings, *listed]))
