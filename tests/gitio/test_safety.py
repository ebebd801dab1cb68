"""A hostile repository cannot run programs, forge data, write files, or show control characters."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.git_server import GitServer, serving
from tests.gitio.command import Command
from tests.world import SMALL, commit, git, repository, tenant, write

TOKEN = "canary-token-4711"


@pytest.fixture
def server(tmp_path: Path, remote: Path) -> Iterator[GitServer]:
    with serving(remote.parent) as served:
        yield served


def _script(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)


def test_variables_of_git_in_the_environment_mean_nothing(
    tmp_path: Path, author: Path, command: Command
) -> None:
    other = repository(tmp_path / "other", SMALL)
    before = git(other, "rev-parse", "main")
    done = command.run(
        "reconcile", "--repo", str(author),
        GIT_DIR=str(other / ".git"), GIT_WORK_TREE=str(other), GIT_INDEX_FILE="/nonexistent",
        GIT_OBJECT_DIRECTORY="/nonexistent", GIT_NAMESPACE="x", GIT_CONFIG_COUNT="1",
        GIT_CONFIG_KEY_0="core.hooksPath", GIT_CONFIG_VALUE_0="/x", GIT_TRACE="1",
        GIT_AUTHOR_NAME="x", GIT_COMMITTER_DATE="1 +0000", GIT_EXTERNAL_DIFF="/nonexistent",
        GIT_CEILING_DIRECTORIES="/", LC_ALL="de_DE.UTF-8", TZ="Asia/Tokyo", LANGUAGE="de",
    )  # fmt: skip
    assert done.code == 0, done
    assert git(other, "rev-parse", "main") == before
    assert git(author, "show", "-s", "--format=%an %cn %ct", "main") == (
        "gitops-ipam gitops-ipam 1771149631"
    )


def test_replaced_objects_and_grafts_are_not_believed(author: Path, command: Command) -> None:
    plan = command.run("plan", "--repo", str(author), "-o", "json").out
    blob = git(author, "rev-parse", "HEAD:tenants/one.yaml")
    other = git(author, "hash-object", "-w", "--stdin", data=tenant("evil").encode())
    git(author, "replace", blob, other)
    (author / ".git" / "info").mkdir(exist_ok=True)
    (author / ".git" / "info" / "grafts").write_text(f"{git(author, 'rev-parse', 'HEAD')} \n")
    assert command.run("plan", "--repo", str(author), "-o", "json").out == plan


def test_a_stale_lock_of_the_index_stops_no_reading(author: Path, command: Command) -> None:
    (author / ".git" / "index.lock").touch()
    for verb in ("plan", "check", "status"):
        assert command.run(verb, "--repo", str(author)).code == 0
    head = git(author, "rev-parse", "main")
    done = command.run("reconcile", "--repo", str(author))
    assert (done.code, "index.lock" in done.err) == (64, True)
    assert git(author, "rev-parse", "main") == head


@pytest.mark.parametrize("file", ["tenants/new.yaml", "tenants/one.yaml", "README"])
def test_a_checkout_with_uncommitted_work_is_refused_and_left_alone(
    author: Path, remote: Path, command: Command, file: str
) -> None:
    write(author, {file: "x: 1\n"})
    if file == "README":
        git(author, "add", file)
    head, state = git(remote, "rev-parse", "main"), git(author, "status", "--porcelain")
    done = command.run("reconcile", "--repo", str(author))
    assert done.code == 64
    assert f": {file}\n" in done.err
    assert git(remote, "rev-parse", "main") == head
    assert git(author, "status", "--porcelain") == state
    assert command.run("reconcile", "--remote", str(remote)).code == 0


def test_commits_that_were_not_pushed_are_refused(
    author: Path, remote: Path, command: Command
) -> None:
    commit(author)
    done = command.run("reconcile", "--repo", str(author))
    assert (done.code, "commits that are not on the remote" in done.err) == (64, True)
    git(author, "push", "-q")
    assert command.run("reconcile", "--repo", str(author)).code == 0


@pytest.mark.parametrize(
    "branch", ["--upload-pack=x", "a..b", "a b", "x.lock", "a/.b", "é", "@{-1}"]
)
def test_a_branch_that_is_none_is_refused(author: Path, command: Command, branch: str) -> None:
    done = command.run("reconcile", "--repo", str(author), f"--branch={branch}")
    assert (done.code, "not a valid branch name" in done.err) == (64, True)


@pytest.mark.parametrize("how", ["variable", "URL"])
def test_the_token_goes_by_the_environment_and_is_never_shown(
    server: GitServer, remote: Path, command: Command, how: str
) -> None:
    server.password = TOKEN
    log = command.recording()
    url = f"{server.url}/remote.git"
    denied = command.run("reconcile", "--remote", url)
    assert denied.code == 4
    if how == "variable":
        command.variables["IPAM_GIT_TOKEN"] = TOKEN
    else:
        command.variables["IPAM_REMOTE"] = url.replace("//", f"//x-access-token:{TOKEN}@")
        url = ""
    told = ["--remote", url] if url else []
    done = command.run("reconcile", "--debug", *told)
    assert done.code == 0, done
    assert git(remote, "show", "-s", "--format=%cn", "main") == "gitops-ipam"
    server.status = "500 No"
    failed = command.run("reconcile", "--debug", *told)
    assert failed.code == 4
    asked = log.read_text()
    assert "fast-import" in asked
    for text in (asked, done.out, done.err, failed.out, failed.err):
        assert TOKEN not in text
        assert "Basic" not in text
    assert TOKEN not in "".join(
        path.read_text(errors="replace")
        for path in (command.root / "cache").rglob("*")
        if path.is_file()
    )


def test_a_wrong_token_is_refused_once_and_not_shown(server: GitServer, command: Command) -> None:
    server.password = "another"
    command.variables["IPAM_GIT_TOKEN"] = TOKEN
    url = f"{server.url}/remote.git"
    done = command.run("reconcile", "--remote", url, "--branch", "main")
    assert (done.code, TOKEN in done.err) == (4, False)
    assert "the remote refuses these credentials (401)" in done.err
    assert "set IPAM_GIT_TOKEN" in done.err
    assert len(server.requests) <= 2


@pytest.mark.parametrize(
    ("status", "told", "hint"),
    [
        ("403 Forbidden", "the remote refuses these credentials (403)", "set IPAM_GIT_TOKEN"),
        ("503 Busy", "cannot reach the remote", "check that the remote"),
    ],
)
def test_a_remote_that_refuses_who_asks_is_told_apart_from_one_that_is_down(
    server: GitServer, command: Command, status: str, told: str, hint: str
) -> None:
    server.status = status
    url = f"{server.url}/remote.git"
    for verb in ("reconcile", "doctor"):
        done = command.run(verb, "--remote", url)
        assert done.code == 4, done
        assert told in done.out + done.err
        assert hint in done.out + done.err


def test_a_push_that_the_server_declines_is_told_in_its_words_and_not_tried_again(
    server: GitServer, remote: Path, author: Path, command: Command
) -> None:
    words = "echo 'go \\033[31maway, fetch first'; echo '::error::x'; exit 1"
    _script(remote / "hooks" / "pre-receive", words)
    head = git(remote, "rev-parse", "main")
    for told in (["--remote", f"{server.url}/remote.git"], ["--repo", str(author)]):
        server.requests.clear()
        done = command.run("reconcile", *told)
        assert done.code == 4
        assert "pre-receive hook declined" in done.err
        assert "go \\u001b[31maway, fetch first / ::error::x" in done.err
        assert "\x1b" not in done.err
        assert sum("git-receive-pack" in item for item in server.requests) <= 2
        assert git(remote, "rev-parse", "main") == head
    assert git(author, "status", "--porcelain") == ""


@pytest.mark.parametrize(
    "said",
    [
        "error: GH006: Protected branch update failed for refs/heads/main.",
        "error: GH013: Repository rule violations found for refs/heads/main.",
        "GitLab: You are not allowed to push code to protected branches on this project.",
        "Gitea: Not allowed to push to protected branch main",
    ],
)
@pytest.mark.parametrize("proposes", [False, True])
def test_a_protected_branch_leads_to_proposals(
    remote: Path, author: Path, command: Command, said: str, *, proposes: bool
) -> None:
    _script(remote / "hooks" / "pre-receive", f"echo '{said}' >&2; exit 1")
    to = ["--to-branch", "ipam/records"] if proposes else []
    done = command.run("reconcile", "--repo", str(author), *to)
    assert (done.code, said in done.err) == (4, True)
    hint = done.err.partition("hint: ")[2]
    name = "ipam/records" if proposes else "main"
    assert f" push to {name}, " in hint
    assert "--to-branch" in hint


def test_a_server_that_dies_after_it_took_the_push_is_found_out_by_the_next_run(
    remote: Path, author: Path, command: Command
) -> None:
    _script(remote / "hooks" / "post-receive", "kill -9 $PPID")
    first = command.run("reconcile", "--repo", str(author))
    assert first.code in (0, 4)
    (remote / "hooks" / "post-receive").unlink()
    assert command.run("reconcile", "--repo", str(author)).code == 0
    assert git(remote, "rev-list", "--count", "main") == "2"
    assert git(author, "rev-parse", "main") == git(remote, "rev-parse", "main")


def test_a_commit_is_signed_when_asked(
    tmp_path: Path, author: Path, remote: Path, command: Command
) -> None:
    key = tmp_path / "signing"
    keygen = shutil.which("ssh-keygen")
    if keygen is None:
        pytest.skip("ssh-keygen is missing")
    os.spawnl(os.P_WAIT, keygen, keygen, "-q", "-t", "ed25519", "-N", "", "-f", str(key))
    allowed = tmp_path / "allowed"
    allowed.write_text(f"bot@example.com {key.with_suffix('.pub').read_text()}")
    done = command.run(
        "reconcile", "--repo", str(author), "--sign", "signing", "--author", "Bot <bot@example.com>"
    )
    assert done.code == 0, done
    git(remote, "-c", f"gpg.ssh.allowedSignersFile={allowed}", "verify-commit", "main")
    assert "Ipam-Base: " in git(remote, "show", "-s", "--format=%B", "main")
    assert git(author, "status", "--porcelain") == ""


def test_a_key_that_cannot_sign_publishes_nothing(
    author: Path, remote: Path, command: Command
) -> None:
    head = git(remote, "rev-parse", "main")
    done = command.run("reconcile", "--repo", str(author), "--sign", "0xDEADBEEF")
    assert (done.code, "cannot sign" in done.err, "GPG key" in done.err) == (4, True, True)
    assert git(remote, "rev-parse", "main") == head
