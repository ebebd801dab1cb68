"""Configurations that honest machines write into a checkout: they stop nothing."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.git_server import GitServer, serving
from tests.gitio.command import Command, served
from tests.world import SMALL, git, repository, write

GITLAB = "http.https://gitlab.example.com.sslCAInfo"


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


def crlf(author: Path, command: Command) -> str:
    """Reconcile, and check out with other ends of lines; the revision."""
    assert command.run("reconcile", "--repo", str(author)).code == 0
    shutil.rmtree(author / "allocations")
    (author / "tenants" / "one.yaml").unlink()
    git(author, "checkout", "-q", "--", ".")
    assert b"\r\n" in (author / "tenants" / "one.yaml").read_bytes()
    return git(author, "rev-parse", "HEAD")


def codes(command: Command, author: Path) -> list[int]:
    return [command.run(verb, "--repo", str(author)).code for verb in ("doctor", "reconcile")]


@pytest.mark.parametrize("how", ["autocrlf", "an attribute", "a filter"])
def test_a_checkout_with_other_ends_of_lines_is_unchanged(
    author: Path, command: Command, how: str, tmp_path: Path
) -> None:
    if how == "an attribute":
        write(author, {".git/info/attributes": "*.yaml text eol=crlf\n"})
    else:
        git(author, "config", "core.autocrlf", "true")
    base = crlf(author, command)
    if how == "a filter":
        write(author, {".git/info/attributes": "* filter=evil\n"})
        git(author, "config", "filter.evil.clean", f"touch {tmp_path}/mark; cat")
    done = command.run("check", "--worktree", "--base", base, "--repo", str(author))
    assert (done.code, "record" in done.out) == (0, False), done
    plan = command.run("plan", "--worktree", "--repo", str(author), "-o", "json").out
    assert json.loads(plan)["changed"] is False
    assert not (tmp_path / "mark").exists()


def test_ends_of_lines_that_git_did_not_make_are_edits(author: Path, command: Command) -> None:
    git(author, "config", "core.autocrlf", "true")
    base = crlf(author, command)
    (record,) = (author / "allocations").rglob("*loadbalancer.yaml")
    text = record.read_bytes()
    record.write_bytes(text.replace(b"2026", b"2027"))
    done = command.run("check", "--worktree", "--base", base, "--repo", str(author))
    assert (done.code, "record-edited" in done.out) == (1, True), done
    git(author, "config", "core.autocrlf", "false")
    git(author, "checkout", "-q", "--force", "--", ".")
    git(author, "rm", "-rq", "--cached", ".")
    git(author, "reset", "-q", "--hard")
    record.write_bytes(text)
    done = command.run("check", "--worktree", "--base", base, "--repo", str(author))
    assert (done.code, "record-edited" in done.out) == (1, True), done
