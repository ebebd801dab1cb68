"""Two daemons without leader election on one branch: no address twice, and no race without an end."""

from random import Random
from typing import Any

import pytest

from reconciler.addresses import IPSet
from reconciler.daemon.dirty import Dirty
from reconciler.gitio.interface import ReplayVerdict
from reconciler.reconcile.verify import verify
from tests.long.texts import held, twice
from tests.reconcile.looking.country import Country as Tenants
from tests.reconcile.looking.country import elastic
from tests.reconcile.watching.country import Branch, Country
from tests.world import settings, tenant

NAMES = ("ant", "bee")
CLUSTERS = tuple(f"team-a/{name}" for name in NAMES)
SETTINGS = settings("{retention: 1m, elastic: {pendingAfter: 0s, shrinkAfter: 60s}}")


class Pair:
    """Two daemons. One can run between plan and push of the other."""

    def __init__(self, seed: int) -> None:
        self.lot = Random(seed)
        files = {**elastic(*NAMES, cidr="10.0.0.0/26"), "ipam.yaml": SETTINGS}
        first = Country(files)
        second = Country(files, first.clusters, first.branch, first.time)
        self.daemons, self.branch = [first, second], first.branch
        clusters: Any = first.clusters
        self.tenants = Tenants(dict(files), clusters=clusters)
        self.number = self.between = 0
        self.working: list[Country] = []
        self.pushed: set[str] = set()
        self.branch.meanwhile = self.meanwhile
        for daemon in self.daemons:
            daemon.work.sleep = lambda _seconds: None

    def round(self, daemon: Country) -> None:
        self.working.append(daemon)
        list(daemon.work.rounds(Dirty(None, ("test",), daemon.time.now)))
        self.working.pop()

    def meanwhile(self) -> None:
        """While one is about to push, something happens and the other works, in one case of two."""
        if len(self.working) == 1 and self.lot.random() < 0.5:
            self.between += 1
            self.happen()
            self.round(next(it for it in self.daemons if it is not self.working[0]))

    def pass_by(self, seconds: int) -> None:
        """Time passes, both work in some order, and so does MetalLB."""
        first, _ = self.daemons
        first.time.now += seconds
        first.clusters.clock += seconds
        self.tenants.now = first.clusters.clock
        for daemon in self.lot.sample(self.daemons, 2):
            self.round(daemon)
        self.tenants.serve()

    def happen(self) -> None:
        self.number += 1
        cluster = self.lot.choice(CLUSTERS)
        there = list(self.tenants.services(cluster))
        if self.number % 4 == 0:
            path = f"tenants/x{self.number}.yaml"
            self.pushed.add(path)
            files = {path: tenant(f"x{self.number}")}
            self.branch.people(files, self.branch.fetch().clock + 1)
        elif len(there) < 4:
            for at in range(3):
                self.tenants.ask(f"s{self.number}-{at}", cluster)
        else:
            for name in there[1:]:
                self.tenants.leave(name, cluster)


def require_no_address_twice(branch: Branch) -> None:
    """Check the text of records in each commit of the branch."""
    for commit in branch.line():
        records = {
            path: data.decode()
            for path, data in branch.commits[commit][2].items()
            if path.startswith("allocations/")
        }
        assert all(map(held, records.values()))
        assert twice(records) == [], commit


@pytest.mark.parametrize("seed", range(2))
def test_two_daemons_on_one_branch_give_no_address_twice_and_race_without_end_nowhere(
    seed: int,
) -> None:
    pair = Pair(seed)
    for _ in range(12):
        pair.happen()
        for _ in range(3):
            pair.pass_by(30)
            there = [pair.tenants.announced(name) for name in CLUSTERS]
            assert sum(it.size for it in there) == IPSet.of(i for it in there for i in it).size
    assert pair.between > 0  # one came between the other's plan and its push
    assert pair.pushed <= pair.branch.files().keys()
    assert len(pair.branch.ours & set(pair.branch.line())) > 5
    require_no_address_twice(pair.branch)
    *verified, _ = verify(pair.branch, pair.branch.head)
    assert {it.verdict for it in verified} <= {ReplayVerdict.SAME, ReplayVerdict.FOREIGN}
    # If nothing happens any more, both come to rest.
    for _ in range(4):
        pair.pass_by(600)
    before = pair.branch.head
    for _ in range(4):
        pair.pass_by(600)
    assert pair.branch.head == before
