"""Record to allocation: a fast reading proven by re-emission, and a careful one for all else.

Our own records are read by one pattern, and the text that the facts would be written as is
compared with the file. Equal bytes prove that the reading was right and that nobody touched the
file. Whatever is not equal goes through the strict YAML reader.
"""

import json
import re
from typing import NamedTuple

from reconciler.addresses import IPRange
from reconciler.addresses.notation import NotationError, number_of, parse_address
from reconciler.findings import Finding
from reconciler.model.allocation import Allocation, Phase
from reconciler.model.claim import Owner
from reconciler.model.instant import parse_instant
from reconciler.model.key import Key
from reconciler.model.state import Unreadable
from reconciler.records.careful import recall_carefully
from reconciler.records.emit import reason_code, record_text
from reconciler.records.layout import POOL_KIND, claim_of, path_of, place_of


class Recalled(NamedTuple):
    """What a record file states: an allocation, or what is left of it; and findings."""

    allocation: Allocation | None
    unreadable: Unreadable | None = None
    findings: tuple[Finding, ...] = ()


# Dates are written unasked in quotes, so their form is held here.
_INSTANT = r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"
_CANONICAL = re.compile(
    rf"""apiVersion: butler\.butlerlabs\.dev/v1alpha1
kind: IPAllocation
metadata:
  annotations:
    gitops-ipam\.dev/claim: (?P<claim>.+)
  labels:
    butler\.butlerlabs\.dev/allocation-role: (?P<role>.+)
    butler\.butlerlabs\.dev/allocation-type: .+
    butler\.butlerlabs\.dev/network-pool: .+
    butler\.butlerlabs\.dev/team: (?P<team>.+)
    butler\.butlerlabs\.dev/tenant: .+
  name: (?P<name>.+)
  namespace: (?P<namespace>.+)
spec:
  count: (?P<count>\d+)
(?P<pinned>  pinnedRange:
    endAddress: .+
    startAddress: .+
)?  poolRef:
    name: (?P<pool>.+)
  tenantClusterRef:
    name: (?P<tenant>.+)
    namespace: (?P<tenant_namespace>.+)
  type: (?P<type>.+)
status:
(?:  addresses:
(?:    - .+
)+)?(?:  allocatedAt: "(?P<allocated_at>{_INSTANT})"
  allocatedBy: networkpool-controller
  allocatedCount: \d+
(?:  cidr: .+
)?)?  conditions:
    - lastTransitionTime: "(?P<since>{_INSTANT})"
      message: (?P<message>.+)
      reason: (?P<reason>.+)
      status: .+
      type: Ready
(?:  endAddress: (?P<end>.+)
)?  phase: (?P<phase>.+)
(?:  releasedAt: .+
)?(?:  startAddress: (?P<start>.+)
)?""",
    re.ASCII,
)


def recall(folder: str, path: str, data: bytes) -> Recalled:
    """What a file of the records folder states.

    Args:
        folder: The records folder.
        path: Path of the file in the tree.
        data: Its bytes.
    """
    allocation = _canonical(folder, path, data)
    if allocation is not None:
        return Recalled(allocation)
    return Recalled(*recall_carefully(folder, path, data))


def _canonical(folder: str, path: str, data: bytes) -> Allocation | None:
    """The allocation that the file is the canonical text of, or None."""
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        return None
    found = _CANONICAL.fullmatch(text)
    if found is None:
        return None
    try:
        allocation = _from_match(folder, path, found)
    except (ValueError, KeyError):
        return None
    return allocation if allocation and record_text(allocation) == text else None


def _from_match(folder: str, path: str, found: re.Match[str]) -> Allocation | None:
    (
        claim_text, role, team, name, namespace, count, pinned, pool_name, tenant,
        tenant_namespace, kind, allocated_at, since, message, reason, end, phase_text, start,
    ) = found.groups()  # fmt: skip
    claim = claim_of(claim_text)
    if claim is None:
        return None
    phase = _PHASES[phase_text]
    item = _range(start, end) if start and end else None
    failed = phase is Phase.FAILED or phase is Phase.PENDING
    namespace, pool_name = _unquoted(namespace), _unquoted(pool_name)
    pool = Key(claim.family, namespace, pool_name, "", POOL_KIND[claim.family])
    if path != path_of(folder, None if failed else pool, claim):
        # It stands where nothing of ours would: of pools of one name, that of the path is meant.
        place = place_of(folder, path)
        if place.pool is not None and place.pool.name == pool_name:
            pool = place.pool
        if item is not None and not pool.is_sound:
            return None
    if (item is None) != failed:
        return None
    if phase is Phase.RELEASED and parse_instant(since) is None:
        return None
    return Allocation(
        claim=claim,
        pool=pool,
        range=item,
        phase=phase,
        since=since,
        allocated_at=allocated_at or "",
        size=int(count),
        pinned=pinned is not None,
        type=_unquoted(kind),
        role=role,
        owner=Owner(_unquoted(tenant_namespace), _unquoted(tenant), _unquoted(team)),
        name=_unquoted(name),
        namespace=namespace,
        reason=reason_code(reason) if failed else "",
        message=_unquoted(message) if failed else "",
        path=path,
    )


_PHASES = {phase.value: phase for phase in Phase}


def _range(start: str, end: str) -> IPRange | None:
    try:
        if ":" not in start:  # whether it is canonical, the text that is written from it tells
            first, last = number_of(start), number_of(end)
            return IPRange(4, first, last) if first <= last else None
        (version, first), (other, last) = (
            parse_address(_unquoted(start)),
            parse_address(_unquoted(end)),
        )
    except (NotationError, OSError):
        return None
    return IPRange(version, first, last) if version == other and first <= last else None


def _unquoted(text: str) -> str:
    return str(json.loads(text)) if text[0] == '"' else text
