"""Checkouts whose bytes differ from the bytes that git would store."""

import shutil
from pathlib import Path

import pytest

from reconciler.cli import run
from tests.cli.running import given_out
from tests.world import CLOCK, SMALL, commit, git, tenant, write

CHECK = ("check", "--worktree", "--base", "main")
ODD = "tenants/odd.yaml"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return given_out(tmp_path / "repo", SMALL)


def turned(folder: Path, how: str) -> Path:
    """The checkout with the other ends of lines, as git writes them."""
    if how == "an attribute":
        write(folder, {".git/info/attributes": "*.yaml text eol=crlf\n"})
    else:
        git(folder, "config", "core.autocrlf", "true")
    for name in (*SMALL, "allocations"):
        path = folder / name
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    git(folder, "checkout", "-q", "--", ".")
    assert b"\r\n" in (folder / "tenants" / "one.yaml").read_bytes()
    if how == "a filter":
        write(folder, {".git/info/attributes": "* filter=evil\n"})
        git(folder, "config", "filter.evil.clean", f"touch {folder.parent}/mark; cat")
    return folder


@pytest.fixture
def clone(folder: Path, tmp_path: Path) -> Path:
    """A fresh clone of a branch whose change brought a file with CRLF, and an attribute."""
    write(folder, {ODD: tenant("odd").replace("\n", "\r\n")})
    commit(folder, "as it is", CLOCK + 60)
    write(folder, {"tenants/.gitattributes": "* text eol=lf\n"})
    git(folder, "add", "tenants/.gitattributes")
    git(folder, "commit", "-q", "-m", "attribute", clock=CLOCK + 61)
    assert b"\r\n" in (folder / ODD).read_bytes()
    bare, made = tmp_path / "bare.git", tmp_path / "clone"
    git(tmp_path, "clone", "-q", "--bare", str(folder), str(bare))
    git(tmp_path, "clone", "-q", str(bare), str(made))
    (made / ODD).touch()  # or git looks at it only when it was written in the very same second
    assert git(made, "status", "--short") == f"M {ODD}"
    return made


def test_a_file_that_git_would_store_otherwise_is_clean_as_it_was_committed(clone: Path) -> None:
    assert run(["check", "--repo", str(clone), *CHECK[1:]]) == 0
    assert run(["reconcile", "--repo", str(clone)]) == 0
    assert "odd" in git(clone, "show", "--stat", "origin/main")
    assert git(clone, "rev-parse", "main") == git(clone, "rev-parse", "origin/main")


def test_one_that_was_edited_beside_is_not(clone: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with (clone / ODD).open("ab") as file:
        file.write(b"# mine\r\n")
    assert run(["reconcile", "--repo", str(clone)]) == 64
    assert f"has uncommitted changes: {ODD}" in capsys.readouterr().err


@pytest.mark.parametrize("how", ["its mode", "a link", "staged", "removed"])
def test_nor_is_one_that_was_changed_in_another_way(clone: Path, how: str) -> None:
    path = clone / ODD
    match how:
        case "its mode":
            path.chmod(0o755)
        case "a link":
            path.rename(clone / ".git" / "beside")
            path.symlink_to(clone / ".git" / "beside")
        case "staged":
            git(clone, "add", ODD)
        case _:
            path.unlink()
    assert run(["reconcile", "--repo", str(clone)]) == 64


def test_so_does_a_run_that_follows_one_that_was_killed(clone: Path) -> None:
    before = git(clone, "rev-parse", "main")
    assert run(["reconcile", "--repo", str(clone)]) == 0
    git(clone, "update-ref", "refs/heads/main", before)  # index and files have followed already
    assert run(["reconcile", "--repo", str(clone)]) == 0
    assert git(clone, "rev-parse", "main") == git(clone, "rev-parse", "origin/main")


@pytest.mark.parametrize("how", ["autocrlf", "an attribute", "a filter"])
def test_a_copy_of_a_checkout_with_other_ends_of_lines_is_unchanged(
    folder: Path, tmp_path: Path, how: str
) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(turned(folder, how), copy, copy_function=shutil.copy)
    assert run([*CHECK, "--repo", str(copy)]) == 0
    (record,) = (copy / "allocations").rglob("*loadbalancer.yaml")
    record.write_bytes(record.read_bytes().replace(b"2026", b"2027"))
    assert run([*CHECK, "--repo", str(copy)]) == 1
    assert not (tmp_path / "mark").exists()
