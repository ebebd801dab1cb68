"""Loader of document files, and checks of file names."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any
from unicodedata import normalize

from msgspec import Struct

from reconciler.documents import schema, yaml
from reconciler.documents.document import Document, Identity, Kind
from reconciler.documents.findings import (
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
from reconciler.documents.text import Problem, is_yaml

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
    wrong = schema.check_schema(document)
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
        got = schema.described_schema(body).partition(" ")[0]
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
        got = f"mapping required, got {schema.described_schema(metadata)}" if given else "required"
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
            message = f"{field}: string required, got {schema.described_schema(value)}"
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
    message = f"metadata.name: string required, got {schema.described_schema(name)}"
    if isinstance(name, dict | list):
        return [error("field-type", place, message, _NAME_EXAMPLE)]
    hint = f'quote it: "{schema.shorter(schema.written(name))}"'
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
