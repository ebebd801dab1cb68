from reconciler.report.escape import escape, escape_json
from reconciler.report.text.table import Cell, Colour, Painter, table

PLAIN, COLOURED = Painter(is_on=False), Painter(is_on=True)


def test_columns_are_three_spaces_apart_and_as_wide_as_their_widest_cell() -> None:
    assert table(("A", "LONG"), [["first", "x"], ["y", "z"]], PLAIN) == (
        "A       LONG\nfirst   x\ny       z\n"
    )


def test_columns_of_numbers_are_flush_right() -> None:
    assert table(("N", "C"), [["x", "7"], ["y", "123"]], PLAIN, right=(1,)) == (
        "N     C\nx     7\ny   123\n"
    )


def test_colour_does_not_move_columns() -> None:
    rows: list[list[Cell]] = [[("red", Colour.RED), "x"], ["longer", "y"]]
    coloured = table(("A", "B"), rows, COLOURED)
    assert coloured == (
        "\x1b[2mA\x1b[0m        \x1b[2mB\x1b[0m\n\x1b[31mred\x1b[0m      x\nlonger   y\n"
    )
    for code in ("\x1b[2m", "\x1b[31m", "\x1b[0m"):
        coloured = coloured.replace(code, "")
    assert coloured == table(("A", "B"), rows, PLAIN)


def test_cells_are_escaped() -> None:
    rows: list[list[Cell]] = [["a\x1b[31m", ("b\n::error::", None)]]
    assert table((), rows, PLAIN) == ("a\\u001b[31m   b\\u000a::error::\n")


def test_control_characters_and_terminal_escapes_are_shown_not_sent() -> None:
    assert escape("\x1b]0;title\x07\r\n\t\x7f\x9b") == (
        "\\u001b]0;title\\u0007\\u000d\\u000a\\u0009\\u007f\\u009b"
    )


def test_characters_that_hide_or_turn_text_are_shown() -> None:
    assert escape("a\u202eb\u2066c\u200bd\ufeffe\u2028f") == (
        "a\\u202eb\\u2066c\\u200bd\\ufeffe\\u2028f"
    )


def test_a_workflow_command_is_no_command() -> None:
    assert escape("::error file=x::y") == "\\::error file=x::y"
    assert escape("  ##vso[task.complete]") == "  #\\#vso[task.complete]"
    assert escape("a ::b #c") == "a ::b #c"


def test_letters_of_any_script_stay() -> None:
    assert escape("größe 大きさ →") == "größe 大きさ →"


def test_hidden_characters_beyond_the_first_plane_are_written_as_json_writes_them() -> None:
    assert escape("a\U000e0041") == "a\\U000e0041"
    assert escape_json('"a\U000e0041\u202e"') == '"a\\udb40\\udc41\\u202e"'
