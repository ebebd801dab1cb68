"""What is to be said about records once it is decided what becomes of them."""

from collections.abc import Iterator, Mapping

from reconciler.addresses.notation import format_short
from reconciler.findings import Finding, Location, few, info, warning
from reconciler.model.allocation import Allocation
from reconciler.model.instant import format_instant, parse_instant
from reconciler.model.key import Key
from reconciler.model.override import OverrideKind, Overrides
from reconciler.model.plan import Grant, Keep, Plan, kept_by
from reconciler.model.state import State
from reconciler.records.layout import path_of

_SKEW = 3_600
"""Clocks of two machines may differ by so many seconds; commits are dated by both."""


def findings_of(plan: Plan, state: State, folder: str) -> Iterator[Finding]:
    """Findings about records that follow from the decisions on them."""
    held: list[Allocation] = []
    paused: list[Allocation] = []
    waiting: list[Allocation] = []
    misplaced: list[tuple[Allocation, str]] = []
    for decision in plan.decisions:
        if not isinstance(decision, Keep):
            continue
        record = decision.allocation
        is_orphan = decision.held and record.claim not in state.claims
        if is_orphan and record.claim.owner not in state.protected:
            if record.path in state.grown and not state.is_left_alone(record):
                waiting.append(record)
            else:
                (paused if _is_paused(state, record) else held).append(record)
        if decision.stale:
            yield _stale(record, decision.stale)
        path = path_of(folder, record.pool, record.claim)
        if record.path != path and not decision.held and record.path not in state.former:
            misplaced.append((record, path))
    yield from _misplaced(misplaced, state)
    yield from _ahead(state)
    yield from _paused(paused, state)
    yield from _waiting(waiting)
    if held:
        # Their documents may be gone, or may stand in the file that cannot be read.
        more = f" and {len(held) - 1} more" if len(held) > 1 else ""
        message = f"{held[0].claim.short}{more}: not released while a file cannot be read"
        yield warning("release-held", Location(held[0].path, 1, 1), message, "mend the errors")


def _stale(record: Allocation, why: str) -> Finding:
    """Of a claim that stays where its documents do not want it any more."""
    claim = record.claim
    message = f"{claim.short} keeps what it holds, though {why}"
    hint = f"to let it move: ipam move {claim._replace(slot='').short} --to POOL; or"
    hint += f" merge an Override of kind move, scope {claim}, before the change"
    return warning("record-stale", Location(record.path, 1, 1), message, hint)


HANDED_OVER = "announcement-moved"
"""The code of what goes from one cluster to another at once."""


def moving(
    state: State,
    plan: Plan,
    asked: Mapping[str, str],
    overrides: Overrides,
) -> Iterator[Finding]:
    """Claims that move, what those that moved have left, and what goes to another cluster.

    Args:
        state: What was planned.
        plan: The plan.
        asked: By path of a record that was left, why its cluster announces it still.
        overrides: Those that count.
    """
    yield from _handed_over(state, overrides)
    for decision in plan.decisions if state.movable else ():
        if isinstance(decision, Grant) and decision.leaves is not None:
            old, new = held_words(decision.leaves), held_words(decision.allocation)
            message = f"{decision.claim.short} moves from {old} to {new}"
            yield warning("claim-moves", decision.source, message, f"{old} {_UNTIL}")
    for record in state.records:
        if record.announced and record.path not in state.unused:
            why = asked.get(record.path)
            message = f"{record.claim.short} has left {held_words(record)}, which {_UNTIL}"
            hint = "move its Services to the new range; reconcile with clusters tells who is left;"
            back = record.claim._replace(slot="").short
            hint += f" the way back: ipam move {back} --to {record.pool.name}"
            place = Location(record.path, 1, 1)
            yield info("claim-left", place, f"{message}{f': {why}' if why else ''}", hint)


def _handed_over(state: State, overrides: Overrides) -> Iterator[Finding]:
    """Claims that name another owner than their record does: no address moves, but who has it.

    But for who is the same under another name: the cluster is the same, too.
    """
    if not state.givers:
        return
    for new in state.records:
        giver, former = state.givers.get(new.path), state.former.get(new.path)
        if giver is None or (former is not None and former.claim is not None):
            continue
        if new.path in state.along:
            continue
        claim = state.claims[new.claim]
        message = f"{held_words(new)} goes from {giver.short} to {new.owner.short}"
        if overrides.allow(OverrideKind.MOVE, str(new.claim)):
            yield warning(HANDED_OVER, claim.source, f"{message}; an Override lets it go")
        else:
            hint = "whatever uses it there is cut off; make a claim of its own for the other"
            yield warning(HANDED_OVER, claim.source, message, hint)


