import pytest
from msgspec.structs import replace

from reconciler.documents.findings import Finding, Location, Severity, error, gate, info, warning
from reconciler.report.findings import all_found, fingerprints, place_of, verdict
from tests.moving import KEY, LEAVING, moving
from tests.report.hostile import PLACE, found

WRONG = error("cidr-invalid", PLACE, "wrong")
STOPPED = gate("brake", PLACE, "stopped")
WARNED = warning("base-ahead", Location("."), "behind")
TOLD = info("pool-added", PLACE, "new")


@pytest.mark.parametrize(
    ("findings", "expected"),
    [
        ([], (None, "fine", "no findings")),
        ([WARNED], (None, "passes", "1 warning")),
        ([TOLD, TOLD], (None, "passes", "2 to know")),
        (
            [STOPPED, WARNED, WARNED],
            (Severity.GATE, "the content is right, but a gate stops it", "1 refused, 2 warnings"),
        ),
        ([WRONG, WRONG], (Severity.ERROR, "the content is wrong", "2 errors")),
        ([WRONG, STOPPED], (Severity.ERROR, "the content is wrong", "1 error, 1 refused")),
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
    assert verdict(evaluation) == (None, "passes", "no findings")


def test_what_has_no_file_or_line_is_shown_at_settings_or_at_the_first_line() -> None:
    assert place_of(WARNED) == Location("ipam.yaml", 1)
    assert place_of(WRONG) == PLACE
    assert place_of(error("not-a-file", Location("pools/x"), "m")) == Location("pools/x", 1)


def test_a_finding_is_known_again_when_its_line_and_its_numbers_change() -> None:
    later = error("cidr-invalid", PLACE._replace(line=70, column=1), "other", "hint")
    assert fingerprints([WRONG]) == fingerprints([later])
    assert fingerprints([error("not-a-file", Location("pools/\udcff"), "m")])


def test_findings_of_another_code_file_or_field_are_others_and_so_is_one_more_alike() -> None:
    others = [
        WRONG,
        WRONG,
        error("pool-empty", PLACE, "m"),
        error("cidr-invalid", PLACE._replace(path="pools/b.yaml"), "m"),
        error("cidr-invalid", PLACE._replace(pointer="/spec"), "m"),
    ]
    marks = fingerprints(others)
    assert len(set(marks)) == len(others)
    assert all(len(mark) == 64 for mark in marks)
