"""What a small plan loads, and how often it starts git: most of its time is its start."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reconciler.cli import run
from tests.cli.running import environment, given_out
from tests.world import CLOCK, SMALL, commit, tenant, write

# The plan of a program that notes what it did, as JSON behind all else that it says.
NOTED = """
import json, sys
from reconciler.adapters.git.process import GitProcess
from reconciler.cli import run
started, start = [], GitProcess._start
def noted(git, arguments, **how):
    started.append(arguments[0])
    return start(git, arguments, **how)
GitProcess._start = noted
code = run(sys.argv[1:])
files = {name: getattr(module, "__file__", None) or "" for name, module in sys.modules.items()}
print(json.dumps({"code": code, "started": started, "files": files}), file=sys.stderr)
"""
# Rooms that a plan needs: what it has no use for there costs each start a little.
ROOMS = {
    "additions", "addresses", "renaming", "sifting", "codes", "comparison", "counting", "digest", "documents", "engine", "evaluate", "families",
    "findings", "gathering", "incremental", "model", "observed", "overrides", "ownership", "ports", "records",
    "settings", "sources", "strictness", "tree", "withheld",
    "adapters.cache", "adapters.children", "adapters.facts", "adapters.git", "adapters.processes",
    "adapters.program",
    "cli.plan", "cli.shared",
    "commands.by_hand", "commands.causes", "commands.dates", "commands.differing", "commands.emptiness", "commands.exit_codes", "commands.handwork",
    "commands.last_made", "commands.message", "commands.putting_back",
    "commands.reading",
    "commands.replay", "commands.review", "commands.sightings",
    "report.capped", "report.escape", "report.found", "report.text",
}  # fmt: skip
# What stands in these is told apart by its second name.
SHELL = ("adapters", "cli", "commands", "report")
# Of a family: what it is in clusters, and tells in figures.
ELSEWHERE = ("_intake", "_metering", "_objects", "metering", "objects", "projecting")
FOREIGN = {"_yaml", "click", "git", "gitdb", "smmap", "yaml"}
# Of Python itself: each of them brings many others.
HEAVY = {
    "asyncio", "concurrent", "email", "http", "multiprocessing", "queue", "sqlite3", "ssl", "xml",
}  # fmt: skip
MODULES = 250
CALLS = 17


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a second plan did, after a change of one file."""
    place = tmp_path_factory.mktemp("start")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(place / "cache"))
        folder = given_out(place / "repo", SMALL)
        assert run(["plan", "--repo", str(folder)]) == 0
        write(folder, {"tenants/new.yaml": tenant("new")})
        commit(folder, clock=CLOCK + 60)
        command = [sys.executable, "-c", NOTED, "plan", "--repo", str(folder)]
        done = subprocess.run(command, capture_output=True, check=True, env=environment())
    noted: dict[str, Any] = json.loads(done.stderr.decode().splitlines()[-1])
    assert noted["code"] == 0
    assert b"team-a/new" in done.stdout
    return noted


def ours(noted: dict[str, Any]) -> list[list[str]]:
    """The modules of the program, each by the names behind its first."""
    found = [name.split(".")[1:] for name in noted["files"] if name.startswith("reconciler.")]
    return [names for names in found if names]


def test_a_plan_loads_the_rooms_that_it_needs(seen: dict[str, Any]) -> None:
    found = {".".join(names[: 1 + (names[0] in SHELL)]) for names in ours(seen)}
    assert found - set(SHELL) <= ROOMS


def test_a_plan_loads_nothing_of_what_families_are_in_clusters(seen: dict[str, Any]) -> None:
    names = [names for names in ours(seen) if names[0] == "families"]
    assert names
    assert [item for item in names if item[-1] in ELSEWHERE] == []


def test_a_plan_loads_no_more_modules_than_it_did(seen: dict[str, Any]) -> None:
    """Each costs a third of a millisecond: what a plan does need may raise the figure."""
    assert len(ours(seen)) <= MODULES


def test_a_plan_of_few_documents_loads_nothing_heavy(seen: dict[str, Any]) -> None:
    packages = {name.partition(".")[0] for name in seen["files"]}
    installed = {
        name.partition(".")[0]
        for name, file in seen["files"].items()
        if "site-packages" in Path(file).parts and not name.startswith(("_distutils", "__"))
    }
    assert installed <= FOREIGN
    # Of GitPython what starts git, and no more.
    assert {"git.objects", "git.repo"}.isdisjoint(seen["files"])
    assert packages.isdisjoint(HEAVY)


def test_a_plan_starts_git_no_more_often_than_it_did(seen: dict[str, Any]) -> None:
    """Each call costs four milliseconds."""
    assert len(seen["started"]) <= CALLS, seen["started"]
