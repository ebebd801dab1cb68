"""`status`, `map`, `forecast`, `find`, and `simulate`: pools now, later, and before."""

import shutil

import click

from reconciler.cli import opening, options, output
from reconciler.cli.commands import VerbCommand
from reconciler.cli.files import apply_result_of, apply_result_option
from reconciler.cli.options import option
from reconciler.history import queries
from reconciler.history.queries import trends
from reconciler.history.runs import FreeQuery
from reconciler.model.errors import ExitCode, UsageError
from reconciler.model.key import Key
from reconciler.planning.digest import summary
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.pool_map import MAX_COLUMNS, MAX_ROWS, pool_map
from reconciler.reconcile.simulate import simulate as run_simulation
from reconciler.report import queries as documents
from reconciler.report.json import pool_list
from reconciler.report.maps import pool_svg
from reconciler.report.text import pools as text
from reconciler.report.text.plan import counted
from reconciler.report.text.queries import find_text
from reconciler.report.text.runs import simulation_text


@click.command(cls=VerbCommand)
@click.argument("pools", nargs=-1, metavar="[POOL]...")
@options.reading
@option("--bars", is_flag=True, help="Draw a bar for each pool, with its last 90 days.")
@output.options("text", "wide", "json", "yaml")
def status(
    pools: tuple[str, ...], reading: options.Reading, bars: bool, result: output.Result
) -> int:
    """Show how full each pool is, by the current records. With POOL, show only those pools.

    With --bars, each pool is a bar as wide as the terminal. It marks the pool's thresholds and
    shows the use of the last 90 days from Git history.
    """
    if bars and result.is_document:
        hint = "use ipam forecast -o json for the past, or ipam status -o json for the figures"
        raise UsageError("--bars cannot be combined with -o json", hint)
    brush, is_wide = result.brush, result.output == "wide"
    read = opening.open_source(reading)
    evaluation = read.evaluation(brush)
    keys = None
    if pools:
        named = {key for name in pools for key in queries.pools_of_name(evaluation, name)}
        keys = [key for key in evaluation.plan.after if key in named]
    if result.is_document:
        output.emit_document(pool_list(evaluation, keys), result.output)
        return ExitCode.OK
    if bars:
        drawn = _bars(read, evaluation, keys or list(evaluation.plan.after))
        width = shutil.get_terminal_size().columns
        output.emit(text.bars_text(drawn, brush, width, wide=is_wide))
    else:
        output.emit(text.status_text(evaluation, brush, keys, wide=is_wide))
    if evaluation.changes:
        refused = summary(evaluation)["refuse"]
        count = f"{counted(evaluation)}, {refused} refused" if refused else counted(evaluation)
        output.note(f"pending: {count}; run ipam plan to see it")
    return ExitCode.OK


def _bars(
    read: opening.ReadRevision, evaluation: Evaluation, keys: list[Key]
) -> list[text.PoolBar]:
    with output.progress("reading"):
        past = queries.past_of(read.history(evaluation.tree.settings), evaluation.state.clock)
    state, usage = evaluation.state, evaluation.plan.before
    trend = trends(usage, past, keys)
    return [text.PoolBar(it, usage[it], state.pools[it].thresholds, trend[it]) for it in keys]


@click.command(cls=VerbCommand)
@click.argument("pool", required=False)
@options.reading
@options.past
@output.options("text", "json", "yaml", "svg")
def map(  # noqa: A001 - its name
    pool: str | None, reading: options.Reading, at: str | None, result: output.Result
) -> int:
    """Draw the addresses of a pool, with holders and free ranges. Without POOL, draw all pools.

    Letters mark the holders. A legend below the map explains the other signs. In a large pool, a
    cell contains several addresses: a power of two. IPv6 pools are listed as intervals.
    """
    brush, is_svg = result.brush, result.output == "svg"
    evaluation = opening.open_past(reading, at).evaluation(brush)
    state, usage = evaluation.state, evaluation.plan.before
    keys = sorted(state.pools) if pool is None else queries.pools_of_name(evaluation, pool)
    width = shutil.get_terminal_size().columns
    columns = MAX_COLUMNS if is_svg else width - text.GUTTER
    rows = text.SHORT_ROWS if result.output == "text" and pool is None else MAX_ROWS
    maps = [pool_map(state, key, columns, rows) for key in keys]
    if is_svg:
        output.emit(pool_svg([(it, text.picture_lines(it)) for it in maps]))
    elif result.is_document:
        output.emit_document(
            documents.pool_map_document(evaluation.tree.revision, maps), result.output
        )
    elif pool is None:
        pairs = zip(maps, (usage[key] for key in keys), strict=True)
        output.emit(text.short_text(list(pairs), brush, width))
    else:
        output.emit("\n".join(text.map_text(it, brush, width) for it in maps))
    return ExitCode.OK


