"""Renames in a change: missing, late, and mistyped former names, and references to removed names."""

from collections import defaultdict
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
    plural,
    warning,
)
from reconciler.families import is_pool, keeps_addresses, key_of, known_as
from reconciler.families.fields import FORMERLY, PLACE, former_of, written
from reconciler.model.claim import Allocation, Claim
from reconciler.model.key import Key
from reconciler.model.plan import Keep, Release
from reconciler.model.pool import Pool
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
    yield from _entries(change)


def _entries(change: Change) -> Iterator[Finding]:
    """Report entries of a document that look renamed."""
    before, result = change.before.documents, change.result
    gone = defaultdict[DocumentName, dict[str, list[Allocation]]](dict)
    new = defaultdict[DocumentName, dict[str, set[Key]]](dict)
    kept = set[tuple[DocumentName, str]]()
    for it in result.plan.decisions:
        entry, dot, _ = it.claim.slot.partition(".")
        if dot and isinstance(it, Release):
            gone[it.claim.owner].setdefault(entry, []).append(it.allocation)
        elif dot and it.claim in result.state.claims:
            pools = result.state.claims[it.claim].candidates
            new[it.claim.owner].setdefault(entry, set()).update(pools)
            kept |= {(it.claim.owner, entry)} if isinstance(it, Keep) else set()
    for name, document in sorted(change.after.documents.items()) if gone else ():
        owner, old = key_of(document).owner, before.get(name)
        if owner not in gone or old is None or old.data == document.data:
            continue
        left = {entry: it for entry, it in gone[owner].items() if entry not in new[owner]}
        added = {entry: it for entry, it in new[owner].items() if (owner, entry) not in kept}
        if len(left) == len(added) == 1:
            ((former, records),), ((entry, served),) = left.items(), added.items()
            if served & {it.pool for it in records}:
                size = sum(it.size for it in records)
                message = f"entry {entry} looks like a rename of {former}: {plural(size, 'address')} change{'s' * (size == 1)}"
                hint = f"add formerly: {former} to entry {entry} to keep the addresses"
                yield warning("looks-renamed", document.start, message, hint)


def _likely(change: Change) -> Iterator[Finding]:
    before, now = change.before, change.after
    gone, new = _only(before.documents, now.documents), _only(now.documents, before.documents)
    if not gone or not new:
        return
    lost, claims = _lost_by_owner(change.result), defaultdict[DocumentName, list[Claim]](list)
    served = defaultdict[DocumentName, set[Key]](set)
    for claim in change.result.state.claims.values():
        claims[claim.key.owner].append(claim)
        served[claim.key.owner].update(claim.candidates)
    former = {it.identity: (*it.kind.id, *(former_of(it) or ())) for it in new}
    named = set(former.values())
    gone = [it for it in gone if it.identity not in named and lost[key_of(it).owner]]
    new = [it for it in new if former[it.identity] not in before.documents]
    keys = {it.identity: _keys(it, before.pools, lost[key_of(it).owner]) for it in gone}
    keys |= {it.identity: _keys(it, now.pools, claims[key_of(it).owner]) for it in new}
    for step in range(4):
        groups = defaultdict[Hashable, list[Document]](list)
        for it in (it for it in (*gone, *new) if it.identity in keys):
            groups[keys[it.identity][step]].append(it)
        for group in groups.values():
            old = [it for it in group if it.identity in before.documents]
            pools = {record.pool for it in old for record in lost[key_of(it).owner]}
            added = [it for it in group if it.identity in now.documents]
            added = [it for it in added if pools & (served[key_of(it).owner] or pools)]
            if old and added and (step == 3 or len(old) == len(added) == 1):
                yield _looks_renamed(change, old, added, lost, claims)
                for it in (*old, *added):
                    del keys[it.identity]


def _only(side: Mapping[Identity, Document], other: Mapping[Identity, Document]) -> list[Document]:
    found = (it for name, it in sorted(side.items()) if name not in other)
    return [it for it in found if keeps_addresses(it.kind.id)]


