"""Commits of a run and the final safety check."""

import logging
from collections.abc import Mapping, Sequence
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from reconciler import __version__
from reconciler.documents.findings import Severity
from reconciler.families import home_of, pool_kinds
from reconciler.gitio.history import SKIP_CI, CommitTrailers, message_of
from reconciler.gitio.interface import Commit, Entry, Revision, Source
from reconciler.gitio.repository import Repository
from reconciler.model.change import FileChange, Observation
from reconciler.model.errors import ReconcilerError
from reconciler.model.settings import PATH
from reconciler.planning.digest import actions, digest, summary
from reconciler.planning.documents import Tree, parsed_files
from reconciler.planning.evaluate import Evaluation, let_pass
from reconciler.safety import clashes

_SHOWN = 3

Pair = tuple[clashes.RecordedRange, clashes.RecordedRange]


def require_no_clash(repository: Repository, commit: Commit, made: Revision, tree: Tree) -> None:
    """Raise ReconcilerError (a bug) if a new allocation clashes. `tree` is the base as read."""
    folder = tree.settings.records
    new = {
        path: clashes.holding_of(folder, path, data)
        for path, data in commit.changes
        if data is not None and clashes.is_record(folder, path)
    }
    # Earlier holdings matter only if another record has the range also.
    given = clashes.granted(new.values(), ())
    if not given:
        return
    base, source = repository.source(commit.base.id), repository.source(made.id)
    base.bound(tree.settings.limits)
    source.bound(tree.settings.limits)
    changed = {change.path for change in commit.changes}
    records = [it for it in base.entries([folder]) if clashes.is_record(folder, it.path)]
    laid = clashes.union(item for record in given for item in record.ranges)
    near, spans = dict[str, Entry](), list[clashes.Span]()
    found = dict(
        zip(records, parsed_files(base, records, clashes.ranges_of, clashes.ranges_of), strict=True)
    )
    base.parsed[clashes.ranges_of] = found  # a daemon keeps no records of earlier revisions
    for entry, ranges in found.items():
        if clashes.is_near(laid, ranges) and entry.path not in changed:
            near[entry.path] = entry
            spans += [clashes.Span(first, last, entry.path) for first, last in ranges]
    spans += [clashes.Span(*item, record.path) for record in new.values() for item in record.ranges]
    read = partial(clashes.holding_of, folder)
    pairs = clashes.overlapping(spans, {record.path for record in given})
    if pairs:
        before = base.each([it for it in records if it.path in changed], read)
        given = clashes.granted(new.values(), before)
        pairs = clashes.overlapping(spans, {record.path for record in given})
    held = base.each([near[it] for _, it in pairs if it in near], read)
    known = {**new, **{record.path: record for record in held}}
    wrong = _in_one_space(source, tree, [(known[one], known[other]) for one, other in pairs])
    if wrong:
        hint = f"report it with the output of ipam plan --all --rev {commit.base.id[:12]}; nothing was pushed"
        raise ReconcilerError(_describe(wrong), hint)


def _in_one_space(source: Source, tree: Tree, pairs: Sequence[Pair]) -> list[Pair]:
    pools = {record.pool for pair in pairs for record in pair}
    if len(pools) < 2:
        return list(pairs)
    names = frozenset(pool.name for pool in pools if pool.name)
    kinds = {kind: home_of(family.name, kind) or "" for kind, family in pool_kinds().items()}
    before = {document.unread: document.data for document in tree.last_good.documents}
    listed = source.entries(tree.settings.folders)
    files = [entry for entry in listed if clashes.is_read(entry.path) and entry.path not in before]
    read = partial(clashes.described_pools, kinds, names)
    found = [item for items in source.each(files, read) for item in items]
    found += [item for path, data in before.items() for item in read(path, data)]
    spaces = clashes.spaces_of(pools, found)
    return [pair for pair in pairs if clashes.may_share(spaces[pair[0].pool], spaces[pair[1].pool])]


def _describe(pairs: Sequence[Pair]) -> str:
    def named(record: clashes.RecordedRange) -> str:
        ranges = ", ".join(map(clashes.written, record.ranges[:_SHOWN]))
        return f"{record.claim or 'a record'} ({record.path}: {ranges})"

    shown = "; ".join(
        f"{named(record)} would get addresses that {named(other)} holds"
        for record, other in pairs[:_SHOWN]
    )
    more = len(pairs) - _SHOWN
    return f"internal error: {shown}{f'; and {more} more' if more > 0 else ''}"


