"""ProxyVIP to what it asks for: an address of one IP version or of both, by name or any.

With a pool it is a claim a version; an address without a pool is in use and blocked (seed 003).
"""

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.addresses.notation import format_address
from reconciler.documents.document import Document
from reconciler.documents.places import Steps, dotted
from reconciler.families.novaedge.hosts import read_host
from reconciler.families.novaedge.kinds import NAME, SLOTS, VIP
from reconciler.findings import Finding, error
from reconciler.model.key import Key

ADDRESS = ("spec", "address")
IPV6 = ("spec", "ipv6Address")
_VERSIONS = {"ipv4": (4,), "ipv6": (6,), "dual": (4, 6)}


def vip_key(name: str, version: int) -> Key:
    """The key of a ProxyVIP's claim for an IP version."""
    return Key(NAME, "", name, SLOTS[version], VIP.kind)


class Named(Struct, frozen=True):
    """An address that a ProxyVIP names, and the field that does."""

    item: IPRange
    steps: Steps


class Wish(Struct, frozen=True):
    """What a ProxyVIP asks for.

    Attributes:
        pool: The name of its pool; empty for none.
        versions: The IP versions of its family, IPv4 first.
        named: The addresses that it names, by their IP version.
    """

    pool: str
    versions: tuple[int, ...]
    named: dict[int, Named]


def address_family(document: Document) -> str:
    """`ipv4`, `ipv6` or `dual`; the first when it is left out."""
    return str(document.spec.get("addressFamily", "ipv4"))


def read_vip(document: Document, found: list[Finding]) -> Wish:
    """What a document asks for, with findings where it contradicts itself."""
    spec = document.spec
    reference = spec.get("poolRef") or {}
    if not any(field in spec for field in ("address", "ipv6Address", "poolRef")):
        message = "spec: at least one of address, ipv6Address and poolRef is required"
        hint = "for example poolRef: {name: main-vip-pool}"
        found.append(error("field-required", document.at("spec"), message, hint))
    family = address_family(document)
    named: dict[int, Named] = {}
    for steps in (ADDRESS, IPV6):
        if steps[1] not in spec:
            continue
        item = read_host(document, steps, spec[steps[1]], found)
        if item is None:
            continue
        if (wrong := _misplaced(document, steps, item, family)) is not None:
            found.append(wrong)
        elif (other := named.setdefault(item.version, Named(item, steps))).item != item:
            message = f"{dotted(steps)} and {dotted(other.steps)} name two IPv6 addresses"
            found.append(
                error("address-invalid", document.at(*steps), message, "remove one of the two")
            )
    return Wish(reference.get("name", ""), _VERSIONS[family], named)


def _misplaced(document: Document, steps: Steps, item: IPRange, family: str) -> Finding | None:
    """Why a field cannot name an address of its IP version."""
    text = format_address(item.version, item.first)
    place = document.at(*steps)
    if steps == IPV6 and item.version == 4:
        message = f"{dotted(steps)}: {text} is IPv4"
        return error("family-mismatch", place, message, "write it as spec.address")
    if item.version not in _VERSIONS[family]:
        message = f"{dotted(steps)}: {text} is IPv{item.version}, addressFamily is {family}"
        other = "ipv4" if item.version == 4 else "ipv6"
        hint = f"write addressFamily: {other} or dual, or another address"
        return error("family-mismatch", place, message, hint)
    if steps == ADDRESS and family == "dual" and item.version == 6:
        message = f"{dotted(steps)}: {text} is IPv6; with addressFamily dual it is the IPv4 address"
        return error("family-mismatch", place, message, "write it as spec.ipv6Address")
    return None
