"""ClusterTargets and the claims of their entries."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from functools import partial
from itertools import chain
from sys import maxsize
from typing import Any, NamedTuple

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import BITS, IPRange, IPSet, format_short
from reconciler.documents.document import Document, Documents
from reconciler.documents.findings import Finding, error, join_limited, shown, warning
from reconciler.documents.yaml import Steps, dotted
from reconciler.families.demand import DEMAND, ENTRIES, entries_of
from reconciler.families.fields import refuse
from reconciler.families.interface import CurrentRecords, EntryRenames, FamilyReading, Grower
from reconciler.families.plain.kinds import (
    LOADBALANCER,
    NAME,
    TARGET,
    entry_of,
    entry_slot,
    family_name,
    target_key,
)
from reconciler.families.plain.requests import (
    SIZES,
    Choice,
    PoolChooser,
    Request,
    read_request,
    size_of,
)
from reconciler.loadbalancers import controller
from reconciler.loadbalancers.interface import DEFAULT, NOT_ADVERTISED, Capability, Controller
from reconciler.model.claim import Allocation, Claim, Near, Owner, Refusal
from reconciler.model.key import Key

LISTED = ("spec", "loadBalancers")
RENAME = "rename-refused"


class Entry(Struct, frozen=True):
    """An entry of `spec.loadBalancers`. `aggregation` are announced prefix lengths by IP version.

    `names` are its name, and its former one if no entry has it now.
    """

    steps: Steps
    name: str
    names: tuple[str, ...]
    body: Mapping[str, Any]
    request: Request
    aggregation: Mapping[int, int]

    @property
    def is_default(self) -> bool:
        """Return whether all Services get addresses of it."""
        return (self.body.get("services") or {}).get("default") is True


def read_entries(document: Document, found: list[Finding]) -> list[Entry]:
    """Return the entries of a ClusterTarget; add findings for contradictions."""
    entries: list[Entry] = []
    names: dict[str, int] = {}
    balancer = controller_of(document)
    listed = document.spec.get("loadBalancers") or ()
    now = {body["name"] for body in listed}
    for at, body in enumerate(listed):
        steps, name, before = (*LISTED, at), body["name"], body.get("formerly")
        request = read_request(document, steps, body, found)
        if names.setdefault(name, at) != at:
            message = (
                f"{dotted(steps)}.name: {shown(name)} is also spec.loadBalancers[{names[name]}]"
            )
            hint = "give each entry a different name"
            refuse(found, document, (*steps, "name"), "field-value", message, hint)
            continue
        found += _contradictions(document, steps, body)
        found += _unsupported(document, steps, body, balancer)
        aggregation = balancer.aggregation(body.get("advertisement") or NOT_ADVERTISED)
        all_names = (name, before) if before is not None and before not in now else (name,)
        entries.append(Entry(steps, name, all_names, body, request, aggregation))
    return entries


def controller_of(document: Document) -> Controller:
    """Return the load-balancer controller of a ClusterTarget."""
    return controller((document.spec.get("controller") or {}).get("type", DEFAULT))


def _unsupported(
    document: Document, steps: Steps, body: Mapping[str, Any], balancer: Controller
) -> Iterator[Finding]:
    services, kind = body.get("services") or {}, (body.get("advertisement") or {}).get("type")
    needs = {
        Capability.NAMESPACES: ("services", "namespaces") if "namespaces" in services else (),
        Capability.SELECTORS: ("services", "selector") if "selector" in services else (),
        Capability.L2: ("advertisement", "type") if kind == "L2" else (),
        Capability.BGP: ("advertisement", "type") if kind == "BGP" else (),
    }
    for capability, field in needs.items():
        if field and capability not in balancer.capabilities:
            place = (*steps, *field)
            message = f"{dotted(place)} is not supported with {balancer.name}"
            hint = "remove the field; for an advertisement, set type: None"
            yield error("field-value", document.at(*place), message, hint)


def _wrong(document: Document, at: Steps, message: str, hint: str, *, key: bool = False) -> Finding:
    """Return the error about a field, at its value or at its key."""
    return error("field-value", document.at(*at, key=key), f"{dotted(at)}: {message}", hint)


def _contradictions(document: Document, steps: Steps, body: Mapping[str, Any]) -> Iterator[Finding]:
    services, at = body.get("services") or {}, (*steps, "services")
    if services.get("default") and len(services) > 1:
        message = "default: true already selects all Services"
        yield _wrong(document, at, message, "remove default: true, or the selection")
    if services and body.get("autoAssign"):
        at, message = (*steps, "autoAssign"), "services already selects Services"
        yield _wrong(document, at, message, "remove autoAssign, or services")
    for field in sorted({"addresses", "blocks", "cidrs"} & (body.get("poolSpec") or {}).keys()):
        at, message = (*steps, "poolSpec", field), "ipam writes the addresses of the entry"
        yield _wrong(document, at, message, f"remove {field}", key=True)
    for at in _fractions(body.get("poolSpec"), (*steps, "poolSpec")):
        yield _wrong(document, at, "not an integer", "write an integer, or quote the text")
    advertisement = body.get("advertisement") or {}
    for field, kind in (("l2", "L2"), ("bgp", "BGP")):
        if field in advertisement and advertisement.get("type") != kind:
            message = f"type is {advertisement.get('type')}"
            at, hint = (*steps, "advertisement", field), f"set type: {kind}, or remove {field}"
            yield _wrong(document, at, message, hint, key=True)
    growth, count = body.get("growth"), body.get("count")
    if growth is not None and count is not None and growth["max"] < count:
        message = f"{growth['max']} is less than count {count}"
        yield _wrong(document, (*steps, "growth", "max"), message, f"set max to {count} or more")


def _fractions(value: object, at: Steps) -> Iterator[Steps]:
    if isinstance(value, Decimal | float):
        yield at
    elif isinstance(value, Mapping | list):
        for key, item in value.items() if isinstance(value, Mapping) else enumerate(value):
            yield from _fractions(item, (*at, key))


Held = list[tuple[int, Allocation]]
"""Records of an entry for one IP version, each with its number, ascending."""


def held_entries(records: Iterable[Allocation]) -> dict[tuple[str, str], dict[int, Held]]:
    """Return the records of entries with addresses, by cluster and entry, then by IP version."""
    found: dict[tuple[str, str], dict[int, Held]] = {}
    for record in records:
        key = record.claim
        if key.kind == TARGET.kind and record.range is not None and (slot := entry_of(key.slot)):
            entry, version, number = slot
            versions = found.setdefault((key.name, entry), {})
            versions.setdefault(version, []).append((number, record))
    for versions in found.values():
        for mine in versions.values():
            mine.sort(key=lambda it: it[0])
    return found


class TargetReader:
    """Reads the claims of ClusterTargets."""

    def __init__(
        self,
        documents: Documents,
        held: CurrentRecords,
        chooser: PoolChooser,
        reading: FamilyReading,
    ) -> None:
        self._documents = documents
        self._held = held_entries(held.values())
        self._chooser = chooser
        self._reading = reading
        # Also of removed ClusterTargets: nothing has confirmed that they withdrew their ranges.
        reading.announcing.update((NAME, TARGET.kind, "", cluster) for cluster, _ in self._held)

    def read(self, document: Document) -> None:
        """Add the claims of a ClusterTarget."""
        owner = (NAME, TARGET.kind, "", document.name)
        demand = self._documents.find(DEMAND.id, "", document.name)
        unread = self._documents.unread(DEMAND.id, "", document.name)
        if unread:
            self._reading.protected.add(owner)
        defaults: dict[int, str] = {}
        entries = [*read_entries(document, [])]
        present = {name for entry in entries for name in entry.names}
        objects = {
            record.object: f"{name}, which is removed,"
            for (cluster, name), versions in self._held.items()
            if cluster == document.name and name not in present
            for _, record in chain.from_iterable(versions.values())
            if record.is_live or record.announced
        }
        for entry in entries:
            held = self._held.get((document.name, entry.name), {})
            object_ = object_name(entry, held)
            if (other := objects.setdefault(object_, entry.name)) != entry.name:
                message = f"entry {other} also has object {object_}"
                self._refuse(entry, "objectName", message, "set another objectName")
            choices = self._chooser.choices(entry.request, held)
            both = Capability.BOTH_FAMILIES in controller_of(document).capabilities
            if len(choices) > 1 and not both:
                message = "the controller supports one IP family per pool"
                self._refuse(entry, "poolRefs", message, "add one entry for each family")
            for choice in choices if entry.is_default else ():
                if (other := defaults.setdefault(choice.version, entry.name)) != entry.name:
                    family = family_name(choice.version)
                    message = f"entry {other} is already the default for {family}"
                    self._refuse(entry, "services", message)
            if "growth" in entry.body:
                more = (it for mine in held.values() for number, it in mine if number > 1)
                self._reading.elastic.update(it.claim for it in more)
            first = recorded_name(entry, held)
            made = [
                _Ranges(entry, choice, held.get(choice.version, []), demand, first)
                for choice in choices
            ]
            self._add(document, made, unread)

    def _refuse(
        self, entry: Entry, field: str, message: str, hint: str = "change one of the two"
    ) -> None:
        document = entry.request.document
        self._reading.report(document, _wrong(document, (*entry.steps, field), message, hint))

    def _add(self, document: Document, made: Sequence["_Ranges"], doubt: str) -> None:
        claims = [[*it.claims(self._chooser)] for it in made]
        fresh = [next((it for it in mine if it.is_open), None) for mine in claims]
        for at, ranges in enumerate(made):
            other = next((it for it in (*fresh[:at], *fresh[at + 1 :]) if it is not None), None)
            for claim in claims[at]:
                key = other.key if other is not None and claim is fresh[at] else None
                whole = replace(claim, doubt=claim.doubt or doubt, requires=key)
                self._reading.claims[claim.key] = whole
            self._reading.report(document, *ranges.findings)


def growers_of(document: Document, entry: Entry, chooser: PoolChooser) -> Iterator[Grower]:
    """Yield the growing parts of an entry, one for each IP version."""
    for choice in chooser.choices(entry.request, ()):
        ranges = _Ranges(entry, choice, [], None, object_name(entry, {}))
        yield Grower(
            owner=(NAME, TARGET.kind, "", document.name),
            cluster=document.name,
            increment=entry.body["growth"].get("increment", 1),
            claim=partial(ranges.grown, chooser=chooser),
            slots=tuple(entry_slot(it, choice.version) for it in entry.names),
            version=choice.version,
            most=entry.body["growth"]["max"],
            object=entry.body.get("objectName", ""),
        )


def object_name(entry: Entry, held: Mapping[int, Held]) -> str:
    """Return the object name of an entry: `objectName`, the first recorded name, or its own name."""
    return str(entry.body.get("objectName") or recorded_name(entry, held))


def recorded_name(entry: Entry, held: Mapping[int, Held]) -> str:
    """Return the first name of an entry's object, which its records keep if another is stated."""
    records = [record for found in held.values() for _, record in found if record.object]
    records.sort(key=lambda it: not it.is_live)
    return records[0].object if records else str(entry.body.get("objectName", entry.name))


