"""Loader of documents: JSON Schema validation, and checks of file names."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from functools import cache
from sys import intern
from typing import Any
from unicodedata import normalize

from msgspec import Struct
from msgspec.structs import replace

from reconciler.documents import yaml
from reconciler.documents.document import Document, Identity, Kind, value_at
from reconciler.documents.findings import (
    SHOWN_CHARACTERS,
    Finding,
    Location,
    Severity,
    article_list,
    error,
    has_error,
    meant,
    nearest,
    plural,
    shown,
    warning,
)
from reconciler.documents.text import Problem, TooManyDigitsError, is_odd_integer, is_yaml, resolve
from reconciler.documents.validators import acceptor, schema
from reconciler.documents.yaml import Steps, dotted, scalar

TYPE_NAMES = {
    dict: "mapping", list: "list", str: "string", bool: "boolean", int: "integer",
    Decimal: "number", type(None): "null",
}  # fmt: skip
_JSON_NAMES = {"object": "a mapping", "array": "a list", "integer": "an integer"}
# Similarity to a known field at which another field counts as a misspelling if unknown fields are
# permitted; at which it is suggested if they are not; and the minimum length of an abbreviation.
_MISSPELT, _GUESS, _SAME_GROUP, _BEGINNING = 0.83, 0.7, 0.9, 6


def check_schema(document: Document) -> list[Finding]:
    """Return all schema errors of a document; empty if it is valid."""
    name = document.kind.schema
    found = _misspelt(document)
    if not acceptor(name)(document.body):
        failures = list(_validator(name).iter_errors(document.body))
        explained = (it for failure in failures for it in _schema_findings(document, failure))
        # jsonschema reports each missing field of a mapping separately, here they are one finding.
        found.extend(dict.fromkeys(explained))
        if not failures:  # the validators disagree: the document is refused without an explanation
            message, hint = (
                "the document does not match its schema",
                f"compare it with schema {name}",
            )
            found.append(error("field-value", document.at(), message, hint))
    return found


@cache
def _validator(name: str) -> Any:
    import jsonschema  # 70 ms, and valid trees never need it
    from referencing import Registry

    draft = jsonschema.Draft202012Validator

    def pattern(validator: Any, pattern: str, instance: Any, schema: Any) -> Iterator[Any]:
        """Match without Python's `$`, which also matches before a final line feed."""
        del validator, schema
        if isinstance(instance, str) and not re.search(re.sub(r"\$$", r"\\Z", pattern), instance):
            yield jsonschema.ValidationError(f"does not match {pattern}")

    # A Decimal is not an integer. NaN is not a number, because comparing a limit with it raises.
    numbers = draft.TYPE_CHECKER.redefine(
        "number", lambda _, value: isinstance(value, int) and not isinstance(value, bool)
    )
    strict: Any = jsonschema.validators.extend(  # type: ignore[no-untyped-call]  # jsonschema has no types here
        draft, {"pattern": pattern}, type_checker=numbers
    )
    closed: Registry[Any] = Registry()
    return strict(schema(name), registry=closed)


def _schema_findings(document: Document, failure: Any) -> Iterator[Finding]:
    steps: Steps = tuple(failure.absolute_path)
    if failure.validator == "additionalProperties":
        known = failure.schema.get("properties", {})
        for field in sorted(set(failure.instance) - set(known)):
            yield _unknown(document, (*steps, field), known)
    elif failure.validator == "required":
        for field in failure.validator_value:
            if field not in failure.instance:
                place = document.at(*steps)
                place = replace(place, pointer=f"{place.pointer}/{field}")
                part, name = failure.schema["properties"].get(field, {}), dotted((*steps, field))
                yield error(
                    "field-required", place, f"{name} is missing", f"add {name}{_such(part)}"
                )
    else:
        is_type = failure.validator == "type"
        written = _written(document, steps, failure.instance)
        message, hint = _wrong_type(failure, written) if is_type else _wrong_value(failure, steps)
        code = "field-type" if is_type else "field-value"
        yield error(code, document.at(*steps), f"{dotted(steps)} {message}", hint)


