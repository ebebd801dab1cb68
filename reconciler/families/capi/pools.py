"""In-cluster pools, their selection by label, and suggested fixes."""

from collections.abc import Iterator

from msgspec import Struct

from reconciler import addresses
from reconciler.addresses import BITS, IPRange, IPSet
from reconciler.documents.document import Document, Documents
from reconciler.documents.edit import Edit
from reconciler.documents.findings import Finding, has_error, meant, shown, warning
from reconciler.documents.yaml import Steps
from reconciler.families.capi import kinds
from reconciler.families.fields import read_address, read_cidr, read_space, read_thresholds, refuse
from reconciler.families.interface import Fix, Fixes
from reconciler.model.key import Key, is_label_value
from reconciler.model.pool import Placement, Pool
from reconciler.model.settings import Settings

LISTED = "true"
"""A label with this value means that the annotation of the same name lists the values."""

_ROLES = (kinds.CONTROL_PLANE, kinds.INGRESS)


class Serves(Struct, frozen=True):
    """Classes and roles that a pool serves."""

    classes: frozenset[str]
    roles: frozenset[str]


def read_serves(document: Document, found: list[Finding]) -> Serves:
    """Return the classes and roles in a pool's labels; warn about invalid or unused values."""
    classes = _values(document, kinds.CLASS_LABEL, found)
    roles = _values(document, kinds.ROLE_LABEL, found)
    for role in roles:
        if role not in _ROLES:
            hint = meant(role, _ROLES, 0.7) or "write control-plane or ingress"
            message = f"{kinds.ROLE_LABEL} contains {shown(role)}, which is not a role"
            found.append(_unfit(document, kinds.ROLE_LABEL, message, hint))
    return Serves(frozenset(classes), frozenset(roles))


def _values(document: Document, name: str, found: list[Finding]) -> list[str]:
    text = document.labels().get(name, "")
    if text == LISTED:
        text = document.annotations().get(name, "")
        if not text.strip():
            message = f'{name} is "true", but the annotation of this name is empty'
            hint = "add the annotation, with comma-separated values"
            found.append(_unfit(document, name, message, hint))
    elif not is_label_value(text):
        message = f"{name} is {shown(text)}, which API servers reject as a label"
        hint = f'set the label to "true", and write the text as the annotation {name}'
        found.append(_unfit(document, name, message, hint))
    return [part for word in text.split(",") if (part := word.strip())]


def _unfit(document: Document, label: str, message: str, hint: str) -> Finding:
    return warning("label-unfit", document.at("metadata", "labels", label), message, hint)


