"""Read a record: one pattern accepts canonical bytes, the YAML reader takes everything else.

The pattern of a family states each fact once and refers back to it wherever the text repeats it, so a
match and a few comparisons prove that the file is what `record_text` writes for these facts. The
YAML reader compares its result with `record_text` itself.
"""

import re
from functools import cache, lru_cache

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.addresses.notation import (
    NotationError,
    parse_address,
)
from reconciler.documents.dump import is_plain
from reconciler.documents.dump import text as written
from reconciler.families import known_as
from reconciler.findings import Finding
from reconciler.model.allocation import Allocation, Phase
from reconciler.model.claim import Owner
from reconciler.model.instant import parse_instant
from reconciler.model.key import LABEL as ONE_LABEL
from reconciler.model.key import MOST_LABEL, MOST_NAME, NAME, Key
from reconciler.model.record_kind import ALLOCATED_BY, ANNOUNCED, LABEL
from reconciler.model.state import Unreadable
from reconciler.records.careful import recall_carefully
from reconciler.records.emit import MAX_LISTED, listed, record_text
from reconciler.records.forms import HEAD, Form, form_of
from reconciler.records.layout import place_of, roles_of

_INSTANT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
_LABEL = re.escape(LABEL)
# Earlier versions marked records whose release was held back.
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


class Recalled(Struct, frozen=True):
    """The content of a record file: an allocation or its legible rest, with findings."""

    allocation: Allocation | None
    unreadable: Unreadable | None = None
    findings: tuple[Finding, ...] = ()


def recall(folder: str, path: str, data: bytes) -> Recalled:
    """Read a file of the records folder.

    Args:
        folder: The records folder.
        path: Path of the file in the tree.
        data: Its bytes.
    """
    plain = _HELD_OF.sub(b"", data, count=1)
    allocation = canonical(folder, path, plain)
    if allocation is not None:
        return Recalled(allocation if plain == data else replace(allocation, pristine=False))
    found = Recalled(*recall_carefully(folder, path, plain))
    if found.allocation is None or found.allocation.adopted:
        return found
    if record_text(found.allocation).encode(errors="replace") != plain:
        return found
    return Recalled(replace(found.allocation, pristine=plain == data))


def canonical(folder: str, path: str, data: bytes) -> Allocation | None:
    """Return the allocation that the bytes are the canonical text of, or None.

    It is None also for canonical text that is rare: without a range, in quotes, or elsewhere than in
    the folder of its pool.
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
    claim_namespace = "" if namespace == "_" else namespace
    owner_namespace = owner_namespace or ""
    if (
        file != f"{name}.{slot}.yaml"
        or place[place.rfind("/") + 1 :] != namespace
        or count != str(item.size)
        or addresses != lines
        or cidr != (None if prefix is None else _cidr(start, prefix))
        or (pin_end and (pin_end, pin_start) != (end, start))
        or role not in roles
        or (told and (owner_namespace != claim_namespace or owner != name or type_ != told))
        or not (told or owner_namespace)
        or (form.names_owner_whole and owner_group != group)
        or (form.names_pool_whole and (pool_kind, pool_namespace or "", pool_group) != _said(pool))
        or not is_plain(team)
        or not all(it >= "a" or is_plain(it) for it in (own, own_namespace, owner, pool_name))
        or not (owner_namespace >= "a" or is_plain(owner_namespace or "a"))
        or len(namespace) > MOST_LABEL
        or len(name) > MOST_LABEL
        or len(slot) > MOST_LABEL
        or len(own_namespace) > MOST_LABEL
        or len(owner_namespace) > MOST_LABEL
        or len(own) > MOST_NAME
        or len(owner) > MOST_NAME
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


def _said(pool: Key) -> tuple[str, str, str]:
    """Return kind, namespace, and group as a whole reference to a pool states them."""
    return pool.kind, pool.namespace, known_as(pool.family, pool.kind).group


def _cidr(start: str, prefix: int) -> str:
    """Return the CIDR of a range as a record states it."""
    return written(f"{start}/{prefix}") if ":" in start else f"{start}/{prefix}"


@lru_cache(maxsize=4_096)
def _pool_of(folder: str, place: str) -> Key | None:
    """Return the pool of a folder of records."""
    return place_of(folder, f"{place}/x.x.yaml").pool


@lru_cache(maxsize=4_096)
def _of_slot(family: str, kind: str, slot: str) -> tuple[str | None, tuple[str, ...], str]:
    """Return the type and the roles of a slot's records, and the API group of who claims."""
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

    Raises:
        NotationError: The text is not canonical.
    """
    return parse_address(f"{head}.0")[1]


@cache
def _pattern_of(family: str) -> tuple[re.Pattern[str], Form]:
    """Return the pattern of a family's records, with one group for each of `_GROUPS`.

    Raises:
        KeyError: The family is unknown.
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
