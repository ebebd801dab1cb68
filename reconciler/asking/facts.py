"""What one version of a record said, as far as histories tell it."""

from typing import NamedTuple

from reconciler.addresses import IPRange
from reconciler.model.allocation import Allocation


class Fact(NamedTuple):
    """What one version of a record said.

    Attributes:
        claim: The claim's key as text.
        name: The claim, as a person calls it.
        owner: `namespace/name` of whom the addresses are for.
        record: The name of the record.
        pool: The pool's key as text.
        range: What it held; None for nothing.
        phase: Its phase.
        is_growth: It is more for a tenant that had some: its cluster or its document asked for it.
        is_announced: Its claim left what it holds, which is announced until nobody uses it.
        type: What its addresses are for, such as `loadbalancer`.
    """

    claim: str
    name: str
    owner: str
    record: str
    team: str
    pool: str
    range: IPRange | None
    phase: str
    is_growth: bool
    is_announced: bool = False
    type: str = ""


def fact_of(record: Allocation | None) -> Fact | None:
    """What a version of a record says; None where nobody could read it."""
    if record is None:
        return None
    return Fact(
        str(record.claim),
        record.claim.short,
        record.owner.short,
        record.name,
        record.owner.team,
        str(record.pool),
        record.range,
        record.phase.value,
        record.role == "growth" or record.claim.slot_order[1] > 0,
        record.announced,
        record.type,
    )
