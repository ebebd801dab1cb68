"""Edits of lists in a file of people, where everything else stays as they wrote it."""

import pytest

from reconciler.documents.edit import Edit, with_edits, with_item
from tests.documents.test_editing import document
from tests.world import pool, provider

REFS = ("spec", "network", "poolRefs")
BLOCK = provider(pools="\n      # first\n      - name: edge  # until Friday\n      # the end")
RANGES = (
    pool()
    + "  tenantAllocation:\n    ranges:\n    - start: 10.40.0.0\n      end: 10.40.0.9 # why\n"
    + "    # the rest\n    defaults: {nodesPerTenant: 2}\n"
)


def appended(text: str, item: dict[str, str | int], at: int = 0) -> str | None:
    data = with_item(document(text, at), REFS, item)
    return None if data is None else data.decode()


FLOW = [provider(pools=refs) for refs in ("[{name: edge}]", "[ {name: edge}\n      ]")]
INNER = provider(pools="\n    - {name: edge}")
SECOND = f"{provider('other')}---\n{BLOCK}".replace("\n", "\r\n")


@pytest.mark.parametrize(
    ("text", "at", "old", "new"),
    [
        (BLOCK, 0, "# until Friday\n", "# until Friday\n      - name: far\n"),
        *((text, 0, "{name: edge}", "{name: edge}, {name: far}") for text in FLOW),
        (INNER, 0, "- {name: edge}\n", "- {name: edge}\n    - {name: far}\n"),
        (SECOND, 1, "# until Friday\r\n", "# until Friday\r\n      - name: far\r\n"),
        (f"---\n---\n{BLOCK}", 0, "# until Friday\n", "# until Friday\n      - name: far\n"),
    ],
)
def test_an_item_is_added_as_the_others_stand_there(text: str, at: int, old: str, new: str) -> None:
    assert appended(text, {"name": "far"}, at) == text.replace(old, new)


def test_a_file_without_a_last_line_break_gets_none() -> None:
    text = provider(pools="\n    - name: edge").rstrip("\n")
    assert appended(text, {"name": "far"}) == f"{text}\n    - name: far"


def test_several_edits_are_made_in_one_document() -> None:
    item = {"start": "10.40.1.0", "end": "10.40.1.255"}
    edits = (
        Edit(("spec", "cidr"), "10.40.0.0/23"),
        Edit(("spec", "tenantAllocation", "ranges"), item, is_item=True),
        Edit(("spec", "tenantAllocation", "ranges", 0, "end"), "10.40.0.8"),
    )
    data = with_edits(document(RANGES), edits)
    assert data is not None
    assert data.decode() == RANGES.replace("10.40.0.0/24", "10.40.0.0/23").replace(
        "end: 10.40.0.9 # why\n",
        "end: 10.40.0.8 # why\n    - start: 10.40.1.0\n      end: 10.40.1.255\n",
    )


def test_what_is_no_list_or_cannot_be_added_to_at_its_place_is_not_edited() -> None:
    assert with_item(document(pool()), ("spec", "cidr"), "x") is None
    assert with_item(document(pool()), ("spec", "reserved"), "x") is None
    odd = provider(pools="\n    -\n      name: edge")
    assert appended(odd, {"name": "far"}) is None
    missing = (Edit(("spec", "reserved"), "x", is_item=True), Edit(("spec", "cidr"), "y"))
    assert with_edits(document(pool()), missing) is None
