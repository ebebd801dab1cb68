"""A document rewritten so that its claim moves: the pool that it names, the range that it pins."""

import dataclasses
from typing import NamedTuple

from msgspec.structs import replace

from reconciler.addresses import IPRange
from reconciler.addresses.notation import format_address, format_short
from reconciler.documents import yaml
from reconciler.documents.document import Document
from reconciler.documents.edit import Edit, with_edits, without_field
from reconciler.engine.planner import plan as make_plan
from reconciler.evaluate import Evaluation
from reconciler.families import family_of
from reconciler.families._family import Relocation
from reconciler.findings import Location
from reconciler.model.claim import Claim
from reconciler.model.key import Key
from reconciler.model.plan import Grant, Refuse
from reconciler.ports import UsageError

_THEN = "and merge an Override of kind move before"


class Rewritten(NamedTuple):
    """A document as it has to be.

    Attributes:
        data: The bytes of its file.
        edits: What was changed: where, and in words.
    """

    data: bytes
    edits: tuple[tuple[Location, str], ...]


def rewritten(evaluation: Evaluation, document: Document, key: Key, pool: Key) -> Rewritten:
    """The document of a claim, rewritten so that the claim moves to a pool.

    Args:
        evaluation: Of the work tree.
        document: The document.
        key: The claim.
        pool: The pool.

    Raises:
        UsageError: It has no room for what is pinned, or the text cannot be edited in place.
    """
    place = _relocation(key, pool)
    field = ".".join(place.steps)
    data = with_edits(document, [Edit(place.steps, place.name)])
    if data is None:
        message = f"{document.at(*place.steps)}: {field} cannot be set at its place"
        raise UsageError(message, f"set it to {place.name} by hand, {_THEN}")
    edits = [(document.at(*place.steps), f"{field} is {place.name} now")]
    claim = evaluation.state.claims.get(key)
    if claim is not None and claim.pin is not None and place.pin:
        item = _room(evaluation, claim, pool) if place.ends else None
        data = _repinned(document, data, place, item)
        words = "gone" if item is None else f"{format_short(item)} now"
        edits.append((document.at(*place.pin, key=True), f"{'.'.join(place.pin)} is {words}"))
    return Rewritten(data, tuple(edits))


def as_of(document: Document, data: bytes) -> Document:
    """A document as it stands in its file by now.

    Args:
        document: The document as it was.
        data: The bytes of its file, in which it has its place among the others still.
    """
    read = yaml.read(data).documents[document.index]
    return dataclasses.replace(document, data=data, line=read.line, body=read.value, span=read.span)


def _relocation(claim: Key, pool: Key) -> Relocation:
    family = family_of(claim.family)
    if family is None or family.relocate is None:
        raise UsageError(
            f"{claim.short} cannot hold two addresses at once, so it moves with a break",
            "name the other pool in its document, and delete its record in the same change; an"
            " Override of kind record for it is merged before",
        )
    return family.relocate(claim, pool)


def _room(evaluation: Evaluation, claim: Claim, pool: Key) -> IPRange:
    """The range that the claim would get of a pool if it pinned none."""
    asked = replace(claim, pin=None, candidates=(pool,), wanted=(pool.name,), fixed=True)
    state = evaluation.state
    claims = {**state.claims, claim.key: asked}
    plan = make_plan(replace(state, claims=claims, movable=frozenset((claim.key,))))
    (decision,) = (it for it in plan.decisions if it.claim == claim.key)
    if isinstance(decision, Grant) and decision.allocation.range is not None:
        return decision.allocation.range
    why = f"{decision.message}; {decision.hint}" if isinstance(decision, Refuse) else ""
    raise UsageError(f"{claim.key.short} cannot move to {pool.short}", why)


def _repinned(document: Document, data: bytes, place: Relocation, item: IPRange | None) -> bytes:
    """The bytes of a document's file with another pin, or with none.

    Args:
        document: The document as it was.
        data: The bytes of its file by now.
        place: Where it pins.
        item: The range that it has to pin, or None.
    """
    now = as_of(document, data)
    if place.ends is None or item is None:
        done, what = without_field(now, place.pin), "taken out"
        hint = f"take it out, let {'.'.join(place.steps)} be {place.name} by hand, {_THEN}"
    else:
        said = [format_address(item.version, it) for it in (item.first, item.last)]
        fields = [(*place.pin, end) for end in place.ends]
        done = with_edits(now, [Edit(*it) for it in zip(fields, said, strict=True)])
        what = f"set to {format_short(item)}"
        hint = f"set it, let {'.'.join(place.steps)} be {place.name} by hand, {_THEN}"
    if done is None:
        where = document.at(*place.pin, key=True)
        raise UsageError(f"{where}: {'.'.join(place.pin)} cannot be {what} at its place", hint)
    return done
