"""The lines of other clusters: where they stand, and that none is lost while one is moved."""

from collections.abc import Mapping

from hypothesis import given, settings
from hypothesis import strategies as st

from reconciler.apply.inventory import HALF, NAME, line_bytes, placed, read_inventory, written_to
from tests.examples import scaled

UID = "0b6d7a7a-3c29-4b50-9b1a-5e5f3f0f3a11"
LARGE = 60_000  # characters; seven of such lines fill a ConfigMap
Parts = Mapping[str, Mapping[str, str]]


def line(address: str, size: int = 0) -> str:
    return f"{UID} {'a' * 40} {'s' * size} {address}-{address}"


def known(parts: Parts) -> dict[str, tuple[str, ...]]:
    """Who may announce what."""
    maps = [{"metadata": {"name": name}, "data": dict(data)} for name, data in parts.items()]
    found = read_inventory(maps)
    assert found.odd == {}
    return {name: item.addresses for name, item in found.clusters.items()}


def test_a_line_that_finds_no_room_is_written_elsewhere_before_it_is_taken_away() -> None:
    full = {f"cluster.t.c{number}": line("10.0.0.1", LARGE) for number in range(7)}
    more = {"cluster.t.c0": line("10.0.0.1", LARGE + 50_000)}
    first, second = placed({NAME: full}, more)
    assert (first[0], second) == (f"{NAME}-1", (NAME, {"cluster.t.c0": None}))


changes = st.dictionaries(
    st.integers(0, 20), st.one_of(st.none(), st.integers(0, LARGE)), min_size=1
)


@settings(max_examples=scaled(40))
@given(st.lists(changes, max_size=3), st.data())
def test_no_cluster_is_forgotten_wherever_the_writes_are_cut_off(
    steps: list[dict[int, int | None]], drawn: st.DataObject
) -> None:
    parts: Parts = {NAME: {"uid": "x"}}
    for at, step in enumerate(steps):
        texts = {
            f"cluster.t.c{number}": None if size is None else line(f"10.0.{at}.1", size)
            for number, size in step.items()
        }
        before = known(parts)
        writes = placed(parts, texts)
        done = drawn.draw(st.integers(0, len(writes)))
        for write in writes[:done]:
            parts = written_to(parts, [write])
            assert line_bytes(parts[write[0]]) <= HALF
        now = known(parts)
        gone = {f"t/c{number}" for number, size in step.items() if size is None}
        for name in before.keys() - gone:
            is_changed = int(name.removeprefix("t/c")) in step
            assert now[name] == before[name] or (is_changed and now[name])
        if done == len(writes):
            wanted = {f"t/c{number}" for number, size in step.items() if size is not None}
            assert now.keys() == (before.keys() | wanted) - gone
            assert all(now[name] == (f"10.0.{at}.1-10.0.{at}.1",) for name in wanted)


def test_twenty_thousand_clusters_have_room() -> None:
    texts = {f"cluster.team.c{number}": line("10.0.0.1") for number in range(20_000)}
    parts = written_to({}, placed({}, texts))
    assert len(known(parts)) == 20_000
    assert len(parts) == 5
    assert max(map(line_bytes, parts.values())) <= HALF
