"""Pools that share addresses, address spaces, and records that contradict each other."""

import pytest

from reconciler.documents.findings import Severity
from tests.planning.outcome import LB, after_removal, codes, outcome, record_paths, refusal, without
from tests.world import (
    SMALL,
    evaluation_of,
    pool,
    provider,
    reconciled,
    request,
    settings_text,
    tenant,
)

ONE = f"team-a/one ({LB})"
TWO = f"team-a/two ({LB})"
RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"


def overlapping(space: str = "") -> dict[str, str]:
    second = pool("second", "10.40.0.0/25")
    if space:
        annotation = f"{{annotations: {{gitops-ipam.dev/address-space: {space}}}, name: second,"
        second = second.replace("{name: second,", annotation)
    return {
        **SMALL,
        "pools/second.yaml": second,
        "providers/other.yaml": provider("other", "[{name: second}]"),
        "tenants/two.yaml": tenant("two", providerConfigRef="{name: other}"),
    }


def test_overlapping_pools_never_give_one_address_twice() -> None:
    assert outcome(overlapping()) == {
        ONE: "allocate 10.40.0.0-10.40.0.7 of edge",
        TWO: "allocate 10.40.0.8-10.40.0.15 of second",
    }


def test_overlapping_pools_are_a_warning_that_names_both_and_the_addresses() -> None:
    (found,) = evaluation_of(overlapping()).findings
    assert (found.code, found.severity) == ("pool-overlap", Severity.WARNING)
    assert str(found.location) == "pools/second.yaml:5"
    assert found.message == (
        "pool second overlaps NetworkPool edge at pools/edge.yaml:5: 10.40.0.0-10.40.0.127"
    )


def test_or_an_error_when_settings_say_so() -> None:
    settings = {"ipam.yaml": settings_text("{poolOverlap: error}")}
    assert codes({**overlapping(), **settings}) == [("error", "pool-overlap")]


def test_pools_that_only_share_reserved_addresses_do_not_overlap() -> None:
    files = {
        "pools/edge.yaml": pool(reserved="[{cidr: 10.40.0.0/25}]"),
        "pools/second.yaml": pool("second", "10.40.0.0/25"),
    }
    assert codes(files) == []


def test_pools_of_different_address_spaces_may_give_the_same_addresses() -> None:
    files = overlapping("lab")
    assert codes(files) == []
    assert outcome(files) == {
        ONE: "allocate 10.40.0.0-10.40.0.7 of edge",
        TWO: "allocate 10.40.0.0-10.40.0.7 of second",
    }
    assert codes(reconciled(files)) == []


def pinned_in_edge(start: int, end: int) -> dict[str, str | bytes]:
    """A pin in one of two address spaces, in each of which a tenant holds the first addresses."""
    pin = f"{{startAddress: 10.40.0.{start}, endAddress: 10.40.0.{end}}}"
    return {**reconciled(overlapping("lab")), "tenants/pin.yaml": request("pin", pinnedRange=pin)}


def test_a_pin_that_is_taken_names_no_holder_of_another_address_space() -> None:
    found = refusal(pinned_in_edge(4, 9), "butler-system/pin (request)")
    assert found.message == f"pinned range 10.40.0.4-10.40.0.9 is already held by {ONE}"


def test_it_names_the_holder_whose_address_space_nobody_can_tell() -> None:
    files = without(pinned_in_edge(4, 9), "pools/second.yaml")
    found = refusal(files, "butler-system/pin (request)")
    assert found.message == f"pinned range 10.40.0.4-10.40.0.9 is already held by {ONE} and {TWO}"


def copied(record: bytes | str, old: str, new: str) -> str:
    text = record.decode() if isinstance(record, bytes) else record
    return text.replace(old, new)


def test_records_that_overlap_are_both_reported_and_neither_is_moved() -> None:
    files = reconciled(SMALL)
    second = RECORD.replace("one", "two")
    files[second] = copied(files[RECORD], "one", "two")
    files["tenants/two.yaml"] = tenant("two")
    assert outcome(files) == {
        ONE: "keep 10.40.0.0-10.40.0.7 of edge",
        TWO: "keep 10.40.0.0-10.40.0.7 of edge",
    }
    found = [item for item in evaluation_of(files).findings if item.code == "record-overlap"]
    assert [item.location.path for item in found] == [RECORD, second]
    assert (
        found[0].message == f"10.40.0.0-10.40.0.7 is held by two records, also by {second} ({TWO})"
    )


def test_a_record_of_a_pool_that_is_gone_is_beside_all_address_spaces() -> None:
    files = without(reconciled(overlapping("lab")), "pools/second.yaml")
    first, second = record_paths(files)
    found = [item for item in evaluation_of(files).findings if item.code == "record-overlap"]
    assert [(item.location.path, item.message) for item in found] == [
        (first, f"10.40.0.0-10.40.0.7 is held by two records, also by {second} ({TWO})"),
        (second, f"10.40.0.0-10.40.0.7 is held by two records, also by {first} ({ONE})"),
    ]


