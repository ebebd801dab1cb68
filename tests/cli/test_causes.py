"""The edit that causes each decision of a plan, and decisions without one."""

from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Capture, given_out, ipam
from tests.cli.test_within import changed
from tests.test_output_schemas import validated
from tests.world import SMALL, commit, git, pool, settings, tenant, write


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return given_out(tmp_path / "repo", {**SMALL, "pools/edge.yaml": pool("edge", "10.40.0.0/28")})


def causes(capsys: Capture, repo: Path, *more: str) -> dict[str, dict[str, Any]]:
    ran = ipam(capsys, "check", "--base", "main", "--repo", repo, "-o", "json", *more)
    found = validated("check.json", ran.out)
    told = [it["claim"] for it in found["causes"]]
    assert told == [it["claim"] for it in found["plan"]["actions"] if it["action"] != "keep"]
    return {claim.split("/")[3]: it for claim, it in zip(told, found["causes"], strict=True)}


def text(capsys: Capture, repo: Path) -> str:
    return ipam(capsys, "check", "--base", "main", "--repo", repo).out


def test_a_claim_is_caused_by_its_document_and_the_commit_that_brought_it(
    repo: Path, capsys: Capture
) -> None:
    first = changed(
        repo, {"tenants/two.yaml": f"# words\n{tenant('two', networking='{lbPoolSize: 2}')}"}
    )
    second = changed(repo, {"tenants/one.yaml": None})
    found = causes(capsys, repo)
    assert (found["two"]["path"], found["two"]["commit"]) == ("tenants/two.yaml", first)
    assert (found["one"]["path"], found["one"]["line"]) == ("tenants/one.yaml", 1)
    assert (found["one"]["commit"], found["one"]["reason"]) == (second, "")
    assert "aused" not in text(capsys, repo), "causes in rows are repeated"
    # For a deleted document, the row shows its path and the author of the deletion.
    gone = f"its TenantCluster was removed: tenants/one.yaml:1 ({second[:12]})"
    assert gone in ipam(capsys, "plan", "--base", "main", "--repo", repo).out
    for verb in ("check", "plan"):
        ran = ipam(capsys, verb, "--base", "main", "--repo", repo, "-o", "markdown")
        assert f"| {gone} |" in ran.out.replace("`", "").replace("\\", "")


def test_somebody_s_refused_claim_that_fits_now_is_caused_by_the_pool(
    repo: Path, capsys: Capture
) -> None:
    write(repo, {"tenants/large.yaml": tenant("large", networking="{lbPoolSize: 12}")})
    commit(repo)
    made = changed(repo, {"pools/edge.yaml": pool("edge", "10.40.0.0/26")})
    cause = causes(capsys, repo)["large"]
    assert (cause["path"], cause["commit"]) == ("pools/edge.yaml", made)
    assert (
        "Caused elsewhere in this change:\n"
        f"  team-a/large (loadbalancer): pools/edge.yaml:{cause['line']} ({made[:12]}):"
        " this change edits pool edge"
    ) in text(capsys, repo)


def test_what_the_change_pushes_elsewhere_is_told_with_what_it_touches(
    repo: Path, capsys: Capture
) -> None:
    write(repo, {"tenants/owed.yaml": tenant("owed", networking="{lbPoolSize: 3}")})
    commit(repo)
    changed(repo, {"tenants/before.yaml": tenant("before", networking="{lbPoolSize: 3}")})
    found = causes(capsys, repo)
    assert found["before"]["path"] == "tenants/before.yaml"
    reason = "another edit of this change frees or takes addresses: tenants/before.yaml"
    assert (found["owed"]["path"], found["owed"]["reason"]) == (None, reason)
    assert found["owed"]["caused"]
    told = text(capsys, repo)
    assert f"Caused elsewhere in this change:\n  team-a/owed (loadbalancer): {reason}" in told
    assert "Not caused" not in told


def test_a_source_folder_that_settings_drop_is_the_cause_of_a_release_limit(
    repo: Path, capsys: Capture
) -> None:
    files = {"ipam.yaml": settings("{sources: [pools, providers, clusters]}"), "clusters/x.md": ""}
    changed(repo, files)
    said = "add tenants/ to spec.sources of ipam.yaml again"
    assert said in text(capsys, repo)
    git(repo, "switch", "-q", "main")
    git(repo, "merge", "-q", "--ff-only", "change")
    for verb in ("plan", "reconcile", "reconcile"):
        ran = ipam(capsys, verb, "--repo", repo)
        assert (ran.code, f"hint: {said}" in ran.err) == (3, True)
    write(repo, {"tenants/one.yaml": tenant("two")})
    commit(repo)
    ran = ipam(capsys, "plan", "--repo", repo)
    assert (ran.code, said in ran.err) == (3, False)
