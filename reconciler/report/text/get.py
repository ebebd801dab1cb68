"""`ipam get`: what families list, and records, in the columns of `kubectl get`."""

from collections.abc import Collection, Iterable, Mapping

from reconciler.addresses.notation import format_address
from reconciler.evaluate import Evaluation
from reconciler.families import families
from reconciler.families._objects import Listing, Standing
from reconciler.model.allocation import Allocation
from reconciler.model.instant import age
from reconciler.report.text.table import Cell, Painter, table

RECORDS = "allocations"
"""The word for records, which are no family's."""


def listings() -> Mapping[str, Listing | None]:
    """All that can be listed, by its word: pools, then records (None), then the rest."""
    theirs = [family.objects.listings for family in families()]
    pools = {listing.name: listing for found in theirs for listing in found[:1]}
    rest = {listing.name: listing for found in theirs for listing in found[1:]}
    return {**pools, RECORDS: None, **rest}


def listing_text(
    listing: Listing,
    evaluation: Evaluation,
    names: Collection[str],
    painter: Painter,
    *,
    wide: bool,
) -> str:
    """The rows of a listing; of those names alone, if there are any."""
    usage, records = evaluation.plan.before, evaluation.state.records
    standing = Standing(evaluation.documents, usage, records, evaluation.tree.clock)
    columns = (*listing.columns, *(listing.wide if wide else ()))
    cells = [column.exact if wide and column.exact else column.cell for column in columns]
    rows = [
        [cell(row) for cell in cells]
        for row in listing.rows(standing)
        if not names or row.document.name in names
    ]
    return table([column.header for column in columns], rows, painter)


def allocations_text(
    records: Iterable[Allocation], clock: int, painter: Painter, *, wide: bool
) -> str:
    """Records: POOL, CLUSTER, TYPE, PHASE, START, END, AGE."""
    rows: list[list[Cell]] = []
    for record in records:
        start = end = ""
        if record.range is not None:
            start = format_address(record.range.version, record.range.first)
            end = format_address(record.range.version, record.range.last)
        row: list[Cell] = [record.name, record.pool.name, record.owner.name, record.type]
        row += [record.phase.value, start, end, age(record.allocated_at or record.since, clock)]
        if wide:
            row += [record.owner.namespace, record.owner.team, str(record.size), record.path]
        rows.append(row)
    headers = ["NAME", "POOL", "CLUSTER", "TYPE", "PHASE", "START", "END", "AGE"]
    if wide:
        headers += ["NAMESPACE", "TEAM", "COUNT", "RECORD"]
    return table(headers, rows, painter)
