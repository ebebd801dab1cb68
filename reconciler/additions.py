"""What a change brings or edits of the things that all others rely on: pools, providers, teams.

It is right, and whoever reviews the change should see it: nobody looks for a new pool in the middle
of a tenant's files. But for one thing: a pool that is in use stays in its address space.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import islice

from msgspec.structs import replace

from reconciler.addresses import IPSet
from reconciler.addresses.notation import format_short
from reconciler.comparison import Base, Compared
from reconciler.documents.document import Document
from reconciler.engine import guard
from reconciler.engine.usage import space_of
from reconciler.evaluate import Evaluation
from reconciler.families import family_of_kind, role_of
from reconciler.families._former import former_of
from reconciler.families._pool_fields import DEFAULT_SPACE
from reconciler.findings import Finding, error, few, info, ordered, warning
from reconciler.gathering import Described
from reconciler.model.key import Key
from reconciler.model.plan import Plan, Usage
from reconciler.model.pool import Pool
from reconciler.model.settings import Settings
from reconciler.unreserved import unreserved

_SHOWN = 5
_LONGEST = 80


def with_additions(base: Base, settings: tuple[Settings, Settings], compared: Compared) -> Compared:
    """A comparison with what the change brings and edits.

    Args:
        base: The base.
        settings: Those of the base, and those of the change.
        compared: What the comparison found.
    """
    evaluation = compared.evaluation
    spaces = [*_spaces(base, settings), *_moved(base, evaluation), *_overlaid(base, evaluation)]
    found = [*_documents(base), *spaces, *_by_hand(base), *_unreserved(base, evaluation)]
    merged = ordered([*evaluation.findings, *found])
    return replace(compared, evaluation=replace(evaluation, findings=merged))


def gated_by_base(base: Base, evaluation: Evaluation) -> Evaluation:
    """An evaluation in which gate and thresholds of each pool are those that it has in the base.

    As those of Settings are: a change cannot relax what judges it.
    """
    state, plan = evaluation.state, evaluation.plan
    theirs = {
        key: (old, now)
        for key, old in base.pools.items()
        if (now := state.pools.get(key)) is not None and _judging(now) != _judging(old)
    }
    if not theirs:
        return evaluation
    judged = {
        key: replace(now, gate=old.gate, thresholds=old.thresholds)
        for key, (old, now) in theirs.items()
    }
    state = replace(state, pools={**state.pools, **judged})
    plan = Plan(plan.decisions, tiered(plan.before, judged), tiered(plan.after, judged))
    tree = evaluation.tree
    others = (item for item in evaluation.gates if item.code != guard.CAPACITY)
    gates = ordered([*others, *guard.capacity(state, plan, tree.settings, tree.overrides)])
    told = [_relaxed(base, old, now) for old, now in theirs.values()]
    return replace(
        evaluation,
        state=state,
        plan=plan,
        gates=gates,
        findings=ordered([*evaluation.findings, *told]),
    )


def _judging(pool: Pool) -> tuple[object, ...]:
    return pool.gate, pool.thresholds


def tiered(usage: Mapping[Key, Usage], judged: Mapping[Key, Pool]) -> dict[Key, Usage]:
    """Usage with the tiers by other thresholds."""
    found = dict(usage)
    for key, pool in judged.items():
        used = found[key].allocated + found[key].held
        found[key] = replace(found[key], tier=pool.thresholds.tier(used, found[key].total))
    return found


def _relaxed(base: Base, old: Pool, now: Pool) -> Finding:
    message = (
        f"gate and thresholds of {now.key.kind} {now.key.name} change from {_levels(old)} to"
        f" {_levels(now)}; this check goes by those of {base.name}"
    )
    return warning("gate-changed", now.source, message)


def _levels(pool: Pool) -> str:
    tiers = pool.thresholds
    gate = pool.gate.value if pool.gate else "never"
    return f"{gate} ({tiers.warning}, {tiers.critical}, {tiers.exhausted})"


def _documents(base: Base) -> Iterator[Finding]:
    """Pools, providers and teams that are new, or say something else."""
    before, now = base.described, base.described_now
    for identity in sorted(now.documents):
        document = now.documents[identity]
        role, old = role_of(document.kind), before.documents.get(identity)
        if not role or (old is not None and old.body == document.body):
            continue
        if old is not None:
            parts = list(islice(_differing(old.body, document.body), _SHOWN + 1))
            more = " and more" if len(parts) > _SHOWN else ""
            message = f"differs from {base.name}: {', '.join(parts[:_SHOWN])}{more}"
            yield info(f"{role}-changed", document.start, f"{document.title} {message}")
        elif identity in before.broken:
            message = f"{document.title} could not be read in {base.name}"
            yield info(f"{role}-changed", document.start, message)
        else:
            pool = now.pools.get(_key(document))
            message = f"{document.title} is new{_extent(pool) if pool is not None else ''}"
            yield info(f"{role}-added", document.start, message)


def _key(document: Document) -> Key:
    """The key of a document's pool."""
    family = family_of_kind(document.kind.id)
    name = family.name if family is not None else ""
    return Key(name, document.namespace, document.name, "", document.kind.name)


