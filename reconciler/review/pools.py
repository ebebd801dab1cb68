"""Pools that a change shrinks, resizes, relaxes, or puts into another address space."""

from collections.abc import Iterable, Iterator, Mapping

from msgspec.structs import replace

from reconciler.addresses import IPRange, IPSet, format_short
from reconciler.documents.findings import (
    Finding,
    Severity,
    error,
    info,
    join_limited,
    plural,
    shown,
    warning,
)
from reconciler.families import key_of
from reconciler.families.fields import former_of
from reconciler.model.claim import Allocation
from reconciler.model.key import Key
from reconciler.model.plan import Grant, State
from reconciler.model.pool import DEFAULT_SPACE, Pool
from reconciler.model.settings import OverrideKind
from reconciler.planning.limits import CAPACITY, capacity
from reconciler.planning.rules import OUTSIDE
from reconciler.planning.space import Lookup, space_of
from reconciler.review.change import Change, gives, granted

_RESERVE = "make sure that no device uses them, or reserve them again"
_NAT = "keep this only if the two networks never connect (for example, NAT); otherwise"


def limits_changed(change: Change) -> Iterator[Finding]:
    """Report pools with different limits or thresholds. The check uses the base's values."""
    for key, old in change.before.pools.items():
        now = change.after.pools.get(key)
        if now is None or key not in change.result.state.pools:
            continue
        if (now.gate, now.thresholds) != (old.gate, old.thresholds):
            message = f"capacity limit and thresholds of {key.kind} {key.name} change from {levels(old)} to"
            message += f" {levels(now)}; this check still uses the values of {change.name}"
            yield warning("gate-changed", now.source, message)


def levels(pool: Pool) -> str:
    """Return the capacity limit and the thresholds of a pool."""
    tiers = pool.thresholds
    gate = pool.gate.value if pool.gate else "never"
    return f"{gate} ({tiers.warning}, {tiers.critical}, {tiers.exhausted})"


def shrunk(change: Change) -> Iterator[Finding]:
    """Report pools whose network lost addresses."""
    overrides = change.result.tree.overrides
    for key, old in change.before.pools.items():
        new = change.after.pools.get(key)
        if new is None or not old.extent - new.extent:
            continue
        before = ", ".join(format_short(item) for item in old.extent)
        hint = "keep the old addresses, and list the unused ones in spec.reserved"
        message = f"{key.kind} {key.name} no longer contains all of {before}, as in {change.name}"
        if overrides.allow(OverrideKind.SHRINK, str(key)):
            message += "; an Override permits this, and records keep their addresses"
            yield warning("pool-shrunk", new.source, message)
        else:
            hint += f", or merge an Override of kind shrink for {key} first"
            yield error("pool-shrunk", new.source, message, hint)


def newly_outside(change: Change) -> Iterator[Finding]:
    """Report records outside of their pool, as errors if the change takes their addresses away."""
    state, overrides = change.result.state, change.result.tree.overrides
    if not (found := [it for it in change.result.findings if it.code == OUTSIDE]):
        return
    known = IPSet.of(it for there in _outside(change.base_plan.state).values() for it in there)
    now = {state.pools[key].source: (key, it) for key, it in _outside(state).items()}
    for item in found:
        key, outside = now[item.location]
        if outside - known and not overrides.allow(OverrideKind.SHRINK, str(key)):
            item = replace(item, severity=Severity.ERROR)
        yield item


def _outside(state: State) -> dict[Key, IPSet]:
    """Return the addresses that records hold outside of their pools, by pool."""
    found: dict[Key, list[IPRange]] = {}
    for it in state.records:
        found.setdefault(it.pool, []).extend([it.range] if it.range else [])
    pools = ((state.pools.get(key), it) for key, it in found.items())
    return {pool.key: IPSet.of(it) - pool.usable for pool, it in pools if pool is not None}


def unreserved(change: Change) -> Iterator[Finding]:
    """Report pools, renamed and new ones included, that can allocate reserved ranges of the base."""
    old_pools, new_pools = change.before.pools, change.after.pools
    if not any(pool.kept for pool in old_pools.values()):
        return
    for key, pool in new_pools.items():
        now, old = change.result.state.pools.get(key, pool), old_pools.get(key)
        before, after = (
            IPSet.of(block for it in side.values() if it.space == now.space for block, _ in it.kept)
            for side in (old_pools, new_pools)
        )
        lost = (before - after) & now.usable
        if old is not None and old.space == now.space:
            lost -= old.usable
        if lost:
            yield _unreserved(change, now, lost)


def _unreserved(change: Change, pool: Pool, lost: IPSet) -> Finding:
    there = [it for it in change.before.pools.values() if it.space == pool.space]
    words = [f"{format_short(item)}{_purpose(item, there)}" for item in lost]
    message = f"{pool.key.kind} {pool.key.name} can allocate {join_limited(words)}, reserved in {change.name}"
    given = (it for it in granted(change.result) if lost.overlapping(it[0]))
    pools = change.result.state.pools
    message += gives(it for it in given if space_of(pools, it[1].allocation) == pool.space)
    return warning("pool-unreserved", pool.source, message, _RESERVE)


