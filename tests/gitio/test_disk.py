"""A full disk: a message, exit code 4, and no partial writes."""

import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.gitio.command import Command
from tests.world import commit, git, request, write


def _limited(command: Command, size: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `ipam` with a limit on the size of files.

    Python does not look whether its bytecode was written whole: later runs would trip over it.
    """
    return subprocess.run(
        [sys.executable, "-m", "reconciler", *arguments],
        cwd=command.root,
        env=command.environment({"PYTHONDONTWRITEBYTECODE": "1"}),
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (size, size)),
    )


@pytest.mark.parametrize("size", [0, 100, 1_000])
@pytest.mark.parametrize("where", ["mirror", "checkout", "bare"])
def test_a_file_that_cannot_be_written_publishes_nothing_and_the_next_run_is_fine(
    author: Path, remote: Path, command: Command, size: int, where: str
) -> None:
    # Many records, so that the commit is large.
    write(author, {f"tenants/r{n}.yaml": request(f"r{n}", count=1) for n in range(60)})
    commit(author)
    git(author, "push", "-q")
    told = {
        "mirror": ["--remote", str(remote)],
        "checkout": ["--repo", str(author)],
        "bare": ["--repo", str(remote)],
    }[where]
    head = git(remote, "rev-parse", "main")
    done = _limited(command, size, "reconcile", *told)
    if done.returncode != 0:
        assert done.returncode == 4, done
        assert done.stderr.startswith("ipam: ")
        assert "Traceback" not in done.stderr
        assert git(remote, "rev-parse", "main") == head
    else:
        assert size > 100
    again = command.run("reconcile", *told)
    assert again.code == 0, again
    assert git(remote, "rev-parse", "main^") == head
    git(remote, "fsck", "--strict")


def test_a_cache_that_is_read_only_is_named(tmp_path: Path, remote: Path, command: Command) -> None:
    cache = tmp_path / "cache"
    cache.mkdir(exist_ok=True)
    run = [sys.executable, "-m", "reconciler", "reconcile", "--remote", str(remote)]
    if os.geteuid() == 0:
        # Root can write anywhere, unless it drops that capability.
        setpriv = shutil.which("setpriv")
        if setpriv is None:
            pytest.skip("setpriv is missing")
        run = [setpriv, "--bounding-set=-all", "--inh-caps=-all", *run]
    folders = [cache, *(path for path in cache.rglob("*") if path.is_dir())]
    for folder in folders:
        folder.chmod(0o500)
    head = git(remote, "rev-parse", "main")
    done = subprocess.run(
        run, env=command.environment({}), capture_output=True, text=True, check=False
    )
    for folder in folders:
        folder.chmod(0o700)
    assert done.returncode == 4, done
    assert "ermission" in done.stderr
    assert "Traceback" not in done.stderr
    assert git(remote, "rev-parse", "main") == head
    assert command.run("reconcile", "--remote", str(remote)).code == 0


@pytest.mark.parametrize("size", [1_000, 20_000])
def test_a_full_disk_leaves_no_partial_files_and_those_of_a_killed_run_are_swept(
    tmp_path: Path, author: Path, remote: Path, command: Command, size: int
) -> None:
    assert command.run("reconcile", "--remote", str(remote)).code == 0
    git(author, "pull", "-q")
    write(author, {f"docs/{n}": os.urandom(9_000) for n in range(200)})  # enough for a pack
    commit(author)
    git(author, "push", "-q")
    done = _limited(command, size, "reconcile", "--remote", str(remote))
    assert done.returncode == 4, done
    cache = tmp_path / "cache" / "gitops-ipam"
    assert [it for it in cache.rglob("*") if it.name.startswith("tmp")] == []
    (mirror,) = (cache / "remotes").glob("*.git")
    left = (mirror / "objects" / "pack" / "tmp_pack_x", cache / "remotes" / "tmpx" / "mirror.git")
    left[0].write_bytes(b"x")
    left[1].mkdir(parents=True)
    for path in (left[0], left[1].parent):
        os.utime(path, (1, 1))
    assert command.run("reconcile", "--remote", str(remote)).code == 0
    assert [it for it in cache.rglob("*") if it.name.startswith("tmp")] == []