def _wrong_type(failure: Any, written: str) -> tuple[str, str]:
    wanted, value, part = failure.validator_value, failure.instance, failure.schema
    names = [wanted] if isinstance(wanted, str) else wanted
    expected = article_list(_JSON_NAMES.get(name, f"a {name}") for name in names)
    message = f"is {_described(value, written)}, expected {expected}"
    examples = part.get("examples") or ()
    if "integer" in names:
        if isinstance(value, str) and is_odd_integer(value):
            message = f"is {_described(value, written)}, expected a decimal integer"
        if isinstance(value, str) and value.isascii() and value.isdigit() and value[0] != "0":
            return message, f"write {_shorter(value)} without quotes"
        return message, f"write a decimal number, such as {examples[0] if examples else 8}"
    if "boolean" in names:
        return message, "write true or false"
    if "string" in names and isinstance(value, str | int | Decimal) and not examples:
        return message, f'quote it: "{_shorter(written)}"'
    return message, f"write {expected}{_such(part)}"


def _such(part: Mapping[str, Any]) -> str:
    """Return `, for example X` from the schema of a field."""
    return "".join(f", for example {it}" for it in part.get("examples", ())[:1])


def _wrong_value(failure: Any, steps: Steps) -> tuple[str, str]:
    limit, value, field = failure.validator_value, failure.instance, dotted(steps)
    if failure.validator == "enum":
        allowed = [str(item) for item in limit]
        expected = article_list(allowed)
        hint = meant(str(value), allowed) or f"set {field} to {expected}"
        return f"is {shown(value)}, expected {expected}", hint
    none = failure.schema.get("x-none") if value == 0 else None
    words = {
        "minimum": (f"is {value}, must be at least {limit}", f"set {field} to {limit} or more"),
        "maximum": (f"is {value}, must be at most {limit}", f"set {field} to {limit} or less"),
        "maxLength": (
            f"is longer than {limit} characters",
            f"shorten it to at most {limit} characters",
        ),
        "minLength": ("is empty", "write a value"),
        "maxItems": (f"has more than {limit} items", f"list at most {limit} items"),
        "maxProperties": (f"has more than {limit} entries", f"list at most {limit} entries"),
        "minItems": (f"must have at least {plural(limit, 'item')}", "add items"),
        "uniqueItems": ("lists an item twice", "remove the duplicate"),
        "pattern": (f"is {shown(value)}, which is not valid", _form(str(limit), failure.schema)),
    }
    message, hint = words.get(
        failure.validator, (f"is {shown(value)}, which is not valid", "correct it")
    )
    return message, f"{hint}; {none}" if none else hint


_ENDS = "first and last a letter or digit"
# By a part of the pattern.
_FORMS = {
    "smhd": "write a number and s, m, h, or d, such as 24h",
    "Ki|Mi": "write a number and Ki, Mi, or Gi, such as 64Mi",
    "[0-9]{4}": "write a date, or an RFC 3339 time in UTC, such as 2026-02-20T12:00:00Z",
    "(/": "use letters, digits, _, -, ., and /, without .. and without / at the start",
    "A-Z": f"use letters, digits, -, _, and ., {_ENDS}",
    "a-z0-9])?(": f"use a-z, 0-9, -, and ., {_ENDS}",
    "a-z0-9": f"use a-z, 0-9, and -, {_ENDS}",
}


def _form(pattern: str, part: Mapping[str, Any]) -> str:
    form = next((form for some, form in _FORMS.items() if some in pattern), "")
    return form or f"write a value that matches {pattern}{_such(part)}"


def _described(value: object, written: str = "") -> str:
    name = TYPE_NAMES.get(type(value), "value")
    if isinstance(value, str):
        return f"the {name} {shown(value)}"
    if value is None or isinstance(value, dict | list):
        return name if value is None else f"a {name}"
    return f"the {name} {_shorter(written)}"


_PLAIN = re.compile(r"[^\s,\[\]{}#]+")


