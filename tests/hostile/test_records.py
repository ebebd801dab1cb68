"""Any edit of a record in a pull request is reported, and does not reach clusters."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from reconciler.cli import run
from reconciler.gitio.repository import open_repository
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.projection import project
from reconciler.planning.read import evaluate_source
from tests.cli.running import given_out
from tests.world import ENVIRONMENT, SMALL, commit, git, repository, request, tenant, write

FOLDER = "allocations/NetworkPool/butler-system.edge"
VICTIM = f"{FOLDER}/team-a/one.loadbalancer.yaml"
HELD = "10.40.0.0-10.40.0.7"
BOTH = {**SMALL, "tenants/thief.yaml": tenant("thief", "team-b")}

Edit = Callable[[str], str]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A victim and a thief with their records on main, and a branch for the change."""
    made = given_out(tmp_path / "repo", BOTH)
    git(made, "switch", "-qc", "change")
    return made


def edited(folder: Path, path: str, edit: Edit) -> None:
    before = (folder / path).read_text(encoding="utf-8")
    after = edit(before)
    assert after != before
    write(folder, {path: after})
    commit(folder, "an edit")


def checked(folder: Path, capsys: pytest.CaptureFixture[str], base: str = "main") -> dict[str, Any]:
    capsys.readouterr()
    code = run(["check", "--repo", str(folder), "--base", base, "-o", "json"])
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert document["exitCode"] == code
    return document


def evaluated(folder: Path) -> Evaluation:
    return evaluate_source(open_repository(folder, ENVIRONMENT).source("HEAD"))


def announced(folder: Path) -> dict[str, list[str]]:
    return {
        item.cluster: list(item.manifest["spec"]["addresses"])
        for item in project(evaluated(folder))
        if item.manifest["kind"] == "IPAddressPool"
    }


def swap(old: str, new: str) -> Edit:
    return lambda text: text.replace(old, new)


TO_THIEF = swap(
    "    name: one\n    namespace: team-a\n", "    name: thief\n    namespace: team-b\n"
)


def test_a_merge_of_what_reconcile_wrote_is_fine(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write(folder, {"tenants/three.yaml": tenant("three")})
    commit(folder)
    git(folder, "switch", "-q", "main")
    write(folder, {"tenants/two.yaml": tenant("two")})
    git(folder, "rm", "-q", "tenants/thief.yaml")
    before = commit(folder)
    assert run(["reconcile", "--repo", str(folder)]) == 0
    git(folder, "switch", "-q", "change")
    git(folder, "merge", "-q", "--no-edit", "main")
    for base in ("main", before):
        document = checked(folder, capsys, base)
        assert (document["exitCode"], document["findings"]) == (0, [])
    edited(folder, f"{FOLDER}/team-a/two.loadbalancer.yaml", swap("team: team-a", "team: team-b"))
    assert checked(folder, capsys, before)["exitCode"] == 1


def test_nodes_addresses_are_not_announced_by_an_edit_of_their_type(folder: Path) -> None:
    edited(folder, VICTIM, lambda text: text.replace("loadbalancer", "nodes"))
    assert HELD not in announced(folder).get("team-a/one", [])


def test_the_owner_of_a_requests_addresses_is_told_by_the_request_alone(tmp_path: Path) -> None:
    asked = request("extra").replace(
        "name: extra, namespace: team-a", "name: one, namespace: team-a"
    )
    files = {**BOTH, "tenants/extra.yaml": asked.replace("type: nodes", "type: loadbalancer")}
    folder = repository(tmp_path / "repo", files)
    assert run(["reconcile", "--repo", str(folder)]) == 0
    before = announced(folder)
    path = f"{FOLDER}/butler-system/extra.request.yaml"
    edited(folder, path, lambda text: TO_THIEF(text).replace("tenant: one", "tenant: thief"))
    assert announced(folder) == before
