"""Text of queries."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from reconciler.addresses import format_cidr, format_count, format_short
from reconciler.documents.findings import plural
from reconciler.documents.text import escape
from reconciler.families.interface import Listing, ListingRow
from reconciler.gitio.interface import CommitRow
from reconciler.history.commits import Caused
from reconciler.history.events import What
from reconciler.history.runs import FreeSpace, ReservedRange, Runs
from reconciler.history.who import Holder
from reconciler.model.claim import Allocation
from reconciler.model.instant import age, format_instant
from reconciler.planning.pool_map import AddressPart, AddressUse
from reconciler.report.listing import ListedItem
from reconciler.report.queries import commit_of, former_holder
from reconciler.report.text.table import Cell, Colour, Painter, table

_MAX_RUNS, _MAX_HELD = 5, 10


def find_text(found: FreeSpace, painter: Painter) -> str:
    """Return a row per free range that fits, and the largest free ranges of other pools."""
    rows = [row for runs in found.pools for row in _fitting(runs, found)]
    headers = ("POOL", "ADDRESSES", "IN FREE RANGE", "SIZE", "")
    parts = [table(headers, rows, painter, right=(3,))]
    parts += [line for runs in found.pools for line in _more(runs)]
    parts += [_lacking(runs, painter) for runs in found.pools if not runs.fits]
    held: list[list[Cell]] = [
        [runs.pool.name, format_short(item.range), _free_from(item)]
        for runs in found.pools
        for item in runs.held
    ]
    parts.append(table(("HELD IN", "ADDRESSES", "FREE"), held[:_MAX_HELD], painter))
    if len(held) > _MAX_HELD:
        parts.append(f"{plural(len(held) - _MAX_HELD, 'more held range')}; -o json lists all\n")
    return "".join(parts) or "No pools found.\n"


def _fitting(runs: Runs, found: FreeSpace) -> Iterator[list[Cell]]:
    says = "comes next after the plan" if found.is_planned else "comes next"
    for fit in runs.fits[:_MAX_RUNS]:
        note: Cell = (says, Colour.GREEN) if fit.is_next else ""
        block = format_cidr(fit.block) if found.wanted.prefix is not None else None
        run, size = format_short(fit.run), format_count(fit.run.size)
        yield [runs.pool.name, block or format_short(fit.block), run, size, note]


def _more(runs: Runs) -> Iterator[str]:
    if len(runs.fits) > _MAX_RUNS:
        left = len(runs.fits) - _MAX_RUNS
        yield f"{runs.pool.name}: fits into {plural(left, 'more range')}; -o json lists all\n"
    if runs.fits and runs.closed:
        yield f"{runs.pool.name}: allocates nothing automatically, because {escape(runs.closed)}\n"


def _lacking(runs: Runs, painter: Painter) -> str:
    says = painter.paint("does not fit", Colour.RED)
    largest = ", ".join(f"{format_short(it)} ({format_count(it.size)})" for it in runs.largest)
    has = f"{format_count(runs.free)} free, largest ranges {largest}" if largest else "nothing free"
    when = f"; fits from {format_instant(runs.fits_from)} on" if runs.fits_from else ""
    return f"{runs.pool.name}: {says}: {has}{when}\n"


def _free_from(item: ReservedRange) -> str:
    if item.is_planned:
        return f"after reconcile{', use,' if item.is_left else ''} and retention"
    if item.until is not None:
        return format_instant(item.until)
    return "after use and retention" if item.is_left else "after its record is corrected"


_RECORDS = ("NAME", "POOL", "ADDRESSES", "PHASE", "AGE")
_OWNERS = {"AddressClaim": "for", "ClusterTarget": "cluster"}
_WIDE = ("TYPE", "CLUSTER", "NAMESPACE", "TEAM", "COUNT", "RECORD")


def listing_text(
    listing: Listing, items: Iterable[ListedItem], painter: Painter, *, wide: bool, headers: bool
) -> str:
    """Return the table of documents."""
    columns = (*listing.columns, *(listing.wide if wide else ()))
    cells = [column.exact if wide and column.exact else column.cell for column in columns]
    listed = [item.row for item in items if isinstance(item.row, ListingRow)]
    rows = [[cell(row) for cell in cells] for row in listed]
    names = [column.header for column in columns]
    return table(names if headers else (), rows, painter)


def allocations_text(
    items: Iterable[ListedItem], clock: int, painter: Painter, *, wide: bool, headers: bool
) -> str:
    """Return the table of records."""
    records = (item.row for item in items)
    rows = [_record_row(it, clock, wide=wide) for it in records if isinstance(it, Allocation)]
    names = [*_RECORDS, *(_WIDE if wide else ())]
    return table(names if headers else (), rows, painter)


def _record_row(record: Allocation, clock: int, *, wide: bool) -> list[Cell]:
    addresses = "" if record.range is None else format_short(record.range)
    row: list[Cell] = [record.name, record.pool.name, addresses, record.phase.value]
    row.append(age(record.allocated_at or record.since, clock))
    if wide:
        cluster = "-" if record.claim.kind == "AddressClaim" else record.owner.name
        row += [record.type, cluster, record.owner.namespace, record.owner.team]
        row += [str(record.size), record.path]
    return row


def explanation_text(explained: dict[str, Any], painter: Painter) -> str:
    """Return the text of an `Explanation` document."""
    refused = explained["action"] == "refuse"
    lines = [
        painter.paint(explained["claim"], Colour.BOLD),
        f"  asks for  {explained['asked']}",
        f"  verdict   {painter.paint(escape(explained['verdict']), Colour.RED if refused else None)}",
    ]
    if explained["reason"]:
        lines.append(f"  reason    {escape(explained['reason'])}")
    if source := explained["source"]:
        lines.append(f"  source    {escape(source['path'])}:{source['line']}")
    if explained["record"]:
        lines.append(
            f"  record    {escape(explained['record'])} ({explained['phase']} since {escape(explained['since'])})"
        )
    for order, pool in enumerate(explained["pools"], 1):
        lines.append(
            f"  pool {order}    {pool['pool'].rpartition('/')[2]}: {pool['available']} free of {pool['total']}, largest range {pool['largestFreeBlock']}"
        )
    lines += [f"  hint      {escape(remedy)}" for remedy in explained["remedies"]]
    for patch in explained["patches"]:
        lines.append(
            f"  patch {patch['number']}   {escape(patch['says'])}; it gets {patch['gets']}"
        )
        lines += [f"            but {escape(gate)}" for gate in patch["gates"]]
        lines += [escape(line) for line in patch["patch"].split("\n")[:-1]]
    if explained["patches"]:
        lines.append("  to apply one: --write N, or git apply")
    return "\n".join(lines) + "\n"


def code_text(code: dict[str, Any], painter: Painter) -> str:
    """Return the text of a `Code` document."""
    head = painter.paint(code["code"], Colour.BOLD)
    lines = [head, f"  cause: {code['cause']}", f"  fix: {code['fix']}"]
    lines += ["  example:", f"    {escape(code['example']['finding'])}"]
    lines += [f"      hint: {escape(hint)}"] if (hint := code["example"]["hint"]) else []
    return "\n".join(lines) + "\n"


def objects_at_text(found: dict[str, Any], painter: Painter) -> str:
    """Return the text of a `Standing` document, a line per object."""
    lines = [painter.paint(range_text(found), Colour.BOLD)]
    width = max((len(item["sort"]) for item in found["items"]), default=0)
    for item in found["items"]:
        says = f", {item['says']} {range_text(item)}" if item["says"] else ""
        what = f"{escape(item['title'])}: {range_text(item['whole'])}{says}"
        place = f"{escape(item['source']['path'])}:{item['source']['line']}"
        lines.append(f"  {item['sort']:{width}}  {what}  {place}")
    if not found["items"]:
        lines.append("  not in any pool of this repository")
    return "\n".join(lines) + "\n"


def range_text(item: Mapping[str, Any]) -> str:
    """Return `first-last` of a JSON range, or one address."""
    start, end = item["start"], item["end"]
    return start if start == end else f"{start}-{end}"


_MAX_BLOCKS = 3
_DAY = len("2026-02-15")
_LEFT = "moved away, announced while in use"
_COLOURS = {
    AddressUse.ALLOCATED: Colour.GREEN,
    AddressUse.HELD: Colour.YELLOW,
    AddressUse.IN_USE: Colour.RED,
}


def who_text(holders: Sequence[Holder], brought: Mapping[str, Caused], painter: Painter) -> str:
    """Return all details of up to three holders, or a row each."""
    if len(holders) > _MAX_BLOCKS:
        return _rows(holders, brought, painter)
    blocks = []
    for holder in holders:
        event, shown = commit_of(holder, brought), format_short(holder.part.range)
        facts = [*_facts(holder, event), *_commits(holder, event)]
        for name, neighbor in (("before", holder.before), ("after", holder.after)):
            facts += [(name, _neighbor(neighbor))] if neighbor is not None else []
        state = painter.paint(_state(holder), _COLOURS.get(holder.part.sort))
        lines = [f"{painter.paint(shown, Colour.BOLD)}  {state}"]
        lines += [f"  {name:<8}  {escape(text)}" for name, text in facts]
        blocks.append("\n".join(lines) + "\n")
    return "\n".join(blocks)


def events_text(events: Iterable[Caused], painter: Painter) -> Iterator[str]:
    """Yield the text of each event. A heading names the commit and the author of the next events."""
    former = ""
    for item, cause in events:
        row, pool = item.row if cause is None else cause.row, item.record.pool.name
        heading = f"{format_instant(item.row.clock)}  {item.row.id[:12]}  by {row.author}"
        heading += f" {row.request}" if row.request else ""
        where = "" if item.range is None else format_short(item.range)
        if item.source is not None:
            where = f"{format_short(item.source)} → {where}"
        named = item.record.claim.short
        if item.giver:
            named += f" from {item.giver} to {item.record.owner.short}"
        elif item.heir is not None:
            named += f" to {item.heir.claim.short}"
        place = f", {cause.path}:{cause.line}" if cause is not None and cause.path else ""
        still = ", announced while in use" if item.what is What.LEFT else ""
        details = [f"in {pool}{place}{still}"]
        if cause is not None and cause.approval is not None:
            approved, path = cause.approval
            details.append(f"Override {path} ({approved.id[:12]} of {approved.author})")
        lines = [painter.paint(escape(heading), Colour.BOLD)] if heading != former else []
        lines.append(escape(f"  {item.what.value:<11}  {where:<23}  {named}"))
        lines += [painter.paint(escape(f"{'':<15}{it}"), Colour.DIM) for it in details]
        yield "".join(f"{line}\n" for line in lines)
        former = heading


def _state(holder: Holder, end: int | None = None) -> str:
    part = holder.part
    if part.sort is not AddressUse.HELD:
        return part.sort.value
    if part.record is not None and part.record.announced:
        return _LEFT
    if holder.until is None:
        return "held"
    until = format_instant(holder.until)[:end]
    return f"held, retention ended {until}" if holder.is_over else f"held until {until}"


def _facts(holder: Holder, event: Caused | None) -> Iterator[tuple[str, str]]:
    part, record = holder.part, holder.part.record
    if record is not None:
        team = f", team {record.owner.team}" if record.owner.team else ""
        yield _OWNERS.get(record.claim.kind, "tenant"), f"{record.owner.short}{team}"
        if former := former_holder(holder, event):
            until = "" if holder.giver is None else ", until ipam reconcile rewrites the record"
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


def _commits(holder: Holder, event: Caused | None) -> Iterator[tuple[str, str]]:
    document = holder.document
    place = f"{document.path}:{document.line}" if document is not None else ""
    if event is None:
        if place:
            yield "cause", place
        return
    item, cause = event
    yield "commit", _commit(item.row)
    if cause is None:
        yield "author", item.row.author
        return
    place = f"{cause.path}:{cause.line}" if cause.path else place
    yield "cause", f"{place}, {_commit(cause.row)}" if place else _commit(cause.row)
    yield "author", f"{cause.row.author}{f', {cause.row.request}' if cause.row.request else ''}"
    if cause.approval is not None:
        row, path = cause.approval
        yield "override", f"{path}, {row.id[:12]} of {row.author}"


def _commit(row: CommitRow) -> str:
    return f"{row.id[:12]}, {format_instant(row.clock)}, {row.subject}"


def _neighbor(part: AddressPart) -> str:
    owner = part.record.owner.short if part.record is not None else part.title
    count = format_count(part.range.size)
    is_left = part.record is not None and part.record.announced
    what = _LEFT if is_left else part.sort.value
    return f"{format_short(part.range)} ({count}) {what}{f' {owner}' if owner else ''}"


def _rows(holders: Sequence[Holder], brought: Mapping[str, Caused], painter: Painter) -> str:
    rows: list[list[Cell]] = []
    for holder in holders:
        part, record = holder.part, holder.part.record
        event = commit_of(holder, brought)
        owner = record.claim.short if record is not None else part.title
        since = record.since[:_DAY] if record is not None else ""
        by = "" if event is None else (event[1] or event[0]).row.author.partition(" <")[0]
        pool = part.pool.name if part.pool is not None else ""
        state = (_state(holder, _DAY).removesuffix(" until unused"), _COLOURS.get(part.sort))
        rows.append([format_short(part.range), state, owner, pool, since, by])
    headers = ("ADDRESSES", "STATE", "HOLDER", "POOL", "SINCE", "BY")
    hidden = (3,) if len({row[3] for row in rows} - {""}) < 2 else ()
    return table(headers, rows, painter, hidden=hidden)