def _written(document: Document, steps: Steps, value: object) -> str:
    """Return a scalar as its file spells it: `1e3`, not `1E+3`."""
    if isinstance(value, str | dict | list):
        return value if isinstance(value, str) else ""
    place = document.at(*steps)
    lines = document.data.decode("utf-8-sig", "replace").split("\n")
    line = lines[place.line - 1] if place.line <= len(lines) else ""
    found = _PLAIN.match(line, max(place.column - 1, 0))
    with suppress(TooManyDigitsError):
        if found is not None and resolve(found[0]) == value:
            return found[0]
    return scalar(value)


def _shorter(text: str) -> str:
    return text if len(text) <= SHOWN_CHARACTERS else f"{text[:SHOWN_CHARACTERS]}…"


def _unknown(document: Document, steps: Steps, known: Mapping[str, Any]) -> Finding:
    hint = f"use one of: {', '.join(sorted(known))}" if known else "remove it"
    field = str(steps[-1])
    if near := _near(field, known, _GUESS) or _begins(field, known):
        hint = f"did you mean {near}?"
    place = document.at(*steps, key=True)
    return error("field-unknown", place, f"unknown field {shown(dotted(steps))}", hint)


def _near(field: str, known: Iterable[str], likeness: float) -> str | None:
    by_lower = {name.lower(): name for name in known}
    return by_lower.get(nearest(field.lower(), by_lower, likeness))


def _misspelt(document: Document) -> list[Finding]:
    """Return findings for unlisted fields of `x-preserve` objects that resemble known fields."""
    found: list[Finding] = []
    name = document.kind.schema
    for steps, known in _preserving(name):
        value = value_at(document.body, *steps)
        if isinstance(value, dict) and not value.keys() <= known.keys():
            for field in sorted(field for field in value if field not in known):
                if _near(field, known, _MISSPELT) or _begins(field, known):
                    found.append(_unknown(document, (*steps, field), known))
                elif (place := _alone(name).get(field)) is not None:
                    at = document.at(*steps, field, key=True)
                    message = f"{shown(dotted((*steps, field)))} has no effect here"
                    found.append(error("field-unknown", at, message, f"move it to {dotted(place)}"))
    return found


def _begins(field: str, known: Mapping[str, Any]) -> str | None:
    if len(field) < _BEGINNING:
        return None
    return next((name for name in known if name.lower().startswith(field.lower())), None)


@cache
def _preserving(name: str) -> tuple[tuple[Steps, Mapping[str, Any]], ...]:
    parts = _parts(schema(name), ())
    return tuple((at, it.get("properties", {})) for at, it in parts if it.get("x-preserve"))


@cache
def _alone(name: str) -> Mapping[str | int, Steps]:
    return {at[-1]: at for at, it in _parts(schema(name), ()) if at and it.get("x-alone")}


def _parts(part: Mapping[str, Any], steps: Steps) -> Iterator[tuple[Steps, Mapping[str, Any]]]:
    yield steps, part
    for field, inner in part.get("properties", {}).items():
        yield from _parts(inner, (*steps, field))


Judge = Callable[[Document], Sequence[Finding]]
"""Returns contradictions in a document with a valid schema; empty if there are none."""

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]*[a-z0-9])?", re.ASCII)
_NAME = re.compile(rf"{_LABEL.pattern}(\.{_LABEL.pattern})*", re.ASCII)
# Fields that a cluster adds to a manifest:
# https://kubernetes.io/docs/reference/using-api/api-concepts/
_CLUSTER_METADATA = (
    "creationTimestamp", "finalizers", "generation", "managedFields", "ownerReferences",
    "resourceVersion", "selfLink", "uid",
)  # fmt: skip
_TYPE = ("apiVersion", "kind")
_UNKNOWN = Kind("", "", "", None)
_METADATA_EXAMPLE = "write a mapping, for example metadata: {name: vlan40-pool}"
_NAME_EXAMPLE = "write a name of a-z, 0-9, and -, such as vlan40-pool"
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


class Loaded(Struct, frozen=True, gc=False):
    """The content of one file.

    Attributes:
        broken: Identities of recognized documents with errors.
        unclear: Whether a part of the file could not be recognized.
        text: The bytes of a file with broken content; empty for other files.
    """

    path: str
    documents: tuple[Document, ...]
    findings: tuple[Finding, ...]
    broken: tuple[Identity, ...] = ()
    unclear: bool = False
    text: bytes = b""

    @property
    def is_broken(self) -> bool:
        """Return whether the file has a broken document (docs/reference/planning.md)."""
        return self.unclear or bool(self.broken)


