"""What families collect on the way to their reading: what is told, and what gives nothing new."""

from dataclasses import replace

import pytest

from reconciler.documents.document import Document
from reconciler.documents.findings import warning
from reconciler.documents.load import load
from reconciler.families.fields import Collected
from reconciler.model.plan import Blocked, Gateway
from reconciler.planning.documents import source_kinds
from tests.world import evaluation_of, pool

FILE = "pools/edge.yaml"
(POOL,) = evaluation_of({FILE: pool()}).state.pools.values()
(DOCUMENT,) = load(FILE, pool().encode(), source_kinds()).documents
FOUND = warning("pool-empty", DOCUMENT.start, "a message", "a hint")


def test_what_is_told_of_a_document_as_it_was_earlier_is_left_out() -> None:
    collected = Collected()
    collected.tell(replace(DOCUMENT, unread="pools/broken.yaml"), FOUND)
    assert collected.reading().findings == ()
    collected.tell(DOCUMENT, FOUND, FOUND)
    assert collected.reading().findings == (FOUND, FOUND)


@pytest.mark.parametrize(
    "document",
    [replace(DOCUMENT, unread="pools/other.yaml"), replace(DOCUMENT, twice="pools/other.yaml")],
    ids=["unread", "twice"],
)
def test_a_pool_whose_document_is_in_doubt_stays_and_gives_nothing_new(document: Document) -> None:
    collected = Collected()
    collected.add_pool(document, POOL)
    reading = collected.reading()
    assert reading.pools == {POOL.key: POOL}
    assert reading.frozen == {POOL.key: "pools/other.yaml"}


def test_a_reading_holds_all_that_was_collected_in_its_order() -> None:
    collected = Collected()
    collected.add_pool(DOCUMENT, POOL)
    first, last = (POOL.windows[0]._replace(first=it, last=it) for it in (1, 2))
    blocked = tuple(Blocked(item, "somebody", DOCUMENT.start) for item in (last, first))
    gateway = Gateway(first, "the router", (POOL.key,), DOCUMENT.start)
    owner = ("family", "Kind", "space", "name")
    collected.blocked += blocked
    collected.gateways.append(gateway)
    collected.protected += (owner, owner)
    reading = collected.reading()
    assert (reading.blocked, reading.gateways) == (blocked, (gateway,))
    assert reading.protected == frozenset({owner})
    assert not reading.frozen
