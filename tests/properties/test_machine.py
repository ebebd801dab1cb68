"""Histories of a repository, checked with PyYAML and `ipaddress` instead of code of `ipam`."""

from ipaddress import ip_address, ip_network
from typing import NamedTuple

import yaml
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

from reconciler.model.plan import Grant, Keep, Refuse
from reconciler.planning.evaluate import Evaluation
from tests.examples import scaled
from tests.world import CLOCK, evaluation_of, pool, provider, request, tenant

DAY = 86_400
TENANTS = st.sampled_from(("ant", "bee", "cat", "dog", "elk"))
RECORD = "allocations/NetworkPool/butler-system."
Addresses = frozenset[int]


class Fact(NamedTuple):
    """The content of a record file."""

    claim: str
    addresses: Addresses
    phase: str
    since: int


def fact_of(data: bytes) -> Fact | None:
    """Return the content of a record, read with PyYAML, or None if it is not valid."""
    try:
        body = yaml.safe_load(data)
        status, metadata = body["status"], body["metadata"]
        claim = metadata["annotations"]["gitops-ipam.dev/claim"]
        if status["phase"] not in ("Allocated", "Released"):
            return Fact(claim, frozenset(), status["phase"], 0)
        first, last = (int(ip_address(status[f"{end}Address"])) for end in ("start", "end"))
        if status["allocatedCount"] != last - first + 1:
            return None
        since = status.get("releasedAt") or status["allocatedAt"]
        seconds = int(yaml.safe_load(since).timestamp()) if isinstance(since, str) else 0
    except (yaml.YAMLError, KeyError, TypeError, ValueError, AttributeError):
        return None
    return Fact(claim, frozenset(range(first, last + 1)), status["phase"], seconds)


