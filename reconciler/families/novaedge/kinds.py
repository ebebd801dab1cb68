"""Kinds, hosts, and resources."""

from collections.abc import Mapping

from reconciler.addresses import IPRange, format_address
from reconciler.documents.document import Document, GroupKind, Kind
from reconciler.documents.findings import Finding, error, shown
from reconciler.documents.validators import crd_files
from reconciler.documents.yaml import Steps, dotted
from reconciler.families.fields import read_address, refuse_network
from reconciler.model.objects import (
    CONDITIONS,
    MAKE,
    OURS,
    Check,
    Need,
    Resource,
    Right,
    fields,
    stored,
)

NAME = "novaedge"
"""Name of the family in keys."""

GROUP = "novaedge.io"
API_VERSION = f"{GROUP}/v1alpha1"

POOL = GroupKind(GROUP, "ProxyIPPool")
VIP = GroupKind(GROUP, "ProxyVIP")

SLOTS = {4: "vip", 6: "vip-ipv6"}
"""The slot of a VIP's claim for each IP version."""

KINDS = (
    Kind(API_VERSION, POOL.kind, f"{NAME}/{POOL.kind}.json", None, adopts=True),
    Kind(API_VERSION, VIP.kind, f"{NAME}/{VIP.kind}.json", None, adopts=True),
)


_BITS = {4: 32, 6: 128}


def read_host(document: Document, steps: Steps, text: str, found: list[Finding]) -> IPRange | None:
    """Return the address of a field, or None with a finding."""
    bare, slash, mask = text.partition("/")
    item = read_address(document, steps, bare, found)
    if item is None:
        return None
    bits = _BITS[item.version]
    if slash and mask != str(bits):
        message = f"{dotted(steps)}: {shown(text)} is a network; one address is required"
        hint = f"write {bare}/{bits}; networks stand in spec.cidrs of a pool"
        found.append(error("address-invalid", document.at(*steps), message, hint))
        return None
    if (refused := refuse_network(document, steps, item)) is not None:
        found.append(refused)
        return None
    return item


def host_text(item: IPRange) -> str:
    """Return `10.200.0.1/32` or `2001:db8::1/128`, the format of NovaEdge's documents."""
    return f"{format_address(item.version, item.first)}/{_BITS[item.version]}"


POOLS = Resource(API_VERSION, POOL.kind, "proxyippools", is_namespaced=False)
VIPS = Resource(API_VERSION, VIP.kind, "proxyvips", is_namespaced=False)

RESOURCES = (POOLS, VIPS)

SHAPES: Mapping[Resource, Check] = {
    kind: stored(status=fields(conditions=CONDITIONS)) for kind in RESOURCES
}

RIGHTS = (
    Right(Need.APPLY, POOLS, OURS),
    Right(Need.APPLY, POOLS, ("patch",), "status"),
    Right(Need.APPLY, VIPS, ("get", "list")),
    Right(Need.APPLY, VIPS, ("patch",), "status"),
    Right(Need.DOCUMENTS, VIPS, MAKE),
)


def crds() -> Mapping[str, str]:
    """Return the bundled CRDs of the family."""
    return crd_files(*(f"{GROUP}_{kind.plural}.yaml" for kind in RESOURCES))
