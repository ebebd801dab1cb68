"""`ipam get` for people: what families list, and records, in the columns of `kubectl get`."""

from collections.abc import Iterable

from reconciler.addresses.notation import format_address
from reconciler.families._objects import Listing, Row
from reconciler.model.allocation import Allocation
from reconciler.model.instant import age
from reconciler.report.listing.items import Item
from reconciler.report.text.table import Cell, Painter, table

_RECORDS = ("NAME", "POOL", "CLUSTER", "TYPE", "PHASE", "START", "END", "AGE")
_WIDE = ("NAMESPACE", "TEAM", "COUNT", "RECORD")


def listing_text(
    listing: Listing, items: Iterable[Item], painter: Painter, *, wide: bool, headers: bool = True
) -> str:
    """The rows of documents."""
    columns = (*listing.columns, *(listing.wide if wide else ()))
    cells = [column.exact if wide and column.exact else column.cell for column in columns]
    rows = [[cell(item.row) for cell in cells] for item in items if isinstance(item.row, Row)]
    names = [column.header for column in columns]
    return table(names if headers else (), rows, painter)


def allocations_text(
    items: Iterable[Item], clock: int, painter: Painter, *, wide: bool, headers: bool = True
) -> str:
    """The rows of records."""
    records = (item.row for item in items)
    rows = [_row(it, clock, wide=wide) for it in records if isinstance(it, Allocation)]
    names = [*_RECORDS, *(_WIDE if wide else ())]
    return table(names if headers else (), rows, painter)


def _row(record: Allocation, clock: int, *, wide: bool) -> list[Cell]:
    start = end = ""
    if record.range is not None:
        start = format_address(record.range.version, record.range.first)
        end = format_address(record.range.version, record.range.last)
    row: list[Cell] = [record.name, record.pool.name, record.owner.name, record.type]
    row += [record.phase.value, start, end, age(record.allocated_at or record.since, clock)]
    if wide:
        row += [record.owner.namespace, record.owner.team, str(record.size), record.path]
    return row
