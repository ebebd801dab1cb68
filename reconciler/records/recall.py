"""Record to allocation: a fast reading proven by re-emission, and a careful one for all else.

Our own records are read by the pattern of their family, and the text that the facts would be written as is
compared with the file. Equal bytes prove that the reading was right and that nobody touched the
file. Whatever is not equal goes through the strict YAML reader.
"""

import json
from typing import Any

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.addresses.notation import NotationError, number_of, parse_address
from reconciler.findings import Finding
from reconciler.model.allocation import Allocation, Phase
from reconciler.model.claim import Owner
from reconciler.model.instant import parse_instant
from reconciler.model.key import MOST_LABEL, MOST_NAME, Key, is_label, is_name
from reconciler.model.state import Unreadable
from reconciler.records.careful import recall_carefully
from reconciler.records.emit import reason_code, record_text
from reconciler.records.forms import Form, family_in, form_of
from reconciler.records.layout import path_of, place_of, roles_of


class Recalled(Struct, frozen=True):
    """What a record file states: an allocation, or what is left of it; and findings."""

    allocation: Allocation | None
    unreadable: Unreadable | None = None
    findings: tuple[Finding, ...] = ()


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
    try:
        form = form_of(family_in(text))
        found = form.read(text)
        allocation = _from_text(folder, path, form, found) if found is not None else None
    except (ValueError, KeyError):
        return None
    return allocation if allocation and record_text(allocation) == text else None


def _from_text(folder: str, path: str, form: Form, found: tuple[Any, ...]) -> Allocation | None:
    (
        claim_text, role, team, name, namespace, count, pinned, pool_kind, pool_name,
        pool_namespace, owner, owner_namespace, kind, allocated_at, since, message, reason, end,
        phase_text, start, announced, held_of,
    ) = found  # fmt: skip
    claim = Key.parse(claim_text)
    if claim is None or not claim.slot:
        return None
    phase = _PHASES[phase_text]
    item = _range(start, end) if start and end else None
    failed = phase is Phase.FAILED or phase is Phase.PENDING
    namespace = _unquoted(namespace)
    said = pool_kind or "", _unquoted(pool_namespace), _unquoted(pool_name)
    pool = form.pool(*said, namespace)
    if path != path_of(folder, None if failed else pool, claim):
        place = place_of(folder, path)
        if place.pool is not None and form.may_mean(place.pool, *said):
            pool = place.pool
        if item is not None and not pool.is_sound:
            return None
    if (item is None) != failed:
        return None
    if phase is Phase.RELEASED and parse_instant(since) is None:
        return None
    if announced is not None and phase is not Phase.RELEASED:
        return None
    made = Allocation(
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
        owner=Owner(_unquoted(owner_namespace), _unquoted(owner), _unquoted(team)),
        name=_unquoted(name),
        namespace=namespace,
        reason=reason_code(reason) if failed else "",
        message=_unquoted(message) if failed else "",
        path=path,
        announced=announced is not None,
        held_of=int(held_of or 0),
    )
    return made if _is_sound(made, form) else None


def _is_sound(record: Allocation, form: Form) -> bool:
    """Its names are names, and it says of its owner, type and role what its claim says.

    Which is not so, the careful reading tells.
    """
    claim, owner = record.claim, record.owner
    told = form.record.type_of(claim.slot)
    if told is None:
        is_whose = is_label(owner.namespace) and is_name(owner.name)
    else:
        is_whose = (owner.namespace, owner.name, record.type) == (claim[1], claim[2], told)
    return (
        is_whose
        and record.role in roles_of(claim)
        and (record.is_live or not record.held_of)
        and len(record.name) <= MOST_NAME
        and len(record.namespace) <= MOST_LABEL
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


def _unquoted(text: str | None) -> str:
    if not text:
        return ""
    if text[0] != '"':
        return text
    found = str(json.loads(text))
    found.encode()  # half of a surrogate pair is a text to JSON, but not to YAML
    return found
