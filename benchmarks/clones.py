"""A check of one changed file in a clone that a job makes anew, beside a cache that knows its base."""

import shutil
import subprocess
import time
from pathlib import Path
from statistics import median

from benchmarks.corpus import build, change_file, tenant
from benchmarks.measure import Row, run_ipam

_RECORDS = 100_000
_ROUNDS = 7
_PATH = "tenants/team-00/cluster-000000.yaml"
_CHECK = ("check", "--base=HEAD^1")
_KNOWN = (*_CHECK, "--trust-cache")


def clone_rows(folder: Path) -> list[Row]:
    """Clones of two commits, with and without a filter; what a check takes beside each."""
    origin = build(folder / f"{_RECORDS}.git", _RECORDS)
    _git(origin, "config", "uploadpack.allowFilter", "true")
    change_file(origin, _PATH, tenant(0, 0, replicas=25))
    clone, cache = folder / "clone", folder / "cache"
    # A cache goes by the place of the repository: one job fills it, another one reads it.
    _clone(origin, clone, "main")
    run_ipam("check", f"--repo={clone}", cache=cache)
    times: dict[str, list[float]] = {}
    for _ in range(_ROUNDS):
        filtered = _clone(origin, clone, "change", "--depth=2", "--filter=blob:none")
        times.setdefault("filtered", []).append(filtered)
        words = (f"--repo={clone}", "--fetch-missing")
        times.setdefault("fetching", []).append(run_ipam(*_KNOWN, *words, cache=cache))
        times.setdefault("again", []).append(run_ipam(*_KNOWN, *words, cache=cache))
        times.setdefault("whole", []).append(_clone(origin, clone, "change", "--depth=2"))
        times.setdefault("here", []).append(run_ipam(*_KNOWN, f"--repo={clone}", cache=cache))
    times["unknown"] = [run_ipam(*_CHECK, f"--repo={clone}", cache=cache)]
    middle = {name: median(taken) for name, taken in times.items()}
    text = f"{_RECORDS:,} records"
    limit = 0.5
    fetching = middle["fetching"]
    return [
        Row("clone of two commits, filter blob:none", text, middle["filtered"]),
        Row("check --trust-cache --fetch-missing beside it", text, fetching,
            "clone of two commits", middle["whole"] / fetching,
            f"<= {limit:g} s", fetching <= limit),
        Row("the same again: nothing is missing", text, middle["again"]),
        Row("clone of two commits", text, middle["whole"]),
        Row("check --trust-cache beside it", text, middle["here"],
            "check beside it", middle["unknown"] / middle["here"]),
        Row("check beside it", text, middle["unknown"]),
    ]  # fmt: skip


def _clone(origin: Path, clone: Path, branch: str, *how: str) -> float:
    """Clone a branch without a checkout; the seconds that it takes."""
    shutil.rmtree(clone, ignore_errors=True)
    words = ("-q", "--no-checkout", "--no-tags", f"--branch={branch}", *how)
    start = time.perf_counter()
    subprocess.run(["git", "clone", *words, f"file://{origin}", str(clone)], check=True)
    return time.perf_counter() - start


def _git(folder: Path, *words: str) -> None:
    subprocess.run(["git", f"--git-dir={folder}", *words], check=True)
