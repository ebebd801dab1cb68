"""In-cluster pools and suggested fixes."""

from collections.abc import Iterator

from msgspec import Struct

from reconciler.addresses import BITS, IPRange, IPSet, format_range, format_short, special_purpose
from reconciler.documents.document import Document, Documents, GroupKind
from reconciler.documents.edit import Edit
from reconciler.documents.findings import Finding, Location, error, has_error, meant, shown, warning
from reconciler.documents.yaml import Steps
from reconciler.families.capi.kinds import (
    CLASS_LABEL,
    CONTROL_PLANE,
    INGRESS,
    KINDS,
    NAME,
    PAUSED,
    ROLE_LABEL,
)
from reconciler.families.fields import read_address, read_cidr, read_space, read_thresholds
from reconciler.families.interface import Mend, Mending
from reconciler.model.key import Key, is_label_value
from reconciler.model.pool import Placement, Pool
from reconciler.model.settings import Settings

LISTED = "true"
"""A label with this value means that the annotation of the same name lists the values."""

_ROLES = (CONTROL_PLANE, INGRESS)


class Serves(Struct, frozen=True):
    """Classes and roles that a pool serves."""

    classes: frozenset[str]
    roles: frozenset[str]

    def fits(self, class_: str, role: str) -> bool:
        """Return whether a Cluster of the class can get an address of the pool for the role."""
        return class_ in self.classes and role in self.roles


def read_serves(document: Document, found: list[Finding]) -> Serves:
    """Return the classes and roles in a pool's labels; warn about invalid or unused values."""
    classes = _values(document, CLASS_LABEL, found)
    roles = _values(document, ROLE_LABEL, found)
    for role in roles:
        if role not in _ROLES:
            hint = meant(role, _ROLES, 0.7) or "write control-plane or ingress"
            message = f"{ROLE_LABEL}: {shown(role)} is no role, so nobody is served for it"
            found.append(warning("label-unfit", _place(document, ROLE_LABEL), message, hint))
    return Serves(frozenset(classes), frozenset(roles))


def _values(document: Document, name: str, found: list[Finding]) -> list[str]:
    """Return the values of a label: one, or a comma-separated list in label or annotation."""
    text = document.labels().get(name, "")
    if text == LISTED:
        listed = document.annotations().get(name, "")
        if not listed.strip():
            message = f'{name}: "true", but no annotation of this name lists any'
            hint = "add the annotation, with commas between the values"
            found.append(warning("label-unfit", _place(document, name), message, hint))
        text = listed
    elif not is_label_value(text):
        message = f"{name}: {shown(text)} cannot be a label: no API server takes it"
        hint = f'write "true", and this text as the annotation {name}: it is applied so'
        found.append(warning("label-unfit", _place(document, name), message, hint))
    return [part for word in text.split(",") if (part := word.strip())]


def _place(document: Document, name: str) -> Location:
    return document.at("metadata", "labels", name)


_ADDRESSES = ("spec", "addresses")
_EXCLUDED = ("spec", "excludedAddresses")
GATEWAY = ("spec", "gateway")
_PREFIX = ("spec", "prefix")
_FORMS = "write an address, a CIDR or a range such as 10.0.0.10-10.0.0.20"


def pool_key(kind: str, namespace: str, name: str) -> Key:
    """Return the key of a pool; a cluster-scoped pool has no namespace."""
    return Key(NAME, namespace, name, "", kind)


def read_pool(document: Document, settings: Settings) -> tuple[Pool | None, list[Finding]]:
    """Return the pool of a document; None if it has any error."""
    found: list[Finding] = []
    read_serves(document, found)
    thresholds, gate = read_thresholds(document, settings, found)
    space = read_space(document, settings, found)
    given = _entries(document, _ADDRESSES, found)
    excluded = _entries(document, _EXCLUDED, found)
    gateway = _gateway(document, found)
    if not document.spec["addresses"]:
        hint = "list what the pool gives out"
        found.append(
            error("field-required", document.at(*_ADDRESSES), "addresses is required", hint)
        )
    subnet = None if has_error(found) else _subnet(document, given, excluded, gateway, found)
    if subnet is None or has_error(found):
        return None, found
    kept = _kept(document, subnet, excluded, gateway)
    usable = IPSet.of(given) - kept
    if not usable:
        message = "no address is left to give out: everything is excluded or reserved"
        hint = "exclude less, or add addresses"
        found.append(warning("pool-empty", document.at(*_ADDRESSES), message, hint))
    pool = Pool(
        key=pool_key(document.kind.name, document.namespace, document.name),
        usable=usable,
        windows=tuple(IPSet.of(given)),
        reserved=kept,
        placement=Placement.LOWEST,
        thresholds=thresholds,
        gate=gate,
        space=space,
        extent=IPSet.of(given),
        source=document.at(*_ADDRESSES),
        is_paused=PAUSED in document.annotations(),
        retention=document.spec.get("addressReuseGracePeriodSeconds", 0),
        kept=tuple((item, "") for item in (*excluded, *([gateway] if gateway else []))),
    )
    return pool, found


def read_gateway(document: Document) -> IPRange | None:
    """Return the gateway address of a valid pool."""
    return _gateway(document, [])


def _entries(document: Document, steps: Steps, found: list[Finding]) -> list[IPRange]:
    entries = []
    for index, text in enumerate(document.spec.get(str(steps[-1])) or ()):
        entry = _entry(document, (*steps, index), text, found)
        if entry is not None:
            entries.append(entry)
    return entries


