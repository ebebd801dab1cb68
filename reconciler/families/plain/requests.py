"""Requests for addresses: the common fields of AddressClaims and of entries of ClusterTargets."""

from collections.abc import Container, Mapping, Sequence
from typing import Any

from msgspec import Struct

from reconciler.addresses import BITS, IPRange, IPSet, format_short
from reconciler.documents.document import Document, Documents
from reconciler.documents.findings import Finding, error, has_error, join_limited
from reconciler.documents.yaml import Steps, dotted
from reconciler.families.fields import refuse
from reconciler.families.interface import FamilyReading, Relocation
from reconciler.families.plain.kinds import CLAIM, FAMILIES, POOL, entry_of, family_name, pool_key
from reconciler.families.plain.pools import read_items, version_of
from reconciler.model.claim import Refusal
from reconciler.model.key import Key

SIZES = ("count", "prefixLength", "addresses")
WITHOUT_POOL = "family-without-pool"


class Request(Struct, frozen=True):
    """The requested size and pools. Exactly one of `count`, `prefix`, and `pins` is set.

    `versions` are empty if the pools (or pins) determine them.
    """

    document: Document
    steps: Steps
    names: tuple[str, ...]
    versions: tuple[int, ...]
    count: int
    prefix: int | None
    pins: tuple[IPRange, ...]

    def pinned(self, version: int) -> tuple[IPRange, ...]:
        """Return the pinned ranges of an IP version, in order of address."""
        return tuple(it for it in self.pins if it.version == version)


def read_request(
    document: Document, steps: Steps, body: Mapping[str, Any], found: list[Finding]
) -> Request:
    """Return the request at a place of a document; add findings for contradictions."""
    stated = [name for name in SIZES if name in body]
    if len(stated) != 1:
        message = f"{dotted(steps)} must have exactly one of {', '.join(SIZES)}"
        message += f", has {' and '.join(stated)}" if stated else ""
        code = "field-value" if stated else "field-required"
        hint = f"keep one of {' and '.join(stated)}" if stated else "write, for example, count: 1"
        place = (*steps, stated[1]) if stated else steps
        refuse(found, document, place, code, message, hint)
    versions = tuple(FAMILIES[name] for name in body.get("ipFamilies") or ())
    wrong: list[Finding] = []
    pins = read_items(document, (*steps, "addresses"), body.get("addresses") or (), wrong)
    found += wrong
    there = sorted({it.version for it in pins})
    if pins and not has_error(wrong) and versions and there != sorted(versions):
        message = f"{dotted((*steps, 'addresses'))} pins {_named(there)}, but ipFamilies are {_named(versions)}"
        hint = "pin addresses of exactly these IP families, or remove ipFamilies"
        refuse(found, document, (*steps, "addresses"), "family-mismatch", message, hint)
    prefix = body.get("prefixLength")
    if prefix is not None and versions and (lack := _prefix_lack(prefix, versions)):
        at = (*steps, "prefixLength")
        refuse(found, document, at, "field-value", f"{dotted(at)}: {lack[0]}", lack[1])
    return Request(
        document,
        steps,
        tuple(it["name"] for it in body.get("poolRefs") or ()),
        versions,
        body.get("count", 0),
        prefix,
        IPSet.of(pins).ranges,
    )


def _named(versions: Sequence[int]) -> str:
    return " and ".join(map(family_name, versions))


def _prefix_lack(prefix: int, versions: Sequence[int]) -> tuple[str, str] | None:
    if len(versions) > 1:
        message = f"one block has one IP family, not {_named(versions)}"
        return message, "set ipFamilies to [IPv4] or [IPv6], and add a second request for the other"
    if versions and prefix > BITS[versions[0]]:
        message = f"{prefix} is longer than {BITS[versions[0]]}, the length of {_named(versions)}"
        return message, "choose a shorter prefix length"
    return None


class Choice(Struct, frozen=True):
    """The pools of a request for one IP version. `wanted` also names pools of an unknown version."""

    version: int
    candidates: tuple[Key, ...]
    wanted: tuple[str, ...]
    refusal: Refusal | None
    doubt: str


