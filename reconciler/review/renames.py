"""Renames in a change: missing, late, and mistyped former names, and references to removed names."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping

from msgspec.structs import replace

from reconciler.documents.document import Document, Identity
from reconciler.documents.findings import (
    MAX_SUGGESTIONS,
    Finding,
    Location,
    join_limited,
    meant,
    nearest,
    warning,
)
from reconciler.families import is_pool, keeps_addresses, key_of, known_as
from reconciler.families.fields import FORMERLY, PLACE, former_of, written
from reconciler.model.claim import Allocation, Claim
from reconciler.model.key import Key
from reconciler.model.plan import Keep, Release
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.renames import DocumentName, is_there, links_of, references
from reconciler.review.change import Change


def renames(change: Change) -> Iterator[Finding]:
    """Report documents that look renamed, and former names that are late or unknown."""
    likely = {it.location: it for it in _likely(change)}
    unknown = dict(_unknown(change, likely))
    yield from (found for start, found in likely.items() if start not in unknown)
    yield from _late(change)
    yield from unknown.values()


def _likely(change: Change) -> Iterator[Finding]:
    before, now = change.before.documents, change.after.documents
    gone, new = _only(before, now), _only(now, before)
    if not gone or not new:
        return
    named = {(it.kind.id, former_of(it)) for it in new}
    lost = _lost_by_owner(change.result)
    groups: dict[Hashable, tuple[list[Document], list[Document]]] = {}
    held = defaultdict[Hashable, set[frozenset[Key]]](set)
    for old in gone:
        records = lost.get(key_of(old).owner, [])
        if records and (old.kind.id, (old.namespace, old.name)) not in named:
            pool = change.before.pools.get(key_of(old))
            groups.setdefault(signature := _signature(old, pool, records), ([], []))[0].append(old)
            held[signature].add(frozenset(it.pool for it in records))
    claims = defaultdict[DocumentName, list[Claim]](list)
    for claim in change.result.state.claims.values():
        claims[claim.key.owner].append(claim)
    for document in new:
        key = key_of(document)
        asked = claims[key.owner]
        signature = _signature(document, change.after.pools.get(key), asked)
        group, pools = groups.get(signature), {pool for it in asked for pool in it.candidates}
        if group and (is_pool(document.kind.id) or any(it <= pools for it in held[signature])):
            group[1].append(document)
    yield from (_looks_renamed(old, new, lost) for old, new in groups.values() if new)


def _only(side: Mapping[Identity, Document], other: Mapping[Identity, Document]) -> list[Document]:
    found = (it for name, it in sorted(side.items()) if name not in other)
    return [it for it in found if keeps_addresses(it.kind.id)]


def _signature(document: Document, pool: object, asked: list[Allocation] | list[Claim]) -> Hashable:
    if is_pool(document.kind.id):
        return document.kind.id, str(getattr(pool, "extent", "")), getattr(pool, "space", "")
    teams = frozenset(it.owner.team for it in asked)
    return document.kind.id, teams, tuple(sorted((it.type, it.size) for it in asked))


def _looks_renamed(
    gone: list[Document], new: list[Document], lost: Mapping[DocumentName, list[Allocation]]
) -> Finding:
    document = new[0]
    size = sum(record.size for old in gone for record in lost[key_of(old).owner])
    words = "are of no pool" if is_pool(document.kind.id) else "change"
    what = "add to its metadata.annotations"
    if len(gone) == len(new) == 1:
        message = f"this looks like a rename of {gone[0].title}: {size} addresses {words}"
        if former_of(document) is not None:
            what = f"let {'.'.join(PLACE[:-1])} say"
        line = written(gone[0].namespace, gone[0].name)
        return warning("looks-renamed", document.start, message, f"to keep them, {what}: {line}")
    sides = [join_limited([it.title for it in side]) for side in (gone, new)]
    message = f"this looks like a rename: the change removes {sides[0]} and adds {sides[1]}, of the"
    message += f" same team and size: {size} addresses {words}"
    hint = f"to keep them, add to metadata.annotations of each: {FORMERLY}: NAMESPACE/NAME"
    return warning("looks-renamed", document.start, message, hint)


def _lost_by_owner(evaluation: Evaluation) -> dict[DocumentName, list[Allocation]]:
    named = references(evaluation.documents).items()
    tenants = {key_of(it.document).owner: name for name, items in named for it in items}
    found = defaultdict[DocumentName, list[Allocation]](list)
    for decision in evaluation.plan.decisions:
        owner = decision.claim.owner
        if isinstance(decision, Release):
            found[owner].append(decision.allocation)
        elif isinstance(decision, Keep) and decision.allocation.is_live and owner in tenants:
            found[tenants[owner]].append(decision.allocation)
    for record in evaluation.state.records:
        if record.range is not None and record.pool not in evaluation.state.pools:
            found[record.pool.owner].append(record)
    return found


def _new_names(change: Change) -> Iterator[tuple[Identity, Document]]:
    before, now = change.before.documents, change.after.documents
    for identity, document in sorted(now.items(), key=lambda item: item[0]):
        former, old = former_of(document), before.get(identity)
        if former is not None and (old is None or former_of(old) != former):
            yield (*document.kind.id, *former), document


def _late(change: Change) -> Iterator[Finding]:
    every = change.result.state.former.values()
    former = {key for it in every for key in (it.claim, it.pool) if key is not None}
    names = {(*known_as(key.family, key.kind), key.namespace, key.name) for key in former}
    for name, document in _new_names(change):
        if name in names and name not in change.before.documents:
            what = f"{document.kind.name} {written(*name[2:]).partition(': ')[2]}"
            message = f"{what} was gone before this change, and its addresses are taken over"
            hint = "look up who removed it, and whether the two are one"
            yield warning("renamed", document.at(*PLACE), message, hint)


def _unknown(
    change: Change, likely: Mapping[Location, Finding]
) -> Iterator[tuple[Location, Finding]]:
    evaluation, before = change.result, change.before
    links = links_of(evaluation.documents)
    given = {it.document.identity: it for it in links}
    named = {it.before.owner for it in links}
    state = evaluation.state
    keys = [key for it in state.records for key in (it.claim, it.pool)]
    keys += [key for it in state.former.values() for key in (it.claim, it.pool) if key]
    had, unknown = {key.owner for key in keys}, 0
    for name, document in _new_names(change):
        link = given.get(document.identity)
        if link is None or name in before.documents or name in before.broken:
            continue
        if link.before.owner in had or is_there(link, evaluation.documents):
            continue
        what, hint = "", f"set it to the name in {change.name}, or remove the annotation"
        if (seems := likely.get(document.start)) is not None:
            what, hint = seems.message, seems.hint
        elif (unknown := unknown + 1) <= MAX_SUGGESTIONS:
            keys = [
                link.before._replace(namespace=old.namespace, name=old.name)
                for identity, old in sorted(before.documents.items(), key=lambda item: item[0])
                if identity not in change.after.documents and old.kind.id == document.kind.id
            ]
            gone = {key.short: key for key in keys if key.owner not in named}
            near = nearest(link.before.short, gone)
            records_of = _lost_by_owner(evaluation).get(gone[near].owner, []) if near else []
            lost = sum(it.size for it in records_of)
            what = f"{lost} addresses of {near} change" if lost else ""
            hint = meant(link.before.short, gone) or hint
        message = f"{FORMERLY}: {link.title} is not in {change.name}, so {document.title} takes"
        message += f" nothing over: {what}" if what else " nothing over"
        yield document.start, warning("rename-unused", document.at(*PLACE), message, hint)


def dangling_requests(change: Change) -> Iterator[Finding]:
    """Report requests that keep addresses for a tenant that the change removes."""
    evaluation = change.result
    dangling = {it.location: it for it in evaluation.findings if it.code == "reference-not-found"}
    before, now = change.before.documents, change.after.documents
    # A new document of the same kind may be a rename.
    new = {document.kind.id for identity, document in now.items() if identity not in before}
    removed = [before[identity] for identity in sorted(before) if identity not in now]
    gone = {key_of(it).owner: it for it in removed if it.kind.id not in new}
    if not dangling or not gone:
        return
    held = Counter[DocumentName]()
    for decision in evaluation.plan.decisions:
        if isinstance(decision, Keep) and decision.allocation.is_live:
            held[decision.claim.owner] += decision.allocation.size
    named = references(evaluation.documents)
    for name, document in gone.items():
        for reference in named.get(name, ()):
            who = reference.document
            count = held[key_of(who).owner]
            found = dangling.get(who.at(*reference.place))
            if found is not None and count:
                message = f"this change removes {document.title}, but {who.title} in {who.file}"
                message += f" still holds {count} addresses for it"
                hint = f"to release them, also remove {who.title}"
                yield replace(found, message=message, hint=hint)