class Kinds:
    """Kinds that a place permits, the first for hints. Other known kinds are `elsewhere`."""

    def __init__(
        self, kinds: Iterable[Kind], elsewhere: Mapping[tuple[str, str], str] | None = None
    ) -> None:
        self._kinds = {(kind.api_version, kind.name): kind for kind in kinds}
        self._example = next(iter(self._kinds))
        self.elsewhere = elsewhere or {}
        self.versions = sorted({version for version, _ in self._kinds})

    def find(self, api_version: str, name: str) -> Kind | None:
        """Return the kind of a name in an API group and version."""
        return self._kinds.get((api_version, name))

    def is_foreign(self, body: Any) -> bool:
        """Return whether a document is of another API, and not a misspelling of a known kind."""
        version, name = (body.get(it) if isinstance(body, dict) else None for it in _TYPE)
        if not isinstance(version, str) or not isinstance(name, str):
            return False
        known = [*self._kinds, *self.elsewhere]
        groups, names = ({it[at].partition("/")[0].lower() for it in known} for at in (0, 1))
        is_ours = version.partition("/")[0].lower() in groups
        return not is_ours and not nearest(name.lower(), sorted(names), _MISSPELT)

    def example(self, field: str) -> str:
        """Return a hint with valid values for `apiVersion` or `kind`."""
        api_version, name = self._example
        return f"set {field}, for example {field}: {api_version if field == 'apiVersion' else name}"

    def names(self, api_version: str) -> list[str]:
        """Return the names of all kinds of an API group and version."""
        return sorted(name for version, name in self._kinds if version == api_version)


def load(path: str, data: bytes, kinds: Kinds, judge: Judge = lambda _: ()) -> Loaded:
    """Parse and check the documents of a file; `judge` checks those with a valid schema."""
    reading = yaml.read(data)
    findings = [_finding(path, problem, Severity.ERROR) for problem in reading.problems]
    findings += [_finding(path, doubt, Severity.WARNING) for doubt in reading.doubts]
    if not reading.documents and not reading.problems:
        hint = "write a document, or delete the file"
        place = Location(path, 1, 1)
        findings.append(error("document-empty", place, "the file contains no document", hint))
    unclear = bool(reading.problems) or not reading.documents
    right: list[Document] = []
    broken: list[Identity] = []
    # Schema errors of a document with a YAML problem would only be consequences of the problem.
    starts = [parsed.line for parsed in reading.documents]
    spoilt = {bisect_right(starts, problem.line) - 1 for problem in reading.problems}
    for index, parsed in enumerate(reading.documents):
        document, found = _identify(path, index, parsed, data, kinds)
        if index in spoilt:
            found = []
        elif document is not None:
            wrong = check_schema(document)
            found += wrong if has_error((*found, *wrong)) else [*wrong, *judge(document)]
        findings += found
        if document is None:
            unclear = unclear or not kinds.is_foreign(parsed.value)
        elif reading.problems or has_error(found):
            broken.append(document.identity)
        else:
            right.append(document)
    text = data if unclear or broken else b""
    return Loaded(path, tuple(right), tuple(findings), tuple(broken), unclear, text)


def duplicate(document: Document, other: Document) -> Finding:
    """Return the finding for two documents of one object, at the second one."""
    message = f"{document.title} is already defined at {other.path}:{other.line}"
    place = Location(document.path, document.line, 1)
    return error("document-duplicate", place, message, "remove one of the two")


def _finding(path: str, problem: Problem, severity: Severity) -> Finding:
    place = Location(path, problem.line, problem.column)
    return Finding(problem.code, severity, problem.message, place, problem.hint)


