"""What Services leave idle: of tenants, and of those whose addresses would make room for a claim."""

from typing import NamedTuple

from reconciler.addresses.notation import format_short
from reconciler.asking.applied import ApplyResult
from reconciler.asking.idle import Idle, headroom, used_of
from reconciler.clusters.announcing import balancer_records
from reconciler.commands.asking import pools_of_name
from reconciler.commands.remedies import LACKS_ROOM, run_with, taken_of
from reconciler.evaluate import Evaluation
from reconciler.families import family_of
from reconciler.families._demand import GROWTH, growth_index
from reconciler.families._mending import Mending
from reconciler.model.allocation import Allocation
from reconciler.model.claim import Claim
from reconciler.model.key import Key
from reconciler.model.plan import Refuse

_MOST = 5
"""Idle records that are named; of the others only how many there are."""


def idle_of(evaluation: Evaluation, result: ApplyResult, pool: str | None) -> Idle:
    """How many addresses of each cluster no Service uses.

    Args:
        evaluation: Of the revision.
        result: What an apply told.
        pool: Name of a pool whose addresses alone count; None for all.

    Raises:
        UsageError: There is no such pool.
    """
    keys = None if pool is None else frozenset(pools_of_name(evaluation, pool))
    records = [it for it in evaluation.state.records if keys is None or it.pool in keys]
    return headroom(balancer_records(records), result, evaluation.tree.revision or "")


class _Found(NamedTuple):
    """A record of which no address is used; it sorts by size."""

    size: int
    cluster: str
    at: str
    record: Allocation


def idle_remedies(evaluation: Evaluation, key: Key, result: ApplyResult) -> list[str]:
    """Which records that nobody uses would make room for a refused claim, the smallest first.

    Nothing is proposed as a patch: whether a tenant still needs its addresses its people know.
    """
    refused = next((it for it in evaluation.plan.decisions if it.claim == key), None)
    claim = evaluation.state.claims.get(key)
    if not isinstance(refused, Refuse) or claim is None or refused.reason not in LACKS_ROOM:
        return []
    found = _found(evaluation, claim, result)
    if not found:
        return ["idle: no record that nobody uses would make room, as far as that apply looked"]
    told = [_told(evaluation, item, claim) for item in found[:_MOST]]
    if len(found) > _MOST:
        told.append(f"idle: {len(found) - _MOST} more records would do, all as large or larger")
    if result.revision != evaluation.tree.revision:
        told.append(f"idle is told by an apply of another revision, {result.revision[:12]}")
    return told


def _found(evaluation: Evaluation, claim: Claim, result: ApplyResult) -> list[_Found]:
    state = evaluation.state
    idle = [
        (cluster, record)
        for cluster, records in balancer_records(state.records).items()
        for record in records
        if record.is_live and used_of(record, cluster, result) == 0
    ]
    found = set[_Found]()
    for key in claim.candidates:
        pool = state.pools[key]
        free = pool.usable - taken_of(evaluation, pool) if idle else pool.usable
        for cluster, record in idle:
            item = record.range
            if item is None or record.pool != key or not pool.usable.covers(item):
                continue
            if claim.pin is None and run_with(free, item) >= claim.size:
                found.add(_Found(item.size, cluster, format_short(item), record))
    return sorted(found)


def _told(evaluation: Evaluation, found: _Found, claim: Claim) -> str:
    record = found.record
    size = "address" if found.size == 1 else "addresses"
    whom = f"team {record.owner.team}" if record.owner.team else f"who owns {found.cluster}"
    return (
        f"idle: no Service of {found.cluster} uses {found.at} ({found.size} {size},"
        f" {record.path}); without it {claim.size} are free, once its retention has ended."
        f" Ask {whom}: {_way(evaluation, record)}"
    )


def _way(evaluation: Evaluation, record: Allocation) -> str:
    """The reviewed way to give a record back."""
    if record.role == GROWTH and growth_index(record):
        return "it is growth, and goes by itself when it was unused for elastic.shrinkAfter"
    claim = evaluation.state.claims.get(record.claim)
    where = f": {claim.source}" if claim is not None else ""
    family = family_of(record.claim.family)
    way = (family.mending if family is not None else Mending()).given_back(record)
    return f"what gives it back is {way}{where}"
