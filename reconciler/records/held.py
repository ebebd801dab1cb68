"""The mark of a record whose release a brake holds back: how many live records there were by then.

Whoever comes later makes no share smaller: what was too much when it was held stays too much.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any

from msgspec.structs import replace

from reconciler.model.allocation import Allocation
from reconciler.model.change import Change
from reconciler.model.key import Key
from reconciler.records.emit import record_text
from reconciler.records.forms import COUNT

_COUNT = re.compile(COUNT, re.ASCII)
_FEWEST = 1


def held_in(said: Any) -> int:
    """The number that a mark says; 0 without one.

    One that says no number says the fewest: then each release is all that there was.
    """
    if said is None:
        return 0
    text = str(said)
    return int(text) if _COUNT.fullmatch(text) else _FEWEST


def held_of(
    released: Iterable[Allocation], lost: Mapping[Key | str, int] = MappingProxyType({})
) -> int:
    """The smallest number that marks say of records that come free; 0 when none says one.

    Args:
        released: Those records.
        lost: Marks that somebody took away, by claim.
    """
    return least(*(of for it in released for of in (it.held_of, lost.get(it.claim, 0))))


def least(*marks: int) -> int:
    """The smallest of the numbers that marks say; 0 when none says one."""
    return min(filter(None, marks), default=0)


def marks(
    records: Iterable[Allocation],
    held: Collection[str],
    live: int,
    earlier: Mapping[Key | str, int],
) -> Iterator[Change]:
    """The files of records whose release is held back, each with a mark.

    Args:
        records: All of them.
        held: The paths of those.
        live: How many live records there are. One that has a mark keeps it.
        earlier: Marks that somebody took away or edited, by claim: they come back.
    """
    for record in records:
        if record.path not in held:
            continue
        of = least(record.held_of, earlier.get(record.claim, 0)) or live
        if of != record.held_of or not record.pristine:
            yield Change(record.path, record_text(replace(record, held_of=of)).encode())
