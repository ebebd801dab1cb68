"""Settings that make existing files invalid are an error of their change, not of later ones."""

import re
from pathlib import Path

import pytest

from reconciler.cli import run
from tests.cli.running import Said, given_out
from tests.world import SMALL, commit, git, pool, settings, tenant, write

CHECK = ("check", "--base", "main", "--rev", "change")
FILES = {
    **SMALL,
    "pools/lab.yaml": pool("lab", cidr="10.40.0.128/25"),
    "pools/dmz.yaml": pool("dmz", cidr="10.50.0.0/24").replace(
        "namespace: butler-system",
        "namespace: butler-system, annotations: {gitops-ipam.dev/address-space: dmz}",
    ),
    "tenants/two.yaml": tenant("two"),
}


def saying(spec: str) -> dict[str, str]:
    return {"ipam.yaml": settings(f"{{{spec}}}")}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return given_out(tmp_path / "repo", FILES)


def changed(folder: Path, files: dict[str, str]) -> None:
    git(folder, "checkout", "-q", "-B", "change", "main")
    write(folder, files)
    commit(folder, "change")


def merged(folder: Path) -> int:
    git(folder, "checkout", "-q", "main")
    git(folder, "merge", "-q", "--ff-only", "change")
    return run(["reconcile", "--no-apply", "--repo", str(folder)])


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("limits: {files: 3}", "with spec.limits of this change"),
        ("limits: {bytes: 1Ki}", "with spec.limits of this change"),
        ("kinds: {tenants: [ProxyVIP]}", "tenants/one.yaml:2:7: error kind-in-wrong-folder"),
        ("addressSpaces: [default]", "pools/dmz.yaml:3:94: error address-space-unknown"),
        ("poolOverlap: error", "pools/lab.yaml:5:9: error pool-overlap"),
        ("branch: nosuch", "error settings-changed: spec.branch is 'nosuch'"),
    ],
)
def test_what_settings_of_a_change_make_wrong_is_its_error_and_stops_later_runs(
    folder: Path, said: Said, spec: str, says: str
) -> None:
    changed(folder, saying(spec))
    code, text = said(*CHECK)
    assert (code, says in text) == (1, True), text
    assert merged(folder) != 0  # the error is correct: this is the result of a merge


def test_a_changed_severity_is_shown_as_settings_spell_it(folder: Path, said: Said) -> None:
    changed(folder, saying("poolOverlap: error, providerImplicit: error"))
    text = said(*CHECK)[1]
    assert "poolOverlap from warn to error" in text
    assert "providerImplicit from warn to error" in text


@pytest.mark.parametrize("spec", ["limits: {files: 3}", "limits: {bytes: 1Ki}"])
def test_the_change_that_raises_a_limit_again_passes(folder: Path, said: Said, spec: str) -> None:
    changed(folder, saying(spec))
    assert merged(folder) == 1
    changed(folder, {"tenants/three.yaml": tenant("three")})
    assert said(*CHECK)[0] == 1
    changed(folder, saying("retention: 24h"))
    code, text = said(*CHECK)
    assert code == 0, text
    assert merged(folder) == 0


@pytest.mark.parametrize("spec", ["gate: warning", "brakes: {maxReleasePercent: 1, minRecords: 1}"])
def test_the_stricter_gate_and_brake_of_both_judge_a_change(
    folder: Path, said: Said, spec: str
) -> None:
    wide = "networking: {lbPoolSize: 200}"
    more = {"tenants/two.yaml": "", "tenants/big.yaml": f"{tenant('big')}  {wide}\n"}
    changed(folder, more)
    (folder / "tenants/two.yaml").unlink()
    commit(folder, "removed")
    assert said(*CHECK)[0] == 0
    write(folder, saying(spec))
    commit(folder, "stricter")
    code, text = said(*CHECK)
    assert code == 3, text


def test_another_authoritative_branch_is_shown_with_the_old_one(folder: Path, said: Said) -> None:
    git(folder, "branch", "prod")
    changed(folder, saying("branch: prod"))
    shown = "the authoritative branch changes from"
    assert f"{shown} the default branch to 'prod'" in said(*CHECK)[1]
    assert merged(folder) == 64  # the job on main no longer reconciles
    changed(folder, saying("branch: main"))
    assert f"{shown} 'prod' to 'main'" in said(*CHECK)[1]
    changed(folder, saying("branch: prod, retention: 48h"))
    assert shown not in said(*CHECK)[1]


def test_settings_that_change_nothing_of_what_is_there_pass(folder: Path, said: Said) -> None:
    git(folder, "branch", "prod")
    for spec in ("limits: {files: 99}", "branch: prod", "branch: main", "addressSpaces: [dmz, default]"):  # fmt: skip
        changed(folder, saying(spec))
        code, text = said(*CHECK)
        assert code == 0, text


@pytest.mark.parametrize("unit", ["files", "bytes"])
def test_a_claim_whose_record_would_exceed_a_limit_is_refused_and_later_runs_still_read(
    folder: Path, said: Said, unit: str
) -> None:
    more = {"tenants/three.yaml": tenant("three"), "tenants/four.yaml": tenant("four")}
    there = [folder / path for path in git(folder, "ls-files").split()]
    record = next(it for it in there if "allocations" in it.parts).stat().st_size
    written = [*more.values(), *saying("limits: {bytes: '12345'}").values()]
    size = sum(it.stat().st_size for it in there) + sum(map(len, written))
    limits = {"files": len(there) + 4, "bytes": f"'{size + record * 3 // 2}'"}
    changed(folder, saying(f"limits: {{{unit}: {limits[unit]}}}"))
    assert merged(folder) == 0
    changed(folder, more)
    code, text = said(*CHECK)
    assert (code, "tenants/three.yaml:1:1: refused limit-exceeded" in text) == (3, True), text
    assert merged(folder) == 3
    assert len(git(folder, "ls-files", "allocations").split()) == 3
    changed(folder, {"tenants/two.yaml": tenant("two") + "# comment\n"})
    assert said(*CHECK)[0] == 0  # the change of others passes
    changed(folder, saying("limits: {files: 99}"))
    assert said(*CHECK)[0] == 0
    assert merged(folder) == 0
    assert len(git(folder, "ls-files", "allocations").split()) == 4


def test_a_retention_that_ends_at_once_names_the_ranges_and_who_gets_them(
    folder: Path, said: Said
) -> None:
    git(folder, "rm", "-q", "tenants/two.yaml")
    commit(folder, "removed")
    assert run(["reconcile", "--no-apply", "--repo", str(folder)]) == 0
    changed(folder, {**saying("retention: 0s"), "tenants/new.yaml": tenant("new")})
    code, text = said(*CHECK)
    assert code == 0
    warned = re.search(r"settings-changed: .* (\S+) of team-a/two .*free at once(.*)", text)
    assert warned is not None, text
    assert f"{warned[1]} to team-a/new" in warned[2]
    assert merged(folder) == 0
    changed(folder, saying("retention: 1h"))
    assert "free at once" not in said(*CHECK)[1]
