"""What is told of the rounds of a reconcile: as text one by one, else as one document."""

from collections.abc import Sequence
from typing import Any

from reconciler.adapters.git.repository import GitRepository
from reconciler.cli.shared import streams
from reconciler.cli.shared.output import emit, emit_document, tell
from reconciler.cli.shared.outs import Out, write_texts
from reconciler.clusters.outcome import Applied, together
from reconciler.commands.exit_codes import reconciled_code
from reconciler.commands.reconcile import Reconciled
from reconciler.commands.rounds import Round
from reconciler.commands.writing import Part, has_wrong_settings
from reconciler.model.proposed import Proposed
from reconciler.ports import ExitCode
from reconciler.report.machine import (
    apply_document,
    json_line,
    json_text,
    listed,
    reconcile_document,
    served_listed,
    yaml_text,
)
from reconciler.report.text.apply import applied_text
from reconciler.report.text.findings import CARRIED_OUT, findings_text
from reconciler.report.text.plan import plan_text
from reconciler.report.text.reconcile import (
    nothing_sentence,
    proposed_sentence,
    published_sentence,
    reconcile_text,
    unpushed_sentence,
)
from reconciler.report.text.table import Painter


def tell_round(item: Round, repository: GitRepository, brush: Painter, to: str = "") -> None:
    """One round as text.

    Args:
        item: The round.
        repository: Where the branch is.
        brush: Colours.
        to: The branch that gets the commits instead; empty for none.
    """
    evaluation = item.done.evaluation
    found = [*evaluation.findings, *evaluation.gates]
    words = {} if has_wrong_settings(evaluation) else CARRIED_OUT
    tell(findings_text(found, brush, words)) if found else None
    if not item.done.parts:
        emit(plan_text(evaluation, brush))
        emit(reconcile_text(_nothing(item.done), brush))
    for part in item.done.parts:
        emit(plan_text(part.planned.evaluation, brush))
        if item.done.proposed is None:
            emit(reconcile_text(_published(part, repository), brush))
    if item.done.proposed is not None:
        emit(reconcile_text(_proposed(item.done, repository.branch, to), brush))
    emit(applied_text(item.applied, brush)) if item.applied is not None else None
    streams.flush()


def code_of(done: Sequence[Round]) -> ExitCode:
    """The exit code of all rounds."""
    last = done[-1].done
    return reconciled_code(last.code, last.evaluation, applied_in(done))


def applied_in(done: Sequence[Round]) -> list[Applied] | None:
    """What became of the clusters in all rounds."""
    found: list[Applied] | None = None
    for item in done:
        if item.applied is not None:
            found = together(found or [], item.applied)
    return found


def rounds_document(done: Sequence[Round], code: int, to: str = "") -> dict[str, Any]:
    """What was planned on the base, the last commit, and the clusters by then."""
    first, last = done[0].done, done[-1].done
    planned = [part.planned.evaluation for part in first.parts] or [first.evaluation]
    made = [item.done.commit.id for item in done if item.done.commit is not None]
    attempts = sum(item.done.attempts - 1 for item in done) + 1
    document = reconcile_document(
        planned[0],
        first.base.id,
        made[-1] if made else None,
        attempts=attempts,
        exit_code=code,
    )
    if first.proposed is not None:
        document |= {"pushed": False, "proposed": {"branch": to, "state": str(first.proposed)}}
    every = [*planned, first.evaluation, last.evaluation]
    # A gate is why it exits with 3: here is its only place.
    found = dict.fromkeys(it for each in every for it in (*each.findings, *each.gates))
    document["plan"]["findings"] = listed(tuple(found))
    if (applied := applied_in(done)) is not None:
        heads = [item.done.head.id for item in done if item.applied is not None]
        document["apply"] = apply_document(applied, heads[-1], code)
    if waits := [wait for item in done for wait in item.served]:
        document["served"] = served_listed(waits)
    return document


def emit_rounds(
    done: Sequence[Round], code: int, output: str, *, looped: bool, to: str = ""
) -> None:
    """One document of all rounds."""
    document = rounds_document(done, code, to)
    if looped:
        emit(json_line(document))
    else:
        emit_document(document, output)
    streams.flush()  # of a loop each run is told when it is done, not when a buffer is full


def write_rounds(outs: Sequence[Out], done: Sequence[Round], code: int, to: str = "") -> None:
    """Write the files of `--out`.

    Raises:
        UsageError: Some file cannot be written.
    """
    if not outs:
        return
    document = rounds_document(done, code, to)
    texts = {"json": json_text, "yaml": yaml_text}
    write_texts((out.path, texts[out.form](document)) for out in outs)


def _nothing(done: Reconciled) -> str:
    wrong, is_braked = has_wrong_settings(done.evaluation), done.evaluation.brake is not None
    return nothing_sentence(done.base.id, is_braked=is_braked, has_wrong_settings=wrong)


def _proposed(done: Reconciled, branch: str, to: str) -> str:
    commit = done.commit.id if done.commit is not None else ""
    how = done.proposed or Proposed.NOTHING
    return proposed_sentence(done.base.id, commit, (branch, to), how)


def _published(part: Part, repository: GitRepository) -> str:
    base, head, branch = part.planned.base.id, part.head.id, repository.branch
    is_braked = part.planned.evaluation.brake is not None
    if repository.remote is None and repository.worktree is not None:
        return unpushed_sentence(base, head, branch, is_braked=is_braked)
    where = (
        f"branch {branch} of the remote" if repository.remote is not None else f"branch {branch}"
    )
    return published_sentence(base, head, where, is_braked=is_braked)
