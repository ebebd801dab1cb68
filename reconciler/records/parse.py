"""Reading of records."""

import re
from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from sys import intern
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
from reconciler.documents.document import text_at, value_at
from reconciler.documents.findings import Finding, Location, error, shown, warning
from reconciler.documents.text import legible
from reconciler.families import claim_of_copy, family_of
from reconciler.model.claim import Allocation, Owner, Phase
from reconciler.model.instant import parse_instant
from reconciler.model.key import Key, is_label, is_name
from reconciler.model.objects import CLAIM, KIND, LABEL, PREFIX, RECORD_NAMESPACE
from reconciler.model.plan import Unreadable
from reconciler.records.emit import HEAD, OWN_HEAD, Form, form_of, reason_code, record_text
from reconciler.records.layout import RecordPath, claim_of, path_of, place_of, roles_of

_HOLDING = ("addresses", "allocatedCount", "cidr", "endAddress", "startAddress")
_NO_NAME = "is not a valid RFC 1123 name"
_EPOCH = "1970-01-01T00:00:00Z"
_KNOWN_PHASES = {phase.value: phase for phase in Phase}


class Recalled(Struct, frozen=True, gc=False):
    """The content of a record file: an allocation or its readable part, with findings."""

    allocation: Allocation | None
    unreadable: Unreadable | None = None
    findings: tuple[Finding, ...] = ()


class _UnclearError(Exception):
    """The content of the record is ambiguous."""


class _UnreadableError(_UnclearError):
    def __str__(self) -> str:
        return f"cannot read this record: {super().__str__()}"


def parse_record_lenient(folder: str, path: str, data: bytes) -> Recalled:
    """Return the allocation in a record of any form, or the readable part of it."""
    place = place_of(folder, path)
    start = Location(path, 1, 1)
    try:
        record = _Lenient(path, place, data)
        allocation = record.allocation()
    except _UnclearError as unclear:
        hint = f"restore the record: git checkout COMMIT -- {path}; to find COMMIT: git log -p -- {path}"
        named = [item for text in legible(data) for item in literal_ranges(text)]
        ranges = tuple(dict.fromkeys(named))
        found = error("record-unreadable", start, str(unclear), hint)
        return Recalled(None, Unreadable(path, place.claim, place.pool, ranges), (found,))
    if not record.annotation:
        return Recalled(allocation)
    message = f"record of {allocation.claim.short} was edited by hand; ipam reconcile will rewrite it with the edited range"
    found = warning("record-edited", start, message, "revert the edit")
    return Recalled(allocation, None, (found,))


