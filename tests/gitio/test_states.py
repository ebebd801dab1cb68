"""Repositories in unusual states are read correctly, or refused with a hint."""

from collections.abc import Callable
from hashlib import sha1
from pathlib import Path
from zlib import compress

import pytest

from reconciler.gitio.repository import LOOSE
from tests.gitio.command import Command
from tests.world import commit, git, tenant, write

Spoil = Callable[[Path], object]


def _fill(folder: Path, count: int) -> None:
    """Loose objects whose ids begin with the name of their folder."""
    folder.mkdir(exist_ok=True)
    for number in range(256 * 8 * count):
        data = b"blob 8\0%08d" % number
        name = sha1(data, usedforsecurity=False).hexdigest()
        if name.startswith(folder.name) and len(list(folder.iterdir())) < count:
            (folder / name[2:]).write_bytes(compress(data))


def _corrupt(author: Path) -> None:
    oid = git(author, "rev-parse", "HEAD:tenants/one.yaml")
    path = author / ".git" / "objects" / oid[:2] / oid[2:]
    path.chmod(0o644)
    path.write_bytes(b"garbage")


def _remove(author: Path) -> None:
    oid = git(author, "rev-parse", "HEAD:tenants/one.yaml")
    (author / ".git" / "objects" / oid[:2] / oid[2:]).unlink()


@pytest.mark.parametrize(
    ("spoil", "message", "hint"),
    [
        (_corrupt, "is missing or corrupt", "clone the repository again"),
        (_remove, "is missing or corrupt", "clone the repository again"),
        (lambda a: git(a, "branch", "-m", "trunk"), "", ""),
        (
            lambda a: git(a, "symbolic-ref", "HEAD", "refs/heads/none"),
            "branch none",
            "first commit",
        ),
        (lambda a: git(a, "update-ref", "-d", "refs/heads/main"), "branch main", "first commit"),
    ],
)
def test_a_checkout_that_cannot_be_read_says_so(
    author: Path, command: Command, spoil: Spoil, message: str, hint: str
) -> None:
    spoil(author)
    done = command.run("reconcile", "--repo", str(author))
    assert done.code == (4 if message else 0)
    assert message in done.err
    assert hint in done.err


def test_an_empty_repository_says_that_it_needs_a_commit(tmp_path: Path, command: Command) -> None:
    git(tmp_path, "init", "-q", "--bare", "-b", "main", "empty.git")
    for arguments in (["--repo", "empty.git"], ["--remote", str(tmp_path / "empty.git")]):
        done = command.run("reconcile", *arguments)
        assert done.code == 4
        assert "branch main" in done.err
        assert "first commit" in done.err
    done = command.run("plan", "--repo", "empty.git")
    assert (done.code, "first commit" in done.err) == (4, True)


def test_a_branch_that_the_remote_lacks_is_named(remote: Path, command: Command) -> None:
    done = command.run("reconcile", "--remote", str(remote), "--branch", "next")
    assert done.code == 4
    assert "branch next is not on the remote" in done.err


def test_a_detached_head_reconciles_main_and_leaves_the_checkout(
    author: Path, command: Command
) -> None:
    head = git(author, "rev-parse", "HEAD")
    git(author, "checkout", "-q", "--detach")
    assert command.run("reconcile", "--repo", str(author)).code == 0
    assert git(author, "rev-parse", "main^") == head == git(author, "rev-parse", "HEAD")
    assert git(author, "status", "--porcelain") == ""


def test_the_git_folder_itself_means_its_checkout(author: Path, command: Command) -> None:
    assert command.run("reconcile", "--repo", str(author / ".git")).code == 0
    assert git(author, "status", "--porcelain") == ""


def test_a_clone_too_shallow_to_know_its_history_says_how_to_deepen_it(
    tmp_path: Path, author: Path, remote: Path, command: Command
) -> None:
    git(tmp_path, "clone", "-q", "--depth", "1", f"file://{remote}", "shallow")
    shallow = tmp_path / "shallow"
    assert command.run("reconcile", "--repo", "shallow").code == 0
    for number in range(3):
        git(author, "pull", "-q")
        commit(author, str(number))
        git(author, "push", "-q")
    git(shallow, "fetch", "-q", "--depth", "1")
    done = command.run("reconcile", "--repo", "shallow")
    assert done.code == 4
    assert "too shallow" in done.err
    assert "git fetch --unshallow" in done.err
    git(shallow, "fetch", "-q", "--unshallow")
    assert command.run("reconcile", "--repo", "shallow").code == 0


