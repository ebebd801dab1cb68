"""CRDs that `ipam` installs, and how they are upgraded."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import yaml

from reconciler.clusters.desired import DesiredObject, desired_object
from reconciler.clusters.resources import CRD, IP_ALLOCATION
from reconciler.documents.shipped import crd_files
from reconciler.families import families
from reconciler.model.resource import Manifest, Resource


def crd_texts() -> dict[str, str]:
    """Return all CRDs as YAML, by file name."""
    found = crd_files(f"{IP_ALLOCATION.group}_{IP_ALLOCATION.plural}.yaml")
    for family in families():
        found |= family.objects.crds()
    return {name: found[name] for name in sorted(found)}


def manifests() -> list[Manifest]:
    """Return the shipped CRDs, by file name."""
    return [yaml.safe_load(text) for text in crd_texts().values()]


@cache
def desired() -> tuple[tuple[Manifest, DesiredObject], ...]:
    """Return the shipped CRDs, each with its desired object."""
    return tuple((manifest, desired_object(manifest)) for manifest in manifests())


def is_among(names: Iterable[str]) -> bool:
    """Return whether the inventory contains CRDs, so that deleted ones are restored."""
    return any(name.startswith(f"{CRD.group}/{CRD.kind}/") for name in names)


def crd_name(resource: Resource) -> str:
    """Return the name of the CRD of a kind."""
    return f"{resource.plural}.{resource.group}"


def is_established(live: Manifest) -> bool:
    """Return whether the server serves objects of the CRD."""
    conditions = (live.get("status") or {}).get("conditions") or ()
    return any(
        item.get("type") == "Established" and item.get("status") == "True" for item in conditions
    )


def lacking(wanted: Manifest, live: Manifest) -> Iterator[str]:
    """Return missing parts of a foreign CRD: version, status subresource, and fields."""
    ours = wanted["spec"]["versions"][0]
    theirs = next((item for item in _versions(live) if item["name"] == ours["name"]), None)
    if theirs is None or not theirs.get("served"):
        yield f"version {ours['name']}"
        return
    if "status" not in (theirs.get("subresources") or {}):
        yield "the status subresource"
    schemas = [(item.get("schema") or {}).get("openAPIV3Schema") or {} for item in (ours, theirs)]
    # Only fields of the status are compared: `ipam` writes them. Specs belong to users.
    mine, present = (_mapping(schema.get("properties")).get("status") for schema in schemas)
    if not schemas[1].get("x-kubernetes-preserve-unknown-fields"):
        yield from _lacking_fields(mine or {}, present, "status")


def _versions(crd: Manifest) -> list[Manifest]:
    return list((crd.get("spec") or {}).get("versions") or ())


def _lacking_fields(ours: Any, theirs: Any, path: str) -> Iterator[str]:
    there = _mapping(theirs)
    if there.get("x-kubernetes-preserve-unknown-fields"):
        return
    present = _mapping(there.get("properties"))
    for name, schema in (ours.get("properties") or {}).items():
        field = f"{path}.{name}" if path else name
        if name not in present:
            yield field
        else:
            yield from _lacking_fields(schema, present[name], field)
    if "items" in ours and "items" in there:
        yield from _lacking_fields(ours["items"], there["items"], path)


def _mapping(schema: Any) -> Manifest:
    """Return a part of a schema, or an empty mapping."""
    return schema if isinstance(schema, dict) else {}
