"""Records are read as written, and no edit of a record frees its range (no. 21)."""

import re
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from reconciler.documents import yaml
from reconciler.documents.yaml import dump
from reconciler.model.claim import Allocation, Owner, Phase
from reconciler.model.key import Key
from reconciler.model.plan import Grant
from reconciler.records.emit import record_document, record_text
from reconciler.records.layout import path_of, place_of
from reconciler.records.parse import canonical, parse_record, parse_record_lenient
from tests.examples import scaled
from tests.properties.strategies import FOLDER, pool_key, ranges, record
from tests.world import SMALL, evaluation_of, reconciled

NAMES = st.from_regex(r"[a-z]([a-z0-9-]{0,12}[a-z0-9])?", fullmatch=True)
# Names that other YAML readers read as another type.
TRAPS = st.sampled_from(
    ("no", "y", "null", "1e3", "0x1f", "12", "2026-02-15", "true", "off", "0o7")
)
TEAMS = st.one_of(NAMES, TRAPS)
REASONS = st.sampled_from(("pool-exhausted", "pin-straddles-ranges", "quota-exceeded"))
MESSAGES = st.text(
    st.characters(min_codepoint=32, max_codepoint=0x2FF, exclude_categories=("Cc", "Cs")),
    min_size=1,
    max_size=40,
)
SLOTS = st.sampled_from(("nodes", "nodes-3", "loadbalancer", "loadbalancer-12"))


@st.composite
def allocations(draw: st.DrawFn) -> Allocation:
    namespace, name = draw(TEAMS), draw(TEAMS)
    key = Key("butler", namespace, name, draw(SLOTS), "TenantCluster")
    pool = pool_key(draw(TEAMS))
    phase = draw(st.sampled_from(Phase))
    item = None
    if phase in (Phase.ALLOCATED, Phase.RELEASED):
        item = draw(ranges(version=draw(st.sampled_from((4, 6))), longest=1030, universe=2000))
    made = record(key, pool, item, phase, draw(st.integers(0, 10**8)))
    return replace(
        made,
        pinned=item is not None and draw(st.booleans()),
        size=item.size if item else draw(st.integers(1, 99)),
        owner=Owner(namespace, name, draw(TEAMS)),
        name=f"{namespace}-{name}",
        reason="" if item else draw(REASONS),
        message="" if item else draw(MESSAGES),
    )


@given(allocations())
def test_a_record_reads_back_as_it_was_written(allocation: Allocation) -> None:
    text = record_text(allocation).encode()
    found = parse_record(FOLDER, allocation.path, text)
    assert found.allocation is not None
    assert found.findings == ()
    assert found.allocation.pristine
    assert found.allocation == allocation
    assert record_text(found.allocation).encode() == text
    assert text.decode() == dump(record_document(allocation))
    # A comment selects the slow parser, which must return the same content.
    careful = parse_record(FOLDER, allocation.path, b"# a note\n" + text).allocation
    assert careful is not None
    assert replace(careful, pristine=True) == allocation


@st.composite
def mutations(draw: st.DrawFn, text: str) -> str:
    """Return a record with a value of another line, or with a few edited characters."""
    lines = text.split("\n")
    at = draw(st.integers(0, len(lines) - 2))
    if draw(st.booleans()):
        other = lines[draw(st.integers(0, len(lines) - 2))]
        lines[at] = lines[at].partition(": ")[0] + ": " + other.partition(": ")[2]
        return "\n".join(lines)
    where = draw(st.integers(0, len(text) - 1))
    put = draw(st.sampled_from(("", "0", "1", "a", "no", '"', " ", "-", ".", "\n", ":", "#")))
    return text[:where] + put + text[where + draw(st.integers(0, 2)) :]


@given(allocations(), st.data())
@settings(max_examples=scaled(400))
def test_the_pattern_accepts_only_what_the_yaml_reader_reads_and_writes_back(
    allocation: Allocation, data: st.DataObject
) -> None:
    text = record_text(allocation)
    for written in (text, data.draw(mutations(text))):
        fast = canonical(FOLDER, allocation.path, written.encode())
        if fast is not None:
            assert record_text(fast) == written
            careful = parse_record_lenient(FOLDER, allocation.path, written.encode()).allocation
            assert careful is not None
            assert replace(careful, pristine=True) == fast


@given(allocations())
def test_a_path_tells_claim_and_pool(allocation: Allocation) -> None:
    place = place_of(FOLDER, allocation.path)
    assert place.claim == allocation.claim
    assert place.pool == (allocation.pool if allocation.range else None)
    assert path_of(FOLDER, place.pool, allocation.claim) == allocation.path


