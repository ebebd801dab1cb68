"""Reconcile: fetch, plan, commit the records, publish; and all of it again when the race is lost.

A run makes up to three commits, each only when it changes something: the plan of the revision as it
stands, what fell due since, and what was looked at in clusters (`commands/writing.py`).
"""

import logging
import random
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from msgspec import Struct, structs

from reconciler.commands.answers import Answers
from reconciler.commands.by_hand import as_reconciled, with_found, with_overrides
from reconciler.commands.dates import timed
from reconciler.commands.edited_records import require_unedited
from reconciler.commands.exit_codes import exit_code
from reconciler.commands.proposing import propose
from reconciler.commands.reading.reader import DEFAULTS, EvaluationOptions
from reconciler.commands.reading.views import AsOf, Overlay
from reconciler.commands.rewritten import Lost, accepting, current_head
from reconciler.commands.truth import fetched, require_truth
from reconciler.commands.writing import (
    Part,
    Planned,
    Wishes,
    carry_out,
    has_wrong_settings,
    require_below,
)
from reconciler.engine.due import latest_due
from reconciler.evaluate import Evaluation, let_pass, released
from reconciler.model.look import Look
from reconciler.model.proposed import Proposed
from reconciler.ports import (
    Commit,
    ExitCode,
    LostRaceError,
    RacesLostError,
    Repository,
    Revision,
    Source,
)
from reconciler.ports.proposing import Proposing
from reconciler.records.changes import records_after
from reconciler.review.causes import held_by_limit

ATTEMPTS = 5
_BACKOFF_SECONDS = 0.1
_LOOK = "what was looked at in clusters"

_log = logging.getLogger(__name__)


class ReconcileOptions(Struct, frozen=True):
    """What a person asks of a reconcile, and who is asked about the world.

    Attributes:
        allow_release: How many releases they expect, to pass the brake.
        sign: Key to sign with, or empty.
        committer: Instead of that of the Settings.
        accept_history: A rewritten head that they accept.
        still_announced: Tells which records that would go some cluster may still announce, and why.
        now: The machine's clock, in seconds since 1970: until then things fall due; else by the
            date of the revision.
        server_now: The management cluster's, or None; asked when something fell due.
        any_branch: It need not be the branch that is the truth. Nothing is noted of it then.
        look: What is looked at in clusters, by the newest revision; nobody waits for the lock then.
        to: Gets the commits instead of the branch, which people move by a merge.
    """

    allow_release: int | None = None
    sign: str = ""
    committer: tuple[str, str] | None = None
    accept_history: str | None = None
    still_announced: Callable[[Evaluation], Mapping[str, str]] | None = None
    now: Callable[[], float] | None = None
    server_now: Callable[[], int | None] | None = None
    look: Callable[[Evaluation], Look] | None = None
    any_branch: bool = False
    to: Proposing | None = None


class Reconciled(Struct, frozen=True):
    """What a reconcile did.

    Attributes:
        base: What the branch was at first.
        commit: The last commit that it made; None for none.
        evaluation: What was planned last.
        parts: Each commit, with what was planned for it.
        proposed: What became of the branch that gets them instead; None where none is named.
    """

    base: Revision
    commit: Revision | None
    attempts: int
    evaluation: Evaluation
    code: ExitCode
    parts: tuple[Part, ...] = ()
    proposed: Proposed | None = None

    @property
    def head(self) -> Revision:
        """Where the branch is now: nobody merged yet what is only proposed."""
        return self.commit if self.commit and self.proposed is None else self.base


