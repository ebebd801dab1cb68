"""The range of a record in any state, compared with the parser of the planner."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.records.emit import record_text
from reconciler.records.parse import parse_record
from reconciler.safety import clashes
from reconciler.safety.clashes import UNKNOWN, V6, PoolText, RecordedRange, holding_of, ranges_of
from tests.records.examples import FOLDER, record, unplaced

TEN40 = (10 << 24) + (40 << 16)
RECORD = record()
TEXT = record_text(RECORD)
HELD = ((TEN40 + 80, TEN40 + 87),)
POOL = PoolText("NetworkPool", "butler-system", "vlan40-pool")
CLAIM = "butler/TenantCluster/team-backend/my-cluster/loadbalancer"
SIX = record("2001:db8::10", "2001:db8::13")
LARGE = record("10.40.0.0", "10.40.7.255")
PINNED = record(pinned=True)


def held(text: str, path: str = RECORD.path) -> RecordedRange:
    found = holding_of(FOLDER, path, text.encode())
    assert found.ranges == ranges_of(path, text.encode())
    return found


@pytest.fixture
def no_yaml(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable the lenient parser, so that only the regular expression reads records."""
    monkeypatch.setattr(clashes, "_careful", lambda *_: None)
    monkeypatch.setattr(clashes, "literals", lambda _: ((0, 0),))


@pytest.mark.usefixtures("no_yaml")
def test_our_own_records_are_read_by_the_pattern() -> None:
    assert held(TEXT) == RecordedRange(RECORD.path, CLAIM, "Allocated", POOL, HELD)
    first = V6 + (0x2001_0DB8 << 96) + 16
    assert held(record_text(SIX)).ranges == ((first, first + 3),)
    assert held(record_text(LARGE)).ranges == ((TEN40, TEN40 + 2047),)
    assert held(record_text(PINNED)).ranges == HELD
    assert held(record_text(unplaced()), unplaced().path).ranges == ()


@pytest.mark.usefixtures("no_yaml")
def test_a_record_of_another_family_is_read_by_the_pattern() -> None:
    text = TEXT.replace("  poolRef:\n", "  poolRef:\n    apiGroup: x.io\n    kind: OtherPool\n")
    text = text.replace("    name: vlan40-pool\n", "    name: vlan40-pool\n    namespace: net\n")
    text = text.replace("  tenantClusterRef:\n", "  claimRef:\n    kind: Thing\n")
    assert held(text).pool == PoolText("OtherPool", "net", "vlan40-pool")
    assert held(text).ranges == HELD


DAMAGE = [
    ("status:\n", "status:\n  startAddress: 10.40.0.200\n"),
    ("allocatedCount: 8", "allocatedCount: 9"),
    ("    - 10.40.0.80\n", ""),
    ("    - 10.40.0.87\n", "    - 10.40.0.99\n"),
    ("phase: Allocated", "phase: Odd"),
    ("phase: Allocated", "phase: Failed"),
    ("  endAddress: 10.40.0.87", "  endAddress: 10.40.0.9"),
    ("  endAddress: 10.40.0.87\n", ""),
    ("kind: IPAllocation", "kind: ]["),
    ("apiVersion", "---\na: b\n---\napiVersion"),
    ("status:\n", "status: [10.40.0.80]\nstatuses:\n"),
    ("name: team-backend-my-cluster-lb", "name: |\n    status:\n      phase: Failed"),
    ("apiVersion", "\0apiVersion"),
    ("    - 10.40.0.80\n", "    - {at: 10.40.0.80}\n"),
    ("apiVersion", "[" * 40 + "apiVersion"),
]


@pytest.mark.parametrize(("old", "new"), DAMAGE)
def test_a_damaged_record_goes_on_holding_what_it_held(old: str, new: str) -> None:
    assert TEXT.count(old) == 1
    found = held(TEXT.replace(old, new))
    kept = [value for first, last in found.ranges for value in range(first, last + 1)]
    at_least = 2 if old in ("  endAddress: 10.40.0.87", "    - 10.40.0.80\n") else 8
    assert len({*range(TEN40 + 80, TEN40 + 88)} & {*kept}) >= at_least


