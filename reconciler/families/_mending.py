"""How documents of a family may be changed so that a refused claim gets its addresses."""

from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from msgspec import Struct

from reconciler.documents.document import Document, Documents
from reconciler.documents.edit import Edit
from reconciler.model.allocation import Allocation
from reconciler.model.claim import Claim
from reconciler.model.key import Key
from reconciler.model.pool import Pool


class Mend(NamedTuple):
    """A change of one document. Whether it helps is not known before it was tried."""

    says: str
    document: Document
    edits: tuple[Edit, ...]


def _no_size(documents: Documents, claim: Claim, size: int) -> Mend | None:
    del documents, claim, size
    return None


def _no_room(documents: Documents, pool: Pool, lacking: int) -> Iterator[Mend]:
    del documents, pool, lacking
    yield from ()


def _no_pool(documents: Documents, claim: Claim, pools: Mapping[Key, Pool]) -> Iterator[Mend]:
    del documents, claim, pools
    yield from ()


def _removed(record: Allocation) -> str:
    return f"a change that removes the {record.claim.kind}"


class Mending(Struct, frozen=True):
    """What can be edited.

    Attributes:
        smaller: A claim asks for so many addresses; None where its document says no size.
        widened: A pool gives out at least so many addresses more, the smallest change first.
        added: Another pool serves the claim, too: one change for each that is there.
        given_back: The change that gives back what a record holds which nobody uses, in words.
    """

    smaller: Callable[[Documents, Claim, int], Mend | None] = _no_size
    widened: Callable[[Documents, Pool, int], Iterator[Mend]] = _no_room
    added: Callable[[Documents, Claim, Mapping[Key, Pool]], Iterator[Mend]] = _no_pool
    given_back: Callable[[Allocation], str] = _removed