class _Lenient:
    def __init__(self, path: str, place: RecordPath, data: bytes) -> None:
        self.path, self.place = path, place
        reading = yaml.read(data)
        if reading.problems:
            problem = reading.problems[0]
            raise _UnreadableError(f"{problem.message} (line {problem.line})")
        if len(reading.documents) != 1 or not isinstance(reading.documents[0].value, dict):
            raise _UnreadableError("the file must contain exactly one mapping")
        self.body: dict[str, Any] = reading.documents[0].value
        if self.body.get("kind") != KIND:
            raise _UnreadableError(f"kind must be {KIND}")
        self._said, self._text = partial(value_at, self.body), partial(text_at, self.body)
        self.annotation = self._text("metadata", "annotations", CLAIM)

    def allocation(self) -> Allocation:
        annotated = claim_of(self.annotation)
        claim = annotated or self._unannotated()
        form = form_of(claim.family)
        is_own = form.record.labels is not None
        self.labels = PREFIX if is_own else LABEL
        owner, kind = self._owner(claim, form), self._type(claim, form)
        said_role, roles = self._label("allocation-role"), roles_of(claim)
        phase = self._phase()
        item = self._range() if phase in (Phase.ALLOCATED, Phase.RELEASED) else None
        name = self._sound("name", is_name) or "-".join(filter(None, (claim.namespace, claim.name)))
        namespace = self._sound("namespace", is_label) or ("" if is_own else RECORD_NAMESPACE)
        created = self._instant("metadata", "creationTimestamp") or _EPOCH
        since = allocated_at = self._instant("status", "allocatedAt") or created
        if phase is Phase.RELEASED:
            since = self._instant("status", "releasedAt")
            if not since:  # any other release time could free the addresses too early
                raise _UnreadableError("status.releasedAt must be an RFC 3339 time in UTC")
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
            pinned=isinstance(self._said("spec", "pinnedRange"), Mapping),
            type=kind,
            role=said_role if said_role in roles else roles[0],
            owner=owner,
            name=name,
            namespace=namespace,
            reason=reason_code(self._ready("reason")) if item is None else "",
            message=self._ready("message") if item is None else "",
            path=self.path,
            pristine=False,
            adopted=annotated is None,
            announced=phase is Phase.RELEASED and bool(self._said("status", "announced")),
            prefix=self._prefix(item) if is_own else None,
            object=self._label("load-balancer") if is_own else "",
        )

    def _label(self, name: str) -> str:
        return self._text("metadata", "labels", f"{self.labels}{name}")

    def _instant(self, *steps: str) -> str:
        value = self._text(*steps)
        return value if parse_instant(value) is not None else ""

    def _phase(self) -> Phase:
        """Return the phase, which must match the range: a truncated file keeps its addresses."""
        phase = _KNOWN_PHASES.get(self._text("status", "phase"))
        status = self._said("status") or {}
        if phase is None:
            known = ", ".join(_KNOWN_PHASES)
            raise _UnreadableError(f"status.phase must be one of {known}")
        holds = any(status.get(field) for field in _HOLDING)
        if holds and phase in (Phase.FAILED, Phase.PENDING):
            raise _UnclearError(f"status.phase is {phase}, but addresses are listed")
        return phase

    def _count(self) -> int:
        count = self._said("spec", "count")
        return count if type(count) is int and count >= 0 else 1

    def _ready(self, field: str) -> str:
        conditions = self._said("status", "conditions")
        for condition in conditions if isinstance(conditions, list) else ():
            if isinstance(condition, Mapping) and condition.get("type") == "Ready":
                value = condition.get(field)
                return value if isinstance(value, str) else ""
        return ""

    def _unannotated(self) -> Key:
        claim, placed = claim_of_copy(self.body), self.place.claim
        if claim is not None and placed not in (None, claim):
            raise _UnreadableError(f"the content is for {claim}, but the path is for {placed}")
        said = Key.parse(self.annotation)
        if claim is None and said is not None and family_of(said.family) is None:
            raise _UnreadableError(f"family {said.family} is unknown to this version of ipam")
        if (found := claim or placed) is None:
            raise _UnreadableError("neither the content nor the path names a claim")
        return found

    def _owner(self, claim: Key, form: Form) -> Owner:
        field = form.record.owner
        namespace = self._text("spec", field, "namespace") or claim.namespace
        name = self._text("spec", field, "name") or claim.name
        if (namespace and not is_label(namespace)) or not is_name(name):
            said = shown(f"{namespace}/{name}")
            raise _UnreadableError(f"spec.{field} is {said}, which {_NO_NAME}")
        said_by_claim = form.record.type_of(claim.slot) is not None
        if said_by_claim and (namespace, name) != (claim.namespace, claim.name):
            raise _UnreadableError(f"spec.{field} is {namespace}/{name}, expected {claim}")
        default = claim.namespace if form.record.labels is None else ""
        return Owner(namespace, name, self._label("team") or default)

    def _prefix(self, item: IPRange | None) -> int | None:
        said = self._said("spec", "prefixLength")
        return said if item is not None and type(said) is int and said == item.prefix() else None

    def _type(self, claim: Key, form: Form) -> str:
        said, expected = self._text("spec", "type"), form.record.type_of(claim.slot)
        if expected is None:
            expected = said if said in form.record.types.values() else form.record.type
        if said not in ("", expected):
            raise _UnreadableError(f"spec.type is {shown(said)}, expected {expected} for {claim}")
        return expected

    def _sound(self, field: str, is_sound: Callable[[str], bool]) -> str:
        said = self._text("metadata", field)
        if said and not is_sound(said):
            raise _UnreadableError(f"metadata.{field} is {shown(said)}, which {_NO_NAME}")
        return said

    def _pool(self, form: Form, namespace: str, item: IPRange | None) -> Key:
        kind, beside, name = (
            self._text("spec", "poolRef", field) for field in ("kind", "namespace", "name")
        )
        if self.place.pool is not None and form.may_mean(self.place.pool, kind, beside, name):
            return self.place.pool
        if not name:
            raise _UnreadableError("spec.poolRef.name is missing")
        try:
            pool = form.pool(kind, beside, name, namespace)
        except ValueError:
            raise _UnreadableError(f"{shown(kind)} is not a kind of pool") from None
        if item is not None and not pool.is_sound:
            raise _UnreadableError(f"{shown(pool.short)} is not a valid pool name")
        return pool

    def _range(self) -> IPRange:
        """Return the range on which all fields agree. Butler's `cidr` may be a larger block."""
        block = self._cidr()
        start, end = self._text("status", "startAddress"), self._text("status", "endAddress")
        found = self._between(start, end) if start or end else block
        if found is None:
            raise _UnreadableError("status.startAddress or status.endAddress is missing")
        if block is not None and not block.covers(found):
            raise _UnclearError(f"status.cidr differs from {format_short(found)}")
        counted = self._said("status", "allocatedCount")
        if isinstance(counted, int) and counted != found.size:
            raise _UnclearError(f"allocatedCount is {counted}, expected {found.size}")
        addresses = self._said("status", "addresses")
        if isinstance(addresses, list) and addresses:
            listed = {self._address(item) for item in addresses}
            if len(listed) != found.size or any(
                version != found.version or not found.first <= value <= found.last
                for version, value in listed
            ):
                raise _UnclearError(f"status.addresses differ from {format_short(found)}")
        return found

    def _cidr(self) -> IPRange | None:
        text = self._text("status", "cidr")
        start, dash, end = text.partition("-")
        if dash:
            return self._between(start, end)
        try:
            return parse_cidr(text) if text else None
        except NotationError as wrong:
            raise _UnclearError(f"status.cidr: {wrong}") from None

    def _between(self, start: str, end: str) -> IPRange:
        (version, first), (other, last) = self._address(start), self._address(end)
        if version != other or first > last:
            raise _UnclearError(f"{shown(start)} to {shown(end)} is not a range")
        return IPRange(version, first, last)

    @staticmethod
    def _address(text: object) -> tuple[int, int]:
        try:
            return parse_address(str(text))
        except NotationError as wrong:
            raise _UnclearError(str(wrong)) from None


