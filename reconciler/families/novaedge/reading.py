"""Reader of ProxyIPPools and ProxyVIPs, and suggested fixes."""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import BITS, IPRange, IPSet, anycast_of, format_address, format_cidr
from reconciler.documents.document import Document, Documents, text_at
from reconciler.documents.edit import Edit
from reconciler.documents.findings import Finding, error, has_error, shown, warning
from reconciler.documents.yaml import Steps, dotted
from reconciler.families import fields
from reconciler.families.interface import (
    CurrentRecords,
    FamilyReading,
    Fix,
    Fixes,
    RecordBody,
    referring_whole,
)
from reconciler.families.novaedge.kinds import NAME, POOL, SLOTS, VIP, pool_key, vip_key
from reconciler.model.claim import Claim, Owner
from reconciler.model.key import MAX_NAME, Key, shortened
from reconciler.model.objects import RECORD_NAMESPACE as RECORDS
from reconciler.model.plan import Blocked, ByHand
from reconciler.model.pool import Placement, Pool
from reconciler.model.settings import Settings

_CIDRS = ("spec", "cidrs")
_ADDRESSES = ("spec", "addresses")


def read_host(
    document: Document, steps: Steps, text: object, found: list[Finding]
) -> IPRange | None:
    """Return the address of a field, or None with a finding."""
    if not isinstance(text, str):
        message = f"{dotted(steps)} is {shown(text)}, expected an address"
        hint = "write it as 10.200.0.1/32, or remove it"
        fields.refuse(found, document, steps, "address-invalid", message, hint)
        return None
    bare, slash, mask = text.partition("/")
    whole = f"{bare}/{BITS[6 if ':' in bare else 4]}" if slash else bare
    item = fields.read_address(document, steps, bare, found, whole)
    if item is None:
        return None
    bits = BITS[item.version]
    if slash and mask != str(bits):
        message = f"{dotted(steps)}: {shown(text)} is a network, expected one address"
        hint = f"write {bare}/{bits}; networks belong in spec.cidrs of a pool"
        fields.refuse(found, document, steps, "address-invalid", message, hint)
        return None
    return _permitted(document, steps, item, found)


def host_text(item: IPRange) -> str:
    """Return `10.200.0.1/32` or `2001:db8::1/128`, the format of NovaEdge's documents."""
    return f"{format_address(item.version, item.first)}/{BITS[item.version]}"


def _permitted(
    document: Document, steps: Steps, item: IPRange, found: list[Finding]
) -> IPRange | None:
    refused = fields.refuse_network(document, steps, item)
    found += [refused] if refused is not None else []
    return item if refused is None else None


def read_pool(document: Document, settings: Settings) -> tuple[Pool | None, list[Finding]]:
    """Return the pool of a document; None if it has any error."""
    found: list[Finding] = []
    spec = document.spec
    networks: list[IPRange] = []
    for index, text in enumerate(spec.get("cidrs") or ()):
        steps = (*_CIDRS, index)
        network = fields.read_cidr(document, steps, text, found)
        if network is not None and _permitted(document, steps, network, found) is not None:
            networks.append(network)
    hosts = [
        host
        for index, text in enumerate(spec.get("addresses") or ())
        if (host := read_host(document, (*_ADDRESSES, index), text, found)) is not None
    ]
    thresholds, gate = fields.read_thresholds(document, settings, found)
    space = fields.read_space(document, settings, found)
    if not (spec.get("cidrs") or spec.get("addresses")):
        message = "spec must have at least one of cidrs and addresses"
        hint = 'add, for example, cidrs: ["10.200.0.0/24"]'
        fields.refuse(found, document, ("spec",), "field-required", message, hint)
    if has_error(found):
        return None, found
    extent = IPSet.of([*networks, *hosts])
    usable = IPSet.of([*(part for item in networks for part in _usable(item)), *hosts])
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
        anycast=anycast_of(networks) - IPSet.of(hosts),
    )
    return pool, found


