"""Whole runs of `ipam` on repositories of 10 to 1,000,000 records, and of other tools."""

import shutil
import subprocess
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import count
from pathlib import Path

from benchmarks import octodns
from benchmarks.corpus import GROUPS, build, change_file, crowded, files, tenant
from benchmarks.measure import (
    PYTHON,
    RESULTS,
    Figures,
    Run,
    keep,
    machine,
    middle,
    repeated,
    run,
    run_ipam,
    table,
)
from benchmarks.prefixes import OPERATIONS, blocks
from benchmarks.watched import hook, processor_seconds
from tests.e2e.daemon import daemon

CROWDED = "100,000 in 80,000 documents"
MILLION = "1,000,000"
SIZES = {"10": files, "1,000": files, "10,000": files, "100,000": files, CROWDED: crowded}
"""The columns; the function that makes the files of each."""
COLD, AGAIN, CHANGED = "`ipam plan`", "`ipam plan` again", "`ipam plan`, one file changed"
CHECK, FIRST = "`ipam check --base`, one file changed", "first `ipam reconcile`"
ROUND, MEMORY, HELP = "daemon, one file changed", "memory of `ipam plan`", "`ipam --help`"
BLOCKS = f"{OPERATIONS:,} prefixes allocated or pinned, processor time"
PLAIN, OCTODNS = "PyYAML and jsonschema, same files", "`octodns-sync`, as many DNS records"
FASTER, GROWTH = (
    "PyYAML and jsonschema / `ipam plan`",
    "processor time / the time of 100,000 records",
)
LIMITS: dict[str, dict[str, float]] = {
    COLD: {"10": 0.35, "100,000": 8, CROWDED: 8, MILLION: 90},
    AGAIN: {"10,000": 0.6, "100,000": 3, CROWDED: 3},
    CHANGED: {"10,000": 0.6, "100,000": 3, CROWDED: 3},
    CHECK: {"1,000": 0.45, "10,000": 0.9, "100,000": 8, CROWDED: 8},
    FIRST: {"100,000": 14, CROWDED: 14},
    ROUND: {"10,000": 0.4, "100,000": 2.5, CROWDED: 2.5},
    HELP: {"10": 0.15},
    BLOCKS: {"10": 1},
    MEMORY: {"100,000": 400, CROWDED: 400, MILLION: 4096},
    FASTER: {"100,000": 5, CROWDED: 5},
    GROWTH: {MILLION: 11},
    PLAIN: {},
    OCTODNS: {},
}
"""The rows, with the target of each column: what FASTER must reach, and others must not exceed."""
_FORMATS = {MEMORY: "{:,.0f} MiB", FASTER: "{:.1f} times", GROWTH: "{:.1f} times"}
FILE = RESULTS / "plans.csv"
_ROUNDS = 5


def measure(folder: Path) -> Figures:
    """Figures of all columns but the last."""
    figures: Figures = {(HELP, "10"): repeated(partial(run_ipam, "--help"))}
    program = octodns.installed(folder / "octodns")
    for size, made in SIZES.items():
        records = _number(size)
        if program is not None and made is files:
            words = octodns.words(program, folder / f"dns-{records}", records)
            figures[OCTODNS, size] = repeated(partial(run, *words))
        for what, runs in _of_column(folder / f"{made.__name__}-{records}.git", records, made):
            figures[what, size] = runs
        print(page(keep(FILE, figures)), flush=True)
    # Last, because a child process counts memory that this process already uses.
    figures[BLOCKS, "10"] = repeated(blocks)
    return figures


def measure_million(folder: Path) -> Figures:
    """Figures of the last column: one plan; and plans of a tenth of the records, to compare."""
    figures: Figures = {}
    for size in ("100,000", MILLION):
        records = _number(size)
        path = f"--repo={build(folder / f'files-{records}.git', records)}"
        figures[COLD, size] = repeated(partial(run_ipam, "plan", path))
    return figures


def _number(size: str) -> int:
    return int(size.partition(" ")[0].replace(",", ""))