_LABEL = re.escape(LABEL)
_INSTANT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
_STATUS = rf"""status:
(?:  addresses:
(?:    - .+
)+)?  allocatedAt: "(?P<allocated_at>{_INSTANT})"
(?:  allocatedBy: .+
)?  allocatedCount: .+
(?P<announced>  announced: .+
)?(?:  cidr: .+
)?(?:  conditions:
    - lastTransitionTime: "(?P<since>{_INSTANT})"
      message: .+
      reason: .+
      status: .+
      type: Ready
)?  endAddress: (?P<end>.+)
  phase: (?P<phase>Allocated|Released)
(?:  releasedAt: "(?P<released>{_INSTANT})"
)?  startAddress: (?P<start>.+)
"""
# Finds the values of a canonical text. Writing them again shows whether the text is canonical.
_CANONICAL = re.compile(
    rf"""{re.escape(HEAD)}(?P<claim>.+)
  labels:
    {_LABEL}allocation-role: (?P<role>.+)
    {_LABEL}allocation-type: (?P<type>.+)
    {_LABEL}network-pool: (?P<pool>.+)
    {_LABEL}team: (?P<team>.+)
    {_LABEL}tenant: (?P<owner>.+)
  name: (?P<name>.+)
  namespace: (?P<namespace>.+)
spec:
(?P<spec>(?:  .+
)+){_STATUS}""",
    re.ASCII,
)
_OWN = re.escape(PREFIX)
_OWN_CANONICAL = re.compile(
    rf"""{re.escape(OWN_HEAD)}(?P<claim>.+)
  labels:
(?:    {_OWN}cluster: .+
)?    {_OWN}ip-family: .+
(?:    {_OWN}load-balancer: (?P<object>.+)
)?    {_OWN}pool: .+
(?:    {_OWN}team: (?P<team>.+)
)?  name: (?P<name>.+)
(?:  namespace: (?P<namespace>.+)
)?spec:
(?:(?:  |    )(?!prefixLength).+
)+(?:  prefixLength: (?P<prefix>[0-9]{{1,3}})
)?{_STATUS}""",
    re.ASCII,
)


