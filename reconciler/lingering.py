"""Requests that go on holding addresses for a tenant that a change takes away, and what releases them."""

from collections import Counter

from msgspec.structs import replace

from reconciler.comparison import Base, Compared
from reconciler.documents.document import Document
from reconciler.evaluate import Evaluation
from reconciler.families import family_of_kind
from reconciler.findings import Finding, Location, ordered
from reconciler.model.key import Key
from reconciler.model.plan import Keep
from reconciler.renaming.renamed import Name
from reconciler.renaming.tangles import references


def with_lingering(base: Base, compared: Compared) -> Compared:
    """A comparison in which who names a document that goes, and holds addresses for it, is told so.

    Without a base nobody can tell whether what is named is gone, or still to come.
    """
    evaluation = compared.evaluation
    gone = _gone(base)
    lingering = _lingering(gone, evaluation) if gone else {}
    if not lingering:
        return compared

    def told(found: Finding) -> Finding:
        if found.code != "reference-not-found" or found.location not in lingering:
            return found
        message, hint = lingering[found.location]
        return replace(found, message=message, hint=hint)

    findings = ordered([told(it) for it in evaluation.findings])
    return replace(compared, evaluation=replace(evaluation, findings=findings))


def _gone(base: Base) -> dict[Name, Document]:
    """Documents that go, where no new one of their kind may be they under another name."""
    before, now = base.described.documents, base.described_now.documents
    new = {document.kind.id for identity, document in now.items() if identity not in before}
    gone = (before[identity] for identity in sorted(before) if identity not in now)
    return {_owner(it): it for it in gone if it.kind.id not in new}


def _lingering(
    gone: dict[Name, Document], evaluation: Evaluation
) -> dict[Location, tuple[str, str]]:
    """What is said of those that name who goes, and what to do, by where they name it."""
    held = Counter[Name]()
    for decision in evaluation.plan.decisions:
        if isinstance(decision, Keep) and decision.allocation.is_live:
            held[decision.claim.owner] += decision.allocation.size
    found = {}
    named = references(evaluation.documents)
    for name, document in gone.items():
        for reference in named.get(name, ()):
            who = reference.document
            if count := held[_owner(who)]:
                message = f"{document.title} goes by this change, but {who.title} in {who.file}"
                message += f" still holds {count} addresses for it"
                hint = f"to release them, remove {who.title}, too"
                found[reference.at] = message, hint
    return found


def _owner(document: Document) -> Name:
    family = family_of_kind(document.kind.id)
    name = family.name if family is not None else ""
    return Key(name, document.namespace, document.name, "", document.kind.name).owner
