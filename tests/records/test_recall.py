"""Parsing of records: the fast parser, the lenient one, and damaged records."""

import re

import pytest
from msgspec.structs import replace

from reconciler.addresses import IPRange, IPSet
from reconciler.model.claim import Allocation, Owner, Phase
from reconciler.records.emit import record_text
from reconciler.records.parse import Recalled, parse_record, parse_record_lenient
from tests.records.examples import ALL, EXAMPLE, FOLDER, LATER, POOL, SINCE, record, span, unplaced

each_form = pytest.mark.parametrize("made", ALL.values(), ids=ALL)


@each_form
def test_what_was_written_is_what_is_read(made: Allocation) -> None:
    found = parse_record(FOLDER, made.path, record_text(made).encode())
    assert found == Recalled(made)
    found = parse_record_lenient(FOLDER, made.path, record_text(made).encode())
    assert found.allocation == replace(made, pristine=False)
    assert found.unreadable is None
    assert [it.code for it in found.findings] == ["record-edited"]


@pytest.mark.parametrize(
    ("name", "step"),
    [("the example", 1), ("1025 addresses", 7), ("released", 7), ("IPv6 that ends with a colon", 7),
     ("a request", 7), ("a plain prefix", 7), ("an entry that is still announced", 7)],
)  # fmt: skip
def test_a_record_cut_at_any_byte_never_loses_its_addresses(name: str, step: int) -> None:
    made = ALL[name]
    data = record_text(made).encode()
    for end in range(0, len(data), step):
        found = parse_record(FOLDER, made.path, data[:end])
        if found.allocation is not None:
            assert replace(found.allocation, pristine=True) == made, end
        else:
            assert found.unreadable is not None
            assert (found.unreadable.pool, found.unreadable.claim) == (made.pool, made.claim)
            assert [item.code for item in found.findings] == ["record-unreadable"]


def test_a_record_without_one_of_its_lines_never_changes_what_it_holds() -> None:
    made = record()
    lines = EXAMPLE.splitlines(keepends=True)
    for index in range(len(lines)):
        text = "".join(lines[:index] + lines[index + 1 :])
        found = parse_record(FOLDER, made.path, text.encode())
        if found.allocation is not None:
            assert (found.allocation.range, found.allocation.pool) == (made.range, POOL)
        else:
            assert found.unreadable is not None
            assert found.unreadable.pool == POOL


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("startAddress: 10.40.0.80", "startAddress: 10.40.0.81"),
        ("endAddress: 10.40.0.87", "endAddress: 10.40.0.95"),
        ("allocatedCount: 8", "allocatedCount: 7"),
        ("    - 10.40.0.83\n", "    - 10.40.0.99\n"),
        ("cidr: 10.40.0.80/29", "cidr: 10.40.0.88/29"),
        ("startAddress: 10.40.0.80", "startAddress: 010.40.0.80"),
        ("phase: Allocated", "phase: Alocated"),
        ("kind: IPAllocation", "kind: Secret"),
    ],
)
def test_a_record_that_contradicts_itself_is_unreadable_and_its_pool_is_known(
    old: str, new: str
) -> None:
    assert old in EXAMPLE
    found = parse_record(FOLDER, record().path, EXAMPLE.replace(old, new).encode())
    assert found.allocation is None
    assert found.unreadable is not None
    assert (found.unreadable.pool, found.unreadable.claim) == (POOL, record().claim)
    (finding,) = found.findings
    assert finding.code == "record-unreadable"
    path = record().path
    assert (
        finding.hint
        == f"restore the record: git checkout COMMIT -- {path}; to find COMMIT: git log -p -- {path}"
    )


@pytest.mark.parametrize("left", ["cidr: 10.40.0.80/29", "allocatedCount: 8"])
def test_a_record_that_failed_and_yet_holds_something_is_unreadable(left: str) -> None:
    body, _, _ = EXAMPLE.partition("status:\n")
    text = f"{body}status:\n  {left}\n  phase: Failed\n"
    assert parse_record(FOLDER, record().path, text.encode()).unreadable is not None
    empty = text.replace(f"  {left}\n", "  addresses: []\n  startAddress: ''\n")
    assert parse_record(FOLDER, record().path, empty.encode()).unreadable is None


@pytest.mark.parametrize(
    ("old", "new", "field", "value"),
    [
        (
            "team: backend-team",
            "team: other",
            "owner",
            Owner("team-backend", "my-cluster", "other"),
        ),
        ("name: team-backend-my-cluster-lb", "name: mine", "name", "mine"),
        ("count: 8", "count: 9", "size", 8),
        (f'allocatedAt: "{SINCE}"', f'allocatedAt: "{LATER}"', "allocated_at", LATER),
        (f'allocatedAt: "{SINCE}"', 'allocatedAt: "soon"', "allocated_at", "1970-01-01T00:00:00Z"),
        ("  cidr: 10.40.0.80/29\n", "", "pool", POOL),
    ],
)
def test_a_record_that_was_edited_is_believed_and_told(
    old: str, new: str, field: str, value: object
) -> None:
    assert old in EXAMPLE
    found = parse_record(FOLDER, record().path, EXAMPLE.replace(old, new).encode())
    assert found.allocation is not None
    assert getattr(found.allocation, field) == value
    assert (found.allocation.range, found.allocation.claim) == (record().range, record().claim)
    if not found.allocation.pristine:
        assert [item.code for item in found.findings] == ["record-edited"]


