"""Loader of documents: JSON Schema validation, and checks of file names."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any
from unicodedata import normalize

from msgspec import Struct

from reconciler.documents import yaml
from reconciler.documents.document import Document, Identity, Kind
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
    shown,
    warning,
)
from reconciler.documents.text import Problem, is_odd_integer, is_yaml
from reconciler.documents.validators import acceptor, schema
from reconciler.documents.yaml import Steps, dotted, scalar

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
        yield from _schema_finding(document, failure)
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


def _schema_finding(document: Document, failure: Any) -> Iterator[Finding]:
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


Judge = Callable[[Document], Sequence[Finding]]
"""Returns contradictions in a document with a valid schema; empty if there are none."""

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)
# Fields that a cluster adds to a manifest:
# https://kubernetes.io/docs/reference/using-api/api-concepts/
_CLUSTER_METADATA = (
    "creationTimestamp", "finalizers", "generation", "managedFields", "ownerReferences",
    "resourceVersion", "selfLink", "uid",
)  # fmt: skip
_METADATA_EXAMPLE = "for example metadata: {name: vlan40-pool}"
_NAME_EXAMPLE = "a name of a-z, 0-9 and -, such as vlan40-pool"
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


class Loaded(Struct, frozen=True):
    """The content of one file.

    Attributes:
        documents: Valid documents.
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
    """The kinds of documents that are permitted in a place, by API version and name.

    Args:
        kinds: The kinds, at least one; hints use the first as an example.
        elsewhere: Known kinds that have a file of their own: the file by kind.
    """

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

    def example(self, field: str) -> str:
        """Return a hint with valid values for `apiVersion` or `kind`."""
        api_version, name = self._example
        return f"for example {field}: {api_version if field == 'apiVersion' else name}"

    def names(self, api_version: str) -> list[str]:
        """Return the names of all kinds of an API group and version."""
        return sorted(name for version, name in self._kinds if version == api_version)


def load(path: str, data: bytes, kinds: Kinds, judge: Judge = lambda _: ()) -> Loaded:
    """Parse and check all documents of a file, independent of other files.

    Args:
        path: Path in the tree, for locations.
        data: Bytes of the file.
        kinds: The permitted kinds.
        judge: Returns findings about a document with a valid schema.
    """
    reading = yaml.read(data)
    findings = [_finding(path, problem, Severity.ERROR) for problem in reading.problems]
    findings += [_finding(path, doubt, Severity.WARNING) for doubt in reading.doubts]
    if not reading.documents and not reading.problems:
        hint = "write a document, or delete the file"
        place = Location(path, 1, 1)
        findings.append(error("document-empty", place, "no documents in the file", hint))
    unclear = bool(reading.problems) or not reading.documents
    right: list[Document] = []
    broken: list[Identity] = []
    spoilt = _spoilt(reading)
    for index, parsed in enumerate(reading.documents):
        document, found = _identify(path, index, parsed, data, kinds)
        if index in spoilt:
            found = []
        elif document is not None:
            found += _wrong(document, found, judge)
        findings += found
        if document is None:
            unclear = True
        elif reading.problems or has_error(found):
            broken.append(document.identity)
        else:
            right.append(document)
    text = data if unclear or broken else b""
    return Loaded(path, tuple(right), tuple(findings), tuple(broken), unclear, text)


def _wrong(document: Document, found: Sequence[Finding], judge: Judge) -> Sequence[Finding]:
    """Return findings about a document, from its schema and from `judge`."""
    wrong = check_schema(document)
    return wrong if has_error((*found, *wrong)) else [*wrong, *judge(document)]


def duplicate(document: Document, other: Document) -> Finding:
    """Return the finding for two documents of one object, at the second one."""
    message = f"{document.title} is already at {other.path}:{other.line}"
    place = Location(document.path, document.line, 1)
    return error("document-duplicate", place, message, "remove one of the two")


def _spoilt(reading: yaml.YamlReading) -> set[int]:
    """Return indexes of the documents that contain a YAML problem.

    Their schema errors would only be consequences of the problem.
    """
    starts = [parsed.line for parsed in reading.documents]
    found = (bisect_right(starts, problem.line) - 1 for problem in reading.problems)
    return {index for index in found if index >= 0}


def _finding(path: str, problem: Problem, severity: Severity) -> Finding:
    place = Location(path, problem.line, problem.column)
    return Finding(problem.code, severity, problem.message, place, problem.hint)


