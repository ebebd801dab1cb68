"""One address as NovaEdge writes it: `10.200.0.1/32`, `2001:db8::1/128`, or without the mask."""

from reconciler.addresses import IPRange
from reconciler.addresses.notation import format_address
from reconciler.documents.document import Document
from reconciler.documents.places import Steps, dotted
from reconciler.families._pool_fields import read_address, refuse_network
from reconciler.findings import Finding, error, shown

_BITS = {4: 32, 6: 128}


def read_host(document: Document, steps: Steps, text: str, found: list[Finding]) -> IPRange | None:
    """The address of a field, or None with a finding."""
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
    """`10.200.0.1/32` or `2001:db8::1/128`: the form of NovaEdge's documents."""
    return f"{format_address(item.version, item.first)}/{_BITS[item.version]}"
