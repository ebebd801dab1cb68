"""Small objects that take git much memory to read: it is held, and what was too large is named.

The machine has room for all of it. What git took is what the system counted.
"""

import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.running import environment
from tests.hostile.packs import MIB, huge_commit, small_on_huge
from tests.world import SMALL, git, repository, tenant

HUGE = 640
HELD = 560 * MIB
SECONDS = 240
# Linux counts the peak of the largest process that was waited for, in KiB.
MEASURED = """
import resource, subprocess, sys
done = subprocess.run([sys.executable, "-m", "reconciler", *sys.argv[1:]])
print("peak", resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss << 10, file=sys.stderr)
sys.exit(done.returncode)
"""


class Ran(NamedTuple):
    """What a run came to, and the most memory that a process of it took."""

    code: int
    err: str
    peak: int


def measured(*arguments: str | Path) -> Ran:
    """Run `ipam`."""
    done = subprocess.run(
        [sys.executable, "-c", MEASURED, *map(str, arguments)],
        capture_output=True,
        check=False,
        timeout=SECONDS,
        text=True,
        env=environment(),
    )
    assert "Traceback" not in done.stderr, done.stderr
    return Ran(done.returncode, done.stderr, int(done.stderr.rpartition("peak ")[2]))


@pytest.fixture
def repo(tmp_path: Path) -> Path:
    """A repository that is right."""
    return repository(tmp_path / "repo", SMALL)


@pytest.fixture
def behind(repo: Path) -> str:
    """A commit whose message is huge, behind one that is right; the id of the huge one."""
    return put_behind(repo, HUGE)


def put_behind(repo: Path, size: int) -> str:
    """The change is a right commit on one whose message is so many MiB long; the id of that."""
    who = "A <a@example.com> 1771149630 +0000"
    lines = (
        f"tree {git(repo, 'rev-parse', 'HEAD^{tree}')}",
        f"parent {git(repo, 'rev-parse', 'HEAD')}",
        f"author {who}",
        f"committer {who}",
    )
    huge = huge_commit(repo, "\n".join(lines), size)
    text = tenant("two").encode()
    blob = git(repo, "hash-object", "-w", "--stdin", data=text)
    git(repo, "update-index", "--add", "--cacheinfo", f"100644,{blob},tenants/two.yaml")
    made = git(repo, "commit-tree", git(repo, "write-tree"), "-p", "HEAD", "-m", "small")
    raw = git(repo, "cat-file", "commit", made)
    first = git(repo, "rev-parse", "HEAD")
    grafted = raw.replace(f"parent {first}", f"parent {huge}").encode() + b"\n"
    change = git(repo, "hash-object", "-t", "commit", "-w", "--stdin", data=grafted)
    git(repo, "update-ref", "refs/heads/change", change)
    return huge


def test_a_small_file_that_is_packed_as_a_difference_from_a_huge_one_is_refused_by_name(
    repo: Path,
) -> None:
    bomb = small_on_huge(repo, tenant("two").encode(), HUGE)
    git(repo, "update-index", "--add", "--cacheinfo", f"100644,{bomb},tenants/two.yaml")
    tree = git(repo, "write-tree")
    git(repo, "update-ref", "refs/heads/main", git(repo, "commit-tree", tree, "-m", "bomb"))
    ran = measured("check", "--repo", repo)
    assert ran.code == 1, ran
    assert f"needs more than 512 MiB of memory to read object {bomb}" in ran.err
    assert f"git log --all --find-object={bomb}" in ran.err
    assert ran.peak < HELD


@pytest.mark.parametrize(
    "arguments",
    [
        ["check", "--rev", "change", "--base", "main"],
        ["check", "--rev", "main", "--base", "{huge}"],
        ["plan", "--rev", "change"],
        ["plan", "--rev", "{huge}"],
    ],
    ids=" ".join,
)
def test_a_commit_with_a_huge_message_is_refused_by_name_wherever_it_stands(
    repo: Path, behind: str, arguments: list[str]
) -> None:
    ran = measured(*(word.format(huge=behind) for word in arguments), "--repo", repo)
    assert ran.code == 1, ran
    assert f"needs more than 512 MiB of memory to read object {behind}" in ran.err
    assert "200000 files" not in ran.err
    assert "it is a commit, and its message is too large" in ran.err
    assert ran.peak < HELD


def test_a_commit_that_git_can_read_and_we_do_not_is_told_by_its_size(repo: Path) -> None:
    text = git(repo, "cat-file", "commit", "HEAD").partition("\n\n")[0]
    huge = huge_commit(repo, text, 65)
    for arguments in (["check", "--rev", huge], ["check", "--base", huge]):
        ran = measured(*arguments, "--repo", repo)
        assert ran.code == 1, ran
        assert f"commit {huge} has {65 * MIB + len(text) + 2} bytes, limit {64 * MIB}" in ran.err


def test_so_is_one_in_the_history_of_a_change_before_git_itself_cannot_read_it(repo: Path) -> None:
    huge = put_behind(repo, 65)
    ran = measured("check", "--rev", "change", "--base", "main", "--repo", repo)
    assert ran.code == 1, ran
    assert f"commit {huge} has " in ran.err


def test_trailers_without_end_are_not_kept(repo: Path) -> None:
    head = git(repo, "cat-file", "commit", "HEAD").partition("\n\n")[0]
    for _ in range(5):
        huge = huge_commit(repo, head, 60, "x\n\nIpam-Plan: ")
        head = f"{head.splitlines()[0]}\nparent {huge}\n" + "\n".join(head.splitlines()[-2:])
    broken = git(repo, "hash-object", "-w", "--stdin", data=b"kind: [\n")
    git(repo, "update-index", "--cacheinfo", f"100644,{broken},tenants/one.yaml")
    tree = git(repo, "write-tree")
    tip = f"tree {tree}\n{head.partition(chr(10))[2]}\n\nx\n"
    oid = git(repo, "hash-object", "-t", "commit", "-w", "--stdin", data=tip.encode())
    ran = measured("plan", "--repo", repo, "--rev", oid)  # asks when it was right
    assert (ran.code, "git log" in ran.err) == (1, False), ran
    assert ran.peak < HELD


def test_a_branch_that_is_to_be_reconciled_is_no_exception(repo: Path, behind: str) -> None:
    git(repo, "checkout", "-q", "--detach")
    ran = measured("reconcile", "--repo", repo, "--branch", "change", "--any-branch", "--no-apply")
    assert ran.code == 1, ran
    assert f"to read object {behind}" in ran.err
    assert "ipam reconcile --accept-history" in ran.err
    assert ran.peak < HELD
