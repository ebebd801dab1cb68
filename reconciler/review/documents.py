"""New and changed pools, providers, teams, and manual ranges."""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING

from reconciler.addresses.notation import format_short
from reconciler.families import key_of, role_of
from reconciler.families._pool_fields import DEFAULT_SPACE
from reconciler.findings import Finding, info
from reconciler.model.pool import Pool
from reconciler.review.pools import levels

if TYPE_CHECKING:
    from reconciler.review.change import Change

_MAX_FIELDS = 5
_MAX_NAME = 80


def shared_documents(change: "Change") -> Iterator[Finding]:
    """Report pools, providers, and teams that are new or differ."""
    before, now = change.before, change.after
    for identity in sorted(now.documents):
        document = now.documents[identity]
        role, old = role_of(document.kind), before.documents.get(identity)
        if not role or (old is not None and old.body == document.body):
            continue
        if old is not None:
            parts = list(islice(_differing(old.body, document.body), _MAX_FIELDS + 1))
            more = " and more" if len(parts) > _MAX_FIELDS else ""
            message = f"differs from {change.name}: {', '.join(parts[:_MAX_FIELDS])}{more}"
            yield info(f"{role}-changed", document.start, f"{document.title} {message}")
        elif identity in before.broken:
            message = f"{document.title} could not be read in {change.name}"
            yield info(f"{role}-changed", document.start, message)
        else:
            pool = now.pools.get(key_of(document))
            message = f"{document.title} is new{_extent(pool) if pool is not None else ''}"
            yield info(f"{role}-added", document.start, message)


def _extent(pool: Pool) -> str:
    where = ", ".join(format_short(item) for item in pool.extent)
    space = f" in address space {pool.space}" if pool.space != DEFAULT_SPACE else ""
    return f": {where}{space}, gate {levels(pool)}"


def _differing(old: object, new: object, path: str = "") -> Iterator[str]:
    """Return the paths of the fields that differ, as deep as both sides are mappings."""
    if old == new:
        return
    if not (isinstance(old, Mapping) and isinstance(new, Mapping)):
        yield path
        return
    for name in sorted({**old, **new}):
        below = f"{path}.{name[:_MAX_NAME]}" if path else name
        yield from _differing(old.get(name), new.get(name), below)


def manual_ranges(change: "Change") -> Iterator[Finding]:
    """Report ranges without a record that are new or differ."""
    for title, item in change.after.by_hand.items():
        old = change.before.by_hand.get(title)
        text = format_short(item.range)
        if old is None:
            message = f"{text} of {title} is new: it is used without a record"
            yield info("manual-range-added", item.source, message)
        elif old.range != item.range:
            message = f"{text} of {title} was {format_short(old.range)} in {change.name}"
            yield info("manual-range-changed", item.source, message)
