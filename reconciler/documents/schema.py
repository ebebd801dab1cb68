"""JSON Schema validation."""

import re
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import cache
from typing import Any

from reconciler.documents.document import Document
from reconciler.documents.dump import scalar
from reconciler.documents.findings import (
    SHOWN_CHARACTERS,
    Finding,
    article_list,
    error,
    meant,
    nearest,
    shown,
)
from reconciler.documents.text import is_odd_integer
from reconciler.documents.validators import acceptor, schema
from reconciler.documents.yaml import Steps, dotted

TYPE_NAMES = {
    dict: "mapping", list: "list", str: "string", bool: "boolean", int: "integer",
    Decimal: "number", type(None): "null",
}  # fmt: skip
_JSON_NAMES = {"object": "mapping", "array": "list"}
# Similarity to a known field at which another field counts as a misspelling if unknown fields are
# permitted; at which it is suggested if they are not; and the minimum length of an abbreviation.
_MISSPELT, _GUESS, _BEGINNING = 0.83, 0.7, 6


def check_schema(document: Document) -> list[Finding]:
    """Return all schema errors of a document; empty if it is valid."""
    name = document.kind.schema
    found = _misspelt(document)
    if not acceptor(name)(document.body):
        # jsonschema reports each missing field of a mapping separately, here they are one finding.
        found.extend(dict.fromkeys(_explained(document, name)))
    return found


def _explained(document: Document, name: str) -> Iterator[Finding]:
    """Yield every schema error as a finding with its location."""
    failures = list(_validator(name).iter_errors(document.body))
    for failure in failures:
        yield from _finding(document, failure)
    if not failures:  # the validators disagree: the document is refused without an explanation
        yield error("field-value", document.at(), "the document does not fit its schema", name)


@cache
def _validator(name: str) -> Any:
    from jsonschema import Draft202012Validator  # 70 ms, and valid trees never need it
    from jsonschema.exceptions import ValidationError
    from jsonschema.validators import extend
    from referencing import Registry

    def pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
        """Match a pattern without Python's `$`, which also matches before a final line feed."""
        del validator, schema
        if isinstance(instance, str) and not re.search(re.sub(r"\$$", r"\\Z", pattern), instance):
            yield ValidationError(f"does not match {pattern}")

    # A Decimal is not an integer. NaN is not a number, because comparing a limit with it raises.
    numbers = Draft202012Validator.TYPE_CHECKER.redefine(
        "number", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )
    strict: Any = extend(  # type: ignore[no-untyped-call]  # jsonschema has no types here
        Draft202012Validator, {"pattern": pattern}, type_checker=numbers
    )
    closed: Registry[Any] = Registry()
    return strict(schema(name), registry=closed)


def _finding(document: Document, failure: Any) -> Iterator[Finding]:
    steps: Steps = tuple(failure.absolute_path)
    say = _SAY.get(failure.validator, _say_value)
    if failure.validator == "additionalProperties":
        known = failure.schema.get("properties", {})
        for field in sorted(set(failure.instance) - set(known)):
            yield _unknown(document, (*steps, field), known)
    elif failure.validator == "required":
        for field in failure.validator_value:
            if field not in failure.instance:
                place = document.at(*steps)
                place = place._replace(pointer=f"{place.pointer}/{field}")
                described = failure.schema["properties"].get(field, {}).get("description", "")
                yield error("field-required", place, f"{dotted((*steps, field))}: required",
                            described)  # fmt: skip
    else:
        yield say(document, steps, failure)


def _say_type(document: Document, steps: Steps, failure: Any) -> Finding:
    wanted = failure.validator_value
    names = [wanted] if isinstance(wanted, str) else wanted
    expected = article_list(_JSON_NAMES.get(name, name) for name in names)
    value = failure.instance
    message = f"{dotted(steps)}: {expected} required, got {described_schema(value)}"
    if "integer" in names and isinstance(value, str) and is_odd_integer(value):
        message += ", which is not a decimal integer"
    hint = _type_hint(names, value, failure.schema)
    return error("field-type", document.at(*steps), message, hint)


def _type_hint(names: list[str], value: object, part: Mapping[str, Any]) -> str:
    """Return how to write a value of the expected type."""
    examples = part.get("examples") or ()
    if "integer" in names:
        if isinstance(value, str) and value.isascii() and value.isdigit() and value[0] != "0":
            return f"write {shorter(value)} without quotes"
        return f"write a decimal number such as {examples[0] if examples else 8}"
    if "boolean" in names:
        return "write true or false"
    if "string" in names and not isinstance(value, dict | list):
        example = f"; an example: {examples[0]}" if examples else ""
        return "" if value is None else f'quote it: "{shorter(written(value))}"{example}'
    return str(part.get("description", ""))


