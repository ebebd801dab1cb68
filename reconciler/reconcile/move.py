"""Files that move a claim."""

import dataclasses
import re
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPRange, format_address, format_short
from reconciler.documents import yaml
from reconciler.documents.document import Document
from reconciler.documents.edit import Edit, with_edits, without_field
from reconciler.documents.findings import Location, Severity, join_limited
from reconciler.documents.yaml import dump
from reconciler.families import family_of, known_as
from reconciler.families.interface import Relocation
from reconciler.gitio.interface import Source
from reconciler.model.change import FileChange
from reconciler.model.claim import Allocation, Claim
from reconciler.model.errors import UsageError
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.objects import API_VERSION
from reconciler.model.plan import Grant, Refuse
from reconciler.model.settings import OVERRIDES, Override, OverrideKind
from reconciler.planning.documents import Tree, reader_of
from reconciler.planning.evaluate import Evaluation, evaluate, matching
from reconciler.planning.planner import plan as make_plan
from reconciler.planning.read import read_tree

_THEN = "after merging an Override of kind move"


Edits = list[tuple[Location, str]]
"""The edits of documents: place and description."""


def _rewritten(
    evaluation: Evaluation, document: Document, key: Key, pool: Key
) -> tuple[bytes, Edits]:
    place = _relocation(evaluation, document, key, pool)
    field = yaml.dotted(place.steps)
    data = with_edits(document, [Edit(place.steps, place.name)])
    if data is None:
        message = f"{document.at(*place.steps)}: ipam cannot edit {field} in this file"
        raise UsageError(message, f"set it to {place.name} by hand {_THEN}")
    edits = [(document.at(*place.steps), f"{field}: now {place.name}")]
    claim = evaluation.state.claims.get(key)
    if claim is not None and claim.pin is not None and place.pin:
        item = _room(evaluation, claim, pool) if place.ends else None
        data = _repinned(document, data, place, item)
        words = "removed" if item is None else f"now {format_short(item)}"
        edits.append((document.at(*place.pin, key=True), f"{'.'.join(place.pin)}: {words}"))
    return data, edits


def _as_of(document: Document, data: bytes) -> Document:
    read = yaml.read(data).documents[document.index]
    return replace(document, data=data, line=read.line, body=read.value, span=read.span)


def _relocation(evaluation: Evaluation, document: Document, claim: Key, pool: Key) -> Relocation:
    family = family_of(claim.family)
    if family is None or family.relocate is None:
        message = f"{claim.short} can hold only one address at a time, so it cannot move without an interruption"
        hint = "merge an Override of kind record for its record; then name the other pool in its document, and delete the record in the same change"
        raise UsageError(message, hint)
    held = next((it for it in evaluation.state.records if it.claim == claim and it.is_live), None)
    return family.relocate(claim, pool, document, held.pool if held is not None else pool)


def _room(evaluation: Evaluation, claim: Claim, pool: Key) -> IPRange:
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
    now = _as_of(document, data)
    if place.ends is None or item is None:
        done, what = without_field(now, place.pin), "removed"
    else:
        said = [format_address(item.version, it) for it in (item.first, item.last)]
        fields = [(*place.pin, end) for end in place.ends]
        done = with_edits(now, [Edit(*it) for it in zip(fields, said, strict=True)])
        what = f"set to {format_short(item)}"
    if done is None:
        where = document.at(*place.pin, key=True)
        hint = f"make this edit by hand, and set {yaml.dotted(place.steps)} to {place.name} {_THEN}"
        raise UsageError(
            f"{where}: ipam cannot edit this file: {'.'.join(place.pin)} must be {what}", hint
        )
    return done


_LONGEST = 80


class MoveRequest(Struct, frozen=True):
    """A request to move a claim, named as in `explain`, to a pool, by its key or name."""

    claim: str
    pool: str
    reason: str
    now: int
    expires: int


