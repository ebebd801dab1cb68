import re

import pytest

from reconciler.findings import Location, error, gate, info, warning
from reconciler.report.github import ANNOTATIONS, github_text
from tests.report.hostile import PLACE, corpus, everywhere, found

_PROPERTY = r"(file|line|col|title)=[^:,\r\n]+"
_COMMAND = re.compile(rf"::(error|warning|notice) {_PROPERTY}(,{_PROPERTY})*::[^\r\n]*", re.ASCII)


def test_a_finding_is_an_annotation_at_its_place_with_its_hint_on_a_line_of_its_own() -> None:
    text = github_text(found(error("cidr-invalid", PLACE, "no CIDR", "write one")))
    assert text == (
        "::error file=pools/a.yaml,line=3,col=9,title=cidr-invalid::no CIDR%0Ahint: write one\n"
        "✗ the content is wrong: 1 error; 1 to allocate, 0 kept\n"
    )


def test_a_place_without_line_or_file_has_none() -> None:
    text = github_text(
        found(
            warning("base-ahead", Location("."), "behind"),
            error("not-a-file", Location("pools/x"), "a link"),
        )
    )
    assert text.splitlines()[:2] == [
        "::error file=pools/x,title=not-a-file::a link",
        "::warning title=base-ahead::behind",
    ]


def test_what_is_only_to_know_is_a_notice() -> None:
    assert github_text(found(info("pool-added", PLACE, "new"))) == (
        "::notice file=pools/a.yaml,line=3,col=9,title=pool-added::new\n"
        "✓ passes: 1 to know; 1 to allocate, 0 kept\n"
    )


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
        "✗ the content is wrong: 10 errors, 1 refused, 12 warnings; 1 to allocate, 0 kept",
    ]


def test_without_findings_there_is_the_verdict_alone() -> None:
    assert github_text(found()) == "✓ fine: no findings; 1 to allocate, 0 kept\n"


@pytest.mark.parametrize("text", corpus(), ids=ascii)
def test_no_text_of_a_file_becomes_a_command_or_a_property(text: str) -> None:
    lines = github_text(everywhere(text)).split("\n")
    assert lines.pop() == ""
    assert lines.pop().startswith("✗ ")
    assert len(lines) == 3
    for line in lines:
        assert line.isprintable()
        assert _COMMAND.fullmatch(line), line
