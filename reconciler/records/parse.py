"""Reading of records."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import (
    IPRange,
    NotationError,
    format_short,
    literal_ranges,
    parse_address,
    parse_cidr,
)
from reconciler.documents import yaml
from reconciler.documents.findings import Finding, Location, error, shown, warning
from reconciler.documents.text import legible
from reconciler.documents.yaml import is_plain
from reconciler.documents.yaml import text as written
from reconciler.families import claim_of_copy, family_of, known_as
from reconciler.model.claim import Allocation, Owner, Phase
from reconciler.model.instant import parse_instant
from reconciler.model.key import LABEL as ONE_LABEL
from reconciler.model.key import MAX_LABEL, MAX_NAME, NAME, Key, is_label, is_name
from reconciler.model.objects import ALLOCATED_BY, ANNOUNCED, CLAIM, KIND, LABEL, RECORD_NAMESPACE
from reconciler.model.plan import Unreadable
from reconciler.records.emit import (
    HEAD,
    MAX_LISTED,
    Form,
    form_of,
    listed,
    reason_code,
    record_text,
)
from reconciler.records.layout import RecordPath, claim_of, place_of, roles_of

_HOLDING = ("addresses", "allocatedCount", "cidr", "endAddress", "startAddress")
_NO_NAME = "is no RFC 1123 name"
_EPOCH = "1970-01-01T00:00:00Z"
_KNOWN_PHASES = {phase.value: phase for phase in Phase}


class Recalled(Struct, frozen=True):
    """The content of a record file: an allocation or its readable part, with findings."""

    allocation: Allocation | None
    unreadable: Unreadable | None = None
    findings: tuple[Finding, ...] = ()


class _UnclearError(Exception):
    """The content of the record is ambiguous."""


def parse_record_lenient(folder: str, path: str, data: bytes) -> Recalled:
    """Return the allocation in a record of any form, or the readable part of it."""
    place = place_of(folder, path)
    start = Location(path, 1, 1)
    try:
        record = _Lenient(path, place, data)
        allocation = record.allocation()
    except _UnclearError as unclear:
        hint = f"restore it: git log -p -- {path}"
        named = [item for text in legible(data) for item in literal_ranges(text)]
        ranges = tuple(dict.fromkeys(named))
        found = error("record-unreadable", start, str(unclear), hint)
        return Recalled(None, Unreadable(path, place.claim, place.pool, ranges), (found,))
    if not record.annotation:
        return Recalled(allocation)
    message = f"differs from what was written for {allocation.claim.short}"
    hint = "revert the change; the next reconcile writes the record anew with the range it now says"
    return Recalled(allocation, None, (warning("record-edited", start, message, hint),))


class _Lenient:
    """The parts of one record, each read so that no address is lost."""

    def __init__(self, path: str, place: RecordPath, data: bytes) -> None:
        self.path, self.place = path, place
        reading = yaml.read(data)
        if reading.problems:
            problem = reading.problems[0]
            raise _UnclearError(f"record unreadable: {problem.message} (line {problem.line})")
        if len(reading.documents) != 1 or not isinstance(reading.documents[0].value, dict):
            raise _UnclearError("record unreadable: exactly one mapping required")
        self.body: dict[str, Any] = reading.documents[0].value
        if self.body.get("kind") != KIND:
            raise _UnclearError(f"record unreadable: kind {KIND} required")
        self.annotation = self._text("metadata", "annotations", CLAIM)

    def allocation(self) -> Allocation:
        annotated = claim_of(self.annotation)
        claim = annotated or self._unannotated()
        form = form_of(claim.family)
        owner, kind = self._owner(claim, form), self._type(claim, form)
        phase = self._phase()
        item = self._range() if phase in (Phase.ALLOCATED, Phase.RELEASED) else None
        name, namespace = self._name(claim), self._namespace()
        allocated_at = self._instant("status", "allocatedAt") or (
            self._instant("metadata", "creationTimestamp") or _EPOCH
        )
        since = allocated_at
        if phase is Phase.RELEASED:
            since = self._instant("status", "releasedAt")
            if not since:  # any other release time could free the addresses too early
                raise _UnclearError("record unreadable: status.releasedAt must be an instant (UTC)")
        elif item is None:
            # Instants are written without quotes, so other text must not be parsed as one.
            said = self._ready("lastTransitionTime")
            since = since if parse_instant(said) is None else said
        return Allocation(
            claim=claim,
            pool=self._pool(form, namespace, item),
            range=item,
            phase=phase,
            since=since,
            allocated_at=allocated_at if item else "",
            size=item.size if item else self._count(),
            pinned=isinstance(self.said("spec", "pinnedRange"), Mapping),
            type=kind,
            role=self._role(claim),
            owner=owner,
            name=name,
            namespace=namespace,
            reason=reason_code(self._ready("reason")) if item is None else "",
            message=self._ready("message") if item is None else "",
            path=self.path,
            pristine=False,
            adopted=annotated is None,
            announced=phase is Phase.RELEASED and bool(self.said("status", "announced")),
        )

    def _role(self, claim: Key) -> str:
        said, roles = self._text("metadata", "labels", f"{LABEL}allocation-role"), roles_of(claim)
        return said if said in roles else roles[0]

    def said(self, *steps: str) -> Any:
        value: Any = self.body
        for step in steps:
            value = value.get(step) if isinstance(value, Mapping) else None
        return value

    def _text(self, *steps: str) -> str:
        value = self.said(*steps)
        return value if isinstance(value, str) else ""

    def _instant(self, *steps: str) -> str:
        value = self._text(*steps)
        return value if parse_instant(value) is not None else ""

    def _phase(self) -> Phase:
        """Return the phase, which must match the range: a truncated file keeps its addresses."""
        phase = _KNOWN_PHASES.get(self._text("status", "phase"))
        status = self.said("status") or {}
        if phase is None:
            known = ", ".join(_KNOWN_PHASES)
            raise _UnclearError(f"record unreadable: status.phase must be one of {known}")
        holds = any(status.get(field) for field in _HOLDING)
        if holds and phase in (Phase.FAILED, Phase.PENDING):
            raise _UnclearError(f"phase {phase} holds nothing, but addresses are listed")
        return phase

    def _count(self) -> int:
        count = self.said("spec", "count")
        return count if type(count) is int and count >= 0 else 1

    def _ready(self, field: str) -> str:
        conditions = self.said("status", "conditions")
        for condition in conditions if isinstance(conditions, list) else ():
            if isinstance(condition, Mapping) and condition.get("type") == "Ready":
                value = condition.get(field)
                return value if isinstance(value, str) else ""
        return ""

    def _unannotated(self) -> Key:
        """Return the claim of a record without a valid annotation, from its text or its path."""
        claim, placed = claim_of_copy(self.body), self.place.claim
        if claim is not None and placed not in (None, claim):
            raise _UnclearError(f"record unreadable: its text is of {claim}, its path of {placed}")
        if claim is not None:
            return claim
        said = Key.parse(self.annotation)
        if said is not None and family_of(said.family) is None:
            raise _UnclearError(f"record unreadable: this program knows no family {said.family}")
        if self.place.claim is None:
            raise _UnclearError("record unreadable: neither its text nor its path names a claim")
        return self.place.claim

    def _owner(self, claim: Key, form: Form) -> Owner:
        field = form.record.owner
        namespace = self._text("spec", field, "namespace") or claim.namespace
        name = self._text("spec", field, "name") or claim.name
        if (namespace and not is_label(namespace)) or not is_name(name):
            said = shown(f"{namespace}/{name}")
            raise _UnclearError(f"record unreadable: spec.{field}: {said} {_NO_NAME}")
        said_by_claim = form.record.type_of(claim.slot) is not None
        if said_by_claim and (namespace, name) != (claim.namespace, claim.name):
            raise _UnclearError(
                f"record unreadable: spec.{field} names {namespace}/{name}, but it is of {claim}"
            )
        team = self._text("metadata", "labels", f"{LABEL}team")
        return Owner(namespace, name, team or claim.namespace)

    def _type(self, claim: Key, form: Form) -> str:
        said, told = self._text("spec", "type"), form.record.type_of(claim.slot)
        if told is None:
            told = said if said in form.record.types.values() else form.record.type
        if said not in ("", told):
            raise _UnclearError(
                f"record unreadable: spec.type: {told} required by {claim}, got {shown(said)}"
            )
        return told

    def _name(self, claim: Key) -> str:
        said = self._text("metadata", "name")
        if said and not is_name(said):
            raise _UnclearError(f"record unreadable: metadata.name: {shown(said)} {_NO_NAME}")
        return said or "-".join(part for part in (claim.namespace, claim.name) if part)

    def _namespace(self) -> str:
        said = self._text("metadata", "namespace")
        if said and not is_label(said):
            raise _UnclearError(f"record unreadable: metadata.namespace: {shown(said)} {_NO_NAME}")
        return said or RECORD_NAMESPACE

    def _pool(self, form: Form, namespace: str, item: IPRange | None) -> Key:
        kind, beside, name = (
            self._text("spec", "poolRef", field) for field in ("kind", "namespace", "name")
        )
        if self.place.pool is not None and form.may_mean(self.place.pool, kind, beside, name):
            return self.place.pool
        if not name:
            raise _UnclearError("record unreadable: spec.poolRef.name required")
        try:
            pool = form.pool(kind, beside, name, namespace)
        except ValueError:
            raise _UnclearError(f"record unreadable: {shown(kind)} is no kind of pool") from None
        if item is not None and not pool.is_sound:
            raise _UnclearError(f"record unreadable: {shown(pool.short)} can be no pool")
        return pool

    def _range(self) -> IPRange:
        """Return the range on which start and end, cidr, count, and addresses agree.

        Butler may write the block around a range as its `cidr` (5 addresses, a /29).
        """
        block = self._cidr()
        start, end = self._text("status", "startAddress"), self._text("status", "endAddress")
        found = self._between(start, end) if start or end else block
        if found is None:
            raise _UnclearError("record unreadable: status.startAddress and endAddress required")
        if block is not None and not block.covers(found):
            raise _UnclearError(f"cidr differs from {format_short(found)}")
        counted = self.said("status", "allocatedCount")
        if isinstance(counted, int) and counted != found.size:
            raise _UnclearError(
                f"allocatedCount {counted}, but {format_short(found)} holds {found.size}"
            )
        addresses = self.said("status", "addresses")
        if isinstance(addresses, list) and addresses:
            listed = {self._address(item) for item in addresses}
            if len(listed) != found.size or any(
                version != found.version or not found.first <= value <= found.last
                for version, value in listed
            ):
                raise _UnclearError(f"addresses differ from {format_short(found)}")
        return found

    def _cidr(self) -> IPRange | None:
        text = self._text("status", "cidr")
        if "-" in text:
            start, _, end = text.partition("-")
            return self._between(start, end)
        try:
            return parse_cidr(text) if text else None
        except NotationError as wrong:
            raise _UnclearError(f"status.cidr: {wrong}") from None

    def _between(self, start: str, end: str) -> IPRange:
        (version, first), (other, last) = self._address(start), self._address(end)
        if version != other or first > last:
            raise _UnclearError(f"{shown(start)} to {shown(end)} is no range")
        return IPRange(version, first, last)

    @staticmethod
    def _address(text: object) -> tuple[int, int]:
        try:
            return parse_address(text if isinstance(text, str) else str(text))
        except NotationError as wrong:
            raise _UnclearError(str(wrong)) from None


_INSTANT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
_LABEL = re.escape(LABEL)
# Earlier versions marked records whose release was blocked.
_HELD_OF = re.compile(rb"^    gitops-ipam\.dev/held-of: .*\n", re.MULTILINE)
_SLOT = "[a-z][-a-z0-9]*"
# Of the texts that begin with a letter, a YAML reader takes only these for another type.
_TEXT = r"(?!(?:y|yes|n|no|on|off|true|false|null)\n)"
_GROUPS = (
    "kind", "namespace", "name", "slot", "role", "type", "team", "own", "own_namespace", "count",
    "pin_end", "pin_start", "pool_group", "pool_kind", "pool", "pool_namespace", "owner_group",
    "owner", "owner_namespace", "addresses", "allocated_at", "announced", "cidr", "since", "live",
    "end", "start",
)  # fmt: skip


def parse_record(folder: str, path: str, data: bytes) -> Recalled:
    """Read a file of the records folder."""
    plain = _HELD_OF.sub(b"", data, count=1)
    allocation = canonical(folder, path, plain)
    if allocation is not None:
        return Recalled(allocation if plain == data else replace(allocation, pristine=False))
    found = parse_record_lenient(folder, path, plain)
    if found.allocation is None or found.allocation.adopted:
        return found
    if record_text(found.allocation).encode(errors="replace") != plain:
        return found
    return Recalled(replace(found.allocation, pristine=plain == data))


def canonical(folder: str, path: str, data: bytes) -> Allocation | None:
    """Return the allocation if the bytes are its canonical text, or None.

    Rare canonical texts also return None: records without a range, with quotes, or outside the
    folder of their pool.
    """
    try:
        text = data.decode("ascii")
        pattern, form = _pattern_of(text[len(HEAD) : text.find("/", len(HEAD))])
    except (UnicodeDecodeError, KeyError):
        return None
    found = pattern.fullmatch(text)
    place, _, file = path.rpartition("/")
    pool = _pool_of(folder, place)
    if found is None or pool is None:
        return None
    (
        kind, namespace, name, slot, role, type_, team, own, own_namespace, count,
        pin_end, pin_start, pool_group, pool_kind, pool_name, pool_namespace, owner_group,
        owner, owner_namespace, addresses, allocated_at, announced, cidr, since, live,
        end, start,
    ) = found.group(*_GROUPS)  # fmt: skip
    ends = _ends(start, end)
    if ends is None or pool.name != pool_name or pool.family != form.family.name:
        return None
    item, lines = ends
    prefix = item.prefix()
    told, roles, group = _of_slot(pool.family, kind, slot)
    whole = pool.kind, pool.namespace, known_as(pool.family, pool.kind).group
    claim_namespace = "" if namespace == "_" else namespace
    owner_namespace = owner_namespace or ""
    if (
        file != f"{name}.{slot}.yaml"
        or place[place.rfind("/") + 1 :] != namespace
        or count != str(item.size)
        or addresses != lines
        or cidr != (None if prefix is None else written(f"{start}/{prefix}"))
        or (pin_end and (pin_end, pin_start) != (end, start))
        or role not in roles
        or (told and (owner_namespace != claim_namespace or owner != name or type_ != told))
        or not (told or owner_namespace)
        or (form.names_owner_whole and owner_group != group)
        or (form.names_pool_whole and (pool_kind, pool_namespace or "", pool_group) != whole)
        or not is_plain(team)
        or not all(it >= "a" or is_plain(it) for it in (own, own_namespace, owner, pool_name))
        or not (owner_namespace >= "a" or is_plain(owner_namespace or "a"))
        or max(map(len, (namespace, name, slot, own_namespace, owner_namespace))) > MAX_LABEL
        or max(len(own), len(owner)) > MAX_NAME
        or (announced and live)
        or (not live and parse_instant(since) is None)
    ):
        return None
    claim = Key(pool.family, claim_namespace, name, slot, kind)
    return Allocation(
        claim=claim,
        pool=pool,
        range=item,
        phase=Phase.ALLOCATED if live else Phase.RELEASED,
        since=since,
        allocated_at=allocated_at,
        size=item.size,
        pinned=bool(pin_end),
        type=type_,
        role=role,
        owner=Owner(owner_namespace, owner, team),
        name=own,
        namespace=own_namespace,
        path=path,
        announced=bool(announced),
    )


@lru_cache(maxsize=4_096)
def _pool_of(folder: str, place: str) -> Key | None:
    return place_of(folder, f"{place}/x.x.yaml").pool


@lru_cache(maxsize=4_096)
def _of_slot(family: str, kind: str, slot: str) -> tuple[str | None, tuple[str, ...], str]:
    """Return the type and the roles of a slot's records, and the API group of the claimant."""
    roles = roles_of(Key(family, "", "", slot, kind))
    return form_of(family).record.type_of(slot), roles, known_as(family, kind).group


