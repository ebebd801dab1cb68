"""Address spaces times ranges: both may be many, and what follows is bounded in time and memory."""

import os
import resource
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from tests.world import ENVIRONMENT, pool, provider, repository, tenant

SPACES, RANGES = 1_200, 4_000
MEMORY = 448 * 1024 * 1024
SECONDS = 60
_IN_A_FILE = 500


def files(folder: str, texts: Iterable[str]) -> dict[str, str]:
    """Documents, many in a file."""
    every = list(texts)
    return {
        f"{folder}/{at}.yaml": "---\n".join(every[at : at + _IN_A_FILE])
        for at in range(0, len(every), _IN_A_FILE)
    }


def spaced(number: int) -> str:
    """A pool in an address space of its own."""
    there = f"system, annotations: {{gitops-ipam.dev/address-space: s{number}}}}}"
    return pool(f"p{number}", "10.60.0.0/24").replace("system}", there)


def ranges() -> Iterable[str]:
    """Tenants with a range each, that nobody else has."""
    for number in range(RANGES):
        high, low = divmod(number, 250)
        address = f"{{start: 172.16.{high}.{low}, end: 172.16.{high}.{low}}}"
        own = f"{{lbPoolSize: 1, loadBalancerPool: {address}}}"
        yield tenant(f"r{number}", "t", providerConfigRef="{name: cloud}", networking=own)


CLOUD = provider("cloud", "[]").replace("mode: ipam", "mode: cloud")
NOBODY_ASKS = {
    **files("pools", map(spaced, range(SPACES))),
    **files("tenants", ranges()),
    "providers/cloud.yaml": CLOUD,
}
"""Ranges that count in every space, since their provider has no pools."""

EACH_ASKS = {
    **NOBODY_ASKS,
    **files("providers/each", (provider(f"q{n}", f"[{{name: p{n}}}]") for n in range(SPACES))),
    **files(
        "clusters", (tenant(f"c{n}", providerConfigRef=f"{{name: q{n}}}") for n in range(SPACES))
    ),
}
"""The same, and a claim in each space."""


def limited() -> None:
    resource.setrlimit(resource.RLIMIT_DATA, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


@pytest.mark.parametrize("world", [NOBODY_ASKS, EACH_ASKS], ids=["nobody asks", "each asks"])
def test_many_spaces_times_many_ranges_are_no_more_than_both(
    tmp_path: Path, world: dict[str, str]
) -> None:
    folder = repository(tmp_path / "repo", world)
    command = [sys.executable, "-m", "reconciler", "check", "--repo", str(folder)]
    done = subprocess.run(
        command,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **ENVIRONMENT, "XDG_CACHE_HOME": str(tmp_path / "cache")},
        preexec_fn=limited,
    )
    assert done.returncode == 0, done.stdout[-2_000:] + done.stderr[-2_000:]
