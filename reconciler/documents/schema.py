"""JSON Schema in two steps: a fast yes from compiled Python, and a slow, full explanation of a no.

fastjsonschema stops at its first error and says little; jsonschema finds them all at a twentieth
of the speed. So fastjsonschema accepts, and only what it refuses is shown to jsonschema. Schemas
ship with the program and no reference leaves them: jsonschema would else fetch `$ref` from the
network. A schema may mark an object `x-preserve`: fields that it does not list are accepted
unread, but not when they look like a misspelling of a listed one.
"""

from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from difflib import get_close_matches
from functools import cache
from typing import Any

from reconciler.documents.document import Document
from reconciler.documents.scalars import is_odd_integer
from reconciler.documents.shipped import schema
from reconciler.documents.yaml import Steps
from reconciler.findings import Finding, article_list, error, shown

_NAMES = {
    dict: "mapping", list: "list", str: "string", bool: "boolean", int: "integer",
    Decimal: "number", type(None): "null",
}  # fmt: skip
_JSON_NAMES = {"object": "mapping", "array": "list"}


def check(document: Document) -> list[Finding]:
    """All that a document's schema has against it; empty when it fits."""
    name = document.kind.schema
    found = _misspelt(document, schema(name), ())
    if not _accepts(name)(document.body):
        found.extend(_explained(document, name))
    return found


@cache
def _accepts(name: str) -> Callable[[object], bool]:
    import fastjsonschema  # 26 ms, and `ipam --help` needs none of it

    validate = fastjsonschema.compile(schema(name), use_formats=False, use_default=False)

    def accepts(body: object) -> bool:
        try:
            validate(body)
        except fastjsonschema.JsonSchemaException:
            return False
        return True

    return accepts


def _explained(document: Document, name: str) -> Iterator[Finding]:
    """Every error of the schema as a finding with its place."""
    from jsonschema import Draft202012Validator  # 70 ms, and valid trees never need it
    from referencing import Registry

    closed: Registry[Any] = Registry()
    validator = Draft202012Validator(schema(name), registry=closed)
    for failure in validator.iter_errors(document.body):
        yield from _finding(document, failure)


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
                yield error("field-required", place, f"{_dotted((*steps, field))}: required",
                            described)  # fmt: skip
    else:
        yield say(document, steps, failure)


def _say_type(document: Document, steps: Steps, failure: Any) -> Finding:
    wanted = failure.validator_value
    names = [wanted] if isinstance(wanted, str) else wanted
    expected = article_list(_JSON_NAMES.get(name, name) for name in names)
    value = failure.instance
    got = _NAMES.get(type(value), "value")
    hint = ""
    if isinstance(value, str | int | Decimal) and not isinstance(value, bool):
        got = f"{got} {shown(value)}"
    if isinstance(value, str) and "integer" in names:
        hint = "write a decimal integer without quotes"
        if is_odd_integer(value):
            got = f"{got}, which is not a decimal integer"
    elif isinstance(value, Decimal) and "integer" in names:
        got = str(value)
    elif "string" in names and not isinstance(value, dict | list | type(None)):
        hint = f'quote it: "{str(value).lower() if isinstance(value, bool) else value}"'
    message = f"{_dotted(steps)}: {expected} required, got {got}"
    return error("field-type", document.at(*steps), message, hint)


def _say_enum(document: Document, steps: Steps, failure: Any) -> Finding:
    allowed = [str(item) for item in failure.validator_value]
    near = get_close_matches(str(failure.instance), allowed, 1)
    message = f"{_dotted(steps)}: {shown(failure.instance)} is not one of {', '.join(allowed)}"
    hint = f"did you mean {near[0]}?" if near else ""
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
        "pattern": f"{shown(value)} does not match {limit}",
    }
    message = words.get(failure.validator, f"{shown(value)} does not fit")
    hint = str(failure.schema.get("description", ""))
    return error("field-value", document.at(*steps), f"{_dotted(steps)}: {message}", hint)


_SAY: Mapping[str, Callable[[Document, Steps, Any], Finding]] = {
    "type": _say_type,
    "enum": _say_enum,
    "const": _say_value,
}


def _unknown(document: Document, steps: Steps, known: Mapping[str, Any]) -> Finding:
    hint = f"known here: {', '.join(sorted(known))}" if known else ""
    if near := _near(str(steps[-1]), known):
        hint = f"did you mean {near}?"
    place = document.at(*steps, key=True)
    return error("field-unknown", place, f"unknown field {shown(_dotted(steps))}", hint)


def _near(field: str, known: Mapping[str, Any]) -> str | None:
    """The known field that `field` misspells, if it is close to one."""
    by_lower = {name.lower(): name for name in known}
    near = get_close_matches(field.lower(), by_lower, 1, 0.84)
    return by_lower[near[0]] if near else None


def _misspelt(document: Document, part: Mapping[str, Any], steps: Steps) -> list[Finding]:
    """Fields that an `x-preserve` object does not list, but that look like one that it does."""
    value: Any = document.body
    for step in steps:
        value = value.get(step) if isinstance(value, Mapping) else None
    if not isinstance(value, Mapping):
        return []
    known = part.get("properties", {})
    found: list[Finding] = []
    if part.get("x-preserve"):
        found.extend(
            _unknown(document, (*steps, field), known)
            for field in sorted(value)
            if field not in known and _near(field, known)
        )
    for field in sorted(value):
        if field in known and _has_preserve(known[field]):
            found.extend(_misspelt(document, known[field], (*steps, field)))
    return found


def _has_preserve(part: Mapping[str, Any]) -> bool:
    return bool(part.get("x-preserve")) or any(
        _has_preserve(below) for below in part.get("properties", {}).values()
    )


def _dotted(steps: Steps) -> str:
    """`spec.tenantAllocation.ranges[0].start`, the way Kubernetes names fields."""
    text = ""
    for step in steps:
        text += f"[{step}]" if isinstance(step, int) else f".{step}"
    return text.removeprefix(".") or "document"
