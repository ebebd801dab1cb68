"""`ipam who --history` of a long branch, beside what git needs to tell the same commits."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from benchmarks.measure import Row, by_turns, run_ipam
from reconciler.addresses import IPRange
from reconciler.model.claim import Allocation
from reconciler.model.instant import format_instant
from reconciler.records.emit import record_text
from tests.world import CLOCK, evaluation_of, pool, provider, reconciled, tenant

COMMITS = 10_000
LIMIT = 10.0
_LIVE = 1_000
"""Tenants that are there at a time: each that comes sends the oldest away."""
_PLAN = f"ipam: allocate 1\n\nIpam-Plan: sha256:{'a' * 64}\n"
_FIRST = {
    "pools/edge.yaml": pool(cidr="10.0.0.0/12"),
    "providers/default.yaml": provider(),
    "tenants/one.yaml": tenant("one"),
}


def past_rows(folder: Path) -> list[Row]:
    """One address in a branch on which each commit of a person was answered by one of reconcile."""
    repository = _grown(folder / "past")
    git = (
        "git",
        "-C",
        str(repository),
        "log",
        "--first-parent",
        "--raw",
        "--no-abbrev",
        "--format=%H",
    )
    words = ("who", "10.0.0.8", "--history", "--repo", str(repository), "-o", "csv")
    caches = (folder / f"cache-of-past-{number}" for number in range(99))

    def raw() -> None:
        subprocess.run(
            [*git, "main", "--", "allocations", "tenants"], check=True, capture_output=True
        )

    def cold() -> None:
        run_ipam(*words, cache=next(caches))

    def warm() -> None:
        run_ipam(*words, cache=folder / "cache-of-past")

    alone, first, again = by_turns(raw, cold, warm, rounds=3)
    size = f"{COMMITS:,} commits"
    target = f"<= {LIMIT:g} s"
    return [
        Row(
            "who --history, no cache",
            size,
            first,
            "git log --raw",
            alone / first,
            target,
            first <= LIMIT,
        ),
        Row("who --history, from the cache", size, again, "git log --raw", alone / again),
    ]


def _grown(folder: Path) -> Path:
    """The repository, by one fast-import."""
    subprocess.run(["git", "init", "-q", "-b", "main", str(folder)], check=True)
    words = ["git", "-C", str(folder), "fast-import", "--quiet"]
    subprocess.run(words, input=b"".join(_commits()), check=True)
    return folder


def _commits() -> Iterator[bytes]:
    (record,) = evaluation_of(reconciled(_FIRST)).state.records
    yield _commit(CLOCK, "first", *(_file(path, text) for path, text in _FIRST.items()))
    for number in range(COMMITS // 2):
        clock = CLOCK + 60 * (number + 1)
        name, old = f"t{number:05d}", f"t{number - _LIVE:05d}"
        has_old = number >= _LIVE
        document, held = f"tenants/{name}.yaml", _path(name)
        gone = [f"D tenants/{old}.yaml\n".encode()] * has_old
        yield _commit(clock, f"Add {name} (#{number})", _file(document, tenant(name)), *gone)
        text = record_text(_record(record, name, 8 * (number % (2 * _LIVE)), clock))
        gone = [f"D {_path(old)}\n".encode()] * has_old
        yield _commit(clock + 1, _PLAN, _file(held, text), *gone)


def _record(record: Allocation, name: str, offset: int, clock: int) -> Allocation:
    first, now = 0x0A000000 + offset, format_instant(clock)
    return replace(
        record,
        claim=record.claim._replace(name=name),
        owner=record.owner._replace(name=name),
        name=f"team-a-{name}-lb",
        range=IPRange(4, first, first + 7),
        since=now,
        allocated_at=now,
    )


def _path(name: str) -> str:
    return f"allocations/NetworkPool/butler-system.edge/team-a/{name}.loadbalancer.yaml"


def _file(path: str, text: str) -> bytes:
    data = text.encode()
    return f"M 100644 inline {path}\ndata {len(data)}\n".encode() + data + b"\n"


def _commit(clock: int, message: str, *changes: bytes) -> bytes:
    head = f"commit refs/heads/main\ncommitter A <a@example.com> {clock} +0000\n"
    return f"{head}data {len(message)}\n{message}\n".encode() + b"".join(changes)