def auto_assign(document: Document) -> bool:
    """Return whether claims without a pin get an address; False if the field is absent."""
    return bool(document.spec.get("autoAssign", False))


def _usable(network: IPRange) -> tuple[IPRange, ...]:
    if network.version == 6 or network.size == 1:
        return (network,)
    first, last = network.first + 1, network.last - 1
    return (IPRange(network.version, first, last),) if first <= last else ()


def _odd(document: Document, networks: list[IPRange], usable: IPSet) -> Iterator[Finding]:
    for index, network in enumerate(networks):
        if not _usable(network):
            message = f"spec.cidrs[{index}]: {format_cidr(network)} has no allocatable address: only the network and the broadcast address"
            hint = "list both in spec.addresses, which excludes no address"
            yield warning("pool-empty", document.at(*_CIDRS, index), message, hint)
    if "autoAssign" not in document.spec and usable:
        message = "spec.autoAssign is missing, so only a ProxyVIP that names its address gets one"
        hint = "set autoAssign: true (the default of NovaEdge's CRD), or false"
        yield warning("auto-assign-disabled", document.at("spec", "autoAssign"), message, hint)


_NEXT = 8


def _widened(documents: Documents, pool: Pool, lacking: int) -> Iterator[Fix]:
    document = documents.find(POOL, "", pool.key.name)
    if document is None or document.doubt:
        return
    for step in range(1, _NEXT + 1):
        for item in pool.extent:
            if item.prefix() is None or item.size < lacking:
                continue
            first = item.first + step * item.size
            if first + item.size <= 1 << BITS[item.version]:
                block = format_cidr(IPRange(item.version, first, first + item.size - 1)) or ""
                says = f"add {block} to the cidrs of {pool.key.name}"
                yield Fix(says, document, (Edit(_CIDRS, block, is_item=True),))


FIXES = Fixes(widened=_widened)

_ADDRESS = ("spec", "address")
_IPV6 = ("spec", "ipv6Address")
_VERSIONS = {"ipv4": (4,), "ipv6": (6,), "dual": (4, 6)}


class NamedAddress(Struct, frozen=True):
    """An address that a ProxyVIP pins, and its field."""

    item: IPRange
    steps: Steps


class VipRequest(Struct, frozen=True):
    """The pool of a ProxyVIP (or empty), its IP versions (IPv4 first), and its pinned addresses."""

    pool: str
    versions: tuple[int, ...]
    named: dict[int, NamedAddress]


def address_family(document: Document) -> str:
    """Return `ipv4`, `ipv6`, or `dual`; the default is `ipv4`."""
    return str(document.spec.get("addressFamily", "ipv4"))


def read_vip(document: Document, found: list[Finding]) -> VipRequest:
    """Return the request of a document; add findings for contradictions."""
    spec, family = document.spec, address_family(document)
    if not any(field in spec for field in ("address", "ipv6Address", "poolRef")):
        message = "spec must have at least one of address, ipv6Address, and poolRef"
        hint = "add, for example, poolRef: {name: main-vip-pool}"
        fields.refuse(found, document, ("spec",), "field-required", message, hint)
    named: dict[int, NamedAddress] = {}
    for steps in (_ADDRESS, _IPV6):
        if steps[1] not in spec:
            continue
        item = read_host(document, steps, spec[steps[1]], found)
        if item is None:
            continue
        if (wrong := _misplaced(document, steps, item, family)) is not None:
            found.append(wrong)
        elif (other := named.setdefault(item.version, NamedAddress(item, steps))).item != item:
            message = f"{dotted(steps)} and {dotted(other.steps)} name two IPv6 addresses"
            fields.refuse(
                found, document, steps, "address-invalid", message, "remove one of the two"
            )
    pool = (spec.get("poolRef") or {}).get("name", "")
    return VipRequest(pool, _VERSIONS[family], named)


