"""Record edits outside of reconcile."""

from collections.abc import Collection, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import chain, islice

from msgspec import Struct

from reconciler.addresses import format_short
from reconciler.documents.findings import Finding, Location, error, join_limited, shown
from reconciler.documents.text import is_yaml
from reconciler.gitio.interface import BranchCommit, Entry, Repository, Roots, Source
from reconciler.model.claim import Allocation
from reconciler.model.errors import GateError
from reconciler.model.key import Key
from reconciler.model.settings import PATH, OverrideKind, Overrides, Settings
from reconciler.planning.documents import reader_of
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.read import folders_before, read_overrides
from reconciler.reconcile.commits import Side, content, differing, files, newest, settings_at
from reconciler.records.layout import folders_above, place_of

STRAY = "records-left"
MAX_LISTED = 250_000
"""The maximum number of files per revision. Trees that contain themselves have no end."""
MAX_ASKED = 16
"""The maximum number of other roots that are searched for their last reconcile commit."""


class RootMove(Struct, frozen=True):
    """A possible move of a root.

    Attributes:
        revision: The id of the reviewed revision.
        settings: The Settings of the root; other roots have folders of the same names.
        before: The id of the revision to compare with, if any.
        anew: Claims without a record before.
        begins: The root has no records and no reconcile commit.
    """

    revision: str
    settings: Settings
    before: str | None
    anew: Sequence[Key]
    begins: bool


def stray_records(repository: Repository, move: RootMove) -> list[Finding]:
    """Return findings about records of a root that does not exist any more.

    A folder with documents or Settings is a root of its own, separate from this one. If a folder
    has only Settings, its claims show whether it was moved.

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
            return [_strays_lost(lost, move, roots.own)]
    return []


class _Lost(Struct, frozen=True):
    """A root that does not exist any more, a revision with its records, and their number."""

    root: str
    revision: str
    claims: int


def _is_dropped(roots: Roots, move: RootMove) -> bool:
    """Return whether claims are new, and a file of a possible other root was removed."""
    own = tuple(f"{it}/" for it in (*move.settings.folders, move.settings.records))
    if move.before is None or move.before == move.revision or not move.anew:
        return False
    with closing(roots.dropped(move.before, move.revision)) as dropped:
        return any(is_yaml(it) and (roots.own or not it.startswith(own)) for it in dropped)


def _before(roots: Roots, move: RootMove) -> Iterator[tuple[str, Sequence[str]]]:
    """Yield earlier revisions, each with the paths to search."""
    if move.before is not None:
        yield move.before, _listed(roots, move.before) or ()
    if move.begins:
        for root, commit in islice(roots.made(move.revision), MAX_ASKED):
            inside = f"{root}/" if root else ""
            yield commit, [it for it in _listed(roots, commit) or () if it.startswith(inside)]


def _listed(roots: Roots, revision: str) -> list[str] | None:
    """Return the YAML files of a revision; None if there are too many."""
    with closing(roots.files(revision)) as paths:
        found = list(islice(paths, MAX_LISTED + 1))
    return [it for it in found if is_yaml(it)] if len(found) <= MAX_LISTED else None


def _living(paths: Iterable[str], settings: Settings) -> Iterator[str]:
    """Return folders that have documents, in folders of the same names."""
    for path in paths:
        for folder in settings.sources:
            yield from _roots_of(path, folder)


def _set_up(paths: Iterable[str]) -> Iterator[str]:
    """Return folders that have Settings: each is a root, with or without documents."""
    return (path.rpartition("/")[0] for path in paths if path.rpartition("/")[2] == PATH)


def _held(paths: Iterable[str], settings: Settings, living: Container[str]) -> dict[Key, str]:
    """Return claims that have a record in a removed root, with that root."""
    held: dict[Key, str] = {}
    for path in paths:
        for root in _roots_of(path, settings.records):
            claim = _claim_of(path, root, settings.records) if root not in living else None
            if claim is not None:
                held.setdefault(claim, root)
    return held


def _roots_of(path: str, folder: str) -> Iterator[str]:
    """Return each folder above a file whose subfolder has this name."""
    whole, mark = f"/{path}", f"/{folder}/"
    at = whole.find(mark)
    while at >= 0:
        yield whole[1:at]
        at = whole.find(mark, at + 1)


def _claim_of(path: str, root: str, records: str) -> Key | None:
    """Return the claim of a record's path; None for other files in such a folder."""
    return place_of(records, path.removeprefix(f"{root}/") if root else path).claim


