"""`ipam verify` of a long branch: every reconcile commit of it, replayed."""

import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.corpus import build, change_file
from benchmarks.measure import run_ipam
from reconciler.gitio.repository import open_repository
from reconciler.reconcile.reconcile import ReconcileOptions, reconcile
from tests.world import ENVIRONMENT, pool, provider, tenant

COMMITS = 1_000
FIRST = COMMITS // 2
"""Records that are there before: so that there are as many as commits, on the average."""
LIMIT = 60.0
_IN_A_POOL = 100


def verify_line(folder: Path) -> str:
    """A line on a branch on which each commit of a person was answered by one of reconcile."""
    repository = _grown(folder / "verified.git")
    done = run_ipam("verify", f"--repo={repository}", "main")
    return (
        f"`ipam verify` of {COMMITS + 1:,} commits, with {FIRST:,} to {FIRST + COMMITS:,} records: "
        f"{done.seconds:.2f} s, target {LIMIT:g} s.\n"
    )


def _grown(folder: Path) -> Path:
    """The repository; each commit adds a record."""
    build(folder, FIRST, _files)
    branch = open_repository(folder, ENVIRONMENT)
    for number in range(FIRST, FIRST + COMMITS + 1):
        reconcile(branch, ReconcileOptions())
        if number < FIRST + COMMITS:
            change_file(folder, *_file(number))
            words = ["update-ref", "refs/heads/main", "refs/heads/change"]
            subprocess.run(["git", f"--git-dir={folder}", *words], check=True)
    return folder


def _files(count: int) -> Iterator[tuple[str, bytes]]:
    """A pool and a provider for each hundred tenants; each of these gets one record."""
    for home in range(-(-(FIRST + COMMITS) // _IN_A_POOL)):
        yield f"pools/p{home}.yaml", pool(f"p{home}", f"10.{home}.0.0/16").encode()
        yield f"providers/p{home}.yaml", provider(f"p{home}", f"[{{name: p{home}}}]").encode()
    for number in range(count):
        yield _file(number)


def _file(number: int) -> tuple[str, bytes]:
    name = f"t{number:05d}"
    text = tenant(name, providerConfigRef=f"{{name: p{number // _IN_A_POOL}}}")
    return f"tenants/{name}.yaml", text.encode()