def _entry(document: Document, steps: Steps, text: str, found: list[Finding]) -> IPRange | None:
    """Return an address, a CIDR, or a range; None if invalid."""
    if "-" not in text and "/" in text:
        item = read_cidr(document, steps, text, found)
    elif text.count("-") > 1:
        message = f"{steps[1]}[{steps[2]}]: provided address is not a valid IP, range, nor CIDR"
        found.append(error("address-invalid", document.at(*steps), message, _FORMS))
        return None
    else:
        item = _between(document, steps, text, found)
    if item is not None and steps[1] == _ADDRESSES[1] and (block := special_purpose(item)):
        message = f"{steps[1]}[{steps[2]}]: {format_short(item)} touches {block}"
        hint = "such addresses cannot be used on a network (RFC 6890)"
        found.append(error("special-purpose", document.at(*steps), message, hint))
        return None
    return item


def _between(document: Document, steps: Steps, text: str, found: list[Finding]) -> IPRange | None:
    """Return one address, or all addresses between two."""
    left, dash, right = text.partition("-")
    first = read_address(document, steps, left, found)
    last = read_address(document, steps, right, found) if dash else first
    if first is None or last is None:
        return None
    if first.version != last.version:
        message = f"{steps[1]}[{steps[2]}]: {left} and {right} differ in IP version"
        hint = "write both as IPv4 or both as IPv6"
        found.append(error("family-mismatch", document.at(*steps), message, hint))
        return None
    if first.first > last.last:
        message = f"{steps[1]}[{steps[2]}]: {left} is after {right}"
        found.append(error("range-reversed", document.at(*steps), message, "swap the two"))
        return None
    return IPRange(first.version, first.first, last.last)


def _gateway(document: Document, found: list[Finding]) -> IPRange | None:
    """Return the gateway address, which can be outside the subnet; None if absent or invalid."""
    text = document.spec.get(GATEWAY[1])
    if not text:
        return None
    return read_address(document, GATEWAY, text, found)


def _subnet(
    document: Document,
    given: list[IPRange],
    excluded: list[IPRange],
    gateway: IPRange | None,
    found: list[Finding],
) -> IPRange | None:
    """Return the network of the lowest address; add findings for addresses outside it."""
    version, prefix = given[0].version, document.spec["prefix"]
    others = [
        (_ADDRESSES, given, "provided addresses are of mixed IP families"),
        (_EXCLUDED, excluded, "addresses and excluded addresses are of mixed IP families"),
        (
            GATEWAY,
            [gateway] if gateway else [],
            "provided gateway and addresses are of mixed IP families",
        ),
    ]
    for steps, items, message in others:
        for index, item in enumerate(items):
            if item.version != version:
                place = document.at(*steps) if steps == GATEWAY else document.at(*steps, index)
                hint = f"write IPv{version}, or make a pool for each version"
                found.append(error("family-mismatch", place, f"{steps[1]}: {message}", hint))
    if prefix > BITS[version]:
        message = f"spec.prefix: provided prefix is not valid: {prefix} for IPv{version}"
        hint = f"write a number of 0 to {BITS[version]}"
        found.append(error("field-value", document.at(*_PREFIX), message, hint))
    if has_error(found):
        return None
    size = 1 << (BITS[version] - prefix)
    first = min(given).first & -size
    subnet = IPRange(version, first, first + size - 1)
    for index, item in enumerate(given):
        if not subnet.covers(item):
            message = (
                f"addresses[{index}]: provided address belongs to a different subnet than others:"
                f" {format_short(item)} is not within {format_short(subnet)}"
            )
            hint = "correct spec.prefix, or make a pool for each subnet"
            found.append(
                error("range-outside-pool", document.at(*_ADDRESSES, index), message, hint)
            )
    return subnet


def _kept(
    document: Document, subnet: IPRange, excluded: list[IPRange], gateway: IPRange | None
) -> IPSet:
    """Return the addresses that are never allocated. IPv6 has no broadcast address to exclude.

    Source: docs/reference/cluster-api.md.
    """
    kept = [*excluded, *([gateway] if gateway else [])]
    if not document.spec.get("allocateReservedIPAddresses", False):
        version = subnet.version
        kept.append(IPRange(version, subnet.first, subnet.first))
        kept += [IPRange(version, subnet.last, subnet.last)] if version == 4 else []
    return IPSet.of(kept)


_MORE = 8


def _widened(documents: Documents, pool: Pool, lacking: int) -> Iterator[Mend]:
    """Yield edits that add ranges of the subnet, directly after the last range first."""
    kind = next(item.id for item in KINDS if item.name == pool.key.kind)
    document = documents.find(GroupKind(*kind), pool.key.namespace, pool.key.name)
    if document is None or document.doubt:
        return
    version = next(iter(pool.extent)).version
    size = 1 << (BITS[version] - document.spec["prefix"])
    first = min(item.first for item in pool.extent) & -size
    subnet = IPSet((IPRange(version, first, first + size - 1),))
    ends = IPSet.of([IPRange(version, at, at) for at in (first, first + size - 1)])
    for free in reversed(tuple(subnet - pool.extent - pool.reserved - ends)):
        if free.size >= lacking:
            last = min(free.last, free.first + max(lacking, _MORE) - 1)
            block = format_range(IPRange(version, free.first, last))
            says = f"add {block} to the addresses of {pool.key.name}"
            yield Mend(says, document, (Edit(_ADDRESSES, block, is_item=True),))


MENDING = Mending(widened=_widened)
