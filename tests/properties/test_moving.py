"""Claims that move at any time: nothing that is announced comes free, and nobody moves unasked.

The model is what clusters announce and what their Services use; records are read by another reader
than ours.
"""

from collections.abc import Mapping
from typing import NamedTuple

import yaml
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, rule
from msgspec.structs import replace

from reconciler.planning.evaluate import Evaluation, evaluate, leaving
from tests.examples import scaled
from tests.moving import carried, letting
from tests.properties.test_machine import Addresses, fact_of
from tests.world import CLOCK, pool, provider, raw, request, tree_of

NAMES = ("ant", "bee", "cat")
DAY = 86_400


class Held(NamedTuple):
    """What one record file holds."""

    path: str
    claim: str
    addresses: Addresses
    is_live: bool
    is_left: bool


def key_of(name: str) -> str:
    return f"butler/IPAllocation/butler-system/{name}/request"


def asked(name: str, where: str, count: int) -> str:
    return request(name, where, count=count).replace("type: nodes", "type: loadbalancer")


class Moves(RuleBasedStateMachine):
    """One repository, and a cluster for each tenant."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = CLOCK
        self.files: dict[str, str | bytes] = {}
        self.used: dict[str, Addresses] = {}  # by claim: what Services have
        self.announced: dict[str, Addresses] = {}  # by claim: what its cluster announces

    @initialize()
    def begin(self) -> None:
        self.files = {
            "pools/edge.yaml": pool("edge", "10.40.0.0/28"),
            "pools/far.yaml": pool("far", "10.50.0.0/28"),
            "providers/default.yaml": provider(),
        }

    # People

    @rule(
        name=st.sampled_from(NAMES), where=st.sampled_from(("edge", "far")), count=st.integers(1, 4)
    )
    def ask(self, name: str, where: str, count: int) -> None:
        self.files[f"tenants/{name}.yaml"] = asked(name, where, count)

    @rule(name=st.sampled_from(NAMES))
    def leave(self, name: str) -> None:
        self.files.pop(f"tenants/{name}.yaml", None)

    @rule(name=st.sampled_from(NAMES), at=st.integers(0, 7))
    def use(self, name: str, at: int) -> None:
        there = sorted(self.announced.get(key_of(name), ()))
        if there:
            self.used[key_of(name)] = frozenset({there[at % len(there)]})

    @rule(name=st.sampled_from(NAMES))
    def stop_using(self, name: str) -> None:
        self.used.pop(key_of(name), None)

    # Reconcile

    @rule(allowed=st.sets(st.sampled_from(NAMES)), seconds=st.sampled_from((1, 60, DAY, 3 * DAY)))
    def reconcile(self, allowed: set[str], seconds: int) -> None:
        self.clock += seconds
        before = self.records()
        evaluation = self.planned(allowed)
        self.files = carried(self.files, evaluation)
        after = self.records()
        self.require_asked(before, after, {key_of(name) for name in allowed})
        self.require_held(after)
        self.apply(after)
        again = evaluate(replace(tree_of(self.files, self.clock), overrides=letting()))
        assert all(it.data is None for it in again.changes), again.changes

    def planned(self, allowed: set[str]) -> Evaluation:
        """The plan, after clusters were asked as reconcile asks them."""
        tree = tree_of(self.files, self.clock)
        tree = replace(tree, overrides=letting(*(key_of(name) for name in sorted(allowed))))
        first = evaluate(replace(tree, allow_release=9))
        left = {it.path: self.why(it.path) for it in first.state.records if it.announced}
        held = {it.path: "announced" for it in leaving(first) if self.is_announced(it.path)}
        return evaluate(replace(tree, left=left, retained=held, allow_release=9))

    def apply(self, records: list[Held]) -> None:
        """What is asked for and what is used is announced; a pool loses nothing in use."""
        for name in NAMES:
            claim = key_of(name)
            mine = [it for it in records if it.claim == claim and (it.is_live or it.is_left)]
            wanted = frozenset[int]().union(*(it.addresses for it in mine))
            used = self.used.get(claim, frozenset())
            self.announced[claim] = wanted | (used & self.announced.get(claim, frozenset()))

    # What has to hold

    def require_asked(self, before: list[Held], after: list[Held], allowed: set[str]) -> None:
        """Who has other addresses than before was let move."""
        was: Mapping[str, Addresses] = {it.claim: it.addresses for it in before if it.is_live}
        now: Mapping[str, Addresses] = {it.claim: it.addresses for it in after if it.is_live}
        moved = {claim for claim in was.keys() & now.keys() if was[claim] != now[claim]}
        assert moved <= allowed
        for claim in moved:  # what it had is held, and announced
            (old,) = [it for it in after if it.claim == claim and it.addresses == was[claim]]
            assert old.is_left

    def require_held(self, after: list[Held]) -> None:
        """What a cluster announces is held by a record of its claim, and by no other's."""
        for claim, announced in self.announced.items():
            mine = frozenset[int]().union(*(it.addresses for it in after if it.claim == claim))
            assert announced <= mine
            for other in after:
                assert other.claim == claim or not other.addresses & announced, other

    # What clusters say

    def why(self, path: str) -> str:
        (record,) = [it for it in self.records() if it.path == path]
        now = [it.addresses for it in self.records() if it.claim == record.claim and it.is_live]
        if record.addresses & self.used.get(record.claim, frozenset()):
            return "a Service uses it"
        announced = self.announced.get(record.claim, frozenset())
        return "" if all(item <= announced for item in now) else "not yet"

    def is_announced(self, path: str) -> bool:
        (record,) = [it for it in self.records() if it.path == path]
        return bool(record.addresses & self.announced.get(record.claim, frozenset()))

    def records(self) -> list[Held]:
        found = []
        for path, text in sorted(self.files.items()):
            fact = fact_of(raw(text)) if path.startswith("allocations/") else None
            if fact is not None and fact.addresses:
                is_left = yaml.safe_load(raw(text))["status"].get("announced") == "until-unused"
                is_live = fact.phase == "Allocated"
                found.append(Held(path, fact.claim, fact.addresses, is_live, is_left))
        return found


TestMoves = Moves.TestCase
TestMoves.settings = settings(max_examples=scaled(50), stateful_step_count=25)
