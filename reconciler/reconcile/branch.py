"""Authoritative branch and rewritten history."""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from reconciler import __version__
from reconciler.addresses import format_short
from reconciler.documents.findings import join_limited, shown
from reconciler.gitio.interface import Commit, DefaultBranch, Revision
from reconciler.gitio.message import CommitTrailers, message_of, read_message
from reconciler.gitio.repository import Repository
from reconciler.model.change import FileChange
from reconciler.model.claim import Allocation, Phase
from reconciler.model.errors import GitError, HistoryError, LimitError, NoBranchError, UsageError
from reconciler.model.instant import format_instant
from reconciler.model.settings import Settings
from reconciler.planning.digest import digest
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.read import read_own_settings
from reconciler.reconcile.commits import differing, require_whole, settings_at
from reconciler.reconcile.records import allocations
from reconciler.records.changes import candidate_names, numbered
from reconciler.records.emit import record_text
from reconciler.records.layout import path_of

MAX_SHOWN = 20
_SHORTEST_ID = 7
_NO_COMMIT = "the reference names no commit"


def require_main_branch(repository: Repository, settings: Settings) -> None:
    """Raise UsageError on another branch than the authoritative one, GitError if unknown."""
    own = repository.branch
    if settings.branch:
        named = DefaultBranch(settings.branch, "ipam.yaml names it (spec.branch)")
    else:
        named = repository.default_branch()
    if own == named.branch:
        return
    anyway = f"to reconcile {own} anyway: --branch {own} --any-branch"
    if not named.branch:
        message = f"the authoritative branch is unknown: {named.why}, and ipam.yaml names none"
        raise UsageError(message, f"name it in ipam.yaml: spec: {{branch: {own}}}; {anyway}")
    message = f"the authoritative branch is {named.branch}, not {own}, because {named.why}"
    raise UsageError(message, f"merge it, and reconcile with --branch {named.branch}; {anyway}")


def fetched(repository: Repository) -> Revision:
    """Return the branch of the remote. Raises GitError, NoBranchError if the remote lacks it."""
    try:
        return repository.fetch()
    except NoBranchError as missing:
        named = ""
        with suppress(GitError, LimitError):
            own = read_own_settings(repository.source("HEAD"))
            named = "" if own.is_broken else own.settings.branch
        if not named:
            raise
        fix = f"git switch {named}, or reconcile it with --branch {named}"
        fix = "push it" if named == repository.branch else fix
        hint = f"ipam.yaml at HEAD names the authoritative branch {named} (spec.branch): {fix}"
        raise NoBranchError(str(missing), hint) from missing


def require_at_start(repository: Repository) -> None:
    """Raise UsageError on a branch that is known not to be the authoritative one."""
    with suppress(GitError, LimitError):
        with repository.alone():
            base = repository.fetch()
        own = read_own_settings(repository.source(base.id))
        if not own.is_broken:
            require_main_branch(repository, own.settings)


class Lost(Struct, frozen=True):
    """Losses since the last head. `commits` are newest first, None if `last` is not a commit."""

    last: str
    commits: tuple[str, ...] | None
    records: tuple[Allocation, ...] = ()


def lost_since(repository: Repository, base: Revision) -> Lost | None:
    """Return the losses, None for none. Raises GitError if the clone is too shallow."""
    last = repository.last_reconciled()
    if not last or last == base.id:
        return None
    found = repository.fetch_last(last)
    if found is None:
        return Lost(last, None)
    if repository.is_in(found.id, base.id):
        return None
    require_whole(repository, base.id, [found.id])
    commits = repository.touching(found.id, base.id, (), MAX_SHOWN + 1)
    return Lost(found.id, tuple(commits), tuple(lost_records(repository, found.id, base.id)))


def _is_accepted(accepted: str | None, base: Revision) -> bool:
    # An abbreviated id is sufficient.
    return len(accepted or "") >= _SHORTEST_ID and base.id.startswith(accepted or "")


def current_head(repository: Repository, accept: str | None = None) -> tuple[Revision, Lost | None]:
    """Return the head of the branch, and the losses that the user accepts.

    The reference is read before the branch, because runs move the branch first. Raises GitError,
    and HistoryError if the branch was rewritten or rolled back.
    """
    base = fetched(repository)
    lost = lost_since(repository, base)
    if lost is not None and not _is_accepted(accept, base):
        repository.forget_remote()
        base = fetched(repository)
        lost = lost_since(repository, base)
    if lost is not None and not _is_accepted(accept, base):
        raise refusal(repository, base, lost)
    return base, lost


def is_in_history(repository: Repository, ancestor: str, revision: str) -> bool:
    """Return whether a commit is contained or its loss accepted. Raises GitError if unknown."""
    if repository.is_in(ancestor, revision):
        return True
    for commit in repository.accepting(revision):
        said = read_message(repository.made(commit).message)
        lost = said.accepts if said is not None else ""
        if lost and (lost == ancestor or repository.is_in(ancestor, lost)):
            return True
    return False


