import json
from typing import Any

import pytest

from reconciler.findings import Location, error, gate, info, warning
from reconciler.report.gitlab import gitlab_text
from tests.report.hostile import PLACE, corpus, everywhere, found


def issues(text: str) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = json.loads(text)
    return listed


def test_a_finding_is_an_issue_at_its_line() -> None:
    issue = issues(gitlab_text(found(error("cidr-invalid", PLACE, "no CIDR", "write one"))))[0]
    fingerprint = issue.pop("fingerprint")
    assert len(fingerprint) == 64
    assert issue == {
        "type": "issue",
        "check_name": "cidr-invalid",
        "description": "no CIDR (hint: write one)",
        "categories": ["Bug Risk"],
        "severity": "critical",
        "location": {"path": "pools/a.yaml", "lines": {"begin": 3}},
    }


def test_the_gravest_come_first_and_each_has_its_severity_and_a_file_that_is_there() -> None:
    listed = issues(
        gitlab_text(
            found(
                info("pool-added", PLACE, "new"),
                warning("base-ahead", Location("."), "behind"),
                gate("brake", PLACE, "too much"),
                error("not-a-file", Location("pools/x"), "a link"),
            )
        )
    )
    assert [(item["severity"], item["location"]) for item in listed] == [
        ("critical", {"path": "pools/x", "lines": {"begin": 1}}),
        ("major", {"path": "pools/a.yaml", "lines": {"begin": 3}}),
        ("minor", {"path": "ipam.yaml", "lines": {"begin": 1}}),
        ("info", {"path": "pools/a.yaml", "lines": {"begin": 3}}),
    ]
    assert [item["description"] for item in listed] == ["a link", "too much", "behind", "new"]


def test_every_issue_has_a_fingerprint_of_its_own() -> None:
    twice = [error("field-unknown", PLACE, "m") for _ in range(3)]
    marks = [item["fingerprint"] for item in issues(gitlab_text(found(*twice)))]
    assert len(set(marks)) == 3


def test_without_findings_the_report_is_an_empty_list() -> None:
    assert gitlab_text(found()) == "[]\n"


@pytest.mark.parametrize("text", corpus(), ids=ascii)
def test_no_control_character_gets_through_even_to_a_reader_of_the_json(text: str) -> None:
    raw = gitlab_text(everywhere(text))
    raw.encode()
    for item in issues(raw):
        assert item["description"].isprintable()
        assert item["location"]["path"].isprintable()
