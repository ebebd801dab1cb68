"""Passwords in remotes, also in mistyped ones, are in no message and in no argument of a process."""

import os
from pathlib import Path

import pytest

from tests.cli.running import ipam
from tests.git_server import serving
from tests.gitio.command import Command, served
from tests.world import SMALL, git, repository

CANARY = "s3cr3t-c4n4ry"
REFUSED = [
    "https:/user:{0}@example.com/r.git",
    "https//user:{0}@example.com/r.git",
    "https:user:{0}@example.com/r.git",
    "https://user:{0}/x@example.com/r.git",
    "https://user:{0}:99999@example.com:port/r.git",
    "https://user:{0}@[broken/r.git",
    "https://user@example.com:{0}/r.git",
    "htps://user:{0}@example.com/r.git",
    "http://user:{0}@example.com/r.git",
    "git://user:{0}@example.com/r.git",
    "user:{0}@example.com:r.git",
    "user:{0}@example.com/r.git",
    "://user:{0}@example.com/r.git",
    "{0}://example.com/r.git",
    "{0}@",
    ":{0}",
    "-u{0}@x",
    "ssh://user:{0}@example.com/r.git",
    "ssh://user:{0}@example.com:22/r.git",
    "ssh://:{0}@example.com/r.git",
    "ssh://-oUser={0}@example.com/r.git",
    "file://user:{0}@localhost/r.git",
    "file://{0}@localhost/r.git",
    "ext::sh -c {0}@x",
    "https://user:{0}\n@example.com/r.git",
    "https://example.com/r.git?private_token={0}",
    "https://example.com/r.git#{0}",
    "https://example.com:8743/{0}@example.com/r.git",
    "-oProxyCommand={0}",
    "--upload-pack={0}",
    "fd::17",
    "ftp://{0}@example.com/r",
    "nowhere",
]
HOW = ("--remote", "the variable", "the configuration", "a stray argument", "another option")


@pytest.mark.parametrize("text", REFUSED)
def test_a_password_in_a_remote_that_is_refused_is_shown_nowhere(
    tmp_path: Path,
    command: Command,
    text: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    remote = text.format(CANARY)
    author = repository(tmp_path / "author", SMALL)
    git(author, "config", "remote.origin.url", remote)
    log = command.recording()
    monkeypatch.setenv("PATH", command.variables["PATH"])
    for told in ([f"--remote={remote}"], ["--repo", str(author)]):
        done = ipam(capsys, "reconcile", *told, "--debug")
        assert done.code in (4, 64), done
        assert CANARY not in done.out + done.err
    assert not log.exists() or CANARY not in log.read_text()


@pytest.mark.parametrize("how", HOW)
def test_a_password_that_stands_where_it_does_not_belong_is_not_repeated(
    tmp_path: Path,
    command: Command,
    how: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    author = repository(tmp_path / "author", SMALL)
    remote = f"https://user:{CANARY}@127.0.0.1:9/r.git"
    if how == "the variable":
        monkeypatch.setenv("IPAM_REMOTE", remote)
    if how == "the configuration":
        git(author, "config", "remote.origin.url", remote)
    told = {
        "--remote": ["--remote", remote],
        "a stray argument": [remote],
        "another option": ["--branch", remote],
    }.get(how, [])
    log = command.recording()
    monkeypatch.setenv("PATH", command.variables["PATH"])
    for verb in ("reconcile", "doctor"):
        done = ipam(capsys, verb, "--debug", "--repo", author, *told)
        assert done.code in (4, 64), done
        assert CANARY not in done.out + done.err
    for verb in ("check", "plan"):
        done = ipam(capsys, verb, "--repo", remote)
        assert (done.code, CANARY in done.err) == (64, False)
        done = ipam(capsys, verb, "--repo", author, "--rev", remote)
        assert CANARY not in done.err
    assert not log.exists() or CANARY not in log.read_text()


def test_a_remote_of_ssh_gets_its_user_and_no_more(tmp_path: Path, command: Command) -> None:
    """Real git with a replacement of ssh that logs its arguments."""
    remote = served(tmp_path, repository(tmp_path / "author", SMALL))
    shims = tmp_path / "shims"
    shims.mkdir()
    (shims / "ssh").write_text(
        f'#!/bin/sh\nprintf "%s\\n" "$*" >> {tmp_path}/asked\n'
        'for word; do last="$word"; done\nexec sh -c "$last"\n'
    )
    (shims / "ssh").chmod(0o755)
    command.variables["PATH"] = f"{shims}:{os.environ['PATH']}"
    done = command.run("reconcile", "--remote", f"ssh://git@example.com{remote}")
    assert done.code == 0, done
    asked = (tmp_path / "asked").read_text()
    assert "git@example.com git-upload-pack" in asked
    assert "git@example.com git-receive-pack" in asked
    assert git(remote, "log", "-1", "--format=%an", "main") == "gitops-ipam"


@pytest.mark.parametrize("user", ["", "x-access-token@"])
def test_who_has_a_program_that_is_asked_gets_in_by_it_with_a_user_in_the_url_and_without(
    tmp_path: Path, command: Command, user: str
) -> None:
    author = repository(tmp_path / "author", SMALL)
    served(tmp_path, author)
    ask = tmp_path / "ask"
    said = 'case "$1" in Username*) echo x-access-token;; *) echo wanted;; esac'
    ask.write_text(f"#!/bin/sh\n{said}\n")
    ask.chmod(0o755)
    with serving(tmp_path / "served") as server:
        server.password = "wanted"
        remote = f"{server.url.replace('://', f'://{user}')}/remote.git"
        done = command.run("reconcile", "--remote", remote, GIT_ASKPASS=str(ask))
        assert done.code == 0, done
