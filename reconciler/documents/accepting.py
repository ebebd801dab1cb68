"""Whether a value fits a JSON Schema, by reading the schema as it stands.

Compiling a schema takes as long as reading hundreds of documents like this, so a run that reads a
few compiles none. What it knows are the words that schemas here use, as they use them: a test reads
all of them, and holds this to the verdicts of both validators.
"""

import re
from collections.abc import Callable, Mapping
from typing import Any

Part = Mapping[str, Any]

_TYPES = {"object": dict, "array": list, "string": str, "integer": int, "boolean": bool}


def fits(part: Part, value: object) -> bool:
    """Whether a value fits a part of a schema, and all that is below it.

    Raises:
        KeyError: The schema uses a word that is not known here: a bug.
    """
    return all(_WORDS[word](value, said, part) for word, said in part.items())


def _is_any(value: Any, said: Any, part: Part) -> bool:
    del value, said, part
    return True


def _is_of_type(value: Any, said: str, part: Part) -> bool:
    del part
    # To Python a boolean is an integer.
    return isinstance(value, _TYPES[said]) and (said == "boolean" or not isinstance(value, bool))


def _is_same(value: Any, said: object, part: Part) -> bool:
    del part
    return type(value) is type(said) and value == said


def _is_one_of(value: Any, said: list[object], part: Part) -> bool:
    return any(_is_same(value, item, part) for item in said)


def _matches(value: Any, said: str, part: Part) -> bool:
    del part
    if not isinstance(value, str):
        return True
    # Python's `$` matches before a final line feed, too.
    pattern = f"{said[:-1]}\\Z" if said.endswith("$") else said
    return re.search(pattern, value) is not None


def _has_no_less(value: Any, said: int, part: Part) -> bool:
    del part
    return not isinstance(value, str | list) or len(value) >= said


def _has_no_more(value: Any, said: int, part: Part) -> bool:
    del part
    return not isinstance(value, str | list) or len(value) <= said


def _is_no_less(value: Any, said: int, part: Part) -> bool:
    del part
    return not isinstance(value, int) or value >= said


def _is_no_more(value: Any, said: int, part: Part) -> bool:
    del part
    return not isinstance(value, int) or value <= said


def _differ(value: Any, said: object, part: Part) -> bool:
    """Whether no item stands twice; those that are no strings, their own schema refuses."""
    del part
    return not (said and isinstance(value, list)) or len(set(map(repr, value))) == len(value)


def _fit_items(value: Any, said: Part, part: Part) -> bool:
    del part
    return not isinstance(value, list) or all(fits(said, item) for item in value)


def _fit_known(value: Any, said: Mapping[str, Part], part: Part) -> bool:
    del part
    if not isinstance(value, dict):
        return True
    return all(fits(inner, value[field]) for field, inner in said.items() if field in value)


def _fit_others(value: Any, said: Any, part: Part) -> bool:
    if not isinstance(value, dict) or said is True:
        return True
    known = part.get("properties", {})
    others = [item for field, item in value.items() if field not in known]
    return not others if said is False else all(fits(said, item) for item in others)


def _are_there(value: Any, said: list[str], part: Part) -> bool:
    del part
    return not isinstance(value, dict) or all(field in value for field in said)


_WORDS: Mapping[str, Callable[[Any, Any, Part], bool]] = {
    "type": _is_of_type,
    "const": _is_same,
    "enum": _is_one_of,
    "pattern": _matches,
    "minLength": _has_no_less,
    "maxLength": _has_no_more,
    "minItems": _has_no_less,
    "maxItems": _has_no_more,
    "minimum": _is_no_less,
    "maximum": _is_no_more,
    "uniqueItems": _differ,
    "items": _fit_items,
    "properties": _fit_known,
    "additionalProperties": _fit_others,
    "required": _are_there,
    **dict.fromkeys(
        ("$schema", "$id", "title", "description", "examples", "default", "x-unit"), _is_any
    ),
    # Which fields nobody reads, and which are read elsewhere.
    **dict.fromkeys(("x-unread", "x-preserve"), _is_any),
}
