"""A move, prepared as files: the change of a person's document, and the Override that lets it pass.

Nothing is committed. The Override counts once it was merged, so the two are changes of their own.
"""

import dataclasses
import re
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses.notation import format_short
from reconciler.commands.reading.files import reader_of
from reconciler.commands.reading.reader import read_tree
from reconciler.commands.rewriting import as_of, rewritten
from reconciler.documents.document import Document
from reconciler.documents.dump import dump
from reconciler.evaluate import Evaluation, evaluate
from reconciler.families import known_as
from reconciler.findings import Location, Severity, few
from reconciler.model.allocation import Allocation
from reconciler.model.change import Change
from reconciler.model.instant import format_instant
from reconciler.model.key import Key
from reconciler.model.marks import API_VERSION
from reconciler.model.override import Override, OverrideKind
from reconciler.model.plan import Refuse
from reconciler.model.settings import OVERRIDES
from reconciler.ports import Source, UsageError
from reconciler.report.explanation import matching
from reconciler.tree import Tree

_LONGEST = 80


class Wanted(Struct, frozen=True):
    """What a person asks for.

    Attributes:
        claim: The claim, as `explain` takes it.
        pool: The pool: its key, or its name, with or without its namespace.
        reason: Why.
        now: In seconds since 1970: its day names the file of the Override.
        expires: The instant from which on the Override lets nothing pass.
    """

    claim: str
    pool: str
    reason: str
    now: int
    expires: int


class Move(Struct, frozen=True):
    """A move as files.

    Attributes:
        claims: The claims that move: all that serve a tenant as one, a request in its place first.
        changes: The files of the persons' documents as they have to be.
        edits: What was changed in them: where, and in words.
        overrides: The Overrides that let it pass, but for those that count already.
        allowed_by: The paths of all Overrides, new or not, by claim.
        evaluation: Of the work tree with both, as if the Override had been merged.
        staying: What else whoever moves holds, of other pools: records of claims of their own.
    """

    claims: tuple[Key, ...]
    pool: Key
    changes: tuple[Change, ...]
    edits: tuple[tuple[Location, str], ...]
    overrides: tuple[Change, ...]
    allowed_by: tuple[str, ...]
    evaluation: Evaluation
    staying: tuple[Allocation, ...] = ()


def prepare(source: Source, wanted: Wanted) -> Move:
    """Prepare a move.

    Args:
        source: The work tree.
        wanted: What a person asks for.

    Raises:
        UsageError: There is no such claim or pool, or the claim cannot move there so.
    """
    tree = read_tree(source)
    evaluation = evaluate(tree)
    records = _records(evaluation, wanted.claim)
    claim = records[0].claim
    pool = _pool(evaluation, claim, wanted.pool)
    claims = tuple(it.claim for it in records if it.pool != pool)
    staying = _staying(evaluation, records, pool)
    if not claims:
        message = f"{claim.short} has its addresses of {pool.short} already"
        raise UsageError(message, few(staying_lines(staying, pool)))
    documents = {it: _document(evaluation, it) for it in claims}
    changes, edits = _edited(evaluation, documents, pool)
    overrides = [_override(wanted, it, pool) for it in claims]
    after = _after(source, tree, changes, overrides)
    for it in claims:
        if it not in after.moves:
            raise UsageError(f"{it.short} cannot move to {pool.short}", _why(after, it, documents))
    standing = [_standing(tree, it) for it in claims]
    made = [it for it, path in zip(overrides, standing, strict=True) if not path]
    return Move(
        claims=claims,
        pool=pool,
        changes=changes,
        edits=edits,
        overrides=tuple(Change(it.path, _text(it)) for it in made),
        allowed_by=tuple(path or it.path for it, path in zip(overrides, standing, strict=True)),
        evaluation=after,
        staying=staying,
    )


def _records(evaluation: Evaluation, text: str) -> list[Allocation]:
    """The records of the claim that a text means: the first one, and those that it grew by.

    They are one to whom they serve, so they move together or not at all. The first one may be that
    of a request which is the tenant's own claim: another document chooses its pool.
    """
    found = frozenset(matching(evaluation, text) or _of_owner(evaluation, text))
    live = [it for it in evaluation.state.records if it.is_live and it.claim in found]
    if not found:
        raise UsageError(f"no claim {text!r}", "ipam plan --all lists all claims")
    if not live:
        message = f"{text} holds no addresses: there is nothing to move"
        raise UsageError(message, "change the pool that it names; it gets addresses there")
    grown = {_serves(evaluation, it.claim): it for it in reversed(live)}
    if len(grown) > 1:
        names = ", ".join(str(it.claim) for it in reversed(grown.values()))
        raise UsageError(f"{text} means several claims", f"name one of them: {names}")
    (first,) = grown
    theirs = [it for it in evaluation.state.records if it.is_live and it.claim.slot]
    theirs = [it for it in theirs if _serves(evaluation, it.claim) == first]
    return sorted(theirs, key=lambda it: (it.claim.owner == first.owner, it.claim.slot_order))