@pytest.mark.parametrize(
    "data",
    [b"", b"\xff\xfe", b"a: 1\n", b"- a\n", b"a: [\n", EXAMPLE.encode() * 1 + b"---\na: 1\n",
     b"<<<<<<< HEAD\n" + EXAMPLE.encode(), b"kind: IPAllocation\n", b"kind: IPAllocation\nstatus: 7\n"],
)  # fmt: skip
def test_a_file_that_is_no_record_freezes_its_pool(data: bytes) -> None:
    found = parse_record(FOLDER, record().path, data)
    assert found.unreadable is not None
    assert found.unreadable.pool == POOL
    assert found.allocation is None


@pytest.mark.parametrize(
    ("text", "held"),
    [
        (EXAMPLE.replace("phase: Allocated", "phase: ?"), record().range),
        (EXAMPLE.replace("phase: Allocated\n", "phase: [\n"), record().range),
        (
            EXAMPLE.replace("phase: Allocated", "phase: [") + "x: 10.40.0.80-10.40.0.87",
            record().range,
        ),
        (EXAMPLE.partition("  allocatedAt")[0], record().range),
        ("endAddress: 10.40.0.999\n", None),
        ("  - 10\n  - face\n", None),
    ],
)
def test_what_an_unreadable_text_lets_guess_is_held(text: str, held: IPRange | None) -> None:
    found = parse_record(FOLDER, record().path, text.encode())
    assert found.unreadable is not None
    assert IPSet.of(found.unreadable.ranges) == (IPSet() if held is None else IPSet.of([held]))


def test_a_record_at_another_path_is_told_by_its_text() -> None:
    found = parse_record(FOLDER, f"{FOLDER}/elsewhere.yaml", EXAMPLE.encode())
    assert found.allocation == replace(record(), path=f"{FOLDER}/elsewhere.yaml")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("butler/TenantCluster/team-backend/my-cluster", "butler/TenantCluster/../my-cluster"),
        ("butler/TenantCluster/team-backend/my-cluster", "butler/TenantCluster/team-backend/.."),
        ("butler/TenantCluster", "other/TenantCluster"),
        ("my-cluster/loadbalancer", "my-cluster"),
    ],
)
def test_a_claim_that_cannot_be_a_path_is_not_believed(old: str, new: str) -> None:
    text = EXAMPLE.replace(old, new, 1)
    found = parse_record(FOLDER, record().path, text.encode())
    assert found.allocation is not None
    assert found.allocation.claim == record().claim
    assert [item.code for item in found.findings] == ["record-edited"]


@pytest.mark.parametrize("name", ["../../evil", "a/b", "A", ".."])
def test_a_pool_that_cannot_be_a_path_is_not_believed(name: str) -> None:
    text = re.sub(r"(name|network-pool): vlan40-pool", rf"\1: {name}", EXAMPLE)
    text = text.replace("from vlan40-pool", f"from {name}")
    for path in (f"{FOLDER}/elsewhere.yaml", record().path):
        found = parse_record(FOLDER, path, text.encode())
        assert found.allocation is None
        assert found.unreadable is not None


def test_a_tenant_that_cannot_be_a_path_is_not_believed() -> None:
    text = EXAMPLE.replace("    namespace: team-backend", "    namespace: ../..")
    text = re.sub(r"  annotations:\n.*\n", "", text)
    found = parse_record(FOLDER, record().path, text.encode())
    assert found.unreadable is not None
    assert IPSet.of(found.unreadable.ranges) == IPSet.of([span("10.40.0.80", "10.40.0.87")])
    assert parse_record(FOLDER, f"{FOLDER}/elsewhere.yaml", text.encode()).allocation is None


def test_a_record_of_a_family_that_nobody_knows_is_unreadable_and_its_addresses_stay_held() -> None:
    text = EXAMPLE.replace("butler/TenantCluster/", "other/Thing/", 1)
    text = re.sub(r"  tenantClusterRef:\n", "  claimRef:\n    kind: Thing\n", text)
    for path in (record().path, f"{FOLDER}/OtherPool/edge/team-backend/my-cluster.vip.yaml"):
        found = parse_record(FOLDER, path, text.encode())
        assert found.unreadable is not None
        assert IPSet.of(found.unreadable.ranges) == IPSet.of([span("10.40.0.80", "10.40.0.87")])
        assert [item.code for item in found.findings] == ["record-unreadable"]
        assert "family other is unknown to this version" in found.findings[0].message


@pytest.mark.parametrize(
    "said", ["2026-02-15T10:00:30.5Z", "soon", r"a\"\n  phase: Allocated\n  x: \"", ""]
)
def test_a_text_that_is_no_instant_is_not_written_as_one(said: str) -> None:
    """It would be written unchanged, so its quotes and lines could change the record."""
    text = record_text(unplaced()).replace(f'Time: "{SINCE}"', f'Time: "{said}"')
    found = parse_record(FOLDER, unplaced().path, text.encode()).allocation
    assert found == unplaced(since="1970-01-01T00:00:00Z", pristine=False)


@pytest.mark.parametrize("said", ["true", "-8", "'8'", "8.0"])
def test_a_count_that_is_none_counts_as_one(said: str) -> None:
    text = record_text(unplaced()).replace("count: 8", f"count: {said}")
    found = parse_record(FOLDER, unplaced().path, text.encode()).allocation
    assert found is not None
    assert str(found.size) == "1"
    assert found == replace(unplaced(pristine=False), size=1)


def test_what_is_announced_still_is_released() -> None:
    left = record(phase=Phase.RELEASED, since=LATER, announced=True)
    text = record_text(left)
    found = parse_record(FOLDER, left.path, text.encode()).allocation
    assert found == left
    live = record_text(record()).replace("  cidr:", "  announced: until-unused\n  cidr:")
    allocated = parse_record(FOLDER, left.path, live.encode()).allocation
    assert allocated is not None
    assert (allocated.announced, allocated.pristine) == (False, False)
