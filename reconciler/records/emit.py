"""Records as canonical YAML."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from msgspec import Struct

from reconciler.addresses import ends, format_address, format_cidr
from reconciler.documents.yaml import text
from reconciler.families import family_of, home_of, known_as
from reconciler.families.fields import condition
from reconciler.families.interface import WHOLE, Family, RecordForm
from reconciler.model import objects
from reconciler.model.claim import Allocation, Phase
from reconciler.model.key import Key, is_label_value

HEAD = f"""apiVersion: {objects.RECORD_API_VERSION}
kind: {objects.KIND}
metadata:
  annotations:
    {objects.CLAIM}: """
"""The beginning of each record, up to its claim."""

OWN_HEAD = HEAD.replace(objects.RECORD_API_VERSION, objects.API_VERSION)
"""The beginning of each record of `gitops-ipam.dev`."""


class Form(Struct, frozen=True):
    """How the records of one family are read and written."""

    family: Family
    record: RecordForm

    def pool(self, kind: str, namespace: str, name: str, beside: str) -> Key:
        """Return the pool of a reference. Fields may be empty. Raises ValueError for a bad kind."""
        kinds = self.family.pool_kinds
        if self.record.pool != WHOLE:
            return Key(self.family.name, beside, name, "", kinds[0])
        if kind and kind not in kinds:
            raise ValueError(kind)
        return Key(self.family.name, namespace, name, "", kind or kinds[0])

    def may_mean(self, pool: Key, kind: str, namespace: str, name: str) -> bool:
        """Return whether a reference can mean the pool of its folder, which decides for equals."""
        said = [(name, pool.name)]
        if self.record.pool == WHOLE:
            said += [(kind, pool.kind), (namespace, pool.namespace)]
        return all(mine in ("", its) for mine, its in said)


@cache
def form_of(family: str) -> Form:
    """Return the form of a family's records. Raises KeyError if the family is unknown."""
    found = family_of(family)
    if found is None:
        raise KeyError(family)
    return Form(found, found.record)


def first_pool(claim: Key, beside: str, name: str) -> Key:
    """Return the pool that a claim means by a name, with a record in a namespace."""
    form = form_of(claim.family)
    kind = form.family.pool_kinds[0]
    is_namespaced = home_of(claim.family, kind) is not None
    return form.pool(kind, claim.namespace if is_namespaced else "", name, beside)


@cache
def _reference_head(fields: tuple[str, ...], family: str, kind: str) -> str:
    found = _reference(fields, Key(family, "", "", "", kind))
    return "".join(f"    {it}: {text(found[it])}\n" for it in fields if it in ("apiGroup", "kind"))


def _reference_lines(fields: tuple[str, ...], of: Key) -> str:
    head = _reference_head(fields, of.family, of.kind)
    has_namespace = "namespace" in fields and (of.namespace or "apiGroup" not in fields)
    namespace = f"    namespace: {text(of.namespace)}\n" if has_namespace else ""
    slot = f"    slot: {text(of.slot)}\n" if "slot" in fields else ""
    return f"{head}    name: {text(of.name)}\n{namespace}{slot}"


def _claimant(record: Allocation) -> Key:
    claim, owner = record.claim, record.owner
    return Key(claim.family, owner.namespace, owner.name, claim.slot, claim.kind)


def _reference(fields: tuple[str, ...], of: Key) -> dict[str, str]:
    group = known_as(of.family, of.kind).group
    said = {"apiGroup": group, "kind": of.kind, "name": of.name, "namespace": of.namespace}
    said["slot"] = of.slot
    is_whole = "apiGroup" in fields
    return {it: said[it] for it in fields if said[it] or it != "namespace" or not is_whole}


def is_own(family: str) -> bool:
    """Return whether a family's records are of `gitops-ipam.dev`: such records are files only."""
    return form_of(family).record.labels is not None


MAX_LISTED = 1024
_STILL = f"  announced: {objects.ANNOUNCED}\n"