_NAMED = {
    "move": "moved",
    "transfer": "transferred",
    **{it: it for it in ("allocate", "release", "expire", "refuse")},
}

_log = logging.getLogger(__name__)


class CommitOptions(Struct, frozen=True):
    """Options for the commits of a run."""

    allow_release: int | None = None
    sign: str = ""
    committer: tuple[str, str] | None = None


class Planned(Struct, frozen=True):
    """A plan that can be carried out. Without a clock, the date of the revision counts."""

    base: Revision
    evaluation: Evaluation
    clock: int | None = None
    look: Observation | None = None


class RunCommit(Struct, frozen=True):
    """A plan, the part that was carried out, and its commit; None if nothing changed."""

    planned: Planned
    carried: Evaluation
    commit: Revision | None
    subject: str = ""

    @property
    def head(self) -> Revision:
        """Return the head of the branch after the commit."""
        return self.commit or self.planned.base


def carry_out(
    repository: Repository, planned: Planned, options: CommitOptions, *, is_proposed: bool
) -> RunCommit:
    """Commit and publish a plan if it changes something. A proposal is only committed."""
    base, evaluation = planned.base, planned.evaluation
    settings, passed = evaluation.tree.settings, let_pass(evaluation)
    commit, subject = None, ""
    if is_carried_out(planned, passed):
        asked = commit_of(planned, passed, options)
        commit, subject = repository.commit(asked), asked.message.partition("\n")[0]
        require_no_clash(repository, asked, commit, evaluation.tree)
    if is_proposed:
        return RunCommit(planned, passed, commit, subject)
    folders = [*settings.folders, settings.records]
    repository.require_clean(folders, commit or base)
    if commit is None:
        repository.follow(base)
    else:
        repository.publish(base, commit)
        _log.info("published %s on %s", commit.id, base.id)
    return RunCommit(planned, passed, commit, subject)


def is_carried_out(planned: Planned, passed: Evaluation) -> bool:
    """Return whether the plan changes something and is not stopped as a whole."""
    if has_wrong_settings(planned.evaluation):
        return False
    return bool(passed.changes) or planned.look is not None


def has_wrong_settings(evaluation: Evaluation) -> bool:
    """Return whether Settings are invalid. Their records folder is unknown, so writing is unsafe."""
    return any(
        found.severity is Severity.ERROR and found.location.path == PATH
        for found in evaluation.findings
    )


def require_below(changes: Sequence[FileChange], *folders: str) -> None:
    """Raise ReconcilerError if a path is outside of the folders of `ipam`."""
    inside = tuple(f"{folder}/" for folder in folders)
    for change in changes:
        if not change.path.startswith(inside) or ".." in change.path:
            raise ReconcilerError(f"the plan writes outside {' and '.join(inside)}")


def commit_of(planned: Planned, passed: Evaluation, options: CommitOptions) -> Commit:
    """Return the commit of the carried part of a plan, with the digest of the whole plan."""
    tree, base, look = planned.evaluation.tree, planned.base, planned.look
    require_below(passed.changes, tree.settings.records, tree.settings.observed)
    seen = look.changes if look is not None else ()
    # A date in the future is not propagated, so the next plan has a correct clock.
    clock = tree.clock
    said = CommitTrailers(
        plan=digest(actions(planned.evaluation)),
        base=base.id,
        version=__version__,
        allow_release=options.allow_release,
        clock=clock if planned.clock is not None or clock != base.clock else None,
        seen=look.seen if look is not None else "",
    )
    subject = _subject(summary(passed), len(passed.changes), len(seen))
    message = message_of(f"{subject}{SKIP_CI}" if tree.settings.skips_ci else subject, said)
    # One second after this base.
    dated = replace(base, clock=clock if planned.clock is None else clock - 1)
    committer = options.committer or tree.settings.committer
    written = {change.path: change for change in (*seen, *passed.changes)}
    changes = [written[path] for path in sorted(written)]
    return Commit(dated, changes, message, committer, options.sign)


def _subject(counts: Mapping[str, int], written: int, seen: int) -> str:
    words = [f"{word} {counts[name]}" for word, name in _NAMED.items() if counts.get(name)]
    words = words or ([f"rewrite {written}"] if written else [])
    words += [f"observe {seen}"] if seen else []
    return ", ".join(words)
