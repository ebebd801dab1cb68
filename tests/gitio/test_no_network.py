"""`check` and `plan` open no socket, run nothing but git on its objects, and write nothing."""

import hashlib
from pathlib import Path

import pytest

from tests.gitio.command import Command
from tests.world import commit, git, tenant, write

_NO_SOCKET = """
import socket
def _refuse(*args, **kwargs):
    raise SystemExit("a socket was opened")
socket.socket = socket.create_connection = socket.getaddrinfo = _refuse
"""
READERS = [
    ["check"], ["plan"], ["plan", "--all"], ["check", "--base", "HEAD^"],
    ["plan", "--base", "HEAD^"], ["check", "--worktree"], ["status"], ["plan", "-o", "json"],
    ["explain", "team-a/one"], ["get", "pools"],
]  # fmt: skip


def _state(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize("verb", READERS, ids=" ".join)
def test_a_verb_that_reads_opens_no_socket_and_changes_no_byte(
    tmp_path: Path, author: Path, remote: Path, command: Command, verb: list[str]
) -> None:
    write(author, {"tenants/two.yaml": tenant("two")})
    commit(author)
    (tmp_path / "site").mkdir()
    (tmp_path / "site" / "sitecustomize.py").write_text(_NO_SOCKET)
    command.variables["PYTHONPATH"] = f"{tmp_path / 'site'}:{Path(__file__).parents[2]}"
    before = _state(author), _state(remote), git(author, "count-objects", "-v")
    log = command.recording()
    done = command.run(verb[0], "--repo", str(author), *verb[1:])
    assert done.code in (0, 3), done
    assert (_state(author), _state(remote), git(author, "count-objects", "-v")) == before
    calls = log.read_text()
    assert not {"fetch", "push", "ls-remote", "protocol.https.allow=always"} & set(calls.split())
