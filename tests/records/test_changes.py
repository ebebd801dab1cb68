"""Changes of files from a plan: written, removed, and unchanged records."""

from collections.abc import Iterable
from hashlib import sha256

import pytest
from msgspec.structs import replace

from reconciler.documents.findings import Location
from reconciler.model.change import FileChange
from reconciler.model.claim import Allocation, Claim, Owner, Phase
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.plan import (
    Decision,
    Expire,
    Grant,
    Keep,
    Plan,
    Refuse,
    Release,
    State,
    Unreadable,
)
from reconciler.records.changes import changes, records_after
from reconciler.records.emit import record_text
from reconciler.records.layout import path_of
from reconciler.records.parse import parse_record
from tests.records.examples import CLAIM, FOLDER, LATER, POOL, SINCE, record, unplaced
from tests.world import CLOCK

PLACE = Location("tenants/my-cluster.yaml", 1, 1)
NOW = format_instant(CLOCK + 3_600)


def claim(key: Key = CLAIM, **fields: object) -> Claim:
    made: dict[str, object] = {
        "key": key,
        "candidates": (POOL,),
        "wanted": ("vlan40-pool",),
        "size": 8,
        "pin": None,
        "fixed": False,
        "owner": Owner(key.namespace, key.name, "backend-team"),
        "type": "loadbalancer",
        "role": "initial",
        "name": f"{key.namespace}-{key.name}-lb",
        "namespace": "butler-system",
        "source": PLACE,
        **fields,
    }
    return Claim(**made)  # type: ignore[arg-type]  # fields by name


def state(
    claims: Iterable[Claim] = (),
    records: Iterable[Allocation] = (),
    unreadable: tuple[Unreadable, ...] = (),
) -> State:
    return State(
        pools={},
        claims={item.key: item for item in claims},
        records=tuple(sorted(records, key=lambda item: item.path)),
        clock=CLOCK + 3_600,
        retention=3_600,
        unreadable=unreadable,
    )


def carried_out(before: State, *decisions: Decision) -> tuple[FileChange, ...]:
    """Return the changes of a plan, and require the same result from `records_after`."""
    plan = Plan(tuple(sorted(decisions, key=lambda item: item.claim)), {}, {})
    found = changes(plan, before, FOLDER)
    files = {item.path: record_text(item).encode() for item in before.records}
    for change in found:
        if change.data is None:
            del files[change.path]
        else:
            files[change.path] = change.data
    after = records_after(plan, before, FOLDER)
    assert {item.path: record_text(item).encode() for item in after} == files
    return found


def granted(item: Allocation) -> Allocation:
    """Return an allocation of a plan, without a path."""
    return replace(item, path="")


def refusal(key: Key = CLAIM, old: Allocation | None = None, message: str = "full") -> Refuse:
    return Refuse(key, "pool-exhausted", message, "", PLACE, old)


def read_back(change: FileChange) -> Allocation:
    assert change.data is not None
    found = parse_record(FOLDER, change.path, change.data)
    assert found.allocation is not None
    assert found.allocation.pristine
    return found.allocation


def test_a_record_whose_claim_is_gone_for_now_is_not_touched() -> None:
    edited = record(pristine=False, path=f"{FOLDER}/elsewhere.yaml")
    assert carried_out(state([], [edited]), Keep(edited, held=True)) == ()


@pytest.mark.parametrize(
    "fields",
    [
        {"pristine": False},
        {"pristine": False, "adopted": True},
        {"owner": Owner("team-backend", "my-cluster", "old-team")},
        {"role": "growth"},
        {"type": "nodes"},
        {"since": LATER},
        {"name": "mine"},
        {"namespace": "elsewhere"},
    ],
)
def test_a_kept_record_follows_its_claim_in_all_but_its_range(fields: dict[str, object]) -> None:
    old = replace(record(), **fields)
    (change,) = carried_out(state([claim()], [old]), Keep(old))
    assert read_back(change) == record()


def test_a_kept_record_moves_to_its_place() -> None:
    old = record(path=f"{FOLDER}/elsewhere.yaml", pristine=False, adopted=True)
    gone, written = sorted(
        carried_out(state([claim()], [old]), Keep(old)), key=lambda item: item.data is not None
    )
    assert gone == FileChange(old.path, None)
    assert read_back(written) == record()


