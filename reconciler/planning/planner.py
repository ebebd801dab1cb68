"""Allocation decisions."""

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from reconciler.addresses import IPRange, IPSet
from reconciler.model.claim import Allocation, Claim, Phase, Refusal, current_records, granted
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.plan import Decision, Expire, Grant, Keep, Plan, Refuse, Release, State, Usage
from reconciler.model.pool import Pool
from reconciler.planning import refusals, retention
from reconciler.planning.limits import Quotas
from reconciler.planning.rules import find_pin, rivals
from reconciler.planning.space import Holdings, Lookup, Space, Withheld, find_near, space_of, usage

Claims = Mapping[Key, Claim]
Spaces = Callable[[str], Space]
"""Returns the address space of a name."""

_ANY = 1 << 129


def plan(state: State) -> Plan:
    """Return one decision for every claim and for every record without a claim, by claim key.

    Granted ranges are usable in their pool, and disjoint from all others of its address space.
    Source: docs/reference/planning.md; Butler's allocator for best fit and pins.
    """
    planner = _Planner(state)
    decisions = [*planner.without_claim(), *planner.claims()]
    decisions.sort(key=lambda decision: decision.claim)
    return Plan(tuple(decisions), planner.before, planner.after(decisions))


def other_of(claim: Claim, claims: Claims) -> Claim | None:
    """Return the claim that a claim requires, or None."""
    return None if claim.requires is None else claims.get(claim.requires)


def precedence(claim: Claim, claims: Claims) -> tuple[int, int, Key]:
    """Return the sort key: pins, then large before small, then by key."""
    # Claims that require each other are served after all pins if only one of them is pinned.
    rank = 2 if claim.pin is None else 0
    other = other_of(claim, claims)
    if other is not None and (other.pin is None) != (claim.pin is None):
        rank = 1
    return rank, -claim.size, claim.key


def frozen_pools(state: State) -> dict[Key, str]:
    """Return pools that give nothing new, with the path of the unreadable file."""
    # An unreadable record can hold any address of its pool, and of pools that overlap it.
    found: dict[Key, str] = dict(state.frozen)
    if not state.unreadable:
        return found
    usable = Lookup((item, pool) for pool in state.pools.values() for item in pool.allocatable)
    for item in state.unreadable:
        pool = state.pools.get(item.pool) if item.pool is not None else None
        if pool is None:
            return {**dict.fromkeys(state.pools, item.path), **found}
        near = (it for own in pool.allocatable for _, it in usable.overlapping(own))
        for key in (pool.key, *(it.key for it in near if it.space == pool.space)):
            found.setdefault(key, item.path)
    return found


class Candidates:
    """Candidate pools of claims that name the same pools and IP version.

    `frozen` is the position of the first pool that gives nothing new, else the number of pools.
    """

    def __init__(
        self, pools: Sequence[Pool], version: int | None, frozen: Mapping[Key, str]
    ) -> None:
        self.pools = pools
        self.frozen = next((at for at, it in enumerate(pools) if it.key in frozen), len(pools))
        self._version = version
        never = [(pool, _never(pool, version)) for pool in pools]
        self.refusals = [refusal for _, refusal in never if refusal is not None]
        # An upper bound of the longest free range of each pool.
        self._longest = [0 if refusal is not None else _ANY for _, refusal in never]
        self._asked = [pool for pool, refusal in never if refusal is None]
        self._tried: refusals.Tried | None = None
        self.refused: dict[int, Refusal] = {}  # by size, after all claims are served

    def allocate(
        self, space_of: Spaces, claim: Claim, *, take: bool = True
    ) -> tuple[int, IPRange] | None:
        """Take a range near the claim's last one, else in the first pool with room, or a block.

        Return it with the position of its pool.
        """
        size, near, version = claim.size, claim.adjacent_to, claim.version
        blocks = version if claim.prefix is not None else None
        if near is not None and (found := find_near(near, size, self.pools, space_of, take=take)):
            return found
        for at, pool in enumerate(self.pools):
            if self._longest[at] >= size:
                space = space_of(pool.space)
                if blocks is not None:
                    item = space.allocate_block(pool, size, blocks, take=take)
                else:
                    item = space.allocate(pool, size, version, take=take)
                if item is not None:
                    return at, item
                largest, longest = space.largest_block, space.longest
                self._longest[at] = largest(pool, blocks) if blocks else longest(pool, version)
        return None

    def tried(self, space_of: Spaces) -> refusals.Tried | None:
        """Return the free space of all candidates that were tried, after all claims are served."""
        if self._tried is None and self._asked:
            rooms = ((it, space_of(it.space).room(it, self._version)) for it in self._asked)
            self._tried = refusals.tried(rooms, self._version)
        return self._tried


