"""`status`: how full each pool is, a column for each thing that is told of it."""

from collections.abc import Callable, Iterable
from typing import NamedTuple

from reconciler.addresses.notation import format_count
from reconciler.evaluate import Evaluation
from reconciler.model.key import Key
from reconciler.model.plan import Usage
from reconciler.report.text.bar import usage_bar
from reconciler.report.text.table import TIER_COLOURS, Cell, Painter, table


class Column(NamedTuple):
    """A column: its header, and what stands in it for a pool that is used so much.

    Attributes:
        exact: What stands in it in a wide table, where that is something else.
    """

    header: str
    cell: Callable[[Key, Usage], Cell]
    is_flush_right: bool = False
    exact: Callable[[Key, Usage], Cell] | None = None


def _counted(header: str, count: Callable[[Usage], int]) -> Column:
    """A column of counts that may be as large as IPv6 has them."""
    return Column(
        header,
        lambda _, usage: format_count(count(usage)),
        is_flush_right=True,
        exact=lambda _, usage: str(count(usage)),
    )


COLUMNS = (
    Column("NAME", lambda pool, _: pool.name),
    Column("KIND", lambda pool, _: pool.kind),
    _counted("TOTAL", lambda usage: usage.total),
    _counted("ALLOC", lambda usage: usage.allocated),
    _counted("HELD", lambda usage: usage.held),
    _counted("AVAIL", lambda usage: usage.available),
    Column("COUNT", lambda _, usage: str(usage.count), is_flush_right=True),
    Column("FRAG", lambda _, usage: str(usage.fragmentation), is_flush_right=True),
    Column("USED%", lambda _, usage: f"{usage.percent:.1f}", is_flush_right=True),
    Column("TIER", lambda _, usage: (usage.tier.value, TIER_COLOURS[usage.tier])),
)


def status_text(
    evaluation: Evaluation,
    painter: Painter,
    pools: Iterable[Key] | None = None,
    *,
    wide: bool = False,
    plain: bool = False,
) -> str:
    """A row for each pool, as it is used today.

    Args:
        evaluation: Of the revision.
        painter: Paints.
        pools: Keys of those that are meant; None for all.
        wide: Every number exact.
        plain: The bar in ASCII, for a terminal without UTF-8.
    """
    plan = evaluation.plan
    columns = (*COLUMNS, Column("USE", lambda _, usage: usage_bar(usage, plain=plain)))
    cells = [column.exact if wide and column.exact else column.cell for column in columns]
    rows = [
        [cell(key, plan.before[key]) for cell in cells]
        for key in (plan.after if pools is None else pools)
    ]
    headers = [column.header for column in columns]
    right = [at for at, column in enumerate(columns) if column.is_flush_right]
    return table(headers, rows, painter, right) or "No pools found.\n"
