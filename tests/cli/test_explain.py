"""`ipam explain`: codes, and remedies that are ready to be applied."""

import json
from pathlib import Path

import pytest

from reconciler.cli import run
from reconciler.codes import CODES
from reconciler.model.errors import ExitCode
from tests.cli.running import Capture, ipam
from tests.families.capi import trees as capi
from tests.world import SMALL, git, pool, repository, request, tenant, write


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    return repository(tmp_path / "repo", SMALL)


def test_a_code_is_explained_without_a_repository(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = ipam(capsys, "explain", "range-reversed")
    lines = ran.out.splitlines()
    about = CODES["range-reversed"]
    assert (ran.code, lines[0]) == (0, "range-reversed")
    assert lines[1:3] == [f"  cause: {about.cause}", f"  fix: {about.fix}"]
    assert "error range-reversed: " in lines[4]
    assert lines[5].startswith("      hint: ")


FULL = {
    **SMALL,
    "pools/edge.yaml": pool(cidr="10.40.0.0/28").rstrip("\n"),
    "pools/far.yaml": pool("far", "10.50.0.0/24"),
    "tenants/one.yaml": tenant("one", networking="{lbPoolSize: 14}"),
    "tenants/wide area.yaml": tenant("wide", networking="{lbPoolSize: 12} # twelve"),
}


@pytest.fixture
def full(tmp_path: Path) -> Path:
    made = repository(tmp_path / "repo", FULL)
    assert run(["reconcile", "--repo", str(made)]) == ExitCode.GATE
    return made


def test_git_applies_each_patch_and_write_does_the_same(full: Path, capsys: Capture) -> None:
    ran = ipam(capsys, "explain", "wide", "-o", "json", "--repo", full)
    (told,) = json.loads(ran.out)["items"]
    assert [item["number"] for item in told["patches"]] == [1, 2, 3]
    for item in told["patches"]:
        git(full, "apply", "-", data=item["patch"].encode())
        applied = (full / item["path"]).read_bytes()
        git(full, "checkout", "-q", ".")
        ran = ipam(capsys, "explain", "wide", "--write", str(item["number"]), "--repo", full)
        assert (ran.code, ran.out) == (0, f"{item['path']}: {item['says']}\n")
        assert (full / item["path"]).read_bytes() == applied
        assert git(full, "diff", "--name-only").strip('"') == item["path"]
        git(full, "checkout", "-q", ".")


def test_the_text_of_a_refusal_has_patches_and_that_of_an_address_its_pool(
    full: Path, capsys: Capture
) -> None:
    said = ipam(capsys, "explain", "wide", "--repo", full).out
    assert "to apply one: --write N, or git apply" in said
    assert "\n+++ b/tenants/wide area.yaml" in said.replace('"', "")
    assert "pools/far.yaml:" in ipam(capsys, "explain", "10.50.0.9", "--repo", full).out
    assert "not in any pool" in ipam(capsys, "explain", "10.60.0.9", "--repo", full).out


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("wide", "--write", "9"), "no patch 9 for team-a/wide (loadbalancer): it has 3 patches"),
        (("wide", "--write"), "team-a/wide (loadbalancer) has 3 patches: choose one"),
        (("one", "--write"), "no patch for team-a/one (loadbalancer): it has none"),
        (("wide", "--write", "1", "--rev", "HEAD~1"), "--worktree and --rev exclude each other"),
    ],
)
def test_a_patch_that_is_not_there_is_not_written(
    full: Path, capsys: Capture, words: tuple[str, ...], says: str
) -> None:
    ran = ipam(capsys, "explain", *words, "--repo", full)
    assert (ran.code, ran.out) == (64, "")
    assert says in ran.err
    assert git(full, "status", "--porcelain") == ""


def test_what_is_not_committed_is_explained_with_worktree(repo: Path, capsys: Capture) -> None:
    write(repo, {"tenants/lake.yaml": tenant("lake")})
    ran = ipam(capsys, "explain", "lake", "--repo", repo)
    assert (ran.code, "--worktree also reads files" in ran.err) == (64, True)
    assert ipam(capsys, "explain", "lake", "--worktree", "--repo", repo).code == 0


@pytest.mark.parametrize("is_reconciled", [False, True])
def test_a_tenant_whose_only_claim_is_a_pinned_request_is_explained_by_its_name(
    tmp_path: Path, capsys: Capture, *, is_reconciled: bool
) -> None:
    pinned = "{startAddress: 10.40.0.64, endAddress: 10.40.0.67}"
    asked = request("legacy", pinnedRange=pinned).replace("name: legacy, namespace: team-a", "name: one, namespace: team-a")  # fmt: skip
    far = request("gone", count=2)
    lb = asked.replace("type: nodes", "type: loadbalancer")
    made = repository(tmp_path / "repo", {**SMALL, "teams/legacy.yaml": lb, "teams/far.yaml": far})
    if is_reconciled:
        assert run(["reconcile", "--repo", str(made)]) == 0
    for name in ("team-a/one", "one"):
        ran = ipam(capsys, "explain", name, "-o", "json", "--repo", made)
        assert (ran.code, [it["claim"] for it in json.loads(ran.out)["items"]]) == (
            0, ["butler/IPAllocation/butler-system/legacy/request"],
        )  # fmt: skip
    # A request of a tenant that is not in this repository is found by its holder.
    assert ipam(capsys, "explain", "team-a/gone", "--repo", made).code == 0
    assert ipam(capsys, "explain", "team-a/nobody", "--repo", made).code == 64


def test_a_claim_of_no_known_pool_is_explained_with_its_error(
    tmp_path: Path, capsys: Capture
) -> None:
    misspelt = capi.claim(kind="GlobalInclusterIPPool")
    made = repository(tmp_path / "repo", capi.of(capi.pool(), misspelt))
    ran = ipam(capsys, "explain", "default/one", "--repo", made)
    assert (ran.code, "kind-unknown" in ran.out) == (0, True)
    assert "write apiGroup: ipam.cluster.x-k8s.io and kind: GlobalInClusterIPPool" in ran.out
