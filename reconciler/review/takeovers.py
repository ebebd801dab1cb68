"""New documents that get the addresses of an earlier document of the same name, and handovers."""

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from reconciler.addresses.notation import format_short
from reconciler.documents.document import Document, Identity
from reconciler.evaluate import Evaluation
from reconciler.families import key_of
from reconciler.findings import Finding, error, few, warning
from reconciler.model.allocation import Allocation
from reconciler.ownership import NOT_YOURS, Rules, asking_of, contracts_of
from reconciler.renaming.renamed import Name

if TYPE_CHECKING:
    from reconciler.review.change import Change


def reused_names(change: "Change") -> Iterator[Finding]:
    """Report new documents that get addresses which the same name had before."""
    evaluation = change.result
    before, now = change.before.documents, change.after.documents
    new = {key_of(it).owner: it for name, it in now.items() if name not in before}
    held = _held(new, change) if new else {}
    if not held:
        return
    rules = _rules(evaluation)
    read = (it.allocation for it in evaluation.tree.records)
    stated = {it.path: it for it in read if it is not None}
    for identity in sorted(held):
        document, records = now[identity], held[identity]
        pairs = [(stated.get(it.path, it).owner, it.owner) for it in records]
        others = sorted({old.team for old, new in pairs if old.team != new.team})
        has = few([format_short(it.range) for it in records if it.range is not None])
        if others:
            message = f"{document.title} would have addresses of team {few(others)}: {has}"
            hint = "choose another name; to hand a document over, change it and do not remove it"
            yield error(NOT_YOURS, document.start, message, hint)
        elif any(old != new for old, new in pairs) or not _is_same_team(
            document, records[0].owner.team, rules, evaluation
        ):
            message = f"{document.title} was gone before this change, and has its addresses: {has}"
            hint = "look up who removed it, and whether the two are one; else choose another name"
            yield warning("name-reused", document.start, message, hint)


def handovers(change: "Change") -> Iterator[Finding]:
    """Report documents that go to the folder of another team, unless they name their team."""
    evaluation = change.result
    before, now = change.before.documents, change.after.documents
    moved = [it for it in sorted(now) if it in before and before[it].file != now[it].file]
    if not moved:
        return
    rules = _rules(evaluation)
    owners = {key_of(now[it]).owner: it for it in moved}
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


def _rules(evaluation: Evaluation) -> Rules:
    return Rules(evaluation.tree.contracts or contracts_of(evaluation.documents))


def _held(new: Mapping[Name, Document], change: "Change") -> dict[Identity, list[Allocation]]:
    """Return the records that new documents get, but for renamed records and new ones."""
    held: dict[Identity, list[Allocation]] = {}
    folders = change.settings.records, change.base_settings.records
    there = {it.path for it in change.files if it.old is not None}
    new_files = (it.path for it in change.files if it.old is None)
    added = {it for it in new_files if it.replace(*folders, 1) not in there}
    for record in change.result.state.records:
        document, path = new.get(record.claim.owner), record.path
        if document is None or record.range is None or path in change.result.state.former:
            continue
        if path not in added:
            held.setdefault(document.identity, []).append(record)
    return held


def _is_same_team(document: Document, team: str, rules: Rules, evaluation: Evaluation) -> bool:
    """Whether the earlier owner of the name was certainly of the same team."""
    if document.namespace and team != document.namespace:
        return True  # both name it
    asking = asking_of(document, evaluation.documents)
    if rules.is_alone(rules.team(asking), document.namespace):
        return True
    return bool(document.namespace) and not any(it.folders for it in rules.of_team.values())
