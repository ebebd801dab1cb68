"""Markdown building blocks that user text cannot break out of.

Services find mentions, references, URLs, and emoji in any rendered text, however it is escaped.
They ignore only code spans. All text except plain words and numbers is therefore in code spans,
which also sets names and addresses off from prose.
"""

import re
from collections.abc import Iterable, Sequence
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
    """Title, and a list of rows that can be long.

    `head` is the head of a table, or empty for a list.
    """

    title: str
    head: str
    rows: Sequence[str]


def code(text: str) -> str:
    """Return a text as a code span that is safe in a table."""
    # A bar ends a cell even in a code span, and services differ in how to escape it.
    plain = cut(escape(text), _CODE_CHARACTERS).replace("|", "\\u007c")
    if not plain.strip():
        return "` `"
    fence = "`" * (1 + max((len(run) for run in _BACKTICKS.findall(plain)), default=0))
    padding = " " if len(fence) > 1 else ""
    return f"{fence}{padding}{plain}{padding}{fence}"


def fence(lines: Iterable[str]) -> str:
    """Return a code fence that no line can close."""
    longest = max((len(run) for line in lines for run in _BACKTICKS.findall(line)), default=0)
    return "`" * max(3, longest + 1)


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
    """Return the cells of a bar: at least one if not empty, and all only if full."""
    if percent <= 0 or percent >= 100:
        return _BAR if percent > 0 else 0
    return min(max(round(percent * _BAR / 100), 1), _BAR - 1)


def fitted(sections: Sequence[Section], room: int) -> list[str]:
    """Return sections in at most `room` characters. Short ones leave their space to others."""
    texts = {}
    by_size = sorted(range(len(sections)), key=lambda at: sum(map(len, sections[at].rows)))
    for done, at in enumerate(by_size):
        texts[at] = rendered(sections[at], room // (len(sections) - done))
        room -= len(texts[at])
    return [texts[at] for at in range(len(sections))]


def rendered(section: Section, room: int) -> str:
    """Return a section in at most `room` characters: rows visible, then folded, then omitted."""
    left = room - 2 * len(section.head) - len(section.title) - 200
    fitting = 0
    for row in section.rows:
        left -= len(row) + 1
        if left < 0:
            break
        fitting += 1
    shown, folded = section.rows[: min(IN_VIEW, fitting)], section.rows[IN_VIEW:fitting]
    parts = [f"#### {section.title}\n\n{_rows(section, shown)}"]
    if folded:
        summary = f"<details><summary>{len(folded)} more</summary>"
        parts.append(f"\n{summary}\n\n{_rows(section, folded)}\n</details>\n")
    if omitted := len(section.rows) - fitting:
        parts.append(f"\n*{omitted} more do not fit here; `-o json` has them all.*\n")
    return "".join(parts)


def _rows(section: Section, rows: Sequence[str]) -> str:
    return section.head + "".join(f"{row}\n" for row in rows) if rows else ""


def cut(text: str, most: int) -> str:
    """Return a text of at most `most` characters."""
    return text if len(text) <= most else f"{text[:most]}…"
