"""The example repository is current, valid, and as safe as it tells others to be."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from reconciler.cli import run
from reconciler.families.butler.kinds import TEAM, TENANT
from reconciler.planning.evaluate import Evaluation
from tests.world import commit, evaluation_of, git, repository

ROOT = Path(__file__).resolve().parent.parent
EXAMPLE = ROOT / "example-repo"
MODELINE = re.compile(r"# yaml-language-server: \$schema=(\S+)\n")
WRITTEN = sorted(
    path
    for path in [EXAMPLE / "ipam.yaml", *EXAMPLE.glob("[a-z]*/**/*.yaml")]
    if path.relative_to(EXAMPLE).parts[0] != "allocations"
)
WORKFLOWS = sorted((EXAMPLE / ".github" / "workflows").glob("*.yml"))


def files(*, records: bool = True) -> dict[str, str | bytes]:
    found: dict[str, str | bytes] = {
        path.relative_to(EXAMPLE).as_posix(): path.read_bytes()
        for path in sorted(EXAMPLE.rglob("*"))
        if path.is_file()
    }
    return {
        name: data for name, data in found.items() if records or not name.startswith("allocations/")
    }


def evaluated() -> Evaluation:
    return evaluation_of(
        {name: data for name, data in files().items() if name.endswith((".yaml", ".yml"))}
    )


def documents(path: Path) -> list[dict[str, Any]]:
    return list(yaml.safe_load_all(path.read_text()))


def test_check_passes_on_it(tmp_path: Path) -> None:
    checkout = repository(tmp_path / "repo", files())
    assert run(["check", "--repo", str(checkout)]) == 0
    assert run(["plan", "--detailed-exitcode", "--repo", str(checkout)]) == 0


def test_its_records_are_exactly_what_reconcile_writes(tmp_path: Path) -> None:
    checkout = repository(tmp_path / "repo", files(records=False))
    assert run(["reconcile", "--repo", str(checkout)]) == 0
    written = {
        path.relative_to(checkout).as_posix(): path.read_bytes()
        for path in (checkout / "allocations").rglob("*.yaml")
    }
    assert written == {
        name: data for name, data in files().items() if name.startswith("allocations/")
    }


def test_it_shows_what_a_platform_team_has() -> None:
    evaluation = evaluated()
    by_pool = {key.name: usage for key, usage in evaluation.plan.before.items()}
    edge = by_pool["dc1-edge"]
    assert (edge.total, edge.allocated, edge.percent) == (32, 16, 50.0)
    assert by_pool["vlan41-pool"].allocated > 0, "the secondary pool took what the first could not"
    assert len(list(evaluation.documents.of(TEAM))) == 3
    tenants = list(evaluation.documents.of(TENANT))
    assert len(tenants) >= 12
    assert len({document.namespace for document in tenants}) >= 4
    assert any(record.pinned for record in evaluation.state.records)


def test_sixteen_tenants_fill_the_edge_pool_and_the_next_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    checkout = repository(tmp_path / "repo", files())
    arguments = ["simulate", "--tenants", "9", "--repo", str(checkout), "-o", "json"]
    assert run(arguments) == 3
    result = json.loads(capsys.readouterr().out)
    assert result["fit"] == 8
    reached = [(8 + step["tenants"], step["allocated"], step["tiers"]) for step in result["steps"]]
    assert reached == [
        (8, 16, "none"),
        (12, 24, "warning"),
        (14, 28, "warning+critical"),
        (16, 32, "warning+critical+exhausted"),
    ]
    assert result["refused"]["reason"] == "pool-exhausted"
    assert result["refused"]["hint"]


def test_its_schemas_are_those_of_ipam_schema_all(tmp_path: Path) -> None:
    assert run(["schema", "--out", str(tmp_path)]) == 0
    written = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    kept = {path.name: path.read_bytes() for path in (EXAMPLE / ".schemas").iterdir()}
    assert kept == written, "run: ipam schema --out example-repo/.schemas"


@pytest.mark.parametrize("path", WRITTEN, ids=lambda path: path.relative_to(EXAMPLE).as_posix())
def test_each_file_names_the_schema_of_its_documents(path: Path) -> None:
    match = MODELINE.match(path.read_text())
    assert match is not None, "the first line is a yaml-language-server line"
    schema = path.parent / match.group(1)
    assert schema.resolve().is_relative_to(EXAMPLE)
    validator = Draft202012Validator(json.loads(schema.read_text()))
    for document in documents(path):
        assert document["kind"] == schema.stem.partition(".")[0]
        assert [error.message for error in validator.iter_errors(document)] == []


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_its_workflows_are_hardened(path: Path) -> None:
    workflow = yaml.safe_load(path.read_text())
    assert workflow["permissions"] == {}
    for job in workflow["jobs"].values():
        assert job["permissions"].keys() <= {"contents"}
        assert "timeout-minutes" in job
        assert "group" in job["concurrency"]
        for step in job["steps"]:
            assert "${{" not in step.get("run", ""), "a title or branch name must not be a command"
            if "uses" in step:
                assert re.fullmatch(r"[\w.-]+/[\w./-]+@[0-9a-f]{40}", step["uses"])
            if step.get("uses", "").startswith("actions/checkout@"):
                assert step["with"]["persist-credentials"] is False


def test_the_workflow_checks_merges_and_reconciles_main() -> None:
    workflow = yaml.safe_load((EXAMPLE / ".github/workflows/ipam.yml").read_text())
    triggers = workflow[True]  # YAML 1.1 reads `on` as true
    assert triggers.keys() == {
        *("pull_request", "merge_group", "push", "schedule", "workflow_dispatch")
    }
    assert triggers["workflow_dispatch"]["inputs"].keys() == {"allow-release", "dry-run"}
    check, reconcile = workflow["jobs"]["check"], workflow["jobs"]["reconcile"]
    # The merge commit is what GitHub checks out by itself, for a merge group as well.
    (checkout,) = (step for step in check["steps"] if "uses" in step)
    assert "ref" not in checkout["with"]
    base = "${{ github.event.merge_group.base_sha || 'HEAD^1' }}"
    for name in ("Check", "Plan"):
        assert [it["env"] for it in check["steps"] if it.get("name") == name] == [
            {"IPAM_BASE": base}
        ]
    assert "secrets" not in yaml.dump(check)
    assert any("ipam reconcile" in step.get("run", "") for step in reconcile["steps"])
    assert check["permissions"] == {"contents": "read"}


def test_a_check_of_the_merge_commit_needs_the_whole_history(tmp_path: Path) -> None:
    checkout = repository(tmp_path / "repo", files())
    git(checkout, "checkout", "-q", "-b", "change")
    staging = checkout / "tenants/payments/staging.yaml"
    staging.write_text(f"{staging.read_text()}---\n{added('ledger')}")
    commit(checkout)
    git(checkout, "checkout", "-q", "main")
    git(checkout, "merge", "-q", "--no-ff", "-m", "merge", "change")
    clone = tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--depth", "2", f"file://{checkout}", str(clone))
    assert run(["check", "--base", "HEAD^1", "--repo", str(clone)]) == 4
    git(clone, "fetch", "-q", "--unshallow")
    assert run(["check", "--base", "HEAD^1", "--repo", str(clone)]) == 0


def added(name: str) -> str:
    return (
        "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: TenantCluster\n"
        f"metadata:\n  name: {name}\n  namespace: team-payments-staging\n"
        "spec:\n  teamRef: {name: payments}\n  workers: {replicas: 2}\n"
    )
