"""`check`, `plan`, `simulate`: what a pull request is judged by."""

from pathlib import Path
from typing import Any

import click

from reconciler.cli.formats import Checked, Out, check_in, review_options, write_outs
from reconciler.cli.options import Number, option, output_options, reading_options
from reconciler.cli.progress import progress
from reconciler.cli.shared import emit, open_facts, open_source, painter, tell
from reconciler.commands.outcome import exit_code
from reconciler.commands.review import review
from reconciler.commands.simulate import newcomer
from reconciler.commands.simulate import simulate as run_simulation
from reconciler.comparison import Compared
from reconciler.ports import ExitCode
from reconciler.report.found import all_found
from reconciler.report.machine import json_text, plan_document, yaml_text
from reconciler.report.markdown import markdown_text
from reconciler.report.simulation import simulation_document, simulation_text
from reconciler.report.text import findings_text, plan_text

base_option = option("--base", metavar="REV", help="Revision that the change is made to.")


@click.command()
@reading_options
@base_option
@review_options
def check(
    repo: Path,
    rev: str,
    worktree: bool,
    base: str | None,
    output: str,
    outs: tuple[Out, ...],
    color: str,
) -> int:
    """Find what is wrong, and what would run full.

    With --base the Settings of that revision judge the change. Exit code 1: the content is wrong;
    3: it is right, but a gate stops it.
    """
    # Each file is a test of its own in JUnit, also one that the cache knows nothing is wrong with.
    whole = "junit" in (output, *(out.form for out in outs))
    compared = _review(repo, rev, base, worktree=worktree, whole=whole)
    checked = Checked(compared, base, exit_code(compared.evaluation))
    emit(check_in(output, checked, painter(color)))
    write_outs(outs, checked)
    return checked.code


@click.command()
@reading_options
@base_option
@option("--all", "keeps", is_flag=True, help="Show what stays, too.")
@option("--detailed-exitcode", is_flag=True, help="Exit with 2 when changes are pending.")
@output_options("text", "json", "yaml", "markdown")
def plan(
    repo: Path,
    rev: str,
    worktree: bool,
    base: str | None,
    keeps: bool,
    detailed_exitcode: bool,
    output: str,
    color: str,
) -> int:
    """Show the exact addresses that reconciling this revision gives out.

    Exit code 0, whatever the plan says, unless the content is wrong (1), or a claim is refused or
    another gate would stop it (3).
    """
    compared = _review(repo, rev, base, worktree=worktree, whole=keeps)
    evaluation = compared.evaluation
    if output == "text":
        brush = painter(color)
        # Refusals stand in the plan; what else stops it is told here.
        shown = ("capacity", "brake", "clock-ahead")
        refused = [item for item in evaluation.gates if item.code not in shown]
        found = [item for item in all_found(evaluation) if item not in refused]
        tell(findings_text(found, brush)) if found else None
        emit(plan_text(evaluation, brush, moved=compared.moved, keeps=keeps))
    elif output == "markdown":
        emit(markdown_text(compared, "plan", base=base, keeps=keeps))
    else:
        _machine(plan_document(evaluation, base=base, moved=compared.moved, keeps=keeps), output)
    code = exit_code(evaluation)
    pending = detailed_exitcode and bool(evaluation.changes)
    return ExitCode.CHANGES if code is ExitCode.OK and pending else code


@click.command()
@reading_options
@option("--tenants", type=Number(1, 100_000), required=True, help="How many tenants to add.")
@option("--provider", help=f"{newcomer().chooses.kind} that they use; else the default one.")
@option("--lb", type=Number(1), help="Load-balancer addresses of each.")
@option("--nodes", type=Number(1), help="Worker nodes of each.")
@output_options("text", "json", "yaml")
def simulate(
    repo: Path,
    rev: str,
    worktree: bool,
    tenants: int,
    provider: str | None,
    lb: int | None,
    nodes: int | None,
    output: str,
    color: str,
) -> int:
    """Add tenants in thought: how many fit, and which pool fills.

    Exit code 3 when not all of them fit.
    """
    source = open_source(repo, rev, worktree=worktree).source
    with progress("simulating"):
        result = run_simulation(source, tenants, provider, lb=lb, nodes=nodes)
    if output == "text":
        emit(simulation_text(result, painter(color)))
    else:
        _machine(simulation_document(result), output)
    return ExitCode.OK if result.fit == tenants else ExitCode.GATE


def _review(
    repo: Path, rev: str, base: str | None, *, worktree: bool, whole: bool = False
) -> Compared:
    read = open_source(repo, rev, worktree=worktree)
    facts = None if whole else open_facts(read.repository)
    with progress("planning"):
        return review(read.source, read.repository, base, facts)


def _machine(document: dict[str, Any], output: str) -> None:
    emit(json_text(document) if output == "json" else yaml_text(document))
