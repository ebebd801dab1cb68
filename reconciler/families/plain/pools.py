"""AddressPools."""

from collections.abc import Iterator, Sequence

from reconciler.addresses import (
    IPRange,
    IPSet,
    NotationError,
    anycast_of,
    canonical,
    format_range,
    format_short,
    parse_address,
)
from reconciler.documents.document import Document, Documents
from reconciler.documents.edit import Edit
from reconciler.documents.findings import Finding, has_error, shown, warning
from reconciler.documents.yaml import Steps, dotted
from reconciler.families.fields import (
    checked_space,
    read_address,
    read_cidr,
    refuse,
    refuse_network,
    stated_thresholds,
)
from reconciler.families.interface import Fix
from reconciler.families.plain.kinds import POOL, family_name, pool_key
from reconciler.model.instant import parse_duration
from reconciler.model.plan import Gateway
from reconciler.model.pool import DEFAULT_SPACE, Placement, Pool, Tier
from reconciler.model.settings import Settings

_ADDRESSES = ("spec", "addresses")
_GATEWAY = ("spec", "gateway")


def read_item(document: Document, steps: Steps, text: str, found: list[Finding]) -> IPRange | None:
    """Return the range of a field with an address, a CIDR, or a range; None with a finding."""
    if "/" in text:
        return read_cidr(document, steps, text, found)
    if "-" not in text:
        return read_address(document, steps, text, found, text)
    first, _, last = text.partition("-")
    try:
        (version, start), (other, end) = parse_address(first), parse_address(last)
    except NotationError as wrong:
        hint = f"write {meant}" if (meant := canonical(text)) else wrong.hint
        refuse(found, document, steps, "address-invalid", f"{dotted(steps)}: {wrong}", hint)
        return None
    if version != other:
        message = f"{dotted(steps)}: {first} and {last} differ in IP version"
        hint = "write both as IPv4 or both as IPv6"
        refuse(found, document, steps, "family-mismatch", message, hint)
        return None
    if start > end:
        message = f"{dotted(steps)}: {first} is after {last}"
        refuse(found, document, steps, "range-reversed", message, f"write {last}-{first}")
        return None
    return IPRange(version, start, end)


def read_items(
    document: Document, steps: Steps, texts: Sequence[str], found: list[Finding]
) -> list[IPRange]:
    """Return the ranges of a list of addresses, CIDRs, and ranges."""
    every = (read_item(document, (*steps, at), text, found) for at, text in enumerate(texts))
    return [item for item in every if item is not None]


def version_of(document: Document) -> int | None:
    """Return the IP version of a pool by its first readable address."""
    texts = document.spec.get("addresses") or ()
    return next((it.version for it in read_items(document, _ADDRESSES, texts, [])), None)


def _stated(document: Document, found: list[Finding]) -> tuple[list[IPRange], list[IPRange]]:
    """Return the CIDRs of a pool, and its ranges; add findings."""
    networks: list[IPRange] = []
    ranges: list[IPRange] = []
    version = version_of(document)
    for at, text in enumerate(document.spec.get("addresses") or ()):
        steps = (*_ADDRESSES, at)
        item = read_item(document, steps, text, found)
        if item is None:
            continue
        (networks if "/" in text else ranges).append(item)
        if (refused := refuse_network(document, steps, item)) is not None:
            found.append(refused)
        if version is not None and item.version != version:
            message = f"{dotted(steps)}: {shown(text)} is {family_name(item.version)}, but the pool is {family_name(version)}"
            hint = "add a second AddressPool; a pool has one IP family"
            refuse(found, document, steps, "family-mismatch", message, hint)
    return networks, ranges


def read_pool(document: Document, settings: Settings) -> tuple[Pool | None, list[Finding]]:
    """Return the pool of a document; None if it has any error."""
    found: list[Finding] = []
    spec = document.spec
    networks, ranges = _stated(document, found)
    extent = IPSet.of([*networks, *ranges])
    kept = tuple(_reserved(document, extent, found))
    text = spec.get("gateway", "")
    gateway = read_address(document, _GATEWAY, text, found, text) if text else None
    if gateway is not None and not any(network.covers(gateway) for network in networks):
        message = f"spec.gateway is {text}, which is not in a CIDR of spec.addresses"
        hint = "write the network of the gateway as a CIDR, or remove spec.gateway"
        refuse(found, document, _GATEWAY, "field-value", message, hint)
    thresholds = stated_thresholds(document, settings.thresholds, found)
    space = spec.get("addressSpace", DEFAULT_SPACE)
    checked_space(document, ("spec", "addressSpace"), space, settings, found)
    if has_error(found) or thresholds is None:
        return None, found
    blocks = extent - IPSet.of([*(block for block, _ in kept), *([gateway] if gateway else [])])
    usable = blocks
    if not spec.get("useAllAddresses", False):
        usable -= IPSet.of(it for network in networks for it in _ends(network))
        usable -= anycast_of(networks)
    if not blocks:
        message = "spec.addresses has no allocatable address"
        hint = "add addresses, or remove blocks from spec.reserved"
        found.append(warning("pool-empty", document.at(*_ADDRESSES), message, hint))
    limit = spec.get("capacityLimit", settings.gate)
    pool = Pool(
        key=pool_key(document.name),
        usable=usable,
        windows=tuple(extent),
        reserved=extent - usable,
        placement=Placement.BEST_FIT,
        thresholds=thresholds,
        gate=None if limit in (None, "never") else Tier(limit),
        space=space,
        extent=extent,
        source=document.at(*_ADDRESSES),
        retention=parse_duration(spec["retention"]) if "retention" in spec else 0,
        kept=kept,
        blocks=blocks,
    )
    return pool, found


def gateway_of(document: Document) -> Gateway | None:
    """Return the gateway of a valid pool, which other pools do not allocate either."""
    if "gateway" not in document.spec:
        return None
    item = read_address(document, _GATEWAY, document.spec["gateway"], [])
    key = pool_key(document.name)
    return item and Gateway(item, f"gateway of {document.name}", (key,), document.at(*_GATEWAY))


def _reserved(
    document: Document, extent: IPSet, found: list[Finding]
) -> Iterator[tuple[IPRange, str]]:
    for at, group in enumerate(document.spec.get("reserved") or ()):
        for index, text in enumerate(group["addresses"]):
            steps = ("spec", "reserved", at, "addresses", index)
            item = read_item(document, steps, text, found)
            if item is None:
                continue
            if not extent.covers(item):
                message = f"{dotted(steps)}: {shown(text)} is not in spec.addresses"
                hint = "reserve only addresses of the pool"
                refuse(found, document, steps, "reserved-outside-pool", message, hint)
            yield item, group.get("description", "")


def _ends(network: IPRange) -> tuple[IPRange, ...]:
    version, first, last = network
    if version == 6 or network.size <= 2:  # a /31 has neither (RFC 3021)
        return ()
    return IPRange(version, first, first), IPRange(version, last, last)


_NEXT = 8


def widened(documents: Documents, pool: Pool, lacking: int) -> Iterator[Fix]:
    """Yield edits that add the range after an existing one."""
    document = documents.find(POOL, "", pool.key.name)
    if document is None or document.doubt or not pool.extent:
        return
    last = pool.extent.ranges[-1]
    for step in range(_NEXT):
        size = max(last.size, lacking) << step
        item = IPRange(last.version, last.last + 1, last.last + size)
        if refuse_network(document, _ADDRESSES, item) is None:
            says = f"add {format_short(item)} to the addresses of {pool.key.name}"
            yield Fix(says, document, (Edit(_ADDRESSES, format_range(item), is_item=True),))
