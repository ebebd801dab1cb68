"""Two files that pin one range without a record both have an error."""

from reconciler.documents.findings import Severity
from tests.planning.outcome import Files, outcome
from tests.planning.test_by_hand import by_hand
from tests.world import SMALL, evaluation_of, pool, reconciled, request

PIN = "{startAddress: 10.40.0.32, endAddress: 10.40.0.39}"
WIDER = "{startAddress: 10.40.0.32, endAddress: 10.40.0.47}"


def describe(files: Files) -> list[tuple[str, str]]:
    found = [it for it in evaluation_of(files).findings if it.code == "pin-contested"]
    assert all(it.severity is Severity.WARNING for it in found)
    return [(str(it.location.path), it.message) for it in found]


def test_a_tenant_that_takes_what_a_request_pins_is_told_at_its_own_file() -> None:
    files = {
        **SMALL,
        "tenants/typo.yaml": by_hand("typo", "10.40.0.32", "10.40.0.39"),
        "tenants/pin.yaml": request("pin", pinnedRange=PIN),
    }
    assert describe(files) == [
        (
            "tenants/typo.yaml",
            "team-a/typo (loadbalancer) and butler-system/pin (request) both pin 10.40.0.32-10.40.0.39 (tenants/pin.yaml:1)",
        )
    ]


def test_of_two_requests_the_one_that_gets_it_is_told() -> None:
    files = {
        **SMALL,
        "tenants/a.yaml": request("a", pinnedRange=WIDER),
        "tenants/b.yaml": request("b", pinnedRange=PIN),
    }
    assert [path for path, _ in describe(files)] == ["tenants/a.yaml"]


def test_who_has_a_record_is_not_asked() -> None:
    files = {**SMALL, "tenants/pin.yaml": request("pin", pinnedRange=PIN)}
    late = {**reconciled(files), "tenants/a.yaml": request("a", pinnedRange=PIN)}
    assert outcome(late)["butler-system/a (request)"] == "refuse pin-taken"
    assert describe(late) == []


def test_pins_in_different_address_spaces_do_not_meet() -> None:
    spaced = pool("lab", "10.40.0.0/24").replace(
        "system}", "system, annotations: {gitops-ipam.dev/address-space: lab}}"
    )
    files = {
        **SMALL,
        "pools/lab.yaml": spaced,
        "tenants/a.yaml": request("a", pinnedRange=PIN),
        "tenants/b.yaml": request("b", pool_name="lab", pinnedRange=PIN),
        "tenants/c.yaml": request("c", pool_name="lab", pinnedRange=PIN),
    }
    assert [path for path, _ in describe(files)] == ["tenants/b.yaml"]