def record_text(record: Allocation) -> str:
    """Return the text of `dump(record_document(record))`, ten times as fast. A test compares."""
    form = form_of(record.claim.family).record
    item, since, phase = record.range, f'"{record.since}"', record.phase
    addresses = cidr = given = ends = starts = conditions = by = ""
    if form.labels is None:
        by = f"  allocatedBy: {objects.ALLOCATED_BY}\n"
        conditions = f"""  conditions:
    - lastTransitionTime: {since}
      message: {text(ready_message(record))}
      reason: {text(reason_name(record))}
      status: "{phase is Phase.ALLOCATED}"
      type: Ready
"""
    if item is not None:
        version, first, last = item
        if item.size <= MAX_LISTED:
            addresses = f"  addresses:\n{listed(version, first, last)}"
        block = format_cidr(item)
        cidr = f"  cidr: {block if version == 4 else text(block)}\n" if block else ""
        given = (
            f'  allocatedAt: "{record.allocated_at}"\n'
            f"{by}  allocatedCount: {item.size}\n"
            f"{_STILL if record.announced else ''}{cidr}"
        )
        ends = f"  endAddress: {_address(version, last)}\n"
        starts = f"  startAddress: {_address(version, first)}\n"
    released = f"  releasedAt: {since}\n" if phase is Phase.RELEASED else ""
    head = _head(record, form, f"  {ends}  {starts}") if form.labels is None else _own_head(record)
    return f"""{head}status:
{addresses}{given}{conditions}{ends}  phase: {phase}
{released}{starts}"""


def _head(record: Allocation, form: RecordForm, range_: str) -> str:
    kind = text(record.type)
    pinned = f"  pinnedRange:\n{range_}" if record.pinned and record.range is not None else ""
    owner_lines = f"  {form.owner}:\n{_reference_lines(form.owner_fields, _claimant(record))}"
    # Keys are sorted.
    before, behind = (owner_lines, "") if form.owner < "count" else ("", owner_lines)
    return f"""{HEAD}{record.claim}
  labels:
    {objects.LABEL}allocation-role: {text(record.role)}
    {objects.LABEL}allocation-type: {kind}
    {objects.LABEL}network-pool: {text(record.pool.name)}
    {objects.LABEL}team: {text(record.owner.team)}
    {objects.LABEL}tenant: {text(record.owner.name)}
  name: {text(record.name)}
  namespace: {text(record.namespace)}
spec:
{before}  count: {record.size}
{pinned}  poolRef:
{_reference_lines(form.pool, record.pool)}{behind}  type: {kind}
"""


def _own_head(record: Allocation) -> str:
    form = form_of(record.claim.family).record
    labels = form.labels(record) if form.labels is not None else {}
    lines = "".join([f"    {name}: {text(value)}\n" for name, value in labels.items()])
    namespace = f"  namespace: {text(record.namespace)}\n" if record.namespace else ""
    count, prefix = f"  count: {record.size}\n", ""
    if record.prefix is not None:
        count, prefix = "", f"  prefixLength: {record.prefix}\n"
    return f"""{OWN_HEAD}{record.claim}
  labels:
{lines}  name: {text(record.name)}
{namespace}spec:
  {form.owner}:
{_reference_lines(form.owner_fields, _claimant(record))}{count}  ipFamily: {_ip_family(record)}
  poolRef:
{_reference_lines(form.pool, record.pool)}{prefix}"""


def _ip_family(record: Allocation) -> str:
    return f"IPv{record.range.version if record.range is not None else 4}"


def listed(version: int, first: int, last: int) -> str:
    """Return the lines of all addresses from first to last."""
    if version == 4 and first >> 8 == last >> 8:
        head = f"    - {first >> 24}.{first >> 16 & 255}.{first >> 8 & 255}."
        return "".join([f"{head}{low}\n" for low in range(first & 255, (last & 255) + 1)])
    return "".join([f"    - {_address(version, item)}\n" for item in range(first, last + 1)])


def _address(version: int, value: int) -> str:
    written = format_address(version, value)
    return written if version == 4 else text(written)


