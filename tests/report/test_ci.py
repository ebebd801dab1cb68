"""A check as services of CI read it."""

import json
import re

import pytest

from reconciler.documents.findings import Location, error, gate, warning
from reconciler.report.ci import ANNOTATIONS, dotenv_text, github_text, gitlab_text
from tests.report.hostile import PLACE, corpus, everywhere, found

_PROPERTY = r"(file|line|col|title)=[^:,\r\n]+"
_COMMAND = re.compile(rf"::(error|warning|notice) {_PROPERTY}(,{_PROPERTY})*::[^\r\n]*", re.ASCII)


def test_what_would_end_a_property_or_a_message_is_escaped() -> None:
    place = Location("a:b,c%.yaml", 1)
    text = github_text(found(gate("capacity", place, "100% :: , x")))
    assert text.startswith("::error file=a%3Ab%2Cc%25.yaml,line=1,title=capacity::100%25 :: , x\n")


def test_the_gravest_are_annotations_and_the_others_lines_of_the_log() -> None:
    warnings = [
        warning("pool-overlap", Location("a.yaml", line), "w") for line in range(1, ANNOTATIONS + 3)
    ]
    errors = [
        error("pool-empty", Location("b.yaml", line), "e") for line in range(1, ANNOTATIONS + 1)
    ]
    lines = github_text(found(*warnings, *errors, gate("brake", PLACE, "g"))).splitlines()
    kinds = [line.split(" ")[0] for line in lines]
    assert kinds[: 2 * ANNOTATIONS] == ["::error"] * ANNOTATIONS + ["::warning"] * ANNOTATIONS
    assert lines[2 * ANNOTATIONS :] == [
        "pools/a.yaml:3:9: refused brake: g",
        "a.yaml:11: warning pool-overlap: w",
        "a.yaml:12: warning pool-overlap: w",
        "✗ Invalid: 10 errors, 1 refused, 12 warnings; 1 to allocate, 0 kept",
    ]


@pytest.mark.parametrize("text", corpus(), ids=ascii)
def test_no_text_of_a_file_becomes_a_command_or_a_property(text: str) -> None:
    lines = github_text(everywhere(text)).split("\n")
    assert lines.pop() == ""
    assert lines.pop().startswith("✗ ")
    assert len(lines) == 3
    for line in lines:
        assert line.isprintable()
        assert _COMMAND.fullmatch(line), line


@pytest.mark.parametrize("text", corpus(), ids=ascii)
def test_no_control_character_gets_through_even_to_a_reader_of_the_json(text: str) -> None:
    raw = gitlab_text(everywhere(text))
    raw.encode()
    for item in json.loads(raw):
        assert item["description"].isprintable()
        assert item["location"]["path"].isprintable()


@pytest.mark.parametrize(
    ("code", "within"),
    [
        (1, {"team": "a"}),
        (3, {"team": "a"}),
        (0, None),
        (0, {"team": None}),
        (0, {"team": "a\nB=c"}),
    ],
)
def test_no_variable_of_a_job_names_a_team_but_for_a_change_within_its_contract(
    code: int, within: object
) -> None:
    plan = {"digest": "sha256:0a", "changed": True}
    text = dotenv_text({"exitCode": code, "plan": plan, "withinContract": within})
    found = dict(line.split("=", 1) for line in text.splitlines())
    assert (found["IPAM_RESULT_WITHIN_CONTRACT"], found["IPAM_RESULT_TEAM"]) == ("false", "")
    assert len(found) == 5