def test_bytes_that_are_no_text_go_on_holding_it() -> None:
    data = TEXT.encode().replace(b"my-cluster-lb", b"\xff\xfe")
    assert holding_of(FOLDER, RECORD.path, data).ranges == HELD
    assert holding_of(FOLDER, RECORD.path, data).pool == POOL


@pytest.mark.parametrize("codec", ["utf-16", "utf-16-be", "utf-32"])
def test_a_record_in_another_encoding_goes_on_holding_it(codec: str) -> None:
    assert holding_of(FOLDER, RECORD.path, TEXT.encode(codec)).ranges == HELD


def test_a_record_of_another_style_is_read_as_yaml() -> None:
    text = (
        "{kind: IPAllocation, metadata: {namespace: net}, spec: {poolRef: {name: p}},"
        " status: {phase: Released, startAddress: 10.40.0.80, endAddress: 10.40.0.87,"
        " addresses: [10.40.0.90]}}"
    )
    found = held(text, f"{FOLDER}/imported/deep/x.yaml")
    ranges = (*HELD, (TEN40 + 90, TEN40 + 90))
    assert found == RecordedRange(
        f"{FOLDER}/imported/deep/x.yaml", "", "Released", PoolText("", "net", "p"), ranges
    )


@pytest.mark.parametrize("more", ["", ", addresses: []"])
def test_a_record_without_a_place_holds_nothing(more: str) -> None:
    text = f"spec: {{pinnedRange: {{startAddress: 10.0.0.1}}}}\nstatus: {{phase: Pending{more}}}"
    assert held(text).ranges == ()


@pytest.mark.parametrize(
    ("path", "pool"),
    [
        (RECORD.path, POOL),
        (RECORD.path.replace("butler-system.", "other."), POOL._replace(namespace="other")),
        (RECORD.path.replace("NetworkPool", "OtherPool"), POOL._replace(kind="OtherPool")),
        (RECORD.path.replace(".vlan40-pool", ".other"), POOL._replace(kind="")),
        (f"{FOLDER}/imported/deep/x.yaml", POOL._replace(kind="")),
        (f"{FOLDER}/x.yaml", POOL._replace(kind="")),
    ],
)
def test_of_pools_of_one_name_that_of_the_path_is_meant(path: str, pool: PoolText) -> None:
    assert held(TEXT, path).pool == pool


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ('"10"', "10"),
        ('"null"', "null"),
        ("10-net", "10-net"),
        ("null-pool", "null-pool"),
        ("null", ""),
        ("1.5", ""),
        ("vlan40-pool  # the pool", ""),
    ],
)
def test_a_name_that_yaml_may_read_otherwise_is_not_known(said: str, name: str) -> None:
    found = held(TEXT.replace("    name: vlan40-pool\n", f"    name: {said}\n"))
    assert (found.pool.name, found.ranges) == (name, HELD)
    found = held(TEXT.replace("namespace: butler-system\n", f"namespace: {said}\n"))
    assert found.pool == (POOL if name else UNKNOWN)


@pytest.mark.parametrize("mark", ["\x0b", "\r", "\x1c", "\x85", "\u2028"])
def test_a_line_ends_where_yaml_ends_it(mark: str) -> None:
    found = held(TEXT.replace("    name: vlan40-pool\n", f"    name: vlan40-pool{mark}x\n"))
    assert set(HELD) <= set(found.ranges)


@given(st.binary(max_size=200))
def test_any_bytes_can_be_read(data: bytes) -> None:
    assert ranges_of("x.yaml", data) == holding_of(FOLDER, "x.yaml", data).ranges


@given(st.data())
def test_one_edit_anywhere_loses_nothing_that_the_planner_still_sees(data: st.DataObject) -> None:
    """Another reader, written apart: whatever it makes of a record, the net holds at least that."""
    at = data.draw(st.integers(0, len(TEXT)))
    length = data.draw(st.integers(0, 12))
    put = data.draw(st.sampled_from(["", "\n", ":", '"', "{", "  ", "x", "1", "# ", "- ", "|\n"]))
    text = TEXT[:at] + put + TEXT[at + length :]
    seen = parse_record(FOLDER, RECORD.path, text.encode())
    mine = holding_of(FOLDER, RECORD.path, text.encode())
    if seen.allocation is not None and seen.allocation.range is not None:
        item = seen.allocation.range
        assert any(first <= item.first and item.last <= last for first, last in mine.ranges)