def parse_record(folder: str, path: str, data: bytes) -> Recalled:
    """Read a file of the records folder."""
    if (allocation := canonical(folder, path, data)) is not None:
        return Recalled(allocation)
    found = parse_record_lenient(folder, path, data)
    if found.allocation is None or found.allocation.adopted:
        return found
    if record_text(found.allocation).encode(errors="replace") != data:
        return found
    return Recalled(replace(found.allocation, pristine=True))


def canonical(folder: str, path: str, data: bytes) -> Allocation | None:
    """Return the allocation if the bytes are its canonical text, or None (also for rare ones)."""
    try:
        text = data.decode("ascii")
    except UnicodeDecodeError:
        return None
    is_own = text.startswith(OWN_HEAD)
    found = (_OWN_CANONICAL if is_own else _CANONICAL).fullmatch(text)
    pool = _pool_of(folder, path.rpartition("/")[0])
    if found is None or pool is None or (claim := claim_of(found["claim"])) is None:
        return None
    values, item = found.groupdict(), _ends(found)
    expected, roles, owner_field = _of_slot(claim.family, claim.kind, claim.slot)
    if is_own:
        values |= {"type": expected, "role": roles[0], "team": values["team"] or ""}
        values["since"] = values["released"] or values["allocated_at"]
        values["namespace"] = values["namespace"] or ""
    elif values["since"] is None:
        return None
    role, type_, team, namespace, since = (
        intern(values[it]) for it in ("role", "type", "team", "namespace", "since")
    )
    if expected:
        owner = Owner(claim.namespace, claim.name, team)
    else:
        pattern = rf"^  {owner_field}:\n(?:    .+\n)*?    namespace: (.+)$"
        place = re.search(pattern, values["spec"], re.MULTILINE)
        owner = Owner(*map(intern, (place[1] if place is not None else "", values["owner"], team)))
    is_live = values["phase"] == Phase.ALLOCATED
    if (
        item is None
        or path != path_of(folder, pool, claim)
        or pool.family != claim.family
        or role not in roles
        or expected not in (None, type_)
        or not (expected or (is_label(owner.namespace) and is_name(owner.name)))
        or not is_name(values["name"])
        or not (is_label(namespace) or (is_own and not namespace))
        or (is_live and values["announced"])
        or (not is_live and parse_instant(since) is None)
    ):
        return None
    allocation = Allocation(
        claim=claim,
        pool=pool,
        range=item,
        phase=Phase.ALLOCATED if is_live else Phase.RELEASED,
        since=since,
        allocated_at=intern(values["allocated_at"]),
        size=item.size,
        pinned=not is_own and "\n  pinnedRange:\n" in values["spec"],
        type=type_,
        role=role,
        owner=owner,
        name=values["name"],
        namespace=namespace,
        path=path,
        announced=bool(values["announced"]),
        prefix=int(values["prefix"]) if is_own and values["prefix"] else None,
        object=(values["object"] or "") if is_own else "",
    )
    return allocation if record_text(allocation) == text else None


def _ends(found: re.Match[str]) -> IPRange | None:
    try:
        (version, first), (other, last) = parse_address(found["start"]), parse_address(found["end"])
    except NotationError:
        return None
    return IPRange(version, first, last) if version == other and first <= last else None


@lru_cache(maxsize=4_096)
def _pool_of(folder: str, place: str) -> Key | None:
    return place_of(folder, f"{place}/x.x.yaml").pool


@lru_cache(maxsize=4_096)
def _of_slot(family: str, kind: str, slot: str) -> tuple[str | None, tuple[str, ...], str]:
    form = form_of(family).record
    return form.type_of(slot), roles_of(Key(family, "", "", slot, kind)), form.owner
