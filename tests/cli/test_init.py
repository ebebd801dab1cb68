"""`init`: `check` has no findings, existing files stay, and a second run changes nothing."""

import io
import shlex
import sys
from pathlib import Path

import pytest
import yaml

from tests.cli.running import Capture, Ran, ipam
from tests.world import git, pool, repository, write

WORKFLOW = ".github/workflows/ipam.yml"


def files(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file() and path.relative_to(folder).parts[0] != ".git"
    }


def answered(
    capsys: Capture, patch: pytest.MonkeyPatch, answers: str, *arguments: str | Path
) -> Ran:
    patch.setattr("reconciler.cli.init.is_terminal", lambda: True)
    patch.setattr(sys, "stdin", io.StringIO(answers))
    return ipam(capsys, "init", *arguments)


def test_a_repository_that_lives_gets_what_is_missing_and_no_example(
    tmp_path: Path, capsys: Capture
) -> None:
    repository(tmp_path, {"pools/edge.yaml": pool(), "CODEOWNERS": "* @me\n"})
    assert ipam(capsys, "reconcile", "--repo", tmp_path).code == 0
    before = files(tmp_path)
    ran = ipam(capsys, "init", tmp_path, "--forge", "gitlab", "--package", "gitops-ipam")
    assert ran.code == 0
    after = files(tmp_path)
    assert {path: after[path] for path in before} == before
    assert ".gitlab-ci.yml" in after
    assert not [path for path in after if "example" in path or path.endswith(".gitkeep")]
    row = next(line for line in ran.out.splitlines() if "CODEOWNERS" in line)
    assert row.split(maxsplit=3)[:3] == ["yours", "CODEOWNERS", "differs,"]


def test_the_remote_names_whose_ci_is_written_and_the_checkout_the_branch(
    tmp_path: Path, capsys: Capture
) -> None:
    git(tmp_path, "init", "-q", "-b", "trunk")
    git(tmp_path, "remote", "add", "origin", "git@github.com:acme/addresses.git")
    ran = ipam(capsys, "init", tmp_path, "--package", "gitops-ipam==0.1.0")
    assert ran.code == 0
    workflow = yaml.safe_load((tmp_path / WORKFLOW).read_text())
    assert workflow[True]["push"] == {"branches": ["trunk"]}
    assert workflow["env"] == {"IPAM_PACKAGE": "gitops-ipam==0.1.0"}
    assert "CI cannot install" not in ran.out


