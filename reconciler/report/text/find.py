"""`find`: where a run is free, which one comes next, and what comes free when."""

from collections.abc import Iterator

from reconciler.addresses.notation import format_cidr, format_count, format_short
from reconciler.asking.runs import Fit, Held, Runs, Wanted
from reconciler.model.instant import format_instant
from reconciler.report.escape import escape
from reconciler.report.free_runs import FreeRuns
from reconciler.report.text.table import Cell, Colour, Painter, table

MOST_RUNS = 5
"""So many runs of a pool are shown in which it fits."""
MOST_HELD = 10


def find_text(found: FreeRuns, painter: Painter) -> str:
    """A row for each free run in which it fits; where it does not, what there is."""
    rows = [row for runs in found.pools for row in _fitting(runs, found)]
    headers = ("POOL", "ADDRESSES", "IN FREE RUN", "SIZE", "")
    parts = [table(headers, rows, painter, right=(3,))]
    parts += [line for runs in found.pools for line in _more(runs)]
    parts += [line for runs in found.pools if not runs.fits for line in _lacking(runs, painter)]
    held = [row for runs in found.pools for row in _held(runs)]
    parts.append(table(("HELD IN", "ADDRESSES", "FREE FROM"), held[:MOST_HELD], painter))
    if len(held) > MOST_HELD:
        parts.append(f"{len(held) - MOST_HELD} more held ranges; -o json lists all\n")
    return "".join(parts) or "No pools found.\n"


def _fitting(runs: Runs, found: FreeRuns) -> Iterator[list[Cell]]:
    # What the plan takes first, or gives back, is so only when it is carried out.
    says = "comes next, once the plan is reconciled" if found.is_planned else "comes next"
    for fit in runs.fits[:MOST_RUNS]:
        note: Cell = (says, Colour.GREEN) if fit.is_next else ""
        size = format_count(fit.run.size)
        yield [runs.pool.name, _block(fit, found.wanted), format_short(fit.run), size, note]


def _block(fit: Fit, wanted: Wanted) -> str:
    block = format_cidr(fit.block) if wanted.prefix is not None else None
    return block or format_short(fit.block)


def _more(runs: Runs) -> Iterator[str]:
    """What the rows of a pool do not tell."""
    if len(runs.fits) > MOST_RUNS:
        left = len(runs.fits) - MOST_RUNS
        yield f"{runs.pool.name}: it fits into {left} more runs; -o json lists all\n"
    if runs.fits and runs.closed:
        yield f"{runs.pool.name}: gives none of them by itself: {escape(runs.closed)}\n"


def _lacking(runs: Runs, painter: Painter) -> Iterator[str]:
    """A pool in which it does not fit."""
    says = painter.paint("does not fit", Colour.RED)
    largest = ", ".join(f"{format_short(it)} ({format_count(it.size)})" for it in runs.largest)
    there = f"{format_count(runs.free)} free, largest runs {largest}" if largest else "nothing free"
    when = f"; it fits from {format_instant(runs.fits_from)} on" if runs.fits_from else ""
    yield f"{runs.pool.name}: {says}: {there}{when}\n"


def _held(runs: Runs) -> Iterator[list[Cell]]:
    for item in runs.held:
        yield [runs.pool.name, format_short(item.range), _free_from(item)]


def _free_from(item: Held) -> str:
    if item.is_planned:
        ends = "nobody uses it, and retention" if item.is_left else "and its retention ends"
        return f"the plan is reconciled, {ends}"
    if item.until is not None:
        return format_instant(item.until)
    return "nobody uses it, and retention" if item.is_left else "a person mends its record"