def retained(why_of: Mapping[str, str]) -> Iterator[Finding]:
    """Records whose retention has ended, but whose addresses may still be announced: why, by path."""
    for path, why in why_of.items():
        message = f"its retention has ended, but its addresses stay held: {why}"
        hint = "when nothing announces them any more: --confirm-withdrawn CLUSTER"
        yield warning("expiry-held", Location(path, 1, 1), message, hint)


_UNTIL = "stays announced until nobody uses it"


def held_words(record: Allocation) -> str:
    """What a record holds, and of which pool, in words."""
    held = format_short(record.range) if record.range else "nothing"
    return f"{held} of {record.pool.name}"


def renames(plan: Plan, state: State) -> Iterator[Finding]:
    """What keeps its addresses under another name; a finding each."""
    found: dict[tuple[Key, Key, Location], list[int]] = {}
    for decision in plan.decisions if state.former else ():
        record = kept_by(decision)
        if record is None or record.path not in state.former:
            continue
        former, claim = state.former[record.path], state.claims.get(record.claim)
        if former.claim is not None and claim is not None:
            names = record.claim._replace(slot=""), former.claim._replace(slot="")
            found.setdefault((*names, claim.source), []).append(record.size)
        if former.pool is not None and record.pool in state.pools:
            place = state.pools[record.pool].source
            found.setdefault((record.pool, former.pool, place), []).append(record.size)
    for (now, before, place), sizes in found.items():
        records = "1 record" if len(sizes) == 1 else f"{len(sizes)} records"
        addresses = "1 address" if sum(sizes) == 1 else f"{sum(sizes)} addresses"
        message = f"{now.kind} {now.short} was {before.short}: it keeps {records} with {addresses}"
        yield info("renamed", place, message)


def _is_paused(state: State, record: Allocation) -> bool:
    pool = state.pools.get(record.pool)
    return pool is not None and pool.is_paused


def _paused(held: list[Allocation], state: State) -> Iterator[Finding]:
    """Records that would be released, or free, if their pools were not paused; a finding a pool."""
    resting = {key: list[Allocation]() for key, pool in state.pools.items() if pool.is_paused}
    for record in held:
        resting[record.pool].append(record)
    for record in state.records if resting else ():
        if record.is_released and record.pool in resting:
            resting[record.pool].append(record)
    for key, records in resting.items():
        if records:
            names = few([record.claim.short for record in records])
            message = f"{key.kind} {key.name} is paused: {names} keep their addresses meanwhile"
            yield warning("release-held", state.pools[key].source, message, "end the pause")


def _waiting(records: list[Allocation]) -> Iterator[Finding]:
    """Growth that nobody needs any more, and that goes later; a finding a pool."""
    by_pool: dict[Key, list[Allocation]] = {}
    for record in records:
        by_pool.setdefault(record.pool, []).append(record)
    for key, waiting in by_pool.items():
        names = few([record.claim.short for record in waiting])
        message = (
            f"{names} wait: of the growth of {key.kind} {key.name} a quarter goes in ten minutes"
        )
        yield warning("release-held", Location(waiting[0].path, 1, 1), message, "nothing is lost")


def _misplaced(misplaced: list[tuple[Allocation, str]], state: State) -> Iterator[Finding]:
    """Records that stand elsewhere than they belong, with the path where they do."""
    if not misplaced:
        return
    occupied = {item.path for item in state.unreadable}
    occupied.update(record.path for record in state.records)
    for record, path in misplaced:
        is_free = path not in occupied
        what = "the next reconcile moves it" if is_free else "another record stands there"
        place = Location(record.path, 1, 1)
        yield warning("record-misplaced", place, f"belongs to {path}; {what}")


def _ahead(state: State) -> Iterator[Finding]:
    """Released records that rest from a day on which nobody can have released them yet."""
    for record in state.records:
        since = parse_instant(record.since) if record.is_released else None
        if since is not None and since > state.clock + _SKEW:
            now = format_instant(state.clock)
            message = f"is released as of {record.since}, but the revision is of {now}"
            hint = f"git log -p -- {record.path} tells who wrote that; until then nobody gets it"
            yield warning("record-edited", Location(record.path, 1, 1), message, hint)