def record_document(record: Allocation) -> dict[str, Any]:
    """Return the record as a Kubernetes object, with status."""
    form = form_of(record.claim.family).record
    if form.labels is not None:
        return _own_document(record, form, form.labels(record))
    spec: dict[str, Any] = {
        "poolRef": _reference(form.pool, record.pool),
        form.owner: _reference(form.owner_fields, _claimant(record)),
        "type": record.type,
        "count": record.size,
    }
    if record.pinned and record.range is not None:
        spec["pinnedRange"] = ends(record.range, "Address")
    return {
        "apiVersion": objects.RECORD_API_VERSION,
        "kind": objects.KIND,
        "metadata": {
            "annotations": {objects.CLAIM: str(record.claim)},
            "labels": {
                f"{objects.LABEL}allocation-role": record.role,
                f"{objects.LABEL}allocation-type": record.type,
                f"{objects.LABEL}network-pool": record.pool.name,
                f"{objects.LABEL}team": record.owner.team,
                f"{objects.LABEL}tenant": record.owner.name,
            },
            "name": record.name,
            "namespace": record.namespace,
        },
        "spec": spec,
        "status": _status(record),
    }


def _own_document(
    record: Allocation, form: RecordForm, labels: Mapping[str, str]
) -> dict[str, Any]:
    metadata = {
        "annotations": {objects.CLAIM: str(record.claim)},
        "labels": dict(labels),
        "name": record.name,
        "namespace": record.namespace,
    }
    size = ("count", record.size) if record.prefix is None else ("prefixLength", record.prefix)
    hidden = ("allocatedBy", "conditions")
    return {
        "apiVersion": objects.API_VERSION,
        "kind": objects.KIND,
        "metadata": {name: it for name, it in metadata.items() if it},
        "spec": {
            form.owner: _reference(form.owner_fields, _claimant(record)),
            "ipFamily": _ip_family(record),
            "poolRef": _reference(form.pool, record.pool),
            size[0]: size[1],
        },
        "status": {name: it for name, it in _status(record).items() if name not in hidden},
    }


def record_object(record: Allocation) -> dict[str, Any]:
    """Return a record as applied: without refused labels, `status.announced` as an annotation."""
    found = record_document(record)
    metadata, status = found["metadata"], found["status"]
    labels = {key: said for key, said in metadata["labels"].items() if is_label_value(said)}
    metadata = {**metadata, "labels": labels}
    if (still := status.pop("announced", None)) is not None:
        metadata["annotations"] = {**metadata["annotations"], objects.STILL_ANNOUNCED: still}
    return {**found, "metadata": metadata}


def _status(record: Allocation) -> dict[str, Any]:
    said = str(record.is_live), reason_name(record), ready_message(record)
    ready = condition("Ready", *said, record.since)
    status: dict[str, Any] = {"conditions": [ready], "phase": record.phase.value}
    if record.range is None:
        return status
    version, first, last = record.range
    status |= {
        "allocatedAt": record.allocated_at,
        "allocatedBy": objects.ALLOCATED_BY,
        "allocatedCount": record.range.size,
        **ends(record.range, "Address"),
    }
    if record.range.size <= MAX_LISTED:
        status["addresses"] = [format_address(version, item) for item in range(first, last + 1)]
    if record.announced:
        status["announced"] = objects.ANNOUNCED
    if (cidr := format_cidr(record.range)) is not None:
        status["cidr"] = cidr
    if record.is_released:
        status["releasedAt"] = record.since
    return status


def ready_message(record: Allocation) -> str:
    """Return the message of the Ready condition (docs/reference/butler.md for Allocated)."""
    if record.is_live:
        return f"{record.size} IPs allocated from {record.pool.name}"
    if record.is_released:
        return f"{record.size} IPs of {record.pool.name} released"
    return record.message


def reason_name(record: Allocation) -> str:
    """Return the reason of the Ready condition in CamelCase, as Kubernetes requires."""
    if record.phase in (Phase.ALLOCATED, Phase.RELEASED):
        return record.phase.value
    return "".join(word.capitalize() for word in record.reason.split("-"))


def reason_code(name: str) -> str:
    """Return the code of a reason that `reason_name` wrote: `PoolExhausted` is `pool-exhausted`."""
    return "".join(f"-{mark.lower()}" if mark.isupper() else mark for mark in name).lstrip("-")
