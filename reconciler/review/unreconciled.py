"""Pins and renames in the plan of the base that no record has yet, and that a change undoes."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, TypeGuard

from reconciler.addresses import IPRange
from reconciler.addresses.notation import format_short
from reconciler.documents.document import Document
from reconciler.engine.lookup import Lookup
from reconciler.engine.usage import space_of
from reconciler.evaluate import Evaluation
from reconciler.families import is_pool
from reconciler.families._former import PLACE, former_of, written
from reconciler.findings import Finding, error, few, warning
from reconciler.model.key import Key
from reconciler.model.plan import Decision, Grant
from reconciler.renaming.links import REFUSED, Link, broken, is_there, links_of
from reconciler.renaming.renamed import Name

if TYPE_CHECKING:
    from reconciler.review.change import Change

_PIN = "pin-withdrawn"
_HINT = "if the addresses are in use: let reconcile go over the base before this change"


def withdrawn_pins(change: "Change") -> Iterator[Finding]:
    """Report pinned ranges that the base allocates, and that the change takes from the claim."""
    if change.is_base_reconciled:
        return
    given = {it.claim: it for it in change.result.plan.decisions if isinstance(it, Grant)}
    lost = {
        it.claim: it
        for it in change.base_plan.plan.decisions
        if _is_pinned(it) and _range(given.get(it.claim)) != it.allocation.range
    }
    for claim, old in lost.items():
        now = _range(given.get(claim))
        message = f"{claim.short} is pinned to {_short(_range(old))} on {change.name}, and has no"
        message += f" record yet: with this change it gets {_short(now)}"
        yield warning(_PIN, old.source, message, _HINT)
    pools = change.result.state.pools
    held = Lookup((it.allocation.range, it) for it in lost.values() if it.allocation.range)
    for new in given.values() if lost else ():
        mine = new.allocation.range
        for _, old in held.overlapping(mine) if mine is not None else ():
            spaces = space_of(pools, new.allocation), space_of(pools, old.allocation)
            if old.claim != new.claim and (spaces[0] == spaces[1] or spaces[1] is None):
                message = f"{_short(mine)} of {new.claim.short} is pinned by {old.claim.short}"
                message += f" on {change.name}, which has no record yet"
                yield error(_PIN, new.source, message, _HINT)


def _is_pinned(decision: Decision) -> TypeGuard[Grant]:
    return isinstance(decision, Grant) and decision.replaces is None and decision.allocation.pinned


def _range(decision: Grant | None) -> IPRange | None:
    return decision.allocation.range if decision is not None else None


def _short(item: IPRange | None) -> str:
    return format_short(item) if item is not None else "nothing"


def undone_renames(change: "Change") -> Iterator[Finding]:
    """Report renames in the base whose records have the old name, and that the change undoes.

    The new name of the base gets the addresses once reconcile has renamed the records. A change
    that drops the former name, or adds a document of the old name, would end that.
    """
    evaluation = change.result
    links = [it for it in links_of(evaluation.documents) if _counts(it)]
    if not _touches(change, links):
        return
    base = change.base_plan
    held, refused = _held(base), {it.location for it in base.findings if it.code == REFUSED}
    taken = {it.before.owner for it in links if not _is_read(it, evaluation)}
    for link in filter(_counts, links_of(base.documents)):
        ranges = held.get(link.before.owner, [])
        if not ranges or link.before.owner in taken or link.document.at(*PLACE) in refused:
            continue
        if _stays(link, base, evaluation):
            continue
        message = f"{link.now.short} takes over {few(ranges)} of {link.before.short} on"
        message += f" {change.name}, where reconcile has not renamed the records yet: with this"
        message += " change no document takes them over"
        hint = (
            f"keep {written(link.before.namespace, link.before.name)} until reconcile has renamed"
        )
        hint += " the records, also under a further name"
        for document in _successors(change, link, links):
            yield error(REFUSED, document.start, message, hint)


def _counts(link: Link) -> bool:
    """Whether a link renames claims, and its file can be read."""
    return not is_pool(link.document.kind.id) and not link.document.unread


def _touches(change: "Change", links: list[Link]) -> bool:
    """Whether the change edits a renamed document, or adds one of a former name."""
    then, now = change.before.documents, change.after.documents
    if any(former_of(it) is not None for it in then.values()):
        return True
    names = [(*it.document.kind.id, it.before.namespace, it.before.name) for it in links]
    return any(it in now and (it not in then or then[it].unread) for it in names)


def _held(base: Evaluation) -> dict[Name, list[str]]:
    """Return the ranges of live records, by the owner that the record files name."""
    held: dict[Name, list[str]] = {}
    for record in base.state.records:
        former = base.state.former.get(record.path)
        claim: Key = (former.claim if former is not None else None) or record.claim
        if record.is_live and record.range is not None:
            held.setdefault(claim.owner, []).append(format_short(record.range))
    return held


def _is_read(link: Link, evaluation: Evaluation) -> bool:
    """Whether a document has the old name, and its file can be read."""
    return is_there(link, evaluation.documents) and not broken(link, evaluation.documents)


def _stays(link: Link, base: Evaluation, evaluation: Evaluation) -> bool:
    """Whether the document of the old name stays in its file, which may be broken in the base."""
    if not is_there(link, base.documents):
        return False
    path, key = broken(link, base.documents), link.before
    now = evaluation.documents.find(link.document.kind.id, key.namespace, key.name)
    return not path or (now is not None and not now.unread and now.path == path)


def _successors(change: "Change", link: Link, links: list[Link]) -> Iterator[Document]:
    """Return the document of the new name, or those that say they had it."""
    identity = link.document.identity
    now = change.after.documents.get(identity)
    mine = (it.document for it in links if it.document.identity == identity)
    if (there := now or next(mine, None)) is not None:
        yield there
    elif identity in change.before.documents:
        further = (it for it in links if it.before.owner == link.now.owner)
        yield from (it.document for it in further if it.now.owner != link.before.owner)
