"""Whether a change stays within what one team may do by itself, by the teams of its base.

It does where nothing but plain documents that claim changes, all in the team's own folders and in
its name, and where all that follows is of these. What is not understood is more than that.
"""

from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from reconciler.comparison import Base, Compared
from reconciler.documents.document import Document, Documents
from reconciler.documents.suffix import is_yaml
from reconciler.evaluate import Evaluation
from reconciler.families import is_pool, keeps_addresses
from reconciler.findings import shown
from reconciler.model.contract import Within
from reconciler.ownership import Rules, asking_of


class Touched(Struct, frozen=True):
    """A file that differs.

    Attributes:
        is_plain: It is a plain file on both sides, where it is there.
    """

    path: str
    is_plain: bool


def within(base: Base, compared: Compared, rules: Rules, touched: Sequence[Touched]) -> Within:
    """Whether a change stays within what one team may do.

    Args:
        base: What it is compared with.
        compared: All that is told of it; what its findings say is not judged here.
        rules: What teams may ask for by the base.
        touched: All files that differ, wherever they are.
    """
    outside = [it.path for it in touched if not rules.owners(it.path)]
    if outside or not touched:
        return Within("", tuple(_outside(outside)))
    owners = [frozenset(rules.owners(it.path)) for it in touched]
    teams = sorted(frozenset.intersection(*owners))
    if not teams:
        names = ", ".join(sorted(frozenset.union(*owners)))
        return Within("", (f"it changes files of several teams: {names}",))
    judged = [(team, tuple(_beyond(team, base, compared, rules, touched))) for team in teams]
    return next((Within(team) for team, why in judged if not why), Within("", judged[0][1]))


def _outside(paths: Sequence[str]) -> Iterator[str]:
    """What is said of files that no team has in a folder of its own."""
    if not paths:
        yield "it changes no file"
    for path in paths:
        yield f"{shown(path)} lies in no team's folder"


def _beyond(
    team: str, base: Base, compared: Compared, rules: Rules, touched: Iterable[Touched]
) -> Iterator[str]:
    """Why a change is more than a team may do."""
    evaluation = compared.evaluation
    unread = (it.path for it in touched if not _is_read(it, evaluation))
    yield from (f"{shown(path)} is no plain file that is read" for path in unread)
    sides = (base.described, base.described_now)
    if any(side.broken or side.unread for side in sides) or evaluation.tree.last_good.halted:
        yield "something cannot be read"
    before = Documents(base.described.documents.values())
    for documents, side in zip((before, evaluation.documents), sides, strict=True):
        for document in side.documents.values():
            yield from _of_another(team, document, documents, rules)
    if evaluation.moves:
        yield "addresses move"
    for cause in compared.causes:
        at = rules.owners(cause.place.path) if cause.place is not None else []
        if cause.is_caused and (cause.reason or team not in at):
            yield f"{cause.claim.short} is another one by it"


def _is_read(item: Touched, evaluation: Evaluation) -> bool:
    """It is a plain file of a source folder; what records and Settings say is nobody's own."""
    folders = tuple(f"{folder}/" for folder in evaluation.tree.settings.sources)
    return item.is_plain and is_yaml(item.path) and item.path.startswith(folders)


def _of_another(team: str, document: Document, documents: Documents, rules: Rules) -> Iterator[str]:
    """Why a document that is changed, added or removed is none of the team's own."""
    kind = document.kind.id
    if not keeps_addresses(kind) or is_pool(kind):
        yield f"{document.title} is none of what teams ask with"
        return
    asking = asking_of(document, documents)
    if rules.team(asking) != team or rules.trespass(asking) is not None:
        yield f"{document.title} is not of team {team}"