def _misplaced(document: Document, steps: Steps, item: IPRange, family: str) -> Finding | None:
    message = f"{dotted(steps)}: {format_address(item.version, item.first)} is IPv{item.version}"
    if steps == _IPV6 and item.version == 4:
        hint = "write it as spec.address"
    elif item.version not in _VERSIONS[family]:
        message += f", addressFamily is {family}"
        other = "ipv4" if item.version == 4 else "ipv6"
        hint = f"write addressFamily: {other} or dual, or another address"
    elif steps == _ADDRESS and family == "dual" and item.version == 6:
        message += "; with addressFamily dual it is the IPv4 address"
        hint = "write it as spec.ipv6Address"
    else:
        return None
    return error("family-mismatch", document.at(*steps), message, hint)


# NovaEdge's documents spell the second field in two ways.
FIELDS = ("allocatedAddress", "allocatedIPv6Address", "allocatedIpv6Address")


class HeldAddress(Struct, frozen=True):
    """An address in a pool's status: its user as written, and the ProxyVIP, or empty for others."""

    item: IPRange
    user: str
    vip: str
    steps: Steps


def held_by_vip(document: Document, vip: VipRequest, found: list[Finding]) -> dict[int, IPRange]:
    """Return the addresses in a ProxyVIP's status, by IP version."""
    held: dict[int, IPRange] = {}
    for field in FIELDS:
        text = _status(document).get(field)
        if text in (None, ""):
            continue
        steps = ("status", field)
        item = read_host(document, steps, text, found)
        if item is None:
            continue
        message, hint = _contradicted(steps, item, vip)
        if not message and held.setdefault(item.version, item) != item:
            message = f"{text} is a second IPv{item.version} address"
            hint = "remove one of the two"
        if message:
            message = f"{dotted(steps)}: {message}"
            fields.refuse(found, document, steps, "adoption-conflict", message, hint)
    return held if vip.pool else {}


def _contradicted(steps: Steps, item: IPRange, vip: VipRequest) -> tuple[str, str]:
    text, named = host_text(item), vip.named.get(item.version)
    if item.version not in vip.versions:
        message = f"{text} is IPv{item.version}, which addressFamily excludes"
        return message, f"set spec.addressFamily to allow IPv{item.version}"
    if vip.pool and named is not None and named.item != item:
        message = f"{text} differs from {dotted(named.steps)} ({host_text(named.item)})"
        return message, f"set {dotted(named.steps)} to {text} to keep it, or remove {dotted(steps)}"
    return "", ""


def held_in_pool(document: Document, found: list[Finding]) -> Iterator[HeldAddress]:
    """Yield the allocated addresses in a pool's status."""
    listed = _status(document).get("allocations")
    for index, value in enumerate(listed if isinstance(listed, list) else ()):
        entry: Mapping[str, Any] = value if isinstance(value, Mapping) else {"address": value}
        steps = ("status", "allocations", index, "address")
        item = read_host(document, steps, entry.get("address"), found)
        if item is not None:
            user = str(entry.get("vipRef") or "another user")
            kind, _, name = user.rpartition("/")
            yield HeldAddress(item, user, name if kind in ("", "proxyvip") else "", steps)


def is_of_others(held: HeldAddress, pool: Document, documents: Documents) -> bool:
    """Return whether no ProxyVIP of the pool in the repository matches a status entry."""
    vip = documents.find(VIP, "", held.vip) if held.vip else None
    return vip is None or read_vip(vip, []).pool != pool.name


def _status(document: Document) -> Mapping[str, Any]:
    found = document.copied.get("status")
    return found if isinstance(found, Mapping) else {}


TYPE = SLOTS[4]
"""The type of all records."""

_WHOLE = referring_whole(NAME, {TYPE: VIP}, TYPE)


def claim_of_copy(body: RecordBody) -> Key | None:
    """Return the claim that a record states; its address determines the IP version."""
    claim = _WHOLE.claim(body)
    if claim is None or ":" not in text_at(body, "status", "startAddress"):
        return claim
    return replace(claim, slot=SLOTS[6])


FORM = replace(_WHOLE, claim=claim_of_copy, types=dict.fromkeys(SLOTS.values(), TYPE))


