"""Configurations that honest machines write into a checkout: they stop nothing."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.git.command import Command, served
from tests.git_server import GitServer, serving
from tests.world import SMALL, git, repository

GITLAB = "http.https://gitlab.example.com.sslCAInfo"


@pytest.fixture
def command(tmp_path: Path) -> Command:
    """The real `ipam`."""
    return Command(tmp_path)


@pytest.fixture
def author(tmp_path: Path) -> Path:
    """A checkout with a folder as remote."""
    made = repository(tmp_path / "author", SMALL)
    served(tmp_path, made)
    return made


@pytest.fixture
def server(author: Path) -> Iterator[GitServer]:
    """The same remote behind a server."""
    with serving(author.parent / "served") as found:
        git(author, "config", "remote.origin.url", f"{found.url}/remote.git")
        yield found


def codes(command: Command, author: Path) -> list[int]:
    return [command.run(verb, "--repo", str(author)).code for verb in ("doctor", "reconcile")]


@pytest.mark.parametrize("key", ["http.sslCAInfo", "http.http://127.0.0.1.sslCAInfo"])
def test_certificates_of_the_repository_are_beaten_by_those_of_the_person(
    author: Path, server: GitServer, command: Command, key: str
) -> None:
    git(author, "config", key, "/tmp/ca.pem")
    assert codes(command, author) == [4, 64]
    assert server.requests == []
    command.variables["GIT_SSL_CAINFO"] = "/nowhere/ca.pem"
    assert codes(command, author) == [0, 0]
    assert server.requests


def test_what_is_about_another_host_is_no_matter(
    author: Path, server: GitServer, command: Command
) -> None:
    git(author, "config", GITLAB, "/builds/ca.pem")
    assert codes(command, author) == [0, 0]
    assert server.requests


def test_what_is_about_a_server_is_no_matter_where_there_is_none(
    author: Path, command: Command
) -> None:
    for key, value in {GITLAB: "/builds/ca.pem", "http.sslVerify": "false"}.items():
        git(author, "config", key, value)
    assert codes(command, author) == [0, 0]
    git(author, "config", "--unset", "remote.origin.url")
    assert codes(command, author) == [0, 0]
