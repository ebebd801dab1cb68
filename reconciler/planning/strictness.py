"""Stricter limits of two revisions."""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from reconciler.documents.findings import Finding, Location, ordered, warning
from reconciler.model.key import Key
from reconciler.model.plan import Plan, Usage
from reconciler.model.pool import Pool, Thresholds
from reconciler.model.settings import PATH, Settings, stricter_gate
from reconciler.planning import release_limit
from reconciler.planning.evaluate import Evaluation, with_brake
from reconciler.planning.usage import Holdings, usage


def judged_by_base(pools: Mapping[Key, Pool], evaluation: Evaluation) -> Evaluation:
    """Return an evaluation in which pools keep the limits and thresholds of the base.

    Args:
        pools: Pools of the base that the change touches.
        evaluation: The evaluation of the change.
    """
    state, plan = evaluation.state, evaluation.plan
    judged = {
        key: replace(now, gate=old.gate, thresholds=old.thresholds)
        for key, old in pools.items()
        if (now := state.pools.get(key)) is not None and _limits(now) != _limits(old)
    }
    if not judged:
        return evaluation
    state = replace(state, pools={**state.pools, **judged})
    plan = Plan(plan.decisions, tiered(plan.before, judged), tiered(plan.after, judged))
    tree = evaluation.tree
    others = (item for item in evaluation.gates if item.code != release_limit.CAPACITY)
    gates = ordered([*others, *release_limit.capacity(state, plan, tree.settings, tree.overrides)])
    return replace(evaluation, state=state, plan=plan, gates=gates)


def _limits(pool: Pool) -> tuple[object, ...]:
    return pool.gate, pool.thresholds


def tiered(usages: Mapping[Key, Usage], judged: Mapping[Key, Pool]) -> dict[Key, Usage]:
    """Return usages with tiers by other thresholds."""
    found = dict(usages)
    for key, pool in judged.items():
        used = found[key].allocated + found[key].held
        found[key] = replace(found[key], tier=pool.thresholds.tier(used, found[key].total))
    return found


def with_sizes_of_base(pools: Mapping[Key, Pool], evaluation: Evaluation) -> Evaluation:
    """Return an evaluation with usage before the plan by the pools of the base."""
    state, plan = evaluation.state, evaluation.plan
    old = {
        key: pool
        for key, pool in pools.items()
        if key in plan.before and key in state.pools and state.pools[key].usable != pool.usable
    }
    if not old:
        return evaluation
    holdings = Holdings({**state.pools, **old}, state.records)
    before = {**plan.before, **{key: usage(pool, holdings) for key, pool in old.items()}}
    return replace(evaluation, plan=Plan(plan.decisions, before, plan.after))


def held_to(evaluation: Evaluation, earlier: Settings, name: str) -> Evaluation:
    """Return an evaluation by the stricter of its own limits and earlier ones.

    Args:
        evaluation: The evaluation by its own Settings.
        earlier: The Settings of the last reconcile commit.
        name: The id of that commit.
    """
    tree, state, plan = evaluation.tree, evaluation.state, evaluation.plan
    own, strict = tree.settings, tree.settings.held_to(earlier)
    if strict == own:
        return evaluation
    judged = {key: _judged(pool, own, strict) for key, pool in state.pools.items()}
    there = {key: pool for key, pool in judged.items() if key in plan.after}
    full = Plan(plan.decisions, plan.before, tiered(plan.after, there))
    capacity = release_limit.capacity(replace(state, pools=judged), full, strict, tree.overrides)
    others = (item for item in evaluation.gates if item.code != release_limit.CAPACITY)
    settings = replace(
        own, max_release_percent=strict.max_release_percent, min_records=strict.min_records
    )
    found = replace(
        evaluation,
        tree=replace(tree, settings=settings),
        gates=ordered([*others, *capacity]),
        findings=ordered([*evaluation.findings, *loosened(own, earlier, name)]),
    )
    return with_brake(found)


def loosened(own: Settings, earlier: Settings, name: str) -> Iterator[Finding]:
    """Return the finding for Settings that are looser than in the last reconcile commit."""
    strict = own.held_to(earlier)
    fields = (
        ("brakes.maxReleasePercent", own.max_release_percent, strict.max_release_percent),
        ("brakes.minRecords", own.min_records, strict.min_records),
        ("gate", own.gate or "never", strict.gate or "never"),
        ("thresholds", _listed(own.thresholds), _listed(strict.thresholds)),
    )
    told = [f"{field} {now} (there {then})" for field, now, then in fields if now != then]
    if told:
        place = own.location if own.location.path == PATH else Location(PATH, 1, 1)
        yield warning(
            "settings-loosened",
            place,
            f"looser than in commit {name}, the newest reconcile commit: {', '.join(told)};"
            " the stricter counts until reconcile has committed something by these",
            "to let something pass now: an Override, or ipam reconcile --allow-release",
        )


def _judged(pool: Pool, own: Settings, strict: Settings) -> Pool:
    """Return a pool with the stricter Settings for all limits that are not its own."""
    gate = stricter_gate(pool.gate, strict.gate) if pool.gate is own.gate else pool.gate
    levels = zip(
        pool.thresholds.levels, own.thresholds.levels, strict.thresholds.levels, strict=True
    )
    thresholds = Thresholds(*(then if now == of else now for now, of, then in levels))
    return replace(pool, gate=gate, thresholds=thresholds)


def _listed(levels: Thresholds) -> str:
    return "/".join(map(str, levels.levels))
