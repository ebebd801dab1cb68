"""The contract of a team: whether a change edits only claims of one team, in its own folders."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from reconciler.documents.document import Document, Documents
from reconciler.documents.suffix import is_yaml
from reconciler.evaluate import Evaluation
from reconciler.families import is_pool, keeps_addresses
from reconciler.findings import shown
from reconciler.model.contract import Within
from reconciler.ownership import Rules, asking_of, contracts_of
from reconciler.ports import GitError, LimitError

if TYPE_CHECKING:
    from reconciler.review.change import Change


class Touched(NamedTuple):
    """A file that differs; `is_plain` if it is a plain file on each side that has it."""

    path: str
    is_plain: bool


def within(change: "Change") -> Within | None:
    """Return whether a change stays within the contract of one team; None without team folders."""
    evaluation = change.result
    contracts = evaluation.tree.contracts or contracts_of(evaluation.documents)
    if not any(contract.folders for contract in contracts):
        return None
    touched, rules = _touched(change), Rules(contracts)
    if isinstance(touched, str):
        return Within("", (touched,))
    outside = [it.path for it in touched if not rules.owners(it.path)]
    if outside or not touched:
        return Within("", tuple(_outside(outside)))
    owners = [frozenset(rules.owners(it.path)) for it in touched]
    teams = sorted(frozenset.intersection(*owners))
    if not teams:
        names = ", ".join(sorted(frozenset.union(*owners)))
        return Within("", (f"it changes files of several teams: {names}",))
    judged = [(team, tuple(_beyond(team, change, rules, touched))) for team in teams]
    return next((Within(team) for team, why in judged if not why), Within("", judged[0][1]))


def _touched(change: "Change") -> list[Touched] | str:
    """Return all files that differ, or the reason why they are not known."""
    start, end = change.base.revision(), change.head.revision()
    if start is None or end is None:
        return "a work tree is nothing that can be merged"
    if change.repository.roots.own:
        return "what changes beside the root is not looked at"
    try:
        changes, _ = change.repository.changed(start.id, end.id)
    except (GitError, LimitError):
        return "not all that changes can be told"
    return [
        Touched(it.path, all(side is None or side.is_file for side in (it.old, it.new)))
        for it in changes
    ]


def _outside(paths: Sequence[str]) -> Iterator[str]:
    """Return the reasons for files outside the folders of teams."""
    if not paths:
        yield "it changes no file"
    for path in paths:
        yield f"{shown(path)} lies in no team's folder"


def _beyond(team: str, change: "Change", rules: Rules, touched: Iterable[Touched]) -> Iterator[str]:
    """Return the reasons why a change exceeds the contract of a team."""
    evaluation = change.result
    unread = (it.path for it in touched if not _is_read(it, evaluation))
    yield from (f"{shown(path)} is no plain file that is read" for path in unread)
    sides = (change.before, change.after)
    if any(side.broken or side.unread for side in sides) or evaluation.tree.last_good.halted:
        yield "something cannot be read"
    before = Documents(change.before.documents.values())
    for documents, side in zip((before, evaluation.documents), sides, strict=True):
        for document in side.documents.values():
            yield from _of_another(team, document, documents, rules)
    if evaluation.moves:
        yield "addresses move"
    for cause in change.causes:
        at = rules.owners(cause.place.path) if cause.place is not None else []
        if cause.is_caused and (cause.reason or team not in at):
            yield f"{cause.claim.short} is another one by it"


def _is_read(item: Touched, evaluation: Evaluation) -> bool:
    """Whether a file is a plain YAML file in a source folder."""
    folders = tuple(f"{folder}/" for folder in evaluation.tree.settings.sources)
    return item.is_plain and is_yaml(item.path) and item.path.startswith(folders)


def _of_another(team: str, document: Document, documents: Documents, rules: Rules) -> Iterator[str]:
    """Return the reasons why a document is not a claim of the team."""
    kind = document.kind.id
    if not keeps_addresses(kind) or is_pool(kind):
        yield f"{document.title} is none of what teams ask with"
        return
    asking = asking_of(document, documents)
    if rules.team(asking) != team or rules.trespass(asking) is not None:
        yield f"{document.title} is not of team {team}"