def _never(pool: Pool, version: int | None) -> Refusal | None:
    if version is not None and not pool.extent.of_version(version):
        return refusals.other_version(pool, version)
    if pool.is_paused:
        return refusals.paused(pool)
    return None if pool.auto_assign else refusals.not_by_itself(pool)


class _Planner:
    def __init__(self, state: State) -> None:
        self.state = state
        self.now = format_instant(state.clock)
        self.record_of = current_records(state.records)
        self.shrinking = retention.shrinking(state)
        released = [record for record in state.records if record.is_released]
        self.expired = {record.path for record in released if self._is_expired(record)}
        holding = [item for item in state.records if item.range]
        self.holdings = Holdings(state.pools, holding, state.blocked)
        # An expired record holds its addresses until a run has removed it.
        self.before = {key: usage(pool, self.holdings) for key, pool in state.pools.items()}
        self.named = refusals.elsewhere(state.pools)
        if self.expired:
            holding = [item for item in holding if item.path not in self.expired]
            self.holdings = Holdings(state.pools, holding, state.blocked)
        self.holders = refusals.Holders(state.pools, holding)
        self.released: dict[str | None, list[Allocation]] = {}
        for record in (it for it in holding if it.is_released):
            self.released.setdefault(space_of(state.pools, record), []).append(record)
        # A reverted shrink takes back the end of a range that its object in the cluster still has.
        going = self.expired | state.unused
        left = (it for it in released if it.object and it.path not in going)
        self.ends = {(it.claim.owner, it.object, it.range): it for it in left}
        self.rivals = rivals(state.pools)
        self.quotas = Quotas(state.claims, self.record_of, state.blocked)
        self.spaces: dict[str, Space] = {}
        self.is_trial = False  # no range is taken for a trial decision
        self.decided: dict[Key, Decision] = {}
        self.withheld = Withheld((*state.blocked, *state.off_limits))
        self.is_served = False  # set after all claims: before that, no refusal needs its message
        self.frozen = frozen_pools(state)
        self.candidates: dict[tuple[tuple[Key, ...], int | None, bool], Candidates] = {}
        self.unreadable = {item.claim: item for item in state.unreadable if item.claim}

    def without_claim(self) -> list[Decision]:
        found: list[Decision] = []
        for record in self.state.records:
            wanted = record.claim in self.state.claims
            if record.path in self.state.unused and record.announced:
                # No longer in use: its retention begins.
                found.append(Release(replace(record, since=self.now, announced=False)))
                continue
            if wanted and record.range is not None and record.path not in self.expired:
                continue  # the usual case
            is_current = wanted and self.record_of[record.claim] is record
            is_left = record.range is None and not is_current
            if record.path in self.expired or (is_left and not self.state.is_left_alone(record)):
                found.append(Expire(record))
            elif record.is_live and not wanted:
                is_kept = self.state.is_left_alone(record) or record.path in self.shrinking.waiting
                announced = record.claim.owner in self.state.announcing
                released = replace(
                    record, phase=Phase.RELEASED, since=self.now, announced=announced
                )
                found.append(Keep(record, held=True) if is_kept else Release(released))
        return found

    def claims(self) -> list[Decision]:
        """Return decisions on claims, served in the order of `precedence`."""
        # Refused claims are decided again at the end, with the message that the next plan also
        # computes. The next plan therefore rewrites no record.
        asked, movable = self.state.claims, self.state.movable
        served: list[Claim] = []
        for key, claim in asked.items():
            record = self.record_of.get(key)
            if record is None or not record.is_live or key in movable:
                served.append(claim)
            else:  # its range stays, so the order does not matter
                self.decided[key] = self._decide(claim)
        for claim in sorted(served, key=lambda claim: precedence(claim, asked)):
            self.decided[claim.key] = self._decide(claim)
        self.is_served = True
        grants = (item for item in self.decided.values() if isinstance(item, Grant))
        self.holders.add(item.allocation for item in grants if not item.is_taken_back)
        return [
            self._decide(asked[key])
            if isinstance(decision, Refuse) and decision.reason != refusals.FROZEN
            else decision
            for key, decision in self.decided.items()
        ]

    def after(self, decisions: list[Decision]) -> Mapping[Key, Usage]:
        changed = [item for item in decisions if isinstance(item, Grant | Release)]
        if not changed and not self.expired:
            return self.before
        records = retention.holding_after(self.state, changed, self.expired)
        holdings = Holdings(self.state.pools, records, self.state.blocked)
        return {key: usage(pool, holdings) for key, pool in self.state.pools.items()}

    def _decide(self, claim: Claim) -> Decision:
        record = self.record_of.get(claim.key)
        if claim.requires and (refusal := self._other_lacks(claim, record)):
            gone = record and record.path in self.expired
            return _refuse(claim, refusal, None if gone else record)
        unreadable = self.unreadable.get(claim.key)
        if why := unreadable.path if unreadable else claim.doubt or self.state.halted:
            return self._leave(claim, record, why)
        if record is None or record.range is None or record.path in self.expired:
            back = self.ends.get((claim.key.owner, claim.object, claim.pin))
            if back is not None and back.pool in claim.candidates:
                return self._take_back(claim, back)
            return self._place(claim, record if record and record.range is None else None)
        difference, is_live = retention.difference_of(claim, record, self.state), record.is_live
        if is_live and difference and claim.key in self.state.movable:
            return self._move(claim, record)
        if difference and (claim.fixed or not is_live):
            return _refuse(claim, refusals.stale(claim, record, difference), record)
        return Keep(record, stale=difference) if is_live else self._take_back(claim, record)

    def _other_lacks(self, claim: Claim, record: Allocation | None) -> Refusal | None:
        other = other_of(claim, self.state.claims)
        if other is None or self.is_trial or (record is not None and record.is_live):
            return None
        lack = None if isinstance(self.decided.get(other.key), Grant) else self._lack(other)
        if lack is None or self._lack(claim) is not None:
            return None
        message = f"needs {other.key.slot} as well, which is refused: {lack.message}"
        return Refusal(lack.reason, message, lack.hint)

    def _lack(self, claim: Claim) -> Refuse | None:
        self.is_trial = True
        found = self._decide(claim)
        self.is_trial = False
        if not isinstance(found, Refuse) or (found.allocation and found.allocation.is_live):
            return None
        return found

    def _leave(self, claim: Claim, record: Allocation | None, why: str) -> Decision:
        """Keep the claim's range, or reserve the range that it gets when the file is readable."""
        if record is not None and record.is_live:
            return Keep(record, held=True)
        if record is None or record.range is None:
            self._place(claim, record)
        refusal = (
            refusals.frozen(why, "the pool of the claim")
            if claim.key in self.unreadable
            else refusals.left(claim, why)
        )
        return replace(_refuse(claim, refusal, record), is_left=True)

    def _move(self, claim: Claim, record: Allocation) -> Decision:
        assert record.range is not None  # noqa: S101 - a live record holds one  # nosec B101
        announced = claim.is_announced
        leaves = replace(record, phase=Phase.RELEASED, since=self.now, announced=announced)
        if claim.pin is not None and record.range.overlaps(claim.pin):
            return self._shrink(claim, claim.pin, record.range, leaves)
        if claim.moved_size is not None:
            claim = replace(claim, size=claim.moved_size)
        if not claim.size:
            return Release(leaves)
        back = retention.former(claim, self.state)
        self.quotas.give_back(claim, record.range)
        found = self._place(claim, None) if back is None else self._take_back(claim, back)
        if isinstance(found, Grant) and not self.is_trial:
            return replace(found, leaves=leaves)
        self.quotas.count(claim, record.range)
        return replace(found, allocation=record) if isinstance(found, Refuse) else found

    def _shrink(self, claim: Claim, pin: IPRange, held: IPRange, leaves: Allocation) -> Decision:
        """Keep the pinned end of a range, and leave the rest."""
        record, rest = self.record_of[claim.key], (IPSet((held,)) - IPSet((pin,))).ranges
        is_end = len(rest) == 1 and held.covers(pin) and leaves.pool in claim.candidates
        difference = retention.difference_of(claim, record, self.state)
        refusal = claim.refusal if is_end else refusals.stale(claim, record, difference)
        if refusal is not None:
            return _refuse(claim, refusal, record)
        leaves = replace(leaves, range=rest[0], size=rest[0].size, prefix=None)
        return Grant(granted(claim, leaves.pool, pin, record.since), claim.source, leaves=leaves)

    def _take_back(self, claim: Claim, record: Allocation) -> Decision:
        item = record.range
        size = item.size if item else 0
        if refusal := claim.refusal or self.quotas.refusal(claim, size, item):
            return _refuse(claim, refusal, record)
        if item is not None and not self.is_trial:
            self.quotas.count(claim, item)
        allocation = granted(claim, record.pool, record.range, self.now)
        if record.claim == claim.key:
            allocation = replace(allocation, name=record.name)
        return Grant(allocation, claim.source, record)

    def _place(self, claim: Claim, failed: Allocation | None) -> Decision:
        if self.state.unknown and len(claim.candidates) < len(claim.wanted):
            return _refuse(claim, refusals.untold(claim), failed)
        if claim.refusal is not None:
            return _refuse(claim, claim.refusal, failed)
        if not claim.candidates:
            return _refuse(claim, refusals.not_found(claim, self.named), failed)
        if refusal := self.quotas.refusal(claim, claim.size, claim.pin):
            return _refuse(claim, refusal, failed)
        among = self._candidates(claim)
        found, refused = self._find(claim, among)
        at, item = found or (len(among.pools), None)
        # A range in an unreadable pool is reserved, but not allocated.
        if among.frozen < len(among.pools) and among.frozen <= at:
            key = among.pools[among.frozen].key
            return _refuse(claim, refusals.frozen(self.frozen[key], f"pool {key.name}"), failed)
        if item is not None:
            made = granted(claim, among.pools[at].key, item, self.now)
            return Grant(made, claim.source, failed)
        if claim.pin is None:
            return _refuse(claim, self._no_room(claim, among), failed)
        return _refuse(claim, refusals.reasons(refused), failed)

    def _find(
        self, claim: Claim, among: Candidates
    ) -> tuple[tuple[int, IPRange] | None, list[Refusal]]:
        take, refused = not self.is_trial, among.refusals
        if claim.pin is None:
            found = among.allocate(self._space, claim, take=take)
        else:
            found, refused = find_pin(claim.pin, claim, among.pools, self._space, self.holders)
            refused = [
                retention.waiting(it, claim.pin, self.state, self.released.get(pool.space, ()))
                for it, pool in zip(refused, among.pools, strict=False)
            ]
        if found is not None and take:
            at, item = found
            if claim.pin is not None:
                self._space(among.pools[at].space).take(among.pools[at], item)
            self.quotas.count(claim, item)
        return found, refused

    def _candidates(self, claim: Claim) -> Candidates:
        asked = claim.candidates, claim.version, claim.prefix is not None
        if asked not in self.candidates:
            pools = [self.state.pools[key] for key in claim.candidates]
            self.candidates[asked] = Candidates(pools, claim.version, self.frozen)
        return self.candidates[asked]

    def _no_room(self, claim: Claim, among: Candidates) -> Refusal:
        if not self.is_served:
            return refusals.NO_ROOM
        if claim.prefix is not None and not among.refusals:
            rooms = [(it, self._space(it.space).free(it, it.allocatable)) for it in among.pools]
            return refusals.no_block(claim.prefix, rooms)
        tried = among.tried(self._space)
        if tried and claim.size not in among.refused:
            among.refused[claim.size] = refusals.no_room(claim.size, tried, self.holders)
        if not tried:
            return refusals.reasons(among.refusals)
        found = among.refused[claim.size]
        return replace(found, hint=found.hint.replace("CLAIM", claim.key.argument, 1))

    def _is_expired(self, record: Allocation) -> bool:
        if record.announced or record.path in self.state.retained:
            return False
        if self.state.is_left_alone(record) or record.path in self.shrinking.kept:
            return False
        end = retention.retention_end(record, self.state)
        if end is None or end > self.state.clock:
            return False
        claim = self.state.claims.get(record.claim)
        if claim is not None and claim.doubt:
            return False
        if claim is None or claim.refusal or self.record_of[record.claim] is not record:
            return True
        return bool(retention.difference_of(claim, record, self.state))

    def _space(self, name: str) -> Space:
        if name not in self.spaces:
            taken = [*self.holdings.ranges(name)]
            taken += [item for unreadable in self.state.unreadable for item in unreadable.ranges]
            self.spaces[name] = Space(taken, self.rivals, self.withheld)
        return self.spaces[name]


def _refuse(claim: Claim, refusal: Refusal, record: Allocation | None = None) -> Refuse:
    return Refuse(claim.key, refusal.reason, refusal.message, refusal.hint, claim.source, record)
