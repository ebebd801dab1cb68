import pytest
from msgspec.structs import replace

from reconciler.documents.findings import Finding, Location, Severity, error, gate, info, warning
from reconciler.report.findings import (
    IN_ALL,
    MORE,
    OF_A_FILE,
    all_found,
    capped,
    fingerprints,
    place_of,
    verdict,
)
from tests.moving import KEY, LEAVING, moving
from tests.report.hostile import PLACE, found

WRONG = error("cidr-invalid", PLACE, "wrong")
STOPPED = gate("brake", PLACE, "stopped")
WARNED = warning("base-ahead", Location("."), "behind")
TOLD = info("pool-added", PLACE, "new")


@pytest.mark.parametrize(
    ("findings", "expected"),
    [
        ([], (None, "OK", "no findings")),
        ([WARNED], (None, "OK", "1 warning")),
        ([TOLD, TOLD], (None, "OK", "2 notices")),
        ([STOPPED, WARNED, WARNED], (Severity.GATE, "Blocked", "1 refused, 2 warnings")),
        ([WRONG, WRONG], (Severity.ERROR, "Invalid", "2 errors")),
        ([WRONG, STOPPED], (Severity.ERROR, "Invalid", "1 error, 1 refused")),
    ],
)
def test_a_verdict_is_what_stops_the_change_and_what_was_counted(
    findings: list[Finding], expected: tuple[Severity | None, str, str]
) -> None:
    assert verdict(found(*findings)) == expected


def test_the_gravest_come_first_and_each_sort_keeps_its_order() -> None:
    other = error("pool-empty", PLACE, "empty")
    listed = all_found(found(TOLD, WARNED, WRONG, STOPPED, other))
    assert listed == [WRONG, other, STOPPED, WARNED, TOLD]


def test_nothing_is_fine_beside_a_move() -> None:
    evaluation = replace(moving(LEAVING, KEY), findings=(), gates=())
    assert verdict(evaluation) == (None, "OK", "no findings")


def test_what_has_no_file_or_line_is_shown_at_settings_or_at_the_first_line() -> None:
    assert place_of(WARNED) == Location("ipam.yaml", 1)
    assert place_of(WRONG) == PLACE
    assert place_of(error("not-a-file", Location("pools/x"), "m")) == Location("pools/x", 1)


def test_a_finding_is_known_again_when_its_line_and_its_numbers_change() -> None:
    later = error("cidr-invalid", replace(PLACE, line=70, column=1), "other", "hint")
    assert fingerprints([WRONG]) == fingerprints([later])
    assert fingerprints([error("not-a-file", Location("pools/\udcff"), "m")])


def test_findings_of_another_code_file_or_field_are_others_and_so_is_one_more_alike() -> None:
    others = [
        WRONG,
        WRONG,
        error("pool-empty", PLACE, "m"),
        error("cidr-invalid", replace(PLACE, path="pools/b.yaml"), "m"),
        error("cidr-invalid", replace(PLACE, pointer="/spec"), "m"),
    ]
    marks = fingerprints(others)
    assert len(set(marks)) == len(others)
    assert all(len(mark) == 64 for mark in marks)


def warnings(path: str, count: int) -> list[Finding]:
    return [warning("base-ahead", Location(path, line), "w") for line in range(1, count + 1)]


def test_of_one_file_the_gravest_are_listed_in_their_order_and_the_others_counted() -> None:
    last = error("not-utf8", Location("a.yaml", 999), "e")
    stopped = gate("brake", Location("a.yaml", 998), "g")
    other = warnings("b.yaml", 1)
    found = capped([*warnings("a.yaml", OF_A_FILE + 10), stopped, last, *other])
    assert found[: OF_A_FILE - 2] == warnings("a.yaml", OF_A_FILE - 2)
    assert found[OF_A_FILE - 2 : OF_A_FILE] == [stopped, last]
    more = found[OF_A_FILE]
    assert (more.code, more.severity, more.location) == (MORE, Severity.WARNING, Location("a.yaml"))
    assert more.message == "12 more findings of this file: 12 warnings"
    assert found[OF_A_FILE + 1 :] == other


def test_of_all_files_the_gravest_are_listed_and_what_is_left_out_is_as_grave_as_it_is() -> None:
    errors = [error("not-utf8", Location(f"{n}.yaml", 1), "e") for n in range(IN_ALL + 7)]
    gates = [gate("brake", Location("g.yaml", 1), "g")]
    found = capped([*warnings("a.yaml", OF_A_FILE + 1), *errors, *gates])
    assert len(found) == IN_ALL
    assert found[:-1] == errors[: IN_ALL - 1]
    assert found[-1].severity is Severity.ERROR
    assert found[-1].location == Location(".")
    assert found[-1].message == "110 more findings: 8 errors, 1 refused, 101 warnings"