def test_a_dry_run_in_a_repository_shows_what_the_run_does(tmp_path: Path, capsys: Capture) -> None:
    files_there = {"pools/edge.yaml": pool(), "CODEOWNERS": "* @me\n"}
    made = repository(tmp_path / "repo", files_there)
    git(made, "switch", "-q", "-c", "search")
    git(made, "update-ref", "refs/remotes/origin/trunk", "HEAD")
    git(made, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk")

    def rows(out: str) -> list[list[str]]:
        lines = (line.split(maxsplit=2) for line in out.splitlines() if line.startswith("  "))
        known = ("new", "wrote", "same", "yours")
        return [["wrote" if it[0] == "new" else it[0], *it[1:]] for it in lines if it[0] in known]

    dry = ipam(capsys, "init", made, "--dry-run")
    assert git(made, "status", "--porcelain") == ""
    assert "  branch: trunk\n" in dry.out, "not the branch of a change"
    assert "── CODEOWNERS (not written" in dry.out
    assert "── pools/example.yaml" not in dry.out
    real = ipam(capsys, "init", made)
    assert (real.code, dry.code) == (0, 0)
    assert rows(dry.out) == rows(real.out) != []
    write(made, {"ipam.yaml": (made / "ipam.yaml").read_text().replace("trunk", "release")})
    again = [ipam(capsys, "init", made, "--forge", "gitlab", *it) for it in (["--dry-run"], [])]
    assert all("branch release\n" in it.out for it in again)
    assert '$CI_COMMIT_BRANCH == "release"' in (made / ".gitlab-ci.yml").read_text()
    dry, real = (ipam(capsys, "init", made, *it) for it in (["--dry-run"], []))
    assert "wrote" not in real.out
    assert dry.out.endswith(real.out), "a second run writes nothing, and also checks the files"


def test_a_folder_in_a_root_is_refused_with_that(tmp_path: Path, capsys: Capture) -> None:
    top = repository(tmp_path / "big", {"infra/ipam.yaml": "", "x": ""})
    for folder in (top / "infra/pools", top / "infra/ipam/new"):
        ran = ipam(capsys, "init", folder)
        assert ran.code == 64
        assert f"ipam init {top / 'infra'}" in ran.err
    assert git(top, "status", "--porcelain") == ""


@pytest.mark.parametrize("name", ["infra/ipam", "of dc1/ä: x"])
def test_a_folder_of_a_checkout_begins_with_what_forges_read_at_the_top(
    name: str, tmp_path: Path, capsys: Capture
) -> None:
    top = repository(tmp_path / "big", {"x": ""})
    git(top, "remote", "add", "origin", "https://github.com/x/y.git")
    words = ("init", top, "--root", name) if " " in name else ("init", top / name)
    ran = ipam(capsys, *words)
    assert ran.code == 0, ran.err
    assert "✓ OK" in ran.out
    assert "git add . ../../.github/workflows/ipam-" in ran.out
    made = files(top)
    inside = {path.removeprefix(f"{name}/") for path in made if path.startswith(f"{name}/")}
    assert {"ipam.yaml", "pools/example.yaml", ".gitattributes"} <= inside
    (workflow,) = (data for path, data in made.items() if path.startswith(".github/"))
    assert yaml.safe_load(workflow)["env"]["IPAM_ROOT"] == name
    hook = yaml.safe_load(made[".pre-commit-config.yaml"])["repos"][0]["hooks"][0]
    assert shlex.split(hook["entry"])[-2:] == ["--root", name]
    owned = name.replace(" ", "\\ ")
    assert f"# /{owned}/pools/" in made["CODEOWNERS"].decode()
    again = ipam(capsys, *words)
    assert (again.code, files(top)) == (0, made)
    assert "wrote" not in again.out


def test_nobody_begins_a_repository_by_chance_among_other_files(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path, {"letter.txt": "mine\n"})
    monkeypatch.chdir(tmp_path)
    ran = ipam(capsys, "init")
    assert (ran.code, ran.out) == (64, "")
    assert f"{tmp_path} already has files, but is not a Git checkout" in ran.err
    assert "hint: run ipam init DIR" in ran.err
    assert list(files(tmp_path)) == ["letter.txt"]
    assert ipam(capsys, "init", "--dry-run").code == 0
    assert ipam(capsys, "init", ".").code == 0
    assert ipam(capsys, "init").code == 0  # it is a checkout now


def test_on_a_terminal_one_question_is_asked_before_anything_is_written(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    ran = answered(capsys, monkeypatch, "gitlab\nn\n", tmp_path)
    assert (ran.code, list(tmp_path.iterdir())) == (130, [])
    assert "Which CI service checks pull requests?" in ran.err
    ran = answered(capsys, monkeypatch, "gitlab\ny\n", tmp_path)
    assert ran.code == 0
    assert ran.err.count("new files? ipam init --dry-run shows them") == 1
    expected = {"ipam.yaml", ".gitlab-ci.yml", "pools/example.yaml", "CODEOWNERS"}
    assert expected <= files(tmp_path).keys()


@pytest.mark.parametrize(("answer", "is_protected"), [("y", True), ("n", False)])
def test_on_a_terminal_it_asks_whether_the_branch_is_protected_where_there_is_a_remote(
    answer: str,
    is_protected: bool,
    tmp_path: Path,
    capsys: Capture,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    git(tmp_path, "init", "-q", "-b", "trunk")
    git(tmp_path, "remote", "add", "origin", "git@github.com:acme/addresses.git")
    ran = answered(capsys, monkeypatch, f"{answer}\ny\n", tmp_path)
    assert ran.code == 0
    assert "Is trunk protected" in ran.err
    assert ("IPAM_TO_BRANCH: ipam/records" in (tmp_path / WORKFLOW).read_text()) is is_protected