def _ends(start: str, end: str) -> tuple[IPRange, str | None] | None:
    """Return a range and the lines that list its addresses; None if the ends are not canonical."""
    head, _, first = start.rpartition(".")
    other, _, last = end.rpartition(".")
    try:
        if head and head == other:  # in one /24, as most ranges are
            low, high = int(first), int(last)
            if not 0 <= low <= high <= 255 or first != str(low) or last != str(high):
                return None
            base = _block(head)
            text = "".join([f"    - {head}.{item}\n" for item in range(low, high + 1)])
            return IPRange(4, base + low, base + high), text
        (version, low), (same, high) = parse_address(start), parse_address(end)
    except (NotationError, ValueError):
        return None
    if version != same or low > high or written(start) != start or written(end) != end:
        return None
    item = IPRange(version, low, high)
    return item, listed(*item) if item.size <= MAX_LISTED else None


@lru_cache(maxsize=4_096)
def _block(head: str) -> int:
    """Return the first address of `head`.0/24.

    Raises NotationError if the text is not canonical.
    """
    return parse_address(f"{head}.0")[1]


@cache
def _pattern_of(family: str) -> tuple[re.Pattern[str], Form]:
    """Return the pattern of a family's records, with one group for each of `_GROUPS`.

    Raises KeyError if the family is unknown.
    """
    form = form_of(family)
    field = form.record.owner
    place = f"    namespace: (?P<owner_namespace>{_TEXT}{ONE_LABEL})\n"
    owner = f"  {field}:\n    name: (?P=owner)\n{place}"
    if form.names_owner_whole:
        owner = f"  {field}:\n    apiGroup: (?P<owner_group>.+)\n    kind: (?P=kind)\n"
        owner += f"    name: (?P=owner)\n(?:{place})?"
    pool = "    name: (?P=pool)\n"
    if form.names_pool_whole:
        pool = f"    apiGroup: (?P<pool_group>.+)\n    kind: (?P<pool_kind>.+)\n{pool}"
        pool += f"(?:    namespace: (?P<pool_namespace>{_TEXT}{ONE_LABEL})\n)?"
    before, behind = (owner, "") if form.owner_is_first else ("", owner)
    pattern = rf"""{re.escape(HEAD)}{family}/(?P<kind>[A-Za-z]+)/(?P<namespace>_|{ONE_LABEL})/(?P<name>{NAME})/(?P<slot>{_SLOT})
  labels:
    {_LABEL}allocation-role: (?P<role>initial|growth)
    {_LABEL}allocation-type: (?P<type>{_TEXT}{_SLOT})
    {_LABEL}network-pool: (?P<pool>{_TEXT}{NAME})
    {_LABEL}team: (?P<team>.+)
    {_LABEL}tenant: (?P<owner>{_TEXT}{NAME})
  name: (?P<own>{_TEXT}{NAME})
  namespace: (?P<own_namespace>{_TEXT}{ONE_LABEL})
spec:
{before}  count: (?P<count>\d+)
(?:  pinnedRange:
    endAddress: (?P<pin_end>.+)
    startAddress: (?P<pin_start>.+)
)?  poolRef:
{pool}{behind}  type: (?P=type)
status:
(?:  addresses:
(?P<addresses>(?:    - .+
)+))?  allocatedAt: "(?P<allocated_at>{_INSTANT})"
  allocatedBy: {ALLOCATED_BY}
  allocatedCount: (?P=count)
(?P<announced>  announced: {ANNOUNCED}
)?(?:  cidr: (?P<cidr>.+)
)?  conditions:
    - lastTransitionTime: "(?P<since>{_INSTANT})"
      message: (?P=count) IPs (?:(?P<live>allocated) from (?P=pool)|of (?P=pool) released)
      reason: (?(live)Allocated|Released)
      status: "(?(live)True|False)"
      type: Ready
  endAddress: (?P<end>.+)
  phase: (?(live)Allocated|Released
  releasedAt: "(?P=since)")
  startAddress: (?P<start>.+)
"""
    missing = (name for name in _GROUPS if f"(?P<{name}>" not in pattern)
    pattern += "".join(f"(?P<{name}>(?!))?" for name in missing)
    return re.compile(pattern, re.ASCII), form
