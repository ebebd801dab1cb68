"""Records that are left behind, or lost, where a root is moved: all would be given out anew.

Roots know nothing of each other, but for one thing: a claim that is to get addresses here may hold
some by a record of another root that is not there any more. What stood before shows it: the tree
itself, the one that it is compared with, and where a root begins, commits that reconcile made of
others.
"""

from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import closing
from itertools import chain, islice

from msgspec import Struct

from reconciler.documents.suffix import is_yaml
from reconciler.findings import Finding, Location, error
from reconciler.model.key import Key
from reconciler.model.settings import PATH, Settings
from reconciler.ports import Repository, Roots
from reconciler.records.layout import place_of

STRAY = "records-left"
MOST_LISTED = 250_000
"""With more files nothing is told: a tree that is in itself again and again has no end."""
MOST_ASKED = 16
"""So many other roots are asked by what reconcile made of them last."""


class Move(Struct, frozen=True):
    """What may have been a move of a root.

    Attributes:
        revision: The id of what is judged.
        settings: Those of the root; others have folders of the same names.
        before: The id of what it is compared with, if anything.
        anew: Claims that get addresses for the first time.
        begins: The root has no records, and reconcile never went over it.
    """

    revision: str
    settings: Settings
    before: str | None
    anew: Sequence[Key]
    begins: bool


def stray_records(repository: Repository, move: Move) -> list[Finding]:
    """What is said of records of a root that is not there any more.

    A folder that has documents or Settings is a root of its own, which this one is beside. Of one
    that has Settings alone the claims tell that it was moved.

    Raises:
        GitError: Git fails.
    """
    roots = repository.roots
    if not move.begins and not _is_dropped(roots, move):
        return []
    now = _listed(roots, move.revision)
    if now is None:
        return []
    living = {roots.own, *_living(now, move.settings)}
    if move.begins and (stood := _held(now, move.settings, {*living, *_set_up(now)})):
        return [_left(next(iter(stood.values())), roots.own, move.settings.records)]
    for revision, listed in chain([(move.revision, now)], _before(roots, move)):
        held = _held(listed, move.settings, living)
        found = [held[claim] for claim in move.anew if claim in held]
        if found:
            lost = _Lost(found[0], revision, found.count(found[0]))
            return [_lost(lost, move, roots.own)]
    return []


class _Lost(Struct, frozen=True):
    """A root that is not there any more, a revision that has its records, and how many count."""

    root: str
    revision: str
    claims: int


def _is_dropped(roots: Roots, move: Move) -> bool:
    """Somebody gets addresses, and some file that may be of another root has gone."""
    own = tuple(f"{it}/" for it in (*move.settings.folders, move.settings.records))
    if move.before is None or move.before == move.revision or not move.anew:
        return False
    with closing(roots.dropped(move.before, move.revision)) as dropped:
        return any(is_yaml(it) and (roots.own or not it.startswith(own)) for it in dropped)


def _before(roots: Roots, move: Move) -> Iterator[tuple[str, Sequence[str]]]:
    """What stood before, by revision: all, and of what reconcile made elsewhere the root alone."""
    if move.before is not None:
        yield move.before, _listed(roots, move.before) or ()
    if move.begins:
        for root, commit in islice(roots.made(move.revision), MOST_ASKED):
            inside = f"{root}/" if root else ""
            yield commit, [it for it in _listed(roots, commit) or () if it.startswith(inside)]


def _listed(roots: Roots, revision: str) -> list[str] | None:
    """The YAML files of a revision; None where they are too many to be told."""
    with closing(roots.files(revision)) as paths:
        found = list(islice(paths, MOST_LISTED + 1))
    return [it for it in found if is_yaml(it)] if len(found) <= MOST_LISTED else None


def _living(paths: Iterable[str], settings: Settings) -> Iterator[str]:
    """Folders that have documents, where others have folders of the same names."""
    for path in paths:
        for folder in settings.sources:
            yield from _roots_of(path, folder)


def _set_up(paths: Iterable[str]) -> Iterator[str]:
    """Folders that have Settings: each is a root, whether it has documents or not."""
    return (path.rpartition("/")[0] for path in paths if path.rpartition("/")[2] == PATH)


def _held(paths: Iterable[str], settings: Settings, living: Container[str]) -> dict[Key, str]:
    """Claims that have a record in a root that does not live, with that root."""
    held: dict[Key, str] = {}
    for path in paths:
        for root in _roots_of(path, settings.records):
            claim = _claim_of(path, root, settings.records) if root not in living else None
            if claim is not None:
                held.setdefault(claim, root)
    return held


def _roots_of(path: str, folder: str) -> Iterator[str]:
    """Each folder that has one of this name in which a file is."""
    whole, mark = f"/{path}", f"/{folder}/"
    at = whole.find(mark)
    while at >= 0:
        yield whole[1:at]
        at = whole.find(mark, at + 1)


def _claim_of(path: str, root: str, records: str) -> Key | None:
    """Whose record a path is; None for all else that somebody keeps in such a folder."""
    return place_of(records, path.removeprefix(f"{root}/") if root else path).claim


def _left(left: str, own: str, records: str) -> Finding:
    old, new = (f"{root}/{records}" if root else records for root in (left, own))
    message = f"this root has no records, but {old}/ at the top of the repository has some of a"
    message += " root that is not there any more: all addresses would be given out anew"
    hint = f"git mv {old} {new} in the same commit, so that everybody keeps what he holds; what"
    hint += f" nobody uses any more: git rm -r {old}"
    return error(STRAY, Location(records), message, hint)


def _lost(lost: _Lost, move: Move, own: str) -> Finding:
    records, is_here = move.settings.records, lost.revision == move.revision
    old, new = (f"{root}/{records}" if root else records for root in (lost.root, own))
    many = f"{lost.claims} claims" if lost.claims > 1 else "1 claim"
    where = "" if is_here else f" in {lost.revision[:12]}"
    message = f"{many} would get addresses anew, and had a record in {old}/ at the top of the"
    message += f" repository{where}: that root has no documents any more"
    back = (
        "" if is_here else f"git checkout {lost.revision[:12]} -- {old} brings the records back; "
    )
    hint = f"{back}move them below {new}/, as they are, so that everybody keeps what he holds"
    return error(STRAY, Location(records), message, hint)
