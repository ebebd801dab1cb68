"""A hostile `.git`: programs in its configuration do not run, and its paths are not followed."""

import os
import shutil
import socket
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from tests.cli.running import Ran
from tests.git_server import GitServer, serving
from tests.gitio.command import Command, served
from tests.world import SMALL, commit, git, repository, write

FORGED = (
    b"gpgsig -----BEGIN PGP SIGNATURE-----\n \n iQEzBAABCAAdFiEE\n -----END PGP SIGNATURE-----\n"
)
HOOKS = ("pre-commit", "commit-msg", "post-commit", "post-checkout", "post-merge", "pre-push",
         "reference-transaction", "post-index-change", "fsmonitor-watchman")  # fmt: skip
ATTACKS: Mapping[str, Mapping[str, str]] = {
    "insteadOf": {"protocol.ext.allow": "always", "url.ext::{run} %S/.insteadOf": "{remote}"},
    "pushInsteadOf": {
        "protocol.ext.allow": "always", "url.ext::{run} %S/.pushInsteadOf": "{remote}",
    },
    "a remote of the URL's name": {
        "remote.{remote}.url": "{remote}", "remote.{remote}.uploadpack": "{run}",
        "remote.{remote}.receivepack": "{run}",
    },
    "a helper for the URL": {
        "protocol.allow": "always", "remote.{remote}.vcs": "ext", "remote.{remote}.url": "{run}",
    },
    "servers of origin": {
        "remote.origin.uploadpack": "{run}", "remote.origin.receivepack": "{run}",
        "remote.origin.proxy": "{run}", "core.gitProxy": "{run}",
    },
    "alternates": {"core.alternateRefsCommand": "{run}"},
    "signatures": {
        "log.showSignature": "true", "gpg.program": "{run}", "gpg.openpgp.program": "{run}",
        "gpg.ssh.program": "{run}", "gpg.x509.program": "{run}",
    },
    "filters": {
        "filter.evil.process": "{run}", "filter.evil.clean": "{run}", "filter.a=b.clean": "{run}",
        "filter.evil.smudge": "{run}", "filter.evil.required": "true",
    },
    "monitors and hooks": {
        "core.fsmonitor": "{run}", "core.hooksPath": "{hooks}", "core.pager": "{run}",
        "core.editor": "{run}", "core.sshCommand": "{run}", "diff.external": "{run}",
        "diff.evil.textconv": "{run}", "diff.evil.command": "{run}", "sequence.editor": "{run}",
    },
    "submodules": {
        "submodule.recurse": "true", "push.recurseSubmodules": "on-demand",
        "fetch.recurseSubmodules": "true", "submodule.x.update": "!{run}",
    },
    "an included file": {"include.path": "{included}"},
}  # fmt: skip


@pytest.fixture
def mark(tmp_path: Path) -> Path:
    return tmp_path / "mark"


@pytest.fixture
def hostile(tmp_path: Path, mark: Path) -> Path:
    """A checkout with a remote, for whose program an attack only lacks the configuration."""
    run = tmp_path / "run"
    run.write_text(f"#!/bin/sh\ntouch {mark}\nexit 1\n")
    run.chmod(0o755)
    hooks = tmp_path / "hooks"
    hooks.mkdir()
    for name in HOOKS:
        shutil.copy(run, hooks / name)
    author = repository(tmp_path / "author", SMALL)
    write(author, {".gitattributes": "* filter=evil diff=evil\n", "a=b": "x"})
    write(author, {".git/info/attributes": "a=b filter=a=b\n"})
    head = commit(author)
    # With a signature, which only a program can judge.
    raw = git(author, "cat-file", "commit", head).encode()
    forged = raw.replace(b"\n\n", b"\n" + FORGED + b"\n", 1) + b"\n"
    head = git(author, "hash-object", "-t", "commit", "-w", "--stdin", data=forged)
    git(author, "reset", "-q", "--hard", head)
    remote = served(tmp_path, author)
    git(author, "remote", "set-url", "origin", f"file://{remote}")
    # Now that people are done: hooks run for them.
    shutil.copytree(hooks, author / ".git" / "hooks", dirs_exist_ok=True)
    # Objects that are borrowed, for whose owner's branches git would ask.
    other = repository(tmp_path / "other", SMALL)
    write(author, {".git/objects/info/alternates": f"{other}/.git/objects\n"})
    return author


