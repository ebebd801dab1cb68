"""Allocation to record: the one text of a fact (`contract.md` §3)."""

from typing import Any

from reconciler.addresses.notation import format_address, format_cidr
from reconciler.documents.dump import text
from reconciler.model.allocation import Allocation, Phase
from reconciler.model.key import is_label_value
from reconciler.model.record_kind import (
    ALLOCATED_BY,
    ANNOUNCED,
    API_VERSION,
    CLAIM,
    KIND,
    LABEL,
    STILL_ANNOUNCED,
)
from reconciler.records.forms import HEAD, reference_lines, references

MAX_LISTED = 1024
_STILL = f"  announced: {ANNOUNCED}\n"


def record_text(record: Allocation) -> str:
    """The canonical text of a record: `dump(record_document(record))`, ten times as fast.

    A claim is written as it is: its slashes let no reader take it for anything but text.

    Every plan writes each record once, to prove that the file says just that. A test holds the
    two forms equal.
    """
    kind, pool, owner = text(record.type), text(record.pool.name), text(record.owner.name)
    item, since = record.range, f'"{record.since}"'
    addresses = cidr = given = ends = starts = pinned = ""
    if item is not None:
        version, first, last = item
        start, end = _address(version, first), _address(version, last)
        if item.size <= MAX_LISTED:
            addresses = f"  addresses:\n{listed(version, first, last)}"
        block = format_cidr(item)
        cidr = f"  cidr: {block if version == 4 else text(block)}\n" if block else ""
        given = (
            f'  allocatedAt: "{record.allocated_at}"\n'
            f"  allocatedBy: {ALLOCATED_BY}\n"
            f"  allocatedCount: {item.size}\n"
            f"{_STILL if record.announced else ''}{cidr}"
        )
        ends, starts = f"  endAddress: {end}\n", f"  startAddress: {start}\n"
        if record.pinned:
            pinned = f"  pinnedRange:\n    endAddress: {end}\n    startAddress: {start}\n"
    phase = record.phase
    released = f"  releasedAt: {since}\n" if phase is Phase.RELEASED else ""
    before, named, behind = reference_lines(record, pool, owner)
    return f"""{HEAD}{record.claim}
  labels:
    {LABEL}allocation-role: {text(record.role)}
    {LABEL}allocation-type: {kind}
    {LABEL}network-pool: {pool}
    {LABEL}team: {text(record.owner.team)}
    {LABEL}tenant: {owner}
  name: {text(record.name)}
  namespace: {text(record.namespace)}
spec:
{before}  count: {record.size}
{pinned}  poolRef:
{named}{behind}  type: {kind}
status:
{addresses}{given}  conditions:
    - lastTransitionTime: {since}
      message: {text(ready_message(record))}
      reason: {text(reason_name(record))}
      status: "{phase is Phase.ALLOCATED}"
      type: Ready
{ends}  phase: {phase}
{released}{starts}"""


def listed(version: int, first: int, last: int) -> str:
    """The lines of all addresses from first to last."""
    if version == 4 and first >> 8 == last >> 8:
        head = f"    - {first >> 24}.{first >> 16 & 255}.{first >> 8 & 255}."
        return "".join([f"{head}{low}\n" for low in range(first & 255, (last & 255) + 1)])
    return "".join([f"    - {_address(version, item)}\n" for item in range(first, last + 1)])


def _address(version: int, value: int) -> str:
    """An address as a YAML scalar: of IPv4 always plain, of IPv6 not when it reads as a number."""
    written = format_address(version, value)
    return written if version == 4 else text(written)


def record_document(record: Allocation) -> dict[str, Any]:
    """The record as a Kubernetes object, with status."""
    spec: dict[str, Any] = {
        **references(record),
        "type": record.type,
        "count": record.size,
    }
    if record.pinned and record.range is not None:
        version, first, last = record.range
        spec["pinnedRange"] = {
            "startAddress": format_address(version, first),
            "endAddress": format_address(version, last),
        }
    return {
        "apiVersion": API_VERSION,
        "kind": KIND,
        "metadata": {
            "annotations": {CLAIM: str(record.claim)},
            "labels": {
                f"{LABEL}allocation-role": record.role,
                f"{LABEL}allocation-type": record.type,
                f"{LABEL}network-pool": record.pool.name,
                f"{LABEL}team": record.owner.team,
                f"{LABEL}tenant": record.owner.name,
            },
            "name": record.name,
            "namespace": record.namespace,
        },
        "spec": spec,
        "status": _status(record),
    }


def record_object(record: Allocation) -> dict[str, Any]:
    """The record as a cluster gets it: without what some server does not take.

    A team is of any text, and a name may be longer than the value of a label. One such label, and
    the server would refuse the object; and so it would where Butler's own definition is installed,
    which does not know `status.announced`: an annotation says that there.
    """
    found = record_document(record)
    metadata, status = found["metadata"], found["status"]
    labels = {key: said for key, said in metadata["labels"].items() if is_label_value(said)}
    metadata = {**metadata, "labels": labels}
    if (still := status.pop("announced", None)) is not None:
        metadata["annotations"] = {**metadata["annotations"], STILL_ANNOUNCED: still}
    return {**found, "metadata": metadata}


def _status(record: Allocation) -> dict[str, Any]:
    ready = {
        "lastTransitionTime": record.since,
        "message": ready_message(record),
        "reason": reason_name(record),
        "status": "True" if record.is_live else "False",
        "type": "Ready",
    }
    status: dict[str, Any] = {"conditions": [ready], "phase": record.phase.value}
    if record.range is None:
        return status
    version, first, last = record.range
    status |= {
        "allocatedAt": record.allocated_at,
        "allocatedBy": ALLOCATED_BY,
        "allocatedCount": record.range.size,
        "startAddress": format_address(version, first),
        "endAddress": format_address(version, last),
    }
    if record.range.size <= MAX_LISTED:
        status["addresses"] = [format_address(version, item) for item in range(first, last + 1)]
    if record.announced:
        status["announced"] = ANNOUNCED
    if (cidr := format_cidr(record.range)) is not None:
        status["cidr"] = cidr
    if record.is_released:
        status["releasedAt"] = record.since
    return status


def ready_message(record: Allocation) -> str:
    """Message of the Ready condition (seed 001 for Allocated)."""
    if record.is_live:
        return f"{record.size} IPs allocated from {record.pool.name}"
    if record.is_released:
        return f"{record.size} IPs of {record.pool.name} released"
    return record.message


def reason_name(record: Allocation) -> str:
    """Reason of the Ready condition: CamelCase, as Kubernetes demands of it."""
    if record.phase in (Phase.ALLOCATED, Phase.RELEASED):
        return record.phase.value
    return "".join(word.capitalize() for word in record.reason.split("-"))


def reason_code(name: str) -> str:
    """The code that `reason_name` wrote: `PoolExhausted` is `pool-exhausted`."""
    return "".join(f"-{mark.lower()}" if mark.isupper() else mark for mark in name).lstrip("-")
