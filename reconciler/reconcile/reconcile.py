"""Reconcile runs and their rounds."""

import logging
import random
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct
from msgspec.structs import replace

from reconciler.documents.findings import ordered
from reconciler.gitio.interface import Commit, Revision, Source
from reconciler.gitio.repository import Repository
from reconciler.model.applied import Applied
from reconciler.model.change import Observation, Proposed
from reconciler.model.claim import Allocation
from reconciler.model.errors import ExitCode, HistoryError, LostRaceError, RacesLostError
from reconciler.model.settings import PATH
from reconciler.planning.evaluate import Evaluation, leaving, left_behind, let_pass, released
from reconciler.planning.limits import clock_behind
from reconciler.planning.read import DEFAULTS, EvaluationOptions, as_of, overlay
from reconciler.planning.retention import latest_due, retention_end
from reconciler.reconcile import writing
from reconciler.reconcile.branch import Lost, accepting, current_head, fetched, require_main_branch
from reconciler.reconcile.evaluation import (
    as_reconciled,
    exit_code,
    held_by_limit,
    require_unedited,
    with_found,
    with_overrides,
)
from reconciler.reconcile.writing import CommitOptions, Planned, RunCommit, has_wrong_settings
from reconciler.records.changes import records_after

ATTEMPTS = 5
_BACKOFF_SECONDS = 0.1

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class Answers:
    """The answers of clusters, each record asked once: why it may be announced, or empty."""

    still_announced: Callable[[Evaluation], Mapping[str, str]] | None
    server_now: Callable[[Evaluation], int | None] | None = None
    reasons: dict[Allocation, str] = field(default_factory=dict)
    times: list[int | None] = field(default_factory=list)

    def held(self, evaluation: Evaluation) -> dict[str, str]:
        """Return why records to free have to stay, by path; empty if no cluster was asked."""
        records = leaving(evaluation)
        if self.still_announced is None:
            # The retention of growth can be shorter than the time that clusters need.
            return {it.path: "" for it in records if it.path in evaluation.state.grown}
        return {path: why for path, why in self._ask(evaluation, records).items() if why}

    def left(self, evaluation: Evaluation) -> dict[str, str]:
        """Return answers for records that moved claims left, by path; empty without clusters."""
        return self._ask(evaluation, left_behind(evaluation))

    def until(self, wall: int, evaluation: Evaluation) -> int:
        """Return the time until which instants are due, which is not later than any clock."""
        if self.server_now is not None and not self.times:
            self.times = [self.server_now(evaluation)]
        return min([wall, *(it for it in self.times if it is not None)])

    def _ask(self, evaluation: Evaluation, records: Sequence[Allocation]) -> dict[str, str]:
        if self.still_announced is None:
            return {}
        if any(record not in self.reasons for record in records):
            found = self.still_announced(evaluation)
            asked = [*leaving(evaluation), *left_behind(evaluation)]
            self.reasons |= {record: found.get(record.path, "") for record in asked}
        return {record.path: self.reasons[record] for record in records}


class ReconcileOptions(CommitOptions, frozen=True):
    """Options of a reconcile. `now` is None for the date of the revision."""

    accept_history: str | None = None
    still_announced: Callable[[Evaluation], Mapping[str, str]] | None = None
    now: Callable[[], float] | None = None
    server_now: Callable[[Evaluation], int | None] | None = None  # called only if an instant is due
    look: Callable[[RunCommit], Observation] | None = None  # runs while the lock is released
    any_branch: bool = False  # stores no state
    propose: Callable[[Revision, Revision | None], Proposed] | None = None


class Reconciled(Struct, frozen=True):
    """The result of a reconcile: the first head, the last new commit, and the last evaluation."""

    base: Revision
    commit: Revision | None
    attempts: int
    evaluation: Evaluation
    code: ExitCode
    parts: tuple[RunCommit, ...] = ()
    proposed: Proposed | None = None

    @property
    def head(self) -> Revision:
        """Return the current head of the branch. A proposal does not move it."""
        return self.commit if self.commit and self.proposed is None else self.base


