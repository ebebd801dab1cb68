"""A daemon killed with SIGKILL at a step of its first round. The next start completes the work.

How many steps are tried: `IPAM_KILLS=200 python -m pytest tests/faults/test_daemon_kills.py` takes all.
"""

import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.apply.execution.site import FIRST, SECOND, world
from tests.caches import PYTHON, ROOT
from tests.e2e.daemon import Daemon, daemon
from tests.envtest.servers import ApiServer
from tests.faults.site import HUB, faulty
from tests.faults.test_kills import Executioner
from tests.world import SMALL, git, repository

POINTS = int(os.environ.get("IPAM_KILLS", "6"))
STEPS = 40
"""Calls of git in a first round, and a few more; those that there are not kill nobody."""
_SHIM = """\
#!/bin/sh
echo x >> {count}
nth=$(wc -l < {count})
{git} "$@"
code=$?
if [ "$nth" -eq {nth} ]; then kill -9 $PPID; fi
exit $code
"""


def spread(count: int, most: int) -> list[int]:
    """Return `count` numbers from 1 to the maximum, at equal distances."""
    return sorted({1 + round(at * (most - 1) / max(count - 1, 1)) for at in range(count)})


class Branch:
    """A remote, a clone, and a daemon for the branch of the remote."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.first = folder / "first.git"
        made = repository(folder / "made", SMALL)
        git(folder, "clone", "-q", "--bare", str(made), str(self.first))

    def begin(self) -> None:
        for name in ("remote.git", "cache"):
            shutil.rmtree(self.folder / name, ignore_errors=True)
        shutil.copytree(self.first, self.folder / "remote.git")

    @property
    def words(self) -> list[str]:
        return ["--remote", f"file://{self.folder / 'remote.git'}", "--no-apply"]

    def killed(self, nth: int) -> bool:
        """Run until the end of the nth call of git. Return whether there was one."""
        shim = self.folder / "bin" / "git"
        shim.parent.mkdir(exist_ok=True)
        count = self.folder / "count"
        count.write_text("", encoding="ascii")
        real = shutil.which("git")
        text = _SHIM.format(count=count, nth=nth, git=real)
        shim.write_text(text, encoding="utf-8")
        shim.chmod(0o755)
        process = subprocess.Popen(
            [sys.executable, "-m", "reconciler", "reconcile", "--watch", "-o", "json", *self.words],
            cwd=ROOT,
            env={
                "PATH": f"{shim.parent}:{os.environ['PATH']}",
                "LC_ALL": "C.UTF-8",
                "XDG_CACHE_HOME": str(self.folder / "cache"),
                **PYTHON,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        with process:
            assert process.stdout is not None
            process.stdout.readline()  # it was killed, or its first round is done
            process.kill()
        return len(count.read_text(encoding="ascii").splitlines()) >= nth

    def finished(self) -> tuple[str, str]:
        """Run until the end of a round. Return the head of the branch and its tree."""
        with daemon(ROOT, self.folder / "cache", *self.words) as made:
            made.round()
            assert made.end() == 0
        remote = self.folder / "remote.git"
        return git(remote, "rev-parse", "main"), git(remote, "rev-parse", "main^{tree}")


@pytest.fixture(scope="module")
def branch(tmp_path_factory: pytest.TempPathFactory) -> Branch:
    return Branch(tmp_path_factory.mktemp("kills"))


@pytest.fixture(scope="module")
def expected(branch: Branch) -> tuple[str, str]:
    branch.begin()
    return branch.finished()


@pytest.mark.parametrize("nth", spread(POINTS, STEPS))
def test_a_daemon_that_is_killed_at_a_call_of_git_is_made_good_by_the_next(
    branch: Branch, expected: tuple[str, str], nth: int
) -> None:
    branch.begin()
    branch.killed(nth)
    assert branch.finished() == expected


def test_the_calls_of_git_are_really_counted(branch: Branch) -> None:
    branch.begin()
    assert branch.killed(STEPS // 4)


def _daemon(words: Mapping[str, Path], folder: Path, repo: Path) -> Daemon:
    named = [f"--cluster={name}={path}" for name, path in words.items() if name != HUB]
    return Daemon(ROOT, folder, ["--repo", str(repo), f"--kubeconfig={words[HUB]}", *named])


@pytest.mark.parametrize("nth", spread(max(POINTS // 2, 2), 12))
def test_a_daemon_that_is_killed_at_a_write_to_a_cluster_is_made_good_by_the_next(
    management: ApiServer, tenants: tuple[ApiServer, ...], tmp_path: Path, nth: int
) -> None:
    repo = repository(tmp_path / "repo", world("web", "shop"))
    named = dict(zip((FIRST, SECOND), tenants, strict=False))
    with faulty(management, named, tmp_path) as site:
        for name, server in site.servers().items():
            server.wipe()
            if name != HUB:
                server.namespace("metallb-system")
        executioner = Executioner(site, nth)
        for name in site.proxies:
            site.breaks(name, executioner.fault())
        ways = {name: site.kubeconfig_of(name) for name in site.servers()}
        killed = _daemon(ways, tmp_path / "cache", repo)
        executioner.kill = killed.process.kill
        assert killed.process.wait(timeout=120) == -signal.SIGKILL
        killed.close()
        site.mend()
        assert executioner.doubled == []
        direct = {name: server.kubeconfig for name, server in site.servers().items()}
        made = _daemon(direct, tmp_path / "cache", repo)
        try:
            made.round(lambda found: found["apply"] is not None and found["exitCode"] == 0)
            assert made.end() == 0
        finally:
            made.process.kill()
            made.close()
        site.check(world("web", "shop"))