def _purpose(item: IPRange, pools: Iterable[Pool]) -> str:
    texts = (text for pool in pools for block, text in pool.kept if text and block.overlaps(item))
    purposes = list(map(shown, dict.fromkeys(texts)))
    return f" ({join_limited(purposes)})" if purposes else ""


def new_spaces(change: Change) -> Iterator[Finding]:
    """Report new address spaces."""
    listed, own = change.base_settings.address_spaces, change.own_settings
    for space in own.address_spaces or ():
        if space not in (listed or (DEFAULT_SPACE,)):
            message = f"Settings list address space {space}, which is not in {change.name}"
            yield info("address-space-added", own.location, message)
    for key, pool in change.after.pools.items():
        if key not in change.before.pools and listed is None and pool.space != DEFAULT_SPACE:
            title = f"{key.kind} {key.name}"
            message = f"{title} is in address space {pool.space}, but Settings list none"
            hint = "list the permitted address spaces in spec.addressSpaces, so that any other is an error"
            yield info("address-space-added", pool.source, message, hint)


def moved_spaces(change: Change) -> Iterator[Finding]:
    """Report pools that change their address space."""
    old_pools = change.before.pools
    former = {key_of(it): former_of(it) for it in change.after.documents.values()}
    for key, pool in change.after.pools.items():
        name = former.get(key)
        before = replace(key, **name._asdict()) if name is not None else key
        old = old_pools.get(key) or old_pools.get(before)
        if old is None or old.space == pool.space:
            continue
        message = f"{key.kind} {key.name} moves from address space {old.space} to {pool.space}"
        used = change.result.plan.before.get(key)
        held = used.allocated + used.held if used is not None else 0
        if not held:
            yield info("address-space-changed", pool.source, message)
        else:
            hint = f"set it back, and add a new pool in {pool.space}; remove this pool when no record holds its addresses"
            message += f", but records hold {plural(held, 'address')} of it, which a pool in {old.space} could allocate again"
            yield error("address-space-changed", pool.source, message, hint)


def overlaid_spaces(change: Change) -> Iterator[Finding]:
    """Report pools with addresses that other address spaces hold."""
    state = change.result.state
    for key, pool in change.after.pools.items():
        old, more = change.before.pools.get(key), pool.extent
        if old is not None and old.space == pool.space:
            more -= old.extent
        lives = [
            record
            for record in (state.records if more else ())
            if record.range is not None and more.overlapping(record.range)
            if space_of(state.pools, record) not in (None, pool.space)
        ]
        if not lives:
            continue
        held = join_limited(
            [f"{it.claim.short} {format_short(it.range)}" for it in lives if it.range]
        )
        message = f"{key.kind} {key.name} in address space {pool.space} contains addresses that other spaces hold: {held}; they could be allocated a second time"
        hint = f"{_NAT} remove the annotation gitops-ipam.dev/address-space, and shrink the pool"
        yield warning("address-space-overlap", pool.source, message, hint)


def given_twice(change: Change) -> Iterator[Finding]:
    """Report grants of addresses that another address space also holds."""
    state, decisions = change.result.state, change.result.plan.decisions
    if len({it.space for it in state.pools.values()}) < 2:
        return
    grants = [it for it in decisions if isinstance(it, Grant)]
    held = Lookup(
        (it.range, it)
        for it in (*state.records, *(grant.allocation for grant in grants))
        if it.range is not None
    )
    caused = {it.claim for it in change.causes if it.is_caused}
    for grant in grants:
        if grant.claim in caused:
            yield from _given_twice(grant, state.pools, held)


def filled_by_hand(change: Change) -> Iterator[Finding]:
    """Report pools that ranges without a record fill up to a refused usage tier."""
    if not change.after.by_hand:
        return
    result, base = change.result, change.base_plan.plan.after
    before = {key: base.get(key, it) for key, it in result.plan.before.items()}
    plan, tree = replace(result.plan, before=before), result.tree
    known = {it.location for it in result.gates if it.code == CAPACITY}
    found = capacity(result.state, plan, tree.settings, tree.overrides)
    yield from (it for it in found if it.location not in known)


def _given_twice(
    grant: Grant, pools: Mapping[Key, Pool], held: Lookup[Allocation]
) -> Iterator[Finding]:
    given, space = grant.allocation.range, space_of(pools, grant.allocation)
    if given is None or space is None:
        return
    title = f"{format_short(given)} in address space {space} is allocated to {grant.claim.short}"
    spaces = {it: space_of(pools, it) for _, it in held.overlapping(given)}
    others = {it: name for it, name in spaces.items() if name not in (None, space)}
    if others:
        who = join_limited(
            [
                f"{it.claim.short} in {name} ({format_short(it.range)})"
                for it, name in others.items()
                if it.range is not None
            ]
        )
        message = f"{title}, but {who} already holds it"
        hint = f"{_NAT} pin another range, and reserve this one in {grant.allocation.pool.name}"
        yield warning("address-space-overlap", grant.source, message, hint)
    elif near := [
        it for it in pools.values() if it.space != space and it.extent.overlapping(given)
    ]:
        named = join_limited([f"{it.key.kind} {it.key.name} in {it.space}" for it in near])
        message = f"{title}, but is also in {named}, so it might be allocated twice"
        yield info("address-space-overlap", grant.source, message, f"{_NAT} reserve the range")
