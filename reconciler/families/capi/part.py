"""The fields of a live Cluster that are ours: endpoint, variables, ingress annotation and label.

A host that is set never changes, by whomever it was set; nor does a port. What another one wrote
into one of the other fields stays as well, and is told. A Cluster that is paused or being deleted
is left as it is.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from reconciler.families._objects import Fit
from reconciler.families.capi.kinds import (
    CLAIM_NAMES,
    CONTROL_PLANE,
    INGRESS,
    INGRESS_VIP,
    PAUSED,
    VARIABLES,
)
from reconciler.families.capi.owning import owns
from reconciler.model.marks import PART_MANAGER
from reconciler.model.resource import Manifest

_KEPT = ("apiVersion", "kind")


def fit_cluster(wanted: Manifest, live: Manifest | None, lost: frozenset[str]) -> Fit:
    """What is written into a Cluster, or why something cannot be.

    Args:
        wanted: The fields as its records say.
        live: The Cluster; None where it is not there yet.
        lost: Names of addresses that somebody else has: they are not announced.
    """
    if live is None or _rests(live):
        return Fit()
    part = _Part(wanted, live, lost)
    manifest = part.manifest()
    if part.problems:
        return Fit(error="; ".join(part.problems))
    return Fit(manifest if part.is_changed else None, takes=part.takes)


def _rests(live: Manifest) -> bool:
    metadata = live["metadata"]
    is_paused = PAUSED in (metadata.get("annotations") or {})
    return bool(metadata.get("deletionTimestamp")) or is_paused or _spec(live).get("paused", False)


def _spec(manifest: Manifest) -> Mapping[str, Any]:
    return manifest.get("spec") or {}


class _Part:
    """The fields while they are gathered.

    Attributes:
        is_changed: Something has to be written.
        takes: A field that is there without a value is taken from who wrote it.
        problems: What says something else, and stays.
    """

    def __init__(self, wanted: Manifest, live: Manifest, lost: frozenset[str]) -> None:
        self.wanted = wanted
        self.live = live
        self.names = wanted["metadata"]["name"]
        self.lost = {slot for slot, text in CLAIM_NAMES.items() if f"{text}{self.names}" in lost}
        self.is_changed = False
        self.takes = False
        self.problems: list[str] = []

    def manifest(self) -> Manifest:
        """The fields, whole: what we wrote before and is not here goes."""
        metadata = {key: self.wanted["metadata"][key] for key in ("name", "namespace")}
        spec: dict[str, Any] = {}
        endpoint = self._endpoint()
        if endpoint:
            spec["controlPlaneEndpoint"] = endpoint
        variables = list(self._variables())
        if variables:
            spec["topology"] = {"variables": variables}
        for field in ("annotations", "labels"):
            metadata |= self._ingress(field)
        return {
            **{key: self.wanted[key] for key in _KEPT},
            "metadata": metadata,
            **({"spec": spec} if spec else {}),
        }

    def _endpoint(self) -> dict[str, Any]:
        given = _spec(self.wanted).get("controlPlaneEndpoint")
        there = _spec(self.live).get("controlPlaneEndpoint") or {}
        if there.get("host"):
            if given is not None and there["host"] != given["host"]:
                self.problems.append(
                    f"its endpoint is {there['host']}, its record says {given['host']}; a host"
                    " that is set is never changed"
                )
            return dict(there)
        if given is None or CONTROL_PLANE in self.lost:
            return {}
        self.is_changed = True
        self.takes |= "host" in there or "port" in there
        return {"host": given["host"], "port": there.get("port") or given["port"]}

    def _variables(self) -> Iterator[Mapping[str, Any]]:
        present = {item["name"]: item for item in _variables_of(self.live)}
        for slot, name in VARIABLES.items():
            given = next((it for it in _variables_of(self.wanted) if it["name"] == name), None)
            if given is None or slot in self.lost:
                self.is_changed |= owns(self.live, PART_MANAGER, f'k:{{"name":"{name}"}}')
                continue
            there = present.get(name, {}).get("value")
            if there and there != given["value"]:
                self.problems.append(
                    f"its variable {name} is {there}, its record says {given['value']}"
                )
                continue
            self.is_changed |= there != given["value"]
            self.takes |= there == ""
            yield given

    def _ingress(self, field: str) -> dict[str, Any]:
        given = (self.wanted["metadata"].get(field) or {}).get(INGRESS_VIP)
        there = (self.live["metadata"].get(field) or {}).get(INGRESS_VIP)
        if given is None or INGRESS in self.lost:
            self.is_changed |= owns(self.live, PART_MANAGER, f"f:{INGRESS_VIP}")
            return {}
        if there and there != given:
            self.problems.append(f"its {field} say ingress {there}, its record says {given}")
            return {}
        self.is_changed |= there != given
        self.takes |= there == ""
        return {field: {INGRESS_VIP: given}}


def _variables_of(manifest: Manifest) -> list[Mapping[str, Any]]:
    return list((_spec(manifest).get("topology") or {}).get("variables") or ())
