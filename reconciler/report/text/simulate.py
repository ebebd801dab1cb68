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
            str(step.total),
            f"{step.percent:.1f}",
            (reached_tiers(step.tier), None if step.tier is Tier.OK else Colour.YELLOW),
        ]
        for step in result.steps
    ]
    headers = ("TENANTS", "POOL", "ALLOC", "TOTAL", "USED%", "TIERS")
    text = table(headers, rows, painter, right=(0, 2, 3, 4))
    if result.refused is None:
        return f"{text}{painter.paint(f'All {result.requested} fit.', Colour.GREEN)}\n"
    refused = result.refused
    return (
        f"{text}{painter.paint(f'{result.fit} of {result.requested} fit.', Colour.RED)}\n"
        f"  {refused.reason}: {escape(refused.message)}\n  hint: {escape(refused.hint)}\n"
    )
