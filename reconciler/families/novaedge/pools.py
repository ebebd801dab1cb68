"""Address pools and virtual IPs."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from reconciler.addresses import BITS, IPRange, IPSet, format_address, format_cidr
from reconciler.documents.document import Document, Documents
from reconciler.documents.edit import Edit
from reconciler.documents.findings import Finding, error, has_error, shown, warning
from reconciler.documents.yaml import Steps, dotted
from reconciler.families.fields import read_cidr, read_space, read_thresholds, refuse_network
from reconciler.families.interface import Mend, Mending
from reconciler.families.novaedge.kinds import NAME, POOL, SLOTS, VIP, host_text, read_host
from reconciler.model.key import Key
from reconciler.model.pool import Placement, Pool
from reconciler.model.settings import Settings

_CIDRS = ("spec", "cidrs")
_ADDRESSES = ("spec", "addresses")
_AUTO = ("spec", "autoAssign")


def pool_key(name: str) -> Key:
    """Return the key of a ProxyIPPool."""
    return Key(NAME, "", name, "", POOL.kind)


def read_pool(document: Document, settings: Settings) -> tuple[Pool | None, list[Finding]]:
    """Return the pool of a document; None if it has any error."""
    found: list[Finding] = []
    networks = _networks(document, found)
    hosts = [item for _, item in _hosts(document, found)]
    thresholds, gate = read_thresholds(document, settings, found)
    space = read_space(document, settings, found)
    if not (document.spec.get("cidrs") or document.spec.get("addresses")):
        message = "spec: at least one of cidrs and addresses is required"
        hint = 'for example cidrs: ["10.200.0.0/24"]'
        found.append(error("field-required", document.at("spec"), message, hint))
    if has_error(found):
        return None, found
    extent = IPSet.of([*networks, *hosts])
    usable = IPSet.of([*(part for item in networks for part in given_out(item)), *hosts])
    found += _odd(document, networks, usable)
    pool = Pool(
        key=pool_key(document.name),
        usable=usable,
        windows=tuple(extent),
        reserved=extent - usable,
        placement=Placement.LOWEST,
        thresholds=thresholds,
        gate=gate,
        space=space,
        extent=extent,
        source=document.at(*(_CIDRS if networks else _ADDRESSES)),
        auto_assign=auto_assign(document),
    )
    return pool, found


def auto_assign(document: Document) -> bool:
    """Return whether claims without a pin get an address; False if the field is absent."""
    return bool(document.spec.get("autoAssign", False))


def given_out(network: IPRange) -> tuple[IPRange, ...]:
    """Return the usable addresses of a CIDR; none for an IPv4 /31."""
    if network.version == 6 or network.size == 1:
        return (network,)
    first, last = network.first + 1, network.last - 1
    return (IPRange(network.version, first, last),) if first <= last else ()


def _networks(document: Document, found: list[Finding]) -> list[IPRange]:
    networks: list[IPRange] = []
    for index, text in enumerate(document.spec.get("cidrs") or ()):
        steps = (*_CIDRS, index)
        network = read_cidr(document, steps, text, found)
        if network is None:
            continue
        refused = refuse_network(document, steps, network)
        if refused is None:
            networks.append(network)
        else:
            found.append(refused)
    return networks


def _hosts(document: Document, found: list[Finding]) -> Iterator[tuple[int, IPRange]]:
    for index, text in enumerate(document.spec.get("addresses") or ()):
        host = read_host(document, (*_ADDRESSES, index), text, found)
        if host is not None:
            yield index, host


def _odd(document: Document, networks: list[IPRange], usable: IPSet) -> Iterator[Finding]:
    """Yield warnings about valid but probably unintended values."""
    for index, network in enumerate(networks):
        if not given_out(network):
            message = f"spec.cidrs[{index}]: {format_cidr(network)} gives nothing out: it has a"
            message += " network and a broadcast address, and none between them"
            hint = "write the two as spec.addresses, which are given out as they stand"
            yield warning("pool-empty", document.at(*_CIDRS, index), message, hint)
    if "autoAssign" not in document.spec and usable:
        message = "spec.autoAssign is left out, which means false: only a ProxyVIP that names its"
        message += " address gets one"
        hint = "write autoAssign: true, as NovaEdge's own CRD has it where it is left out, or false"
        yield warning("auto-assign-disabled", document.at(*_AUTO), message, hint)


_NEXT = 8


def _widened(documents: Documents, pool: Pool, lacking: int) -> Iterator[Mend]:
    """Yield edits that add adjacent blocks of the same size."""
    document = documents.find(POOL, "", pool.key.name)
    if document is None or document.doubt:
        return
    for step in range(1, _NEXT + 1):
        for item in pool.extent:
            if item.prefix is None or item.size < lacking:
                continue
            first = item.first + step * item.size
            if first + item.size <= 1 << BITS[item.version]:
                block = format_cidr(IPRange(item.version, first, first + item.size - 1)) or ""
                says = f"add {block} to the cidrs of {pool.key.name}"
                yield Mend(says, document, (Edit(_CIDRS, block, is_item=True),))


MENDING = Mending(widened=_widened)


ADDRESS = ("spec", "address")
IPV6 = ("spec", "ipv6Address")
_VERSIONS = {"ipv4": (4,), "ipv6": (6,), "dual": (4, 6)}


def vip_key(name: str, version: int) -> Key:
    """Return the key of a ProxyVIP's claim for an IP version."""
    return Key(NAME, "", name, SLOTS[version], VIP.kind)


