"""The toy family, through the whole program but for clusters: as a family of its own would be."""

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from reconciler.documents.validators import schema
from reconciler.model.plan import Refuse
from reconciler.planning.documents import schema_files
from reconciler.planning.evaluate import Evaluation
from reconciler.records.emit import record_text
from reconciler.safety.clashes import PoolText, holding_of
from tests.caches import PYTHON
from tests.toy import EXAMPLE, installed
from tests.world import commit, evaluation_of, git, reconciled, repository

Files = dict[str, str | bytes]
BOATS = "tenants/boats.yaml"
FILES: Files = {
    path.relative_to(EXAMPLE).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(EXAMPLE.rglob("*.yaml"))
}
ANNA = "allocations/Quay/north/sea/anna.berth.yaml"


@pytest.fixture(autouse=True)
def _beside_the_others() -> Iterator[None]:
    with installed():
        yield


def changed(path: str, old: str, new: str, files: Files = FILES) -> Files:
    text = str(files[path])
    assert old in text
    return {**files, path: text.replace(old, new)}


def decided(evaluation: Evaluation) -> dict[str, str]:
    found = {}
    for item in evaluation.plan.decisions:
        word = item.reason if isinstance(item, Refuse) else type(item).__name__
        found[item.claim.name] = word
    return found


def test_labels_select_and_no_match_is_a_refusal_of_its_own() -> None:
    assert decided(evaluation_of(changed(BOATS, "side: south", "side: west"))) == {
        "anna": "Grant", "bert": "Grant", "cleo": "no-matching-pool",
    }  # fmt: skip
    refused = evaluation_of(changed(BOATS, "side: south", "side: west")).gates
    assert [item.message for item in refused] == ["sea/cleo (berth): no quay bears side=west"]


def test_versions_of_one_kind_have_a_schema_each() -> None:
    files = schema_files()
    assert {name.partition(".")[0] for name in files} >= {"Quay", "Boat", "NetworkPool"}
    assert files["Boat.v1.harbour.example"] != files["Boat.v2.harbour.example"]
    assert "Boat" not in files
    assert "version 2" in schema(files["Boat.v2.harbour.example"])["title"]


def test_the_net_reads_its_records_in_its_own_way() -> None:
    for record in evaluation_of(reconciled(FILES)).state.records:
        found = holding_of("allocations", record.path, record_text(record).encode())
        assert found.pool == PoolText("Quay", "", record.pool.name)
        assert found.claim == str(record.claim)
        assert len(found.ranges) == 1


def ipam(*arguments: str | Path) -> subprocess.CompletedProcess[str]:
    """The program with the family, as a process of its own."""
    return subprocess.run(
        [sys.executable, "-m", "tests.toy", *map(str, arguments)],
        capture_output=True,
        check=False,
        text=True,
        env={"PATH": "/usr/bin:/bin", "HOME": "/nonexistent", "LC_ALL": "C.UTF-8", **PYTHON},
    )


def test_the_command_plans_reconciles_and_lists_it(tmp_path: Path) -> None:
    repo = repository(tmp_path / "repo", FILES)
    assert ipam("check", "--repo", repo).returncode == 0
    planned = json.loads(ipam("plan", "--repo", repo, "-o", "json").stdout)
    assert planned["summary"]["allocate"] == 3
    done = ipam("reconcile", "--repo", repo, "--no-apply")
    assert done.returncode == 0, done.stderr
    git(repo, "checkout", "-q", "-f", "main")
    assert (repo / ANNA).is_file()
    again = json.loads(ipam("plan", "--repo", repo, "-o", "json").stdout)
    assert (again["changed"], again["summary"]["keep"]) == (False, 3)
    listed = ipam("get", "allocations", "-o", "wide", "--repo", repo)
    rows = [line.split() for line in listed.stdout.splitlines()[1:]]
    assert [[*row[:2], row[3], *row[5:7]] for row in rows] == [
        ["lake-bert-berth", "old", "Allocated", "berth", "bert"],
        ["sea-anna-berth", "north", "Allocated", "berth", "anna"],
        ["sea-cleo-berth", "private", "Allocated", "berth", "cleo"],
    ]
    (repo / BOATS).write_text(str(FILES[BOATS]).replace("side: south", "side: west"))
    commit(repo)
    assert "record-stale" in ipam("check", "--repo", repo).stdout
    assert {"Quay", "Boat.v1.harbour.example", "Boat.v2.harbour.example"} <= {
        *ipam("schema").stdout.split()
    }
