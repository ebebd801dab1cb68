"""Removed, broken, and preexisting documents."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import islice

from msgspec.structs import replace

from reconciler.addresses import IPSet, format_short
from reconciler.documents.document import Document
from reconciler.documents.findings import (
    Finding,
    Location,
    Severity,
    error,
    info,
    join_limited,
    plural,
    warning,
)
from reconciler.documents.load import upwards
from reconciler.families import key_of, role_of
from reconciler.model.errors import GitError, LimitError
from reconciler.model.plan import Blocked, Gateway, Grant, Keep
from reconciler.model.pool import DEFAULT_SPACE
from reconciler.model.settings import PATH, OverrideKind
from reconciler.planning.documents import elsewhere, is_elsewhere, is_suspect
from reconciler.planning.evaluate import Evaluation, evaluate
from reconciler.planning.space import Lookup, space_of
from reconciler.review.change import Change, Given, gives, granted
from reconciler.review.pools import levels

_MAX_FIELDS = 5
_MAX_NAME = 80


def shared_documents(change: Change) -> Iterator[Finding]:
    """Report pools, providers, and teams that are new or differ."""
    before, now = change.before, change.after
    for identity in sorted(now.documents):
        document = now.documents[identity]
        role, old = role_of(document.kind), before.documents.get(identity)
        if not role or (old is not None and old.body == document.body):
            continue
        if old is not None:
            parts = [it for it, *_ in islice(differing(old.body, document.body), _MAX_FIELDS + 1)]
            more = ", and more" if len(parts) > _MAX_FIELDS else ""
            message = f"differs from {change.name}: {', '.join(parts[:_MAX_FIELDS])}{more}"
            yield info(f"{role}-changed", document.start, f"{document.title} {message}")
        elif identity in before.broken:
            message = f"{document.title} cannot be read in {change.name}"
            yield info(f"{role}-changed", document.start, message)
        else:
            message = f"{document.title} is new"
            if (pool := now.pools.get(key_of(document))) is not None:
                space = f" in address space {pool.space}" if pool.space != DEFAULT_SPACE else ""
                message += f": {', '.join(map(format_short, pool.extent))}{space}, capacity limit {levels(pool)}"
            yield info(f"{role}-added", document.start, message)


def differing(old: object, new: object, path: str = "") -> Iterator[tuple[str, object, object]]:
    """Yield the fields that differ, each with both values; None if it is missing."""
    if old == new:
        return
    if not (isinstance(old, Mapping) and isinstance(new, Mapping)):
        yield path, old, new
        return
    for name in sorted({**old, **new}):
        below = f"{path}.{name[:_MAX_NAME]}" if path else name
        yield from differing(old.get(name), new.get(name), below)


def manual_ranges(change: Change) -> Iterator[Finding]:
    """Report ranges without a record that are new or differ."""
    evaluation = change.result
    given = (it for it in evaluation.plan.decisions if isinstance(it, Grant | Keep))
    recorded = {(it.claim, it.allocation.range) for it in given}
    pins = {
        it.title
        for it in evaluation.state.blocked
        if it.by_hand and (it.by_hand.claim, it.range) in recorded
    }
    for title, item in change.after.by_hand.items():
        old = change.before.by_hand.get(title)
        text = format_short(item.range)
        if old is None and title not in pins:
            message = f"{text} of {title} is new, and has no record"
            yield info("manual-range-added", item.source, message)
        elif old is not None and old.range != item.range:
            message = f"{text} of {title} was {format_short(old.range)} in {change.name}"
            yield info("manual-range-changed", item.source, message)


def freed_ranges(change: Change) -> Iterator[Finding]:
    """Report ranges, pins, and gateways of the base that nothing holds in the merge result."""
    if not (change.before.by_hand or change.is_shared) and change.is_base_reconciled:
        return
    base, now, grants = change.base_plan, change.result.state, granted(change.result)
    pins = [it for it in granted(base) if it[1].allocation.pinned and it[1].replaces is None]
    held = [(it, (it.by_hand and it.by_hand.pools) or ()) for it in base.state.blocked]
    held[:0] = [(Blocked(i, it.claim.short, it.source), (it.allocation.pool,)) for i, it in pins]
    usable = IPSet.of(block for pool in now.pools.values() for block in pool.usable)
    routers = (it for it in base.state.gateways if usable.covers(it.range))
    held += [(Blocked(it.range, it.title, it.source), it.pools) for it in routers]
    users: list[Blocked | Gateway] = [*now.blocked, *now.off_limits, *now.gateways]
    used, places = IPSet.of(it.range for it in users), {it.title: it.source for it in now.blocked}
    records = Lookup((it.range, it) for it in now.records if it.range is not None)
    found, space = Lookup(grants), partial(space_of, now.pools)
    every = {it.space for it in now.pools.values()}
    for (*_, pools), item in {(it.owner, it.range, pools): it for it, pools in held}.items():
        known = {it.space for key in pools if (it := base.state.pools.get(key)) is not None}
        where, whole = {None, *(known or every)}, IPSet((item.range,))
        given = [it for it in found.overlapping(item.range) if space(it[1].allocation) in where]
        owners = (
            (it, {it[1].allocation.owner.short, it[1].claim.short.partition(" ")[0]})
            for it in given
        )
        others = [it for it, names in owners if item.owner not in names]
        there = [part for part, it in records.overlapping(item.range) if space(it) in where]
        free = whole - ((whole & used) - IPSet.of(part for part, _ in given))
        free -= IPSet.of((*there, *(it[0] for it in given if it not in others)))
        if free and not item.source.path.startswith(f"{change.base_settings.observed}/"):
            is_edited = item.source.path in change.paths or PATH not in change.paths
            place = item.source if is_edited else Location(PATH, 1, 1)
            lost = f"{item.title} no longer holds {join_limited(list(map(format_short, free)))}"
            yield _freed(change, places.get(item.title, place), lost, others)


def _freed(change: Change, place: Location, lost: str, others: Sequence[Given]) -> Finding:
    allow, code = change.result.tree.overrides.allow, "manual-range-removed"
    message = f"{lost}, and no record holds them{gives(others)}"
    scopes = [str(it.claim) for _, it in others]
    if denied := [it for it in scopes if not allow(OverrideKind.RECORD, it)]:
        hint = (
            "remove the range in a separate change first, or first merge an Override of kind record"
        )
        return error(code, place, message, f"{hint} for {denied[0]}")
    message += "; an Override permits this" if others else ""
    return warning(code, place, message, "make sure that no device uses the range, or keep it")


_REBASE = "drop the commit, because a new one cannot undo it: git rebase -i"
MAX_FILES, MAX_READ = 1_000, 100
"""The numbers of changed files that are searched for a known API, and of files that are read."""


def removed_while_broken(change: Change) -> Iterator[Finding]:
    """Report the errors that a removal causes when a broken file is readable again.

    A removed document can be in an unreadable file, so it counts until then (ADR 0006). A broken
    file that the change does not touch cannot have gained it.
    """
    evaluation = change.result
    gone = [
        it
        for it in evaluation.tree.last_good.documents
        if it.identity in change.before.documents
        and it.identity not in change.after.documents
        and it.unread not in change.paths
    ]
    path = next(iter(sorted({it.unread for it in gone})), "")
    why = f" (because {path} cannot be read)"
    for found in without(evaluation, gone):
        yield replace(found, message=f"{found.message}{why}")


def without(evaluation: Evaluation, gone: Collection[Document]) -> Iterable[Finding]:
    """Return the errors that the removal of some last readable versions of documents causes."""
    if not gone:
        return ()
    tree, left_out = evaluation.tree, {it.identity for it in gone}
    documents = tuple(it for it in tree.last_good.documents if it.identity not in left_out)
    last_good = replace(tree.last_good, documents=documents)
    other = evaluate(replace(tree, last_good=last_good))
    errors = [it for it in other.findings if it.severity is Severity.ERROR]
    known = (*evaluation.findings, *evaluation.gates)
    return [it for it in (*errors, *other.gates) if it not in known]


def files_not_read(change: Change) -> Iterator[Finding]:
    """Report files of the change outside the source folders with documents of a known API.

    A mistyped folder looks like any other, and its tenant gets no addresses.
    """
    repository, settings = change.repository, change.settings
    head = change.head if change.head.revision() is not None else repository.source("HEAD")
    start, end = change.base.revision(), head.revision()
    if start is None or end is None:
        return
    try:
        changes, _ = repository.changed(start.id, end.id)
        there = [it.new for it in changes if it.new is not None and it.new.is_file]
        outside = [it for it in there if is_elsewhere(it.path, settings)]
        some = outside[:MAX_FILES]
        suspects = [
            it for it, is_one in zip(some, head.each(some, is_suspect), strict=True) if is_one
        ]
        folders = {folder for it in suspects[:MAX_READ] for folder in upwards(it.path)[:-1]}
        marks = {f"{it}/{name}": f"{it}/" for it in folders for name in (PATH, settings.records)}
        roots = tuple(marks[it.path] for it in change.base.entries_at(sorted(marks)) or ())
        read = [it for it in suspects[:MAX_READ] if not it.path.startswith(roots)]
        found = head.each(read, partial(elsewhere, settings=settings))
        yield from (it for it in found if it is not None)
        if left := len(outside) - len(some) + len(suspects[MAX_READ:]):
            yield _left_out(plural(left, "changed file"))
    except (GitError, LimitError):
        yield _left_out("changed files")


_MAX_UNUSABLE = 20


def unusable_objects(change: Change) -> Iterator[Finding]:
    """Report objects of the commits that Git, or a checkout, cannot use, anywhere in the tree."""
    repository, root = change.repository, change.repository.root
    base, head = change.base.revision(), change.head.revision() or repository.resolve("HEAD")
    try:
        found = repository.unusable(base.id, head.id) if base is not None else ()
        for path, commit, why in islice(found, _MAX_UNUSABLE):
            is_inside = bool(path) and (not root or path.startswith(f"{root}/"))
            place = path[len(root) + 1 if root else 0 :] if is_inside else "."
            message = f"commit {commit[:12]}: {'' if is_inside else f'{path}: ' * bool(path)}{why}"
            yield error("path-invalid", Location(place), message, f"{_REBASE} {change.name}")
    except LimitError as failure:
        yield error("path-invalid", Location("."), str(failure), f"{_REBASE} {change.name}")


def _left_out(what: str) -> Finding:
    message = f"{what} outside the source folders not checked for misplaced documents"
    return info("file-not-read", Location("."), message)
