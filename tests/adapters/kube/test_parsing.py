"""JSON of a server is read no deeper than a fixed number of levels."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from reconciler.adapters.kube.parsing import DEPTH, cut, depth, parsed

texts = st.text(st.sampled_from('[]{}"\\/aé'), max_size=6)
values = st.recursive(
    st.none() | texts,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=20,
)


def levels(value: object) -> int:
    """How deep a value is, by going through it."""
    inner: list[object] = []
    if isinstance(value, list | dict):
        inner = list(value.values() if isinstance(value, dict) else value)
        return 1 + max(map(levels, inner), default=0)
    return 0


@given(values, st.booleans())
def test_a_text_has_as_many_levels_as_its_value(value: object, is_ascii: bool) -> None:
    assert depth(json.dumps(value, ensure_ascii=is_ascii).encode()) == levels(value)


@given(st.text(st.sampled_from('[]{}"\\,:1u '), max_size=30))
def test_nothing_is_read_deeper_than_was_told(text: str) -> None:
    """Whatever stands behind the place where the reader stops, or where it is no JSON at all."""
    try:
        value, _ = json.JSONDecoder().raw_decode(text)
    except ValueError:
        return
    assert levels(value) <= depth(text.encode())


@pytest.mark.parametrize(
    "opened", [b"[", b'{"":', b'[{"\\"":', b'["\\\\",', b'["]",'], ids=bytes.decode
)
def test_what_is_too_deep_is_not_read(opened: bytes) -> None:
    with pytest.raises(ValueError, match="nested over 100 levels deep"):
        parsed(opened * 100_000)


def test_as_many_levels_as_may_be_are_read() -> None:
    body = b'{"a":' * (DEPTH - 1) + b"{}" + b"}" * (DEPTH - 1)
    assert levels(parsed(body)) == DEPTH
    with pytest.raises(ValueError, match="nested"):
        parsed(b'{"a":' + body + b"}")


def pruned(value: object, most: int) -> object:
    """A value without what lies deeper."""
    if isinstance(value, list | dict) and not most:
        return None
    if isinstance(value, list):
        return [pruned(item, most - 1) for item in value]
    if isinstance(value, dict):
        return {key: pruned(item, most - 1) for key, item in value.items()}
    return value


@given(values, st.booleans(), st.integers(1, 6))
def test_what_is_cut_is_just_what_lies_too_deep(value: object, is_ascii: bool, most: int) -> None:
    body = json.dumps(value, ensure_ascii=is_ascii).encode()
    assert json.loads(cut(body, most)) == pruned(value, most)


@given(st.text(st.sampled_from('[]{}"\\,:1u '), max_size=30), st.integers(1, 4))
def test_a_text_that_is_no_json_is_cut_without_harm(text: str, most: int) -> None:
    cut(text.encode(), most)


def test_one_object_that_is_too_deep_takes_nothing_else_away() -> None:
    deep = b'{"a":' * 5_000 + b"1" + b"}" * 5_000
    body = b'{"items":[{"metadata":{"name":"odd"},"spec":%b},{"metadata":{"name":"fine"}}]}' % deep
    with pytest.raises(ValueError, match="nested over 100 levels"):
        parsed(body)
    odd, fine = parsed(body, cuts=True)["items"]
    assert odd["metadata"]["name"] == "odd"
    assert levels(odd) == DEPTH - 2
    assert fine == {"metadata": {"name": "fine"}}


def test_a_text_that_is_never_closed_is_not_read_though_it_is_cut() -> None:
    with pytest.raises(ValueError, match="nested over"):
        parsed(b'{"a":' * 5_000, cuts=True)


@pytest.mark.parametrize("body", [b"", b"]" * 1_000, b"[]", b"\xff", b'{"a":"\\ud800"}', b"<html>"])
def test_what_is_no_mapping_is_none(body: bytes) -> None:
    with pytest.raises(ValueError, match="not a JSON object"):
        parsed(body)
