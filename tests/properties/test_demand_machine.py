"""Elastic tenants never lose an address in use, in any order of events."""

from collections.abc import Mapping
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule
from msgspec.structs import replace

from reconciler.addresses import IPSet
from reconciler.gitio.interface import ReplayVerdict
from reconciler.loadbalancers.ranges import ranges_of
from reconciler.model.claim import Allocation
from reconciler.model.errors import UnreachableError
from reconciler.reconcile.discovery import Looked
from tests.examples import scaled
from tests.reconcile.looking.country import ELASTIC, elastic
from tests.reconcile.watching.land import Land
from tests.world import provider, settings_text, tenant

NAMES = ("ant", "bee", "cat")
CLUSTERS = tuple(f"team-a/{name}" for name in NAMES)
CAP = 5
SETTINGS = settings_text(f"{{retention: 0s, elastic: {{maxGrowth: {CAP}}}}}")
SHARED = {"annotations": {"metallb.io/allow-shared-ip": "k"}}
SORTS: tuple[Mapping[str, Any], ...] = (
    *({}, {}, {}, SHARED),
    {**SHARED, "ports": [{"port": 443}]},
    {"loadBalancerClass": "others"},
    {"loadBalancerIP": "192.0.2.1"},
    {"ipFamilyPolicy": "RequireDualStack"},
)
PROVIDERS = (
    ELASTIC,
    ELASTIC.replace("growthIncrement: 1", "growthIncrement: 3"),
    "{allocationMode: static, defaultPoolSize: 2}",
)
clusters = st.sampled_from(CLUSTERS)


