"""Whole runs: cold and warm plans, checks, commits, start-up, at 1,000 to 100,000 records."""

import subprocess
import sys
import tempfile
from pathlib import Path
from statistics import median

from benchmarks.corpus import build, change_file, crowded, new_records, tenant
from benchmarks.measure import Row, by_turns, run_ipam
from reconciler.gitio.interface import Commit
from reconciler.gitio.repository import open_repository
from reconciler.model.change import FileChange

SIZES = (1_000, 10_000, 100_000)
_LARGEST = SIZES[-1]
_CROWDED = f"{_LARGEST:,} records in 25 groups"
_ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin"}


def plan_rows(folder: Path) -> list[Row]:
    """Plans of one repository: nothing known, one file changed, and its check."""
    rows = []
    warm_of: dict[int, float] = {}
    for size in SIZES:
        repository = build(folder / f"{size}.git", size)
        path = f"--repo={repository}"
        cold = _cold(path, 1 if size == _LARGEST else 3)
        cache = Path(tempfile.mkdtemp(dir=folder))
        run_ipam("plan", path, cache=cache)
        revisions = [
            change_file(repository, "tenants/team-07/changed.yaml", _changed(number))
            for number in range(5)
        ]
        warm = median(run_ipam("plan", path, f"--rev={rev}", cache=cache) for rev in revisions)
        revisions = [
            change_file(repository, "tenants/team-07/changed.yaml", _changed(10 + number))
            for number in range(5)
        ]
        check = median(
            run_ipam("check", path, f"--rev={rev}", "--base=main", cache=cache) for rev in revisions
        )
        warm_of[size] = warm
        text = f"{size:,} records"
        largest = size == _LARGEST
        rows += [
            _limited("cold plan", text, cold, 4.0 if largest else None),
            _limited("warm plan, one file changed", text, warm, 0.5 if largest else None),
            _limited("check --base, one file changed", text, check),
        ]
    least, most = warm_of[SIZES[0]], warm_of[_LARGEST]
    rows.append(Row("warm plan", f"{SIZES[0]:,} against {_LARGEST:,}", least,
                    f"{_LARGEST:,} records", most / least, "<= 3 times", most <= 3 * least))  # fmt: skip
    return rows


def crowded_rows(folder: Path) -> list[Row]:
    """Plans of a repository of few, large groups; and of one with something refused and broken."""
    repository = build(folder / "crowded.git", _LARGEST, crowded)
    path = f"--repo={repository}"
    rows = [_limited("cold plan", _CROWDED, _cold(path, 1), 7.0)]
    cache = Path(tempfile.mkdtemp(dir=folder))
    run_ipam("plan", path, cache=cache)
    same = median(run_ipam("plan", path, cache=cache) for _ in range(5))
    revisions = [_changed_in(repository, number) for number in range(5)]
    warm = median(run_ipam("plan", path, f"--rev={rev}", cache=cache) for rev in revisions)
    revisions = [_changed_in(repository, 10 + number) for number in range(5)]
    check = median(
        run_ipam("check", path, f"--rev={rev}", "--base=main", cache=cache) for rev in revisions
    )
    rows += [
        _limited("warm plan, nothing changed", _CROWDED, same, 0.4),
        _limited("warm plan, one file changed", _CROWDED, warm, 0.7),
        _limited("check --base, one file changed", _CROWDED, check),
    ]
    repository = build(folder / f"{_LARGEST}.git", _LARGEST)
    path = f"--repo={repository}"
    odd = change_file(repository, "tenants/team-07/broken.yaml", b"metadata: {name: broken\n")
    cache = Path(tempfile.mkdtemp(dir=folder))
    run_ipam("plan", path, f"--rev={odd}", cache=cache)
    broken = median(run_ipam("plan", path, f"--rev={odd}", cache=cache) for _ in range(5))
    rows.append(_limited("warm plan, one file broken", f"{_LARGEST:,} records", broken, 0.7))
    large = tenant(9_999_907, 3).replace(b"spec:\n", b"spec:\n  networking: {lbPoolSize: 4000}\n")
    odd = change_file(repository, "tenants/team-07/refused.yaml", large)
    run_ipam("plan", path, f"--rev={odd}", cache=cache)
    refused = median(run_ipam("plan", path, f"--rev={odd}", cache=cache) for _ in range(5))
    rows.append(_limited("warm plan, one claim refused", f"{_LARGEST:,} records", refused, 0.7))
    return rows


def _changed_in(repository: Path, number: int) -> str:
    data = tenant(9_000_007 + 100 * number, 3).replace(b"provider-0003", b"group-03")
    return change_file(repository, "tenants/team-07/changed.yaml", data)


def commit_rows(folder: Path) -> list[Row]:
    """A commit of 1,000 records against as many plain file writes."""
    repository = open_repository(build(folder / f"{_LARGEST}.git", _LARGEST), _ENVIRONMENT)
    base = repository.resolve("main")
    new = new_records(1_000)
    changes = [FileChange(path, data) for path, data in new]
    commit = Commit(base, changes, "ipam: allocate 1000\n", ("A", "a@example.com"))

    def write_plainly() -> None:
        with tempfile.TemporaryDirectory(dir=folder) as target:
            for path, data in new:
                file = Path(target) / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_bytes(data)

    ours, plain = by_turns(lambda: repository.commit(commit), write_plainly)
    return [
        Row("commit of 1,000 records", f"into {_LARGEST:,}", ours, "1,000 plain writes",
            plain / ours, ">= 1 times", ours <= plain)
    ]  # fmt: skip


def start_rows() -> list[Row]:
    """Start-up against a bare interpreter."""

    def bare() -> None:
        subprocess.run([sys.executable, "-c", ""], check=True)

    def help_text() -> None:
        command = [sys.executable, "-m", "reconciler", "--help"]
        subprocess.run(command, check=True, capture_output=True)

    ours, interpreter = by_turns(help_text, bare, rounds=9)
    return [
        Row("ipam --help", "", ours, "bare Python", interpreter / ours, "<= 100 ms", ours <= 0.1)
    ]


def _cold(path: str, rounds: int) -> float:
    times = []
    for _ in range(rounds):
        with tempfile.TemporaryDirectory() as cache:
            times.append(run_ipam("plan", path, cache=Path(cache)))
    return median(times)


def _changed(number: int) -> bytes:
    return tenant(9_000_007 + 100 * number, 3)


def _limited(name: str, size: str, seconds: float, limit: float | None = None) -> Row:
    target = "" if limit is None else f"<= {limit:g} s"
    return Row(name, size, seconds, target=target, met=None if limit is None else seconds <= limit)
