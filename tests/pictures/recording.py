"""Commands and their output as an SVG of a terminal, without fonts and network."""

import re
from collections.abc import Iterator, Sequence
from html import escape
from typing import NamedTuple

_CELL, _LINE, _SIZE, _EDGE, _BAR = 8.4, 19, 14, 16, 30
_TYPED, _SHOWN, _READ = 0.035, 0.04, 1.2
"""Seconds for a letter that is typed, a line that is printed, and the reading of an output."""
_CODE = re.compile(r"\x1b\[([0-9;]*)m")
_SHAPES = re.compile("(▓+|▒+|░+|[▁▂▃▄▅▆▇█]|╵)")
_HEIGHTS = "▁▂▃▄▅▆▇█"
_FILLS = {"▓": "1", "▒": ".6", "░": ".22"}
_STYLE = """
text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono",monospace;fill:#1f2328;white-space:pre}
rect{fill:#1f2328}.paper{fill:#ffffff;stroke:#d1d9e0}.top{fill:#f6f8fa;stroke:#d1d9e0}
.c1{font-weight:bold}.c2{fill:#59636e}.c31{fill:#cf222e}.c32{fill:#1a7f37}.c33{fill:#9a6700}.c34{fill:#0969da}
.prompt{fill:#59636e}.typed{font-weight:bold}
@media (prefers-color-scheme:dark){text,rect{fill:#e6edf3}.paper{fill:#0d1117;stroke:#3d444d}
.top{fill:#151b23;stroke:#3d444d}.c2,.prompt{fill:#9198a1}.c31{fill:#ff7b72}.c32{fill:#3fb950}.c33{fill:#d29922}
.c34{fill:#58a6ff}}
@media (prefers-reduced-motion:no-preference){g{animation:come .01s backwards}}
@keyframes come{from{opacity:0}}
@media print{g{animation:none}}
"""


class Shot(NamedTuple):
    command: str
    told: str


class _Run(NamedTuple):
    column: int
    text: str
    classes: str


def recording(title: str, shots: Sequence[Shot]) -> str:
    lines = [_CODE.sub("", line) for shot in shots for line in shot.told.splitlines()]
    columns = max(80, *(len(line) for line in lines), *(len(it.command) + 2 for it in shots))
    body, rows = _body(shots)
    width, height = round(columns * _CELL + 2 * _EDGE), _BAR + 2 * _EDGE + rows * _LINE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img">\n<title>{escape(title)}</title>\n'
        f"<style>{_STYLE}</style>\n"
        f'<rect class="paper" x=".5" y=".5" width="{width - 1}" height="{height - 1}" rx="8"/>\n'
        f'<path class="top" d="M.5 {_BAR}V8.5a8 8 0 0 1 8-8H{width - 8.5}a8 8 0 0 1 8 8V{_BAR}z"/>\n'
        f"{body}</svg>\n"
    )


def _body(shots: Sequence[Shot]) -> tuple[str, int]:
    drawn: list[str] = []
    row, seconds = 0, 0.4
    for shot in shots:
        if row:
            row += 1
        prompt, typed = _Run(0, "$ ", "prompt"), _Run(2, shot.command, "typed")
        drawn.append(_line([prompt, typed], row, seconds))
        seconds += 0.3 + _TYPED * len(shot.command)
        row += 1
        for line in _runs(shot.told):
            drawn.append(_line(line, row, seconds))
            seconds += _SHOWN
            row += 1
        seconds += _READ if shot.told else 0
    return "".join(drawn), row


def _line(runs: Sequence[_Run], row: int, seconds: float) -> str:
    shapes = "".join(shape for run in runs for shape in _drawn(run, row))
    return f'<g style="animation-delay:{seconds:.2f}s">{shapes}</g>\n' if shapes else ""


def _runs(told: str) -> Iterator[list[_Run]]:
    classes = ""
    for line in told.splitlines():
        found: list[_Run] = []
        column = 0
        for at, part in enumerate(_CODE.split(line)):
            if at % 2:
                classes = " ".join(f"c{code}" for code in part.split(";") if code not in ("", "0"))
            elif part:
                found.append(_Run(column, part, classes))
                column += len(part)
        yield found


def _drawn(run: _Run, row: int) -> Iterator[str]:
    column = run.column
    for part in _SHAPES.split(run.text):
        if not part:
            continue
        if _SHAPES.fullmatch(part):
            yield _shape(part, column, row, run.classes)
        else:
            yield from _words(part, column, row, run.classes)
        column += len(part)


def _words(text: str, column: int, row: int, classes: str) -> Iterator[str]:
    for found in re.finditer(r"\S+(?: \S+)*", text):
        x, y = _EDGE + (column + found.start()) * _CELL, _top(row) + _SIZE
        look = f' class="{classes}"' if classes else ""
        width = len(found.group()) * _CELL
        yield (
            f'<text x="{x:.1f}" y="{y}"{look} textLength="{width:.1f}" '
            f'lengthAdjust="spacingAndGlyphs">{escape(found.group())}</text>'
        )


def _shape(text: str, column: int, row: int, classes: str) -> str:
    x, y, sign = _EDGE + column * _CELL, _top(row), text[0]
    width, height, opacity = len(text) * _CELL, float(_SIZE), _FILLS.get(sign, "1")
    if sign in _HEIGHTS:
        height = _SIZE * (_HEIGHTS.index(sign) + 1) / len(_HEIGHTS)
        width -= 1
    elif sign == "╵":
        x, width, height = x + _CELL / 2, 1.5, _SIZE / 2
    top = y + 2 + (_SIZE - height if sign in _HEIGHTS else 0)
    look = f' class="{classes}"' if classes and classes != "c2" else ""
    return (
        f'<rect x="{x:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}"'
        f'{look} opacity="{opacity}"/>'
    )


def _top(row: int) -> int:
    return _BAR + _EDGE + row * _LINE
