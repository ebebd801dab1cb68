"""What somebody did to the records of a claim, file by file, and the words for it."""

from collections.abc import Iterable, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.addresses.notation import format_short
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.model.record_kind import HELD_OF
from reconciler.records.recall import Recalled

Paths = Mapping[str, bytes | None]
"""Files by path; None for one that goes."""

_REMOVE = "remove it: records are written by ipam reconcile alone"
_REVERT = "revert the change: records are written by ipam reconcile alone"


class Stated(Struct, frozen=True):
    """A record file: its bytes, and what they state."""

    data: bytes
    recalled: Recalled


class Hand(Struct):
    """What was done to the records of one claim; `is_known`: the base has one of it."""

    is_known: bool = False
    before: dict[str, Stated] = field(default_factory=dict)
    now: dict[str, Stated] = field(default_factory=dict)

    @property
    def files(self) -> Paths:
        """What its files became."""
        gone: dict[str, bytes | None] = dict.fromkeys(self.before)
        return gone | {path: item.data for path, item in self.now.items()}


class Told(Struct, frozen=True):
    """What is said of one record.

    Attributes:
        is_error: It states something else than it did.
        is_news: It is told where every byte does not count, too.
        is_added: The base has no record of the claim that it could have been.
    """

    path: str
    code: str
    message: str
    hint: str
    is_error: bool = False
    is_news: bool = True
    is_added: bool = False

    @property
    def is_removed(self) -> bool:
        """It is not there any more."""
        return self.code == "record-removed"


def of_claim(hand: Hand, base: str, after: Mapping[Key, Allocation]) -> Iterable[Told]:
    """What is told of it; with the name of the base, and what claims hold once it is planned."""
    gone = {path: item for path, item in hand.before.items() if path not in hand.now}
    for path, item in hand.now.items():
        old = hand.before.get(path)
        came_from = "" if old is not None or not gone else min(gone)
        if came_from:
            old = gone.pop(came_from)
        if old is None:
            yield replace(_added(path, item), is_added=not (hand.before or hand.is_known))
        else:
            yield _edited(path, came_from, old, item, base)
    for path, item in gone.items():
        yield _removed(path, item, after)


def _added(path: str, item: Stated) -> Told:
    new = item.recalled.allocation
    whose = f"{new.claim.short} holds {_held(new)}" if new is not None else "it holds something"
    hint = f"{_REMOVE}; to bring one in, merge an Override of kind record for {path} first"
    is_error = new is None or new.range is not None
    return Told(path, "record-edited", f"is added by hand: {whose}", hint, is_error)


def came_along(item: Told) -> str:
    """What mends a record that is added where none was: with a root that moves it has to stay."""
    hint = "if the root was moved with its records, leave it, or its addresses are given out anew,"
    hint += f" and merge an Override of kind record for {item.path.partition('/')[0]}/ first"
    return f"{hint}; else {_REMOVE}"


def _edited(path: str, came_from: str, old: Stated, item: Stated, base: str) -> Told:
    before, new = old.recalled.allocation, item.recalled.allocation
    what = f"is moved by hand from {came_from}" if came_from else "is edited by hand"
    if before is None or new is None:
        message = f"{what}: in {base} it could not be read"
        return Told(path, "record-edited", message, _REVERT, is_news=False)
    is_error = _facts(before) != _facts(new)
    message = f"{what}: {before.claim.short} holds {_held(before)} in {base}"
    if before.held_of != new.held_of:
        message += (
            f"; {HELD_OF} was {before.held_of or 'not there'}, {new.held_of or 'not there'} now"
        )
    hint = f"{_REVERT}; to move a claim: ipam move"
    return Told(path, "record-edited", message, hint, is_error, is_error or bool(came_from))


def _removed(path: str, item: Stated, after: Mapping[Key, Allocation]) -> Told:
    old = item.recalled.allocation
    if old is None:
        message = "is removed by hand: what it holds could not be read"
        return Told(path, "record-removed", message, _REVERT, is_news=False)
    new = after.get(old.claim)
    if new is not None and new.range is not None:
        gets = f"it gets {format_short(new.range)}"
    else:
        gets = "the addresses are free at once, without retention"
    message = f"is removed by hand: {old.claim.short} held {_held(old)}; {gets}"
    hint = "revert the removal unless that is meant"
    if new is not None and new.range != old.range:
        hint += "; to move a claim: ipam move"
    return Told(path, "record-removed", message, hint)


def _held(record: Allocation) -> str:
    return format_short(record.range) if record.range else "nothing"


def _facts(record: Allocation) -> Allocation:
    """All that a record states, whatever its form and place."""
    return replace(record, path="", pristine=True, adopted=False)