class Life(RuleBasedStateMachine):
    """A repository."""

    def __init__(self) -> None:
        super().__init__()
        self.clock = CLOCK
        self.files: dict[str, str | bytes] = {}
        self.cidrs = {"edge": "10.40.0.0/27", "spare": "10.41.0.0/29"}
        self.reserved: dict[str, list[str]] = {"edge": [], "spare": []}
        self.settled = False

    # Edits

    @initialize()
    def begin(self) -> None:
        self.write_pools()
        self.files["providers/default.yaml"] = provider(
            pools="[{name: edge}, {name: spare, priority: 1}]",
            quotaPerTenant="{maxLoadBalancerIPs: 9}",
        )

    def write_pools(self) -> None:
        self.settled = False
        for name, cidr in self.cidrs.items():
            listed = ", ".join(f"{{cidr: {block}}}" for block in self.reserved[name])
            self.files[f"pools/{name}.yaml"] = pool(name, cidr, reserved=f"[{listed}]")

    @rule(name=TENANTS, size=st.integers(1, 10))
    def add_or_resize_a_tenant(self, name: str, size: int) -> None:
        self.settled = False
        path = next((path for path in self.files if path.endswith(f"/{name}.yaml")), None)
        where = path or f"tenants/{name}.yaml"
        self.files[where] = tenant(name, networking=f"{{lbPoolSize: {size}}}")

    @rule(name=TENANTS)
    def remove_a_tenant(self, name: str) -> None:
        self.settled = False
        for path in [path for path in self.files if path.endswith(f"/{name}.yaml")]:
            del self.files[path]

    @rule(name=TENANTS, folder=st.sampled_from(("tenants/x", "teams", "clusters")))
    def move_a_file(self, name: str, folder: str) -> None:
        for path in [path for path in self.files if path.endswith(f"/{name}.yaml")]:
            self.files[f"{folder}/{name}.yaml"] = self.files.pop(path)

    @rule()
    def grow_a_pool(self) -> None:
        self.cidrs["edge"] = "10.40.0.0/26"
        self.write_pools()

    @rule(name=st.sampled_from(("edge", "spare")), at=st.integers(0, 7))
    def reserve(self, name: str, at: int) -> None:
        block = f"{self.cidrs[name].rpartition('.')[0]}.{at * 4}/31"
        if ip_network(block).subnet_of(ip_network(self.cidrs[name])):  # type: ignore[arg-type]  # both are of one version
            self.reserved[name] = sorted({*self.reserved[name], block})
            self.write_pools()

    @rule(at=st.integers(0, 30), size=st.integers(1, 4))
    def pin(self, at: int, size: int) -> None:
        self.settled = False
        pinned = f"{{startAddress: 10.40.0.{at}, endAddress: 10.40.0.{at + size - 1}}}"
        self.files[f"tenants/pin-{at}.yaml"] = request(f"pin-{at}", pinnedRange=pinned)

    @rule(seconds=st.sampled_from((1, DAY // 2, DAY, 2 * DAY)))
    def wait(self, seconds: int) -> None:
        self.settled = False
        self.clock += seconds

    # Mistakes

    def record_paths(self) -> list[str]:
        return sorted(path for path in self.files if path.startswith("allocations/"))

    @precondition(lambda self: self.record_paths())
    @rule(data=st.data())
    def delete_a_record(self, data: st.DataObject) -> None:
        self.settled = False
        del self.files[data.draw(st.sampled_from(self.record_paths()))]

    @precondition(lambda self: self.record_paths())
    @rule(data=st.data())
    def cut_a_record_off(self, data: st.DataObject) -> None:
        self.settled = False
        path = data.draw(st.sampled_from(self.record_paths()))
        text = self.files[path]
        self.files[path] = text[: data.draw(st.integers(0, max(len(text) - 2, 0)))]

    @precondition(lambda self: self.record_paths())
    @rule(data=st.data(), name=TENANTS)
    def copy_a_record(self, data: st.DataObject, name: str) -> None:
        self.settled = False
        path = data.draw(st.sampled_from(self.record_paths()))
        self.files.setdefault(f"{RECORD}edge/team-a/{name}.loadbalancer.yaml", self.files[path])

    # Runs of `ipam`

    def evaluation(self) -> Evaluation:
        return evaluation_of(self.files, self.clock)

    @rule()
    def reconcile(self) -> None:
        evaluation = self.evaluation()
        before = self.facts()
        unclear = {path for path, fact in before.items() if fact is None}
        for change in evaluation.changes:
            assert change.path.startswith("allocations/")
            assert change.path not in unclear
            if change.data is None:
                del self.files[change.path]
            else:
                self.files[change.path] = change.data
        self.settled = True
        self.check(before, self.facts())
        self.every_tenant_has_what_it_asks_for(evaluation)

    def every_tenant_has_what_it_asks_for(self, evaluation: Evaluation) -> None:
        """Each tenant has the addresses that it requests, unless a claim is refused."""
        for text in self.files.values():
            if "kind: TenantCluster" not in str(text):
                continue
            body = yaml.safe_load(text)
            name, asked = body["metadata"]["name"], body["spec"]["networking"]["lbPoolSize"]
            mine = [
                item
                for item in evaluation.plan.decisions
                if item.claim.name == name and item.claim.slot.startswith("loadbalancer")
                if item.claim in evaluation.state.claims
            ]
            if not any(isinstance(item, Refuse) for item in mine):
                held = [it.allocation.range for it in mine if isinstance(it, Keep | Grant)]
                assert sum(item.size for item in held if item) >= asked

    def facts(self) -> dict[str, Fact | None]:
        found = {}
        for path in self.record_paths():
            data = self.files[path]
            found[path] = fact_of(data if isinstance(data, bytes) else data.encode())
        return found

    def check(self, old: dict[str, Fact | None], new: dict[str, Fact | None]) -> None:
        before = [fact for fact in old.values() if fact]
        after = [fact for fact in new.values() if fact]
        held = {(fact.claim, fact.addresses) for fact in after}
        for fact in before:
            over = fact.phase == "Released" and self.clock - fact.since >= DAY
            assert not fact.addresses or over or (fact.claim, fact.addresses) in held
        had = {(fact.claim, fact.addresses) for fact in before}
        owners: dict[int, set[str]] = {}
        for fact in before:
            if fact.phase == "Allocated" or self.clock - fact.since < DAY:
                for address in fact.addresses:
                    owners.setdefault(address, set()).add(fact.claim)
        given = [
            fact for fact in after if fact.addresses and (fact.claim, fact.addresses) not in had
        ]
        for fact in given:
            assert fact.phase == "Allocated"
            assert fact.addresses <= self.usable()
            for address in fact.addresses:
                assert not owners.get(address)
                owners[address] = {fact.claim}

    def usable(self) -> Addresses:
        found: set[int] = set()
        for name, cidr in self.cidrs.items():
            found |= {int(address) for address in ip_network(cidr)}
            for block in self.reserved[name]:
                found -= {int(address) for address in ip_network(block)}
        return frozenset(found)

    # Invariants

    @invariant()
    def what_was_carried_out_leaves_nothing_to_do(self) -> None:
        if self.settled:
            assert self.evaluation().changes == ()

    @invariant()
    def every_pool_adds_up(self) -> None:
        for usage in self.evaluation().plan.after.values():
            assert usage.total == usage.allocated + usage.held + usage.available


TestLife = Life.TestCase
TestLife.settings = settings(max_examples=scaled(100), stateful_step_count=30)
