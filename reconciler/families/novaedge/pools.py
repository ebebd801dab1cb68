"""ProxyIPPool to pool: what `cidrs` and `addresses` give out (seed 003, `novaedge.md` §5.2).

Of an IPv4 CIDR the first and the last address are kept back, of a /32 and of IPv6 nothing. So a /31
gives nothing and a /127 two. What stands in `addresses` is given out, whatever a CIDR keeps back.
"""

from collections.abc import Iterator

from reconciler.addresses import IPRange, IPSet
from reconciler.addresses.notation import format_cidr
from reconciler.documents.document import Document
from reconciler.families._pool_fields import (
    read_cidr,
    read_space,
    read_thresholds,
    refuse_network,
)
from reconciler.families.novaedge.hosts import read_host
from reconciler.families.novaedge.kinds import NAME, POOL
from reconciler.findings import Finding, error, has_error, warning
from reconciler.model.key import Key
from reconciler.model.pool import Placement, Pool
from reconciler.model.settings import Settings

_CIDRS = ("spec", "cidrs")
_ADDRESSES = ("spec", "addresses")
_AUTO = ("spec", "autoAssign")


def pool_key(name: str) -> Key:
    """The key of a ProxyIPPool."""
    return Key(NAME, "", name, "", POOL.kind)


def read_pool(document: Document, settings: Settings) -> tuple[Pool | None, list[Finding]]:
    """The pool of a document; None when anything about it is wrong."""
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
    """Claims that name no address get one; not when the field is left out."""
    return bool(document.spec.get("autoAssign", False))


def given_out(network: IPRange) -> tuple[IPRange, ...]:
    """What a CIDR gives out; nothing of an IPv4 /31."""
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
    """What is right and may not be meant."""
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