def arm(author: Path, attack: Mapping[str, str]) -> None:
    root = author.parent
    known = {
        "run": root / "run",
        "hooks": root / "hooks",
        "remote": f"file://{root}/served/remote.git",
        "included": root / "included",
    }
    evil = {**ATTACKS["insteadOf"], **ATTACKS["filters"], **ATTACKS["signatures"]}
    for key, value in evil.items():
        name, text = key.format(**known), value.format(**known)
        git(author, "config", "--file", str(root / "included"), "--add", name, text)
    for key, value in attack.items():
        git(author, "config", "--add", key.format(**known), value.format(**known))
    # Files with new times: git looks into them again.
    for path in author.rglob("*.yaml"):
        os.utime(path, (1, 1))


def attacked(author: Path, command: Command) -> list[Ran]:
    repo = ("--repo", str(author))
    return [command.run("doctor", *repo), command.run("reconcile", *repo)]


@pytest.mark.parametrize("name", ATTACKS)
def test_nothing_that_the_configuration_names_runs_and_the_work_is_done(
    hostile: Path, mark: Path, command: Command, name: str
) -> None:
    arm(hostile, ATTACKS[name])
    for verb in (["plan"], ["check", "--worktree"]):
        assert command.run(*verb, "--repo", str(hostile)).code == 0
    doctor, done = attacked(hostile, command)
    assert not mark.exists()
    assert (doctor.code, done.code) == (0, 0), (doctor, done)
    remote = hostile.parent / "served" / "remote.git"
    assert git(remote, "log", "-1", "--format=%an", "main") == "gitops-ipam"
    records = hostile / "allocations"
    assert [path for path in records.rglob("*.yaml") if b"evil" in path.read_bytes()] == []
    assert any(records.rglob("*.yaml"))


@pytest.fixture
def server(hostile: Path) -> Iterator[GitServer]:
    with serving(hostile.parent / "served") as found:
        git(hostile, "config", "remote.origin.url", f"{found.url}/remote.git")
        yield found


@pytest.mark.parametrize("key", ["core.askPass", "credential.helper", "credential.{url}.helper"])
def test_who_asks_for_a_password_is_told_none_by_a_program_of_the_repository(
    hostile: Path, mark: Path, command: Command, server: GitServer, key: str
) -> None:
    server.password = "wanted"
    value = str(hostile.parent / "run")
    git(hostile, "config", key.format(url=server.url), value if "ask" in key else f"!{value}")
    doctor, done = attacked(hostile, command)
    assert (doctor.code, done.code) == (4, 4)
    assert not mark.exists()
    command.variables["IPAM_GIT_TOKEN"] = "wanted"
    assert attacked(hostile, command)[-1].code == 0
    assert not mark.exists()


@pytest.mark.parametrize("key", ["hook.evil.command", "hook.evil.event"])
def test_a_hook_of_the_configuration_is_refused(hostile: Path, command: Command, key: str) -> None:
    git(hostile, "config", key, "touch /tmp/evil")
    doctor, done = attacked(hostile, command)
    assert (doctor.code, done.code) == (4, 64)
    assert f"{key} in the configuration of the repository is not permitted" in done.err


