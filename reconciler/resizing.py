"""Pools that a change makes larger or smaller: how full they were stands beside what they become."""

from msgspec.structs import replace

from reconciler.comparison import Base, Compared
from reconciler.engine.usage import Holdings, usage
from reconciler.model.plan import Plan


def with_sizes_of_base(base: Base, compared: Compared) -> Compared:
    """A comparison in which a pool that gives out other addresses is told as its base has it.

    Its usage before the plan is by the addresses of the base, after it by those of the change.
    """
    evaluation = compared.evaluation
    state, plan = evaluation.state, evaluation.plan
    old = {
        key: pool
        for key, pool in base.pools.items()
        if key in plan.before and key in state.pools and state.pools[key].usable != pool.usable
    }
    if not old:
        return compared
    holdings = Holdings({**state.pools, **old}, state.records)
    before = {**plan.before, **{key: usage(pool, holdings) for key, pool in old.items()}}
    plan = Plan(plan.decisions, before, plan.after)
    return replace(compared, evaluation=replace(evaluation, plan=plan))
