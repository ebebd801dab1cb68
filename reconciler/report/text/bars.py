"""`status --bars`: each pool as a bar across the terminal, with its thresholds and its last 90 days."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from reconciler.addresses.notation import format_count
from reconciler.asking.outlook import TREND
from reconciler.engine.usage import percentage
from reconciler.model.key import Key
from reconciler.model.plan import Usage
from reconciler.model.pool import Thresholds, Tier
from reconciler.report.escape import escape
from reconciler.report.text.bar import parts_of, sparkline, tick
from reconciler.report.text.table import TIER_COLOURS, Colour, Painter

LEAST = 44
"""Columns at least: below that lines wrap."""
_INDENT = 2
_COLOURS = {**TIER_COLOURS, Tier.OK: Colour.GREEN}


class Barred(NamedTuple):
    """A pool that is drawn.

    Attributes:
        trend: Addresses that were allocated or held at each of `TREND`; None where nothing is known.
    """

    pool: Key
    usage: Usage
    thresholds: Thresholds
    trend: Sequence[int | None]


def bars_text(
    pools: Iterable[Barred],
    painter: Painter,
    width: int,
    *,
    wide: bool = False,
    plain: bool = False,
) -> str:
    """The pools one below the other, and what the signs mean.

    Args:
        pools: In the order in which they are drawn.
        painter: Paints.
        width: Columns; no line is wider, from 44 on.
        wide: Every number exact.
        plain: In ASCII, for a terminal without UTF-8.
    """
    width = max(width, LEAST)
    blocks = ["\n".join(_block(item, painter, width, wide=wide, plain=plain)) for item in pools]
    if not blocks:
        return "No pools found.\n"
    live, held, free, mark = "#=.^" if plain else "▓▒░╵"
    signs = (f"{live} allocated", f"{held} held", f"{free} free", f"{mark} thresholds")
    told = "\n".join(painter.paint(line, Colour.DIM) for line in _wrapped(signs, width, ""))
    return "\n\n".join([*blocks, told]) + "\n"


def _block(item: Barred, painter: Painter, width: int, *, wide: bool, plain: bool) -> Iterable[str]:
    usage, inner = item.usage, width - _INDENT
    indent = " " * _INDENT
    yield from _title(item, painter, width)
    if not usage.total:
        return
    live, held, free = parts_of(usage, inner, item.thresholds.levels, plain=plain)
    colour = _COLOURS[usage.tier]
    bar = painter.paint(live, colour) if live else ""
    bar += painter.paint(held, colour) if held else ""
    yield f"{indent}{bar}{painter.paint(free, Colour.DIM) if free else ''}"
    yield f"{indent}{_ticks(item.thresholds.levels, inner, '^' if plain else '╵')}"
    numbers = (usage.allocated, usage.held, usage.available)
    shown = (str(number) if wide else format_count(number) for number in numbers)
    words = ("allocated", "held", "free")
    figures = [f"{number} {word}" for number, word in zip(shown, words, strict=True)]
    yield from _wrapped([*figures, *_trend(item, plain=plain)], inner, indent)


def _title(item: Barred, painter: Painter, width: int) -> Iterable[str]:
    """The name; flush right how much is used, of how many, and the tier."""
    usage = item.usage
    tier = painter.paint(usage.tier.value, _COLOURS[usage.tier])
    told = (
        f"{usage.percent:.1f}% of {format_count(usage.total)}  "
        if usage.total
        else "no addresses  "
    )
    room = width - len(told) - len(usage.tier.value) - 2
    name = escape(item.pool.name)
    name = name if len(name) <= room else f"{name[: room - 3]}..."
    yield f"{painter.paint(name, Colour.BOLD)}{' ' * (room - len(name) + 2)}{told}{tier}"


def _ticks(levels: Sequence[int], cells: int, mark: str) -> str:
    """A mark below the cell of each level, with its number beside it where there is room."""
    line = [" "] * cells
    places = [tick(level, cells) for level in levels]
    for place in places:
        line[place] = mark
    for level, place in zip(levels, places, strict=True):
        label = str(level)
        after = range(place + 1, place + 1 + len(label))
        before = range(place - len(label), place)
        for at in (after, before):
            if at.start >= 0 and at.stop <= cells and all(line[it] == " " for it in at):
                line[at.start : at.stop] = label
                break
    return "".join(line).rstrip()


def _trend(item: Barred, *, plain: bool) -> list[str]:
    """The use of the last days; nothing where the past tells nothing."""
    known = [it for it in item.trend if it is not None]
    if len(known) < 2:
        return []
    total = item.usage.total
    line = sparkline(item.trend, total, plain=plain)
    first, last = (f"{percentage(it, total):.1f}%" for it in (known[0], known[-1]))
    arrow = "->" if plain else "→"
    return [f"{TREND[0]} days {line} {first} {arrow} {last}"]


def _wrapped(parts: Iterable[str], width: int, indent: str) -> Iterable[str]:
    """Parts in as few lines as hold them; no part is torn."""
    line = ""
    for part in parts:
        longer = f"{line}   {part}" if line else part
        if line and len(longer) > width:
            yield f"{indent}{line}"
            longer = part
        line = longer
    if line:
        yield f"{indent}{line}"