def test_a_record_never_moves_over_another_that_holds_addresses() -> None:
    double = record("10.40.0.8", "10.40.0.9")
    old = record(path=f"{FOLDER}/a.yaml", pristine=False)
    (change,) = carried_out(state([claim()], [old, double]), Keep(old))
    assert change.path == old.path


def test_a_record_never_moves_over_one_that_cannot_be_read() -> None:
    unreadable = Unreadable(record().path, None, POOL, ())
    released = record(path=f"{FOLDER}/a.yaml", phase=Phase.RELEASED, since=NOW)
    (change,) = carried_out(
        state([], [record(path=released.path)], (unreadable,)), Release(released)
    )
    assert change.path == released.path


def test_a_new_record_gets_a_number_when_its_place_is_taken() -> None:
    strays = [
        record("10.40.0.8", "10.40.0.9", claim=replace(CLAIM, name="other"), path=path)
        for path in (record().path, record().path.replace(".yaml", ".2.yaml"))
    ]
    (change,) = carried_out(state([claim()], strays), Grant(granted(record()), PLACE))
    assert change.path == record().path.replace(".yaml", ".3.yaml")
    assert read_back(change).claim == CLAIM


def test_a_place_that_becomes_free_is_taken_in_the_same_plan() -> None:
    old = record(phase=Phase.RELEASED)
    newer = record("10.40.0.8", "10.40.0.15")
    decisions = Expire(old), Grant(granted(newer), PLACE)
    for order in (decisions, decisions[::-1]):
        (change,) = carried_out(state([claim()], [old]), *order)
        assert read_back(change) == newer


def test_a_claim_without_a_place_is_recorded_as_failed() -> None:
    (change,) = carried_out(state([claim()]), refusal())
    failed = read_back(change)
    assert change.path == path_of(FOLDER, None, CLAIM)
    assert (failed.phase, failed.range, failed.reason) == (Phase.FAILED, None, "pool-exhausted")
    assert (failed.message, failed.since, failed.size) == ("full", NOW, 8)
    assert failed.pool == POOL


def test_a_failure_keeps_its_date_while_its_reason_stays() -> None:
    old = unplaced(since=SINCE, reason="pool-exhausted")
    (change,) = carried_out(state([claim()], [old]), refusal(old=old, message="fuller"))
    assert (read_back(change).since, read_back(change).message) == (SINCE, "fuller")


@pytest.mark.parametrize(
    "old", [unplaced(reason="pool-not-found"), unplaced(Phase.PENDING, reason="pool-exhausted")]
)
def test_a_failure_for_another_reason_has_a_new_date(old: Allocation) -> None:
    (change,) = carried_out(state([claim()], [old]), refusal(old=old))
    assert read_back(change).since == NOW


def test_a_refused_claim_that_holds_addresses_keeps_its_record() -> None:
    assert carried_out(state([claim()], [record()]), refusal(old=record())) == ()


def test_a_claim_whose_record_cannot_be_read_is_not_recorded_as_failed() -> None:
    unreadable = Unreadable(record().path, CLAIM, POOL, ())
    left = replace(refusal(), is_left=True)
    assert carried_out(state([claim()], [], (unreadable,)), left) == ()


AB_C = replace(CLAIM, namespace="a-b", name="c")
A_BC = replace(CLAIM, namespace="a", name="b-c")


def suffix(text: str) -> str:
    return sha256(text.encode()).hexdigest()[:6]


def test_of_two_newcomers_whose_names_join_alike_the_second_gets_a_suffix() -> None:
    one = record(claim=AB_C, name="a-b-c-lb")
    two = record("10.40.0.88", "10.40.0.95", claim=A_BC, name="a-b-c-lb")
    before = state([claim(AB_C), claim(A_BC)])
    found = carried_out(before, Grant(granted(one), PLACE), Grant(granted(two), PLACE))
    names = {read_back(change).claim: read_back(change).name for change in found}
    # Decisions are sorted by claim key: `a` before `a-b`.
    assert names == {A_BC: "a-b-c-lb", AB_C: f"a-b-c-lb-{suffix('a-b/c')}"}
