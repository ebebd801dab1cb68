"""What manifests copied from a cluster hold already: `allocatedAddress` and `allocations`.

It is read with care: a status may say anything. What names an address is a fact; it is adopted as
it stands, or told where it cannot be (`novaedge.md` §0, §9 row 4).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.documents.document import Document, Documents
from reconciler.documents.places import Steps, dotted
from reconciler.families.novaedge.hosts import host_text, read_host
from reconciler.families.novaedge.kinds import VIP
from reconciler.families.novaedge.vips import Wish, read_vip
from reconciler.findings import Finding, error, shown

ALLOCATIONS = ("status", "allocations")
# NovaEdge's documents spell the second one in two ways.
FIELDS = ("allocatedAddress", "allocatedIPv6Address", "allocatedIpv6Address")
_EXAMPLE = "write it as 10.200.0.1/32, or remove it"


class Held(Struct, frozen=True):
    """An address that a pool's status says a ProxyVIP, or something else, has.

    Attributes:
        user: Who has it, as it is written.
        vip: The name of the ProxyVIP; empty when it is none.
    """

    item: IPRange
    user: str
    vip: str
    steps: Steps


def held_by_vip(document: Document, wish: Wish, found: list[Finding]) -> dict[int, IPRange]:
    """The addresses that a ProxyVIP's status says it has, by IP version."""
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


def held_in_pool(document: Document, found: list[Finding]) -> Iterator[Held]:
    """The addresses that a pool's status says are given out."""
    listed = _status(document).get("allocations")
    for index, value in enumerate(listed if isinstance(listed, list) else ()):
        entry: Mapping[str, Any] = value if isinstance(value, Mapping) else {"address": value}
        steps = (*ALLOCATIONS, index, "address")
        item = _host(document, steps, entry.get("address"), found)
        if item is not None:
            user = str(entry.get("vipRef") or "somebody")
            kind, _, name = user.rpartition("/")
            yield Held(item, user, name if kind in ("", "proxyvip") else "", steps)


def is_of_others(held: Held, pool: Document, documents: Documents) -> bool:
    """Whether no ProxyVIP of the pool in the repository stands for what its status lists."""
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


def _contradicted(document: Document, steps: Steps, item: IPRange, wish: Wish) -> Finding | None:
    """Why what the status says cannot be what the spec asks for."""
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
