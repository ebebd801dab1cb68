"""What one run leaves to the next is read as it was."""

import pytest

from reconciler.addresses import IPRange
from reconciler.findings import Location, warning
from reconciler.incremental import snapshot
from reconciler.incremental.group import Group, Span
from reconciler.model.key import Key
from reconciler.model.plan import Usage
from reconciler.model.pool import Tier
from reconciler.tree import Settled

WHOLE = Usage(1 << 64, 3, 1, (1 << 64) - 4, 2, 7, 1 << 63, 0.1, Tier.OK)
FOUND = warning("pool-empty", Location("a.yaml", 3, 4, "/spec"), "é\n", "mend it")
SETTLED = Settled(2, {Key("butler", "", "pool", "", "NetworkPool"): WHOLE}, (FOUND,))
SPAN = Span("default", IPRange(6, 1 << 127, (1 << 128) - 1))
GROUP = Group(
    parts={"a.yaml": "1" * 40, "b/é.yaml": "2" * 40},
    provides={"g/K/n/a": None, "g/K/n/*": None},
    asks={"g/K/n/a": None, "g/K/n/b": None, "g/K/n/*": None},
    names={"n/a": None, "n/b": None},
    spans=[SPAN],
    inside={Span("*", IPRange(4, 1, 2)): None},
    settled=SETTLED,
)
RESTLESS = Group(parts={"c.yaml": "3" * 40})


def test_groups_are_read_as_they_were_written() -> None:
    written = snapshot.write({"pools": "4" * 40}, {"s.yaml": "5" * 40}, [GROUP, RESTLESS])
    (group,) = snapshot.read_groups(written.groups)
    # What is asked for and found within is not asked for again, but all of a kind are.
    assert group == Group(
        parts=GROUP.parts,
        provides=GROUP.provides,
        asks={"g/K/n/b": None, "g/K/n/*": None},
        spans=GROUP.spans,
        inside=GROUP.inside,
        settled=SETTLED,
    )
    assert snapshot.read_names(written.names) == ["n/a\nn/b"]
    assert snapshot.read_head(written.head) == snapshot.Head(
        written.id, {"pools": "4" * 40}, {"s.yaml": "5" * 40}, RESTLESS.parts, SETTLED, []
    )


def test_half_a_character_is_not_written() -> None:
    with pytest.raises(UnicodeEncodeError):
        snapshot.write({}, {}, [Group(parts={"\ud800": ""}, settled=Settled())])


@pytest.mark.parametrize("more", [0, snapshot.FEW_NAMES])
@pytest.mark.parametrize(
    ("name", "is_there"),
    [("n/a", True), ("n/ab", True), ("n/b", True), ("n/", False), ("/a", False), ("n/a\nn", False)],
)
def test_a_name_is_found_whole(name: str, more: int, *, is_there: bool) -> None:
    names = dict.fromkeys([name, *map(str, range(more))]).keys()
    assert snapshot.has_name("n/a\nn/ab\nn/b", names) is is_there


@pytest.mark.parametrize("name", ["n/a", 'n/"é\\', "n/a\u2028"])
def test_a_name_is_found_in_the_text_of_all_however_json_writes_it(name: str) -> None:
    told = Group(parts={"a": "1"}, names={"n/x": None, name: None}, settled=Settled())
    text = snapshot.write({}, {}, [told, GROUP]).names
    assert snapshot.may_have(text, {name: None}.keys())
    assert not snapshot.may_have(text, {"n/y": None}.keys())
    many = dict.fromkeys(f"n/{number}" for number in range(snapshot.FEW_NAMES + 1))
    assert snapshot.may_have(text, many.keys())