class NamedAddress(Struct, frozen=True):
    """An address that a ProxyVIP pins, and its field."""

    item: IPRange
    steps: Steps


class VipRequest(Struct, frozen=True):
    """The request of a ProxyVIP.

    Attributes:
        pool: The name of its pool; empty for none.
        versions: The IP versions of its family, IPv4 first.
        named: The pinned addresses, by IP version.
    """

    pool: str
    versions: tuple[int, ...]
    named: dict[int, NamedAddress]


def address_family(document: Document) -> str:
    """Return `ipv4`, `ipv6`, or `dual`; the default is `ipv4`."""
    return str(document.spec.get("addressFamily", "ipv4"))


def read_vip(document: Document, found: list[Finding]) -> VipRequest:
    """Return the request of a document; add findings for contradictions."""
    spec = document.spec
    reference = spec.get("poolRef") or {}
    if not any(field in spec for field in ("address", "ipv6Address", "poolRef")):
        message = "spec: at least one of address, ipv6Address and poolRef is required"
        hint = "for example poolRef: {name: main-vip-pool}"
        found.append(error("field-required", document.at("spec"), message, hint))
    family = address_family(document)
    named: dict[int, NamedAddress] = {}
    for steps in (ADDRESS, IPV6):
        if steps[1] not in spec:
            continue
        item = read_host(document, steps, spec[steps[1]], found)
        if item is None:
            continue
        if (wrong := _misplaced(document, steps, item, family)) is not None:
            found.append(wrong)
        elif (other := named.setdefault(item.version, NamedAddress(item, steps))).item != item:
            message = f"{dotted(steps)} and {dotted(other.steps)} name two IPv6 addresses"
            found.append(
                error("address-invalid", document.at(*steps), message, "remove one of the two")
            )
    return VipRequest(reference.get("name", ""), _VERSIONS[family], named)


def _misplaced(document: Document, steps: Steps, item: IPRange, family: str) -> Finding | None:
    """Return the finding for a field that cannot pin an address of its IP version."""
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


ALLOCATIONS = ("status", "allocations")
# NovaEdge's documents spell the second field in two ways.
FIELDS = ("allocatedAddress", "allocatedIPv6Address", "allocatedIpv6Address")
_EXAMPLE = "write it as 10.200.0.1/32, or remove it"


class HeldAddress(Struct, frozen=True):
    """An address that a pool's status lists as allocated.

    Attributes:
        user: The user, as written.
        vip: The name of the ProxyVIP; empty if the user is not a ProxyVIP.
    """

    item: IPRange
    user: str
    vip: str
    steps: Steps


def held_by_vip(document: Document, wish: VipRequest, found: list[Finding]) -> dict[int, IPRange]:
    """Return the addresses in a ProxyVIP's status, by IP version."""
    held: dict[int, IPRange] = {}
    for field in FIELDS:
        text = _status(document).get(field)
        if text in (None, ""):
            continue
        steps = ("status", field)
        item = _host(document, steps, text, found)
        if item is None:
            continue
        if (wrong := _contradicted(document, steps, item, wish)) is not None:
            found.append(wrong)
        elif held.setdefault(item.version, item) != item:
            message = f"{dotted(steps)}: {text} is the second IPv{item.version} address there"
            found.append(error("adoption-conflict", document.at(*steps), message, "remove one"))
    return held if wish.pool else {}


def held_in_pool(document: Document, found: list[Finding]) -> Iterator[HeldAddress]:
    """Yield the allocated addresses in a pool's status."""
    listed = _status(document).get("allocations")
    for index, value in enumerate(listed if isinstance(listed, list) else ()):
        entry: Mapping[str, Any] = value if isinstance(value, Mapping) else {"address": value}
        steps = (*ALLOCATIONS, index, "address")
        item = _host(document, steps, entry.get("address"), found)
        if item is not None:
            user = str(entry.get("vipRef") or "somebody")
            kind, _, name = user.rpartition("/")
            yield HeldAddress(item, user, name if kind in ("", "proxyvip") else "", steps)


def is_of_others(held: HeldAddress, pool: Document, documents: Documents) -> bool:
    """Return whether no ProxyVIP of the pool in the repository matches a status entry."""
    vip = documents.find(VIP, "", held.vip) if held.vip else None
    return vip is None or read_vip(vip, []).pool != pool.name


def _status(document: Document) -> Mapping[str, Any]:
    found = document.copied.get("status")
    return found if isinstance(found, Mapping) else {}


def _host(document: Document, steps: Steps, text: object, found: list[Finding]) -> IPRange | None:
    if isinstance(text, str):
        return read_host(document, steps, text, found)
    message = f"{dotted(steps)}: an address is required, got {shown(text)}"
    found.append(error("address-invalid", document.at(*steps), message, _EXAMPLE))
    return None


def _contradicted(
    document: Document, steps: Steps, item: IPRange, wish: VipRequest
) -> Finding | None:
    """Return the finding for a status that contradicts the spec."""
    place, text = document.at(*steps), host_text(item)
    if item.version not in wish.versions:
        message = f"{dotted(steps)}: {text} is IPv{item.version}, which addressFamily excludes"
        return error("adoption-conflict", place, message, "set spec.addressFamily to what it has")
    named = wish.named.get(item.version)
    if wish.pool and named is not None and named.item != item:
        message = f"{dotted(steps)}: it has {text}, but {dotted(named.steps)} asks for"
        message += f" {host_text(named.item)}"
        hint = f"write {text} there to keep it, or remove {dotted(steps)} to let it move"
        return error("adoption-conflict", place, message, hint)
    return None
