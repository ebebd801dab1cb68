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
    + "    # what follows\n    defaults: {nodesPerTenant: 2}\n"
)


def appended(text: str, item: dict[str, str | int], at: int = 0) -> str | None:
    data = with_item(document(text, at), REFS, item)
    return None if data is None else data.decode()


def test_an_item_is_added_below_the_last_one_and_comments_stay() -> None:
    wanted = BLOCK.replace("# until Friday\n", "# until Friday\n      - name: far\n")
    assert appended(BLOCK, {"name": "far"}) == wanted


@pytest.mark.parametrize("refs", ["[{name: edge}]", "[ {name: edge}\n      ]"])
def test_an_item_is_added_to_a_list_in_flow(refs: str) -> None:
    wanted = provider(pools=refs.replace("}", "}, {name: far, priority: 2}"))
    assert appended(provider(pools=refs), {"name": "far", "priority": 2}) == wanted


def test_an_item_in_flow_gets_one_in_flow_below_it() -> None:
    text = provider(pools="\n    - {name: edge}")
    wanted = text.replace("- {name: edge}\n", "- {name: edge}\n    - {name: far}\n")
    assert appended(text, {"name": "far"}) == wanted


def test_the_second_document_of_a_file_and_its_line_breaks_are_kept() -> None:
    text = f"{provider('other')}---\n{BLOCK}".replace("\n", "\r\n")
    wanted = text.replace("# until Friday\r\n", "# until Friday\r\n      - name: far\r\n")
    assert appended(text, {"name": "far"}, at=1) == wanted


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