def _left(left: str, own: str, records: str) -> Finding:
    old, new = (f"{root}/{records}" if root else records for root in (left, own))
    message = f"this root has no records, but {old}/ at the top of the repository has some of a"
    message += " root that is not there any more: all addresses would be given out anew"
    hint = f"git mv {old} {new} in the same commit, so that everybody keeps what he holds; what"
    hint += f" nobody uses any more: git rm -r {old}"
    return error(STRAY, Location(records), message, hint)


def _strays_lost(lost: _Lost, move: RootMove, own: str) -> Finding:
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


EDITED = "records-edited"
MAX_SHOWN = 20
_SQUASH = (
    "; if a proposal was squashed, let the forge keep the Ipam-Plan line: the default message on"
    " GitHub, a merge commit, a fast-forward, or %{all_commits} in the squash template on GitLab"
)

Pairs = Mapping[str, tuple[Entry | None, Entry | None]]
"""Files that differ: the entry of R and the entry of the tip, by path."""


def require_unedited(evaluation: Evaluation) -> None:
    """Refuse to work on a revision whose records were edited, or left in another root.

    Raises:
        GateError: They were.
    """
    is_anew = evaluation.tree.allow_release is not None and not evaluation.tree.records
    for found in evaluation.findings:
        if found.code == EDITED or (found.code == STRAY and not is_anew):
            raise GateError(f"{found.location.path}: {found.message}", found.hint)


def edited(repository: Repository, source: Source, evaluation: Evaluation) -> Iterator[Finding]:
    """Return the error about records that were edited outside of reconcile, if any were.

    Raises:
        GitError: The clone is too shallow.
    """
    revision, settings = source.revision(), evaluation.tree.settings
    if revision is None:
        return
    last = newest(repository, revision.id)
    now = source, settings
    if not last:
        yield from _first_run(repository, now, evaluation)
        return
    before = _side(repository, last)
    pairs = uncovered(differing(before, now), evaluation.tree.overrides, settings)
    pairs = {
        path: it for path, it in pairs.items() if not _was_covered(repository, path, now, last)
    }
    if pairs:
        yield _edited(repository, last, (before, now), pairs, evaluation)


def uncovered(pairs: Pairs, overrides: Overrides, settings: Settings) -> Pairs:
    """Return the files that differ, except for those that an Override of kind `record` covers."""
    return {
        path: pair
        for path, pair in pairs.items()
        if not _is_covered(path, overrides, settings, is_added=pair[0] is None)
    }


def _is_covered(path: str, overrides: Overrides, settings: Settings, *, is_added: bool) -> bool:
    """Return whether an Override names a file, its claim, or, if it is added, a folder above it."""
    claim = place_of(settings.records, path).claim
    scopes = [path, *([str(claim)] if claim is not None else [])]
    scopes += folders_above(path) if is_added else []
    # Each Override that covers the file counts as used.
    return True in [overrides.allow(OverrideKind.RECORD, scope) for scope in scopes]


def _was_covered(repository: Repository, path: str, now: Side, last: str) -> bool:
    """Return whether an Override covered each edit since R at the time of its commit."""
    source, settings = now
    revision = source.revision()
    if revision is None:
        return False
    commits = repository.touching(revision.id, last, [path], MAX_SHOWN + 1)
    return 0 < len(commits) <= MAX_SHOWN and all(
        repository.made(commit).clock is not None
        and _covers(read_overrides(repository.source(commit)), path, settings)
        for commit in commits
    )


def _covers(overrides: Overrides, path: str, settings: Settings) -> bool:
    return _is_covered(path, overrides, settings, is_added=False)


def restoring(revision: str, sides: tuple[Side, Side]) -> str:
    """Return the command that restores F of the first side in the folders of the second.

    Args:
        revision: The id of the first side.
        sides: Both sides.
    """
    (_, then), (_, now) = sides
    commands = []
    for at, (old, new) in enumerate([(then.records, now.records), (then.observed, now.observed)]):
        was, is_there = (_entry(side, at) for side in sides)
        if was == is_there:
            continue
        if old == new:
            commands.append(f"git restore --source={revision} --staged --worktree -- {new}")
            continue
        if is_there is not None:
            commands.append(f"git rm -rq -- {new}")
        if was is not None:
            commands.append(f"git restore --source={revision} --staged --worktree -- {old}")
            commands.append(f"git mv {old} {new}")
    return " && ".join(commands)


def _entry(side: Side, at: int) -> tuple[str, str] | None:
    found = content(side)
    return found[at] if found is not None else None


def _side(repository: Repository, commit: str) -> Side:
    source = repository.source(commit)
    return source, settings_at(source) or Settings()