@click.command(cls=VerbCommand)
@click.argument("pool", required=False)
@options.history
@options.past
@apply_result_option
@output.options("text", "json", "yaml")
def forecast(
    pool: str | None,
    reading: options.Reading,
    at: str | None,
    apply_result: str | None,
    result: output.Result,
) -> int:
    """Estimate when pools reach their warning level and their capacity limit, and when they are full.

    The estimate uses the average growth in the 30 and 90 days before the revision: addresses
    allocated or held then, and now. It does not depend on the clock.

    With --apply-result, it also shows each tenant's unused load-balancer addresses, in the clusters
    that this apply reached.
    """
    applied = apply_result_of(apply_result)
    read = opening.open_past(reading, at)
    evaluation = read.evaluation(result.brush)
    with output.progress("reading"):
        history = read.history(evaluation.tree.settings)
        past, outlooks = queries.forecast(evaluation, history, pool)
        idle = None if applied is None else queries.idle_of(evaluation, applied, pool)
    result.show(
        lambda brush: text.forecast_text(past, outlooks, brush, idle),
        lambda: documents.outlook_document(history.start, past, outlooks, idle),
    )
    return ExitCode.OK


@click.command(cls=VerbCommand, context_settings={"allow_extra_args": True})
@options.reading
@option("--count", metavar="N", type=click.IntRange(1), help="Find N contiguous addresses.")
@option(
    "--prefix",
    metavar="LENGTH",
    type=click.IntRange(1, 128),
    help="Find a CIDR block: 28 for a /28.",
)
@option("--pool", metavar="POOL", help="Search only this pool.")
@option("--provider", metavar="NAME", help="Search only pools of this ProviderConfig.")
@output.options("text", "json", "yaml")
def find(
    reading: options.Reading,
    count: int | None,
    prefix: int | None,
    pool: str | None,
    provider: str | None,
    result: output.Result,
) -> int:
    """Find contiguous free addresses, in the order in which pools would allocate them.

    Claims of the revision already count as allocated. Exit code 1 if no free range is large enough.
    """
    if names := click.get_current_context().args:
        hint = f"run ipam who {names[0]} to see its addresses, or ipam find --count N for free ones"
        raise UsageError(f"find accepts no name, got {names[0]!r}", hint)
    if (count is None) is (prefix is None):
        raise UsageError("set either --count or --prefix", "use --count 8, or --prefix 28")
    source = opening.open_source(reading).source
    with output.progress("looking"):
        found = queries.find(source, FreeQuery(count or 0, prefix), pool, provider)
    result.show(lambda brush: find_text(found, brush), lambda: documents.free_runs_document(found))
    return ExitCode.OK if found.fits else ExitCode.WRONG


@click.command(cls=VerbCommand)
@options.reading
@option(
    "--tenants", metavar="N", type=click.IntRange(1, 100_000), required=True, help="Add N tenants."
)
@option(
    *("--provider", "--pool", "provider"),
    metavar="NAME",
    help="Use this ProviderConfig or pool. Default: the default provider.",
)
@option("--lb", metavar="N", type=click.IntRange(1), help="Give each N load-balancer addresses.")
@option("--nodes", metavar="N", type=click.IntRange(1), help="Give each N worker nodes.")
@output.options("text", "json", "yaml")
def simulate(
    reading: options.Reading,
    tenants: int,
    provider: str | None,
    lb: int | None,
    nodes: int | None,
    result: output.Result,
) -> int:
    """Simulate new tenants: how many fit, how many stay within limits, and which pool fills up.

    Exit code 3 if some tenants do not fit or exceed a limit.
    """
    source = opening.open_source(reading).source
    with output.progress("simulating"):
        found = run_simulation(source, tenants, provider, lb=lb, nodes=nodes)
    output.tell_errors(found.evaluation.findings, result.brush)
    result.show(
        lambda brush: simulation_text(found, brush), lambda: documents.simulation_document(found)
    )
    return ExitCode.OK if found.passes == tenants else ExitCode.GATE