class Demand(RuleBasedStateMachine):
    """A branch, three tenants, and a pool that is too small for all of their growth."""

    def __init__(self) -> None:
        super().__init__()
        self.here = Land({})
        self.looked = Looked()
        self.dead: set[str] = set()
        self.count = 0
        self.entries: dict[str, dict[int, int]] = {}

    @initialize(size=st.sampled_from((27, 28)))
    def begin(self, size: int) -> None:
        files = elastic(*NAMES, cidr=f"10.0.0.0/{size}")
        self.here = Land({**files, "ipam.yaml": SETTINGS})
        self.here.run()

    @rule(cluster=clusters, sort=st.sampled_from(SORTS), many=st.integers(1, 7))
    def come(self, cluster: str, sort: Mapping[str, Any], many: int) -> None:
        for _ in range(many):
            self.count += 1
            self.here.ask(f"s{self.count}", cluster, **sort)

    @rule(cluster=clusters, data=st.data())
    def go(self, cluster: str, data: st.DataObject) -> None:
        there = list(self.here.services(cluster))
        if there:
            for name in data.draw(st.sets(st.sampled_from(there), min_size=1)):
                self.here.leave(name, cluster)

    @rule(seconds=st.sampled_from((1, 300, 600, 4_000)))
    def time_passes(self, seconds: int) -> None:
        self.here.now += seconds

    @rule()
    def metallb_serves(self) -> None:
        self.here.serve()

    @rule()
    def run(self) -> None:
        self.decide()
        self.apply()
        self.here.serve()

    @rule(cluster=clusters, many=st.integers(0, 2))
    def fade(self, cluster: str, many: int) -> None:
        """All Services leave. After the idle time, some return while a run is cut off."""
        self.run()
        for name in self.here.services(cluster):
            self.here.leave(name, cluster)
        self.run()
        self.here.now += 600
        if many:
            self.come(cluster=cluster, sort={}, many=many)
        self.decide()

    @rule()
    def decide(self) -> None:
        """Run, possibly only until the commit. Another observation requests nothing."""
        before = {name: dict(self.here.demand(name) or ()) for name in NAMES}
        records = {(it.claim.name, it.claim.slot): it.range for it in self.growth()}
        self.looked = self.here.decide()
        assert self.here.looked().changes == (), "growth was requested twice"
        for name, entries in before.items():
            figures = self.looked.figures.get(f"team-a/{name}")
            if (
                f"tenants/{name}.yaml" not in self.here.branch.files()
            ):  # removed when all of its addresses are free
                kept = bool(self.here.demand(name)) or not entries
                assert kept or not [it for it in self.growth() if it.claim.name == name]
                continue
            for index in entries.keys() - dict(self.here.demand(name) or ()).keys():
                assert figures is not None, f"{name} could not be asked"
                assert figures.pending == 0, f"{name} gave back {index} while a Service waits"
                item = records.get((name, f"loadbalancer-{index}"))
                held = ranges_of(
                    f"{it}-{it}" for it in self.here.services(f"team-a/{name}").values() if it
                )
                assert item is None or not held.overlapping(item), f"{index} of {name} is in use"

    def growth(self) -> list[Allocation]:
        every = self.here.evaluation().state.records
        return [it for it in every if it.role == "growth" and it.range is not None]

    @rule()
    def apply(self) -> None:
        """Apply. No Service loses its address."""
        before = {name: self.here.services(name) for name in CLUSTERS}
        self.here.apply(self.looked)
        for name, services in before.items():
            pools = self.here.announced(name)
            for service, address in services.items():
                held = ranges_of([f"{address}-{address}"]) if address else IPSet()
                assert not held - pools, f"{service} of {name} had {address}: {pools}"

    @rule(cluster=clusters)
    def die(self, cluster: str) -> None:
        self.dead.add(cluster)
        self.here.clusters.faults[cluster] = lambda verb, _what: UnreachableError(f"{verb}: no")

    @precondition(lambda self: self.dead)
    @rule()
    def come_back(self) -> None:
        for cluster in self.dead:
            self.here.clusters.faults[cluster] = lambda _verb, _what: None
        self.dead.clear()

    @rule(cluster=clusters)
    def build_anew(self, cluster: str) -> None:
        """Replace a cluster by another one with the same name, which a person confirms."""
        self.here.clusters.objects.pop(cluster, None)
        self.here.wish = replace(self.here.wish, enroll=frozenset([cluster]))
        self.here.options = replace(self.here.options, apply=self.here.wish)
        self.run()
        self.here.wish = replace(self.here.wish, enroll=frozenset())
        self.here.options = replace(self.here.options, apply=self.here.wish)

    @rule(balancer=st.sampled_from(PROVIDERS))
    def change_the_provider(self, balancer: str) -> None:
        files = {"providers/default.yaml": provider("default", loadBalancer=balancer)}
        self.here.people(files)

    @rule(name=st.sampled_from(NAMES))
    def remove_or_add(self, name: str) -> None:
        path = f"tenants/{name}.yaml"
        self.here.people({path: None if path in self.here.branch.files() else tenant(name)})

    @rule(at=st.integers(1, 14), keeps_cache=st.booleans())
    def be_killed(self, at: int, keeps_cache: bool) -> None:
        """Kill the daemon at a step of a round. Its clusters continue."""
        with self.here.killed_at(at, keeps_cache=keeps_cache):
            self.here.apply(self.here.decide())
        self.here.serve()

    @rule(name=st.sampled_from(NAMES), keeps=st.booleans())
    def lose_a_race(self, name: str, keeps: bool) -> None:
        path = f"tenants/{name}.yaml"

        def meanwhile() -> None:
            self.here.branch.meanwhile = lambda: None
            self.here.people({path: tenant(name) if keeps else None})

        self.here.branch.meanwhile = meanwhile
        self.run()
        self.here.branch.meanwhile = lambda: None

    @invariant()
    def no_address_is_announced_twice(self) -> None:
        there = [self.here.announced(name) for name in CLUSTERS]
        assert sum(it.size for it in there) == IPSet.of(i for it in there for i in it).size

    @invariant()
    def no_address_is_given_twice(self) -> None:
        held = [it.range for it in self.here.evaluation().state.records if it.range]
        assert sum(it.size for it in held) == IPSet.of(held).size

    @invariant()
    def nobody_holds_more_growth_than_the_cap(self) -> None:
        for name in NAMES:
            assert sum(it.size for it in self.growth() if it.claim.name == name) <= CAP

    @invariant()
    def entries_are_added_and_removed_and_never_changed(self) -> None:
        for name in NAMES:
            now = dict(self.here.demand(name) or ())
            before = self.entries.get(name, {})
            assert len(now) == len(self.here.demand(name) or ())
            held = self.here.records() + self.here.records("Released")
            for index, count in now.items():
                if f"team-a-{name}-lb-{index}" in held:
                    assert before.get(index, count) == count
            self.entries[name] = now

    def teardown(self) -> None:
        """Without events, there are few commits, and then none."""
        if not self.here.branch.files():
            return
        self.come_back() if self.dead else None
        self.here.now += 4_000
        self.here.run()
        self.here.now += 4_000  # ranges that are idle since then are released now
        # The release limit permits a part per run, and each record also has to expire.
        most = 2 * len(self.growth()) + 4
        assert self.here.settle(30) <= most
        assert self.here.settle() == 0
        self.no_address_is_announced_twice()
        self.all_are_served_or_told()
        *ours, first = self.here.verify()
        assert {it.verdict for it in ours} <= {ReplayVerdict.SAME}
        assert first.verdict is ReplayVerdict.FOREIGN  # records exist from the beginning

    def all_are_served_or_told(self) -> None:
        looked = self.here.looked()
        assert looked.changes == ()
        for name, figures in looked.figures.items():
            assert figures.need == figures.blocked, name
            words = [it for ref, it in looked.words.items() if name.endswith(f"/{ref.name}")]
            assert bool(figures.blocked) is any(
                word.reason == "IPAMGrowthBlocked" for it in words for word in it
            )


TestDemand = Demand.TestCase
TestDemand.settings = settings(max_examples=scaled(50), stateful_step_count=15, deadline=None)
