"""Text of queries."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from reconciler.addresses import format_address, format_cidr, format_count, format_short
from reconciler.documents.text import escape
from reconciler.families.interface import Listing, ListingRow
from reconciler.gitio.interface import CommitRow
from reconciler.history.commits import CommitCause
from reconciler.history.events import RecordEvent, What
from reconciler.history.runs import FreeFit, FreeQuery, FreeSpace, ReservedRange, Runs
from reconciler.history.who import Holder
from reconciler.model.claim import Allocation
from reconciler.model.instant import age, format_instant
from reconciler.planning.pool_map import AddressPart, AddressUse
from reconciler.report.listing import ListedItem
from reconciler.report.queries import CausedEvent, former_holder
from reconciler.report.text.table import Cell, Colour, Painter, table

MAX_RUNS = 5
"""So many runs of a pool are shown in which it fits."""
MAX_HELD = 10


def find_text(found: FreeSpace, painter: Painter) -> str:
    """A row for each free run in which it fits; where it does not, what there is."""
    rows = [row for runs in found.pools for row in _fitting(runs, found)]
    headers = ("POOL", "ADDRESSES", "IN FREE RUN", "SIZE", "")
    parts = [table(headers, rows, painter, right=(3,))]
    parts += [line for runs in found.pools for line in _more(runs)]
    parts += [line for runs in found.pools if not runs.fits for line in _lacking(runs, painter)]
    held = [row for runs in found.pools for row in _held(runs)]
    parts.append(table(("HELD IN", "ADDRESSES", "FREE FROM"), held[:MAX_HELD], painter))
    if len(held) > MAX_HELD:
        parts.append(f"{len(held) - MAX_HELD} more held ranges; -o json lists all\n")
    return "".join(parts) or "No pools found.\n"


def _fitting(runs: Runs, found: FreeSpace) -> Iterator[list[Cell]]:
    # What the plan takes first, or gives back, is so only when it is carried out.
    says = "comes next, once the plan is reconciled" if found.is_planned else "comes next"
    for fit in runs.fits[:MAX_RUNS]:
        note: Cell = (says, Colour.GREEN) if fit.is_next else ""
        size = format_count(fit.run.size)
        yield [runs.pool.name, _find_block(fit, found.wanted), format_short(fit.run), size, note]


def _find_block(fit: FreeFit, wanted: FreeQuery) -> str:
    block = format_cidr(fit.block) if wanted.prefix is not None else None
    return block or format_short(fit.block)


def _more(runs: Runs) -> Iterator[str]:
    """What the rows of a pool do not tell."""
    if len(runs.fits) > MAX_RUNS:
        left = len(runs.fits) - MAX_RUNS
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


def _free_from(item: ReservedRange) -> str:
    if item.is_planned:
        ends = "nobody uses it, and retention" if item.is_left else "and its retention ends"
        return f"the plan is reconciled, {ends}"
    if item.until is not None:
        return format_instant(item.until)
    return "nobody uses it, and retention" if item.is_left else "a person mends its record"


_RECORDS = ("NAME", "POOL", "CLUSTER", "TYPE", "PHASE", "START", "END", "AGE")
_WIDE = ("NAMESPACE", "TEAM", "COUNT", "RECORD")


def listing_text(
    listing: Listing,
    items: Iterable[ListedItem],
    painter: Painter,
    *,
    wide: bool,
    headers: bool = True,
) -> str:
    """The rows of documents."""
    columns = (*listing.columns, *(listing.wide if wide else ()))
    cells = [column.exact if wide and column.exact else column.cell for column in columns]
    rows = [
        [cell(item.row) for cell in cells] for item in items if isinstance(item.row, ListingRow)
    ]
    names = [column.header for column in columns]
    return table(names if headers else (), rows, painter)


def allocations_text(
    items: Iterable[ListedItem], clock: int, painter: Painter, *, wide: bool, headers: bool = True
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


def explanation_text(explained: dict[str, Any], painter: Painter) -> str:
    """The explanation for people."""
    refused = explained["action"] == "refuse"
    lines = [
        painter.paint(explained["claim"], Colour.BOLD),
        f"  asks for  {explained['asked']}",
        f"  verdict   {painter.paint(escape(explained['verdict']), Colour.RED if refused else None)}",
    ]
    if source := explained["source"]:
        lines.append(f"  source    {escape(source['path'])}:{source['line']}")
    if explained["record"]:
        lines.append(
            f"  record    {escape(explained['record'])} ({explained['phase']} since"
            f" {escape(explained['since'])})"
        )
    for order, pool in enumerate(explained["pools"], 1):
        lines.append(
            f"  pool {order}    {pool['pool'].rpartition('/')[2]}: {pool['available']} free of"
            f" {pool['total']}, largest run {pool['largestFreeBlock']}"
        )
    lines += [f"  remedy    {escape(remedy)}" for remedy in explained["remedies"]]
    for patch in explained["patches"]:
        lines.append(
            f"  patch {patch['number']}   {escape(patch['says'])}; it gets {patch['gets']}"
        )
        lines += [f"            but {escape(gate)}" for gate in patch["gates"]]
        lines += [escape(line) for line in patch["patch"].split("\n")[:-1]]
    if explained["patches"]:
        lines.append("  apply one with --write N, or give it to git apply")
    return "\n".join(lines) + "\n"


def code_text(told: dict[str, Any], painter: Painter) -> str:
    """What a code means, and an example of it; for people."""
    lines = [painter.paint(told["code"], Colour.BOLD), f"  {told['help']}"]
    if example := told["example"]:
        lines += ["  for example", f"    {escape(example['finding'])}"]
        lines += [f"      hint: {escape(example['hint'])}"] if example["hint"] else []
    return "\n".join(lines) + "\n"


def standing_text(told: dict[str, Any], painter: Painter) -> str:
    """What stands at some addresses, a line each; for people."""
    lines = [painter.paint(range_text(told), Colour.BOLD)]
    width = max((len(item["sort"]) for item in told["items"]), default=0)
    for item in told["items"]:
        says = f", {item['says']} {range_text(item)}" if item["says"] else ""
        what = f"{escape(item['title'])}: {range_text(item['whole'])}{says}"
        place = f"{escape(item['source']['path'])}:{item['source']['line']}"
        lines.append(f"  {item['sort']:{width}}  {what}  {place}")
    if not told["items"]:
        lines.append("  nothing of this repository stands there")
    return "\n".join(lines) + "\n"


def range_text(item: Mapping[str, Any]) -> str:
    """Addresses of JSON output, for people: one alone, else `first-last`."""
    start, end = item["start"], item["end"]
    return start if start == end else f"{start}-{end}"


FEW = 3
"""So many answers are told each by itself, with all that is known; more are rows."""
LEFT = "left, still announced until unused"
"""What addresses are that a claim has left, and that clusters announce."""
_COLOURS = {
    AddressUse.ALLOCATED: Colour.GREEN,
    AddressUse.HELD: Colour.YELLOW,
    AddressUse.IN_USE: Colour.RED,
}


def who_text(holders: Sequence[Holder], brought: dict[str, CausedEvent], painter: Painter) -> str:
    """What some addresses are: in blocks when they are few, else a row each."""
    if len(holders) > FEW:
        return _rows(holders, brought, painter)
    return "\n".join(_who_block(it, _of(it, brought), painter) for it in holders)


def happening_text(told: CausedEvent, painter: Painter) -> str:
    """What happened to the addresses of a claim, in one line."""
    item, cause = told
    where = "" if item.range is None else format_short(item.range)
    if item.source is not None:
        where = f"{format_short(item.source)} → {where}"
    pool = item.fact.pool.rpartition("/")[2]
    parts = [
        painter.paint(format_instant(item.row.clock), Colour.DIM),
        item.row.id[:12],
        f"{item.what.value:<10}",
        f"{where:<24}",
        f"{escape(item.fact.name)}{_on(item)} in {pool}{_still(item)}",
    ]
    parts.append(painter.paint(escape(_by(item.row, cause)), Colour.DIM))
    return f"{'  '.join(parts)}\n"


def _on(item: RecordEvent) -> str:
    """To whom it went on: another owner, or the claim under another name."""
    if item.giver:
        return f" from {escape(item.giver)} to {escape(item.fact.owner)}"
    return f" to {escape(item.heir.name)}" if item.heir is not None else ""


def _still(item: RecordEvent) -> str:
    """What a claim has left is not free, and not at rest."""
    return ", still announced until unused" if item.what is What.LEFT else ""


def _by(row: CommitRow, cause: CommitCause | None) -> str:
    """Who brought it about: the person whose commit it carries out, else who made the commit."""
    if cause is None:
        return f"by {row.author}"
    where = f" {cause.path}:{cause.line}" if cause.path else ""
    request = f" {cause.row.request}" if cause.row.request else ""
    return f"by {cause.row.author}{request}{where}{_approved(cause)}"


def _approved(cause: CommitCause) -> str:
    """The Override that let it pass, and the commit of who wrote it."""
    if cause.approval is None:
        return ""
    row, path = cause.approval
    return f", Override {path} ({row.id[:12]} of {row.author})"


def _of(holder: Holder, brought: dict[str, CausedEvent]) -> CausedEvent | None:
    record = holder.part.record
    return brought.get(record.path) if record is not None else None


def _who_block(holder: Holder, told: CausedEvent | None, painter: Painter) -> str:
    part = holder.part
    state = painter.paint(_state(holder), _COLOURS.get(part.sort))
    lines = [f"{painter.paint(format_short(part.range), Colour.BOLD)}  {state}"]
    lines += [f"  {name:<8}  {escape(text)}" for name, text in _facts(holder, told)]
    lines += [f"  {name:<8}  {escape(text)}" for name, text in _commits(holder, told)]
    for name, beside in (("before", holder.before), ("after", holder.after)):
        if beside is not None:
            lines.append(f"  {name:<8}  {escape(_beside(beside))}")
    return "\n".join(lines) + "\n"


def _state(holder: Holder) -> str:
    part = holder.part
    if part.sort is not AddressUse.HELD:
        return part.sort.value
    if part.record is not None and part.record.announced:
        return LEFT
    return "held" if holder.until is None else f"held until {format_instant(holder.until)}"


def _facts(holder: Holder, told: CausedEvent | None) -> Iterator[tuple[str, str]]:
    part = holder.part
    record = part.record
    if record is not None:
        team = f", team {record.owner.team}" if record.owner.team else ""
        yield "tenant", f"{record.owner.short}{team}"
        if former := former_holder(holder, told):
            until = "" if holder.giver is None else ", as the record says until reconcile writes it"
            yield "from", f"{former}{until}"
        whole = f", {format_short(record.range)} ({record.size})" if record.range else ""
        yield "claim", f"{record.claim.short}{whole}"
    elif part.title:
        yield "whose", part.title
    if part.pool is not None:
        yield "pool", f"{part.pool.short}{'' if part.space == 'default' else f', {part.space}'}"
    if record is not None:
        yield "since", record.since
        yield "record", record.path
    elif part.source is not None:
        yield "source", f"{part.source.path}:{part.source.line}"


def _commits(holder: Holder, told: CausedEvent | None) -> Iterator[tuple[str, str]]:
    """Which commit did it, and which one it carries out."""
    document = holder.document
    place = f"{document.path}:{document.line}" if document is not None else ""
    if told is None:
        if place:
            yield "cause", place
        return
    item, cause = told
    yield "commit", f"{item.row.id[:12]}, {format_instant(item.row.clock)}, {item.row.subject}"
    if cause is None:
        yield "author", item.row.author
        return
    if not place and cause.path:
        place = f"{cause.path}:{cause.line}"
    told_by = f"{cause.row.id[:12]}, {format_instant(cause.row.clock)}, {cause.row.subject}"
    yield "cause", f"{place}, {told_by}" if place else told_by
    yield "author", f"{cause.row.author}{f', {cause.row.request}' if cause.row.request else ''}"
    if cause.approval is not None:
        row, path = cause.approval
        yield "override", f"{path}, {row.id[:12]} of {row.author}"


def _beside(part: AddressPart) -> str:
    owner = part.record.owner.short if part.record is not None else part.title
    count = format_count(part.range.size)
    is_left = part.record is not None and part.record.announced
    what = LEFT if is_left else part.sort.value
    return f"{format_short(part.range)} ({count}) {what}{f' {owner}' if owner else ''}"


def _rows(holders: Sequence[Holder], brought: dict[str, CausedEvent], painter: Painter) -> str:
    rows: list[list[Cell]] = []
    for holder in holders:
        part = holder.part
        record, told = part.record, _of(holder, brought)
        owner = record.claim.short if record is not None else part.title
        since = record.since if record is not None else ""
        by = _by(told[0].row, told[1]).removeprefix("by ") if told is not None else ""
        pool = part.pool.name if part.pool is not None else ""
        state = (_state(holder), _COLOURS.get(part.sort))
        rows.append([format_short(part.range), state, owner, pool, since, by])
    return table(("ADDRESSES", "STATE", "HOLDER", "POOL", "SINCE", "BY"), rows, painter)