def reconcile(
    repository: Repository, options: ReconcileOptions, sleep: Callable[[float], None] = time.sleep
) -> Reconciled:
    """Update the records of a branch for its documents. A lost race means a new plan."""
    run = _Run(repository, options, Answers(options.still_announced, options.server_now))
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return replace(run.attempt(), attempts=attempt)
        except LostRaceError as lost:
            reason = str(lost)
            _log.warning("%s; attempt %d of %d", reason, attempt, ATTEMPTS)
        if attempt < ATTEMPTS:
            sleep(_BACKOFF_SECONDS * 2**attempt * random.uniform(0.5, 1.5))  # noqa: S311 - jitter  # nosec B311
    message = f"other commits were pushed first in all {ATTEMPTS} attempts; last: {reason}"
    raise RacesLostError(message, "run the command again later; nothing was pushed")


@dataclass(slots=True)
class _Run:
    repository: Repository
    options: ReconcileOptions
    answers: Answers
    made: list[RunCommit] = field(default_factory=list)
    is_accepting: bool = False  # the branch contains the acceptance once the proposal is merged

    def attempt(self) -> Reconciled:
        if self.options.propose is not None:
            self.made.clear()  # commits of an earlier attempt were not published
            self.is_accepting = False
        with self.repository.alone():
            part = self._by_the_clock()
        if self.options.look is not None and not has_wrong_settings(part.planned.evaluation):
            part = self._looked(part, self.options.look)
        evaluation, made = part.planned.evaluation, tuple(self.made)
        base = made[0].planned.base if made else part.planned.base
        newest = made[-1].commit if made else None
        proposed = self._propose(base, newest, evaluation)
        done = Reconciled(base, newest, 1, evaluation, exit_code(evaluation), made, proposed)
        is_stopped = self.is_accepting or has_wrong_settings(evaluation)
        if not (self.options.any_branch or is_stopped):
            self.repository.remember(done.head)
        return done

    def _propose(
        self, base: Revision, newest: Revision | None, evaluation: Evaluation
    ) -> Proposed | None:
        settings, propose = evaluation.tree.settings, self.options.propose
        if propose is None:
            return None
        self.repository.require_clean([*settings.folders, settings.records], base)
        self.repository.follow(base)
        # With wrong Settings, the required changes are unknown.
        return Proposed.NONE if has_wrong_settings(evaluation) else propose(base, newest)

    def _by_the_clock(self) -> RunCommit:
        if self.options.any_branch:
            base, lost = fetched(self.repository), None
        else:
            base, lost = current_head(self.repository, self.options.accept_history)
        self.repository.require_pushed(base, lost.last if lost is not None else "")
        if lost is not None:
            base = self._accept(base, lost)
        part = self._carry_out(base, self.repository.source(base.id))
        due = self._due(part)
        if due is None:
            return part
        if part.commit is not None:
            self._require_unmoved(part)
        source = as_of(self.repository.source(part.head.id), due)
        return self._carry_out(part.head, source, due)

    def _accept(self, base: Revision, lost: Lost) -> Revision:
        evaluation = self._evaluate(self.repository.source(base.id))
        require_unedited(evaluation)
        if has_wrong_settings(evaluation):
            message = f"{PATH} of {base.id[:12]} has errors, so lost ranges cannot be reserved"
            raise HistoryError(
                message, "fix the errors that ipam check reports, then accept the new head"
            )
        wanted = accepting(base, evaluation, lost, self.options)
        if wanted is None:
            return base
        writing.require_below(wanted.changes, evaluation.tree.settings.records)
        commit = self.repository.commit(wanted)
        self.is_accepting = self.options.propose is not None
        if not self.is_accepting:
            self.repository.publish(base, commit)
            self.repository.fetch()
        nothing = let_pass(replace(evaluation, changes=()))
        subject = wanted.message.partition("\n")[0]
        self.made.append(RunCommit(Planned(base, nothing), nothing, commit, subject))
        return commit

    def _due(self, part: RunCommit) -> int | None:
        evaluation, now = part.planned.evaluation, self.options.now
        # With an invalid date, due instants are unknown.
        if now is None or evaluation.tree.clock_ahead is not None:
            return None
        state, records = evaluation.state, None
        after, until = part.head.clock, int(now())
        if part.commit is not None:
            records = records_after(part.carried.plan, state, evaluation.tree.settings.records)
            # With an old date, a release is due at once. It stays reserved until the next run.
            if latest_due(state, after, until, released(part.carried)) is not None:
                return None
        if latest_due(state, after, until, records) is None:
            return None
        return latest_due(state, after, self.answers.until(until, evaluation), records)

    def _looked(self, part: RunCommit, look: Callable[[RunCommit], Observation]) -> RunCommit:
        found = look(part)
        if not found.changes:
            return part
        folder = part.planned.evaluation.tree.settings.observed
        writing.require_below(found.changes, folder)
        with self.repository.alone():
            self._require_unmoved(part)
            return self._carry_out_look(part, found, folder)

    def _require_unmoved(self, part: RunCommit) -> None:
        head = part.head
        if self.options.propose is not None and self.made:
            head = self.made[0].planned.base
        if self.repository.fetch().id != head.id:
            raise LostRaceError("the branch moved while it was reconciled")

    def _carry_out_look(self, part: RunCommit, look: Observation, folder: str) -> RunCommit:
        base, repository = part.head, self.repository
        below = repository.source(base.id)
        who = part.planned.evaluation.tree.settings.committer
        # Git builds the tree of the folder. This commit is never published.
        above = repository.commit(Commit(base, look.changes, "observed in clusters", who))
        if not repository.changed(base.id, above.id, [folder])[0]:
            return part
        source = overlay(below, repository.source(above.id), folder)
        # A server whose clock is ahead must not move the dates of the branch ahead.
        at = look.at if self.options.now is None else min(look.at, int(self.options.now()))
        clock = max(at, below.clock() + 1)
        return self._carry_out(base, as_of(source, clock, below.clock_ahead()), clock, look)

    def _carry_out(
        self,
        base: Revision,
        source: Source,
        clock: int | None = None,
        look: Observation | None = None,
    ) -> RunCommit:
        options = self.options
        gone = look.removed if look is not None else ()
        evaluation = self._evaluate(source, gone=gone)
        require_unedited(evaluation)
        if not options.any_branch and not has_wrong_settings(evaluation):
            require_main_branch(self.repository, evaluation.tree.settings)
        held = self.answers.held(evaluation)
        # The withdrawal of a left range is in the past; with a fixed time, it is now.
        is_now = clock is not None or options.now is None
        left = self.answers.left(evaluation) if is_now else {}
        if held or left:
            evaluation = self._evaluate(source, EvaluationOptions(retained=held, left=left), gone)
        if options.now is not None and evaluation.tree.clock_ahead is None:
            behind = clock_behind(base.clock, int(options.now()))
            evaluation = replace(evaluation, findings=ordered([*evaluation.findings, *behind]))
        planned, is_proposed = Planned(base, evaluation, clock, look), options.propose is not None
        part = writing.carry_out(self.repository, planned, options, is_proposed=is_proposed)
        if part.commit is not None:
            self.made.append(part)
        return part

    def _evaluate(
        self, source: Source, terms: EvaluationOptions = DEFAULTS, gone: Sequence[str] = ()
    ) -> Evaluation:
        terms = replace(terms, allow_release=self.options.allow_release, gone=tuple(gone))
        found = as_reconciled(source, self.repository, terms)
        held = held_by_limit(found, self.repository, source)
        return with_overrides(with_found(found, held), source)


class Round(Struct, frozen=True):
    """Results in Git and clusters (None: not applied); `served` has seconds waited for growth."""

    done: Reconciled
    applied: Sequence[Applied] | None
    served: Sequence[tuple[str, float]] = ()


def rounds(
    reconcile: Callable[[], Reconciled],
    apply: Callable[[Reconciled], Sequence[Applied] | None],
    most: int = 2,
    served: Callable[[], Sequence[tuple[str, float]]] = lambda: (),
) -> Iterator[Round]:
    """Yield a round, and a second one if the first released ranges without retention. Lazy."""
    first = Round(done := reconcile(), apply(done), served())
    yield first
    if most > 1 and is_free_at_once(done):
        again = reconcile()
        if again.commit is not None:
            yield Round(again, apply(again), served())
        elif again.evaluation.tree.held_back:
            yield Round(again, None)  # no commit, but the obstacles are reported


def is_free_at_once(done: Reconciled) -> bool:
    """Return whether a commit released a range whose retention ends with the same commit."""
    return any(
        end is not None and end <= part.head.clock
        for part in done.parts
        for end in (retention_end(it, part.carried.state) for it in released(part.carried))
    )
