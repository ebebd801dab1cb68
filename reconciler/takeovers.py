"""New documents whose names have addresses from before: who had the name may have been another.

A name that comes back keeps what it held, as long as that is there. A removal and a new document
that each look harmless would so hand one team's addresses to another.
"""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from reconciler.addresses.notation import format_short
from reconciler.comparison import Base, Compared
from reconciler.documents.document import Document, Identity
from reconciler.evaluate import Evaluation
from reconciler.families import family_of_kind
from reconciler.findings import Finding, error, few, ordered, warning
from reconciler.model.allocation import Allocation
from reconciler.ownership import NOT_YOURS, Rules, asking_of, contracts_of
from reconciler.records.by_hand import Records

_Name = tuple[str, str, str, str]


def with_takeovers(base: Base, compared: Compared) -> Compared:
    """A comparison with what is said of each new document that takes over what is there."""
    evaluation = compared.evaluation
    found = [*_told(base, evaluation), *_handed_on(base, evaluation)]
    if not found:
        return compared
    merged = ordered([*evaluation.findings, *found])
    return replace(compared, evaluation=replace(evaluation, findings=merged))


def _told(base: Base, evaluation: Evaluation) -> Iterator[Finding]:
    before, now = base.described.documents, base.described_now.documents
    new = {_owner(it): it for name, it in now.items() if name not in before}
    held = _held(new, base.records, evaluation) if new else {}
    if not held:
        return
    # Where they differ, those of the base.
    rules = Rules(evaluation.tree.contracts or contracts_of(evaluation.documents))
    read = (it.allocation for it in evaluation.tree.records)
    stated = {it.path: it for it in read if it is not None}
    for identity in sorted(held):
        document, records = now[identity], held[identity]
        pairs = [(stated.get(it.path, it).owner, it.owner) for it in records]
        others = sorted({old.team: None for old, new in pairs if old.team != new.team})
        has = few([format_short(it.range) for it in records if it.range is not None])
        if others:
            message = f"{document.title} would have addresses of team {few(others)}: {has}"
            hint = "choose another name; to hand a document over, change it and do not remove it"
            yield error(NOT_YOURS, document.start, message, hint)
        elif any(old != new for old, new in pairs) or not _is_sure(
            document, records[0].owner.team, rules, evaluation
        ):
            message = f"{document.title} was gone before this change, and has its addresses: {has}"
            hint = "look up who removed it, and whether the two are one; else choose another name"
            yield warning("name-reused", document.start, message, hint)


def _handed_on(base: Base, evaluation: Evaluation) -> Iterator[Finding]:
    """What is said of documents that go to the folder of another team, with all that they hold.

    Of what names its team its records tell that (`transfer`). Some kinds name none.
    """
    before, now = base.described.documents, base.described_now.documents
    moved = [it for it in sorted(now) if it in before and before[it].file != now[it].file]
    if not moved:
        return
    rules = Rules(evaluation.tree.contracts or contracts_of(evaluation.documents))
    owners = {_owner(now[it]): it for it in moved}
    held: dict[Identity, list[Allocation]] = {}
    for record in evaluation.state.records:
        identity = owners.get(record.claim.owner)
        if identity is not None and record.range is not None and record.is_live:
            held.setdefault(identity, []).append(record)
    for identity in sorted(held):
        old, document = before[identity], now[identity]
        teams = rules.owners(old.file), rules.owners(document.file)
        if teams[0] == teams[1] or asking_of(document, evaluation.documents).named:
            continue
        has = few([format_short(it.range) for it in held[identity] if it.range is not None])
        whose = [few(it) or "nobody" for it in teams]
        message = f"{document.title} goes from the folder of {whose[0]} to that of {whose[1]}, with"
        hint = "let both teams agree: whoever owns the folder may remove it, and its addresses go"
        yield warning("handed-on", document.start, f"{message} {has}", hint)


def _held(
    new: Mapping[_Name | None, Document], records: Records, evaluation: Evaluation
) -> dict[Identity, list[Allocation]]:
    """What new documents have from before; what was renamed or came with them is told as such."""
    held: dict[Identity, list[Allocation]] = {}
    for record in evaluation.state.records:
        document, path = new.get(record.claim.owner), record.path
        if document is None or record.range is None or path in evaluation.state.former:
            continue
        if path not in records.now or records.before.get(path) is not None:
            held.setdefault(document.identity, []).append(record)
    return held


def _is_sure(document: Document, team: str, rules: Rules, evaluation: Evaluation) -> bool:
    """Whoever had the name before was of the team that asks now."""
    if document.namespace and team != document.namespace:
        return True  # both name it
    asking = asking_of(document, evaluation.documents)
    if rules.is_alone(rules.team(asking), document.namespace):
        return True
    return bool(document.namespace) and not any(it.folders for it in rules.of_team.values())


def _owner(document: Document) -> _Name | None:
    """Whose records are of a document."""
    family = family_of_kind(document.kind.id)
    if family is None:
        return None
    return family.name, document.kind.name, document.namespace, document.name