def _identify(
    path: str, index: int, parsed: yaml.Parsed, data: bytes, kinds: Kinds
) -> tuple[Document | None, list[Finding]]:
    """Return the document, or None with the findings that explain why it is not recognized."""
    body = parsed.value
    place = Location(path, parsed.line, 1)
    if not isinstance(body, dict):
        got = described_schema(body).partition(" ")[0]
        hint = "begin with apiVersion, kind and metadata"
        return None, [error("document-not-mapping", place, f"mapping required, got {got}", hint)]
    metadata = body.get("metadata")
    raw = Document(
        path, index, parsed.line, Kind("", "", "", None), "", "", body, data, span=parsed.span
    )
    kind, found = _kind(raw, kinds)
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict):
        given = "metadata" in body
        got = f"mapping required, got {described_schema(metadata)}" if given else "required"
        code = "field-type" if given else "field-required"
        found.append(error(code, raw.at("metadata"), f"metadata: {got}", _METADATA_EXAMPLE))
    elif not isinstance(name, str):
        found += _bad_name(raw, "name" in metadata, name)
    if kind is None or not isinstance(metadata, dict) or not isinstance(name, str):
        return None, found
    namespace = metadata.get("namespace", kind.default_namespace or "")
    if kind.default_namespace is None or not isinstance(namespace, str):
        namespace = kind.default_namespace or ""
    document = Document(
        path, index, parsed.line, kind, namespace, name, body, data, span=parsed.span
    )
    for field, value in (("name", name), ("namespace", namespace)):
        if (value and not _LABEL.fullmatch(value)) or (field == "name" and not value):
            message = f"metadata.{field}: {shown(value)} is not an RFC 1123 label"
            hint = "use a-z, 0-9 and -, at most 63 characters, first and last a letter or digit"
            found.append(error("name-invalid", raw.at("metadata", field), message, hint))
    return _without_cluster_fields(document, found), found


def _kind(raw: Document, kinds: Kinds) -> tuple[Kind | None, list[Finding]]:
    """Return the kind that a document names."""
    found: list[Finding] = []
    said: dict[str, str] = {}
    for field in ("apiVersion", "kind"):
        value = raw.body.get(field)
        if isinstance(value, str):
            said[field] = value
        elif field in raw.body:
            message = f"{field}: string required, got {described_schema(value)}"
            found.append(error("field-type", raw.at(field), message, kinds.example(field)))
        else:
            message = f"{field}: required"
            found.append(error("field-required", raw.at(field), message, kinds.example(field)))
    if len(said) < 2:
        return None, found
    if (kind := kinds.find(said["apiVersion"], said["kind"])) is not None:
        return kind, found
    return None, [_no_such_kind(raw, said["apiVersion"], said["kind"], kinds)]


def _no_such_kind(raw: Document, api_version: str, name: str, kinds: Kinds) -> Finding:
    """Return the finding for an unsupported kind, with a suggestion."""
    if (path := kinds.elsewhere.get((api_version, name))) is not None:
        message = f"{name} belongs in {path}"
        return error("kind-unexpected", raw.at("kind"), message, f"move it to {path}")
    known = kinds.names(api_version)
    if not known:
        message = f"unknown apiVersion {shown(api_version)}"
        hint = meant(api_version, kinds.versions) or f"known: {', '.join(kinds.versions)}"
        return error("kind-unknown", raw.at("apiVersion"), message, hint)
    by_lower = {name.lower(): name for name in known}
    near = by_lower.get(nearest(name.lower(), by_lower))
    hint = f"did you mean {near}?" if near else f"known: {article_list(known)}"
    message = f"unknown kind {shown(name)} in {api_version}"
    return error("kind-unknown", raw.at("kind"), message, hint)


def _bad_name(raw: Document, present: bool, name: object) -> list[Finding]:  # noqa: FBT001 - private
    place = raw.at("metadata", "name")
    if not present:
        return [error("field-required", place, "metadata.name: required", _NAME_EXAMPLE)]
    message = f"metadata.name: string required, got {described_schema(name)}"
    if isinstance(name, dict | list):
        return [error("field-type", place, message, _NAME_EXAMPLE)]
    hint = f'quote it: "{shorter(written(name))}"'
    return [error("field-type", place, message, hint)]


def _without_cluster_fields(document: Document, found: list[Finding]) -> Document:
    """Return the document without fields that only a cluster sets; warn about each such field."""
    body: dict[str, Any] = dict(document.body)
    metadata: dict[str, Any] = dict(document.metadata)
    ignored: list[yaml.Steps] = []
    copied = _copied(document)
    if "status" in body:
        del body["status"]
        ignored.append(("status",))
    for field in _CLUSTER_METADATA:
        if field in metadata:
            del metadata[field]
            ignored.append(("metadata", field))
    annotations = metadata.get("annotations")
    if isinstance(annotations, Mapping) and _LAST_APPLIED in annotations:
        metadata["annotations"] = {
            key: value for key, value in annotations.items() if key != _LAST_APPLIED
        }
        ignored.append(("metadata", "annotations", _LAST_APPLIED))
    if not ignored:
        return document
    for steps in ignored:
        is_read = copied and steps == ("status",)
        what = "; addresses in it are taken over" if is_read else " and is ignored"
        message = f"{'.'.join(map(str, steps))} comes from a cluster{what}"
        hint = "remove it once they are recorded" if is_read else "remove it"
        found.append(warning("cluster-field", document.at(*steps, key=True), message, hint))
    body["metadata"] = metadata
    return replace(document, body=body, copied=copied)


