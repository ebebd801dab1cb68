"""`who` and `history` for people: what addresses are, who made them that, what happened to them."""

from collections.abc import Iterator, Sequence

from reconciler.addresses.notation import format_count, format_short
from reconciler.asking.causes import Cause
from reconciler.asking.happenings import Happening, What
from reconciler.asking.holders import Holder
from reconciler.asking.parts import Part, Sort
from reconciler.asking.rows import Row
from reconciler.model.instant import format_instant
from reconciler.report.escape import escape
from reconciler.report.holders import Told, former_holder
from reconciler.report.text.table import Cell, Colour, Painter, table

FEW = 3
"""So many answers are told each by itself, with all that is known; more are rows."""
LEFT = "left, still announced until unused"
"""What addresses are that a claim has left, and that clusters announce."""
_COLOURS = {Sort.ALLOCATED: Colour.GREEN, Sort.HELD: Colour.YELLOW, Sort.IN_USE: Colour.RED}


def who_text(holders: Sequence[Holder], brought: dict[str, Told], painter: Painter) -> str:
    """What some addresses are: in blocks when they are few, else a row each."""
    if len(holders) > FEW:
        return _rows(holders, brought, painter)
    return "\n".join(_block(it, _of(it, brought), painter) for it in holders)


def happening_text(told: Told, painter: Painter) -> str:
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


def _on(item: Happening) -> str:
    """To whom it went on: another owner, or the claim under another name."""
    if item.giver:
        return f" from {escape(item.giver)} to {escape(item.fact.owner)}"
    return f" to {escape(item.heir.name)}" if item.heir is not None else ""


def _still(item: Happening) -> str:
    """What a claim has left is not free, and not at rest."""
    return ", still announced until unused" if item.what is What.LEFT else ""


def _by(row: Row, cause: Cause | None) -> str:
    """Who brought it about: the person whose commit it carries out, else who made the commit."""
    if cause is None:
        return f"by {row.author}"
    where = f" {cause.path}:{cause.line}" if cause.path else ""
    request = f" {cause.row.request}" if cause.row.request else ""
    return f"by {cause.row.author}{request}{where}{_approved(cause)}"


def _approved(cause: Cause) -> str:
    """The Override that let it pass, and the commit of who wrote it."""
    if cause.approval is None:
        return ""
    row, path = cause.approval
    return f", Override {path} ({row.id[:12]} of {row.author})"


def _of(holder: Holder, brought: dict[str, Told]) -> Told | None:
    record = holder.part.record
    return brought.get(record.path) if record is not None else None


def _block(holder: Holder, told: Told | None, painter: Painter) -> str:
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
    if part.sort is not Sort.HELD:
        return part.sort.value
    if part.record is not None and part.record.announced:
        return LEFT
    return "held" if holder.until is None else f"held until {format_instant(holder.until)}"


def _facts(holder: Holder, told: Told | None) -> Iterator[tuple[str, str]]:
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


def _commits(holder: Holder, told: Told | None) -> Iterator[tuple[str, str]]:
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


def _beside(part: Part) -> str:
    owner = part.record.owner.short if part.record is not None else part.title
    count = format_count(part.range.size)
    is_left = part.record is not None and part.record.announced
    what = LEFT if is_left else part.sort.value
    return f"{format_short(part.range)} ({count}) {what}{f' {owner}' if owner else ''}"


def _rows(holders: Sequence[Holder], brought: dict[str, Told], painter: Painter) -> str:
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
