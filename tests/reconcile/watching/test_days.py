"""A day of a daemon, by a clock that tests move: what it keeps does not grow, and nobody is forgotten."""

import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from random import Random

from reconciler.gitio.interface import ReplayVerdict
from reconciler.model.errors import ClusterError, UnreachableError
from tests.fake_cluster import HUB
from tests.reconcile.looking.country import elastic
from tests.reconcile.watching.land import Land
from tests.reconcile.watching.posts import Post, Shared, Telling, go_on, held
from tests.world import tenant

NAMES = ("ant", "bee")
CLUSTERS = tuple(f"team-a/{name}" for name in NAMES)
SHARE = 0.01
MAX_SERVICES = 6
SETTINGS = (
    "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
    "spec: {retention: 1h}\n"
)


def failing(lot: Random) -> Callable[[str, object], ClusterError | None]:
    """One request in a hundred fails."""
    return lambda verb, _what: UnreachableError(f"{verb}: by lot") if lot.random() < SHARE else None


class Day:
    """A land in which somebody is always at work."""

    def __init__(self, seed: int) -> None:
        self.lot = Random(seed)
        files = {**elastic(*NAMES, cidr="10.0.0.0/26"), "ipam.yaml": SETTINGS}
        self.land = Land(files, Telling())
        self.post = Post(self.land, Shared(), self.lot.random)
        for name in (HUB, *CLUSTERS):
            self.land.clusters.faults[name] = failing(self.lot)
        self.number = 0

    def pass_by(self, hours: int) -> None:
        """In each ten minutes something happens; the resync comes as often."""
        for _ in range(hours * 6):
            self.happen()
            go_on([self.post], 600.0)
            self.land.serve()
            self.post.told.clear()

    def happen(self) -> None:
        """Somebody comes, goes or pushes."""
        self.number += 1
        cluster = self.lot.choice(CLUSTERS)
        there = list(self.land.services(cluster))
        if self.number % 12 == 0:
            path = f"tenants/x{self.number % 24}.yaml"
            is_there = path in self.land.branch.files()
            self.land.people({path: None if is_there else tenant(f"x{self.number % 24}")})
        elif len(there) < MAX_SERVICES and self.lot.random() < 0.5:
            self.land.ask(f"s{self.number}", cluster)
        elif there:
            self.land.leave(self.lot.choice(there), cluster)

    def held(self) -> dict[str, int]:
        """What the daemon keeps, by part; with the threads and descriptors of this process."""
        found = {
            "threads": threading.active_count(),
            "descriptors": sum(1 for _ in Path("/proc/self/fd").iterdir()),
        }
        for name, size in held(self.post).items():
            part = name.partition(".")[0].partition(" ")[0]
            found[part] = found.get(part, 0) + size
        return found


def most(samples: Sequence[Mapping[str, int]]) -> dict[str, int]:
    """The most of each that there was in some hours."""
    return {name: max(it.get(name, 0) for it in samples) for it in samples for name in it}


def test_a_day_with_one_failing_request_in_a_hundred_leaves_nothing_that_grows() -> None:
    day, hours = Day(7), list[dict[str, int]]()
    for _ in range(24):
        day.pass_by(1)
        hours.append(day.held())
    assert day.post.count > 24 * 6  # a round for each resync, and more for what happened
    first, last = most(hours[2:12]), most(hours[12:])
    grown = {
        name: (first[name], size) for name, size in last.items() if size > 1.3 * first[name] + 2
    }
    assert grown == {}
    day.land.clusters.faults.clear()
    day.pass_by(1)
    for cluster in CLUSTERS:
        assert all(day.land.services(cluster).values())
    assert all(it.verdict is not ReplayVerdict.DIFFERENT for it in day.land.verify())