class MoveEdits(Struct, frozen=True):
    """A move as files. `overrides` excludes those in effect, `allowed_by` has all, by claim."""

    claims: tuple[Key, ...]  # the tenant's first claim, or its replacement, is first
    pool: Key
    changes: tuple[FileChange, ...]
    edits: tuple[tuple[Location, str], ...]
    overrides: tuple[FileChange, ...]
    allowed_by: tuple[str, ...]
    evaluation: Evaluation  # as if both changes were merged
    staying: tuple[Allocation, ...] = ()  # in other pools


def prepare(source: Source, wanted: MoveRequest) -> MoveEdits:
    """Prepare a move. Raises UsageError if a claim or pool is unknown, or the move impossible."""
    tree = read_tree(source)
    evaluation = evaluate(tree)
    records = _records(evaluation, wanted.claim)
    claim = records[0].claim
    pool = _pool(evaluation, claim, wanted.pool)
    claims = tuple(it.claim for it in records if it.pool != pool)
    staying = _staying(evaluation, records, pool)
    if not claims:
        message = f"{claim.short} already has its addresses in pool {pool.short}"
        raise UsageError(message, join_limited(staying_lines(staying, pool)))
    documents = {it: _document(evaluation, it) for it in claims}
    changes, edits = _edited(evaluation, documents, pool)
    overrides = [_override(wanted, it, pool) for it in claims]
    after = _after(source, tree, changes, overrides)
    for it in claims:
        if it not in after.moves:
            raise UsageError(f"{it.short} cannot move to {pool.short}", _why(after, it, documents))
    permitting = {
        it.scope: it.path for it in tree.overrides.counting if it.kind is OverrideKind.MOVE
    }
    return MoveEdits(
        claims=claims,
        pool=pool,
        changes=changes,
        edits=edits,
        overrides=tuple(
            FileChange(it.path, _text(it)) for it in overrides if it.scope not in permitting
        ),
        allowed_by=tuple(permitting.get(it.scope, it.path) for it in overrides),
        evaluation=after,
        staying=staying,
    )


def _records(evaluation: Evaluation, text: str) -> list[Allocation]:
    """Return the record of a claim, or of a request that replaces it, and its growth."""
    every = [it for it in evaluation.state.records if it.is_live]
    found = frozenset(matching(evaluation, text))
    live = [it for it in every if it.claim in found]
    if not found:
        raise UsageError(f"no claim {text!r}", "run ipam plan --all to list all claims")
    if not live:
        message = f"{text} holds no addresses to move"
        raise UsageError(message, "set another pool in its document")
    live.sort(key=lambda it: it.claim.slot_order, reverse=True)
    grown = {_serves(evaluation, it.claim): it for it in live}
    if len(grown) > 1:
        names = ", ".join(it.claim.names[1] for it in reversed(grown.values()))
        raise UsageError(f"{text} matches several claims", f"use one of: {names}")
    (first,) = grown
    theirs = [it for it in every if it.claim.slot and _serves(evaluation, it.claim) == first]
    return sorted(theirs, key=lambda it: (it.claim.owner == first.owner, it.claim.slot_order))


def _serves(evaluation: Evaluation, key: Key) -> Key:
    claim = evaluation.state.claims.get(key)
    own = claim.stands_for or key if claim is not None else key
    return replace(own, slot=own.slot_order[0])


def _staying(
    evaluation: Evaluation, moving: Sequence[Allocation], pool: Key
) -> tuple[Allocation, ...]:
    whose = moving[0].owner.short
    if moving[0].claim.argument != moving[0].claim.names[3]:
        return ()  # a request of its own
    theirs = (it for it in evaluation.state.records if it.is_live and it not in moving)
    return tuple(it for it in theirs if it.owner.short == whose and it.pool != pool and it.range)


def staying_lines(staying: Sequence[Allocation], pool: Key) -> list[str]:
    """Return lines about records that stay, each with the command that moves it."""
    return [
        f"{it.owner.short} also keeps {format_short(it.range)} of {it.pool.name}; to move it: ipam move {it.claim.names[1]} --to {pool.name}"
        for it in staying
        if it.range is not None
    ]