class _Ranges:
    """The ranges of an entry for one IP version."""

    def __init__(
        self, entry: Entry, choice: Choice, held: Held, demand: Document | None, object_: str
    ) -> None:
        self._entry = entry
        self._choice = choice
        self._document = entry.request.document
        self._demand = demand
        self._object = object_
        family = family_name(choice.version)
        listed = entries_of(demand) if demand is not None else ()
        self._grown = {
            it.index: (at, it)
            for at, it in enumerate(listed)
            if it.name in entry.names and it.ip_family == family
        }
        self._held = held
        self._own = [it for it in held if it[0] not in self._grown]
        self._next = max([1, *(number for number, _ in held), *self._grown]) + 1
        self.findings: list[Finding] = []

    def claims(self, chooser: PoolChooser) -> Iterator[Claim]:
        """Yield the claims; one without a range that is not pinned is open."""
        request, version = self._entry.request, self._choice.version
        if request.pins:
            yield from self._pinned(request.pinned(version), chooser)
        elif request.prefix is not None:
            size = size_of(request.prefix, version)
            yield self._claim(1, size, chooser, prefix=request.prefix, fixed=True)
        else:
            yield from self._counted(request.count, chooser)
        for number, (at, item) in self._grown.items():
            there = any(number == it for it, _ in self._held)
            if self._demand and (there or "growth" in self._entry.body):
                claim, place = (
                    self.grown(number, item.count, chooser),
                    self._demand.at(*ENTRIES, at),
                )
                yield replace(claim, source=place, doubt=claim.doubt or self._demand.doubt)

    def grown(self, number: int, size: int, chooser: PoolChooser) -> Claim:
        """Return the claim of growth with a number."""
        return replace(self._claim(number, size, chooser), is_open=False)

    def _pinned(self, pins: Iterable[IPRange], chooser: PoolChooser) -> Iterator[Claim]:
        """Yield existing ranges as far as they are pinned, and claims for the rest.

        A range shrinks only at its ends: it keeps addresses between two pins.
        """
        wanted = rest = IPSet.of(pins)
        numbers = {record.range: number for number, record in self._own}
        found: list[tuple[int, IPRange]] = []
        for number, record in self._own:
            held = IPSet((record.range,)) if record.is_live and record.range else IPSet()
            if kept := (wanted & held).ranges:
                pin = IPRange(self._choice.version, kept[0].first, kept[-1].last)
                found.append((number, pin))
                rest -= IPSet((pin,))
                if len(kept) > 1:
                    self._smaller("addresses", sum(it.size for it in kept), [pin])
        is_first_free = not any(number == 1 for number, _ in self._held)
        for pin in rest:
            number = numbers.get(pin, 1 if is_first_free else 0)
            is_first_free &= number != 1
            found.append((number or self._new_number(), pin))
        for number, pin in found:
            yield self._claim(number, pin.size, chooser, pin=pin, fixed=True)

    def _new_number(self) -> int:
        self._next += 1
        return self._next - 1

    def _counted(self, count: int, chooser: PoolChooser) -> Iterator[Claim]:
        """Yield existing ranges up to the requested size, and one claim for the rest."""
        kept = [it for it in self._own if it[1].is_live]
        total = sum(record.size for _, record in kept)
        for number, record in reversed(kept[1:]):
            if record.size > total - count:
                break
            kept = [it for it in kept if it[0] != number]
            total -= record.size
        if total > count:
            self._smaller("count", count, [it.range for _, it in kept if it.range])
        sizes = {number: record.size for number, record in self._held}
        grown = sum(sizes.get(number, it.count) for number, (_, it) in self._grown.items())
        count = min(count, self._entry.body.get("growth", {}).get("max", maxsize) - grown)
        for number, record in self._own:
            if not record.is_live and record.size <= count - total:
                kept.append((number, record))
                total += record.size
        for number, record in kept:
            yield self._claim(number, record.size, chooser, held=record.range)
        if total < count:
            number = 1 if not any(it == 1 for it, _ in self._held) else self._new_number()
            last = kept[-1][1] if kept else None
            near = Near(last.pool, last.range, total) if last and last.range else None
            claim = self._claim(number, count - total, chooser)
            yield replace(claim, adjacent_to=None if claim.prefix is not None else near)

    def _smaller(self, field: str, count: int, kept: Sequence[IPRange]) -> None:
        steps, total = (*self._entry.steps, field), sum(it.size for it in kept)
        ranges = join_limited([format_short(it) for it in kept])
        message = f"entry {self._entry.name} asks for {count} but keeps {total} addresses: {ranges}"
        hint = f"set count to {total}; ipam releases only whole ranges, the newest first"
        if field == "addresses":
            hint = f"pin {ranges}; a range shrinks only at its ends"
        self.findings.append(warning("size-smaller", self._document.at(*steps), message, hint))

    def _claim(self, number: int, size: int, chooser: PoolChooser, **more: Any) -> Claim:
        choice, document = self._choice, self._document
        slot = entry_slot(self._entry.name, choice.version, number)
        there = any(number == it and record.is_live for it, record in self._held)
        prefix, refusal = more.pop("prefix", None), choice.refusal
        pin, held = more.pop("pin", None), more.pop("held", None)
        if refusal is None:
            prefix, refusal = self._aligned(prefix, size, pin or held, chooser)
        return Claim(
            key=target_key(document.name, slot),
            candidates=choice.candidates,
            wanted=choice.wanted,
            size=size,
            pin=pin,
            fixed=more.pop("fixed", False),
            owner=Owner("", document.name, (document.spec.get("teamRef") or {}).get("name", "")),
            type=LOADBALANCER,
            role="initial",
            name=f"{document.name}.{slot}",
            namespace="",
            source=document.at(*self._entry.steps),
            doubt=document.doubt or choice.doubt,
            version=choice.version,
            refusal=refusal,
            is_open=not there,
            prefix=prefix if pin is None else None,
            object=self._object,
        )

    def _aligned(
        self, prefix: int | None, size: int, item: IPRange | None, chooser: PoolChooser
    ) -> tuple[int | None, Refusal | None]:
        """Return the prefix length of the block for a claim, or why its range `item` or size is none.

        An announced aggregate must not contain addresses of another claim. Ranges that the entry has
        left are also announced.
        """
        bits = BITS[self._choice.version]
        most = self._entry.aggregation.get(self._choice.version, bits)
        if most == bits:
            return prefix, None
        block, own = 1 << (bits - most), (item,) if item is not None else ()
        left = (it.range for _, it in self._held if it.range and (it.is_live or it.announced))
        ranges = [*own, *(IPSet.of(left) - IPSet.of(own))]
        found = bits - size.bit_length() + 1 if item is None else item.prefix()
        what = next((format_short(it) for it in ranges if it.first % block or it.size % block), "")
        if not what and item is None and (size & (size - 1) or size < block):
            what = f"{size} addresses"
        if not what:
            return found, None
        message = f"{what} announced in aggregates of /{most} would include other addresses"
        hint = f"ask for prefixLength: {most} or less, or pin whole blocks of this length"
        request = self._entry.request
        field = next(it for it in SIZES if it in self._entry.body)
        return prefix, chooser.refused(request, field, "aggregate-too-wide", message, hint)


