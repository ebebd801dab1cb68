"""A file of a source folder to documents and findings: the one door for what people write."""

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from msgspec import Struct

from reconciler.documents import schema, yaml
from reconciler.documents.document import Document, Identity, Kind
from reconciler.documents.text import Problem
from reconciler.findings import (
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

Judge = Callable[[Document], Sequence[Finding]]
"""What contradicts itself in a document of a right shape; empty when nothing does."""

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)
# What a cluster adds to a manifest: https://kubernetes.io/docs/reference/using-api/api-concepts/
_CLUSTER_METADATA = (
    "creationTimestamp", "finalizers", "generation", "managedFields", "ownerReferences",
    "resourceVersion", "selfLink", "uid",
)  # fmt: skip
_METADATA_EXAMPLE = "for example metadata: {name: vlan40-pool}"
_NAME_EXAMPLE = "a name of a-z, 0-9 and -, such as vlan40-pool"
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


class Loaded(Struct, frozen=True):
    """What one file holds.

    Attributes:
        documents: Those that are right.
        broken: Identities of documents that were recognised, but are wrong.
        unclear: Some part of the file could not be recognised at all.
        text: The bytes of a file that holds something broken; of others nothing.
    """

    path: str
    documents: tuple[Document, ...]
    findings: tuple[Finding, ...]
    broken: tuple[Identity, ...] = ()
    unclear: bool = False
    text: bytes = b""

    @property
    def is_broken(self) -> bool:
        """The file holds something that cannot be read as what it is (`contract.md` §4.7)."""
        return self.unclear or bool(self.broken)


class Kinds:
    """The kinds of document that a place admits, by the API version and name that a person writes.

    Args:
        kinds: Those kinds, at least one; hints show the first as an example.
        elsewhere: Kinds that are known but stand in a file of their own: the file by kind.
    """

    def __init__(
        self, kinds: Iterable[Kind], elsewhere: Mapping[tuple[str, str], str] | None = None
    ) -> None:
        self._kinds = {(kind.api_version, kind.name): kind for kind in kinds}
        self._example = next(iter(self._kinds))
        self.elsewhere = elsewhere or {}
        self.versions = sorted({version for version, _ in self._kinds})

    def find(self, api_version: str, name: str) -> Kind | None:
        """The kind of that name in that API group and version."""
        return self._kinds.get((api_version, name))

    def example(self, field: str) -> str:
        """How `apiVersion` or `kind` may be written, as a hint."""
        api_version, name = self._example
        return f"for example {field}: {api_version if field == 'apiVersion' else name}"

    def names(self, api_version: str) -> list[str]:
        """All kinds of an API group and version."""
        return sorted(name for version, name in self._kinds if version == api_version)


def load(path: str, data: bytes, kinds: Kinds, judge: Judge = lambda _: ()) -> Loaded:
    """Read and check all documents of a file, by itself.

    Args:
        path: Path in the tree, for places.
        data: Bytes of the file.
        kinds: The kinds that may stand there.
        judge: Says what is wrong with a document whose shape is right.
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
    """What a document's shape and its meaning have against it."""
    wrong = schema.check(document)
    return wrong if has_error((*found, *wrong)) else [*wrong, *judge(document)]


def duplicate(document: Document, other: Document) -> Finding:
    """Two documents describe one object: the finding at the second one."""
    message = f"{document.title} is already at {other.path}:{other.line}"
    place = Location(document.path, document.line, 1)
    return error("document-duplicate", place, message, "remove one of the two")


def _spoilt(reading: yaml.Reading) -> set[int]:
    """Indexes of the documents that a YAML problem lies in.

    What their schemas would say follows from the problem and would only hide it.
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
    """The document, or None with the findings that say why it cannot be told what it is."""
    body = parsed.value
    place = Location(path, parsed.line, 1)
    if not isinstance(body, dict):
        got = schema.described(body).partition(" ")[0]
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
        got = f"mapping required, got {schema.described(metadata)}" if given else "required"
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
    """The kind that a document says it is of."""
    found: list[Finding] = []
    said: dict[str, str] = {}
    for field in ("apiVersion", "kind"):
        value = raw.body.get(field)
        if isinstance(value, str):
            said[field] = value
        elif field in raw.body:
            message = f"{field}: string required, got {schema.described(value)}"
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
    """Why a kind is not read here, and which was meant."""
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
    message = f"metadata.name: string required, got {schema.described(name)}"
    if isinstance(name, dict | list):
        return [error("field-type", place, message, _NAME_EXAMPLE)]
    hint = f'quote it: "{schema.shorter(schema.written(name))}"'
    return [error("field-type", place, message, hint)]


def _without_cluster_fields(document: Document, found: list[Finding]) -> Document:
    """The document without what only a cluster sets; each such field gets a warning."""
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
    """What only a cluster sets and is read all the same, of a kind that adopts."""
    if not document.kind.adopts:
        return {}
    found = {
        "status": document.body.get("status"),
        "creationTimestamp": document.metadata.get("creationTimestamp"),
    }
    return {field: value for field, value in found.items() if value is not None}
