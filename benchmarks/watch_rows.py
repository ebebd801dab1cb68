"""Rows of the table on watching: what was waited for, how often, and how long it took."""

import math
from collections.abc import Sequence
from statistics import median
from typing import NamedTuple


class Waited(NamedTuple):
    """One line of the table.

    Attributes:
        what: What was waited for.
        runs: Seconds of each run.
        limits: What p50 and p95 must reach; None where only p95 counts, by the first.
        peer: What others take.
        told: What else was counted.
        is_right: What was counted is as it shall be.
    """

    what: str
    runs: Sequence[float]
    limits: tuple[float | None, float]
    peer: str = ""
    told: str = ""
    is_right: bool = True

    @property
    def is_met(self) -> bool:
        """It is as fast as it must be."""
        half, most = self.limits
        is_fast = half is None or median(self.runs) <= half
        return self.is_right and is_fast and p95(self.runs) <= most


def p95(runs: Sequence[float]) -> float:
    """The run that 95 of 100 are not slower than."""
    return sorted(runs)[math.ceil(0.95 * len(runs)) - 1]


def table(rows: Sequence[Waited]) -> str:
    """The rows as a Markdown table."""
    lines = [
        "| from … to | runs | p50 | p95 | target | met | others |",
        "| --- | ---: | ---: | ---: | --- | --- | --- |",
    ]
    return "\n".join([*lines, *map(line_of, rows)]) + "\n"


def line_of(row: Waited) -> str:
    """One row."""
    half, most = row.limits
    cells = [
        f"{row.what}; {row.told}" if row.told else row.what,
        str(len(row.runs)),
        f"{median(row.runs):.2f} s",
        f"{p95(row.runs):.2f} s",
        f"{most:g} s" if half is None else f"{half:g} s / {most:g} s",
        "yes" if row.is_met else "no",
        row.peer,
    ]
    return f"| {' | '.join(cells)} |"