SCALARS = st.one_of(
    st.none(), st.booleans(), st.integers(-(10**12), 10**12), TEAMS, MESSAGES, st.just("")
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, min_size=1, max_size=3),
        st.dictionaries(st.one_of(NAMES, TRAPS), inner, min_size=1, max_size=3),
    ),
    max_leaves=8,
)


@given(st.dictionaries(st.one_of(NAMES, TRAPS), VALUES, min_size=1, max_size=4))
def test_a_document_reads_back_as_it_was_dumped(document: dict[str, Any]) -> None:
    text = dump(document)
    reading = yaml.read(text.encode())
    assert not reading.problems
    assert reading.documents[0].value == document
    assert dump(reading.documents[0].value) == text


PATH = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
HELD = str(reconciled(SMALL)[PATH], "utf-8")  # type: ignore[arg-type]  # it was written as text or bytes
TWO = {**SMALL, "tenants/two.yaml": SMALL["tenants/one.yaml"].replace("one", "two")}


@given(st.data())
def test_a_damaged_record_is_read_or_reported_and_never_free(data: st.DataObject) -> None:
    lines = HELD.splitlines(keepends=True)
    kind = data.draw(st.sampled_from(("cut", "drop", "double", "swap", "noise")))
    at = data.draw(st.integers(0, len(lines) - 1))
    if kind == "cut":
        damaged = HELD[: data.draw(st.integers(0, len(HELD) - 1))]
    elif kind == "drop":
        damaged = "".join(lines[:at] + lines[at + 1 :])
    elif kind == "double":
        damaged = "".join(lines[: at + 1] + lines[at:])
    elif kind == "swap":
        other = data.draw(st.integers(0, len(lines) - 1))
        lines[at], lines[other] = lines[other], lines[at]
        damaged = "".join(lines)
    else:
        mark = data.draw(st.sampled_from((":", "\t", "&a ", "- ", "0", "\x00", "}", "é")))
        where = data.draw(st.integers(0, len(HELD)))
        damaged = HELD[:where] + mark + HELD[where:]
    evaluation = evaluation_of({**TWO, PATH: damaged})
    read = parse_record("allocations", PATH, damaged.encode()).allocation
    # Without its annotation, a record looks like a copy from a cluster, and is adopted.
    assert evaluation.findings or (read is not None and (read.pristine or read.adopted))
    for decision in evaluation.plan.decisions:
        if isinstance(decision, Grant) and decision.allocation.range is not None:
            assert decision.allocation.range.first > (10 << 24) + (40 << 16) + 7


@given(
    st.binary(max_size=60),
    st.sampled_from((PATH, "allocations/x.yaml", "allocations/a/b/c/d/e.yaml")),
)
def test_any_bytes_at_any_place_are_a_record_or_a_finding(data: bytes, path: str) -> None:
    found = parse_record("allocations", path, data)
    assert (found.allocation is None) != (found.unreadable is None)


ODD = (
    "..", "../../x", "a/b", "null", "[]", "{}", '""', "1", "-1", "true", "10.40.0.9", "::1",
    "10.40.0.0/29", "foo/Bar/ns/n/slot", "butler/TenantCluster/../../loadbalancer", "x" * 300,
    "butler/TenantCluster/team-a/two/loadbalancer", "butler/IPAllocation/_/one/request", "Released",
    '"2026-02-30T00:00:00Z"', "Failed", '"\\u0000"', '"a\\nb"', "butler/TenantCluster/a/b/nodes-0",
)  # fmt: skip
VALUE_LINES = [at for at, line in enumerate(HELD.splitlines()) if not line.endswith(":")]


@given(st.sampled_from(VALUE_LINES), st.sampled_from(ODD))
@settings(max_examples=scaled(400))
def test_an_odd_value_in_a_record_harms_nobody(at: int, odd: str) -> None:
    lines = HELD.splitlines()
    mark = "- " if ": " not in lines[at] else ": "
    lines[at] = f"{lines[at].rpartition(mark)[0]}{mark}{odd}"
    files = {**TWO, PATH: "\n".join([*lines, ""])}
    evaluation = evaluation_of(files)
    for change in evaluation.changes:
        assert re.fullmatch(r"allocations(/[a-zA-Z0-9_][a-zA-Z0-9_.-]*)+\.yaml", change.path)
    for decision in evaluation.plan.decisions:
        if isinstance(decision, Grant) and not decision.is_taken_back:
            assert decision.allocation.range is not None
            said = parse_record("allocations", PATH, str(files[PATH]).encode()).allocation
            freed = said is not None and said.range is None
            assert freed or decision.allocation.range.first > (10 << 24) + (40 << 16) + 7
    # A second run can move a record to its path, after the file there was removed.
    assert evaluation_of(reconciled(reconciled(files))).changes == ()
