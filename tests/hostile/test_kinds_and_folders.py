"""A pull request for one folder cannot add documents of another one without a finding."""

import json
from pathlib import Path

import pytest

from reconciler.cli import run
from tests.cli.running import ipam
from tests.world import CLOCK, SMALL, commit, git, pool, provider, repository, tenant, write

HEAD = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\nspec:\n"
TEAM = "apiVersion: butler.butlerlabs.dev/v1alpha1\nkind: Team\nmetadata: {name: blue}\n"
KINDS = (
    f"{HEAD}  kinds:\n    pools: [NetworkPool]\n    providers: [ProviderConfig]\n"
    "    tenants: [TenantCluster, IPAllocation]\n"
)
THIEF = pool("thief", "10.66.0.0/24")
Files = dict[str, str]
Capsys = pytest.CaptureFixture[str]


def lab(text: str, space: str = "lab") -> str:
    annotation = f"annotations: {{gitops-ipam.dev/address-space: {space}}}"
    return text.replace("butler-system}", f"butler-system, {annotation}}}")


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A reconciled repository whose Settings name its folders, with branch `change`."""
    return reconciled(tmp_path, {**SMALL, "ipam.yaml": KINDS})


def reconciled(tmp_path: Path, files: Files) -> Path:
    made = repository(tmp_path / "repo", files)
    assert run(["reconcile", "--no-apply", "--repo", str(made)]) == 0
    git(made, "checkout", "-q", "-b", "change")
    return made


def change(repo: Path, files: Files) -> None:
    write(repo, files)
    commit(repo, "change", CLOCK + 60)


def found(capsys: Capsys, repo: Path, *options: str) -> tuple[int, list[tuple[str, str]]]:
    ran = ipam(capsys, "check", "--repo", repo, "-o", "json", *options)
    document = json.loads(ran.out)
    listed = [*document["findings"], *document["gates"]]
    return ran.code, [(item["severity"], item["code"]) for item in listed]


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("tenants/mine.yaml", THIEF),
        ("tenants/mine.yaml", f"{tenant('mine')}---\n{THIEF}"),
        ("tenants/deep/er/mine.yaml", provider("mine", "[{name: edge}]")),
        ("tenants/mine.yaml", TEAM),
        ("pools/mine.yaml", tenant("mine")),
    ],
)
def test_a_kind_in_a_folder_that_settings_name_for_others_is_an_error(
    capsys: Capsys, repo: Path, path: str, text: str
) -> None:
    change(repo, {path: text})
    for more in ([], ["--base", "main"], ["--worktree"]):
        code, listed = found(capsys, repo, *more)
        assert code == 1
        assert ("error", "kind-in-wrong-folder") in listed


def test_nothing_is_given_out_of_a_pool_in_the_folder_of_a_tenant(
    capsys: Capsys, repo: Path
) -> None:
    mine = tenant("mine", providerConfigRef="{name: mine}")
    change(repo, {
        "tenants/pool.yaml": THIEF, "tenants/mine.yaml": mine,
        "providers/mine.yaml": provider("mine", "[{name: thief}]"),
    })  # fmt: skip
    git(repo, "checkout", "-q", "main")
    git(repo, "merge", "-q", "change")
    assert ipam(capsys, "reconcile", "--no-apply", "--repo", repo).code in (1, 3)
    assert not list((repo / "allocations").rglob("mine.*"))


def test_a_pool_that_is_moved_into_the_folder_of_a_tenant_goes_on_as_it_was(
    capsys: Capsys, repo: Path
) -> None:
    (repo / "pools/edge.yaml").unlink()
    change(repo, {"tenants/edge.yaml": pool(cidr="10.0.0.0/8")})
    code, listed = found(capsys, repo, "--base", "main")
    assert (code, ("error", "kind-in-wrong-folder") in listed) == (1, True)
    ran = ipam(capsys, "plan", "--repo", repo, "-o", "json", "--all")
    plan = json.loads(ran.out)
    assert [item["action"] for item in plan["actions"]] == ["keep"]
    assert [item["total"] for item in plan["pools"]] == [256]


def test_a_change_cannot_bring_the_kinds_that_judge_it(capsys: Capsys, repo: Path) -> None:
    change(repo, {"ipam.yaml": HEAD.replace("spec:\n", ""), "tenants/mine.yaml": THIEF})
    code, listed = found(capsys, repo, "--base", "main")
    assert code == 1
    assert ("error", "kind-in-wrong-folder") in listed
    assert ("warning", "settings-changed") in listed


NEWS = {
    "pools/b.yaml": (pool("b", "10.9.0.0/24"), "pool-added"),
    "pools/edge.yaml": (pool(reserved="[{cidr: 10.40.0.128/25}]"), "pool-changed"),
    "providers/b.yaml": (provider("b"), "provider-added"),
    "providers/default.yaml": (provider(quotaPerTenant="{maxNodeIPs: 64}"), "provider-changed"),
    "teams/blue.yaml": (TEAM, "team-added"),
}


@pytest.mark.parametrize("path", NEWS)
def test_a_new_or_changed_pool_provider_or_team_is_reported(
    capsys: Capsys, tmp_path: Path, path: str
) -> None:
    repo = reconciled(tmp_path, dict(SMALL))
    text, code = NEWS[path]
    change(repo, {path: text})
    assert found(capsys, repo, "--base", "main") == (0, [("info", code)])
    git(repo, "branch", "-f", "main", "change")
    change(repo, {path: text.replace("metadata:", "metadata:  # a comment\n ")})
    assert found(capsys, repo, "--base", "main") == (0, [])


@pytest.mark.parametrize("phase", ["Allocated", "Released"])
def test_with_what_it_holds_it_may_not_and_give_that_to_another_one(
    capsys: Capsys, tmp_path: Path, phase: str
) -> None:
    repo = reconciled(tmp_path, dict(SMALL))
    if phase == "Released":
        git(repo, "checkout", "-q", "main")
        git(repo, "rm", "-q", "tenants/one.yaml")
        commit(repo, "gone", CLOCK + 50)
        assert run(["reconcile", "--no-apply", "--allow-release", "1", "--repo", str(repo)]) == 0
        git(repo, "checkout", "-q", "-B", "change")
    two = tenant("two", "team-b", providerConfigRef="{name: other}")
    free = {"pools/new.yaml": pool("new"), "providers/b.yaml": provider("other", "[{name: new}]")}
    change(repo, {"pools/edge.yaml": lab(pool()), "tenants/two.yaml": two, **free})
    ran = ipam(capsys, "check", "--repo", repo, "--base", "main")
    assert ran.code == 1
    assert "error address-space-changed" in ran.out
    assert "from address space default to lab, but records hold 8 addresses" in ran.out
