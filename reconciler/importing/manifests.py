"""Clusters made of files: the output of `kubectl get -o yaml` or `-o json`."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from decimal import Decimal
from functools import cache, partial
from typing import Any

from reconciler.documents.findings import Finding, Location, join_limited
from reconciler.documents.yaml import Places, places, read_text
from reconciler.importing.sources import ImportedSource, conflict, resources
from reconciler.importing.tables import UnreadableError, decoded
from reconciler.kube.interface import ObjectList
from reconciler.kube.resources import ref_of
from reconciler.loadbalancers import controllers
from reconciler.model.errors import NoSuchKindError
from reconciler.model.objects import SERVICE, Manifest, Ref, Resource

_MAX_NODES = 5_000_000
_TABLE = "pass the output of kubectl get -o yaml; for a table, run ipam import csv {}"
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
    places: dict[str, Callable[[], Location]] = {}
    notes: list[str] = []
    conflicts: list[Finding] = []
    for owner, path, data in files:
        found.setdefault(owner, ManifestCluster())
        places.setdefault(_title(owner), partial(Location, path))
        hub = next(iter(found))
        try:
            for place, manifest in _manifests(path, data):
                try:
                    ref = ref_of(manifest)
                except KeyError:
                    title = f"{manifest['kind']} of {manifest['apiVersion']}"
                    notes.append(f"{path}: not read: {title}")
                    continue
                holder = hub if ref.resource in resources() else owner
                for name in ("s", f" {ref.name}", f" {ref.namespace}/{ref.name}"):
                    places.setdefault(f"{_title(holder)} {ref.resource.kind}{name}", place)
                if found[holder].setdefault(ref, manifest) != manifest:
                    hint = "name each cluster (NAME=FILE), or export its objects again"
                    conflicts.append(
                        conflict(place(), f"{ref} appears twice with different content", hint)
                    )
        except UnreadableError as failed:
            conflicts.append(failed.finding)
    pools = {it.pool for it in controllers()}
    kinds = {owner: {ref.resource for ref in it} for owner, it in found.items()}
    unused = [_title(owner) for owner, it in kinds.items() if it & pools and SERVICE not in it]
    if unused:
        what = f"{join_limited(unused)}: the files have no Services, so their use is not checked"
        notes.append(f"{what}; to check it, also export kubectl get services -A -o yaml")
    return found, ImportedSource(
        notes=tuple(dict.fromkeys(notes)), conflicts=tuple(conflicts), places=tuple(places.items())
    )


def _title(owner: Owner) -> str:
    return f"cluster {'/'.join(filter(None, owner))}"


def _manifests(path: str, data: bytes) -> Iterator[tuple[Callable[[], Location], Manifest]]:
    """Yield objects, each with a function that returns its location: lines take a second pass."""
    text = decoded(path, data)
    for number, (document, lines) in enumerate(_documents(path, text)):
        for pointer, item in _items(f"/{number}", document, {}):
            metadata = item.get("metadata") if isinstance(item, dict) else None
            texts = [item.get("apiVersion"), item.get("kind")] if metadata else []
            named = metadata if isinstance(metadata, dict) else {}
            texts += [named.get("name"), named.get("namespace", "default")]
            if len(texts) < 4 or not all(isinstance(it, str) and it for it in texts):
                message = f"{pointer} is not a Kubernetes manifest with apiVersion, kind, and metadata.name"
                raise UnreadableError(path, message, _TABLE.format(path))
            place = partial(_place, path, pointer, lines)
            yield place, {**item, "metadata": {"uid": "", **named}}


def _place(path: str, pointer: str, lines: Callable[[], Places] | None) -> Location:
    steps = tuple(int(it) if it.isdigit() else it for it in pointer.split("/")[2:])
    return Location(path, *lines().of(steps)) if lines else Location(path, 0, 0, pointer)


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


def _documents(path: str, text: str) -> list[tuple[Any, Callable[[], Places] | None]]:
    """Return the documents of a file, and for YAML a function that returns their lines."""
    try:
        value = json.loads(text, parse_float=Decimal)
    except (ValueError, RecursionError):
        reading, data = read_text(text, _MAX_NODES), text.encode()
        if reading.problems:
            first = reading.problems[0]
            hint = _TABLE.format(path) if path.endswith(".csv") else first.hint
            raise UnreadableError(path, first.message, hint, first.line) from None
        return [
            (it.value, cache(partial(places, data, it.line, it.span, _MAX_NODES)))
            for it in reading.documents
        ]
    return [(it, None) for it in (value if isinstance(value, list) else [value])]
