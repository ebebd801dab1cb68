"""Records that were edited outside of reconcile, or left in a removed root."""

from collections.abc import Collection, Iterator, Mapping
from itertools import islice

from reconciler.addresses import format_short
from reconciler.documents.findings import Finding, Location, error, join_limited, shown
from reconciler.documents.text import is_yaml
from reconciler.gitio.interface import Entry, Source
from reconciler.gitio.repository import Repository
from reconciler.model.claim import Allocation
from reconciler.model.errors import GateError
from reconciler.model.plan import Grant
from reconciler.model.settings import PATH, OverrideKind, Overrides, Settings
from reconciler.planning.documents import reader_of
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.read import folders_before, has_records, read_overrides
from reconciler.reconcile.commits import Side, content, differing, files, newest, settings_at
from reconciler.records.layout import folders_above, place_of

EDITED = "records-edited"
STRAY = "records-left"
MAX_ROOTS = 16
"""The maximum number of other roots that are searched for records."""
MAX_SHOWN = 20
_SQUASH = (
    "; if a proposal was squashed, let the forge keep the Ipam-Plan line: the default message on"
    " GitHub, a merge commit, a fast-forward, or %{all_commits} in the squash template on GitLab"
)

Pairs = Mapping[str, tuple[Entry | None, Entry | None]]
"""Files that differ: the entry of R and the entry of the tip, by path."""


def strays(
    repository: Repository, source: Source, evaluation: Evaluation, base: Source | None = None
) -> list[Finding]:
    """Return the error about new claims that have a record in a root without documents.

    Without the base of a change, only a root without records is checked.
    """
    now, settings = source.revision(), evaluation.tree.settings
    decisions = evaluation.plan.decisions
    anew = {it.claim for it in decisions if isinstance(it, Grant) and it.replaces is None}
    is_change = base is not None and base.revision() not in (None, now)
    if now is None or not anew or (has_records(source, settings.records) and not is_change):
        return []
    for root, commit, (then, was) in _other_roots(repository, now.id):
        there = repository.below(root).source(now.id)
        listed = then.entries([was.records])
        lost = anew & {place_of(was.records, entry.path).claim for entry in listed}
        sources = (settings_at(there) or was).sources if lost else ()
        if lost and not any(is_yaml(entry.path) for entry in there.entries(sources)):
            is_here = bool(there.entries([was.records]))
            old, new = (
                f"{top}/{folder}" if top else folder
                for top, folder in ((root, was.records), (repository.root, settings.records))
            )
            many = f"{len(lost)} claims" if len(lost) > 1 else "1 claim"
            where = "" if is_here else f" in {commit[:12]}"
            message = f"{many} would get addresses anew, and had a record in {old}/ at the top of"
            message += f" the repository{where}: that root has no documents any more"
            hint = "" if is_here else f"git checkout {commit[:12]} -- {old}, and "
            hint += (
                f"git mv {old} {new} in the same commit, so that all claims keep their addresses"
            )
            return [error(STRAY, Location(settings.records), message, hint)]
    return []


def _other_roots(repository: Repository, revision: str) -> Iterator[tuple[str, str, Side]]:
    for root, commit in islice(repository.other_roots(revision), MAX_ROOTS):
        yield root, commit, _side(repository.below(root), commit)


def require_unedited(evaluation: Evaluation) -> None:
    """Raise GateError if records were edited, or left in another root."""
    is_anew = evaluation.tree.allow_release is not None and not evaluation.tree.records
    for found in evaluation.findings:
        if found.code == EDITED or (found.code == STRAY and not is_anew):
            raise GateError(f"{found.location.path}: {found.message}", found.hint)


def edited(repository: Repository, source: Source, evaluation: Evaluation) -> Iterator[Finding]:
    """Return the error about edited records, if any. Raises GitError for a shallow clone."""
    revision, settings = source.revision(), evaluation.tree.settings
    if revision is None:
        return
    now, last = (source, settings), newest(repository, revision.id)
    if last:
        before = _side(repository, last)
    elif not any(is_yaml(it.path) for it in source.entries([settings.records])):
        if evaluation.tree.allow_release is None:
            yield from _removed(source, settings)
        return
    elif (found := moved_from(repository, revision.id, now)) is not None:
        last, before = found
    else:
        return  # the first run: F is accepted as it is
    pairs = uncovered(differing(before, now), evaluation.tree.overrides, settings)
    pairs = {
        path: pair
        for path, pair in pairs.items()
        if not _was_covered(repository, path, settings, (last, revision.id))
    }
    if pairs:
        yield _edited(repository, (last, revision.id), (before, now), pairs, evaluation)


def uncovered(pairs: Pairs, overrides: Overrides, settings: Settings) -> Pairs:
    """Return the files that differ, except for those that an Override of kind `record` covers."""
    return {
        path: pair
        for path, pair in pairs.items()
        if not _is_covered(path, overrides, settings, is_added=pair[0] is None)
    }


