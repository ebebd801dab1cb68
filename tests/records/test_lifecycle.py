"""Records through whole plans: granted, kept, released, expired, refused and granted after all."""

from collections.abc import Mapping

from tests.world import CLOCK, SMALL, evaluation_of, pool, provider, reconciled, tenant

DAY = 86_400
RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"
FAILED = "allocations/_unplaced/team-a/two.loadbalancer.yaml"
Files = Mapping[str, str | bytes]

CROWDED: Files = {
    **SMALL,
    "pools/edge.yaml": pool(cidr="10.40.0.0/28", reserved="[{cidr: 10.40.0.12/30}]"),
    "tenants/two.yaml": tenant("two"),
}
"""Room for one tenant and a half."""


def records(files: Files) -> list[str]:
    return sorted(path for path in files if path.startswith("allocations/"))


def text(files: Files, path: str) -> str:
    data = files[path]
    return data.decode() if isinstance(data, bytes) else data


def test_a_record_is_written_once_and_then_left_alone() -> None:
    first = reconciled(SMALL)
    assert records(first) == [RECORD]
    assert reconciled(first, CLOCK + DAY) == first


def test_a_tenant_that_goes_leaves_a_released_record_until_retention_ends() -> None:
    files = reconciled(SMALL)
    del files["tenants/one.yaml"]
    released = reconciled(files, CLOCK + DAY)
    assert "phase: Released\n" in text(released, RECORD)
    assert 'releasedAt: "2026-02-16T10:00:30Z"\n' in text(released, RECORD)
    assert reconciled(released, CLOCK + 2 * DAY - 1) == released
    assert records(reconciled(released, CLOCK + 2 * DAY)) == []


def test_a_tenant_that_comes_back_in_time_gets_its_addresses_again() -> None:
    files = reconciled({**SMALL, "tenants/zero.yaml": tenant("zero", networking="{lbPoolSize: 8}")})
    before = text(files, RECORD)
    gone = {path: data for path, data in files.items() if path != "tenants/one.yaml"}
    back = {**reconciled(gone, CLOCK + 10), "tenants/one.yaml": SMALL["tenants/one.yaml"]}
    after = text(reconciled(back, CLOCK + 20), RECORD)
    assert after.partition("startAddress")[2] == before.partition("startAddress")[2]
    assert "phase: Allocated\n" in after


def test_a_refused_claim_has_a_failed_record_that_later_runs_leave_alone() -> None:
    first = reconciled(CROWDED)
    assert records(first) == [RECORD, FAILED]
    assert "reason: Pool" in text(first, FAILED)
    assert reconciled(first, CLOCK + DAY) == first


def test_a_failed_record_goes_when_room_is_made() -> None:
    first = reconciled(CROWDED)
    first["pools/edge.yaml"] = pool(cidr="10.40.0.0/27")
    after = reconciled(first, CLOCK + DAY)
    assert records(after) == [RECORD, RECORD.replace("one", "two")]
    assert text(after, RECORD) == text(first, RECORD)


def test_a_record_that_was_edited_is_written_anew_with_the_range_it_says() -> None:
    first = reconciled(SMALL)
    moved = text(first, RECORD).replace("team: team-a", "team: other")
    assert reconciled({**first, RECORD: moved}) == first


def test_a_record_that_cannot_be_read_is_never_written_over() -> None:
    first = reconciled(SMALL)
    damaged = {**first, RECORD: text(first, RECORD)[:-40], "tenants/two.yaml": tenant("two")}
    after = reconciled(damaged, CLOCK + DAY)
    assert after[RECORD] == damaged[RECORD]
    assert records(after) == [RECORD, FAILED]


def test_tenants_whose_names_join_alike_get_records_of_different_names() -> None:
    files = {
        "pools/edge.yaml": pool(),
        "providers/default.yaml": provider(),
        "tenants/a.yaml": tenant("b-c", namespace="a"),
        "tenants/b.yaml": tenant("c", namespace="a-b"),
    }
    after = reconciled(files)
    names = [
        line
        for path in records(after)
        for line in text(after, path).splitlines()
        if line.startswith("  name: ")
    ]
    assert len(set(names)) == 2
    assert "  name: a-b-c-lb" in names
    assert reconciled(after) == after


def test_a_release_on_a_day_to_come_is_told_and_holds() -> None:
    files = reconciled(SMALL)
    del files["tenants/one.yaml"]
    files = reconciled(files, CLOCK + DAY)
    assert evaluation_of(files, CLOCK + DAY - 3_600).findings == ()
    early = evaluation_of(files, CLOCK)
    (found,) = early.findings
    assert (found.code, found.severity, early.changes) == ("record-edited", "warning", ())
    assert "released as of 2026-02-16T10:00:30Z, but the revision is of 2026-02-15" in found.message
