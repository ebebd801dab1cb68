"""Markdown that user text cannot break out of: services ignore only code spans."""

import re
from collections.abc import Iterable, Sequence
from itertools import accumulate
from typing import NamedTuple

from reconciler.documents.text import escape

# Number of visible rows. The reader expands the others.
IN_VIEW = 10
_CODE_CHARACTERS = 200
_PROSE_CHARACTERS = 1_000
_BAR = 20
_BACKTICKS = re.compile("`+")
_WORD = re.compile(r"[A-Za-z]{1,30}(?:'s)?|[0-9]{1,6}(?:\.[0-9])?%?", re.ASCII)
_EDGES = re.compile(r"([('\"]*)(.*?)([)'\",;:.?]*)", re.DOTALL)


class Section(NamedTuple):
    """Title, and the rows of a list, or of a table with this head."""

    title: str
    head: str
    rows: Sequence[str]

    @property
    def size(self) -> int:
        """The number of characters of all rows."""
        return sum(map(len, self.rows))

    def rendered(self, room: int) -> str:
        """Return the section in `room` characters: rows visible, then folded, then omitted."""
        fitting = _fitting(self.rows, room - 2 * len(self.head) - len(self.title) - 200)
        shown, folded = self.rows[: min(IN_VIEW, fitting)], self.rows[IN_VIEW:fitting]
        parts = [f"#### {self.title}\n\n{self._listed(shown)}"]
        if folded:
            summary = f"<details><summary>{len(folded)} more</summary>"
            parts.append(f"\n{summary}\n\n{self._listed(folded)}\n</details>\n")
        if omitted := len(self.rows) - fitting:
            parts.append(f"\n*{omitted} more do not fit here. Run it with `-o json` to see all.*\n")
        return "".join(parts)

    def _listed(self, rows: Sequence[str]) -> str:
        return self.head + "".join(f"{row}\n" for row in rows) if rows else ""


class Fenced(NamedTuple):
    """Lines in a code fence, between a head and an end."""

    head: str
    language: str
    lines: Sequence[str]
    end: str

    @property
    def size(self) -> int:
        """The number of characters of all lines."""
        return sum(len(line) + 1 for line in self.lines)

    def rendered(self, room: int) -> str:
        """Return the first lines that fit into `room` characters."""
        longest = max((len(run) for it in self.lines for run in _BACKTICKS.findall(it)), default=0)
        marks = "`" * max(3, longest + 1)  # no line can close the fence
        room -= len(self.head) + len(self.end) + 2 * len(marks) + 120
        fitting = _fitting(self.lines, room)
        lines = [f"{marks}{self.language}", *self.lines[:fitting], marks]
        omitted = len(self.lines) - fitting
        more = f"\n*{omitted} more lines do not fit here.*\n" if omitted else ""
        return self.head + "\n".join(lines) + "\n" + more + self.end


def _fitting(rows: Iterable[str], room: int) -> int:
    return sum(1 for used in accumulate(len(row) + 1 for row in rows) if used <= room)


def fitted(parts: Sequence[Section | Fenced], room: int, gap: int = 0) -> list[str]:
    """Return parts in at most `room` characters. Short ones leave their space to others."""
    texts = {}
    by_size = sorted(range(len(parts)), key=lambda at: parts[at].size)
    for done, at in enumerate(by_size):
        texts[at] = parts[at].rendered(room // (len(parts) - done))
        room -= len(texts[at]) + gap
    return [texts[at] for at in range(len(parts))]


def code(text: str) -> str:
    """Return a text as a code span that is safe in a table."""
    # A bar ends a cell even in a code span, and services differ in how to escape it.
    plain = cut(escape(text), _CODE_CHARACTERS).replace("|", "\\u007c")
    if not plain.strip():
        return "` `"
    fence = "`" * (1 + max((len(run) for run in _BACKTICKS.findall(plain)), default=0))
    padding = " " if len(fence) > 1 else ""
    return f"{fence}{padding}{plain}{padding}{fence}"


def prose(text: str) -> str:
    """Return a message with plain words unchanged, and everything else in code spans."""
    plain = cut(escape(text).replace("`", "'"), _PROSE_CHARACTERS)
    return " ".join(_token(token) for token in plain.split(" ") if token)


def _token(token: str) -> str:
    found = _EDGES.fullmatch(token)
    before, core, after = found.groups() if found else ("", token, "")
    if core and not _WORD.fullmatch(core):
        # The code span already sets the value off, so quotes around it are redundant.
        if before.endswith("'") and after.startswith("'"):
            before, after = before[:-1], after[1:]
        core = code(core)
    return f"{before}{core}{after}"


def bar(before: float, after: float) -> str:
    """Return the usage as a bar: `█` used before and after, `▓` added, `▒` released."""
    old, new = _cells(before), _cells(after)
    both, rest = min(old, new), _BAR - max(old, new)
    change = ("▓" if new > old else "▒") * abs(new - old)
    return f"`{'█' * both}{change}{'░' * rest}`"


def _cells(percent: float) -> int:
    if percent <= 0 or percent >= 100:
        return _BAR if percent > 0 else 0
    return min(max(round(percent * _BAR / 100), 1), _BAR - 1)


def cut(text: str, most: int) -> str:
    """Return a text of at most `most` characters."""
    return text if len(text) <= most else f"{text[:most]}…"