def _is_covered(
    path: str, overrides: Overrides, settings: Settings, *, is_added: bool = False
) -> bool:
    """Return whether an Override names a file, its claim, or, if it is added, a folder above it."""
    claim = place_of(settings.records, path).claim
    scopes = [path, *([str(claim)] if claim is not None else [])]
    scopes += folders_above(path) if is_added else []
    # Each Override that covers the file counts as used.
    return True in [overrides.allow(OverrideKind.RECORD, scope) for scope in scopes]


def _was_covered(
    repository: Repository, path: str, settings: Settings, ends: tuple[str, str]
) -> bool:
    last, tip = ends
    commits = repository.touching(tip, last, [path], MAX_SHOWN + 1)
    return 0 < len(commits) <= MAX_SHOWN and all(
        repository.made(commit).clock is not None
        and _is_covered(path, read_overrides(repository.source(commit)), settings)
        for commit in commits
    )


def restoring(revision: str, sides: tuple[Side, Side]) -> str:
    """Return the command that restores F of the first side, a revision, in the second side."""
    (_, then), (_, now) = sides
    first, second = (content(side) or (None, None) for side in sides)
    folders = (then.records, now.records), (then.observed, now.observed)
    commands = []
    for (old, new), was, is_there in zip(folders, first, second, strict=True):
        if was == is_there:
            continue
        if is_there is not None and old != new:
            commands.append(f"git rm -rq -- {new}")
        if was is not None or old == new:
            commands.append(f"git restore --source={revision} --staged --worktree -- {old}")
        if was is not None and old != new:
            commands.append(f"git mv {old} {new}")
    return " && ".join(commands)


def _side(repository: Repository, commit: str) -> Side:
    source = repository.source(commit)
    return source, settings_at(source) or Settings()


def _edited(
    repository: Repository,
    ends: tuple[str, str],
    sides: tuple[Side, Side],
    pairs: Pairs,
    evaluation: Evaluation,
) -> Finding:
    (_, then), (_, settings) = sides
    last, tip = ends
    folders = [*{then.records, then.observed, settings.records, settings.observed}]
    commits = repository.touching(tip, last, folders, MAX_SHOWN)
    made = [repository.made(commit) for commit in commits]
    by = join_limited([f"{it.id[:12]} of {shown(it.author)}" for it in made])
    many = "1 file differs" if len(pairs) == 1 else f"{len(pairs)} files differ"
    message = f"{many} from {last[:12]}, the newest reconcile commit: {join_limited(list(pairs))}"
    message += f"; changed by commit {by}" if by else ""
    taken = join_limited(list(_taken(sides, pairs, evaluation)))
    message += f"; restoring takes {taken}" if taken else ""
    hint = f"to restore: {restoring(last[:12], sides)} && git commit -m 'Restore records'"
    hint += "; to accept: merge an Override of kind record with the scope"
    hint += f" {next(iter(pairs))}{' (one for each file)' if len(pairs) > 1 else ''}"
    if any(len(it.parents) == 1 and repository.changes_only(it.id, folders) for it in made):
        hint += _SQUASH
    return error(EDITED, Location(next(iter(pairs))), message, hint)


def _taken(sides: tuple[Side, Side], pairs: Pairs, evaluation: Evaluation) -> Iterator[str]:
    """Return the owners and ranges that the tip has, but R has not, of claims that exist."""
    before, now = sides
    held = {(it.claim, it.range) for it in allocations(before, [old for old, _ in pairs.values()])}
    for record in allocations(now, [new for _, new in pairs.values()]):
        is_claimed = record.claim in evaluation.state.claims and record.is_live
        if is_claimed and record.range is not None and (record.claim, record.range) not in held:
            yield f"{record.owner.short} {format_short(record.range)}"


def allocations(side: Side, entries: Collection[Entry | None]) -> list[Allocation]:
    """Return the readable records among some files of a side."""
    source, settings = side
    folder = f"{settings.records}/"
    there = [it for it in entries if it is not None and it.path.startswith(folder)]
    read = reader_of(source, settings).recalled(there)
    return [it.allocation for it in read if it.allocation is not None]


def _removed(source: Source, settings: Settings) -> Iterator[Finding]:
    for folder in dict.fromkeys([settings.records, *folders_before(source)]):
        removing = (
            step.id
            for step in source.past([folder, PATH])
            if any(is_yaml(it.path) and it.path.startswith(f"{folder}/") for it in step.changed)
        )
        if last := next(removing, "")[:12]:
            message = f"no record is left in {settings.records}/, but commit {last} removed"
            message += f" records from {folder}/"
            hint = f"to restore: git restore --source={last}^ --staged --worktree -- {folder}"
            hint += "; to allocate all addresses again: ipam reconcile --allow-release 0"
            yield error(EDITED, Location(settings.records), message, hint)
            return


def moved_from(repository: Repository, revision: str, now: Side) -> tuple[str, Side] | None:
    """Return the newest reconcile commit of a removed root with records of `now`, and its side."""
    own = files(now).keys()
    for root, commit, before in _other_roots(repository, revision):
        there = repository.below(root).source(revision), before[1]
        if not files(there) and not own.isdisjoint(files(before)):
            return commit, before
    return None