def _pool(evaluation: Evaluation, claim: Key, text: str) -> Key:
    pools = [key for key in evaluation.state.pools if key.family == claim.family]
    found = [key for key in pools if text in (str(key), key.short, key.name)]
    if len(found) == 1:
        return found[0]
    if found:
        hint = f"use one of: {', '.join(map(str, found))}"
        raise UsageError(f"{text} matches several pools", hint)
    raise UsageError(f"no pool {text!r}", f"use one of: {', '.join(key.short for key in pools)}")


def _document(evaluation: Evaluation, claim: Key) -> Document:
    kind = known_as(claim.family, claim.kind)
    found = evaluation.documents.find(kind, claim.namespace, claim.name)
    if found is None or found.doubt:
        message = f"{claim.kind} {claim.short} does not exist in this repository, or cannot be read"
        raise UsageError(message, "run ipam check --worktree, and fix its findings first")
    return found


def _edited(
    evaluation: Evaluation, documents: Mapping[Key, Document], pool: Key
) -> tuple[tuple[FileChange, ...], tuple[tuple[Location, str], ...]]:
    """Return the files that change. A document of several claims is written once, for its first."""
    first = {document.identity: key for key, document in reversed([*documents.items()])}
    files, edits = dict[str, bytes](), list[tuple[Location, str]]()
    for key, document in documents.items():
        if first[document.identity] != key:
            continue
        # An earlier document of the same file can be edited already.
        now = _as_of(document, files[document.path]) if document.path in files else document
        files[document.path], made = _rewritten(evaluation, now, key, pool)
        edits += made
    before = {it.path: it.data for it in documents.values()}
    changed = (FileChange(*it) for it in files.items() if it[1] != before[it[0]])
    return tuple(changed), tuple(edits)


def _after(
    source: Source, tree: Tree, changes: Sequence[FileChange], overrides: Sequence[Override]
) -> Evaluation:
    read = reader_of(source, tree.settings).read_source
    # A document is edited, never removed.
    edited = {it.path: read(it.path, it.data) for it in changes if it.data is not None}
    sources = tuple(edited.get(it.path, it) for it in tree.sources)
    counting = (*tree.overrides.counting, *overrides)
    return evaluate(
        replace(
            tree, sources=sources, overrides=dataclasses.replace(tree.overrides, counting=counting)
        )
    )


def _why(after: Evaluation, claim: Key, documents: Mapping[Key, Document]) -> str:
    for found in after.findings:
        is_of_it = found.location.path == documents[claim].path
        if found.severity is Severity.ERROR and is_of_it:
            return f"{found.message}; {found.hint}"
    asked = after.state.claims.get(claim)
    if asked is not None and asked.pin is not None:
        return f"set addresses to a range of pool {asked.wanted[0]} in the same change as poolRefs"
    for decision in after.plan.decisions:
        if decision.claim == claim and isinstance(decision, Refuse):
            return f"{decision.message}; {decision.hint}"
    return "a document that the claim depends on cannot be read; run ipam check --worktree"


def _override(wanted: MoveRequest, claim: Key, pool: Key) -> Override:
    words = re.sub(r"[^a-z0-9]+", "-", f"{claim.namespace}-{claim.name}-{claim.slot}")
    day = format_instant(wanted.now)[:10]
    path = f"{OVERRIDES}/{day}-move-{words.strip('-')[:_LONGEST].strip('-')}.yaml"
    reason = wanted.reason or f"{claim.short} moves to {pool.short}"
    return Override(
        OverrideKind.MOVE, str(claim), reason, wanted.expires, 0, path, Location(path, 1, 1)
    )


def _text(override: Override) -> bytes:
    stem = override.path.removeprefix(f"{OVERRIDES}/").removesuffix(".yaml")
    return dump(
        {
            "apiVersion": API_VERSION,
            "kind": "Override",
            "metadata": {"name": stem},
            "spec": {
                "expires": format_instant(override.expires),
                "kind": override.kind.value,
                "reason": override.reason,
                "scope": override.scope,
            },
        }
    ).encode()