def test_the_token_is_said_to_the_remote_alone_and_headers_of_the_repository_do_not_join_it(
    hostile: Path, command: Command, server: GitServer
) -> None:
    server.password = command.variables["IPAM_GIT_TOKEN"] = "canary"
    git(hostile, "config", f"http.{server.url}/.extraHeader", "Authorization: Basic b3RoZXI=")
    assert attacked(hostile, command)[-1].code == 0
    with socket.create_server(("127.0.0.1", 0)) as listening:
        port = listening.getsockname()[1]
        for key in ("insteadOf", "pushInsteadOf"):
            git(hostile, "config", f"url.http://127.0.0.1:{port}/.{key}", f"{server.url}/")
        assert attacked(hostile, command)[-1].code == 0
        listening.setblocking(False)
        with pytest.raises(BlockingIOError):
            listening.accept()


def test_a_bare_repository_that_a_change_lays_out_in_a_checkout_is_not_the_one_that_is_read(
    tmp_path: Path, command: Command
) -> None:
    author = repository(tmp_path / "author", {**SMALL, "tenants/bad.yaml": "kind: ["})
    fine = repository(tmp_path / "fine", SMALL)
    git(tmp_path, "clone", "-q", "--bare", str(fine), str(tmp_path / "bare"))
    shutil.copytree(tmp_path / "bare", author, dirs_exist_ok=True)
    assert command.run("check", "--repo", str(author)).code == 1


def own_by_another(path: Path) -> None:
    for item in (path, *path.rglob("*")):
        os.lchown(item, 65_533, 65_533)


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to change the owner of a folder")
@pytest.mark.parametrize("what", ["", ".git", "upwards", "linked"])
def test_a_repository_of_another_user_is_refused_unless_the_person_calls_it_safe(
    tmp_path: Path, command: Command, what: str
) -> None:
    author = repository(tmp_path / "author", SMALL)
    repo = author / "tenants" if what == "upwards" else author
    if what == "linked":
        git(author, "worktree", "add", "-q", str(tmp_path / "linked"))
        own_by_another(author / ".git")
        repo = author = tmp_path / "linked"
    else:
        own_by_another(author / what if what == ".git" else author)
    for verb in ("check", "plan", "reconcile", "doctor"):
        done = command.run(verb, "--repo", str(repo))
        told = done.out if verb == "doctor" else done.err
        assert (done.code, "belongs to another user" in told) == (4, True), done
        assert f"safe.directory {author}" in told
    write(tmp_path, {".gitconfig": f"[safe]\n\tdirectory = {tmp_path}/elsewhere\n"})
    assert command.run("check", "--repo", str(repo)).code == 4
    write(tmp_path, {".gitconfig": f"[safe]\n\tdirectory = {author}\n"})
    more = ["--branch=linked", "--any-branch"] if what == "linked" else []
    for verb, *options in (["check"], ["plan"], ["reconcile", *more]):
        assert command.run(verb, "--repo", str(repo), *options).code == 0


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to change the owner of a folder")
@pytest.mark.parametrize(
    ("text", "code"),
    [("directory = *", 0), ("directory = ~/author", 0),
     ("directory = *\n\tdirectory =", 4), ("directory = {top}/auth", 4), ("bareRepository = all", 4)],
)  # fmt: skip
def test_what_the_person_calls_safe_is_read_as_git_reads_it(
    tmp_path: Path, command: Command, text: str, code: int
) -> None:
    author = repository(tmp_path / "author", SMALL)
    own_by_another(author)
    write(tmp_path, {".config/git/config": f"[safe]\n\t{text.format(top=tmp_path)}\n"})
    assert command.run("check", "--repo", str(author)).code == code


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root to change the owner of a folder")
def test_what_a_repository_itself_calls_safe_means_nothing_and_sudo_is_known(
    tmp_path: Path, command: Command
) -> None:
    author = repository(tmp_path / "author", SMALL)
    git(author, "config", "safe.directory", "*")
    own_by_another(author)
    assert command.run("check", "--repo", str(author)).code == 4
    assert command.run("check", "--repo", str(author), SUDO_UID="65533").code == 0
    assert command.run("check", "--repo", str(author), SUDO_UID="65532").code == 4