def _identify(
    path: str, index: int, parsed: yaml.Parsed, data: bytes, kinds: Kinds
) -> tuple[Document | None, list[Finding]]:
    body, line, span = parsed.value, parsed.line, parsed.span
    if not isinstance(body, dict):
        message = f"the document has type {TYPE_NAMES.get(type(body), 'value')}, expected a mapping"
        hint = "begin the document with apiVersion, kind, and metadata"
        return None, [error("document-not-mapping", Location(path, line, 1), message, hint)]
    metadata = body.get("metadata")
    raw = Document(path, index, line, _UNKNOWN, "", "", body, data, span=span)
    kind, found = _kind(raw, kinds)
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict):
        found.append(_not_of_type(raw, ("metadata",), "a mapping", _METADATA_EXAMPLE))
    elif not isinstance(name, str):
        hint = _NAME_EXAMPLE
        if "name" in metadata and not isinstance(name, dict | list):
            hint = f'quote it: "{_shorter(_written(raw, ("metadata", "name"), name))}"'
        found.append(_not_of_type(raw, ("metadata", "name"), "a string", hint))
    if kind is None or not isinstance(metadata, dict) or not isinstance(name, str):
        # The metadata of a list describes no object.
        return None, found[:1] if kind is None and "items" in body else found
    default = kind.default_namespace
    given = metadata.get("namespace", default)
    namespace = given if default is not None and isinstance(given, str) else default or ""
    document = Document(path, index, line, kind, namespace, intern(name), body, data, span=span)
    for field, value, longest in (("name", name, kind.longest), ("namespace", namespace, 0)):
        form, most = (_NAME, longest) if longest else (_LABEL, 63)
        if not (len(value) <= most and form.fullmatch(value)) and (value or field == "name"):
            what, signs = ("name", "0-9, -, and .") if most > 63 else ("label", "0-9, and -")
            message = f"metadata.{field} is {shown(value)}, which is not an RFC 1123 {what}"
            hint = f"use a-z, {signs}, at most {most} characters, {_ENDS}"
            found.append(error("name-invalid", raw.at("metadata", field), message, hint))
    return _without_cluster_fields(document, found), found


def _not_of_type(raw: Document, steps: tuple[str, ...], expected: str, hint: str) -> Finding:
    around: Any = raw.body
    for step in steps[:-1]:
        around = around[step]
    field = ".".join(steps)
    if steps[-1] not in around:
        return error("field-required", raw.at(*steps), f"{field} is missing", hint)
    value = around[steps[-1]]
    got = _described(value, _written(raw, steps, value))
    message = f"{field} is {got}, expected {expected}"
    return error("field-type", raw.at(*steps), message, hint)


def _kind(raw: Document, kinds: Kinds) -> tuple[Kind | None, list[Finding]]:
    version, name = (raw.body.get(field) for field in _TYPE)
    if not isinstance(version, str) or not isinstance(name, str):
        wrong = [field for field in _TYPE if not isinstance(raw.body.get(field), str)]
        return None, [_not_of_type(raw, (it,), "a string", kinds.example(it)) for it in wrong]
    kind = kinds.find(version, name)
    return kind, [] if kind is not None else [_no_such_kind(raw, version, name, kinds)]


def _no_such_kind(raw: Document, api_version: str, name: str, kinds: Kinds) -> Finding:
    if (path := kinds.elsewhere.get((api_version, name))) is not None:
        message = f"{name} belongs in {path}"
        return error("kind-unexpected", raw.at("kind"), message, f"move it to {path}")
    if name.endswith("List") and "items" in raw.body:
        message = f"{name} is the output of kubectl, not a document"
        hint = "run ipam import manifests FILE, or write each item as a document, separated by ---"
        return error("kind-unknown", raw.at("kind"), message, hint)
    known = kinds.names(api_version)
    if not known:
        message = f"unknown apiVersion {shown(api_version)}"
        groups = dict.fromkeys(it.partition("/")[0] for it in kinds.versions)
        group = nearest(api_version.partition("/")[0], groups, _SAME_GROUP)
        versions = [it for it in kinds.versions if it.partition("/")[0] == group]
        is_one = len(kinds.versions) == 1
        others = f"use {kinds.versions[0]}" if is_one else "run ipam schema to list all kinds"
        hint = meant(api_version, versions, 0) or others
        return error("kind-unknown", raw.at("apiVersion"), message, hint)
    near = _near(name, known, 0.6)
    hint = f"did you mean {near}?" if near else f"use {article_list(known)}"
    message = f"unknown kind {shown(name)} in {api_version}"
    return error("kind-unknown", raw.at("kind"), message, hint)


