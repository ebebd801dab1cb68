"""Authoritative branch and rewritten history."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from msgspec import Struct
from msgspec.structs import replace

from reconciler import __version__
from reconciler.addresses import format_short
from reconciler.documents.findings import join_limited, plural, shown
from reconciler.documents.text import is_yaml
from reconciler.gitio.history import CommitTrailers, message_of
from reconciler.gitio.interface import Commit, DefaultBranch, Revision
from reconciler.gitio.remote_state import conflicting, deleting
from reconciler.gitio.repository import Repository
from reconciler.model.change import FileChange
from reconciler.model.claim import Allocation, Phase
from reconciler.model.errors import GitError, HistoryError, LimitError, NoBranchError, UsageError
from reconciler.model.instant import format_instant
from reconciler.model.settings import PATH, Settings
from reconciler.planning.digest import digest
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.read import read_own_settings
from reconciler.reconcile.commits import differing, is_reconcile_commit, require_whole
from reconciler.reconcile.evaluation import allocations
from reconciler.reconcile.writing import CommitOptions
from reconciler.records.changes import candidate_names, numbered
from reconciler.records.emit import record_text
from reconciler.records.layout import path_of

MAX_SHOWN = 20
_SHORTEST_ID = 7
_ACCEPTS = re.compile(r"^Ipam-Accepts: ([0-9a-f]{40}|[0-9a-f]{64})\r?$", re.MULTILINE | re.ASCII)


def require_main_branch(repository: Repository, settings: Settings) -> None:
    """Raise UsageError on another branch than the authoritative one, GitError if unknown."""
    own = repository.branch
    named = DefaultBranch(settings.branch, "ipam.yaml names it (spec.branch)")
    named = named if settings.branch else repository.default_branch()
    if own == named.branch:
        return
    anyway = f"or pass --branch {own} --any-branch to reconcile {own} anyway"
    if not named.branch:
        message = f"the authoritative branch is unknown: {named.why}, and ipam.yaml names none"
        raise UsageError(message, f"add spec: {{branch: {own}}} to ipam.yaml, {anyway}")
    message = f"refusing to reconcile branch {own}: the authoritative branch is {named.branch}, because {named.why}"
    raise UsageError(
        message,
        f"merge {own} into {named.branch}, then run ipam reconcile --branch {named.branch}, {anyway}",
    )


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
        fix = f"run git switch {named}, or pass --branch {named}"
        fix = f"push {named}" if named == repository.branch else fix
        hint = f"{fix}: ipam.yaml at HEAD names it as the authoritative branch (spec.branch)"
        raise NoBranchError(str(missing), hint) from missing


def require_at_start(repository: Repository) -> None:
    """Raise UsageError on a branch that is known not to be the authoritative one."""
    with suppress(GitError, LimitError):
        with repository.alone():
            base = repository.fetch()
        _require_by_settings_of(repository, base)


def _require_by_settings_of(repository: Repository, base: Revision) -> None:
    own = read_own_settings(repository.source(base.id))
    if not own.is_broken:
        require_main_branch(repository, own.settings)


class Lost(Struct, frozen=True):
    """Lost commits, newest first, None if `last` is not one. `unread` can hide lost records."""

    last: str
    commits: tuple[str, ...] | None
    records: Sequence[Allocation] = ()
    unread: str = ""


def lost_since(repository: Repository, base: Revision) -> Lost | None:
    """Return losses that no commit accepts. Raises GitError, HistoryError for a blocked name."""
    there, reference = repository.references(), repository.last_reference
    if blocking := conflicting(there, reference):
        message = f"{shown(blocking[0])} blocks the name of {reference}, by which ipam detects a rewritten history"
        command = deleting(repository.remote_name, blocking)
        raise HistoryError(
            message, f"delete the blocking reference, which ipam did not create: {command}"
        )
    last = there.get(reference, "")
    if last in ("", base.id):
        return None
    found = repository.fetch_last(last)
    if found is None:
        return Lost(last, None)
    if repository.is_in(found.id, base.id) or found.id in _accepted(repository, base.id):
        return None
    require_whole(repository, base.id, [found.id])
    commits = repository.touching(found.id, base.id, (), MAX_SHOWN + 1)
    return Lost(found.id, tuple(commits), *lost_records(repository, found.id, base.id))


def _is_accepted(lost: Lost, accepted: str, base: Revision) -> bool:
    # An abbreviated id is sufficient.
    is_named = len(accepted) >= _SHORTEST_ID and base.id.startswith(accepted)
    return is_named and lost.commits is not None and not lost.unread


def current_head(repository: Repository, accept: str | None = None) -> tuple[Revision, Lost | None]:
    """Return the head of the branch, and the losses that the user accepts.

    Raises HistoryError, UsageError on another branch than the authoritative one.
    """
    # The reference is read before the branch, because runs move the branch first.
    for _ in range(2):
        base = fetched(repository)
        lost = lost_since(repository, base)
        if lost is None or _is_accepted(lost, accept or "", base):
            return base, lost
        repository.seen.remote = None  # query it again
        refused = refusal(repository, base, lost)
    _require_by_settings_of(repository, base)  # another branch was not rewritten
    raise refused


def is_in_history(repository: Repository, ancestor: str, revision: str) -> bool:
    """Return whether a commit is contained or its loss accepted. Raises GitError if unknown."""
    return repository.is_in(ancestor, revision) or any(
        lost == ancestor or repository.is_in(ancestor, lost)
        for lost in _accepted(repository, revision)
    )


def _accepted(repository: Repository, revision: str) -> Iterator[str]:
    for commit in repository.accepting(revision):
        if is_reconcile_commit(repository, commit):
            yield from _ACCEPTS.findall(repository.made(commit).message)


def lost_records(repository: Repository, last: str, base: str) -> tuple[list[Allocation], str]:
    """Return records that a commit has and another lacks, and the file that may hide others."""
    sides = []
    for commit in (last, base):
        own = read_own_settings(source := repository.source(commit))
        if not own.is_known:
            return [], f"{PATH} of {commit[:12]}"
        sides.append((source, own.settings))
    before, now = sides
    pairs, folder = differing(before, now).values(), f"{before[1].records}/"
    kept = {(it.claim, it.range) for it in allocations(now, [new for _, new in pairs])}
    files = [it for it, _ in pairs if it and is_yaml(it.path) and it.path.startswith(folder)]
    there = allocations(before, files)
    unread = {it.path for it in files} - {it.path for it in there}
    lost = [it for it in there if it.range is not None and (it.claim, it.range) not in kept]
    return lost, f"{min(unread)} of {last[:12]}" if unread else ""


def refusal(repository: Repository, base: Revision, lost: Lost) -> HistoryError:
    """Return the error about a branch that lost reconciled commits."""
    remote = repository.remote_name
    reference, branch = repository.last_reference, repository.branch
    message = f"branch {branch} was rewritten: {base.id[:12]} does not contain {lost.last[:12]}, which ipam"
    message += f" reconcile made (recorded in {reference})\n{_missing(repository, lost)}"
    hint = f"delete the reference, if the branch never had these commits (anyone with push access can set it): {deleting(remote, [reference])}"
    if lost.commits is not None:
        accept = f"or accept the rewritten history, if it is intended: ipam reconcile --accept-history {base.id}"
        unread = f"cannot determine the lost records, because {lost.unread} cannot be read"
        restore = f"restore the branch: {_way_back(repository, base, lost, remote)}"
        hint = f"{restore}\n{unread if lost.unread else accept}\nor {hint}"
    return HistoryError(message, hint)


def _missing(repository: Repository, lost: Lost) -> str:
    if lost.commits is None:
        return "the reference is not a commit"
    made = [repository.made(commit) for commit in lost.commits[:MAX_SHOWN]]
    lines = [f"missing commit {it.id[:12]} of {shown(it.author)}" for it in made]
    lines += ["and older commits"] if lost.commits[MAX_SHOWN:] else []
    lines += [
        f"lost record: {it.claim.short} {format_short(it.range) if it.range else ''}".rstrip()
        for it in lost.records[:MAX_SHOWN]
    ]
    if more := len(lost.records[MAX_SHOWN:]):
        lines.append(f"and {plural(more, 'more record')}")
    return "\n".join(lines if lost.records or lost.unread else [*lines, "no record is lost"])


def _way_back(repository: Repository, base: Revision, lost: Lost, remote: str) -> str:
    branch, last = repository.branch, lost.last
    if not remote:
        return f"git merge {last}"
    reference = repository.last_reference
    lease = drops = ""
    if not repository.is_in(base.id, last):
        dropped = [it[:12] for it in repository.touching(base.id, last, (), MAX_SHOWN)]
        lease = f" --force-with-lease={branch}:{base.id}"
        drops = f" (drops {join_limited(dropped)})"
    push = f"git push{lease} {remote} {last}:refs/heads/{branch}{drops}"
    there = f"on a protected branch, open a pull request with git merge {last}, and merge it despite its check"
    return f"git fetch {remote} {reference}, then {push}; {there}"


def accepting(
    base: Revision, evaluation: Evaluation, lost: Lost, options: CommitOptions
) -> Commit | None:
    """Return the commit that reserves lost ranges; None if none is lost."""
    changes, settings = released(lost.records, evaluation), evaluation.tree.settings
    if not changes:
        return None
    said = CommitTrailers(digest([]), base.id, __version__, accepts=lost.last)
    subject = f"release {len(changes)} lost with a rewritten history"
    ordered = [FileChange(path, changes[path]) for path in sorted(changes)]
    who = options.committer or settings.committer
    return Commit(base, ordered, message_of(subject, said), who, options.sign)


def released(records: Sequence[Allocation], evaluation: Evaluation) -> Mapping[str, bytes]:
    """Return the files of lost records, as Released at the clock of the evaluation."""
    state, folder = evaluation.state, evaluation.tree.settings.records
    taken = {it.path for it in state.records} | {it.path for it in state.unreadable}
    names = {(it.namespace, it.name) for it in state.records}
    since = format_instant(evaluation.tree.clock)
    files: dict[str, bytes] = {}
    for record in records:
        if any(_keeps(it, record, evaluation) for it in state.records):
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
    spaces = {pools[it.pool].space for it in (other, record) if it.pool in pools}
    return len(spaces) < 2 and (other.is_live or other.range.covers(record.range))
