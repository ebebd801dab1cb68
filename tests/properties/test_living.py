"""Growth, renames, and moves in one history never free a range that a cluster announces."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import NamedTuple

import yaml
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from msgspec.structs import replace

from reconciler.planning.evaluate import Evaluation, evaluate, leaving
from tests.examples import scaled
from tests.moving import letting
from tests.properties.test_machine import Addresses, fact_of
from tests.world import CLOCK, carried, pool, provider, raw, tenant, tree_of

NAMES = ("ant", "bee", "cat", "dog", "eel", "fox")
SLOTS = ("loadbalancer", *(f"loadbalancer-{number}" for number in range(1, 40)))
DAY = 86_400
NOTHING: Addresses = frozenset()
NOBODY = ""
whom = st.integers(0, 3)
later = st.sampled_from((0, 1, 60, DAY))
"""Seconds until reconcile comes, right after a change; 0 when it does not."""


class Held(NamedTuple):
    """The content of a record file."""

    path: str
    owner: str
    addresses: Addresses
    is_live: bool
    is_left: bool


@dataclass
class Tenant:
    """The identity of a tenant, whose name can change.

    Attributes:
        known: The name in its records, if there are any.
        is_there: Whether its document exists.
        is_let: Whether an Override permits a move, until the next reconcile.
        is_stuck: Whether its cluster answers, but rejects all changes.
    """

    name: str
    known: str
    size: int
    where: str
    is_there: bool = True
    is_let: bool = False
    is_stuck: bool = False
    used: Addresses = NOTHING
    announced: Addresses = NOTHING

    def text(self) -> str:
        said = [f"gitops-ipam.dev/loadbalancer-pool: {self.where}"]
        if self.name != self.known:
            said.append(f"gitops-ipam.dev/formerly: team-a/{self.known}")
        text = tenant(self.name, networking=f"{{lbPoolSize: {self.size}}}")
        return text.replace("team-a}", f"team-a, annotations: {{{', '.join(said)}}}}}")


class Living(RuleBasedStateMachine):
    """A repository, and a cluster for each tenant."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = CLOCK
        self.files: dict[str, str | bytes] = {}
        self.tenants: list[Tenant] = []

    @initialize()
    def begin(self) -> None:
        self.files = {
            "pools/edge.yaml": pool("edge", "10.40.0.0/27"),
            "pools/far.yaml": pool("far", "10.50.0.0/27"),
            "providers/default.yaml": provider(pools="[{name: edge}, {name: far}]"),
        }
        self.tenants = [Tenant(name, name, 3, "edge") for name in NAMES[:2]]
        self.reconcile(1)

    def after(self, seconds: int) -> None:
        if seconds:
            self.reconcile(seconds)

    def records(self) -> list[Held]:
        files = sorted(self.files.items())
        found = (held(path, raw(text)) for path, text in files if path.startswith("allocations/"))
        return [it for it in found if it is not None]

    def free_names(self) -> list[str]:
        """Return names without a tenant, and without a record of an earlier tenant."""
        taken = {it.owner for it in self.records()}
        for item in self.tenants:
            taken |= {item.known, item.name} if item.is_there else set()
        return [it for it in NAMES if it not in taken]

    def taken(self, name: str) -> str:
        """Return a free name, whose earlier tenant is removed and has no records left."""
        for one in self.tenants:
            if one.known == name and not one.is_there:
                assert not one.announced, one
                one.known = NOBODY
        return name

    def some(self, at: int) -> Tenant | None:
        there = [it for it in self.tenants if it.is_there]
        return there[at % len(there)] if there else None

    # People

    @rule(size=st.integers(1, 5), where=st.sampled_from(("edge", "far")), at=whom)
    def come(self, size: int, where: str, at: int) -> None:
        if free := self.free_names():
            name = self.taken(free[at % len(free)])
            self.tenants.append(Tenant(name, name, size, where))

    @rule(at=whom)
    def leave(self, at: int) -> None:
        if (one := self.some(at)) is not None:
            one.is_there = False

    @rule(at=whom, size=st.integers(1, 9), then=later)
    def resize(self, at: int, size: int, then: int) -> None:
        if (one := self.some(at)) is not None:
            one.size = size
            self.after(then)

    @rule(at=whom, which=whom, then=later)
    def rename(self, at: int, which: int, then: int) -> None:
        one, free = self.some(at), self.free_names()
        if one is not None and free:
            one.name = self.taken(free[which % len(free)])
            self.after(then)

    @rule(at=whom, is_let=st.booleans(), then=later)
    def go_elsewhere(self, at: int, then: int, *, is_let: bool) -> None:
        if (one := self.some(at)) is not None:
            one.where = "far" if one.where == "edge" else "edge"
            one.is_let = is_let
            self.after(then)

    @rule(which=st.integers(0, 7))
    def use(self, which: int) -> None:
        """Use an address in each cluster with a Service, after a move often of the old range."""
        for one in self.tenants:
            if one.is_there and one.announced:
                one.used = frozenset({sorted(one.announced)[which % len(one.announced)]})

    @rule(at=st.integers(0, 7))
    def stop_using(self, at: int) -> None:
        if self.tenants:  # also a removed one
            self.tenants[at % len(self.tenants)].used = NOTHING

    @rule(at=st.integers(0, 7), is_stuck=st.booleans())
    def get_stuck(self, at: int, *, is_stuck: bool) -> None:
        if self.tenants:
            self.tenants[at % len(self.tenants)].is_stuck = is_stuck

    # Reconcile

    @rule(seconds=st.sampled_from((1, DAY, 3 * DAY)))
    def wait(self, seconds: int) -> None:
        self.reconcile(seconds)

    def reconcile(self, seconds: int) -> None:
        self.clock += seconds
        self.write()
        before = self.records()
        let = {it.name for it in self.tenants if it.is_there and it.is_let}
        self.files = carried(self.files, self.planned(let))
        after = self.records()
        for one in self.tenants:
            was = addresses(it for it in before if it.owner == one.known and it.is_live)
            if one.is_there:
                one.known = one.name
            now = addresses(it for it in after if it.owner == one.known and it.is_live)
            if one.is_let:  # it can move: its old range stays announced until no Service uses it
                now |= addresses(it for it in after if it.owner == one.known and it.is_left)
            assert not one.is_there or was <= now, (one, was, now)
            one.is_let = False
        self.require_held(after)
        self.apply(after)

    def write(self) -> None:
        for number, one in enumerate(self.tenants):
            path = f"tenants/{number}.yaml"
            self.files.pop(path, None)
            if one.is_there:
                self.files[path] = one.text()

    def planned(self, allowed: set[str]) -> Evaluation:
        keys = [
            f"butler/TenantCluster/team-a/{it}/{slot}" for it in sorted(allowed) for slot in SLOTS
        ]
        tree = replace(tree_of(self.files, self.clock), overrides=letting(*keys))
        first = evaluate(replace(tree, allow_release=99))
        left = {it.path: self.why(it.path) for it in first.state.records if it.announced}
        kept = {it.path: "announced" for it in leaving(first) if self.is_announced(it.path)}
        return evaluate(replace(tree, left=left, retained=kept, allow_release=99))

    def apply(self, records: list[Held]) -> None:
        """Apply, and require that clusters announce all ranges that are requested or in use."""
        for one in self.tenants:
            if one.is_stuck:
                continue
            mine = (it for it in records if it.owner == one.known and (it.is_live or it.is_left))
            one.announced = addresses(mine) | (one.used & one.announced)

    def require_held(self, after: list[Held]) -> None:
        """Require a record of the same tenant, and of no other, for each announced range."""
        for one in self.tenants:
            mine = addresses(it for it in after if it.owner == one.known)
            assert one.announced <= mine, (one, mine)
            for other in after:
                assert other.owner == one.known or not other.addresses & one.announced, other

    # Clusters

    def whose(self, path: str) -> tuple[Held, Tenant]:
        """Return each record with its tenant. At most one existing tenant has its name."""
        (record,) = [it for it in self.records() if it.path == path]
        (one,) = [it for it in self.tenants if it.known == record.owner]
        return record, one

    def why(self, path: str) -> str:
        record, one = self.whose(path)
        now = [it.addresses for it in self.records() if it.owner == record.owner and it.is_live]
        if record.addresses & one.used:
            return "a Service uses it"
        return "" if all(it <= one.announced for it in now) else "not yet"

    def is_announced(self, path: str) -> bool:
        record, one = self.whose(path)
        return bool(record.addresses & one.announced)