def lost_records(repository: Repository, last: str, base: str) -> list[Allocation]:
    """Return the records of a commit that another one does not have with the same range."""
    (then, was), (source, settings) = (
        (it, settings_at(it)) for it in map(repository.source, (last, base))
    )
    if was is None or settings is None:
        return []
    before, now = (then, was), (source, settings)
    pairs = differing(before, now).values()
    kept = {(it.claim, it.range) for it in allocations(now, [new for _, new in pairs])}
    there = allocations(before, [old for old, _ in pairs])
    return [it for it in there if it.range is not None and (it.claim, it.range) not in kept]


def refusal(repository: Repository, base: Revision, lost: Lost) -> HistoryError:
    """Return the error about a branch that lost reconciled commits."""
    remote = repository.remote_name
    reference, branch = repository.last_reference, repository.branch
    message = f"branch {branch} is at {base.id[:12]} and does not contain {lost.last[:12]}, which"
    message += f" {reference} names as reconciled\n{_missing(repository, lost)}"
    forget = f"git push {remote} :{reference}" if remote else f"git update-ref -d {reference}"
    hint = "whoever may push can set this reference: if these commits never were on the branch,"
    hint += f" {forget} loses nothing"
    if lost.commits is not None:
        hint += f"\nto go back: {_way_back(repository, base, lost, remote)}"
    hint += f"\nto accept the branch as it is: ipam reconcile --accept-history {base.id}"
    return HistoryError(message, hint)


def _missing(repository: Repository, lost: Lost) -> str:
    if lost.commits is None:
        return _NO_COMMIT
    made = [repository.made(commit) for commit in lost.commits[:MAX_SHOWN]]
    lines = [f"missing commit {it.id[:12]} of {shown(it.author)}" for it in made]
    if lost.commits[MAX_SHOWN:]:
        lines.append("and older commits")
    lines += [
        f"lost record: {it.claim.short} {format_short(it.range) if it.range else ''}".rstrip()
        for it in lost.records[:MAX_SHOWN]
    ]
    if more := len(lost.records[MAX_SHOWN:]):
        lines.append(f"and {more} more records")
    return "\n".join(lines if lost.records else [*lines, "no record is lost"])


def _way_back(repository: Repository, base: Revision, lost: Lost, remote: str) -> str:
    branch, last = repository.branch, lost.last
    if not remote:
        return f"git merge {last}"
    reference = repository.last_reference
    fetch, push = f"git fetch {remote} {reference}", f"git push {remote} {last}:refs/heads/{branch}"
    if not repository.is_in(base.id, last):
        lease = (
            f"git push --force-with-lease={branch}:{base.id} {remote} {last}:refs/heads/{branch}"
        )
        dropped = [it[:12] for it in repository.touching(base.id, last, (), MAX_SHOWN)]
        push = f"{lease} (drops {join_limited(dropped)})"
    return (
        f"{fetch}, then {push}; on a protected branch merge a pull request of git merge {last} over"
        " its check"
    )


def accepting(
    repository: Repository, base: Revision, evaluation: Evaluation, lost: Lost
) -> Commit | None:
    """Return the commit that reserves lost ranges; None if none is lost. Raises GitError."""
    if lost.commits is None:
        raise GitError(_NO_COMMIT, f"delete {repository.last_reference} at the remote")
    changes = released(lost.records, evaluation)
    if not changes:
        return None
    settings = evaluation.tree.settings
    said = CommitTrailers(digest([]), base.id, __version__, accepts=lost.last)
    subject = f"release {len(changes)} lost with a rewritten history"
    ordered = [FileChange(path, changes[path]) for path in sorted(changes)]
    return Commit(base, ordered, message_of(subject, said), settings.committer)


def released(records: Sequence[Allocation], evaluation: Evaluation) -> Mapping[str, bytes]:
    """Return the files of lost records, as Released at the clock of the evaluation."""
    state, folder = evaluation.state, evaluation.tree.settings.records
    held = [it for it in state.records if it.range is not None]
    taken = {it.path for it in state.records} | {it.path for it in state.unreadable}
    names = {(it.namespace, it.name) for it in state.records}
    since = format_instant(evaluation.tree.clock)
    files: dict[str, bytes] = {}
    for record in records:
        if any(_keeps(it, record, evaluation) for it in held):
            continue
        path = path_of(folder, record.pool, record.claim)
        path = path if path not in taken else numbered(path, taken, ".released")
        tried = candidate_names(record.name, record.claim)
        name = next(it for it in tried if (record.namespace, it) not in names)
        taken.add(path)
        names.add((record.namespace, name))
        expiring = replace(record, phase=Phase.RELEASED, since=since, name=name, announced=False)
        files[path] = record_text(expiring).encode()
    return files


def _keeps(other: Allocation, record: Allocation, evaluation: Evaluation) -> bool:
    pools = evaluation.state.pools
    if other.range is None or record.range is None or not other.range.overlaps(record.range):
        return False
    spaces = [pools[it.pool].space for it in (other, record) if it.pool in pools]
    if other.pool != record.pool and len(set(spaces)) > 1:
        return False
    return other.is_live or other.range.covers(record.range)
