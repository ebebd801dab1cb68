"""Renames of a base whose records bear the old name still, and a change that undoes them.

Reconcile has not gone over them yet, or it waits for a file that cannot be read. By the base the
records go on under the new name, and clusters announce them: whoever takes the old one, or has the
new one no more, gets what lives there, or lets it go.
"""

from collections.abc import Callable, Iterator

from msgspec.structs import replace

from reconciler.addresses.notation import format_short
from reconciler.comparison import Base, Compared
from reconciler.documents.document import Document
from reconciler.evaluate import Evaluation
from reconciler.families import is_pool
from reconciler.families._former import PLACE, former_of, written
from reconciler.findings import Finding, error, few, ordered
from reconciler.model.plan import Grant, Keep
from reconciler.renaming.links import REFUSED, Link, broken, is_there, links_of
from reconciler.renaming.renamed import Name

_HINT = "let reconcile go over the base before this change"


def with_renames_before(compared: Compared, name: str, base: Evaluation) -> Compared:
    """A comparison with what is told of renames that the base has, and the change undoes.

    Args:
        compared: With all else that is told of the change.
        name: What the base is called.
        base: Its evaluation, which reconcile has not gone over yet.
    """
    undone = _undone(name, base, compared.evaluation) if base.state.former else ()
    return _with(compared, [*undone])


def with_renames_waiting(
    compared: Compared, base: Base, planned: Callable[[], Evaluation]
) -> Compared:
    """A comparison with what is told of renames that wait on the base, and that the change undoes.

    They wait for a file that may describe the old name, however often reconcile goes over them.

    Args:
        compared: With all else that is told of the change.
        base: The base.
        planned: Its evaluation. It is asked for only where the change touches a rename.
    """
    evaluation = compared.evaluation
    every = links_of(evaluation.documents)
    # What counts as it was, because a file is broken, is not what the change says.
    links = [it for it in every if not (is_pool(it.document.kind.id) or it.document.unread)]
    if not _touches(base, links):
        return compared
    before = planned()
    return _with(compared, [*_given_up(base, before, evaluation, links)])


def _with(compared: Compared, found: list[Finding]) -> Compared:
    evaluation = compared.evaluation
    if not found:
        return compared
    findings = ordered([*evaluation.findings, *found])
    return replace(compared, evaluation=replace(evaluation, findings=findings))


def _touches(base: Base, links: list[Link]) -> bool:
    """A document of the base that was renamed differs, or a new one has a former name."""
    then, now = base.described.documents, base.described_now.documents
    if any(former_of(it) is not None for it in then.values()):
        return True
    names = [(*it.document.kind.id, it.before.namespace, it.before.name) for it in links]
    return any(it in now and (it not in then or then[it].unread) for it in names)


def _given_up(
    base: Base, before: Evaluation, evaluation: Evaluation, links: list[Link]
) -> Iterator[Finding]:
    """What is said where nobody takes over what waits, while its new name goes on."""
    refused = {it.location for it in before.findings if it.code == REFUSED}
    taken = {it.before.owner for it in links if not _is_read(it, evaluation)}
    held = _held(before)
    for link in links_of(before.documents):
        ranges = held.get(link.before.owner, [])
        if not ranges or is_pool(link.document.kind.id) or link.document.at(*PLACE) in refused:
            continue
        if link.before.owner in taken or _goes_on(link, before, evaluation):
            continue
        message = f"{link.now.short} waits on {base.name} for {few(ranges)} of {link.before.short},"
        message += " until all files can be read: with this change nobody takes them over"
        hint = f"keep {written(link.before.namespace, link.before.name)} until reconcile has moved"
        hint += " the records, also under a further name"
        for document in _going_on(base, link, links):
            yield error(REFUSED, document.start, message, hint)


def _held(before: Evaluation) -> dict[Name, list[str]]:
    """What those hold by live records whose name something had before."""
    held: dict[Name, list[str]] = {it.before.owner: [] for it in links_of(before.documents)}
    for record in before.state.records:
        if record.claim.owner in held and record.is_live and record.range is not None:
            held[record.claim.owner].append(format_short(record.range))
    return held


def _is_read(link: Link, evaluation: Evaluation) -> bool:
    """Something has the old name, and not only because it was there when a file broke."""
    documents = evaluation.documents
    return is_there(link, documents) and not broken(link, documents)


def _goes_on(link: Link, before: Evaluation, evaluation: Evaluation) -> bool:
    """What has the old name on the base is no other by the change: read there, or read here again."""
    if not is_there(link, before.documents):
        return False
    path, key = broken(link, before.documents), link.before
    now = evaluation.documents.find(
        link.document.kind.id, key.namespace, key.name, asker=link.document.file
    )
    return not path or (now is not None and not now.unread and now.path == path)


def _going_on(base: Base, link: Link, links: list[Link]) -> Iterator[Document]:
    """The documents of the change that are what the new name was; none where that is gone."""
    identity = link.document.identity
    now = base.described_now.documents.get(identity)
    mine = (it.document for it in links if it.document.identity == identity)
    if (there := now or next(mine, None)) is not None:
        yield there
    elif identity in base.described.documents:
        further = (it for it in links if it.before.owner == link.now.owner)
        yield from (it.document for it in further if it.now.owner != link.before.owner)


def _undone(name: str, base: Evaluation, evaluation: Evaluation) -> Iterator[Finding]:
    """What is said of each claim that does not keep what it would have kept."""
    decided = [it for it in evaluation.plan.decisions if isinstance(it, Grant | Keep)]
    given = {it.claim: it.allocation.range for it in decided}
    heirs = {it.before.owner: it.document.start for it in links_of(evaluation.documents)}
    for kept in base.plan.decisions:
        if not isinstance(kept, Keep) or (held := kept.allocation.range) is None:
            continue
        former, claim = base.state.former.get(kept.allocation.path), kept.claim
        asks = evaluation.state.claims.get(claim)
        place = asks.source if asks is not None else heirs.get(claim.owner)
        if former is None or former.claim is None or place is None or given.get(claim) == held:
            continue
        new = given.get(claim)
        message = f"{claim.short} has {format_short(held)} of {former.claim.short} on {name}, where"
        message += " reconcile has not renamed the record yet: with this change it gets"
        yield error(REFUSED, place, f"{message} {format_short(new) if new else 'nothing'}", _HINT)