@pytest.mark.parametrize("text", ["{", pool("second", "10.40.0.5/25")])
def test_a_pool_that_cannot_be_read_makes_no_overlap_of_what_may_lie_apart(text: str) -> None:
    files = {**reconciled(overlapping("lab")), "pools/second.yaml": text}
    assert ("error", "record-overlap") not in codes(files)


def test_two_live_records_of_one_claim_are_reported_and_both_hold() -> None:
    files = reconciled(SMALL)
    other = "allocations/NetworkPool/butler-system.second/team-a/one.loadbalancer.yaml"
    text = copied(files[RECORD], "edge", "second").replace("10.40.0.", "10.41.0.")
    files |= {other: text, "pools/second.yaml": pool("second", "10.41.0.0/28")}
    assert outcome(files) == {ONE: "keep 10.40.0.0-10.40.0.7 of edge"}
    found = [item for item in evaluation_of(files).findings if item.code == "record-duplicate"]
    assert found[0].location.path == other
    assert found[0].message == (
        f"{RECORD} is a second record for claim butler/TenantCluster/team-a/one/loadbalancer"
    )
    plan = evaluation_of(files).plan
    assert [usage.allocated for usage in plan.after.values()] == [8, 8]


def test_a_pool_that_is_gone_keeps_its_records_and_is_an_error() -> None:
    files = without(reconciled(SMALL), "pools/edge.yaml")
    assert outcome(files) == {ONE: "keep 10.40.0.0-10.40.0.7 of edge"}
    (found,) = evaluation_of(files).findings
    assert (found.code, found.location.path) == ("pool-removed", RECORD)
    assert found.message == (
        f"NetworkPool butler-system/edge does not exist in this repository, but 1 record holds 8 addresses of it: {ONE}; providers/default.yaml:8 still names it"
    )


def test_a_pool_file_that_is_removed_is_one_error_and_nobody_is_told_to_delete_a_record() -> None:
    fixed = {f"tenants/{n}.yaml": tenant(f"t{n}", networking="{lbPoolSize: 2}") for n in range(9)}
    files = reconciled({**SMALL, **fixed})
    for provided in (str(files["providers/default.yaml"]), provider(pools="[{name: new}]")):
        gone = {**without(files, "pools/edge.yaml"), "providers/default.yaml": provided}
        gone["pools/new.yaml"] = pool("new", "10.41.0.0/24")
        evaluation = evaluation_of(gone)
        (found,) = evaluation.findings
        assert found.code == "pool-removed"
        assert "10 records hold 26 addresses of it" in found.message
        assert "pool until no record" in found.hint
        assert evaluation.gates == ()
        assert {it.split()[0] for it in outcome(gone).values()} == {"keep"}


def test_what_is_new_is_refused_beside_a_pool_that_is_gone() -> None:
    files = without(reconciled(SMALL), "pools/edge.yaml")
    files["tenants/two.yaml"] = tenant("two")
    assert outcome(files)[TWO] == "refuse pool-not-found"


def test_addresses_of_a_pool_that_is_gone_stay_taken() -> None:
    files = without(reconciled(SMALL), "pools/edge.yaml")
    files["pools/new.yaml"] = pool("new")
    files["providers/default.yaml"] = provider(pools="[{name: new}]")
    files["tenants/two.yaml"] = tenant("two")
    assert outcome(files)[TWO] == "allocate 10.40.0.8-10.40.0.15 of new"


def test_shrinking_a_pool_below_a_record_names_the_record_and_both_places() -> None:
    files = {
        **reconciled(SMALL),
        "pools/edge.yaml": pool(tenantAllocation="{start: 10.40.0.4, end: 10.40.0.99}"),
    }
    (found,) = evaluation_of(files).findings
    assert (found.code, str(found.location)) == ("record-outside-pool", "pools/edge.yaml:5")
    assert found.message == (
        f"record {RECORD} of {ONE} holds 10.40.0.0-10.40.0.7, but NetworkPool edge does not allocate 10.40.0.0-10.40.0.3"
    )
    assert outcome(files) == {ONE: "keep 10.40.0.0-10.40.0.7 of edge"}


def test_a_released_record_outside_of_its_pool_is_reported_too() -> None:
    files = after_removal(SMALL, "tenants/one.yaml")
    files["pools/edge.yaml"] = pool(cidr="10.40.1.0/24")
    (found,) = evaluation_of(files).findings
    assert (found.severity, found.code) == ("warning", "record-outside-pool")
    assert found.hint == (
        "add the addresses back to the pool (its network, ranges, or reserved blocks) until 2026-02-16T10:00:30Z; no claim uses them, but they are reserved until then"
    )


def test_what_one_of_two_overlapping_pools_reserves_and_the_other_gives_is_named() -> None:
    files = {
        "pools/a.yaml": pool("a", reserved="[{cidr: 10.40.0.0/29}]"),
        "pools/b.yaml": pool("b", reserved="[{cidr: 10.40.0.0/30}]"),
    }
    (found,) = [item for item in evaluation_of(files).findings if item.code == "pool-overlap"]
    assert found.message.endswith(
        "pool b overlaps NetworkPool a at pools/a.yaml:5: 10.40.0.8-10.40.0.255; pool b allocates 10.40.0.4-10.40.0.7, which pool a reserves"
    )
