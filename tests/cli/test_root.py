"""A repository whose root is a folder of a bigger one: found, named, refused, and the same as any."""

import json
import re
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.cli.running import Capture, Ran, ipam
from tests.golden.cases import ROOT, read
from tests.test_example_repo import files as example_files
from tests.world import SMALL, commit, git, reconciled, repository, tenant, write

Files = Mapping[str, str | bytes]
FOLDER = "infra/äddresses of dc1"
OTHERS = {"README.md": "a big one", "pools/x.yaml": "kind: Lane\n", "infra/main.tf": "x"}
SETTINGS = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
WRONG = {**SMALL, "ipam.yaml": SETTINGS, "tenants/one.yaml": tenant("one") + "surplus: 1\n"}


def below(files: Files, folder: str = FOLDER) -> dict[str, str | bytes]:
    return {f"{folder}/{path}": data for path, data in files.items()}


def both(tmp_path: Path, files: Files) -> tuple[Path, Path]:
    """The same files as a whole repository, and as a folder of another."""
    whole = repository(tmp_path / "whole", files)
    return whole, repository(tmp_path / "big", {**below(files), **OTHERS})


def compared(capsys: Capture, whole: Path, big: Path, *words: str) -> tuple[Ran, Ran]:
    """Return both outputs without commit ids. Commands name paths from the top of a repository."""
    one = ipam(capsys, *words, "--repo", whole)
    return _without_ids(one), _without_ids(ipam(capsys, *words, "--repo", big, "--root", FOLDER))


def _without_ids(ran: Ran) -> Ran:
    def plain(text: str) -> str:
        text = re.sub(rf"':/{FOLDER}/(.+?)'", r"\1", text)
        return re.sub(r"\b[0-9a-f]{40}\b|\b[0-9a-f]{12}\b", "ID", text)

    return Ran(ran.code, plain(ran.out), plain(ran.err))


@pytest.mark.parametrize("case", ["refused", "released-and-expired", "example-repo"])
def test_a_folder_leads_to_just_what_a_whole_repository_does(
    case: str, tmp_path: Path, capsys: Capture
) -> None:
    files = example_files() if case == "example-repo" else read(ROOT / case / "tree")
    whole, big = both(tmp_path, files)
    for words in (("plan", "--all", "-o", "json"), ("check",), ("status", "-o", "json")):
        one, other = compared(capsys, whole, big, *words)
        assert one == other
    one, other = compared(capsys, whole, big, "reconcile", "--no-apply")
    assert one == other
    trees = [git(it, "ls-tree", "-r", f"HEAD:{at}") for it, at in ((whole, ""), (big, FOLDER))]
    assert trees[0] == trees[1]
    said, said_too = (git(it, "log", "-1", "--format=%B") for it in (whole, big))
    digest = re.search(r"sha256:\w+", said)
    if digest is not None:
        assert f"Ipam-Plan: {digest[0]} {FOLDER}\n" in said_too
        changed = git(big, "-c", "core.quotePath=false", "show", "--format=", "--name-only")
        assert all(path.startswith(f"{FOLDER}/") for path in changed.splitlines())
    for asked in (("get", "allocations", "-o", "yaml"), ("verify",), ("history",)):
        one, other = compared(capsys, whole, big, *asked)
        assert one == other
    assert render(capsys, tmp_path / "1", whole, ".") == render(capsys, tmp_path / "2", big, FOLDER)


def render(capsys: Capture, out: Path, folder: Path, root: str) -> list[tuple[str, str]]:
    ipam(capsys, "render", "--out", out, "--repo", folder, "--root", root)
    return [
        (path.relative_to(out).as_posix(), re.sub(r"\b[0-9a-f]{40}\b", "ID", path.read_text()))
        for path in sorted(out.rglob("*"))
        if path.is_file()
    ]


def test_a_change_is_judged_as_in_a_whole_repository(tmp_path: Path, capsys: Capture) -> None:
    pair = both(tmp_path, reconciled(SMALL))
    for folder, at in zip(pair, ("", f"{FOLDER}/"), strict=True):
        git(folder, "switch", "-q", "-c", "change")
        (folder / at / "allocations").rename(folder / at / "gone")
        write(folder, {f"{at}tenants/two.yaml": tenant("two")})
    for words in (("check", "--worktree"), ("plan", "--worktree"), ("plan",), ("check",)):
        one, other = compared(capsys, *pair, *words, "--base", "main")
        assert one == other
    for folder in pair:
        commit(folder, "change")
    for asked in (("check",), ("plan", "-o", "json")):
        one, other = compared(capsys, *pair, *asked, "--base", "main")
        assert one == other
        assert one.code != 0


