"""Remotes that are folders: a repository cannot name a remote inside of itself."""

import os
import shutil
from pathlib import Path

import pytest

from tests.cli.running import Ran
from tests.gitio.command import Command, served
from tests.hostile.test_git_config import own_by_another
from tests.world import SMALL, git, repository, write

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="needs root to change the owner of a folder")


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    return tmp_path / "mark"


def program(path: Path, mark: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\ntouch {mark}\n")
    path.chmod(0o755)


def vendored(author: Path, mark: Path) -> Path:
    """A bare repository in a checkout, ignored, with a hook."""
    remote = served(author.parent, author)
    inside = author / "vendor.git"
    shutil.copytree(remote, inside)
    write(author, {".git/info/exclude": "/vendor.git\n/other\n"})
    program(inside / "hooks" / "pre-receive", mark)
    return inside


def both(command: Command, author: Path) -> list[Ran]:
    repo = ("--repo", str(author))
    return [command.run("doctor", *repo), command.run("reconcile", *repo)]


def refused(command: Command, author: Path, mark: Path) -> None:
    doctor, done = both(command, author)
    told = "the configured remote is a folder inside the repository"
    assert not mark.exists()
    assert (doctor.code, done.code) == (4, 64), (doctor, done)
    assert told in doctor.out
    assert told in done.err
    assert "--remote" in done.err


@pytest.mark.parametrize(
    "url",
    [
        "vendor.git", "{author}/vendor.git", "file://{author}/vendor.git", "file://{author}/vendor",
        "file://elsewhere{author}/%76endor.git", "../author/vendor.git", "other",
        "file://{author}/tenants/../vendor.git",
    ],
)  # fmt: skip
def test_a_repository_that_lies_in_a_checkout_is_no_remote_of_it(
    author: Path, mark: Path, command: Command, url: str
) -> None:
    inside = vendored(author, mark)
    (author / "other").symlink_to(inside)
    git(author, "config", "remote.origin.url", url.format(author=author))
    refused(command, author, mark)


@pytest.mark.parametrize(
    "url", [".", ".git", "{author}", "file://{author}", "file://{author}/.git"]
)
def test_nor_is_the_checkout_itself(
    author: Path, mark: Path, command: Command, tmp_path: Path, url: str
) -> None:
    run = tmp_path / "run"
    program(run, mark)
    other = repository(tmp_path / "other", SMALL)
    write(author, {".git/objects/info/alternates": f"{other}/.git/objects\n"})
    git(author, "config", "core.alternateRefsCommand", str(run))
    git(author, "config", "remote.origin.url", url.format(author=author))
    refused(command, author, mark)


def test_who_names_it_gets_it_with_its_hooks(author: Path, mark: Path, command: Command) -> None:
    inside = vendored(author, mark)
    git(author, "config", "remote.origin.url", "vendor.git")
    assert command.run("reconcile", "--remote", str(inside)).code == 0
    assert mark.exists()


def test_a_folder_beside_a_checkout_is_a_remote_as_any_other(
    author: Path, command: Command, tmp_path: Path
) -> None:
    remote = served(tmp_path, author)
    for url in (f"file://{remote}", str(remote), "../served/remote.git"):
        git(author, "config", "remote.origin.url", url)
        assert [done.code for done in both(command, author)] == [0, 0]
    assert git(remote, "log", "-1", "--format=%an", "main") == "gitops-ipam"


@AS_ROOT
def test_a_remote_folder_of_another_user_is_refused_unless_the_person_calls_it_safe(
    author: Path, command: Command, tmp_path: Path
) -> None:
    remote = served(tmp_path, author)
    own_by_another(remote)
    for done in both(command, author):
        assert (done.code, "belongs to another user" in done.out + done.err) == (4, True), done
    assert command.run("reconcile", "--remote", str(remote)).code == 4
    write(tmp_path, {".gitconfig": f"[safe]\n\tdirectory = {remote}\n"})
    assert command.run("reconcile", "--remote", str(remote)).code == 0
    assert [done.code for done in both(command, author)] == [0, 0]
    assert (
        git(remote, "-c", "safe.directory=*", "log", "-1", "--format=%an", "main") == "gitops-ipam"
    )
