"""The final safety check compared with sets of numbers, for random commits and a warm cache."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.model.claim import Allocation, Phase
from reconciler.records.emit import record_text
from reconciler.records.layout import path_of
from tests.fakes import FakeRepository
from tests.properties.strategies import BASE
from tests.reconcile.test_net import POOLS, Divided, Files, key, look
from tests.records.examples import CLAIM, FOLDER, record

SPACES: Mapping[str, set[str]] = {
    "vlan40-pool": {"default"},
    "more": {"default"},
    "lab": {"lab"},
    "gone": {"default", "lab", "a third"},
}


class Step(NamedTuple):
    """A change of a claim in a commit: a record at a path, or none."""

    claim: str
    record: Allocation | None


@st.composite
def records(draw: st.DrawFn) -> Step:
    claim = draw(st.sampled_from(["ant", "bee", "cat", "dog"]))
    if draw(st.integers(0, 4)) == 0:
        return Step(claim, None)
    version = draw(st.sampled_from([4, 4, 4, 6]))
    first = draw(st.integers(0, 12))
    item = IPRange(version, BASE[version] + first, BASE[version] + first + draw(st.integers(0, 5)))
    made = replace(
        record(),
        claim=replace(CLAIM, name=claim),
        pool=key(draw(st.sampled_from([*SPACES]))),
        range=item,
        size=item.size,
        phase=draw(st.sampled_from([Phase.ALLOCATED, Phase.ALLOCATED, Phase.RELEASED])),
    )
    path = draw(st.sampled_from(["", "", "", f"imported/deep/{claim}", f"imported/{claim}"]))
    place = f"{FOLDER}/{path}.yaml" if path else path_of(FOLDER, made.pool, made.claim)
    return Step(claim, replace(made, path=place))


def files_of(held: Mapping[str, Allocation]) -> Files:
    return POOLS | {it.path: record_text(it).encode() for it in held.values()}


def may_clash(one: Allocation, other: Allocation) -> bool:
    assert one.range is not None
    assert other.range is not None
    return one.range.overlaps(other.range) and bool(SPACES[one.pool.name] & SPACES[other.pool.name])


def is_wrong(before: Mapping[str, Allocation], after: Mapping[str, Allocation]) -> bool:
    """Return whether a claim has a new range that overlaps the range of another claim."""
    for claim, mine in after.items():
        old = before.get(claim)
        kept = old is not None and (old.range, old.pool) == (mine.range, mine.pool)
        if mine.is_live and not kept:
            others = (other for name, other in after.items() if name != claim)
            if any(may_clash(mine, other) for other in others):
                return True
    return False


@given(st.lists(st.lists(records(), min_size=1, max_size=4), max_size=6))
def test_a_commit_is_stopped_exactly_when_it_gives_out_what_is_held(
    commits: Sequence[Sequence[Step]],
) -> None:
    before: dict[str, Allocation] = {}
    for steps in commits:
        after: dict[str, Allocation] = dict(before)
        for step in steps:
            after.pop(step.claim, None)
            if step.record is not None:
                after[step.claim] = step.record
        old, new = files_of(before), files_of(after)
        expected = is_wrong(before, after)
        said = look(old, new)
        assert bool(said) == expected
        assert said == look(old, new, FakeRepository()) == look(old, new, Divided())
        before = after  # although it was stopped: another user could have made the commit