def judge(document: Document, settings: Settings) -> list[Finding]:
    """Return findings about a document with a valid schema; empty if it is valid."""
    found: list[Finding] = []
    if document.kind.id == POOL:
        pool, found = read_pool(document, settings)
        found = found if pool is None else []
        list(held_in_pool(document, found))
    else:
        held_by_vip(document, read_vip(document, found), found)
    return found


def read(documents: Documents, held: CurrentRecords | None, settings: Settings) -> FamilyReading:
    """Return the reading of all pools and VIPs."""
    return _Reader(documents, held or {}).read(settings)


class _Reader:
    def __init__(self, documents: Documents, held: CurrentRecords) -> None:
        self.documents = documents
        self.held = held
        self.adopted: dict[Key, IPRange] = {}
        self.reading = FamilyReading()

    def read(self, settings: Settings) -> FamilyReading:
        for document in self.documents.of(POOL):
            pool, found = read_pool(document, settings)
            self.reading.add_pool(document, pool, found)
            for held in held_in_pool(document, []) if pool is not None else ():
                self._adopt(document, held)
        for document in self.documents.of(VIP):
            self._vip(document)
        return self.reading

    def _adopt(self, document: Document, held: HeldAddress) -> None:
        if not is_of_others(held, document, self.documents):
            self.adopted.setdefault(vip_key(held.vip, held.item.version), held.item)
            return
        place = document.at(*held.steps)
        title = f"{held.user} (status of {document.name})"
        self.reading.blocked.append(Blocked(held.item, title, place))
        message = f"{host_text(held.item)} is allocated to {held.user}, but this repository has no such ProxyVIP, so no other VIP gets it"
        hint = "add the ProxyVIP, or remove the entry when the address is no longer in use"
        self.reading.report(document, warning("reference-not-found", place, message, hint))

    def _vip(self, document: Document) -> None:
        vip = read_vip(document, [])
        if vip.pool:
            for claim in self._claims(document, vip):
                self.reading.claims[claim.key] = claim
            return
        for named in vip.named.values():
            title = f"{document.name} ({dotted(named.steps)})"
            by_hand, field = ByHand(None, anywhere=True), str(named.steps[-1])
            blocked = Blocked(named.item, title, document.at(*named.steps), by_hand, field)
            self.reading.blocked.append(blocked)

    def _claims(self, document: Document, vip: VipRequest) -> Iterator[Claim]:
        """Yield a claim for each IP version. Two claims either both get an address or neither."""
        candidates, doubt = self._candidates(document, vip.pool)
        given = held_by_vip(document, vip, [])
        for version in vip.versions:
            key, named = vip_key(document.name, version), vip.named.get(version)
            others = (vip_key(document.name, it) for it in vip.versions if it != version)
            # Without a record, an address in the status is in use.
            own = None if key in self.held else given.get(version) or self.adopted.get(key)
            yield Claim(
                key=key,
                candidates=candidates,
                wanted=(vip.pool,),
                size=1,
                pin=named.item if named is not None else own,
                fixed=True,
                owner=Owner("", document.name, ""),
                type=TYPE,
                role="initial",
                name=shortened(f"{document.name}-{key.slot}", MAX_NAME),
                namespace=RECORDS,
                source=document.start,
                doubt=document.doubt or doubt,
                version=version,
                requires=next(others, None),
            )

    def _candidates(self, document: Document, pool: str) -> tuple[tuple[Key, ...], str]:
        key = pool_key(pool)
        if self.documents.find(POOL, "", pool) is not None:
            return ((key,) if key in self.reading.pools else ()), ""
        if path := self.documents.unread(POOL, "", pool):
            self.reading.frozen[key] = path
            return (), path
        message = f"{document.title}: {POOL.kind} {pool} does not exist in this repository"
        hint = "correct spec.poolRef, or add the pool"
        self.reading.report_missing(document, ("spec", "poolRef", "name"), key, message, hint)
        return (), ""
