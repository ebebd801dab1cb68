"""Who has some addresses, or the addresses of somebody: what `ipam who` answers."""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from reconciler.addresses import IPRange
from reconciler.asking.happenings import Happening
from reconciler.asking.named import pools_named
from reconciler.asking.parts import Part, Sort, parts_of
from reconciler.engine.due import retention_end
from reconciler.findings import Location, nearest
from reconciler.model.allocation import Allocation
from reconciler.model.claim import Owner
from reconciler.model.key import Key
from reconciler.model.state import State


class Holder(NamedTuple):
    """What some addresses are.

    Attributes:
        until: When what is held comes free, in seconds since 1970; None where nothing does.
        document: Where a person asks for them, or None.
        giver: Whom the record names, where its claim is for another owner by now; reconcile writes
            that. Else None.
        before: What stands before them in their pool, None of the first ones.
        after: What stands after them.
    """

    part: Part
    until: int | None
    document: Location | None
    before: Part | None
    after: Part | None
    giver: Owner | None = None


def of_ranges(state: State, asked: Iterable[IPRange]) -> list[Holder]:
    """What some addresses are, by address."""
    return _told(state, parts_of(state, asked))


def of_name(state: State, text: str) -> list[Holder]:
    """The addresses of a tenant, a claim or a record, and all of a pool, by address."""
    pools = pools_named(state.pools, text)
    networks = [it for key in pools for it in state.pools[key].extent | state.pools[key].usable]
    found = dict.fromkeys(parts_of(state, networks)) if networks else {}
    kept = {part: None for part in found if part.pool in (None, *pools) or part.sort.is_holder}
    named = {record.path for record in state.records if text in _names(record)}
    named |= {path for path, giver in state.givers.items() if text in (giver.name, giver.short)}
    ranges = [it.range for it in state.records if it.path in named and it.range is not None]
    theirs = [it for it in parts_of(state, ranges) if it.record and it.record.path in named]
    return _told(state, sorted({**kept, **dict.fromkeys(theirs)}, key=_order))


def is_named(item: Happening, text: str) -> bool:
    """It happened to this tenant, claim, record or pool, or was of this tenant before."""
    pool = item.fact.pool.split("/")
    return bears(item, text) or text in (item.fact.pool, pool[-1], "/".join(pool[2:]))


def bears(item: Happening, text: str) -> bool:
    """It happened to this tenant, claim or record, or was of this tenant before."""
    fact, heir = item.fact, item.heir
    named = (fact.owner, item.giver, heir.owner if heir is not None else "")
    owners = [name for it in named if it for name in (it, it.rpartition("/")[2])]
    claims = [name for it in (fact, heir) if it for name in (it.claim, it.name, it.record)]
    return text in (*claims, *owners)


def near(state: State, text: str) -> str:
    """A name that is like this one; empty for none."""
    names = {name for record in state.records for name in _names(record)[:2]}
    names |= {key.name for key in state.pools}
    return nearest(text, sorted(names))


def _names(record: Allocation) -> tuple[str, ...]:
    claim = record.claim
    return (
        *(record.owner.name, record.owner.short, record.name, str(claim), claim.short),
        *(claim.name, "/".join(claim.owner[2:])),
    )


def _order(part: Part) -> tuple[IPRange, str, Sort, str]:
    return part.range, part.space, part.sort, part.title


def _told(state: State, parts: Sequence[Part]) -> list[Holder]:
    rows: dict[tuple[str, Key], list[Part]] = {}
    return [_holder(state, part, _row(state, part, rows)) for part in parts]


def _row(state: State, part: Part, rows: dict[tuple[str, Key], list[Part]]) -> list[Part]:
    """All that stands in the pool of some addresses, by address; made once for each pool."""
    if part.pool is None or part.pool not in state.pools:
        return []
    key = part.space, part.pool
    if key not in rows:
        pool = state.pools[part.pool]
        rows[key] = [
            it for it in parts_of(state, pool.extent | pool.usable) if it.space == part.space
        ]
    return rows[key]


def _holder(state: State, part: Part, row: Sequence[Part]) -> Holder:
    record = part.record
    # What a claim has left rests only once nobody uses it.
    rests = record is not None and record.is_released and not record.announced
    until = retention_end(record, state) if record is not None and rests else None
    claim = state.claims.get(record.claim) if record is not None else None
    lower = [it for it in row if it.range.last < part.range.first]
    upper = [it for it in row if it.range.first > part.range.last]
    return Holder(
        part,
        until,
        claim.source if claim is not None else None,
        lower[-1] if lower else None,
        upper[0] if upper else None,
        state.givers.get(record.path) if record is not None else None,
    )
