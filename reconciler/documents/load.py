"""A file of a source folder to documents and findings: the one door for what people write."""

import re
from collections.abc import Iterable, Mapping
from difflib import get_close_matches
from typing import Any, NamedTuple

from reconciler.documents import schema, yaml
from reconciler.documents.document import Document, Kind
from reconciler.findings import Finding, Location, Severity, article_list, error, shown, warning

Identity = tuple[str, str, str, str]

_LABEL = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?", re.ASCII)
# What a cluster adds to a manifest: https://kubernetes.io/docs/reference/using-api/api-concepts/
_CLUSTER_METADATA = (
    "creationTimestamp", "finalizers", "generation", "managedFields", "ownerReferences",
    "resourceVersion", "selfLink", "uid",
)  # fmt: skip
_LAST_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


class Loaded(NamedTuple):
    """What one file holds.

    Attributes:
        broken: Identities (API group, kind, namespace, name) of documents that were recognised but
            are wrong: their owners must not lose anything for it.
        unclear: Some part of the file could not be recognised at all.
    """

    path: str
    documents: tuple[Document, ...]
    findings: tuple[Finding, ...]
    broken: tuple[Identity, ...] = ()
    unclear: bool = False


class Kinds:
    """The kinds of document that a place admits."""

    def __init__(self, kinds: Iterable[Kind]) -> None:
        self._kinds = {(kind.api_version, kind.name): kind for kind in kinds}
        self.versions = sorted({version for version, _ in self._kinds})

    def find(self, api_version: str, name: str) -> Kind | None:
        """The kind of that name in that API group and version."""
        return self._kinds.get((api_version, name))

    def names(self, api_version: str) -> list[str]:
        """All kinds of an API group and version."""
        return sorted(name for version, name in self._kinds if version == api_version)


def load(path: str, data: bytes, kinds: Kinds) -> Loaded:
    """Read and check all documents of a file.

    Args:
        path: Path in the tree, for places.
        data: Bytes of the file.
        kinds: The kinds that may stand there.
    """
    reading = yaml.read(data)
    findings = [_finding(path, problem, Severity.ERROR) for problem in reading.problems]
    findings += [_finding(path, doubt, Severity.WARNING) for doubt in reading.doubts]
    if not reading.documents and not reading.problems:
        findings.append(error("document-empty", Location(path, 1, 1), "no documents in the file"))
    documents: list[Document] = []
    broken: list[Identity] = []
    unclear = bool(reading.problems)
    for index, parsed in enumerate(reading.documents):
        document, found = _identify(path, index, parsed, data, kinds)
        if document is None:
            findings += found
            unclear = True
            continue
        found += schema.check(document)
        findings += found
        if reading.problems or any(item.severity is Severity.ERROR for item in found):
            broken.append(document.identity)
        else:
            documents.append(document)
    return Loaded(path, tuple(documents), tuple(findings), tuple(broken), unclear)


def _finding(path: str, problem: yaml.Problem, severity: Severity) -> Finding:
    place = Location(path, problem.line, problem.column)
    return Finding(problem.code, severity, problem.message, place, problem.hint)


def _identify(
    path: str, index: int, parsed: yaml.Parsed, data: bytes, kinds: Kinds
) -> tuple[Document | None, list[Finding]]:
    """The document, or None with the findings that say why it cannot be told what it is."""
    body = parsed.value
    place = Location(path, parsed.line, 1)
    if not isinstance(body, dict):
        got = schema._NAMES.get(type(body), "value")
        return None, [error("document-not-mapping", place, f"mapping required, got {got}")]
    metadata = body.get("metadata")
    raw = Document(path, index, parsed.line, Kind("", "", "", None), "", "", body, data)
    kind, found = _kind(raw, kinds)
    name = metadata.get("name") if isinstance(metadata, dict) else None
    if not isinstance(metadata, dict):
        found.append(error("field-required", raw.at("metadata"), "metadata: required"))
    elif not isinstance(name, str):
        found += _bad_name(raw, "name" in metadata, name)
    if kind is None or not isinstance(metadata, dict) or not isinstance(name, str):
        return None, found
    namespace = metadata.get("namespace", kind.default_namespace or "")
    if kind.default_namespace is None or not isinstance(namespace, str):
        namespace = kind.default_namespace or ""
    document = Document(path, index, parsed.line, kind, namespace, name, body, data)
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
            message = f"{field}: string required, got {shown(value)}"
            found.append(error("field-type", raw.at(field), message))
        else:
            found.append(error("field-required", raw.at(field), f"{field}: required"))
    if len(said) < 2:
        return None, found
    if (kind := kinds.find(said["apiVersion"], said["kind"])) is not None:
        return kind, found
    known = kinds.names(said["apiVersion"])
    if not known:
        message = f"unknown apiVersion {shown(said['apiVersion'])}"
        near = get_close_matches(said["apiVersion"], kinds.versions, 1)
        hint = f"did you mean {near[0]}?" if near else f"known: {', '.join(kinds.versions)}"
        return None, [error("kind-unknown", raw.at("apiVersion"), message, hint)]
    by_lower = {name.lower(): name for name in known}
    near = get_close_matches(said["kind"].lower(), by_lower, 1)
    hint = f"did you mean {by_lower[near[0]]}?" if near else f"known: {article_list(known)}"
    message = f"unknown kind {shown(said['kind'])} in {said['apiVersion']}"
    return None, [error("kind-unknown", raw.at("kind"), message, hint)]


def _bad_name(raw: Document, present: bool, name: object) -> list[Finding]:  # noqa: FBT001 - private
    if not present:
        return [error("field-required", raw.at("metadata", "name"), "metadata.name: required")]
    got = schema._NAMES.get(type(name), "value")
    message = f"metadata.name: string required, got {got} {shown(name)}"
    return [error("field-type", raw.at("metadata", "name"), message, f'quote it: "{name}"')]


def _without_cluster_fields(document: Document, found: list[Finding]) -> Document:
    """The document without what only a cluster sets; each such field gets a warning."""
    body: dict[str, Any] = dict(document.body)
    metadata: dict[str, Any] = dict(document.metadata)
    ignored: list[yaml.Steps] = []
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
        message = f"{'.'.join(map(str, steps))} comes from a cluster and is ignored"
        found.append(warning("cluster-field", document.at(*steps, key=True), message, "remove it"))
    body["metadata"] = metadata
    return Document(
        document.path, document.index, document.line, document.kind, document.namespace,
        document.name, body, document.data,
    )  # fmt: skip
