"""`status`: how full each pool is, a column for each thing that is told of it."""

from collections.abc import Callable
from typing import NamedTuple

from reconciler.evaluate import Evaluation
from reconciler.model.key import Key
from reconciler.model.plan import Usage
from reconciler.report.text.table import TIER_COLOURS, Cell, Painter, table


class Column(NamedTuple):
    """A column: its header, and what stands in it for a pool that is used so much."""

    header: str
    cell: Callable[[Key, Usage], Cell]
    is_flush_right: bool = False


COLUMNS = (
    Column("NAME", lambda pool, _: pool.name),
    Column("KIND", lambda pool, _: pool.kind),
    Column("TOTAL", lambda _, usage: str(usage.total), is_flush_right=True),
    Column("ALLOC", lambda _, usage: str(usage.allocated), is_flush_right=True),
    Column("AVAIL", lambda _, usage: str(usage.available), is_flush_right=True),
    Column("COUNT", lambda _, usage: str(usage.count), is_flush_right=True),
    Column("FRAG", lambda _, usage: str(usage.fragmentation), is_flush_right=True),
    Column("USED%", lambda _, usage: f"{usage.percent:.1f}", is_flush_right=True),
    Column("TIER", lambda _, usage: (usage.tier.value, TIER_COLOURS[usage.tier])),
)


def status_text(evaluation: Evaluation, painter: Painter) -> str:
    """A row for each pool, as it is used today."""
    plan = evaluation.plan
    rows = [[column.cell(key, plan.before[key]) for column in COLUMNS] for key in plan.after]
    headers = [column.header for column in COLUMNS]
    right = [at for at, column in enumerate(COLUMNS) if column.is_flush_right]
    return table(headers, rows, painter, right) or "No pools found.\n"
