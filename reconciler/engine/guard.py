"""Limits on what one plan may do: how full it may make a pool, how much it may release."""

from collections.abc import Iterator

from reconciler.engine.usage import percentage
from reconciler.findings import Finding, Location, gate
from reconciler.model.instant import format_instant
from reconciler.model.plan import Plan, Refuse, Release
from reconciler.model.settings import Settings
from reconciler.model.state import State

CAPACITY = "capacity"
"""The code of what takes a pool to a tier that may not be reached."""


def refusals(plan: Plan) -> Iterator[Finding]:
    """Each refused claim as a gate at the place of the claim."""
    for decision in plan.decisions:
        if isinstance(decision, Refuse):
            message = f"{decision.claim.short}: {decision.message}"
            yield gate(decision.reason, decision.source, message, decision.hint)


def capacity(state: State, plan: Plan) -> Iterator[Finding]:
    """Pools that the plan fills further, into a tier that may not be reached.

    A pool that was as full before is no reason to stop a change that does not touch it.
    """
    for key, pool in state.pools.items():
        before, after = plan.before[key], plan.after[key]
        used_before, used_after = before.allocated + before.held, after.allocated + after.held
        if pool.gate is None or after.tier.rank < pool.gate.rank:
            continue
        if used_after * before.total > used_before * after.total:
            yield gate(
                CAPACITY,
                pool.source,
                f"{key.name} goes from {before.percent}% to {after.percent}%"
                f" ({used_after} of {after.total}): tier {after.tier}",
                f"widen the pool or add another; the gate is {pool.gate}",
            )


def clock(ahead: int | None, used: int) -> Iterator[Finding]:
    """A committer date that no clock can have shown yet: by it, all retention would have ended.

    Args:
        ahead: The date, if it is so.
        used: The clock of the plan instead.
    """
    if ahead is not None:
        yield gate(
            "clock-ahead",
            Location("."),
            f"the commit is dated {format_instant(ahead)}, over an hour ahead of now;"
            f" nothing expires, and what is written is dated {format_instant(used)}",
            "set the clock that is wrong, here or where it was committed, and commit again",
        )


def brake(live: int, plan: Plan, settings: Settings, allowed: int | None) -> Finding | None:
    """A plan that releases more than Settings let pass, unless a person named the number.

    Args:
        live: How many records are live before the plan.
        plan: The plan.
        settings: Where the limits are.
        allowed: How many releases a person expects (`--allow-release`), or None.
    """
    releases = sum(1 for decision in plan.decisions if isinstance(decision, Release))
    if releases == 0 or (allowed is not None and releases <= allowed):
        return None
    share = f"{releases} of {live} live records ({percentage(releases, live)}%)"
    hint = f"if that is meant: ipam reconcile --allow-release {releases}"
    waits = "; none of that is carried out"
    place = Location(settings.location.path, settings.location.line, settings.location.column)
    if releases == live:
        return gate("brake", place, f"the plan releases everything: {share}{waits}", hint)
    if live >= settings.min_records and 100 * releases > settings.max_release_percent * live:
        limit = f"over the {settings.max_release_percent}% of brakes.maxReleasePercent"
        return gate("brake", place, f"the plan releases {share}, {limit}{waits}", hint)
    return None
