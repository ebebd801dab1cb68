"""Ownership of changed documents."""

from collections.abc import Iterator, Mapping
from itertools import islice

from reconciler.addresses import format_short
from reconciler.documents.document import Document, Documents, Identity
from reconciler.documents.findings import Finding, error, join_limited, shown, warning
from reconciler.documents.text import is_yaml
from reconciler.families import is_pool, keeps_addresses, key_of
from reconciler.gitio.interface import Changed
from reconciler.model.claim import Allocation
from reconciler.model.errors import GitError, LimitError
from reconciler.model.pool import Within
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.ownership import NOT_YOURS, Rules, asking_of, contracts_of
from reconciler.planning.renames import DocumentName
from reconciler.reconcile.evaluation import MAX_COMMITS
from reconciler.review.change import Change, described


def reused_names(change: Change) -> Iterator[Finding]:
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
    has_folders = any(it.folders for it in rules.of_team.values())
    former = _former_files(held, change) if has_folders else {}
    for identity in sorted(held):
        document, records = now[identity], held[identity]
        pairs = [(stated.get(it.path, it).owner, it.owner) for it in records]
        team, space = rules.team(asking_of(document, evaluation.documents)), document.namespace
        named = space and (records[0].owner.team != space or not has_folders)
        is_same = all(old == new for old, new in pairs) and (named or rules.is_alone(team, space))
        at = [] if is_same else rules.owners(former.get(identity, ""))
        others = sorted({old.team for old, new in pairs if old.team != new.team})
        others = others or ([] if team in at else at)
        has = _ranges(records)
        if others:
            message = f"{document.title} would take addresses of team {join_limited(others)}: {has}"
            hint = "choose another name; to hand a document over, edit it instead of removing it"
            yield error(NOT_YOURS, document.start, message, hint)
        elif not is_same:
            message = f"{document.title} was removed before this change, and gets its old addresses: {has}"
            hint = "check that the two are the same (git log shows who removed it), or choose another name"
            yield warning("name-reused", document.start, message, hint)


def _former_files(wanted: Mapping[Identity, object], change: Change) -> dict[Identity, str]:
    """Return the last files of removed documents that recent commits of the base contain."""
    base, settings, found = change.base, change.base_settings, dict[Identity, str]()
    for step in islice(base.past(settings.sources), MAX_COMMITS):
        old = described(base, settings, [it.old for it in step.changed]).documents
        found = {it: old[it].file for it in wanted.keys() & old.keys()} | found
        if len(found) == len(wanted):
            break
    return found


def handovers(change: Change) -> Iterator[Finding]:
    """Report documents that move to the folder of another team, unless they name their team."""
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
        has = _ranges(held[identity])
        whose = [join_limited([f"team {name}" for name in it]) or "no team" for it in teams]
        message = (
            f"{document.title} moves from a folder of {whose[0]} to a folder of {whose[1]}, with"
        )
        hint = "ask both teams to agree, because the new team can release the addresses"
        yield warning("handed-on", document.start, f"{message} {has}", hint)


def _ranges(records: list[Allocation]) -> str:
    return join_limited([format_short(it.range) for it in records if it.range is not None])


def _rules(evaluation: Evaluation) -> Rules:
    return Rules(evaluation.tree.contracts or contracts_of(evaluation.documents))


def _held(new: Mapping[DocumentName, Document], change: Change) -> dict[Identity, list[Allocation]]:
    held: dict[Identity, list[Allocation]] = {}
    folders = change.settings.records, change.base_settings.records
    there = {it.path for it in change.files if it.old is not None}
    new_files = (it.path for it in change.files if it.old is None)
    added = {it for it in new_files if it.replace(*folders, 1) not in there}
    for record in change.result.state.records:
        document, path = new.get(record.claim.owner), record.path
        is_new = path in added or path in change.result.state.former
        if document is not None and record.range is not None and not is_new:
            held.setdefault(document.identity, []).append(record)
    return held


def within(change: Change) -> Within | None:
    """Return whether a change stays within the contract of one team; None without team folders."""
    rules = _rules(change.result)
    if not any(it.folders for it in rules.of_team.values()):
        return None
    touched = _touched(change)
    if isinstance(touched, str):
        return Within("", (touched,))
    if not touched:
        return Within("", ("the change edits no file",))
    if outside := [it.path for it in touched if not rules.owners(it.path)]:
        return Within(
            "", tuple(f"{shown(path)} is not in the folder of a team" for path in outside)
        )
    owners = [frozenset(rules.owners(it.path)) for it in touched]
    teams = sorted(frozenset.intersection(*owners))
    if not teams:
        names = ", ".join(sorted(frozenset.union(*owners)))
        return Within("", (f"the change edits files of several teams: {names}",))
    judged = [(team, tuple(_beyond(team, change, rules, touched))) for team in teams]
    return next((Within(team) for team, why in judged if not why), Within("", judged[0][1]))


def _touched(change: Change) -> list[Changed] | str:
    start, end = change.base.revision(), change.head.revision()
    if start is None or end is None:
        return "a work tree cannot be merged"
    if change.repository.root:
        return "files outside the root are not checked"
    try:
        return change.repository.changed(start.id, end.id)[0]
    except (GitError, LimitError):
        return "some changes cannot be determined"


def _beyond(team: str, change: Change, rules: Rules, touched: list[Changed]) -> Iterator[str]:
    evaluation = change.result
    folders = tuple(f"{folder}/" for folder in evaluation.tree.settings.sources)
    read = {it.path for it in touched if is_yaml(it.path) and it.path.startswith(folders)}
    odd = {it.path for it in touched for side in (it.old, it.new) if side and not side.is_file}
    unread = (it.path for it in touched if it.path not in read - odd)
    yield from (f"{shown(path)} is not a plain file that ipam reads" for path in unread)
    sides = (change.before, change.after)
    if any(side.broken or side.unread for side in sides) or evaluation.tree.last_good.halted:
        yield "a file cannot be read"
    before = Documents(change.before.documents.values())
    for documents, side in zip((before, evaluation.documents), sides, strict=True):
        for document in side.documents.values():
            yield from _of_another(team, document, documents, rules)
    if evaluation.moves:
        yield "addresses move"
    for cause in change.causes:
        at = rules.owners(cause.place.path) if cause.place is not None else []
        if cause.is_caused and (cause.reason or team not in at):
            yield f"the change affects {cause.claim.short}"


def _of_another(team: str, document: Document, documents: Documents, rules: Rules) -> Iterator[str]:
    kind = document.kind.id
    if not keeps_addresses(kind) or is_pool(kind):
        yield f"{document.title} is not a claim of a team"
        return
    asking = asking_of(document, documents)
    if rules.team(asking) != team or rules.trespass(asking) is not None:
        yield f"{document.title} does not belong to team {team}"
