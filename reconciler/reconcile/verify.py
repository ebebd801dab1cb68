"""Audit of reconcile commits."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import takewhile

from msgspec import Struct

from reconciler import __version__
from reconciler.gitio.history import CommitTrailers, read_message
from reconciler.gitio.interface import BranchCommit, Changed, Made, ReplayVerdict, Revision, Source
from reconciler.gitio.repository import Repository
from reconciler.model.claim import Allocation
from reconciler.model.errors import GitError, LimitError
from reconciler.planning import read
from reconciler.planning.evaluate import Evaluation, leaving, left_behind, let_pass
from reconciler.planning.retention import is_due
from reconciler.reconcile.branch import lost_records, released
from reconciler.reconcile.commits import is_reconcile_commit, side_at
from reconciler.reconcile.evaluation import as_reconciled

_KEPT = "the commit still contains it"


class Replayed(Struct, frozen=True):
    """The result of planning the base of a commit again, with the files that differ."""

    verdict: ReplayVerdict
    files: tuple[str, ...] = ()
    version: str = ""


def replay(repository: Repository, commit: str) -> Replayed:
    """Replay a commit: plan its base again. Raises GitError if the commit does not exist."""
    made = repository.made(commit)
    said = read_message(made.message)
    if said is None or made.clock is None:
        return Replayed(ReplayVerdict.FOREIGN)
    try:
        if not is_reconcile_commit(repository, commit):
            return Replayed(ReplayVerdict.FOREIGN, version=said.version)
        changed, _ = repository.changed(made.parents[0], commit)
        if any(it.new is not None and not it.new.is_file for it in changed):
            return Replayed(ReplayVerdict.FOREIGN, version=said.version)  # never a symlink
        files = _replay(repository, said, made, changed)
    except LimitError:  # reconcile makes no commit on a base that is too large to read
        return Replayed(ReplayVerdict.FOREIGN)
    except GitError:
        return Replayed(ReplayVerdict.NOT_HERE, version=said.version)
    if not files:
        return Replayed(ReplayVerdict.SAME, version=said.version)
    is_own = said.version == __version__
    verdict = ReplayVerdict.DIFFERENT if is_own else ReplayVerdict.NOT_COMPARABLE
    return Replayed(verdict, tuple(files), said.version)


def _replay(
    repository: Repository, said: CommitTrailers, made: Made, changed: Sequence[Changed]
) -> Sequence[str]:
    base, source = _base(repository, said, made.parents[0])
    files_of = repository.source(made.id)
    _, settings = side_at(repository, made.parents[0])
    seen = [it.path for it in changed if it.path.startswith(f"{settings.observed}/")]
    clock = said.clock if said.clock is not None else base.clock
    if not (seen and clock > base.clock):
        seen = []  # the observed files were planned, not observed
    below = read.overlay(source, files_of, settings.observed) if seen else source
    there = [it.new for it in changed if it.new is not None and it.path not in seen]
    files: dict[str, bytes | None] = {it.path: None for it in changed if it.path not in seen}
    files |= {it.path: data for it, data in zip(there, files_of.read(there), strict=True)}
    planned = read.as_of(below, clock, base.clock if clock < base.clock else None)
    gone = tuple(it.path for it in changed if it.path in seen and it.new is None)
    tries = _Tries(repository, planned, said, clock > base.clock and not seen, files, gone)
    return tries.nearest()


def _base(repository: Repository, said: CommitTrailers, parent: str) -> tuple[Revision, Source]:
    """Return the commit that was planned. If the history was rewritten, the parent replaces it."""
    for name in (said.base, parent):
        try:
            return repository.resolve(name), repository.source(name)
        except GitError:
            continue
    raise GitError(f"the clone is too shallow: it lacks {parent[:12]}")


class _Tries(Struct, frozen=True):
    """Plans that may have made a commit; `files` exclude committed observed files."""

    repository: Repository
    base: Source
    said: CommitTrailers
    is_due: bool
    files: Mapping[str, bytes | None]
    gone: tuple[str, ...]

    def nearest(self) -> Sequence[str]:
        evaluation = self._evaluate({}, {})
        if self.is_due and not is_due(evaluation.state, evaluation.tree.clock):
            return sorted(self.files)
        if self.said.accepts:
            lost: list[Allocation] = []
            with suppress(GitError):
                lost, _ = lost_records(self.repository, self.said.accepts, self.said.base)
            return self._differing(released(lost, evaluation))
        found = [self._of_plan(evaluation, {})]
        # Clusters reported that these ranges were not used any more.
        unused = {it.path: "" for it in left_behind(evaluation) if it.path in self.files}
        if unused:
            found.append(self._of_plan(self._evaluate({}, unused), unused))
        return min(found, key=len)

    def _of_plan(self, evaluation: Evaluation, unused: Mapping[str, str]) -> Sequence[str]:
        # Clusters still announced these ranges.
        records = (it for it in leaving(evaluation) if it.path not in self.files)
        kept = {it.path: _KEPT for it in records if it.range is not None}
        if kept:
            evaluation = self._evaluate(kept, unused)
        planned = {it.path: it.data for it in let_pass(evaluation).changes}
        # A record can replace another one at its path with the same content.
        unchanged = [path for path in planned if path not in self.files]
        there = [it for it in self.base.entries(unchanged) if it.path in unchanged]
        for entry, data in zip(there, self.base.read(there), strict=True):
            if planned[entry.path] == data:
                del planned[entry.path]
        return self._differing(planned)

    def _differing(self, planned: Mapping[str, bytes | None]) -> list[str]:
        return sorted({path for path, _ in planned.items() ^ self.files.items()})

    def _evaluate(self, kept: Mapping[str, str], unused: Mapping[str, str]) -> Evaluation:
        options = read.EvaluationOptions(
            allow_release=self.said.allow_release, retained=kept, left=unused, gone=self.gone
        )
        return as_reconciled(self.base, self.repository, options)


class Verified(Struct, frozen=True):
    """A commit, whether it `claims` to be of reconcile, and its files."""

    commit: str
    verdict: ReplayVerdict
    clock: int | None
    author: str
    subject: str
    version: str = ""
    files: tuple[str, ...] = ()  # those that differ; of a foreign commit, the records it touches
    claims: bool = True

    @property
    def is_wrong(self) -> bool:
        """Return whether a marked commit was not made by reconcile."""
        is_foreign = self.claims and self.verdict is ReplayVerdict.FOREIGN
        return self.verdict is ReplayVerdict.DIFFERENT or is_foreign


def verify(repository: Repository, newest: str, after: str | None = None) -> Iterator[Verified]:
    """Return commits that touch files of reconcile, newest first, except commits of `after`."""
    source = repository.source(newest)
    settings = read.read_own_settings(source).settings
    earlier = (it.records for it in read.settings_before(source))
    folders = list(dict.fromkeys([settings.records, settings.observed, *earlier]))
    before = repository.source(after).past(folders) if after is not None else ()
    last = next((step.id for step in before), "")
    for step in takewhile(lambda step: step.id != last, source.past(folders)):
        parents = repository.made(step.id).parents
        merged = list(repository.plan_commits(step.id, parents[:1])) if parents[1:] else []
        if not merged or repository.changed(merged[0], step.id, folders)[0]:
            yield _verified(repository, step)
        for commit in merged:
            changed, _ = repository.changed(f"{commit}^", commit, folders)
            yield _verified(repository, BranchCommit(commit, tuple(changed)))


def revisions_of(reach: str) -> tuple[str, str | None]:
    """Return the newest revision of a range, and the excluded start: `A..B`, `A..`, or `B`."""
    before, dots, newest = reach.rpartition("..")
    return newest or "HEAD", before if dots and before else None


def _verified(repository: Repository, step: BranchCommit) -> Verified:
    made = repository.made(step.id)
    claims = step.is_cut or read_message(made.message) is not None
    # Without a message of reconcile, it is foreign.
    found = Replayed(ReplayVerdict.NOT_HERE) if step.is_cut else replay(repository, step.id)
    touched = tuple(item.path for item in step.changed)
    return Verified(
        made.id,
        found.verdict,
        made.clock,
        made.author,
        made.message.partition("\n")[0],
        found.version,
        touched if found.verdict is ReplayVerdict.FOREIGN else found.files,
        claims=claims,
    )
