"""What a daemon must reach, measured: on real API servers, with MetalLB's controller where one hands out."""

import os
import sys
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path

from benchmarks.verifying import verify_line
from benchmarks.watch_growth import growth_rows
from benchmarks.watch_hub import hub_rows
from benchmarks.watch_many import Idle, idle_table, many_rows
from benchmarks.watch_rows import Waited, line_of, table
from tests.envtest.assets import METALLB, find
from tests.envtest.servers import Fleet

MANY = (200, 1_000)
_PARTS = {"growth": growth_rows, "hub": hub_rows}


def watching_tables(*only: str) -> str:
    """All tables on watching as Markdown; one line when there is no API server to ask.

    Args:
        only: Names of parts; all when there is none.
    """
    assets = find()
    if isinstance(assets, str):
        return f"Not measured: {assets}.\n"
    if METALLB not in assets.binaries:
        return "Not measured: no MetalLB controller.\n"
    load = os.getloadavg()[1]
    rows: list[Waited] = []
    idle: list[Idle] = []
    with tempfile.TemporaryDirectory() as folder:
        fleet = Fleet(assets, Path(folder))
        try:
            fleet.start(["management", "one"])
            for name, part in _PARTS.items():
                if not only or name in only:
                    rows += _shown(part(fleet, Path(folder)))
            for clusters in MANY:
                if not only or str(clusters) in only:
                    figures, asked = many_rows(fleet, Path(folder), clusters)
                    idle.append(figures)
                    rows += _shown([asked])
        finally:
            fleet.stop()
    with tempfile.TemporaryDirectory() as folder:
        verified = verify_line(Path(folder)) if not only or "verify" in only else ""
    loads = f"Processes that waited to run: {load:.1f} before, {os.getloadavg()[1]:.1f} after."
    tables = [table(rows) if rows else "", idle_table(idle) if idle else "", verified]
    return "\n".join([f"{loads}\n", *filter(None, tables)])


def _shown(rows: Iterable[Waited]) -> Iterator[Waited]:
    """The rows, each told as soon as it is there: all of it takes half an hour."""
    for row in rows:
        print(line_of(row), file=sys.stderr, flush=True)
        yield row
