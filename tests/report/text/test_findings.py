from reconciler.documents.findings import Location, error, gate, warning
from reconciler.documents.text import escape
from reconciler.report.text.table import MAX_FINDINGS, Painter, findings_text

PLAIN = Painter(is_on=False)
PLACE = Location("pools/a.yaml", 3, 9, "/spec/cidr")


def test_of_very_many_the_gravest_are_shown_and_the_rest_counted() -> None:
    found = [
        *(warning("base-ahead", Location(f"{n}.yaml", 1), "w") for n in range(MAX_FINDINGS)),
        gate("brake", PLACE, "stopped"),
        error("cidr-invalid", PLACE, "wrong"),
    ]
    lines = findings_text(found, PLAIN).splitlines()
    assert lines[0] == "pools/a.yaml:3:9: error cidr-invalid: wrong"
    assert lines[1] == "pools/a.yaml:3:9: refused brake: stopped"
    assert lines[-1] == "and 2 more; -o json lists up to 5,000"
    assert len(lines) == MAX_FINDINGS + 1


def test_neighbors_with_the_same_code_and_hint_share_its_line() -> None:
    found = [
        *(
            warning("override-unused", Location(f"{name}.yaml", 1), "w", "delete it")
            for name in "ab"
        ),
        warning("override-unused", Location("c.yaml", 1), "w", "keep it"),
        warning("base-ahead", Location("d.yaml", 1), "w", "keep it"),
    ]
    lines = [line.split(":")[0].strip() for line in findings_text(found, PLAIN).splitlines()]
    assert lines == ["a.yaml", "b.yaml", "hint", "c.yaml", "hint", "d.yaml", "hint"]


def test_hostile_text_of_a_file_reaches_no_terminal() -> None:
    found = [error("cidr-invalid", Location("::a\x1b.yaml", 1, 1), "\x1b[2J", "\u202ex")]
    text = findings_text(found, PLAIN)
    assert text == ("\\::a\\u001b.yaml:1:1: error cidr-invalid: \\u001b[2J\n  hint: \\u202ex\n")


def test_control_characters_and_terminal_escapes_are_shown_not_sent() -> None:
    assert escape("\x1b]0;title\x07\r\n\t\x7f\x9b") == (
        "\\u001b]0;title\\u0007\\u000d\\u000a\\u0009\\u007f\\u009b"
    )


def test_a_workflow_command_is_no_command() -> None:
    assert escape("::error file=x::y") == "\\::error file=x::y"
    assert escape("  ##vso[task.complete]") == "  #\\#vso[task.complete]"
    assert escape("a ##[error]b ##teamcity[c") == "a #\\#[error]b #\\#teamcity[c"
    assert escape("##########  ####=....  # # ##") == "##########  ####=....  # # ##"
    assert escape("a ::b #c") == "a ::b #c"
