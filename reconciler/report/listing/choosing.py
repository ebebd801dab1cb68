"""Which of the objects `ipam get` shows, and in what order; label selectors as `kubectl -l` takes them.

Source:
    Kubernetes documentation, "Labels and Selectors": `a=b`, `a==b`, `a!=b`, `a in (b,c)`,
    `a notin (b)`, `a` and `!a`, with commas between. As there, `a!=b` and `a notin (b)` hold where
    there is no such label.
"""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.findings import nearest
from reconciler.report.listing.items import Item
from reconciler.report.standing import asked_range

Labels = Mapping[str, str]


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


def in_order(items: Iterable[Item], by: str) -> list[Item]:
    """Sort objects by one of `ORDERS`."""
    return sorted(items, key=_ORDERS[by])


_KEY = r"(?P<key>[A-Za-z0-9](?:[-\w./]*[A-Za-z0-9])?)"
_SET = re.compile(rf"{_KEY}\s+(?P<how>in|notin)\s*\((?P<values>[^()]*)\)", re.ASCII)
_EQUAL = re.compile(rf"{_KEY}\s*(?P<how>==|=|!=)\s*(?P<values>[-\w.]*)", re.ASCII)
_THERE = re.compile(rf"(?P<how>!?)\s*{_KEY}", re.ASCII)
_PARTS = re.compile(r",(?![^()]*\))")


class SelectorError(ValueError):
    """A text is no selector."""


class _Term(NamedTuple):
    key: str
    holds: Callable[[str | None], bool]


def parse_selector(text: str) -> Callable[[Labels], bool]:
    """Whether labels are what a selector asks for.

    Raises:
        SelectorError: It is none; the message names the part that cannot be read.
    """
    terms = [_term(part.strip()) for part in _PARTS.split(text)] if text.strip() else []
    return lambda labels: _holds(terms, labels)


def _holds(terms: Sequence[_Term], labels: Labels) -> bool:
    return all(term.holds(labels.get(term.key)) for term in terms)


def _term(text: str) -> _Term:
    if found := _SET.fullmatch(text):
        values = frozenset(value.strip() for value in found["values"].split(","))
        is_in = found["how"] == "in"
        return _Term(found["key"], lambda value: (value in values) is is_in)
    if found := _EQUAL.fullmatch(text):
        wanted, is_same = found["values"], found["how"] != "!="
        return _Term(found["key"], lambda value: (value == wanted) is is_same)
    if found := _THERE.fullmatch(text):
        is_there = not found["how"]
        return _Term(found["key"], lambda value: (value is not None) is is_there)
    raise SelectorError(f"{text!r} is no term of a label selector")
