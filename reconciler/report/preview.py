"""What a change comes to, as Markdown: maps of pools before and after, and the diff of each cluster.

All of it stands in fences, which show text as it is. Nothing in them can close them.
"""

from collections.abc import Iterator, Sequence
from difflib import unified_diff
from html import escape as html
from typing import NamedTuple

from reconciler.asking.cells import PoolMap
from reconciler.model.cluster import MANAGEMENT
from reconciler.report.escape import escape
from reconciler.report.map_change import changed_lines
from reconciler.report.markup import Section, cut, fence, fitted
from reconciler.review.preview import Applied, Preview

MOST_CLUSTERS = 40
"""Clusters that are shown; of others it is only said how many they are."""
_CONTEXT = 3
_LINE = 300


class _Block(NamedTuple):
    """Lines in a fence, of which some may be left out, between a head and an end."""

    head: str
    language: str
    lines: Sequence[str]
    end: str

    @property
    def size(self) -> int:
        return sum(len(line) + 1 for line in self.lines)


def with_preview(sections: Sequence[Section], preview: Preview, room: int) -> list[str]:
    """Sections, then a preview, in so many characters at most; each has half of them for sure."""
    asked = sum(map(len, previewed(preview, room // 2)))
    parts = fitted(sections, room - asked)
    return [*parts, *previewed(preview, room - sum(map(len, parts)))]


def previewed(preview: Preview, room: int) -> list[str]:
    """The sections of a preview, in so many characters at most."""
    blocks = [_map(*found) for found in preview.maps]
    # What the management cluster gets says again what the tables say.
    shown = sorted(preview.applied, key=lambda it: it.cluster == MANAGEMENT)[:MOST_CLUSTERS]
    blocks += [_cluster(found) for found in shown]
    texts = _fitted(blocks, room)
    count = len(preview.maps)
    parts = []
    if preview.maps:
        parts.append("\n".join(["#### Maps, before → after\n", *texts[:count]]))
    if preview.applied or preview.why:
        listed = ["#### What clusters get\n", *texts[count:]]
        if more := len(preview.applied) - len(shown):
            listed.append(f"*{more} more clusters do not fit here; `ipam render` has them.*\n")
        if preview.why:
            listed.append(f"*{preview.why}*\n")
        parts.append("\n".join(listed))
    return parts


def _map(before: PoolMap, after: PoolMap) -> _Block:
    return _Block("", "text", [_line(it) for it in changed_lines(before, after)], "")


def _cluster(found: Applied) -> _Block:
    paths = sorted(
        path
        for path in found.before.keys() | found.after.keys()
        if found.before.get(path) != found.after.get(path)
    )
    lines = [_line(it) for path in paths for it in _diff(path, found)]
    many = "1 object changes" if len(paths) == 1 else f"{len(paths)} objects change"
    title = f"<code>{html(cut(escape(found.cluster), _LINE))}</code>: {many}"
    return _Block(f"<details><summary>{title}</summary>\n\n", "diff", lines, "\n</details>\n")


def _diff(path: str, found: Applied) -> Iterator[str]:
    old, new = found.before.get(path), found.after.get(path)
    was = f"a/{path}" if old is not None else "/dev/null"
    now = f"b/{path}" if new is not None else "/dev/null"
    sides = ((old or "").splitlines(), (new or "").splitlines())
    return unified_diff(*sides, was, now, lineterm="", n=_CONTEXT)


def _line(text: str) -> str:
    return cut(escape(text), _LINE)


def _fitted(blocks: Sequence[_Block], room: int) -> list[str]:
    """Blocks in so many characters together; what a short one leaves, others get."""
    texts = {}
    by_size = sorted(range(len(blocks)), key=lambda at: blocks[at].size)
    for done, at in enumerate(by_size):
        texts[at] = _rendered(blocks[at], room // (len(blocks) - done))
        room -= len(texts[at]) + 1
    return [texts[at] for at in range(len(blocks))]


def _rendered(block: _Block, room: int) -> str:
    marks = fence(block.lines)
    left = room - len(block.head) - len(block.end) - 2 * len(marks) - 120
    fitting = 0
    for line in block.lines:
        left -= len(line) + 1
        if left < 0:
            break
        fitting += 1
    lines = [f"{marks}{block.language}", *block.lines[:fitting], marks]
    omitted = len(block.lines) - fitting
    more = f"\n*{omitted} more lines do not fit here.*\n" if omitted else ""
    return block.head + "\n".join(lines) + "\n" + more + block.end
