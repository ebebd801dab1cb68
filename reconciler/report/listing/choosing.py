"""Which of the objects `ipam get` shows, and in what order."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.findings import nearest
from reconciler.report.listing.items import Item
from reconciler.report.listing.selector import Labels
from reconciler.report.listing.template import Values
from reconciler.report.standing import asked_range


class Wish(Struct, frozen=True):
    """What is asked for; empty and None ask for everything.

    Attributes:
        names: Names of objects, with or without their namespaces; addresses, CIDRs or ranges.
        has_labels: Whether labels are those that are asked for.
    """

    names: tuple[str, ...] = ()
    namespace: str = ""
    has_labels: Callable[[Labels], bool] | None = None
    pool: str = ""
    team: str = ""


class Chosen(Struct, frozen=True):
    """What was found of it, and of which names nothing was; with the nearest name, or nothing."""

    items: tuple[Item, ...]
    missing: tuple[tuple[str, str], ...] = ()


def choose(items: Sequence[Item], wish: Wish) -> Chosen:
    """Those that are asked for."""
    among = [item for item in items if _is_meant(item, wish)]
    if not wish.names:
        return Chosen(tuple(among))
    there = {name for item in among for name in item.called}
    asked = {name: asked_range(name) for name in wish.names if name not in there}
    spans = [span for span in asked.values() if span is not None]
    named = frozenset(wish.names)
    found = tuple(it for it in among if not named.isdisjoint(it.called) or _is_at(it, spans))
    missing = [
        name
        for name, span in asked.items()
        if span is None or not any(item.is_at(span) for item in found)
    ]
    return Chosen(found, tuple((it, _meant(it, there)) for it in missing))


def _meant(name: str, there: Iterable[str]) -> str:
    """The nearest name, with a namespace where one was asked for with it; or nothing."""
    return nearest(name, sorted(it for it in there if ("/" in it) is ("/" in name)))


def _is_at(item: Item, spans: Iterable[IPRange]) -> bool:
    return any(item.is_at(span) for span in spans)


def _is_meant(item: Item, wish: Wish) -> bool:
    return (
        (not wish.namespace or item.namespace == wish.namespace)
        and (not wish.pool or wish.pool in item.pools)
        and (not wish.team or item.team == wish.team)
        and (wish.has_labels is None or wish.has_labels(_labels(item)))
    )


def _labels(item: Item) -> Labels:
    return (item.body()["metadata"].get("labels") or {}) if item.body is not None else {}


_ORDERS: dict[str, Callable[[Item], Any]] = {
    "name": lambda item: (item.name, item.namespace),
    "namespace": lambda item: (item.namespace, item.name),
    "address": lambda item: (not item.ranges, item.ranges, item.namespace, item.name),
    "pool": lambda item: (item.pools, item.ranges, item.namespace, item.name),
    "team": lambda item: (item.team, item.namespace, item.name),
    "age": lambda item: (item.since, item.namespace, item.name),
}
ORDERS = tuple(_ORDERS)
"""The words by which objects are put in order."""


def in_order(items: Iterable[Item], by: str | Callable[[Any], Values]) -> list[Item]:
    """Objects in the order of a word, or of the value that a path leads to; those without it last."""
    if isinstance(by, str):
        return sorted(items, key=_ORDERS[by])

    def value(item: Item) -> tuple[bool, bool, Any]:
        values = by(item.body()) if item.body is not None else []
        if not values:
            return True, True, ""
        found = values[0]
        is_number = isinstance(found, int | float)
        return False, not is_number, found if is_number else str(found)

    return sorted(items, key=value)
