"""An hour of a daemon on real servers of which one request in a hundred fails: is what it holds flat?

`python -m tests.long.soak [--minutes 60] [--seed 1] [--every 6]`. It needs what `make envtest`
builds, prints a table of what the daemon held, and ends with 1 when something of it grows.
"""

import argparse
import json
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from contextlib import ExitStack, suppress
from pathlib import Path
from random import Random

import urllib3

from tests.caches import PYTHON
from tests.e2e.site import Site
from tests.envtest.processes import free_port
from tests.envtest.servers import ApiServer
from tests.long.figures import Held, grown, held, leaks, table
from tests.long.flaky import Flaky, FlakyGit, flaky, flaky_git
from tests.long.town import FILES, TENANTS, People, replayed, rounds_of, say, servers
from tests.world import ENVIRONMENT

SAMPLE_SECONDS = 20.0


def main() -> int:
    """Run it; 0 when nothing grows, and all that was committed is replayed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--keep", type=Path, help="Copy the branch and the logs here.")
    parser.add_argument("--every", type=float, default=6.0, help="Seconds between two events.")
    wish = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="soak-") as name, ExitStack() as stack:
        folder = Path(name)
        (folder / "fleet").mkdir()
        fleet = stack.enter_context(servers(folder / "fleet"))
        site = Site(folder, fleet.servers["management"], FILES)
        proxies, words = [], list[str]()
        for at, (cluster, server) in enumerate(_named(site, fleet.servers)):
            proxy = stack.enter_context(flaky(server.kubeconfig_for("reconciler"), wish.seed + at))
            proxies.append(proxy)
            path = folder / f"{server.name}.kubeconfig"
            path.write_bytes(proxy.kubeconfig)
            words += [f"--cluster={cluster}={path}"] if cluster else [f"--kubeconfig={path}"]
        url, remote = stack.enter_context(flaky_git(folder, wish.seed + 9))
        words += [f"--remote={url}/remote.git", "--resync=1m", "--leader-elect"]
        samples = _watched(site, words, wish)
        if wish.keep is not None:
            for part in ("remote.git", "out", "log"):
                subprocess.run(["cp", "-r", folder / part, wish.keep], check=True)
        code = _describe(site, samples, proxies, remote)
        fleet.stop()  # before the proxies, whose watches end with it
    return code


def _named(site: Site, found: dict[str, ApiServer]) -> list[tuple[str, ApiServer]]:
    """The servers by the cluster that they are; the management cluster has no name."""
    for name in TENANTS:
        site.tenants[name] = found[name.partition("/")[2]]
    return [("", site.management), *site.tenants.items()]


def _watched(site: Site, words: list[str], wish: argparse.Namespace) -> list[Held]:
    """Run the daemon while people are at work, and look at it now and then."""
    temporary, cache = site.folder / "tmp", site.folder / "daemon-cache"
    temporary.mkdir()
    port = free_port()
    environment = {
        **ENVIRONMENT, **PYTHON, "TMPDIR": str(temporary), "XDG_CACHE_HOME": str(cache),
    }  # fmt: skip
    command = [sys.executable, "-m", "reconciler", "reconcile", "--watch", "-o", "json"]
    command += [*words, "--interval=15s", f"--listen=127.0.0.1:{port}", "--log-format=json"]
    out, log = site.folder / "out", site.folder / "log"
    with out.open("wb") as told, log.open("wb") as logged:
        daemon = subprocess.Popen(command, env=environment, stdout=told, stderr=logged)
    people, pool = People(site, Random(wish.seed)), urllib3.PoolManager(retries=False)
    begun, samples = time.monotonic(), list[Held]()
    try:
        while (gone := time.monotonic() - begun) < 60 * wish.minutes:
            if gone >= SAMPLE_SECONDS * (len(samples) + 1):
                samples.append(held(daemon.pid, gone / 60, temporary, cache))
                with suppress(urllib3.exceptions.HTTPError):  # it may not listen yet
                    pool.request("GET", f"http://127.0.0.1:{port}/metrics", timeout=60.0)
                _say(samples[-1], people)
            people.step()
            time.sleep(wish.every)
        daemon.send_signal(signal.SIGTERM)
        ended = daemon.wait(60)
    finally:
        daemon.kill()
    rounds, codes = rounds_of(out)
    lines = log.read_text(encoding="utf-8").splitlines()
    levels = Counter(str(json.loads(line)["level"]) for line in lines)
    say(f"exit {ended}; {rounds} rounds with output {dict(codes)}; log {dict(levels)}")
    say(f"events {dict(people.done)}")
    say("\n".join(line for line in lines if '"level": "error"' in line))
    return samples


def _say(sample: Held, people: People) -> None:
    figures = ", ".join(f"{name} {value:.1f}" for name, value in sample._asdict().items())
    say(f"{figures}; {people.done.total()} events")


def _describe(site: Site, samples: list[Held], proxies: list[Flaky], remote: FlakyGit) -> int:
    """Print the figures; the exit code."""
    drawn = sum((proxy.drawn for proxy in proxies), Counter[str]())
    say(f"requests to clusters {drawn.total()}: {dict(drawn)}; to Git {dict(remote.drawn)}")
    verified = replayed(site, site.folder / "replay-cache")
    say(f"verify: {verified}")
    say(table(samples))
    say(str({name: round(value, 2) for name, value in grown(samples).items()}))
    found = leaks(samples)
    say("\n".join(found) or "flat")
    return int(bool(found) or verified["exit"] != 0)


if __name__ == "__main__":
    sys.exit(main())