def reconcile(
    repository: Repository,
    options: ReconcileOptions,
    sleep: Callable[[float], None] = time.sleep,
) -> Reconciled:
    """Bring the records of a branch to what its documents ask for.

    A lost race is answered by reading and planning again on what won it, never by a rebase.

    Args:
        repository: Where the branch is.
        options: What a person asks for.
        sleep: Waits; tests do not.

    Raises:
        GitError: The remote fails.
        RacesLostError: The race is lost `ATTEMPTS` times.
        GateError: Records were edited outside of reconcile.
        HistoryError: The branch was rewritten since the last run.
        ReconcilerError: The plan would give an address out twice: a bug.
        UsageError: A checkout holds what is not committed, or not on the remote; or the branch is
            not the truth.
    """
    answers = Answers(options.still_announced, options.server_now)
    run = _Run(repository, options, answers)
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return structs.replace(run.attempt(), attempts=attempt)
        except LostRaceError as lost:
            reason = str(lost)
            _log.warning("%s; attempt %d of %d", reason, attempt, ATTEMPTS)
        if attempt < ATTEMPTS:
            sleep(_BACKOFF_SECONDS * 2**attempt * random.uniform(0.5, 1.5))  # noqa: S311 - jitter  # nosec B311
    raise RacesLostError(
        f"lost the race for the branch {ATTEMPTS} times; at last: {reason}",
        "run it again when others are done; nothing was published",
    )


