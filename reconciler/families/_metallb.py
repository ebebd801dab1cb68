"""MetalLB objects of a tenant cluster: one pool and its announcement.

Field facts: https://metallb.io/apis/ (metallb.io/v1beta1). Addresses are `start-end` strings, even
for one address, sorted, and merged where they touch.
"""

from collections.abc import Iterable
from typing import Any

from reconciler.addresses import IPRange, IPSet
from reconciler.addresses.notation import format_range

NAMESPACE = "metallb-system"
POOL = "default-pool"
ADVERTISEMENT = "default"


def metallb_objects(ranges: Iterable[IPRange]) -> tuple[dict[str, Any], ...]:
    """`IPAddressPool` and `L2Advertisement` for the ranges; nothing for none."""
    addresses = [format_range(item) for item in IPSet.of(ranges)]
    if not addresses:
        return ()
    pool = _object("IPAddressPool", POOL, {"addresses": addresses})
    return pool, _object("L2Advertisement", ADVERTISEMENT, {"ipAddressPools": [POOL]})


def _object(kind: str, name: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {
        "apiVersion": "metallb.io/v1beta1",
        "kind": kind,
        "metadata": {"name": name, "namespace": NAMESPACE},
        "spec": spec,
    }