@lru_cache(maxsize=10_000)
def held(path: str, data: bytes) -> Held | None:
    """Return the content of a record, cached."""
    fact = fact_of(data)
    if fact is None or not fact.addresses:
        return None
    is_left = yaml.safe_load(data)["status"].get("announced") == "until-unused"
    return Held(path, fact.claim.split("/")[3], fact.addresses, fact.phase == "Allocated", is_left)


def addresses(records: Iterable[Held]) -> Addresses:
    return NOTHING.union(*(it.addresses for it in records))


def test_what_rests_is_asked_for_where_it_was_announced_behind_a_rename() -> None:
    living = Living()
    living.begin()
    living.go_elsewhere(at=0, is_let=True, then=1)
    living.get_stuck(at=0, is_stuck=True)
    living.wait(seconds=1)
    living.rename(at=0, which=0, then=1)
    living.wait(seconds=3 * DAY)
    assert len(living.tenants[0].announced) == 6
    living.get_stuck(at=0, is_stuck=False)
    living.wait(seconds=1)
    assert len(living.tenants[0].announced) == 3


def test_who_grew_and_moved_is_renamed_while_its_old_range_is_in_use() -> None:
    """A fixed history, because random ones seldom contain all of it."""
    living = Living()
    living.begin()
    living.use(which=0)
    living.resize(at=0, size=5, then=1)
    living.go_elsewhere(at=0, is_let=True, then=1)
    living.rename(at=0, which=0, then=DAY)
    one = living.tenants[0]
    assert (
        len(one.announced) == 8
    )  # the five ranges of the new pool, and the first range, which is in use
    living.stop_using(at=0)
    living.wait(seconds=1)
    assert len(one.announced) == 5


TestLiving = Living.TestCase
TestLiving.settings = settings(max_examples=scaled(50), stateful_step_count=30)