def test_objects_that_a_partial_clone_lacks_are_an_error_and_never_absent(
    tmp_path: Path, remote: Path, command: Command
) -> None:
    git(remote, "config", "uploadpack.allowFilter", "true")
    git(tmp_path, "clone", "-q", "--no-checkout", "--filter=blob:none", f"file://{remote}", "p")
    remote.rename(tmp_path / "gone")
    for arguments in (["plan", "--repo", "p"], ["check", "--repo", "p"]):
        done = command.run(*arguments)
        assert done.code == 4, done
        assert "partial" in done.err
    (tmp_path / "gone").rename(remote)
    done = command.run("reconcile", "--repo", "p")
    assert (done.code, "partial" in done.err) == (4, True)


@pytest.mark.parametrize("link", ["tenants/link.yaml", "tenants/readme", "tenants/module"])
def test_a_symlink_or_a_submodule_below_the_sources_is_a_finding_and_is_not_followed(
    tmp_path: Path, author: Path, command: Command, link: str
) -> None:
    (tmp_path / "secret").write_text("canary")
    if link == "tenants/module":
        head = git(author, "rev-parse", "HEAD")
        git(author, "update-index", "--add", "--cacheinfo", f"160000,{head},{link}")
        git(author, "commit", "-q", "-m", "module")
        (author / link).mkdir()
    else:
        (author / link).symlink_to(tmp_path / "secret")
        commit(author)
    for more in ([], ["--worktree"]):
        done = command.run("check", "--repo", str(author), *more)
        assert done.code == 1, done
        assert f"{link}: error not-a-file" in done.err + done.out
        assert "canary" not in done.err + done.out


@pytest.mark.parametrize("name", [b"a\nb", b"a\\b", b"a\xff", b"a\x1b[2J", b"a\xe2\x80\xaeb"])
def test_path_names_that_trick_a_reader_are_findings_and_never_shown(
    author: Path, command: Command, name: bytes
) -> None:
    blob = git(author, "rev-parse", "HEAD:tenants/one.yaml").encode()
    data = b"100644 %s\ttenants/%s.yaml\0" % (blob, name)
    git(author, "update-index", "-z", "--index-info", data=data)
    git(author, "commit", "-q", "-m", "odd")
    done = command.run("check", "--repo", str(author))
    assert (done.code, "not-a-file" in done.err + done.out) == (1, True)
    assert not set(done.err + done.out) & set("\x1b\u202e")


@pytest.mark.parametrize("name", ["a b", "a'b", 'a"b', "a$(id)", "ä", "-rf"])
def test_path_names_that_are_only_unusual_are_read(
    author: Path, command: Command, name: str
) -> None:
    write(author, {f"tenants/{name}.yaml": tenant("two")})
    commit(author)
    done = command.run("plan", "--repo", str(author))
    assert (done.code, "team-a/two" in done.out) == (0, True)


def test_a_mirror_is_packed_before_it_piles_up(
    tmp_path: Path, author: Path, remote: Path, command: Command
) -> None:
    assert command.run("reconcile", "--remote", str(remote)).code == 0
    mirror = next((tmp_path / "cache" / "gitops-ipam" / "remotes").iterdir())
    head = git(remote, "rev-parse", "main")
    loose = mirror / "objects" / head[:2] / head[2:]
    assert loose.is_file()
    _fill(mirror / "objects" / "17", LOOSE)
    assert command.run("reconcile", "--remote", str(remote)).code == 0
    assert not loose.exists()
    assert git(mirror, "rev-parse", "refs/ipam/remote/main^{commit}") == head
    assert len(list((mirror / "objects" / "pack").glob("*.pack"))) == 1
    assert git(mirror, "for-each-ref", "refs/ipam/work") == ""
    assert command.run("reconcile", "--remote", str(remote)).code == 0
    assert not list(mirror.parent.glob("tmp*"))
