"""Each row of the bad-input table: exit code, location, message, and an unchanged repository."""

import time
from pathlib import Path

import pytest

from reconciler.documents.text import escape
from tests.bad_input.harness import (
    Case,
    Expected,
    bare,
    cases,
    checked,
    files_of,
    named,
    records_of,
    settled,
    settled_with,
    snapshot,
)
from tests.cli.running import ipam

GUTS = ("Traceback", 'File "/', "/reconciler/", "a bug:")
# CPU time of this process only.
SECONDS = 1.0
# Consequences of a mistake for other claims, and additional findings of a release limit or a pin.
BESIDE = {
    *("pool-frozen", "pin-stands-for-claim", "request-beside-claim", "brake-held"),
    *("pin-taken", "pin-outside-pool"),
}
HEAVY = ("A24", "A25", "A26", "A27", "A40", "A41", "A42", "A43", "A48", "C40", "D34c", "D56")


@pytest.mark.parametrize("case", cases(), ids=str)
def test_a_bad_input_is_named_with_its_place_and_the_way_to_mend_it(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = bare(tmp_path / "repo", files_of(case))
    before = snapshot(folder)
    code, document, written = checked(capsys, folder)
    found = [*document["findings"], *document["gates"]]
    assert code == case.exit == document["exitCode"], found
    wanted_codes = {item.code for item in case.findings}
    assert {item["code"] for item in found} - (BESIDE - wanted_codes) == wanted_codes, found
    for wanted in case.findings:
        _one_of(found, wanted)
    # Each release that the release limit holds back is listed. Only the limit has the hint.
    assert all(item["hint"] for item in found if item["code"] != "brake-held"), found
    assert all(len(item["message"]) < 500 for item in found), found
    text_code, out, err = ipam(capsys, "check", "--repo", str(folder), "--color", "never")
    assert text_code == case.exit
    lines = out.splitlines()
    for wanted in case.findings:
        _line_of(lines, wanted)
    for forbidden in (*GUTS, *case.forbid):
        assert forbidden not in written + out + err
    assert snapshot(folder) == before


def _one_of(found: list[dict[str, object]], wanted: Expected) -> None:
    place = (wanted.path, wanted.line, wanted.column, wanted.pointer)
    matching = [
        item
        for item in found
        if (item["code"], item["severity"]) == (wanted.code, wanted.severity)
        and (item["path"], item["line"], item["column"], item["pointer"]) == place
        and wanted.says in str(item["message"])
        and wanted.hint in str(item["hint"])
    ]
    assert matching, f"{wanted}\nnot among\n{found}"


def _line_of(lines: list[str], wanted: Expected) -> None:
    """Require the line of a finding, with a hint below. Neighbors of one code can share a hint."""
    where = ":".join(str(part) for part in (wanted.path, wanted.line, wanted.column) if part)
    word = "refused" if wanted.severity == "gate" else wanted.severity
    head = f"{where}: {word} {wanted.code}: "
    word = f" {wanted.code}: "
    hints = [
        next(
            below for below in lines[at + 1 :] if below.startswith("  hint: ") or word not in below
        )
        for at, line in enumerate(lines)
        if line.startswith(head) and escape(wanted.says) in line
    ]
    assert any(below.startswith("  hint: ") and escape(wanted.hint) in below for below in hints), (
        f"{head}{wanted.says}\n{lines}"
    )


@pytest.mark.parametrize("case", cases(), ids=str)
def test_a_bad_input_takes_nothing_from_a_repository_that_was_reconciled(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = bare(tmp_path / "repo", settled_with(case))
    before = records_of(folder)
    code, out, err = ipam(capsys, "reconcile", "--repo", str(folder), "--color", "never")
    after = records_of(folder)
    assert code in (0, 1, 3), err
    assert before
    assert {path: after.get(path) for path in before} == before
    for forbidden in (*GUTS, *case.forbid):
        assert forbidden not in out + err


@pytest.mark.parametrize("case", named(*HEAVY), ids=str)
def test_an_input_made_to_exhaust_the_reader_is_answered_within_a_second(
    case: Case, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = bare(tmp_path / "repo", files_of(case))
    checked(capsys, folder)  # the measured run has all modules loaded
    start = time.process_time()
    code, _, _ = checked(capsys, folder)
    assert code == case.exit
    assert time.process_time() - start < SECONDS


def test_a_bad_input_in_one_file_leaves_the_other_tenants_served(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    files = {
        **settled(),
        "tenants/bad.yaml": b"kind: [",
        "tenants/new.yaml": settled()["tenants/one.yaml"].replace(b"one", b"new"),
    }
    folder = bare(tmp_path / "repo", files)
    code, _, err = ipam(capsys, "reconcile", "--repo", str(folder))
    assert code == 1
    assert "tenants/bad.yaml" in err
    assert len(records_of(folder)) == 2
