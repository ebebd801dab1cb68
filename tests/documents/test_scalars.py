"""Patterns of numbers are written as what compiles quickly: they mean what is easier to read."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.documents import names, scalars

FLOAT = r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?"
ODD_INTEGER = r"[-+]?0[0-9]+|\+[0-9]+|0o[0-7]+|[-+]?0x[0-9a-fA-F]+"
# https://yaml.org/type/, one alternative a form.
YAML_1_1 = (
    r"[-+]?0b[01_]+|[-+]?0[0-7_]+|[-+]?0x[0-9a-fA-F_]+|[-+]?[0-9][0-9_]*"
    r"|[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?"
    r"|[-+]?(?:[0-9][0-9_]*)?\.[0-9_]*(?:[eE][-+]?[0-9]+)?|[-+]?[0-9][0-9_]*[eE][-+]?[0-9]+"
    r"|[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}"
    r"(?:(?:[Tt]|[ \t]+)[0-9]{1,2}:[0-9]{2}:[0-9]{2}(?:\.[0-9]*)?"
    r"(?:[ \t]*(?:Z|[-+][0-9]{1,2}(?::[0-9]{2})?))?)?"
)
FORMS = {
    "_INTEGER": r"-?(?:0|[1-9][0-9]*)",
    "_FLOAT": FLOAT,
    "_ODD_INTEGER": ODD_INTEGER,
    "_YAML_1_1": YAML_1_1,
}
DEVICES = "|".join(
    ["con", "prn", "aux", "nul", *(f"{port}{sign}" for port in ("com", "lpt") for sign in "0123456789¹²³")]
)  # fmt: skip


def near(pattern: str, alphabet: str) -> st.SearchStrategy[str]:
    """Texts of the letters of a pattern, and what it takes with one place changed."""
    text = st.text(alphabet, max_size=12)
    taken = st.from_regex(re.compile(pattern, re.ASCII), fullmatch=True)
    bent = st.tuples(taken, st.integers(0, 30), text.map(lambda it: it[:2]))
    return st.one_of(text, taken, bent.map(lambda it: it[0][: it[1]] + it[2] + it[0][it[1] + 1 :]))


@pytest.mark.parametrize("name", FORMS)
@given(data=st.data())
def test_a_pattern_of_numbers_takes_what_its_longer_form_takes(
    name: str, data: st.DataObject
) -> None:
    text = data.draw(near(FORMS[name], "0178+-.:_eEbxoatTZ fF\t\n\u0661"))
    longer = re.compile(FORMS[name], re.ASCII).fullmatch(text)
    assert (getattr(scalars, name).fullmatch(text) is None) == (longer is None)


@given(text=near(rf"(?:{DEVICES}|[a-c]+)(?:\.[a-c]*)?", "acomlptnurx019¹²³._- $\n"))
def test_a_name_is_plain_that_begins_with_none_of_all_devices(text: str) -> None:
    longer = re.fullmatch(rf"(?!(?:{DEVICES})(?:\.|$))[a-z0-9._-]*[a-z0-9_-]", text)
    assert (names._PLAIN.fullmatch(text) is None) == (longer is None)
