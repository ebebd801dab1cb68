from pathlib import Path
from xml.etree import ElementTree

import pytest
from msgspec.structs import replace
from xmlschema import XMLSchema

from reconciler.documents.findings import Location, error, gate, warning
from reconciler.report.ci import junit_text
from tests.report.hostile import PLACE, corpus, everywhere, found
from tests.world import SMALL, evaluation_of, reconciled

JENKINS = XMLSchema(Path(__file__).parent / "schemas" / "junit-10.xsd")


def parsed(text: str) -> ElementTree.Element:
    root = ElementTree.fromstring(text)
    assert [str(it) for it in JENKINS.iter_errors(root)] == []
    return root


def cases(text: str) -> dict[str, ElementTree.Element]:
    return {f"{it.get('classname')} {it.get('name')}": it for it in parsed(text).iter("testcase")}


def counts(element: ElementTree.Element) -> tuple[str | None, str | None]:
    return element.get("tests"), element.get("failures")


def test_every_source_file_and_every_sort_of_gate_is_a_test_that_passes() -> None:
    text = junit_text(evaluation_of(reconciled(SMALL)))
    assert list(cases(text)) == [
        "files pools/edge.yaml",
        "files providers/default.yaml",
        "files tenants/one.yaml",
        "gates claims",
        "gates capacity",
        "gates brake",
    ]
    assert all(len(case) == 0 for case in cases(text).values())
    root = parsed(text)
    assert counts(root) == ("6", "0")
    assert [counts(suite) for suite in root] == [("3", "0"), ("3", "0")]


def test_a_file_fails_once_with_all_its_errors() -> None:
    second = error("pool-empty", replace(PLACE, line=4), "empty")
    warned = warning("special-purpose", PLACE, "w")
    text = junit_text(found(error("cidr-invalid", PLACE, "no CIDR", "write one"), second, warned))
    failure, said = cases(text)["files pools/a.yaml"]
    assert said.tag == "system-out"
    assert failure.get("type") == "cidr-invalid"
    assert failure.get("message") == "cidr-invalid: no CIDR (and 1 more)"
    assert failure.text == (
        "pools/a.yaml:3:9: error cidr-invalid: no CIDR\n  hint: write one\n"
        "pools/a.yaml:4:9: error pool-empty: empty\n"
    )
    assert counts(parsed(text)) == ("7", "1")


def test_a_warning_fails_nothing_and_is_said() -> None:
    text = junit_text(found(warning("base-ahead", Location("."), "behind")))
    (said,) = cases(text)["files ipam.yaml"]
    assert (said.tag, said.text) == ("system-out", ".: warning base-ahead: behind\n")
    assert counts(parsed(text)) == ("7", "0")


def test_a_gate_fails_the_test_of_what_it_guards() -> None:
    said = {"capacity": "full", "pin-taken": "taken", "quota-exceeded": "too much"}
    text = junit_text(found(*(gate(code, PLACE, text) for code, text in said.items())))
    failures = {name: [part.get("message") for part in case] for name, case in cases(text).items()}
    assert failures["gates claims"] == ["pin-taken: taken (and 1 more)"]
    assert failures["gates capacity"] == ["capacity: full"]
    assert failures["gates brake"] == []
    assert [counts(suite) for suite in parsed(text)] == [("3", "0"), ("3", "2")]


@pytest.mark.parametrize("text", corpus(), ids=ascii)
def test_any_text_leaves_the_xml_whole(text: str) -> None:
    raw = junit_text(everywhere(text))
    root = parsed(raw)
    assert all(line.isprintable() for line in raw.split("\n"))
    assert {item.tag for item in root.iter()} == {
        "testsuites", "testsuite", "testcase", "failure", "system-out"
    }  # fmt: skip
    assert counts(root) == ("7", "2")
