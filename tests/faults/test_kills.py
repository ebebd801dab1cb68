"""A run killed after each of its writes. The next run completes the work."""

import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from reconciler.cli import run
from tests.apply.execution.site import (
    ADDRESS_POOLS,
    ALLOCATIONS,
    FIRST,
    METALLB,
    POOLS,
    SECOND,
    world,
)
from tests.caches import PYTHON, ROOT
from tests.envtest.servers import ApiServer
from tests.faults.site import HUB, Faulty, faulty
from tests.kube.proxy import Fault
from tests.world import commit, reconciled, repository, tenant, write

FILES = world("web", "shop")
SWAPPED = reconciled({**world("web"), "tenants/shop.yaml": tenant("shop")})
WRITE = "(PATCH|POST|PUT|DELETE) "
KINDS = {
    HUB: (POOLS, ALLOCATIONS),
    FIRST: (ADDRESS_POOLS, f"{METALLB}/l2advertisements"),
    SECOND: (ADDRESS_POOLS, f"{METALLB}/l2advertisements"),
}


class Story(NamedTuple):
    """Initial files, a change, and the number of runs for it without kills."""

    before: Mapping[str, str | bytes]
    then: Mapping[str, str | bytes]
    runs: int


STORIES = {
    "nothing is there yet": Story({}, FILES, 1),
    "two tenants swap their ranges": Story(FILES, SWAPPED, 2),
    "a tenant goes and another gets its range": Story(FILES, world("web"), 1),
}


class Executioner:
    """Counts the writes of all clusters together, and kills a process at one of them.

    Writes pass one at a time, so that a test can check announced ranges after each.
    """

    def __init__(self, site: Faulty, nth: int = 0) -> None:
        self.site = site
        self.nth = nth
        self.count = 0
        self.is_done = False
        self.doubled: list[str] = []
        self.kill: Callable[[], object] = lambda: None
        self._counting = threading.Lock()
        self._passing = threading.Lock()
        self._mine = threading.local()

    def fault(self) -> Fault:
        return Fault(WRITE, 0, "pass", then=self._before, after=self._after)

    def _before(self) -> None:
        with self._counting:
            self.count += 1
            self._mine.number = self.count
        self._passing.acquire(timeout=30)

    def _after(self) -> None:
        try:
            self.site.announced()
        except AssertionError as found:
            self.doubled.append(str(found))
        finally:
            self._passing.release()
        if self._mine.number == self.nth:
            self.kill()


class World:
    def __init__(self, site: Faulty, folder: Path, story: Story) -> None:
        self.site = site
        self.story = story
        self.repo = repository(folder / "repo", story.before)
        for path in story.before:
            (self.repo / path).unlink()
        write(self.repo, story.then)
        self.first = "HEAD~" if story.before else ""
        commit(self.repo)
        named = [f"--cluster={name}={site.kubeconfig_of(name)}" for name in (FIRST, SECOND)]
        hub = f"--kubeconfig={site.kubeconfig_of(HUB)}"
        self.words = ["apply", f"--repo={self.repo}", hub, *named]

    def begin(self) -> None:
        self.site.mend()
        for name, server in self.site.servers().items():
            server.wipe()
            if name != HUB:
                server.namespace("metallb-system")
        if self.first:
            assert run([*self.words, f"--rev={self.first}"]) == 0

    def killed(self, nth: int) -> Executioner:
        """Run until the nth write."""
        executioner = Executioner(self.site, nth)
        for name in self.site.proxies:
            self.site.breaks(name, executioner.fault())
        process = subprocess.Popen(
            [sys.executable, "-m", "reconciler", *self.words],
            cwd=ROOT,
            env={"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", **PYTHON},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        executioner.kill = process.kill
        executioner.is_done = process.wait(timeout=120) == -signal.SIGKILL
        self.site.mend()
        return executioner

    def finish(self) -> Executioner:
        """Run until all is done, and then again without changes."""
        watched = Executioner(self.site)
        for name in self.site.proxies:
            self.site.breaks(name, watched.fault())
        for _ in range(self.story.runs):
            code = run(self.words)
        assert code == 0
        seen = watched.count
        assert run(self.words) == 0
        assert watched.count == seen
        self.site.check(self.story.then)
        return watched

    def found(self) -> dict[str, Any]:
        return {
            name: (
                [
                    item["metadata"]["name"]
                    for path in paths
                    for item in self.site.servers()[name].get(path)["items"]
                ],
                sorted(self.site.inventory(name).objects),
            )
            for name, paths in KINDS.items()
        }


@contextmanager
def worlds(
    management: ApiServer, tenants: tuple[ApiServer, ...], folder: Path, story: Story
) -> Iterator[World]:
    named = dict(zip((FIRST, SECOND), tenants, strict=False))
    with faulty(management, named, folder) as site:
        yield World(site, folder, story)


@pytest.mark.parametrize("name", STORIES)
def test_a_run_that_is_killed_at_a_write_is_made_good_by_the_next(
    management: ApiServer, tenants: tuple[ApiServer, ...], tmp_path: Path, name: str
) -> None:
    """Each write of a run; the last time round there is none left, and the run ends by itself.

    After every write of all those runs no two clusters announce one address."""
    with worlds(management, tenants, tmp_path, STORIES[name]) as world:
        world.begin()
        world.finish()
        expected = world.found()
        for nth in count(1):
            world.begin()
            killed = world.killed(nth)
            healed = world.finish()
            assert (killed.doubled, healed.doubled) == ([], []), nth
            assert world.found() == expected, nth
            if not killed.is_done:
                break
        assert killed.count == nth - 1 >= 10