def _edited(
    repository: Repository,
    last: str,
    sides: tuple[Side, Side],
    pairs: Pairs,
    evaluation: Evaluation,
) -> Finding:
    (_, then), (now, settings) = sides
    revision = now.revision()
    folders = list(
        dict.fromkeys([then.records, then.observed, settings.records, settings.observed])
    )
    tip = revision.id if revision is not None else ""
    commits = repository.touching(tip, last, folders, MAX_SHOWN)
    made = [repository.made(commit) for commit in commits]
    by = join_limited([f"{it.id[:12]} of {shown(it.author)}" for it in made])
    many = "1 file differs" if len(pairs) == 1 else f"{len(pairs)} files differ"
    message = f"{many} from {last[:12]}, the newest reconcile commit: {join_limited(list(pairs))}"
    message += f"; changed by commit {by}" if by else ""
    taken = [f"{it.owner.short} {format_short(it.range)}" for it in _edited_records_lost(sides, pairs, evaluation)
             if it.range is not None]  # fmt: skip
    message += f"; restoring takes {join_limited(taken)}" if taken else ""
    hint = f"to restore: {restoring(last[:12], sides)} && git commit -m 'Restore records'"
    hint += "; to accept: merge an Override of kind record with the scope"
    hint += f" {next(iter(pairs))}{' (one for each file)' if len(pairs) > 1 else ''}"
    if any(len(it.parents) == 1 and repository.changes_only(it.id, folders) for it in made):
        hint += _SQUASH
    return error(EDITED, Location(next(iter(pairs))), message, hint)


def _edited_records_lost(
    sides: tuple[Side, Side], pairs: Pairs, evaluation: Evaluation
) -> Iterator[Allocation]:
    """Return the records of the tip whose claims exist, but that R lacks with the same range."""
    (before, then), (now, settings) = sides
    old = _records(before, then, [pair[0] for pair in pairs.values()])
    held = {(it.claim, it.range) for it in old}
    for record in _records(now, settings, [pair[1] for pair in pairs.values()]):
        is_claimed = record.claim in evaluation.state.claims and record.is_live
        if is_claimed and (record.claim, record.range) not in held:
            yield record


def _records(
    source: Source, settings: Settings, entries: Collection[Entry | None]
) -> Sequence[Allocation]:
    folder = f"{settings.records}/"
    there = [it for it in entries if it is not None and it.path.startswith(folder)]
    read = reader_of(source, settings).recalled(there)
    return [it.allocation for it in read if it.allocation is not None]


def _first_run(repository: Repository, now: Side, evaluation: Evaluation) -> Iterator[Finding]:
    """Check a revision without a reconcile commit of its root.

    F is accepted as it is. But a moved root must have the records that its reconcile commit wrote,
    and records must not have been removed.
    """
    source, settings = now
    if any(is_yaml(it.path) for it in source.entries([settings.records])):
        yield from _moved_root(repository, now, evaluation)
        return
    if evaluation.tree.allow_release is not None:
        return
    for folder in dict.fromkeys([settings.records, *folders_before(source)]):
        steps = source.past([folder])
        last = next((it for it in steps if _has_record(it, folder)), None)
        if last is None:
            continue
        message = f"no record is left in {settings.records}/, but commit {last.id[:12]} removed"
        message += f" records from {folder}/"
        hint = f"to restore: git restore --source={last.id[:12]}^ --staged --worktree -- {folder}"
        hint += "; to allocate all addresses again: ipam reconcile --allow-release 0"
        yield error(EDITED, Location(settings.records), message, hint)
        return


def _has_record(step: BranchCommit, folder: str) -> bool:
    inside = f"{folder}/"
    return any(is_yaml(it.path) and it.path.startswith(inside) for it in step.changed)


def _moved_root(repository: Repository, now: Side, evaluation: Evaluation) -> Iterator[Finding]:
    """Compare the records of a root without a reconcile commit with records of a removed root."""
    source, settings = now
    revision = source.revision()
    found = moved_from(repository, revision.id, now) if revision is not None else None
    if found is None:
        return
    commit, before = found
    pairs = uncovered(differing(before, now), evaluation.tree.overrides, settings)
    if pairs:
        yield _edited(repository, commit, (before, now), pairs, evaluation)


def moved_from(repository: Repository, revision: str, now: Side) -> tuple[str, Side] | None:
    """Return the newest reconcile commit of a removed root whose records are partly here.

    Args:
        repository: The repository, with the root that has the records now.
        revision: The revision whose history is searched, and that lacks the other root.
        now: The side that has the records.
    """
    own = files(now).keys()
    for root, commit in repository.roots.made(revision):
        other = repository.below(root)
        before = _side(other, commit)
        if files((other.source(revision), before[1])) or own.isdisjoint(files(before)):
            continue
        return commit, before
    return None
