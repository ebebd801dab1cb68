"""Clusters made of files: the output of `kubectl get -o yaml` or `-o json`."""

import json
from collections.abc import Iterable, Iterator, Mapping
from decimal import Decimal
from typing import Any

from reconciler.documents.findings import Finding, Location
from reconciler.documents.yaml import read_text
from reconciler.importing.found import ImportedSource, conflict, resources
from reconciler.importing.tables import UnreadableError, decoded
from reconciler.kube.interface import ObjectList
from reconciler.kube.resources import ref_of
from reconciler.loadbalancers import controllers
from reconciler.model.errors import NoSuchKindError
from reconciler.model.objects import Manifest, Ref, Resource

Owner = tuple[str, str]


class ManifestCluster(dict[Ref, Manifest]):
    """Objects of files, which can be read like objects of a cluster."""

    def list(self, resource: Resource, namespace: str = "") -> ObjectList:
        """Return all objects of a kind. Without a pool, the cluster does not have its controller."""
        every = [(ref, item) for ref, item in self.items() if ref.resource == resource]
        if not every and any(resource == it.pool for it in controllers()):
            raise NoSuchKindError(resource.kind)
        return ObjectList([it for ref, it in every if namespace in ("", ref.namespace)])


def clusters_in(
    files: Iterable[tuple[Owner, str, bytes]],
) -> tuple[Mapping[Owner, ManifestCluster], ImportedSource]:
    """Return the objects of files by the owner of their load balancer. The first has all other kinds."""
    found: dict[Owner, ManifestCluster] = {}
    notes: list[str] = []
    conflicts: list[Finding] = []
    for owner, path, data in files:
        own = found.setdefault(owner, ManifestCluster())
        hub = next(iter(found.values()))
        try:
            for place, manifest in _manifests(path, data):
                try:
                    ref = ref_of(manifest)
                except KeyError:
                    title = f"{manifest['kind']} of {manifest['apiVersion']}"
                    notes.append(f"{path}: not read: {title}")
                    continue
                objects = hub if ref.resource in resources() else own
                if objects.setdefault(ref, manifest) != manifest:
                    hint = "name each cluster (NAME=FILE), or export its objects again"
                    conflicts.append(
                        conflict(place, f"{ref} appears twice with different content", hint)
                    )
        except UnreadableError as failed:
            conflicts.append(failed.finding)
    return found, ImportedSource(notes=tuple(dict.fromkeys(notes)), conflicts=tuple(conflicts))


def _manifests(path: str, data: bytes) -> Iterator[tuple[Location, Manifest]]:
    for number, document in enumerate(_documents(path, decoded(path, data))):
        for pointer, item in _items(f"/{number}", document, {}):
            metadata = item.get("metadata") if isinstance(item, dict) else None
            texts = [item.get("apiVersion"), item.get("kind")] if metadata else []
            named = metadata if isinstance(metadata, dict) else {}
            texts += [named.get("name"), named.get("namespace", "default")]
            if len(texts) < 4 or not all(isinstance(it, str) and it for it in texts):
                message = f"{pointer} is not an object with apiVersion, kind and metadata.name"
                raise UnreadableError(path, message, "pass the output of kubectl get -o yaml")
            yield Location(path, 0, 0, pointer), {**item, "metadata": {"uid": "", **named}}


def _items(pointer: str, document: Any, kind: Mapping[str, str]) -> Iterator[tuple[str, Any]]:
    """Yield the objects of a list with their pointers. Items of a typed list can lack their kind."""
    document = {**kind, **document} if isinstance(document, dict) else document
    if not (isinstance(document, dict) and str(document.get("kind")).endswith("List")):
        yield pointer, document
        return
    name = document["kind"].removesuffix("List")
    kind = {"apiVersion": str(document.get("apiVersion")), "kind": name} if name else {}
    items = document.get("items") or []
    for at, item in enumerate(items if isinstance(items, list) else [items]):
        yield from _items(f"{pointer}/items/{at}", item, kind)


def _documents(path: str, text: str) -> list[Any]:
    try:
        value = json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError):
        reading = read_text(text, 5_000_000)
        if reading.problems:
            first = reading.problems[0]
            raise UnreadableError(path, first.message, first.hint, first.line) from None
        return [item.value for item in reading.documents]
    return value if isinstance(value, list) else [value]
