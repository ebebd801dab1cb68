"""An independent planner on sets of numbers, to compare plans with. It imports only the model."""

from dataclasses import dataclass

from reconciler.model.claim import Allocation, Claim, Phase
from reconciler.model.instant import parse_instant
from reconciler.model.key import Key
from reconciler.model.plan import State
from reconciler.model.pool import Placement, Pool
from tests.properties.strategies import numbers, numbers_of

Addresses = frozenset[tuple[int, int]]
NOTHING: Addresses = frozenset()


@dataclass(frozen=True)
class Expected:
    """The expected decision for a claim: `keep`, `grant`, or `refuse`, with details."""

    action: str
    pool: Key | None = None
    addresses: Addresses = NOTHING
    reason: str = ""


class Oracle:
    """Plans like the planner, but simpler and slower."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.records: dict[Key, Allocation] = {}
        for record in state.records:
            if record.range is not None and record.claim not in self.records:
                self.records[record.claim] = record
        self.taken: dict[str, set[tuple[int, int]]] = {}
        for record in state.records:
            if record.range is not None and not self.is_gone(record):
                self.held(state.pools[record.pool].space).update(numbers(record.range))
        self.quota_used: dict[str, int] = {}
        for key, claim in state.claims.items():
            mine = self.records.get(key)
            if claim.quota and mine and mine.phase is Phase.ALLOCATED and mine.range:
                used = self.quota_used.get(claim.owner.name, 0)
                self.quota_used[claim.owner.name] = used + mine.range.size

    def held(self, space: str) -> set[tuple[int, int]]:
        by_hand = {number for item in self.state.blocked for number in numbers(item.range)}
        return self.taken.setdefault(space, by_hand)

    def is_gone(self, record: Allocation) -> bool:
        """Return whether a record is past its retention, and no claim takes it back."""
        since = parse_instant(record.since)
        assert since is not None
        if record.phase is not Phase.RELEASED:
            return False
        if self.state.clock - since < self.state.retention:
            return False
        claim = self.state.claims.get(record.claim)
        return claim is None or not self.answers(claim, record)

    def answers(self, claim: Claim, record: Allocation) -> bool:
        assert record.range is not None
        if record.pool not in claim.candidates:
            return False
        if claim.pin is not None:
            return numbers(record.range) == numbers(claim.pin)
        return not claim.fixed or len(numbers(record.range)) == claim.size

    def plan(self) -> dict[Key, Expected]:
        pinned = [claim for claim in self.state.claims.values() if claim.pin]
        rest = [claim for claim in self.state.claims.values() if not claim.pin]
        decided: dict[Key, Expected] = {}
        for group in (pinned, rest):
            for size in range(64, 0, -1):
                for claim in sorted((item for item in group if item.size == size), key=_key):
                    decided[claim.key] = self.decide(claim)
        for key, found in decided.items():
            if found.action == "refuse" and not found.reason:
                decided[key] = Expected("refuse", reason=self.reason(self.state.claims[key]))
        return decided

    def decide(self, claim: Claim) -> Expected:
        """Return the decision for a claim. `plan` adds the reason of a refusal later."""
        record = self.records.get(claim.key)
        if record is not None and record.range is not None and not self.is_gone(record):
            return self.decide_held(claim, record, frozenset(numbers(record.range)))
        if self.within_quota(claim, claim.size):
            for key in claim.candidates:
                found = self.place(claim, self.state.pools[key])
                if found:
                    return self.granted(claim, key, found)
        return Expected("refuse")

    def decide_held(self, claim: Claim, record: Allocation, mine: Addresses) -> Expected:
        answers = self.answers(claim, record)
        if record.phase is Phase.ALLOCATED and (answers or not claim.fixed):
            return Expected("keep", record.pool, mine)
        if not answers:
            return Expected("refuse", reason="record-stale")
        if not self.within_quota(claim, len(mine)):
            return Expected("refuse")
        return self.granted(claim, record.pool, mine)

    def granted(self, claim: Claim, pool: Key, found: Addresses) -> Expected:
        self.held(self.state.pools[pool].space).update(found)
        if claim.quota:
            used = self.quota_used.get(claim.owner.name, 0)
            self.quota_used[claim.owner.name] = used + len(found)
        return Expected("grant", pool, found)

    def within_quota(self, claim: Claim, size: int) -> bool:
        if claim.quota is None:
            return True
        return self.quota_used.get(claim.owner.name, 0) + size <= claim.quota.limit

    def place(self, claim: Claim, pool: Pool) -> Addresses:
        """Return the addresses that the claim gets from the pool, or none."""
        free = self.free(pool)
        if claim.pin is not None:
            wanted = frozenset(numbers(claim.pin))
            in_one = any(wanted <= numbers(window) for window in pool.windows)
            return wanted if in_one and wanted <= free else NOTHING
        runs = [run for run in _runs(free) if len(run) >= claim.size]
        if not runs:
            return NOTHING
        if pool.placement is Placement.BEST_FIT:
            runs.sort(key=lambda run: (len(run), run[0]))
        return frozenset(runs[0][: claim.size])

    def free(self, pool: Pool) -> set[tuple[int, int]]:
        usable = numbers_of(pool.windows) - numbers_of(pool.reserved)
        return usable - self.held(pool.space)

    def reason(self, claim: Claim) -> str:
        if not claim.candidates:
            return "pool-not-found"
        record = self.records.get(claim.key)
        back = record is not None and record.range is not None and not self.is_gone(record)
        size = len(numbers(record.range)) if back and record and record.range else claim.size
        if not self.within_quota(claim, size):
            return "quota-exceeded"
        pools = [self.state.pools[key] for key in claim.candidates]
        if claim.pin is not None:
            reasons = [self.pin_reason(numbers(claim.pin), pool) for pool in pools]
            lacks = {"pin-outside-pool": 1, "family-mismatch": 2}
            return min(reasons, key=lambda it: lacks.get(it, 0))
        if all(len(numbers_of(pool.usable)) < claim.size for pool in pools):
            return "request-too-large"
        if any(len(self.free(pool)) >= claim.size for pool in pools):
            return "pool-fragmented"
        return "pool-exhausted"

    def pin_reason(self, wanted: set[tuple[int, int]], pool: Pool) -> str:
        if {version for version, _ in wanted} != {window.version for window in pool.windows}:
            return "family-mismatch"
        windows = [numbers(window) for window in pool.windows]
        if not any(wanted <= window for window in windows):
            touched = sum(1 for window in windows if wanted & window)
            return "pin-straddles-ranges" if touched > 1 else "pin-outside-pool"
        return "pin-reserved" if wanted & numbers_of(pool.reserved) else "pin-taken"


def _key(claim: Claim) -> tuple[str, str, str, str]:
    return claim.key.family, claim.key.namespace, claim.key.name, claim.key.slot


def _runs(free: set[tuple[int, int]]) -> list[list[tuple[int, int]]]:
    found: list[list[tuple[int, int]]] = []
    for version, value in sorted(free):
        if found and found[-1][-1] == (version, value - 1):
            found[-1].append((version, value))
        else:
            found.append([(version, value)])
    return found