def _extent(pool: Pool) -> str:
    where = ", ".join(format_short(item) for item in pool.extent)
    space = f" in address space {pool.space}" if pool.space != DEFAULT_SPACE else ""
    return f": {where}{space}, gate {_levels(pool)}"


def _differing(old: object, new: object, path: str = "") -> Iterator[str]:
    """The fields that differ: as far down as both are mappings."""
    if old == new:
        return
    if not (isinstance(old, Mapping) and isinstance(new, Mapping)):
        yield path
        return
    for name in sorted({**old, **new}):
        below = f"{path}.{name[:_LONGEST]}" if path else name
        yield from _differing(old.get(name), new.get(name), below)


def _spaces(base: Base, settings: tuple[Settings, Settings]) -> Iterator[Finding]:
    """Address spaces that are new."""
    listed, own = settings[0].address_spaces, settings[1]
    for space in own.address_spaces or ():
        if space not in (listed or (DEFAULT_SPACE,)):
            message = f"Settings list address space {space}, which {base.name} does not have"
            yield info("address-space-added", own.location, message)
    for key, pool in base.pools_now.items():
        old = base.pools.get(key)
        if old is None and listed is None and pool.space != DEFAULT_SPACE:
            title = f"{key.kind} {key.name}"
            message = f"{title} is in address space {pool.space}, and Settings list none"
            hint = "list those that are meant in spec.addressSpaces: any other is then an error"
            yield info("address-space-added", pool.source, message, hint)


def adds_addresses(before: Described, now: Described) -> bool:
    """A pool is new or wider: what other address spaces hold bears on it, too."""
    return any(_more(before.pools.get(key), pool) for key, pool in now.pools.items())


def _overlaid(base: Base, evaluation: Evaluation) -> Iterator[Finding]:
    """Pools that are new or wider, over addresses that records of another address space hold."""
    state = evaluation.state
    for key, pool in base.pools_now.items():
        more = _more(base.pools.get(key), pool)
        lives = [
            record
            for record in (state.records if more else ())
            if record.range is not None and more.overlapping(record.range)
            if space_of(state.pools, record) not in (None, pool.space)
        ]
        if not lives:
            continue
        held = few([f"{it.claim.short} {format_short(it.range)}" for it in lives if it.range])
        message = f"{key.kind} {key.name} is in address space {pool.space}, and other spaces hold"
        message += f" addresses of it: {held}; they would be given out a second time"
        hint = "right only where the two networks never meet, behind NAT for example; else remove"
        hint += " the annotation gitops-ipam.dev/address-space, and narrow the pool"
        yield warning("address-space-overlap", pool.source, message, hint)


def _more(old: Pool | None, pool: Pool) -> IPSet:
    """What a pool has more of in its address space than before."""
    if old is None or old.space != pool.space:
        return pool.extent
    return pool.extent - old.extent


def _moved(base: Base, evaluation: Evaluation) -> Iterator[Finding]:
    """Pools that are put into another address space. With what they hold, it would be free anew."""
    former = {_key(it): former_of(it) for it in base.described_now.documents.values()}
    for key, pool in base.pools_now.items():
        name = former.get(key)
        before = key._replace(**name._asdict()) if name is not None else key
        old = base.pools.get(key) or base.pools.get(before)
        if old is None or old.space == pool.space:
            continue
        message = f"{key.kind} {key.name} is put from address space {old.space} into {pool.space}"
        if not (held := _held(pool, evaluation)):
            yield info("address-space-changed", pool.source, message)
        else:
            hint = f"any pool left in {old.space} could give them out again: set it back, and make"
            hint += f" a new pool in {pool.space}; remove this one when nothing holds its addresses"
            message += f" with {held} addresses that are held"
            yield error("address-space-changed", pool.source, message, hint)


def _held(pool: Pool, evaluation: Evaluation) -> int:
    """Addresses of a pool that records hold, or that people set by hand."""
    usage = evaluation.plan.before.get(pool.key)
    by_hand = (
        item.range.size
        for item in evaluation.state.blocked
        if item.by_hand is not None
        and pool.key in (item.by_hand.pools or ())
        and pool.extent.covers(item.range)
    )
    return (usage.allocated + usage.held if usage is not None else 0) + sum(by_hand)


def _unreserved(base: Base, evaluation: Evaluation) -> Iterable[Finding]:
    """Addresses that were reserved, and may be given out."""
    if not any(pool.kept for pool in base.pools.values()):
        return ()

    return unreserved(base, evaluation)


def _by_hand(base: Base) -> Iterator[Finding]:
    """Ranges set by hand that are new, or another one."""
    for title, item in base.described_now.by_hand.items():
        old = base.described.by_hand.get(title)
        text = format_short(item.range)
        if old is None:
            message = f"{text} of {title} is new: it is used without a record"
            yield info("manual-range-added", item.source, message)
        elif old.range != item.range:
            message = f"{text} of {title} was {format_short(old.range)} in {base.name}"
            yield info("manual-range-changed", item.source, message)