def described_schema(value: object) -> str:
    """Return a value with its type, as written: `string '4'`, `boolean true`, `null`."""
    name = TYPE_NAMES.get(type(value), "value")
    if isinstance(value, str):
        return f"{name} {shown(value)}"
    if value is None or isinstance(value, dict | list):
        return name
    return f"{name} {shorter(written(value))}"


def written(value: object) -> str:
    """Return the YAML text of a scalar."""
    return value if isinstance(value, str) else scalar(value)


def shorter(text: str) -> str:
    """Return a text truncated to fit a line."""
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


def _say_enum(document: Document, steps: Steps, failure: Any) -> Finding:
    allowed = [str(item) for item in failure.validator_value]
    message = f"{dotted(steps)}: {shown(failure.instance)} is not one of {', '.join(allowed)}"
    hint = meant(str(failure.instance), allowed) or _help(failure)
    return error("field-value", document.at(*steps), message, hint)


def _say_value(document: Document, steps: Steps, failure: Any) -> Finding:
    limit = failure.validator_value
    value = failure.instance
    words = {
        "minimum": f"must be at least {limit}, got {value}",
        "maximum": f"must be at most {limit}, got {value}",
        "maxLength": f"longer than {limit} characters",
        "minLength": "must not be empty",
        "maxItems": f"more than {limit} items",
        "minItems": f"needs at least {limit} item" + ("s" if limit != 1 else ""),
        "uniqueItems": "an item stands twice",
        "pattern": f"{shown(value)} does not fit",
    }
    message = f"{dotted(steps)}: {words.get(failure.validator, f'{shown(value)} does not fit')}"
    return error("field-value", document.at(*steps), message, _help(failure))


def _help(failure: Any) -> str:
    """Return the schema's description of the field, else the limit."""
    described = failure.schema.get("description")
    return str(described or f"{failure.validator}: {failure.validator_value}")


_SAY: Mapping[str, Callable[[Document, Steps, Any], Finding]] = {
    "type": _say_type,
    "enum": _say_enum,
    "const": _say_value,
}


def _unknown(document: Document, steps: Steps, known: Mapping[str, Any]) -> Finding:
    hint = f"known here: {', '.join(sorted(known))}" if known else ""
    field = str(steps[-1])
    if near := _near(field, known, _GUESS) or _begins(field, known):
        hint = f"did you mean {near}?"
    place = document.at(*steps, key=True)
    return error("field-unknown", place, f"unknown field {shown(dotted(steps))}", hint)


def _near(field: str, known: Mapping[str, Any], likeness: float) -> str | None:
    """Return the known field that `field` misspells, or None."""
    by_lower = {name.lower(): name for name in known}
    return by_lower.get(nearest(field.lower(), by_lower, likeness))


def _misspelt(document: Document) -> list[Finding]:
    """Return findings for unlisted fields of `x-preserve` objects that resemble known fields."""
    found: list[Finding] = []
    name = document.kind.schema
    for steps, known in _preserving(name):
        value: Any = document.body
        for step in steps:
            value = value.get(step) if isinstance(value, dict) else None
        if isinstance(value, dict) and not value.keys() <= known.keys():
            for field in sorted(field for field in value if field not in known):
                if _near(field, known, _MISSPELT) or _begins(field, known):
                    found.append(_unknown(document, (*steps, field), known))
                elif (place := _alone(name).get(field)) is not None:
                    found.append(_misplaced(document, (*steps, field), place))
    return found


def _begins(field: str, known: Mapping[str, Any]) -> str | None:
    """Return the known field that `field` is a prefix of, as `network` of `networking`."""
    if len(field) < _BEGINNING:
        return None
    return next((name for name in known if name.lower().startswith(field.lower())), None)


def _misplaced(document: Document, steps: Steps, place: Steps) -> Finding:
    message = f"{shown(dotted(steps))} is not read here"
    return error("field-unknown", document.at(*steps, key=True), message, f"write {dotted(place)}")


@cache
def _preserving(name: str) -> tuple[tuple[Steps, Mapping[str, Any]], ...]:
    """Return the objects of a schema that preserve unlisted fields, with their listed fields."""
    parts = _parts(schema(name), ())
    return tuple((at, it.get("properties", {})) for at, it in parts if it.get("x-preserve"))


@cache
def _alone(name: str) -> Mapping[str | int, Steps]:
    """Return fields with only one valid place, which a schema marks `x-alone`."""
    return {at[-1]: at for at, it in _parts(schema(name), ()) if at and it.get("x-alone")}


def _parts(part: Mapping[str, Any], steps: Steps) -> Iterator[tuple[Steps, Mapping[str, Any]]]:
    """Yield every object and field of a schema, with its path."""
    yield steps, part
    for field, inner in part.get("properties", {}).items():
        yield from _parts(inner, (*steps, field))
