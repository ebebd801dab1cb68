"""What a small plan or check loads, and how often it starts git: most of its time is its start."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from reconciler.cli import run
from tests.cli.running import environment, given_out
from tests.world import CLOCK, SMALL, commit, tenant, write

# A run of a program that notes what it did, as JSON behind all else that it says.
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
    "commands.by_hand", "commands.causes", "commands.emptiness", "commands.exit_codes", "commands.handwork",
    "commands.last_made", "commands.let_go", "commands.message",
    "commands.reading",
    "commands.review", "commands.sightings", "commands.verdicts",
    "report.capped", "report.escape", "report.found", "report.text",
}  # fmt: skip
# What stands in these is told apart by its second name.
SHELL = ("adapters", "cli", "commands", "report")
# Of a family: what it is in clusters, and tells in figures.
ELSEWHERE = (
    "_announcing", "_intake", "_metering", "_objects", "announcing", "metering", "objects", "projecting",
)  # fmt: skip
FOREIGN = {"_yaml", "click", "git", "gitdb", "msgspec", "smmap", "typing_extensions", "yaml"}
# Of Python itself: each of them brings many others.
HEAVY = {
    "asyncio", "concurrent", "email", "http", "multiprocessing", "queue", "sqlite3", "ssl", "xml", "zipfile",
}  # fmt: skip
MODULES = 230
CALLS = 11
# What a change is compared by, and what clusters lose by it, which families tell of their objects.
OF_CHECK = {
    "announced", "caused", "cluster_pools", "clusters", "formers", "lingering", "losses", "lookalikes", "projecting", "replaced", "resizing", "takeovers",
    "vanishing",
    "adapters.git", "cli.check",
    "commands.beside", "commands.braked_base", "commands.carried", "commands.caused", "commands.cut_before", "commands.elsewhere", "commands.freed_before",
    "commands.inherited", "commands.judging", "commands.merging", "commands.pins_before", "commands.renames_before", "commands.strays", "commands.uncommitted",
    "commands.within", "report.causes",
}  # fmt: skip
# One looks at what the change brings where nobody reads it, and one call of git lists that.
MODULES_OF_CHECK = 270
# Two of them tell whether the newest commit that says that reconcile made it wrote records alone.
CALLS_OF_CHECK = 20


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What a second plan did, after a change of one file."""
    return noted(tmp_path_factory.mktemp("start"), "plan")


@pytest.fixture(scope="module")
def checked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the check of such a change did, where a cache knows the base."""
    return noted(tmp_path_factory.mktemp("check"), "check", "--base", "HEAD^1", "--trust-cache")


def noted(place: Path, *words: str) -> dict[str, Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(place / "cache"))
        folder = given_out(place / "repo", SMALL)
        assert run(["plan", "--repo", str(folder)]) == 0
        write(folder, {"tenants/new.yaml": tenant("new")})
        commit(folder, clock=CLOCK + 60)
        command = [sys.executable, "-c", NOTED, *words, "--repo", str(folder)]
        done = subprocess.run(command, capture_output=True, check=True, env=environment())
    found: dict[str, Any] = json.loads(done.stderr.decode().splitlines()[-1])
    assert found["code"] == 0
    assert b"1 to allocate" in done.stdout
    return found


def ours(run_of: dict[str, Any]) -> list[list[str]]:
    """The modules of the program, each by the names behind its first."""
    found = [name.split(".")[1:] for name in run_of["files"] if name.startswith("reconciler.")]
    return [names for names in found if names]


def rooms(run_of: dict[str, Any]) -> set[str]:
    found = {".".join(names[: 1 + (names[0] in SHELL)]) for names in ours(run_of)}
    return found - set(SHELL)


def test_a_plan_loads_the_rooms_that_it_needs(seen: dict[str, Any]) -> None:
    assert rooms(seen) <= ROOMS


def test_a_check_beside_its_base_loads_what_compares_them_and_no_form_that_nobody_asked_for(
    checked: dict[str, Any],
) -> None:
    assert rooms(checked) - ROOMS <= OF_CHECK
    assert len(ours(checked)) <= MODULES_OF_CHECK


def test_a_check_beside_its_base_starts_git_no_more_often_than_it_did(
    checked: dict[str, Any],
) -> None:
    """It looks objects up by two processes, and asks nothing twice."""
    assert len(checked["started"]) <= CALLS_OF_CHECK, checked["started"]
    looked_up = [it for it in checked["started"] if it == "cat-file"]
    assert len(looked_up) == 2


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
