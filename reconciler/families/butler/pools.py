"""NetworkPools."""

from msgspec import Struct

from reconciler.addresses import IPRange, IPSet, first_overlapping, format_cidr, format_short
from reconciler.documents.document import Document
from reconciler.documents.findings import Finding, error, has_error, warning
from reconciler.families.butler.kinds import NAME, POOL
from reconciler.families.fields import (
    read_cidr,
    read_range,
    read_space,
    read_thresholds,
    refuse_network,
)
from reconciler.model.key import Key
from reconciler.model.pool import Placement, Pool
from reconciler.model.settings import Settings

_IPV6_HINT = "NetworkPool is IPv4 only (its CRD says so); pools of other systems may hold IPv6"


class NetworkPool(Struct, frozen=True):
    """A parsed NetworkPool: the pool, its default sizes, and its document."""

    pool: Pool
    nodes_per_tenant: int | None
    lb_pool_per_tenant: int | None
    document: Document


def pool_key(namespace: str, name: str) -> Key:
    """Return the key of a NetworkPool."""
    return Key(NAME, namespace, name, "", POOL.kind)


def read_pool(document: Document, settings: Settings) -> tuple[NetworkPool | None, list[Finding]]:
    """Return the pool of a document; None if it has any error.

    A reserved block that cannot be read must not be given out. As in Butler, a pool that fails its
    validation gives out nothing.
    """
    found: list[Finding] = []
    spec = document.spec
    network = read_cidr(document, ("spec", "cidr"), spec["cidr"], found)
    if network is None:
        return None, found
    if network.version != 4:
        message = f"spec.cidr: {spec['cidr']} is IPv6"
        found.append(error("family-mismatch", document.at("spec", "cidr"), message, _IPV6_HINT))
        return None, found
    if (refused := refuse_network(document, ("spec", "cidr"), network)) is not None:
        found.append(refused)
        return None, found
    reserved = _reserved(document, network, found)
    windows = _windows(document, network, found)
    thresholds, gate = read_thresholds(document, settings, found)
    space = read_space(document, settings, found)
    for index, block in reserved:
        found.extend(_straddling(document, index, block, windows))
    blocks = IPSet.of(block for _, block in reserved)
    usable = IPSet.of(windows) - blocks
    if has_error(found):
        return None, found
    if not usable:
        message = "no address is left to give out: everything is reserved"
        hint = "remove a reserved block, or widen the ranges"
        found.append(warning("pool-empty", document.at("spec", "reserved"), message, hint))
    defaults = (spec.get("tenantAllocation") or {}).get("defaults") or {}
    pool = Pool(
        key=pool_key(document.namespace, document.name),
        usable=usable,
        windows=tuple(windows),
        reserved=blocks,
        placement=Placement.BEST_FIT,
        thresholds=thresholds,
        gate=gate,
        space=space,
        extent=IPSet((network,)),
        source=document.at("spec", "cidr"),
        kept=tuple(
            (block, spec["reserved"][index].get("description", "")) for index, block in reserved
        ),
    )
    return (
        NetworkPool(
            pool, defaults.get("nodesPerTenant"), defaults.get("lbPoolPerTenant"), document
        ),
        found,
    )


def _reserved(
    document: Document, network: IPRange, found: list[Finding]
) -> list[tuple[int, IPRange]]:
    """Return the reserved blocks with their indexes; add findings for invalid blocks.

    A block that overlaps others is reported once, with the first of them.
    """
    blocks: list[tuple[int, IPRange]] = []
    for index, entry in enumerate(document.spec.get("reserved") or ()):
        steps = ("spec", "reserved", index, "cidr")
        block = read_cidr(document, steps, entry["cidr"], found)
        if block is None:
            continue
        if not network.covers(block):
            message = (
                f"spec.reserved[{index}].cidr: {entry['cidr']} is not within {format_cidr(network)}"
            )
            hint = "reserve a block inside spec.cidr, or widen spec.cidr"
            found.append(error("reserved-outside-pool", document.at(*steps), message, hint))
            continue
        blocks.append((index, block))
    for (index, block), first in zip(
        blocks, first_overlapping([block for _, block in blocks]), strict=True
    ):
        other = blocks[first][0]
        if other != index:
            message = (
                f"spec.reserved[{index}].cidr: {format_cidr(block)} overlaps spec.reserved[{other}]"
            )
            hint = "remove one of the two, or make them one block"
            place = document.at("spec", "reserved", index, "cidr")
            found.append(warning("reserved-overlap", place, message, hint))
    return blocks


def _windows(document: Document, network: IPRange, found: list[Finding]) -> list[IPRange]:
    """Return the allocatable ranges: `ranges`, else `start` and `end`, else the whole network."""
    allocation = document.spec.get("tenantAllocation") or {}
    steps = ("spec", "tenantAllocation")
    halves = [field for field in ("start", "end") if field in allocation]
    if allocation.get("ranges"):
        if halves:
            message = f"{' and '.join(halves)} ignored, because ranges are there"
            place = document.at(*steps, halves[0], key=True)
            found.append(warning("range-ignored", place, message, "remove them"))
        return _ranges(document, network, found)
    if len(halves) == 1:
        message = f"{halves[0]} without its other end: the whole CIDR is given out"
        place = document.at(*steps, halves[0], key=True)
        found.append(warning("range-ignored", place, message, "give both start and end"))
    if len(halves) < 2:
        return [network]
    window = read_range(document, steps, ("start", "end"), found)
    if window is None:
        return []
    if not network.covers(window):
        _outside(document, (*steps, "start"), window, network, found)
        return []
    return [window]


def _ranges(document: Document, network: IPRange, found: list[Finding]) -> list[IPRange]:
    windows: list[IPRange] = []
    for index in range(len(document.spec["tenantAllocation"]["ranges"])):
        steps = ("spec", "tenantAllocation", "ranges", index)
        window = read_range(document, steps, ("start", "end"), found)
        if window is None:
            continue
        if not network.covers(window):
            _outside(document, steps, window, network, found)
            continue
        if windows and window.first <= windows[-1].last:
            message = (
                f"ranges[{index}].start must be after the end of the range before,"
                f" {format_short(IPRange(4, windows[-1].last, windows[-1].last))}"
            )
            hint = "sort ranges by start, and let none overlap"
            found.append(error("ranges-unsorted", document.at(*steps, "start"), message, hint))
            continue
        windows.append(window)
    return windows


def _outside(
    document: Document,
    steps: tuple[str | int, ...],
    window: IPRange,
    network: IPRange,
    found: list[Finding],
) -> None:
    message = f"{format_short(window)} falls outside spec.cidr {format_cidr(network)}"
    hint = "narrow the range, or widen spec.cidr"
    found.append(error("range-outside-pool", document.at(*steps), message, hint))


def _straddling(
    document: Document, index: int, block: IPRange, windows: list[IPRange]
) -> list[Finding]:
    """Return the finding for a reserved block with exactly one end inside a range."""
    found = []
    for position, window in enumerate(windows):
        inside = [window.first <= end <= window.last for end in (block.first, block.last)]
        if inside[0] != inside[1]:
            message = (
                f"reserved {format_cidr(block)} straddles the border of ranges[{position}]"
                f" ({format_short(window)})"
            )
            place = document.at("spec", "reserved", index, "cidr")
            hint = "let both ends of the block lie inside the range, or both outside of it"
            found.append(error("reserved-straddles-range", place, message, hint))
    return found