def test_the_root_is_found_from_where_one_stands_upwards(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    files = {**reconciled(SMALL), "ipam.yaml": SETTINGS, "tenants/deep/x.txt": ""}
    big = repository(tmp_path / "big", {**below(files), **OTHERS, "other/README": ""})
    monkeypatch.chdir(big / FOLDER / "tenants" / "deep")
    assert "1 kept" in ipam(capsys, "check").out
    assert "1 kept" in ipam(capsys, "check", "--worktree").out
    assert ipam(capsys, "--root", ".", "check").out.startswith("pools/x.yaml:1:1: error")
    monkeypatch.chdir(big / "other")
    assert ipam(capsys, "check").code == 1
    assert "1 kept" in ipam(capsys, "check", "-C", big / FOLDER).out
    assert "1 kept" in ipam(capsys, "check", "--repo", big / FOLDER / "pools").out
    monkeypatch.setenv("IPAM_ROOT", FOLDER)
    assert "1 kept" in ipam(capsys, "check").out
    assert "folder nowhere does not exist" in ipam(capsys, "--root", "nowhere", "check").err
    assert "folder nowhere does not exist" in ipam(capsys, "check", "--root", "nowhere").err


def test_what_is_no_folder_is_refused_with_what_was_looked_for(
    tmp_path: Path, capsys: Capture
) -> None:
    big = repository(tmp_path / "big", {**below(SMALL, "infra/ipam"), "file": ""})
    (big / "link").symlink_to("infra")
    commit(big)
    wrong = {
        "infra/ipan": "folder infra/ipan does not exist",
        "link/ipam": "link is a symlink, not a folder",
        "file": "file is a file, not a folder",
        "/infra/ipam": "--root '/infra/ipam' is an absolute path",
        "infra/ipam/..": "--root 'infra/ipam/..' contains ..",
    }
    for root, why in wrong.items():
        for words in (("check",), ("check", "--worktree"), ("reconcile",), ("verify",)):
            ran = ipam(capsys, *words, "--repo", big, "--root", root)
            assert ran.code in (4, 64)
            assert why in ran.err
            assert "from the top of the Git repository" in ran.err
    ran = ipam(capsys, "check", "--repo", big, "--root", "infra/ipan")
    assert "the root 'infra/ipan' is not in revision" in ran.err


def test_a_root_that_a_change_brings_is_compared_with_nothing(
    tmp_path: Path, capsys: Capture
) -> None:
    big = repository(tmp_path / "big", OTHERS)
    git(big, "switch", "-q", "-c", "change")
    write(big, below(SMALL))
    ran = ipam(capsys, "plan", "--worktree", "--repo", big, "--root", FOLDER)
    assert (ran.code, "allocate" in ran.out) == (0, True)
    commit(big, "begin")
    ran = ipam(capsys, "check", "--base", "main", "--repo", big, "--root", FOLDER)
    assert (ran.code, "1 to allocate" in ran.out) == (0, True)


def test_forges_are_told_paths_from_the_top_and_people_from_the_root(
    tmp_path: Path, capsys: Capture
) -> None:
    big = repository(tmp_path / "big", below(WRONG, "infra/ipam"))
    outs = [f"{form}={tmp_path / form}" for form in ("gitlab", "sarif", "junit", "markdown")]
    words = [word for out in outs for word in ("--output-file", out)]
    ran = ipam(capsys, "check", "-o", "github", *words, "--repo", big / "infra/ipam")
    assert "::error file=infra/ipam/tenants/one.yaml,line=" in ran.out
    said = {form: (tmp_path / form).read_text() for form in ("gitlab", "sarif", "junit")}
    place = json.loads(said["gitlab"])[0]["location"]["path"]
    assert place == "infra/ipam/tenants/one.yaml"
    (sarif,) = json.loads(said["sarif"])["runs"]
    assert sarif["automationDetails"]["id"] == "ipam/infra/ipam/"
    (artifact,) = sarif["results"][0]["locations"]
    assert artifact["physicalLocation"]["artifactLocation"]["uri"] == place
    assert 'name="infra/ipam/pools/edge.yaml"' in said["junit"]
    comment = (tmp_path / "markdown").read_text()
    assert comment.startswith("<!-- ipam infra/ipam -->\n")
    assert "infra/ipam/tenants/one.yaml" in comment
    assert ipam(capsys, "check", "--repo", big / "infra/ipam").out.startswith("tenants/one.yaml:")