def _copied(document: Document) -> Mapping[str, Any]:
    """Return the cluster-set fields that are read, for a kind with `adopts`."""
    if not document.kind.adopts:
        return {}
    found = {
        "status": document.body.get("status"),
        "creationTimestamp": document.metadata.get("creationTimestamp"),
    }
    return {field: value for field, value in found.items() if value is not None}


_MEANT = (".yaml", ".yml", ".json")
# https://learn.microsoft.com/windows/win32/fileio/naming-a-file
_ALONE, _PORTS, _OF_PORTS = ("con", "prn", "aux", "nul"), ("com", "lpt"), "0123456789¹²³"
_DEVICES = frozenset((*_ALONE, *(f"{port}{sign}" for port in _PORTS for sign in _OF_PORTS)))
# Most names start differently.
_DEVICE = rf"(?:{'|'.join(_ALONE)}|(?:{'|'.join(_PORTS)})[{_OF_PORTS}])"
_PLAIN = re.compile(rf"(?!{_DEVICE}(?:\.|$))[a-z0-9._-]*[a-z0-9_-]")
_SIGNS = re.compile(r'[<>:"|?*]')
_ENDS = (".", " ")


def is_meant(path: str) -> bool:
    """Return whether a file is read, or looks like a file that is read."""
    return is_yaml(path) or path.lower().endswith(_MEANT)


def unread(path: str) -> Finding:
    """Return the finding for a file name that is similar to a name that is read."""
    suffix = path[path.rindex(".") :]
    message = f"files that end with {suffix} are not read: it counts for nothing"
    return warning("file-not-read", Location(path), message, "write YAML, and name it .yaml")


def unfit(path: str) -> tuple[Finding, ...]:
    """Return findings about a path that is invalid on Windows."""
    folder, _, name = path.rpartition("/")
    why = _against_folder(folder) or _against(name)
    if not why:
        return ()
    message = f"{why}: the file cannot be checked out there"
    return (warning("name-unfit", Location(path), message, "rename it"),)


def reserved(documents: Iterable[Document]) -> Iterator[Finding]:
    """Yield findings for document names that cause such a path of a record."""
    for document in documents:
        for field, name in (("name", document.name), ("namespace", document.namespace)):
            if name in _DEVICES:
                message = f"Windows keeps {shown(name)} for a device: a record of it cannot be checked out there"
                place = document.at("metadata", field)
                yield warning("name-unfit", place, message, "choose another name")


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
            message = f"the same file as {other} where upper and lower case are not told apart"
            found.append(error("name-clash", Location(path), message, "rename one of the two"))
    return found


def beside(meant: Iterable[str], there: Iterable[str]) -> Iterator[Finding]:
    """Yield findings for paths that equal a read file or folder on case-insensitive file systems.

    There, one replaces the other in each checkout. A single such path is read on some systems only.

    Args:
        meant: Paths that are read.
        there: Paths in the same folders.
    """
    every = dict.fromkeys(sorted(there))
    read = {_folded(path): path for path in meant}
    for path in every:
        other = read.get(_folded(path), path)
        if other == path:
            continue
        message = f"the same as {other} where upper and lower case are not told apart"
        if other in every:
            yield error("name-clash", Location(path), message, "rename one of the two")
        else:
            hint = f"rename it {other} if that is meant, else give it another name"
            yield warning("name-clash", Location(path), f"{message}; here it is not read", hint)


def upwards(path: str) -> list[str]:
    """Return a path and its parents: `a`, `a/b`, `a/b/c`."""
    parts = path.split("/")
    return ["/".join(parts[: at + 1]) for at in range(len(parts))]


def _folded(path: str) -> str:
    return path.lower() if path.isascii() else normalize("NFC", path).casefold()


@lru_cache(maxsize=4_096)
def _against_folder(folder: str) -> str:
    return next(filter(None, map(_against, folder.split("/"))), "")


def _against(name: str) -> str:
    if _PLAIN.fullmatch(name):
        return ""
    first = name.partition(".")[0]
    if first.rstrip(" ").lower() in _DEVICES:
        return f"Windows keeps {shown(name)} for a device"
    if name.endswith(_ENDS):
        return f"Windows drops the end of {shown(name)}"
    if _SIGNS.search(name):
        return f"Windows takes no {shown(name)}, because of a sign in it"
    return ""
