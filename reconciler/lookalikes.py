"""Renames in a change: which document seems to be one that went, and which takes over what was left.

Nothing is given by likeness. It is told, with the line that would keep the addresses.
"""

from collections.abc import Iterator
from dataclasses import replace

from reconciler.comparison import Base, Compared
from reconciler.documents.document import Document, Identity
from reconciler.evaluate import Evaluation
from reconciler.families import family_of_kind, keeps_addresses, known_as
from reconciler.families._former import PLACE, former_of, written
from reconciler.findings import Finding, ordered, warning
from reconciler.model.key import Key
from reconciler.model.plan import Release

_HEAD = ("apiVersion", "kind", "metadata")


def with_renames(base: Base, compared: Compared) -> Compared:
    """A comparison with what seems to be a rename, and with a rename that comes late."""
    evaluation = compared.evaluation
    found = [*_lookalikes(base, evaluation), *_late(base, evaluation)]
    if not found:
        return compared
    merged = ordered([*evaluation.findings, *found])
    return replace(compared, evaluation=replace(evaluation, findings=merged))


def _lookalikes(base: Base, evaluation: Evaluation) -> Iterator[Finding]:
    """New documents that say what one said that went, and get other addresses than that has."""
    before, now = base.described.documents, base.described_now.documents
    gone = {identity: before[identity] for identity in sorted(before) if identity not in now}
    gone = {it: document for it, document in gone.items() if keeps_addresses(document.kind.id)}
    new = [now[identity] for identity in sorted(now) if identity not in before]
    lost = _lost(evaluation) if gone and new else {}
    # A whole namespace may be renamed: of many that are alike those of one name belong together.
    for is_namesake in (True, False):
        for document in [*new]:
            old = _likeness(document, gone, lost, is_namesake=is_namesake)
            if old is not None:
                new.remove(document)
                del gone[old.identity]
                yield _looks(document, old, *lost[_key(old)])


def _likeness(
    document: Document,
    gone: dict[Identity, Document],
    lost: dict[Key, tuple[int, str]],
    *,
    is_namesake: bool,
) -> Document | None:
    """The document that one seems to have been, or None."""
    return next(
        (
            old
            for old in gone.values()
            if old.kind.id == document.kind.id
            and _key(old) in lost
            and (old.name == document.name or not is_namesake)
            and former_of(document) != (old.namespace, old.name)
            and _said(old) == _said(document)
        ),
        None,
    )


def _looks(document: Document, old: Document, count: int, what: str) -> Finding:
    message = f"this looks like a rename of {old.title}: {count} {what}"
    hint = f"to keep them, add to its metadata.annotations: {written(old.namespace, old.name)}"
    return warning("looks-renamed", document.start, message, hint)


def _said(document: Document) -> dict[str, object]:
    """What a document says but for its name, and what it is called by the way."""
    return {key: value for key, value in document.body.items() if key not in _HEAD}


def _lost(evaluation: Evaluation) -> dict[Key, tuple[int, str]]:
    """How many addresses each owner loses by the plan, or each pool that is gone still has given."""
    found: dict[Key, int] = {}
    for decision in evaluation.plan.decisions:
        if isinstance(decision, Release):
            owner = decision.claim._replace(slot="")
            found[owner] = found.get(owner, 0) + decision.allocation.size
    told = {key: (count, "addresses change") for key, count in found.items()}
    held: dict[Key, int] = {}
    for record in evaluation.state.records:
        if record.range is not None and record.pool not in evaluation.state.pools:
            held[record.pool] = held.get(record.pool, 0) + record.range.size
    return told | {key: (count, "addresses are of no pool") for key, count in held.items()}


def _key(document: Document) -> Key:
    family = family_of_kind(document.kind.id)
    name = family.name if family is not None else ""
    return Key(name, document.namespace, document.name, "", document.kind.name)


def _late(base: Base, evaluation: Evaluation) -> Iterator[Finding]:
    """Renames of what was gone before the change: nobody who reviews it sees whose it was."""
    before, now = base.described.documents, base.described_now.documents
    every = evaluation.state.former.values()
    former = {key for it in every for key in (it.claim, it.pool) if key is not None}
    names = {(*known_as(key.family, key.kind), key.namespace, key.name) for key in former}
    for identity, document in sorted(now.items(), key=lambda item: item[0]):
        said, old = former_of(document), before.get(identity)
        if said is None or (old is not None and former_of(old) == said):
            continue
        name = (*document.kind.id, *said)
        if name in names and name not in before:
            what = f"{document.kind.name} {written(*said).partition(': ')[2]}"
            message = f"{what} was gone before this change, and its addresses are taken over"
            hint = "look up who removed it, and whether the two are one"
            yield warning("renamed", document.at(*PLACE), message, hint)
