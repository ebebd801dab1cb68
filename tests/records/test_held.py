"""The mark of a record whose release a brake holds back, as it is read."""

import pytest

from reconciler.records.held import held_in, held_of, least
from reconciler.records.recall import recall
from tests.records.test_put_back import BASE, ONE
from tests.world import raw

CLAIM = b"/one/loadbalancer\n"


def read(mark: str) -> tuple[int, bool, str]:
    line = f"    gitops-ipam.dev/held-of: {mark}\n".encode()
    text = raw(BASE[ONE]).replace(CLAIM, CLAIM + line)
    found = recall("allocations", ONE, text)
    assert found.allocation is not None
    said = found.findings[0].message if found.findings else ""
    return found.allocation.held_of, found.allocation.pristine, said


def test_a_mark_is_read_with_its_number_and_none_is_zero() -> None:
    assert read('"18"') == (18, True, "")
    assert (held_in(None), held_of([]), least(0, 0), least(0, 5, 4)) == (0, 0, 0, 4)


@pytest.mark.parametrize("mark", ["nonsense", '"0"', '"-5"', '"018"', '"9999999999"', "{}", "[]"])
def test_a_broken_mark_is_told_and_is_the_fewest(mark: str) -> None:
    of, is_pristine, said = read(mark)
    assert (of, is_pristine) == (1, False)
    assert "gitops-ipam.dev/held-of: " in said
    assert said.endswith("is no number of records, so it counts as 1")