class PoolChooser:
    """Chooses the pools of requests, by IP version."""

    def __init__(self, documents: Documents, reading: FamilyReading) -> None:
        self._documents = documents
        self._reading = reading
        self._versions: dict[str, int | None] = {}

    def choices(self, request: Request, held: Container[int]) -> list[Choice]:
        """Return the pools for each requested IP version. Versions in `held` have a record."""
        by_version: dict[int, list[Key]] = {}
        unknown: list[str] = []
        doubt = ""
        for at, name in enumerate(request.names):
            version = self._version(name)
            if version is not None:
                by_version.setdefault(version, []).append(pool_key(name))
                continue
            unknown.append(name)
            doubt = self._missing(request, at, name) or doubt
        pinned = tuple(sorted({it.version for it in request.pins}))
        versions = request.versions or pinned or tuple(by_version)
        if unknown and not (request.versions or pinned):
            versions += tuple(it for it in (4, 6) if it in held and it not in versions)
            versions = versions or (4,)
        lack = None
        if request.prefix is not None and not request.versions:
            lack = _prefix_lack(request.prefix, versions)
        refusal = lack and self.refused(request, "prefixLength", "field-value", *lack)
        found: list[Choice] = []
        for it in versions:
            keys, why = by_version.get(it, []), refusal
            if not keys and not unknown and refusal is None:
                message = f"no pool of poolRefs has {family_name(it)} addresses"
                hint = f"add an AddressPool of {family_name(it)} addresses, or remove the family"
                field = "ipFamilies" if request.versions else "poolRefs"
                why = self.refused(request, field, WITHOUT_POOL, message, hint)
            wanted = (*(key.name for key in keys), *unknown) or request.names
            pools = tuple(key for key in keys if key in self._reading.pools)
            found.append(Choice(it, pools, wanted, why, doubt))
        return found

    def _version(self, name: str) -> int | None:
        if name not in self._versions:
            document = self._documents.find(POOL, "", name)
            self._versions[name] = version_of(document) if document is not None else None
        return self._versions[name]

    def _missing(self, request: Request, at: int, name: str) -> str:
        key = pool_key(name)
        if path := self._documents.unread(POOL, "", name):
            self._reading.frozen[key] = path
            return path
        if self._documents.find(POOL, "", name) is None:
            message = f"{POOL.kind} {name} does not exist in this repository"
            steps = (*request.steps, "poolRefs", at, "name")
            hint = "correct the name, or add the pool"
            self._reading.report_missing(request.document, steps, key, message, hint)
        return ""

    def refused(self, request: Request, field: str, code: str, message: str, hint: str) -> Refusal:
        """Report an error about a field of a request; return the refusal of its claims."""
        steps = (*request.steps, field)
        message = f"{dotted(steps)}: {message}"
        self._reading.report(
            request.document, error(code, request.document.at(*steps), message, hint)
        )
        return Refusal(code, message, hint)


def size_of(prefix: int, version: int) -> int:
    """Return the number of addresses of a block."""
    return 1 << max(BITS[version] - prefix, 0)


def judge_pins(request: Request, found: list[Finding]) -> None:
    """Add a finding if an AddressClaim pins several ranges of an IP version."""
    for version in (4, 6):
        pins = request.pinned(version)
        if len(pins) > 1:
            steps = (*request.steps, "addresses")
            ranges = join_limited([format_short(it) for it in pins])
            message = f"{dotted(steps)} pins {len(pins)} ranges of {family_name(version)}: {ranges}"
            hint = "pin one contiguous range per IP family, and add an AddressClaim for each other"
            refuse(found, request.document, steps, "field-value", message, hint)


def relocate(claim: Key, pool: Key, document: Document, held: Key) -> Relocation:
    """Return the field that moves a claim to a pool: the reference to the pool that it holds."""
    steps: Steps = ("spec",)
    body: Mapping[str, Any] = document.spec
    if claim.kind != CLAIM.kind and (entry := entry_of(claim.slot)) is not None:
        for at, item in enumerate(document.spec.get("loadBalancers") or ()):
            if item["name"] == entry[0]:
                steps, body = ("spec", "loadBalancers", at), item
    names = [it["name"] for it in body.get("poolRefs") or ()]
    at = names.index(held.name) if held.name in names else 0
    return Relocation((*steps, "poolRefs", at, "name"), pool.name)