def _serves(evaluation: Evaluation, key: Key) -> Key:
    """The first claim, of those that one owner has of a sort, which a claim is or has grown from."""
    claim = evaluation.state.claims.get(key)
    own = claim.stands_for or key if claim is not None else key
    return own._replace(slot=own.slot_order[0])


def _staying(
    evaluation: Evaluation, moving: Sequence[Allocation], pool: Key
) -> tuple[Allocation, ...]:
    """What the owner of those that move holds besides, and not of the pool."""
    whose = moving[0].owner.short
    theirs = (it for it in evaluation.state.records if it.is_live and it not in moving)
    return tuple(it for it in theirs if it.owner.short == whose and it.pool != pool and it.range)


def staying_lines(staying: Sequence[Allocation], pool: Key) -> list[str]:
    """What stays where it is, each with what moves it."""
    return [
        f"{format_short(it.range)} of {it.pool.name} stays, also for {it.owner.short}: ipam move"
        f" {it.claim._replace(slot='').short}/{it.claim.slot} --to {pool.name}"
        for it in staying
        if it.range is not None
    ]


def _of_owner(evaluation: Evaluation, text: str) -> list[Key]:
    """Claims of others, such as requests, that hold addresses for whom a text means."""
    records = (it for it in evaluation.state.records if it.is_live)
    return [it.claim for it in records if text in (it.owner.short, it.owner.name)]


def _pool(evaluation: Evaluation, claim: Key, text: str) -> Key:
    """The pool that a text means."""
    pools = [key for key in evaluation.state.pools if key.family == claim.family]
    found = [key for key in pools if text in (str(key), key.short, key.name)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"{text} means several pools", f"name one: {', '.join(map(str, found))}")
    raise UsageError(f"no pool {text!r}", f"there are: {', '.join(key.short for key in pools)}")


def _document(evaluation: Evaluation, claim: Key) -> Document:
    """The document of a person that makes the claim."""
    kind = known_as(claim.family, claim.kind)
    found = evaluation.documents.find(kind, claim.namespace, claim.name)
    if found is None or found.doubt:
        message = f"{claim.kind} {claim.short} is not in the repository, or cannot be read"
        raise UsageError(message, "mend it first: ipam check --worktree")
    return found


def _edited(
    evaluation: Evaluation, documents: Mapping[Key, Document], pool: Key
) -> tuple[tuple[Change, ...], tuple[tuple[Location, str], ...]]:
    """The files in which the documents name the pool, and what was changed in them.

    Args:
        evaluation: Of the work tree.
        documents: By claim. One of several claims is written once, for its first.
        pool: The pool.
    """
    first = {document.identity: key for key, document in reversed([*documents.items()])}
    files, edits = dict[str, bytes](), list[tuple[Location, str]]()
    for key, document in documents.items():
        if first[document.identity] != key:
            continue
        # Another one of the same file may have been written already.
        now = as_of(document, files[document.path]) if document.path in files else document
        written = rewritten(evaluation, now, key, pool)
        files[document.path] = written.data
        edits += written.edits
    return tuple(Change(*it) for it in files.items()), tuple(edits)


def _after(
    source: Source, tree: Tree, changes: Sequence[Change], overrides: Sequence[Override]
) -> Evaluation:
    """The work tree as it is evaluated once both changes were merged."""
    read = reader_of(source, tree.settings).read_source
    # A document is edited, never removed.
    edited = {it.path: read(it.path, it.data) for it in changes if it.data is not None}
    sources = tuple(edited.get(it.path, it) for it in tree.sources)
    counting = (*tree.overrides.counting, *overrides)
    return evaluate(
        replace(
            tree,
            sources=sources,
            overrides=dataclasses.replace(tree.overrides, counting=counting),
        )
    )


def _why(after: Evaluation, claim: Key, documents: Mapping[Key, Document]) -> str:
    """Why a claim does not move although it may."""
    for found in after.findings:
        is_of_it = found.location.path == documents[claim].path
        if found.severity is Severity.ERROR and is_of_it:
            return f"{found.message}; {found.hint}"
    for decision in after.plan.decisions:
        if decision.claim == claim and isinstance(decision, Refuse):
            return f"{decision.message}; {decision.hint}"
    return "what its document follows from cannot be read: ipam check --worktree"


def _standing(tree: Tree, claim: Key) -> str:
    """The path of an Override that counts and lets the claim move; empty for none."""
    found = (
        item.path
        for item in tree.overrides.counting
        if item.kind is OverrideKind.MOVE and item.scope == str(claim)
    )
    return next(found, "")


def _override(wanted: Wanted, claim: Key, pool: Key) -> Override:
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
