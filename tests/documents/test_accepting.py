"""Accepting by a schema as it stands: its words, one by one, and that no schema uses another."""

from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from reconciler.documents.accepting import _WORDS, fits
from reconciler.documents.shipped import schema
from reconciler.sources import schema_files

SCHEMAS = sorted(schema_files().values())


def below(part: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """A schema and all schemas in it."""
    yield part
    inner = [
        *part.get("properties", {}).values(),
        part.get("items"),
        part.get("additionalProperties"),
    ]
    for item in inner:
        if isinstance(item, Mapping):
            yield from below(item)


@pytest.mark.parametrize("name", SCHEMAS)
def test_no_schema_uses_a_word_that_is_not_known_or_uses_one_otherwise(name: str) -> None:
    for part in below(schema(name)):
        assert set(part) <= set(_WORDS)
        assert isinstance(part.get("type", ""), str)
        if "minimum" in part or "maximum" in part:
            assert part["type"] == "integer"
        if "uniqueItems" in part:
            assert part["items"]["type"] == "string"
        known = (part.get("const"), *part.get("enum", ()))
        assert all(isinstance(item, str | int | None) for item in known)


@pytest.mark.parametrize(
    ("part", "right", "wrong"),
    [
        ({"type": "object"}, {}, []),
        ({"type": "array"}, [], {}),
        ({"type": "string"}, "", 1),
        ({"type": "integer"}, 1, True),
        ({"type": "boolean"}, True, 1),
        ({"const": "a"}, "a", "b"),
        ({"const": 1}, 1, True),
        ({"enum": ["a", "b"]}, "b", "c"),
        ({"pattern": "^a$"}, "a", "a\n"),
        ({"pattern": "b"}, "abc", "a"),
        ({"minLength": 2}, "ab", "a"),
        ({"maxLength": 2}, "ab", "abc"),
        ({"minItems": 1}, [1], []),
        ({"maxItems": 1}, [1], [1, 2]),
        ({"minimum": 2}, 2, 1),
        ({"maximum": 2}, 2, 3),
        ({"uniqueItems": True}, ["a", "b"], ["a", "a"]),
        ({"items": {"type": "string"}}, ["a"], ["a", 1]),
        ({"properties": {"a": {"type": "string"}}}, {"a": "b", "c": 1}, {"a": 1}),
        ({"properties": {"a": {}}, "additionalProperties": False}, {"a": 1}, {"b": 1}),
        ({"additionalProperties": {"type": "string"}}, {"a": "b"}, {"a": 1}),
        ({"required": ["a", "b"]}, {"a": 1, "b": None}, {"a": 1}),
    ],
)
def test_a_word_says_yes_and_no(part: dict[str, Any], right: object, wrong: object) -> None:
    assert fits(part, right)
    assert not fits(part, wrong)


@pytest.mark.parametrize(
    ("part", "value"),
    [
        ({"pattern": "^a$"}, 1),
        ({"minLength": 2, "maxLength": 3, "minItems": 1, "maxItems": 2}, 1),
        ({"minimum": 2, "maximum": 1}, "a"),
        ({"uniqueItems": True}, "aa"),
        ({"uniqueItems": False}, ["a", "a"]),
        ({"items": {"type": "string"}, "required": ["a"], "properties": {"a": {}}}, "a"),
        ({"additionalProperties": False}, "a"),
        ({"additionalProperties": True}, {"a": 1}),
        ({"description": "x", "x-preserve": True}, None),
    ],
)
def test_a_word_says_nothing_of_what_it_is_not_about(part: dict[str, Any], value: object) -> None:
    assert fits(part, value)


def test_a_word_that_is_not_known_is_a_bug_and_no_yes() -> None:
    with pytest.raises(KeyError):
        fits({"oneOf": []}, "a")
