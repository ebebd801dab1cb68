"""Two daemons without leader election on one branch: no address twice, and no race without an end."""

from random import Random

import pytest

from reconciler.addresses import IPSet
from reconciler.gitio.interface import ReplayVerdict
from tests.long.texts import held, twice
from tests.reconcile.looking.country import elastic
from tests.reconcile.watching.land import Branch, Land
from tests.reconcile.watching.posts import Post, Shared, Telling, go_on
from tests.world import settings, tenant

NAMES = ("ant", "bee")
CLUSTERS = tuple(f"team-a/{name}" for name in NAMES)
SETTINGS = settings("{retention: 1m, elastic: {pendingAfter: 0s, shrinkAfter: 60s}}")


class Pair:
    """Two daemons, of which one may come between the other's plan and its push."""

    def __init__(self, seed: int) -> None:
        self.lot = Random(seed)
        files = {**elastic(*NAMES, cidr="10.0.0.0/26"), "ipam.yaml": SETTINGS}
        self.land = Land(files, Telling())
        time = Shared()
        self.posts = [Post(self.land, time, self.lot.random) for _ in "ab"]
        self.busy = False
        self.number = 0
        self.between = 0
        self.land.branch.meanwhile = self.meanwhile

    def meanwhile(self) -> None:
        """While one is about to push, the other works, in one case of two."""
        if self.busy or self.lot.random() < 0.5:
            return
        self.busy = True
        self.between += 1
        for post in self.posts:
            # The other one; who is in the middle of a round has no turn.
            if not post.is_working:
                post.watch()
                post.turn()
        self.busy = False

    def happen(self) -> None:
        self.number += 1
        cluster = self.lot.choice(CLUSTERS)
        there = list(self.land.services(cluster))
        if self.number % 4 == 0:
            self.land.people({f"tenants/x{self.number}.yaml": tenant(f"x{self.number}")})
        elif len(there) < 4:
            for at in range(3):
                self.land.ask(f"s{self.number}-{at}", cluster)
        else:
            for name in there[1:]:
                self.land.leave(name, cluster)


def require_no_address_twice(branch: Branch) -> None:
    """By the text of the records alone, in each commit of the branch."""
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
    for _ in range(9):
        pair.happen()
        pair.lot.shuffle(pair.posts)
        go_on(pair.posts, 40.0, most=60)
        pair.land.serve()
        require_disjoint(pair.land)
    assert pair.between > 0  # one came between the other's plan and its push
    assert not any(it.failure for post in pair.posts for it in post.told)
    published = sum(
        len(it.done.parts) for post in pair.posts for done in post.told for it in done.rounds
    )
    # Two that plan the same at once make one commit of the same id.
    commits = len(pair.land.branch.ours & set(pair.land.branch.line()))
    assert 5 < commits <= published
    require_no_address_twice(pair.land.branch)
    assert {it.verdict for it in pair.land.verify()[:-1]} <= {
        ReplayVerdict.SAME,
        ReplayVerdict.FOREIGN,
    }
    # In a world that stands still both come to rest.
    go_on(pair.posts, 1_900.0, most=60)
    pair.land.serve()
    before = pair.land.branch.head
    go_on(pair.posts, 1_300.0, most=12)
    assert pair.land.branch.head == before


def require_disjoint(land: Land) -> None:
    there = [land.announced(name) for name in CLUSTERS]
    assert sum(it.size for it in there) == IPSet.of(i for it in there for i in it).size
