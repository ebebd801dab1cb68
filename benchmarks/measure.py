"""Timing by turns: every figure of one table comes from one run, so ratios hold when the machine
drifts.
"""

import gc
import os
import platform
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import NamedTuple


class Row(NamedTuple):
    """One line of a table: what, how long, against what, and the target as far as there is one.

    `ratio` is how many times as fast as the baseline the subject is.
    """

    name: str
    size: str
    seconds: float
    baseline: str = ""
    ratio: float | None = None
    target: str = ""
    met: bool | None = None


def by_turns(*subjects: Callable[[], object], rounds: int = 5) -> list[float]:
    """Median seconds of each subject, run in turn A B A B; one warm-up round is not counted."""
    times: list[list[float]] = [[] for _ in subjects]
    for number in range(rounds + 1):
        for subject, taken in zip(subjects, times, strict=True):
            gc.collect()
            start = time.perf_counter()
            subject()
            if number:
                taken.append(time.perf_counter() - start)
    return [median(taken) for taken in times]


def run_ipam(*arguments: str, cache: Path) -> float:
    """Seconds of one `ipam` process, start-up and all."""
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    # As installed: what was compiled once is not compiled again, and nothing is left in the checkout.
    environment["PYTHONPYCACHEPREFIX"] = f"{sys.prefix}/pycache"
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    start = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-m", "reconciler", *arguments],
        env=environment, capture_output=True, check=False,
    )  # fmt: skip
    taken = time.perf_counter() - start
    # 1 and 3: what is broken or refused is found; that is measured, too.
    if done.returncode not in (0, 1, 2, 3):
        raise RuntimeError(done.stderr.decode())
    return taken


def machine() -> str:
    """The machine and versions that figures belong to; no name of it."""
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout
    names = ("PyYAML", "jsonschema", "fastjsonschema", "GitPython", "click")
    packages = ", ".join(f"{name} {version(name)}" for name in names)
    return (
        f"{os.cpu_count()} x {model}, Python {platform.python_version()}, {git.strip()}, {packages}"
    )


def markdown(rows: Sequence[Row]) -> str:
    """The rows as a Markdown table."""
    lines = [
        "| what | size | time | times as fast as | ratio | target | met |",
        "| --- | --- | ---: | --- | ---: | --- | --- |",
    ]
    for row in rows:
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        met = "" if row.met is None else "yes" if row.met else "no"
        cells = (row.name, row.size, _time(row.seconds), row.baseline, ratio, row.target, met)
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"


def _time(seconds: float) -> str:
    if seconds < 0.001:
        return f"{seconds * 1e6:.1f} us"
    return f"{seconds * 1e3:.1f} ms" if seconds < 1 else f"{seconds:.2f} s"
