"""Processes that are measured, their figures in a file, and tables of them."""

import csv
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from importlib.metadata import version
from pathlib import Path
from statistics import median
from typing import NamedTuple

RESULTS = Path(__file__).parent / "results"
PYTHON = (sys.executable, "-m")
_ROUNDS = 5
_ENOUGH = 20.0
"""Seconds after which no further round begins."""


class Run(NamedTuple):
    """One process: seconds by the clock, seconds of processors, and MiB of its largest part."""

    seconds: float
    cpu: float = 0.0
    memory: float = 0.0


Figures = dict[tuple[str, str], list[Run]]
"""The runs of each figure, by operation and repository."""


def run(*words: str, cache: Path | None = None) -> Run:
    """Run a process to its end, start-up and all, with an empty cache or with this one."""
    with tempfile.TemporaryDirectory() as empty, tempfile.TemporaryFile() as err:
        environment = {**os.environ, "XDG_CACHE_HOME": str(cache or empty)}
        # As installed: modules are compiled once, and nothing is left in the checkout.
        environment["PYTHONPYCACHEPREFIX"] = f"{sys.prefix}/pycache"
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        start = time.perf_counter()
        process = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=err)
        _, status, used = os.wait4(process.pid, 0)
        seconds = time.perf_counter() - start
        process.returncode = os.waitstatus_to_exitcode(status)
        # 1 and 3: the plan has errors or refusals.
        if process.returncode not in (0, 1, 2, 3):
            err.seek(0)
            raise RuntimeError(f"{' '.join(words)}: {err.read().decode()}")
    return Run(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def run_ipam(*arguments: str, cache: Path | None = None) -> Run:
    """One `ipam` process."""
    return run(*PYTHON, "reconciler", *arguments, cache=cache)


def repeated(once: Callable[[], Run]) -> list[Run]:
    """Some runs: fewer if they take long."""
    runs: list[Run] = []
    while len(runs) < _ROUNDS and sum(it.seconds for it in runs) < _ENOUGH:
        runs.append(once())
    return runs


def keep(file: Path, figures: Figures) -> Figures:
    """Write figures to a file in place of older ones of the same name; all figures of the file."""
    known: Figures = {}
    if file.exists():
        with file.open(encoding="utf-8", newline="") as lines:
            for what, size, *numbers in list(csv.reader(lines))[1:]:
                known.setdefault((what, size), []).append(Run(*map(float, numbers)))
    known |= figures
    file.parent.mkdir(exist_ok=True)
    with file.open("w", encoding="utf-8", newline="") as lines:
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(("what", "size", "seconds", "processor_seconds", "mebibytes"))
        for (what, size), runs in known.items():
            writer.writerows((what, size, *(f"{it:.3f}" for it in run)) for run in runs)
    return known


def machine() -> str:
    """The machine and versions that figures belong to; no name of it."""
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    git = subprocess.run(["git", "--version"], capture_output=True, text=True, check=True).stdout
    packages = ", ".join(
        f"{name} {version(name)}" for name in ("PyYAML", "jsonschema", "py-yaml12")
    )
    return (
        f"{os.cpu_count()} x {model}, Python {platform.python_version()}, {git.strip()}, {packages}"
    )


def table(heads: Sequence[str], rows: Iterator[Sequence[str]]) -> str:
    """A Markdown table whose first column is text."""
    lines = [heads, ("---", *("---:" for _ in heads[1:])), *rows]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def middle(runs: Sequence[Run], field: str = "seconds") -> float:
    """The median of a field."""
    return float(median(getattr(it, field) for it in runs))