class Selector:
    """Selector of pools for Clusters. It parses the labels of each pool once."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents
        self._selected: dict[tuple[str, str, str], tuple[tuple[Key, ...], str]] = {}
        self._serves = {
            kinds.pool_key(kind.kind, document.namespace, document.name): read_serves(document, [])
            for kind in (kinds.POOL, kinds.GLOBAL_POOL)
            for document in documents.of(kind)
        }

    def select(self, namespace: str, class_: str, role: str) -> tuple[tuple[Key, ...], str]:
        """Return the pools (of "": of all namespaces) that serve a class, and an unreadable file."""
        asked = namespace, class_, role
        if asked not in self._selected:
            places = ((kinds.POOL, namespace), (kinds.GLOBAL_POOL, ""))
            found = [
                key
                for key, serves in self._serves.items()
                if (not namespace or key.namespace in ("", namespace))
                and class_ in serves.classes
                and role in serves.roles
            ]
            found.sort(key=lambda key: (key.name, key.kind != kinds.POOL.kind))
            unread = [
                path for place in places for path in self._documents.matching(*place, {}).unread
            ]
            self._selected[asked] = tuple(found), next(iter(unread), "")
        return self._selected[asked]

    def before(self, own: Key) -> tuple[Key, str, str] | None:
        """Return the first pool by name that precedes a pool, with class and role."""
        serves = self._serves[own]
        found = [
            (first.name, first.kind != kinds.POOL.kind, class_, role, first)
            for class_ in serves.classes
            for role in serves.roles
            if (first := self.select(own.namespace, class_, role)[0][0]) != own
        ]
        _, _, class_, role, first = min(found, default=("", False, "", "", own))
        return (first, class_, role) if found else None


_ADDRESSES = ("spec", "addresses")
_EXCLUDED = ("spec", "excludedAddresses")
GATEWAY = ("spec", "gateway")
_SPARE = "set spec.allocateReservedIPAddresses: true"
_FORMS = "write an address, a CIDR, or a range such as 10.0.0.10-10.0.0.20"


def read_pool(document: Document, settings: Settings) -> tuple[Pool | None, list[Finding]]:
    """Return the pool of a document; None if it has any error."""
    found: list[Finding] = []
    read_serves(document, found)
    thresholds, gate = read_thresholds(document, settings, found)
    space = read_space(document, settings, found)
    given = _entries(document, _ADDRESSES, found)
    excluded = _entries(document, _EXCLUDED, found)
    gateway = read_gateway(document, found)
    if not document.spec["addresses"]:
        hint = "list the addresses that the pool allocates"
        refuse(found, document, _ADDRESSES, "field-required", "addresses is required", hint)
    if has_error(found):
        return None, found
    gateways = [gateway] if gateway is not None else []
    _judge_versions(document, given[0].version, (given, excluded, gateways), found)
    if has_error(found):
        return None, found
    subnet = _subnet(given, document.spec["prefix"])
    _judge_subnet(document, given, subnet, found)
    if has_error(found):
        return None, found
    kept = [*excluded, *gateways]
    if not document.spec.get("allocateReservedIPAddresses", False):
        # IPv6 has no broadcast address to exclude. Source: docs/reference/cluster-api.md.
        ends = (subnet.first, subnet.last) if subnet.version == 4 else (subnet.first,)
        kept += [IPRange(subnet.version, end, end) for end in ends]
    extent, reserved = IPSet.of(given), IPSet.of(kept)
    usable = extent - reserved
    if not usable:
        message = "the pool has no allocatable address, because everything is excluded or reserved"
        hint = _SPARE if extent - IPSet.of([*excluded, *gateways]) else "exclude fewer addresses"
        found.append(
            warning("pool-empty", document.at(*_ADDRESSES), message, f"{hint}, or add addresses")
        )
    pool = Pool(
        key=kinds.pool_key(document.kind.name, document.namespace, document.name),
        usable=usable,
        windows=tuple(extent),
        reserved=reserved,
        placement=Placement.LOWEST,
        thresholds=thresholds,
        gate=gate,
        space=space,
        extent=extent,
        source=document.at(*_ADDRESSES),
        is_paused=kinds.PAUSED in document.annotations(),
        retention=document.spec.get("addressReuseGracePeriodSeconds", 0),
        kept=tuple((item, "") for item in (*excluded, *gateways)),
        subnet=subnet,
        anycast=addresses.anycast_of([subnet]),
    )
    return pool, found


def read_gateway(document: Document, found: list[Finding]) -> IPRange | None:
    """Return the gateway address, which can be outside the subnet; None if absent or invalid."""
    text = document.spec.get(GATEWAY[1])
    return read_address(document, GATEWAY, text, found) if text else None


def _entries(document: Document, field: tuple[str, str], found: list[Finding]) -> list[IPRange]:
    listed = enumerate(document.spec.get(field[1]) or ())
    entries = (_entry(document, (*field, index), text, found) for index, text in listed)
    return [entry for entry in entries if entry is not None]


def _entry(document: Document, steps: Steps, text: str, found: list[Finding]) -> IPRange | None:
    title = f"{steps[1]}[{steps[2]}]"
    if "-" not in text and "/" in text:
        item = read_cidr(document, steps, text, found)
    elif text.count("-") > 1:
        message = f"{title}: provided address is not a valid IP, range, nor CIDR"
        refuse(found, document, steps, "address-invalid", message, _FORMS)
        return None
    else:
        item = _between(document, steps, text, found)
    if (
        item is not None
        and steps[1] == _ADDRESSES[1]
        and (block := addresses.special_purpose(item))
    ):
        message = f"{title}: {addresses.format_short(item)} overlaps {block}"
        hint = "choose addresses that RFC 6890 does not reserve"
        refuse(found, document, steps, "special-purpose", message, hint)
        return None
    return item


def _between(document: Document, steps: Steps, text: str, found: list[Finding]) -> IPRange | None:
    left, dash, right = text.partition("-")
    first = read_address(document, steps, left, found, text)
    last = read_address(document, steps, right, found, text) if dash else first
    if first is None or last is None:
        return None
    title = f"{steps[1]}[{steps[2]}]"
    if first.version != last.version:
        message = f"{title}: {left} and {right} differ in IP version"
        hint = "write both as IPv4 or both as IPv6"
        refuse(found, document, steps, "family-mismatch", message, hint)
        return None
    if first.first > last.last:
        message = f"{title}: {left} is after {right}"
        refuse(found, document, steps, "range-reversed", message, "swap the two")
        return None
    return IPRange(first.version, first.first, last.last)


def _judge_versions(
    document: Document,
    version: int,
    listed: tuple[list[IPRange], list[IPRange], list[IPRange]],
    found: list[Finding],
) -> None:
    messages = (
        (_ADDRESSES, "provided addresses are of mixed IP families"),
        (_EXCLUDED, "addresses and excluded addresses are of mixed IP families"),
        (GATEWAY, "provided gateway and addresses are of mixed IP families"),
    )
    for (steps, message), items in zip(messages, listed, strict=True):
        for index, item in enumerate(items):
            if item.version != version:
                place = steps if steps == GATEWAY else (*steps, index)
                hint = f"write IPv{version}, or make a pool for each version"
                refuse(found, document, place, "family-mismatch", f"{steps[1]}: {message}", hint)
    prefix = document.spec["prefix"]
    if prefix > BITS[version]:
        message = f"spec.prefix: provided prefix is not valid: {prefix} for IPv{version}"
        hint = f"write a number of 0 to {BITS[version]}"
        refuse(found, document, ("spec", "prefix"), "field-value", message, hint)


def _subnet(given: list[IPRange], prefix: int) -> IPRange:
    version = given[0].version
    size = 1 << (BITS[version] - prefix)
    first = min(given).first & -size
    return IPRange(version, first, first + size - 1)


def _judge_subnet(
    document: Document, given: list[IPRange], subnet: IPRange, found: list[Finding]
) -> None:
    for index, item in enumerate(given):
        if not subnet.covers(item):
            message = f"addresses[{index}]: provided address belongs to a different subnet than others: {addresses.format_short(item)} is not within {addresses.format_short(subnet)}"
            hint = "correct spec.prefix, or make a pool for each subnet"
            steps = (*_ADDRESSES, index)
            refuse(found, document, steps, "range-outside-pool", message, hint)


_MORE = 8


def _widened(documents: Documents, pool: Pool, lacking: int) -> Iterator[Fix]:
    kind = kinds.POOL if pool.key.kind == kinds.POOL.kind else kinds.GLOBAL_POOL
    document = documents.find(kind, pool.key.namespace, pool.key.name)
    if document is None or document.doubt:
        return
    subnet = _subnet(list(pool.extent), document.spec["prefix"])
    version, first, last = subnet
    ends = IPSet.of([IPRange(version, at, at) for at in (first, last)])
    for free in reversed(tuple(IPSet((subnet,)) - pool.extent - pool.reserved - ends)):
        if free.size >= lacking:
            last = min(free.last, free.first + max(lacking, _MORE) - 1)
            block = addresses.format_range(IPRange(version, free.first, last))
            says = f"add {block} to the addresses of {pool.key.name}"
            yield Fix(says, document, (Edit(_ADDRESSES, block, is_item=True),))


FIXES = Fixes(widened=_widened)
