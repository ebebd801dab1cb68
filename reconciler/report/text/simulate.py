"""`simulate`: which pool fills when, and how many tenants fit."""

from reconciler.model.pool import Tier
from reconciler.report.escape import escape
from reconciler.report.simulation import Simulation, reached_tiers
from reconciler.report.text.table import Cell, Colour, Painter, table


def simulation_text(result: Simulation, painter: Painter) -> str:
    """A row for each pool today, at each tier that it reaches, and at the end."""
    rows: list[list[Cell]] = [
        [
            str(step.tenants),
            step.pool.name,
            str(step.allocated),
            str(step.held),
            str(step.total),
            f"{step.percent:.1f}",
            (reached_tiers(step.tier), None if step.tier is Tier.OK else Colour.YELLOW),
        ]
        for step in result.steps
    ]
    headers = ("TENANTS", "POOL", "ALLOC", "HELD", "TOTAL", "USED%", "TIERS")
    text = table(headers, rows, painter, right=(0, 2, 3, 4, 5))
    return f"{text}{_sum(result, painter)}"


def _sum(result: Simulation, painter: Painter) -> str:
    """How many fit, and how many of those pass; with what stops the next one."""
    refused, stopped = result.refused, result.stopped
    is_all = refused is None and stopped is None
    fit = (
        f"All {result.requested} fit"
        if refused is None
        else f"{result.fit} of {result.requested} fit"
    )
    verb = "passes" if result.passes == 1 else "pass"
    passes = f"; {result.passes} of them {verb} the gate" if stopped is not None else ""
    text = f"{painter.paint(f'{fit}{passes}.', Colour.GREEN if is_all else Colour.RED)}\n"
    told = [(refused.reason, refused.message, refused.hint)] if refused is not None else []
    told += [(stopped.code, stopped.message, stopped.hint)] if stopped is not None else []
    lines = (
        f"  {code}: {escape(message)}\n  hint: {escape(hint)}\n" for code, message, hint in told
    )
    return f"{text}{''.join(lines)}"