def _without_cluster_fields(document: Document, found: list[Finding]) -> Document:
    metadata: dict[str, Any] = dict(document.metadata)
    annotations = metadata.get("annotations")
    ignored: list[yaml.Steps] = [("status",)] if "status" in document.body else []
    ignored += [("metadata", field) for field in _CLUSTER_METADATA if field in metadata]
    if isinstance(annotations, Mapping) and _LAST_APPLIED in annotations:
        metadata["annotations"] = {
            key: value for key, value in annotations.items() if key != _LAST_APPLIED
        }
        ignored.append(("metadata", "annotations", _LAST_APPLIED))
    if not ignored:
        return document
    status, created = document.body.get("status"), metadata.get("creationTimestamp")
    copied = {"status": status, "creationTimestamp": created} if document.kind.adopts else {}
    copied = {field: value for field, value in copied.items() if value is not None}
    for steps in ignored:
        is_read = copied and steps == ("status",)
        what = "and its addresses are adopted" if is_read else "and is ignored"
        message = f"{'.'.join(map(str, steps))} comes from a cluster {what}"
        hint = "remove it after they are recorded" if is_read else "remove it"
        found.append(warning("cluster-field", document.at(*steps, key=True), message, hint))
    body = {key: value for key, value in document.body.items() if key != "status"}
    body["metadata"] = {key: it for key, it in metadata.items() if key not in _CLUSTER_METADATA}
    return replace(document, body=body, copied=copied)


_MEANT = (".yaml", ".yml", ".json")


def is_meant(path: str) -> bool:
    """Return whether a file is read, or looks like a file that is read."""
    return is_yaml(path) or path.lower().endswith(_MEANT)


def unread(path: str) -> Finding:
    """Return the finding for a file name that is similar to a name that is read."""
    suffix = path[max(path.rfind("."), path.rfind("/") + 1) :]
    message = f"files that end with {suffix} are ignored"
    return warning(
        "file-not-read",
        Location(path),
        message,
        "write YAML, and rename the file to end with .yaml",
    )


def clashes(paths: Iterable[str]) -> list[Finding]:
    """Return a finding for each path that differs from an earlier path only in case."""
    listed = list(paths)
    # Fold all paths at once, because clashes are rare. No path contains a zero byte.
    together = _folded("\0".join(listed)).split("\0")
    if len(frozenset(together)) == len(listed):
        return []
    first: dict[str, str] = {}
    found = []
    for path in sorted(listed):
        other = first.setdefault(_folded(path), path)
        if other != path:
            message = f"the path equals {other} on file systems that ignore {_alike(path, other)}"
            found.append(error("name-clash", Location(path), message, "rename one of the two"))
    return found


def case_clashes(meant: Iterable[str], there: Iterable[str]) -> Iterator[Finding]:
    """Yield findings for paths that equal a read path (`meant`) on case-insensitive systems."""
    every = dict.fromkeys(sorted(there))
    read = {_folded(path): path for path in meant}
    for path in every:
        other = read.get(_folded(path), path)
        if other == path:
            continue
        message = f"the path equals {other} on file systems that ignore {_alike(path, other)}"
        if other in every:
            yield error("name-clash", Location(path), message, "rename one of the two")
        else:
            hint = f"rename it to {other} if intended, or choose another name"
            yield warning("name-clash", Location(path), f"{message}, and is ignored here", hint)


def upwards(path: str) -> list[str]:
    """Return a path and its parents: `a`, `a/b`, `a/b/c`."""
    parts = path.split("/")
    return ["/".join(parts[: at + 1]) for at in range(len(parts))]


def _alike(path: str, other: str) -> str:
    is_case = normalize("NFC", path) != normalize("NFC", other)
    return "case" if is_case else "the Unicode form (NFC, NFD)"


def _folded(path: str) -> str:
    return path.lower() if path.isascii() else normalize("NFC", path).casefold()