def _of_column(
    repository: Path, records: int, made: Callable[[int], Iterator[tuple[str, bytes]]]
) -> Iterator[tuple[str, list[Run]]]:
    path = f"--repo={build(repository, records, made)}"
    numbers = count()
    cache = repository.with_suffix(".cache")

    def changed() -> str:
        number = next(numbers)
        group = number % GROUPS
        text = tenant(9_000_000 + number, 0, 3)
        if made is crowded:
            text = text.replace(b"provider-0000", b"group-%02d" % group)
        return change_file(repository, "tenants/team-07/changed.yaml", text)

    def cold() -> Run:
        shutil.rmtree(cache, ignore_errors=True)
        return run_ipam("plan", path, cache=cache)

    yield COLD, repeated(cold)
    yield AGAIN, repeated(lambda: run_ipam("plan", path, cache=cache))
    yield CHANGED, repeated(lambda: run_ipam("plan", path, f"--rev={changed()}", cache=cache))
    yield CHECK, repeated(lambda: run_ipam("check", path, f"--rev={changed()}", "--base=main"))
    yield PLAIN, [run(*PYTHON, "benchmarks.plain", str(repository))]
    yield ROUND, _rounds(repository, changed)
    asked = build(
        repository.with_suffix(".asked"),
        records,
        lambda number: (it for it in made(number) if not it[0].startswith("allocations/")),
    )
    yield FIRST, repeated(lambda: _first(asked, repository.with_suffix(".copy")))


def _first(asked: Path, copy: Path) -> Run:
    shutil.copytree(asked, copy)
    try:
        return run_ipam("reconcile", f"--repo={copy}", "--branch=main", "--no-apply")
    finally:
        shutil.rmtree(copy)


def _rounds(repository: Path, changed: Callable[[], str]) -> list[Run]:
    """Rounds of a daemon: from the call of its webhook to the line that it prints."""
    folder = repository.with_suffix(".daemon")
    folder.mkdir()
    words, ring = hook(folder)
    found = []
    words = ("--remote", str(repository), "--no-apply", "--interval", "1h", *words)
    with daemon(folder, folder / "cache", *words) as made:
        made.patience = 600.0
        made.round()
        for _ in range(_ROUNDS):
            update = ("update-ref", "refs/heads/main", changed())
            subprocess.run(["git", f"--git-dir={repository}", *update], check=True)
            start, cpu = time.perf_counter(), processor_seconds(made)
            ring()
            made.round(lambda it: it["commit"] is not None)
            found.append(Run(time.perf_counter() - start, processor_seconds(made) - cpu))
    return found


def page(figures: Figures) -> str:
    """The table of the page: a row for each operation, a column for each repository."""
    sizes = [it for it in (*SIZES, MILLION) if (COLD, it) in figures]
    values = {key: middle(runs) for key, runs in figures.items()}
    for size in sizes:
        plan = figures[COLD, size]
        values[MEMORY, size] = middle(plan, "memory")
        if (PLAIN, size) in values:
            values[FASTER, size] = values[PLAIN, size] / values[COLD, size]
        if size == MILLION:
            less = figures[COLD, "100,000"]
            values[GROWTH, size] = middle(plan, "cpu") / middle(less, "cpu")
    rows = ([what, *(_cell(values.get((what, it)), what, it) for it in sizes)] for what in LIMITS)
    heads = [size if " " in size else f"{size} records" for size in sizes]
    return f"{machine()}\n\n{table(['', *heads], (row for row in rows if any(row[1:])))}"


def _cell(value: float | None, what: str, size: str) -> str:
    if value is None:
        return ""
    shown = _FORMATS.get(what, "{:.2f} s")
    text, limit = shown.format(value), LIMITS[what].get(size)
    if limit is None:
        return text
    is_least = what == FASTER
    is_met = value >= limit if is_least else value <= limit
    return f"{text if is_met else f'**{text}**'} ({'≥' if is_least else '≤'} {limit:,g})"
