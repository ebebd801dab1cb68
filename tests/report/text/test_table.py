from reconciler.documents.text import escape
from reconciler.report.text.table import Painter

PLAIN = Painter(is_on=False)


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