def _keys(
    document: Document, pools: Mapping[Key, Pool], asked: list[Allocation] | list[Claim]
) -> tuple[Hashable, ...]:
    """Return what both names of a document have in common, closest match first."""
    kind, path = document.kind.id, document.path
    if is_pool(kind):
        pool = pools.get(key_of(document))
        return ((kind, str(getattr(pool, "extent", "")), getattr(pool, "space", "")),) * 4
    teams = frozenset(it.owner.team for it in asked)
    sizes = tuple(sorted((it.type, it.size) for it in asked))
    return (kind, path, document.name), (kind, path, teams), (kind, teams, sizes), (kind, teams)


def _looks_renamed(
    change: Change,
    gone: list[Document],
    new: list[Document],
    lost: Mapping[DocumentName, list[Allocation]],
    claims: Mapping[DocumentName, list[Claim]],
) -> Finding:
    document = new[0]
    records = [record for old in gone for record in lost[key_of(old).owner]]
    size = sum(record.size for record in records)
    words = "would have no pool" if is_pool(document.kind.id) else "change" + "s" * (size == 1)
    if len(gone) == len(new) == 1:
        message = f"{document.title} looks renamed from {gone[0].title}; {plural(size, 'address')} {words}"
        what = "add the annotation"
        if former_of(document):
            what = f"change {'.'.join(PLACE[:-1])} to:"
        hint = f"to keep the addresses, {what} {written(gone[0].namespace, gone[0].name)}"
    else:
        sides = [join_limited([it.title for it in side]) for side in (gone, new)]
        message = f"this looks like a rename: the change removes {sides[0]} and adds {sides[1]} of the same team; {plural(size, 'address')} {words}"
        hint = (
            f"add {FORMERLY}: NAMESPACE/NAME to metadata.annotations of each to keep the addresses"
        )
    named = references(change.result.documents)
    if held := [it.document.title for old in gone for it in named.get(key_of(old).owner, ())]:
        hint += f", and set tenantClusterRef of {join_limited(held)} to the new name"
    team = records[0].owner.team
    if any(it.owner.team != team for it in claims[key_of(document).owner]):
        hint += f", and keep it in team {team} (TenantCluster: spec.teamRef)"
    return warning("looks-renamed", document.start, message, hint)


def _lost_by_owner(evaluation: Evaluation) -> defaultdict[DocumentName, list[Allocation]]:
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
            message = f"{what} was removed before this change, and {document.title} takes over its addresses"
            hint = "check that the two are the same; git log shows who removed it"
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
                replace(link.before, namespace=old.namespace, name=old.name)
                for identity, old in sorted(before.documents.items(), key=lambda item: item[0])
                if identity not in change.after.documents and old.kind.id == document.kind.id
            ]
            gone = {key.short: key for key in keys if key.owner not in named}
            near = nearest(link.before.short, gone)
            lost = near and sum(it.size for it in _lost_by_owner(evaluation)[gone[near].owner])
            what = f"{plural(lost, 'address')} of {near} change" if lost else ""
            hint = meant(link.before.short, gone) or hint
        message = f"{FORMERLY}: {link.title} is not in {change.name}, so {document.title} takes"
        message += f" over no addresses: {what}" if what else " over no addresses"
        yield document.start, warning("rename-unused", document.at(*PLACE), message, hint)


def dangling_requests(change: Change) -> Iterator[Finding]:
    """Report requests that keep addresses for a tenant that the change removes."""
    evaluation = change.result
    dangling = {it.location: it for it in evaluation.findings if it.code == "reference-not-found"}
    before, now = change.before.documents, change.after.documents
    gone = [before[identity] for identity in sorted(before) if identity not in now]
    if not dangling or not gone:
        return
    new = {document.kind.id for identity, document in now.items() if identity not in before}
    lost, named = _lost_by_owner(evaluation), references(evaluation.documents)
    for document in gone:
        for reference in named.get(key_of(document).owner, ()):
            who, records = reference.document, lost[key_of(document).owner]
            count = sum(it.size for it in records if it.claim.owner == key_of(who).owner)
            found = dangling.get(who.at(*reference.place))
            if found is not None and count:
                message = f"this change removes {document.title}, but {who.title} in {who.file} still holds {plural(count, 'address')} for it"
                hint = f"also remove {who.title} to release them"
                if document.kind.id in new:
                    hint = f"set tenantClusterRef to the new name after a rename; {hint}"
                yield replace(found, message=message, hint=hint)
