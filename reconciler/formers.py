"""Former names that a change gives: of what its base has no more, and of what nothing ever was.

Whoever mistypes one keeps nothing, and what was renamed loses its addresses: that is told, with
the name that was meant.
"""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from reconciler.comparison import Base, Compared
from reconciler.documents.document import Document, Identity
from reconciler.evaluate import Evaluation
from reconciler.families import known_as
from reconciler.families._former import FORMERLY, PLACE, former_of, written
from reconciler.findings import Finding, Location, meant, nearest, ordered, warning
from reconciler.model.key import Key
from reconciler.model.plan import Release
from reconciler.renaming.links import Link, is_there, links_of
from reconciler.renaming.renamed import Name


def with_formers(base: Base, compared: Compared) -> Compared:
    """A comparison with renames that come late, and with former names that nobody had."""
    evaluation = compared.evaluation
    likely = {it.location: it for it in evaluation.findings if it.code == "looks-renamed"}
    unknown = dict(_unknown(base, evaluation, likely))
    found = [*_late(base, evaluation), *unknown.values()]
    if not found:
        return compared
    twice = [it for start, it in likely.items() if start in unknown]
    rest = (it for it in evaluation.findings if it not in twice)
    merged = ordered([*rest, *found])
    return replace(compared, evaluation=replace(evaluation, findings=merged))


def _new(base: Base) -> Iterator[tuple[Identity, Document]]:
    """Documents that say by the change what they were called, and what that was."""
    before, now = base.described.documents, base.described_now.documents
    for identity, document in sorted(now.items(), key=lambda item: item[0]):
        said, old = former_of(document), before.get(identity)
        if said is not None and (old is None or former_of(old) != said):
            yield (*document.kind.id, *said), document


def _late(base: Base, evaluation: Evaluation) -> Iterator[Finding]:
    """Renames of what was gone before the change: nobody who reviews it sees whose it was."""
    every = evaluation.state.former.values()
    former = {key for it in every for key in (it.claim, it.pool) if key is not None}
    names = {(*known_as(key.family, key.kind), key.namespace, key.name) for key in former}
    for name, document in _new(base):
        if name in names and name not in base.described.documents:
            what = f"{document.kind.name} {written(*name[2:]).partition(': ')[2]}"
            message = f"{what} was gone before this change, and its addresses are taken over"
            hint = "look up who removed it, and whether the two are one"
            yield warning("renamed", document.at(*PLACE), message, hint)


def _unknown(
    base: Base, evaluation: Evaluation, likely: Mapping[Location, Finding]
) -> Iterator[tuple[Location, Finding]]:
    """Former names that nothing has or had, each with the start of the document that gives it.

    Args:
        base: The base.
        evaluation: Of the change.
        likely: What looks renamed, by the start of its document: that is who was meant.
    """
    before, links = base.described, links_of(evaluation.documents)
    given = {it.document.identity: it for it in links}
    named = {it.before.owner for it in links}
    had = _holders(evaluation)
    for name, document in _new(base):
        link = given.get(document.identity)
        if link is None or name in before.documents or name in before.broken:
            continue
        if link.before.owner in had or is_there(link, evaluation.documents):
            continue
        gone = {key.short: key for key in _gone(base, link) if key.owner not in named}
        if (seems := likely.get(document.start)) is not None:
            what, hint = seems.message, seems.hint
        else:
            what, hint = _meant(base, evaluation, link, gone)
        message = f"{FORMERLY}: {link.title} is not in {base.name}, so {document.title} takes"
        message += f" nothing over: {what}" if what else " nothing over"
        yield document.start, warning("rename-unused", document.at(*PLACE), message, hint)


def _meant(
    base: Base, evaluation: Evaluation, link: Link, gone: Mapping[str, Key]
) -> tuple[str, str]:
    """What the one loses that was meant, of those that go; and what to write."""
    near = nearest(link.before.short, gone)
    lost = _lost(evaluation, gone[near].owner) if near else 0
    other = f"name what it was called in {base.name}, or remove the annotation"
    hint = meant(link.before.short, gone) or other
    return f"{lost} addresses of {near} change" if lost else "", hint


def _holders(evaluation: Evaluation) -> set[Name]:
    """Whose name some record bears, or bore until it went along."""
    keys = [key for it in evaluation.state.records for key in (it.claim, it.pool)]
    keys += [key for it in evaluation.state.former.values() for key in (it.claim, it.pool) if key]
    return {key.owner for key in keys}


def _gone(base: Base, link: Link) -> Iterator[Key]:
    """The keys of documents of the same kind that go by the change."""
    now = base.described_now.documents
    for identity, document in sorted(base.described.documents.items(), key=lambda item: item[0]):
        if identity not in now and document.kind.id == link.document.kind.id:
            yield link.before._replace(namespace=document.namespace, name=document.name)


def _lost(evaluation: Evaluation, owner: Name) -> int:
    """How many addresses somebody loses by the plan, or a pool that is gone still has given."""
    released = (it.allocation for it in evaluation.plan.decisions if isinstance(it, Release))
    lost = sum(it.size for it in released if it.claim.owner == owner)
    pools = evaluation.state.pools
    left = (it for it in evaluation.state.records if it.pool not in pools and it.range is not None)
    return lost + sum(it.size for it in left if it.pool.owner == owner)
