"""MetalLB objects of a tenant cluster: one pool and its announcement.

Field facts: https://metallb.io/apis/ (metallb.io/v1beta1). Addresses are `start-end` strings, even
for one address, sorted, and merged where they touch.
"""

from collections.abc import Iterable
from typing import Any

from reconciler.addresses import IPRange, IPSet
from reconciler.addresses.notation import format_range
from reconciler.documents.document import Document
from reconciler.findings import Finding, error, shown
from reconciler.model.key import is_name
from reconciler.model.marks import PREFIX
from reconciler.model.settings import METALLB_POOL

NAMESPACE = "metallb-system"
POOL = METALLB_POOL
ADVERTISEMENT = "default"
NAMED = f"{PREFIX}metallb-pool"
"""The annotation by which the document of a cluster names the pool that we keep there."""


def metallb_objects(ranges: Iterable[IPRange], name: str = POOL) -> tuple[dict[str, Any], ...]:
    """`IPAddressPool` of a name and `L2Advertisement` for the ranges; nothing for none."""
    addresses = [format_range(item) for item in IPSet.of(ranges)]
    if not addresses:
        return ()
    pool = _object("IPAddressPool", name, {"addresses": addresses})
    return pool, _object("L2Advertisement", ADVERTISEMENT, {"ipAddressPools": [name]})


def check_pool_name(document: Document, found: list[Finding]) -> None:
    """Find that a document names its cluster's pool in a way that no server takes."""
    name = document.annotations().get(NAMED)
    if name is not None and not is_name(name):
        place = document.at("metadata", "annotations", NAMED)
        message = f"{NAMED}: {shown(name)} is no name of an object"
        found.append(error("annotation-invalid", place, message, f"write {POOL}, for example"))


def _object(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "metallb.io/v1beta1",
        "kind": kind,
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": spec,
    }