@dataclass(slots=True)
class _Run:
    """One reconcile, of which each attempt begins with the branch as it is by then.

    Attributes:
        made: The commits that it published, in whatever attempt.
    """

    repository: Repository
    options: ReconcileOptions
    answers: Answers
    made: list[Part] = field(default_factory=list)

    def attempt(self) -> Reconciled:
        """All of a run, once."""
        if self.options.to is not None:
            self.made.clear()  # what an earlier attempt made, nobody has got
        part = self.answers.alone(self.repository, self._by_the_clock)
        if self.options.look is not None and not has_wrong_settings(part.planned.evaluation):
            part = self._looked(part, self.options.look)
        evaluation = part.planned.evaluation
        made = tuple(self.made)
        base = made[0].planned.base if made else part.planned.base
        newest = made[-1].commit if made else None
        to, proposed = self.options.to, None
        if to is not None:
            proposed = propose(self.repository, to, base, newest, evaluation)
        done = Reconciled(base, newest, 1, evaluation, exit_code(evaluation), made, proposed)
        if not self.options.any_branch:
            self.repository.standing.remember(done.head)
        return done

    def _by_the_clock(self) -> Part:
        """What the revision asks for as it stands, and what fell due since then."""
        accept = self.options.accept_history
        if self.options.any_branch:
            base, lost = fetched(self.repository), None
        else:
            base, lost = current_head(self.repository, accept)
        self.repository.require_pushed(base, lost.last if lost is not None else "")
        if lost is not None:
            base = self._accept(base, lost)
        part = self._carry_out(base, self.repository.source(base.id))
        due = self._due(part)
        if due is None:
            return part
        if part.commit is not None:
            self._require_unmoved(part)
        source = AsOf(self.repository.source(part.head.id), due)
        return self._carry_out(part.head, source, due)

    def _accept(self, base: Revision, lost: Lost) -> Revision:
        """Keep the ranges out of use that a rewritten history lost; return the head after that."""
        evaluation = self._evaluate(self.repository.source(base.id))
        require_unedited(evaluation)
        wanted = accepting(self.repository, base, evaluation, lost)
        if wanted is None:
            return base
        require_below(wanted.changes, evaluation.tree.settings.records)
        options = self.options
        if options.committer is not None:
            wanted = structs.replace(wanted, committer=options.committer)
        commit = self.repository.commit(structs.replace(wanted, sign=options.sign))
        if options.to is None:
            self.repository.publish(base, commit)
            self.repository.fetch()
        nothing = let_pass(structs.replace(evaluation, changes=()))
        subject = wanted.message.partition("\n")[0]
        self.made.append(Part(Planned(base, nothing), nothing, commit, subject))
        return commit

    def _due(self, part: Part) -> int | None:
        """The latest instant that has come at which something falls due; None for none."""
        evaluation, now = part.planned.evaluation, self.options.now
        # By a date that cannot be true nobody can tell what has come.
        if now is None or evaluation.tree.clock_ahead is not None:
            return None
        state, records = evaluation.state, None
        after, until = part.head.clock, int(now())
        if part.commit is not None:
            folder = evaluation.tree.settings.records
            records = records_after(part.carried.plan, state, folder)
            # By an old date it may be due at once. It rests until the next run at least.
            if latest_due(state, after, until, released(part.carried)) is not None:
                return None
        if latest_due(state, after, until, records) is None:
            return None
        return latest_due(state, after, self.answers.until(until), records)

    def _looked(self, part: Part, look: Callable[[Evaluation], Look]) -> Part:
        """What clusters show by now, and what follows from it."""
        evaluation = part.planned.evaluation
        if part.commit is not None:
            evaluation = self._evaluate(self.repository.source(part.commit.id))
        found = look(evaluation)
        if not found.changes:
            return part
        folder = evaluation.tree.settings.observed
        require_below(found.changes, folder)

        def carried() -> Part:
            self._require_unmoved(part)
            return self._carry_out_look(part, found, folder)

        return self.answers.alone(self.repository, carried)

    def _require_unmoved(self, part: Part) -> None:
        """Refuse to go on from what is not the branch any more.

        Raises:
            LostRaceError: It moved.
        """
        head = part.head
        if self.options.to is not None and self.made:
            head = self.made[0].planned.base
        if self.repository.fetch().id != head.id:
            raise LostRaceError("the branch moved while it was reconciled")

    def _carry_out_look(self, part: Part, look: Look, folder: str) -> Part:
        """Plan the newest revision with what was seen, at the time of the look."""
        base, repository = part.head, self.repository
        below = repository.source(base.id)
        who = part.planned.evaluation.tree.settings.committer
        # Git itself tells what the folder will be; nobody ever gets to see this commit.
        above = repository.commit(Commit(base, look.changes, _LOOK, who))
        if not repository.changed(base.id, above.id, [folder])[0]:
            return part
        source = Overlay(below, repository.source(above.id), folder)
        # A server whose clock is ahead must not take the branch with it.
        at = look.at if self.options.now is None else min(look.at, int(self.options.now()))
        clock = max(at, below.clock() + 1)
        return self._carry_out(base, AsOf(source, clock, below.clock_ahead()), clock, look)

    def _carry_out(
        self, base: Revision, source: Source, clock: int | None = None, look: Look | None = None
    ) -> Part:
        """Plan, but for what clusters still announce; commit and publish."""
        gone = look.removed if look is not None else ()
        evaluation = self._evaluate(source, gone=gone)
        require_unedited(evaluation)
        if not self.options.any_branch and not has_wrong_settings(evaluation):
            require_truth(self.repository, evaluation.tree.settings)
        held = self.answers.held(evaluation)
        # A range that was left is withdrawn at a time that has come; where time stands still, now.
        is_now = clock is not None or self.options.now is None
        left = self.answers.left(evaluation) if is_now else {}
        if held or left:
            evaluation = self._evaluate(source, EvaluationOptions(retained=held, left=left), gone)
        options = self.options
        wishes = Wishes(
            options.allow_release, options.sign, options.committer, options.to is not None
        )
        planned = Planned(base, timed(evaluation, base, options.now), clock, look)
        part = carry_out(self.repository, planned, wishes)
        if part.commit is not None:
            self.made.append(part)
        return part

    def _evaluate(
        self, source: Source, terms: EvaluationOptions = DEFAULTS, gone: Sequence[str] = ()
    ) -> Evaluation:
        allowed = self.options.allow_release
        terms = structs.replace(terms, allow_release=allowed, gone=tuple(gone))
        found = as_reconciled(source, self.repository, terms)
        held = held_by_limit(found, self.repository, source)
        return with_overrides(with_found(found, held))
