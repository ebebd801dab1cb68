"""The CRDs that our objects need: installed, upgraded, or checked when they are somebody else's."""

from collections.abc import Iterator
from typing import Any

import yaml

from reconciler.clusters.definitions import crd_texts
from reconciler.clusters.intent import intent
from reconciler.clusters.resources import CRD
from reconciler.clusters.steps import is_ours
from reconciler.commands.applying.ledger import Ledger
from reconciler.model.resource import Manifest, Ref
from reconciler.ports import ClusterError

_POLL_SECONDS = 0.2
_ESTABLISHED_SECONDS = 60


def manifests() -> list[Manifest]:
    """The CRDs that ship with the program, by file name."""
    return [yaml.safe_load(text) for text in crd_texts().values()]


def knows_crds(ledger: Ledger) -> bool:
    """We installed CRDs there before: when they are gone, they come back."""
    return any(name.startswith(f"{CRD.group}/{CRD.kind}/") for name in ledger.entries)


def install(ledger: Ledger) -> list[str]:
    """Install or upgrade the CRDs and wait until the server serves them.

    A CRD of the same name that is not ours is left alone; the errors say what it lacks.

    Returns:
        What a person should know.
    """
    notes: list[str] = []
    waiting: list[Ref] = []
    for manifest in manifests():
        wanted = intent(manifest)
        live = ledger.cluster.get(wanted.ref)
        entry = ledger.entries.get(str(wanted.ref))
        if live is not None and not is_ours(live, entry) and not ledger.wish.adopt:
            lacks = list(lacking(manifest, live))
            if lacks:
                message = f"it is not ours and lacks {', '.join(lacks)}; --adopt upgrades it"
                ledger.fail(str(wanted.ref), message)
            else:
                notes.append(f"CRD {wanted.ref.name} is not ours; it has what is needed")
            continue
        ledger.bring(wanted, live)
        if not ledger.wish.dry_run:
            waiting.append(wanted.ref)
    for ref in waiting:
        _await(ledger, ref)
    return notes


def _await(ledger: Ledger, ref: Ref) -> None:
    live: Manifest | None = None
    for _ in range(int(_ESTABLISHED_SECONDS / _POLL_SECONDS)):
        live = ledger.cluster.get(ref)
        if live is None or is_established(live):
            return
        ledger.cluster.pause(_POLL_SECONDS)
    raise ClusterError(f"CRD {ref.name} is not established after {_ESTABLISHED_SECONDS} s")


def is_established(live: Manifest) -> bool:
    """The server serves objects of the CRD."""
    conditions = (live.get("status") or {}).get("conditions") or ()
    return any(
        item.get("type") == "Established" and item.get("status") == "True" for item in conditions
    )


def lacking(wanted: Manifest, live: Manifest) -> Iterator[str]:
    """What a foreign CRD lacks of ours: the version, the status subresource, fields."""
    ours = wanted["spec"]["versions"][0]
    theirs = next((item for item in _versions(live) if item["name"] == ours["name"]), None)
    if theirs is None or not theirs.get("served"):
        yield f"version {ours['name']}"
        return
    if "status" not in (theirs.get("subresources") or {}):
        yield "the status subresource"
    schemas = [(item.get("schema") or {}).get("openAPIV3Schema") or {} for item in (ours, theirs)]
    # Specs are people's own and fit the CRD that they use; status is what we write.
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
    """A part of somebody's schema; what is none says nothing."""
    return schema if isinstance(schema, dict) else {}
