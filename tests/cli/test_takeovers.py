"""A reused name gets its earlier addresses, and `check` reports the earlier owner."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.changes_of_teams import TEAMS, Change
from tests.cli.running import Capture, given_out, ipam
from tests.cli.test_within import changed, judged
from tests.planning.outcome import Files
from tests.planning.test_ownership import VIP, VIPS, team
from tests.world import CLOCK, commit, tenant

FOLDERS = {f"teams/{name}.yaml": team(name, folders=f"tenants/{name}") for name in "ab"}
BESIDE: Files = {**TEAMS, "pools/vips.yaml": VIPS, "tenants/a/stays.yaml": tenant("stays")}
OF_B, OF_A = (tenant("gone", teamRef=f"{{name: {name}}}") for name in "ba")
TARGET = """\
apiVersion: gitops-ipam.dev/v1alpha1
kind: ClusterTarget
metadata: {name: edge}
spec: {loadBalancers: [{name: web, poolRefs: [{name: apps}], count: 2}]}
"""
APPS = """\
apiVersion: gitops-ipam.dev/v1alpha1
kind: AddressPool
metadata: {name: apps}
spec: {addresses: [10.70.0.0/24]}
"""
WARNED = ["warning name-reused"]


def taken(
    tmp_path: Path, capsys: Capture, files: Files, new: Change, *, is_released: bool = True
) -> Path:
    """A repository in which files went, and a change that brings others."""
    repo = given_out(tmp_path / "repo", {**BESIDE, **files})
    for path in files:
        if path.startswith("tenants/"):
            (repo / path).unlink()
    commit(repo, "gone", clock=CLOCK + 30)
    if is_released:
        assert ipam(capsys, "reconcile", "--repo", repo).code == 0
    changed(repo, new)
    return repo


def describe(capsys: Capture, repo: Path) -> tuple[int, list[dict[str, Any]]]:
    ran = ipam(capsys, "check", "--base", "main", "--repo", repo, "-o", "json")
    found: list[dict[str, Any]] = json.loads(ran.out)["findings"]
    return ran.code, found


def codes(found: list[dict[str, Any]]) -> list[str]:
    return [f"{it['severity']} {it['code']}" for it in found]


@pytest.mark.parametrize("is_released", [False, True])
def test_what_another_team_held_is_not_taken_by_its_name(
    is_released: bool, tmp_path: Path, capsys: Capture
) -> None:
    files = {**FOLDERS, "tenants/b/gone.yaml": OF_B}
    new = {"tenants/a/taken.yaml": OF_A}
    repo = taken(tmp_path, capsys, files, new, is_released=is_released)
    code, found = describe(capsys, repo)
    assert (code, codes(found)) == (1, ["error not-yours"])
    message = "TenantCluster team-a/gone would take addresses of team b: 10.40.0."
    assert found[0]["message"].startswith(message)
    assert found[0]["path"] == "tenants/a/taken.yaml"
    assert "choose another name" in found[0]["hint"]
    _, contract = judged(capsys, repo)
    assert contract == {"team": None, "reasons": ["findings not-yours"]}


@pytest.mark.parametrize("is_released", [False, True])
@pytest.mark.parametrize("where", ["tenants/a/taken.yaml", "tenants/loose.yaml"])
@pytest.mark.parametrize("kind", [VIP, TARGET], ids=["ProxyVIP", "ClusterTarget"])
def test_a_name_from_the_folder_of_another_team_is_not_taken(
    kind: str, where: str, is_released: bool, tmp_path: Path, capsys: Capture
) -> None:
    files = {**FOLDERS, "pools/apps.yaml": APPS, "tenants/b/gone.yaml": kind}
    repo = taken(tmp_path, capsys, files, {where: kind}, is_released=is_released)
    code, found = describe(capsys, repo)
    assert (code, codes(found)) == (1, ["error not-yours"])
    assert " would take addresses of team b: 10." in found[0]["message"]
    assert found[0]["path"] == where
    assert "choose another name" in found[0]["hint"]


def test_the_last_folder_of_a_name_decides(tmp_path: Path, capsys: Capture) -> None:
    repo = given_out(tmp_path / "repo", {**BESIDE, **FOLDERS, "tenants/b/vip.yaml": VIP})
    (repo / "tenants/b/vip.yaml").rename(repo / "tenants/a/vip.yaml")
    commit(repo, "moved", clock=CLOCK + 10)
    (repo / "tenants/a/vip.yaml").unlink()
    commit(repo, "gone", clock=CLOCK + 20)
    assert ipam(capsys, "reconcile", "--repo", repo).code == 0
    changed(repo, {"tenants/a/back.yaml": VIP})
    code, found = describe(capsys, repo)
    assert (code, codes(found)) == (0, WARNED)


@pytest.mark.parametrize("is_released", [False, True])
def test_where_nobody_can_tell_whose_it_was_it_is_told(
    is_released: bool, tmp_path: Path, capsys: Capture
) -> None:
    files = {**FOLDERS, "tenants/loose.yaml": VIP}
    repo = taken(tmp_path, capsys, files, {"tenants/a/taken.yaml": VIP}, is_released=is_released)
    code, found = describe(capsys, repo)
    assert (code, codes(found)) == (0, WARNED)
    assert "was removed before this change, and gets its old addresses: 10." in found[0]["message"]
    _, contract = judged(capsys, repo)
    assert contract == {"team": None, "reasons": ["findings name-reused"]}


@pytest.mark.parametrize(
    ("files", "back"),
    [
        ({"tenants/a/back.yaml": tenant("back")}, {}),
        ({**FOLDERS, "tenants/a/back.yaml": OF_A}, {}),
        ({**FOLDERS, "tenants/a/back.yaml": OF_A}, {"tenants/a/other.yaml": tenant("other")}),
    ],
    ids=["its own namespace", "the team that it names", "another new document"],
)
def test_what_a_team_had_itself_comes_back_in_silence(
    files: Mapping[str, str], back: Change, tmp_path: Path, capsys: Capture
) -> None:
    new = {path: text for path, text in files.items() if path.startswith("tenants/")}
    repo = taken(tmp_path, capsys, files, {**new, **back})
    assert describe(capsys, repo) == (0, [])


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("tenants/b/web.yaml", ["warning handed-on"]),
        ("tenants/loose.yaml", ["warning handed-on"]),
        ("tenants/a/deep/web.yaml", []),
    ],
)
def test_who_names_no_team_is_told_when_it_goes_to_another_folder(
    where: str, said: list[str], tmp_path: Path, capsys: Capture
) -> None:
    repo = given_out(tmp_path / "repo", {**BESIDE, **FOLDERS, "tenants/a/web.yaml": VIP})
    changed(repo, {"tenants/a/web.yaml": None, where: VIP})
    code, found = describe(capsys, repo)
    assert (code, codes(found)) == (0, said)
    if said:
        assert "moves from a folder of team a to a folder of " in found[0]["message"]
        assert judged(capsys, repo)[1]["team"] is None
