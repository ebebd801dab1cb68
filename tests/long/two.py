"""Two daemons without leader election on one branch, under load: `python -m tests.long.two [--minutes 10]`.

Real Git, real API servers with MetalLB, Services that come and go, people who push. It ends with 1
when some commit holds an address twice, when a commit is not replayed, or when they race without end.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from contextlib import ExitStack
from pathlib import Path
from random import Random

from tests.caches import PYTHON
from tests.e2e.site import Site
from tests.long.texts import held, twice
from tests.long.town import FILES, TENANTS, People, commits, replayed, say, servers
from tests.world import ENVIRONMENT, git

REST_SECONDS = 45
"""In which nothing happens any more: whoever races without end goes on."""


def main() -> int:
    """Run it; 0 when all is as it shall be."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--every", type=float, default=2.0, help="Seconds between two events.")
    wish = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="two-") as name, ExitStack() as stack:
        folder = Path(name)
        (folder / "fleet").mkdir()
        fleet = stack.enter_context(servers(folder / "fleet"))
        site = Site(folder, fleet.servers["management"], FILES)
        for cluster in TENANTS:
            site.put_as_secret(cluster, fleet.servers[cluster.partition("/")[2]])
        daemons = [_daemon(site, which) for which in ("one", "two")]
        people = People(site, Random(wish.seed))
        try:
            until = time.monotonic() + 60 * wish.minutes
            while time.monotonic() < until:
                people.step()
                site.require_disjoint()
                time.sleep(wish.every)
            time.sleep(REST_SECONDS)
            before = len(commits(site.remote))
            time.sleep(REST_SECONDS)
            moved = len(commits(site.remote)) - before
            for daemon in daemons:
                daemon.send_signal(signal.SIGTERM)
            ended = [daemon.wait(60) for daemon in daemons]
        finally:
            for daemon in daemons:
                daemon.kill()
        return _told(site, people, ended, moved)


def _daemon(site: Site, which: str) -> "subprocess.Popen[bytes]":
    kubeconfig = site.management.kubeconfig_for("reconciler")
    command = [sys.executable, "-m", "reconciler", "reconcile", "--watch", "-o", "json"]
    command += [f"--remote=file://{site.remote}", f"--kubeconfig={kubeconfig}"]
    command += ["--resync=1m", "--interval=1s", "--log-format=json"]
    environment = {**ENVIRONMENT, **PYTHON, "XDG_CACHE_HOME": str(site.folder / f"cache-{which}")}
    out, log = (site.folder / f"{which}.{it}" for it in ("out", "log"))
    with out.open("wb") as told, log.open("wb") as logged:
        return subprocess.Popen(command, env=environment, stdout=told, stderr=logged)


def _told(site: Site, people: People, ended: list[int], moved: int) -> int:
    """Print the figures; the exit code."""
    out = [json.loads(line) for it in ("one", "two") for line in _lines(site, f"{it}.out")]
    log = [json.loads(line) for it in ("one", "two") for line in _lines(site, f"{it}.log")]
    changing = sum(line["commit"] is not None for line in out)
    attempts = sum(line["attempts"] for line in out)
    published = sum(line["message"].startswith("published ") for line in log)
    lost = sum("attempt " in line["message"] for line in log)
    every = commits(site.remote)
    ours = [it for it in every if "Ipam-Plan" in git(site.remote, "log", "-1", "--format=%B", it)]
    doubled = [f"{it}: {found}" for it in every for found in twice(_records(site, it))]
    verified = replayed(site, site.folder / "replay-cache")
    say(f"exit {ended}; events {dict(people.done)}")
    say(f"rounds {len(out)}, with a change {changing}; attempts {attempts}, races lost {lost}")
    say(f"commits {len(every)}, of daemons {len(ours)}, published {published}; verify {verified}")
    say(f"commits while nothing happened: {moved}; held twice: {doubled}")
    is_right = ended == [0, 0] and not doubled and not moved and verified["exit"] == 0
    return int(not is_right or len(ours) > published)


def _lines(site: Site, name: str) -> list[str]:
    return (site.folder / name).read_text(encoding="utf-8").splitlines()


def _records(site: Site, commit: str) -> dict[str, str]:
    """The records of a commit, by path; each that holds an address is read."""
    listed = git(site.remote, "ls-tree", "-r", "--name-only", commit, "allocations/").splitlines()
    found = {path: git(site.remote, "show", f"{commit}:{path}") for path in listed}
    assert all(held(text) for text in found.values() if "Address: " in text)
    return found


if __name__ == "__main__":
    sys.exit(main())
