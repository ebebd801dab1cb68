"""A tenant's load-balancer claims: its first one, and a further one whenever it asks for more.

Nothing that it holds ever moves or goes because a size changed (`docs/kinds/TenantCluster.md`).
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.model.allocation import Allocation
from reconciler.model.claim import Claim, Near
from reconciler.model.key import Key

SLOT = "loadbalancer"


class Standing(Struct, frozen=True):
    """What a tenant holds and asks for, of load-balancer addresses.

    Attributes:
        first: The record of its own claim, if that holds something.
        instead: The claim of the request that is its own claim, with the record of it, if any.
        more: Records of further ranges that a person asked for, by their numbers.
        number: The number of the next one.
        stated: The size that its document states, or None.
        default: The size of its first claim when it states none; 0 for no claim.
        pin: The range that its document pins, and the pool that has it, or None.
    """

    first: Allocation | None
    instead: tuple[Claim, Allocation | None] | None
    more: Sequence[Allocation]
    number: int
    stated: int | None
    default: int
    pin: tuple[Key, IPRange] | None


class Wanted(Struct, frozen=True):
    """One claim, as far as it follows from sizes."""

    slot: str
    size: int
    fixed: bool = False
    pin: IPRange | None = None
    near: Near | None = None
    beside: Key | None = None
    is_open: bool = False


def is_elsewhere(standing: Standing) -> bool:
    """It holds another range than the one that its document pins."""
    first, pin = standing.first, standing.pin
    return first is not None and first.is_live and pin is not None and first.range != pin[1]


def wanted(standing: Standing, own: Key) -> Iterator[Wanted]:
    """The claims of a tenant.

    Args:
        standing: What it holds and asks for.
        own: The key of its first claim.
    """
    first, stated = standing.first, standing.stated
    pin = standing.pin[1] if standing.pin is not None and not is_elsewhere(standing) else None
    size = first_size(standing)
    if standing.instead is None and size > 0:
        is_open = first is None or not first.is_live
        fixed = stated is not None or pin is not None
        yield Wanted(SLOT, size, fixed, pin, is_open=is_open)
    kept = _kept(standing, size)
    for record in kept:
        yield Wanted(record.claim.slot, record.size)
    held = size + sum(record.size for record in kept)
    near = _near(standing, kept, held)
    if stated is not None and stated > held:
        yield Wanted(
            f"{SLOT}-{standing.number}", stated - held, near=near, beside=_beside(standing, own)
        )


def first_size(standing: Standing) -> int:
    """Addresses of its first claim; 0 for none. What holds some keeps just those."""
    first, stated = standing.first, standing.stated
    if standing.instead is not None:
        return standing.instead[0].size
    if first is not None and first.is_live:
        return first.size
    if standing.pin is not None:
        return standing.pin[1].size
    if stated is None:
        return standing.default
    if first is not None and first.size <= stated:
        return first.size  # the same range again; what lacks is a further one
    return max(stated - sum(it.size for it in standing.more if it.is_live), 0)


def holding(standing: Standing) -> list[Allocation]:
    """The records that hold its load-balancer addresses, the first one first."""
    own = standing.instead[1] if standing.instead is not None else standing.first
    return [it for it in (own, *standing.more) if it is not None and it.is_live]


def _kept(standing: Standing, size: int) -> list[Allocation]:
    """Further ranges: all that are live; and of those in retention as many as it asks for again."""
    kept = [record for record in standing.more if record.is_live]
    lacking = (standing.stated or 0) - size - sum(record.size for record in kept)
    for record in standing.more:
        if not record.is_live and record.size <= lacking:
            kept.append(record)
            lacking -= record.size
    return kept


def _near(standing: Standing, kept: Sequence[Allocation], held: int) -> Near | None:
    """The last range that it got; None where there is none yet."""
    own = standing.instead[1] if standing.instead is not None else standing.first
    last = next((it for it in (*reversed(kept), own) if it is not None and it.range), None)
    if last is not None and last.range is not None:
        return Near(last.pool, last.range, held)
    if standing.instead is not None:
        claim, _ = standing.instead
        return (
            Near(claim.candidates[0], claim.pin, held) if claim.pin and claim.candidates else None
        )
    return Near(*standing.pin, held) if standing.pin is not None else None


def _beside(standing: Standing, own: Key) -> Key | None:
    """The first claim, without which nothing is added: it holds nothing yet."""
    if standing.instead is not None:
        claim, record = standing.instead
        return None if record is not None and record.is_live else claim.key
    return None if standing.first is not None and standing.first.is_live else own
