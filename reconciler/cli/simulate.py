"""`simulate`: how many more tenants fit."""

from pathlib import Path

import click

from reconciler.cli.opening import open_source
from reconciler.cli.options import Number, option, output_options, reading_options
from reconciler.cli.output import emit, emit_document, painter, progress, tell_errors
from reconciler.model.errors import ExitCode
from reconciler.reconcile.simulate import newcomer
from reconciler.reconcile.simulate import simulate as run_simulation
from reconciler.report.queries import simulation_document
from reconciler.report.text.runs import simulation_text


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
    """Add tenants in thought: how many fit, how many pass the gate, and which pool fills.

    Exit code 3 when not all of them fit and pass.
    """
    source = open_source(repo, rev, worktree=worktree).source
    with progress("simulating"):
        result = run_simulation(source, tenants, provider, lb=lb, nodes=nodes)
    brush = painter(color)
    tell_errors(result.evaluation.findings, brush)
    if output == "text":
        emit(simulation_text(result, brush))
    else:
        emit_document(simulation_document(result), output)
    return ExitCode.OK if result.passes == tenants else ExitCode.GATE
