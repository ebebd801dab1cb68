"""`plan`: the exact addresses that reconcile will allocate for a revision."""

from pathlib import Path

import click

from reconciler.cli.opening import Reviewed, reviewed
from reconciler.cli.options import (
    at_option,
    base_option,
    fetch_option,
    option,
    output_options,
    proposed_option,
    reading_options,
)
from reconciler.cli.output import emit, emit_document, painter, tell
from reconciler.model.errors import ExitCode
from reconciler.reconcile.evaluation import exit_code
from reconciler.report.findings import all_found
from reconciler.report.json import plan_document
from reconciler.report.markdown import at_top, markdown_text, marked
from reconciler.report.moves import causes_listed
from reconciler.report.text.plan import causes_text, plan_text
from reconciler.report.text.table import findings_text
from reconciler.review.result import Compared, with_emptiness


@click.command()
@reading_options
@base_option
@at_option
@fetch_option
@proposed_option
@option("--all", "keeps", is_flag=True, help="Show what stays, too.")
@option("--detailed-exitcode", is_flag=True, help="Exit with 2 when changes are pending.")
@output_options("text", "json", "yaml", "markdown")
def plan(
    repo: Path,
    rev: str,
    worktree: bool,
    base: str | None,
    at: str | None,
    fetch_missing: bool,
    proposed: str | None,
    keeps: bool,
    detailed_exitcode: bool,
    output: str,
    color: str,
) -> int:
    """Show the exact addresses that reconciling this revision gives out.

    Exit code 0, whatever the plan says, unless the content is wrong (1), or a claim is refused or
    another gate would stop it (3).
    """
    found = reviewed(
        repo, rev, base,
        worktree=worktree, at=at, fetches=fetch_missing, proposed=proposed,
    )  # fmt: skip
    compared = _compared(found)
    evaluation = compared.evaluation
    if output == "text":
        brush = painter(color)
        # The plan contains refusals. Other findings that stop it are printed here.
        shown = ("capacity", "brake", "clock-ahead", "announcement-moved")
        refused = [item for item in evaluation.gates if item.code not in shown]
        others = [item for item in all_found(evaluation) if item not in refused]
        tell(findings_text(others, brush)) if others else None
        emit(plan_text(evaluation, brush, keeps=keeps, causes=compared.causes))
        if compared.causes:
            emit(causes_text(compared.causes, brush))
    elif output == "markdown":
        text = markdown_text(at_top(compared, found.root), "plan", base=base, keeps=keeps)
        emit(marked(text, found.root))
    else:
        document = plan_document(evaluation, base=base, keeps=keeps)
        emit_document({**document, **_caused(compared, base)}, output)
    code = exit_code(evaluation)
    pending = detailed_exitcode and bool(evaluation.changes)
    return ExitCode.CHANGES if code is ExitCode.OK and pending else code


def _caused(compared: Compared, base: str | None) -> dict[str, object]:
    """Return the cause of each decision in the change, or nothing without a base."""
    if base is None:
        return {}

    return {"causes": causes_listed(compared.causes)}


def _compared(found: Reviewed) -> Compared:
    """Return the comparison, with the finding of `check` if there is no document at all."""
    evaluation = found.compared.evaluation
    if evaluation.state.pools or evaluation.plan.decisions:
        return found.compared

    return with_emptiness(found.source, found.compared, allows=False)
