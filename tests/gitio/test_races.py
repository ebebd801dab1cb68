"""Several reconcilers on one branch, as processes of the real command."""

import os
import random
import threading
from collections import Counter
from ipaddress import ip_address
from pathlib import Path

from tests.gitio.command import Command
from tests.world import SMALL, git, pool, repository, settings, tenant, write

LOOPS = 8
ROUNDS = int(os.environ.get("IPAM_TEST_ROUNDS", "24"))


def test_eight_loops_on_one_remote_give_no_address_twice_and_lose_none(tmp_path: Path) -> None:
    files = {**SMALL, "pools/edge.yaml": pool(cidr="10.40.0.0/20")}
    files["ipam.yaml"] = settings("{brakes: {maxReleasePercent: 100}}")
    author = repository(tmp_path / "author", files)
    remote = tmp_path / "remote.git"
    git(tmp_path, "clone", "-q", "--bare", str(author), str(remote))
    first = git(remote, "rev-parse", "main")
    loops = [_Loop(tmp_path, remote, number) for number in range(LOOPS)]
    for loop in loops:
        loop.start()
    for loop in loops:
        loop.join()
    assert [loop.failed for loop in loops if loop.failed] == []
    settled = Command(tmp_path).run("reconcile", "--remote", str(remote))
    assert settled.code == 0, settled
    _check_history(remote, first)
    lost = sum(loop.lost for loop in loops)
    pushes = sum(loop.pushes for loop in loops)
    print(f"{ROUNDS} rounds, {lost} races lost by reconcile, {pushes} pushes of people repeated")  # noqa: T201 - the result of the rounds


class _Loop(threading.Thread):
    """One person with a clone and one reconciler with a cache, taking turns."""

    def __init__(self, root: Path, remote: Path, number: int) -> None:
        super().__init__()
        self.remote, self.number = remote, number
        self.root = root / f"loop{number}"
        self.root.mkdir()
        self.clone = self.root / "clone"
        git(self.root, "clone", "-q", str(remote), str(self.clone))
        self.command = Command(self.root)
        self.random = random.Random(number)
        self.lost = self.pushes = 0
        self.failed = ""

    def run(self) -> None:
        try:
            for turn in range(self.number, ROUNDS, LOOPS):
                self._change(turn)
                done = self.command.run("reconcile", "--remote", str(self.remote))
                self.lost += done.err.count("attempt ")
                # Exit code 4 means that all attempts lost the race. The next run of any process commits it.
                assert done.code in (0, 4), done
        except BaseException as failure:
            self.failed = repr(failure)
            raise

    def _change(self, turn: int) -> None:
        """Add a tenant, sometimes remove an own one, and push, repeatedly if needed."""
        while True:
            git(self.clone, "fetch", "-q", "origin", "main")
            git(self.clone, "reset", "-q", "--hard", "FETCH_HEAD")
            name = f"l{self.number}-{turn}"
            size = 2 + self.random.randrange(14)
            write(
                self.clone,
                {f"tenants/{name}.yaml": tenant(name, networking=f"{{lbPoolSize: {size}}}")},
            )
            files = (self.clone / "tenants").glob(f"l{self.number}-*.yaml")
            own = sorted(path for path in files if path.stem != name)
            if len(own) > 3 and turn % 3 == 0:
                own[0].unlink()
            git(self.clone, "add", "-A")
            git(self.clone, "commit", "-q", "-m", f"turn {turn}", clock=1_771_149_630 + 7 * turn)
            try:
                git(self.clone, "push", "-q", "origin", "main")
            except AssertionError:
                self.pushes += 1
            else:
                return


def _check_history(remote: Path, first: str) -> None:
    """Every revision, not only the last: no address twice, no record lost or moved."""
    place: dict[str, tuple[int, int]] = {}
    ours = 0
    for revision in git(remote, "rev-list", "--reverse", f"{first}..main").splitlines():
        held = _held(remote, revision)
        taken = Counter(
            address for first_, last in held.values() for address in range(first_, last + 1)
        )
        assert not taken or max(taken.values()) == 1, revision
        for path, span in held.items():
            assert place.setdefault(path, span) == span
        about = git(remote, "show", "-s", "--format=%an%n%B", revision)
        touched = git(remote, "diff-tree", "-r", "--name-only", "--no-commit-id", revision)
        if about.startswith("gitops-ipam"):
            ours += 1
            assert "\nIpam-Plan: sha256:" in about
            assert f"\nIpam-Base: {git(remote, 'rev-parse', f'{revision}^')}" in about
            assert all(path.startswith("allocations/") for path in touched.splitlines())
        else:
            assert not any(path.startswith("allocations/") for path in touched.splitlines())
    assert ours > 0
    names = git(remote, "ls-tree", "-r", "--name-only", "main", "tenants").splitlines()
    assert len(_held(remote, "main")) >= len(names)


def _held(remote: Path, revision: str) -> dict[str, tuple[int, int]]:
    """First and last address of each record of a revision, by path."""
    if not git(remote, "ls-tree", revision, "allocations"):
        return {}
    told = ("grep", "-E", "^  (start|end)Address: ", revision, "--", "allocations")
    found: dict[str, dict[str, int]] = {}
    for line in git(remote, *told).splitlines():
        _, path, name, text = line.split(":")
        found.setdefault(path, {})[name.strip()] = int(ip_address(text.strip()))
    return {path: (item["startAddress"], item["endAddress"]) for path, item in found.items()}