class _Rename(NamedTuple):
    """An entry with a former name that no entry of its cluster has now."""

    document: Document
    steps: Steps
    now: str
    before: str

    def refused(self, message: str) -> Finding:
        """Return the error that the entry cannot take over from its former name."""
        hint = "keep formerly only on the entry that keeps the addresses"
        place = self.document.at(*self.steps)
        return error(RENAME, place, f"{dotted(self.steps)}: {message}", hint)


def _renames(documents: Documents, found: list[Finding]) -> Iterator[_Rename]:
    """Yield renames; add warnings for former names that entries still have."""
    for document in documents.of(TARGET):
        listed = document.spec.get("loadBalancers") or ()
        names = {body["name"] for body in listed}
        for at, body in enumerate(listed):
            before, steps = body.get("formerly"), (*LISTED, at, "formerly")
            if before in names and before != body["name"]:
                message = f"{dotted(steps)}: entry {before} still exists, so nothing is renamed"
                hint = f"remove entry {before} in the same change, or remove formerly"
                found.append(warning("rename-unused", document.at(*steps), message, hint))
            elif before not in (None, body["name"]):
                yield _Rename(document, steps, body["name"], before)


def renamed_entries(documents: Documents, claims: Iterable[Key]) -> EntryRenames:
    """Return the new keys of claims whose entries declare a former name."""
    found: list[Finding] = []
    every = [*_renames(documents, found)]
    renames = {(it.document.name, it.before): it for it in every}
    if not renames:
        return EntryRenames(findings=tuple(found))
    slots = ((key, entry_of(key.slot)) for key in claims if key.kind == TARGET.kind)
    known = [(key, slot) for key, slot in slots if slot is not None]
    there = {(key.name, slot[0]) for key, slot in known}
    for it in every:
        name = (it.document.name, it.before)
        if name not in renames or name not in there:
            continue
        if (other := renames[name]) is not it:
            found.append(it.refused(f"entry {other.now} also has the previous name {it.before}"))
        if (it.document.name, it.now) in there:
            del renames[name]
            found.append(it.refused(f"entry {it.now} already has addresses"))
    keys = {
        key: target_key(key.name, entry_slot(rename.now, *slot[1:]))
        for key, slot in known
        if (rename := renames.get((key.name, slot[0]))) is not None
    }
    return EntryRenames(keys, tuple(found))
