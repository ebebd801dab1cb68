"""Reconcile: fetch, plan, commit the records, publish; and all of it again when the race is lost."""

import logging
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from reconciler import __version__
from reconciler.commands.exit_codes import exit_code
from reconciler.commands.message import Said, message_of
from reconciler.commands.net import require_no_clash
from reconciler.commands.reading.incremental import evaluate_incrementally
from reconciler.commands.reading.settings import folders_before
from reconciler.commands.reading.terms import Terms
from reconciler.commands.replay import believes, note_made
from reconciler.commands.review import require_history, with_changes_by_hand, with_overrides
from reconciler.digest import actions, digest, summary
from reconciler.documents.load import is_yaml
from reconciler.evaluate import Evaluation, leaving, let_pass
from reconciler.findings import Severity
from reconciler.model.allocation import Allocation
from reconciler.ports import (
    Commit,
    ExitCode,
    Facts,
    GateError,
    LostRaceError,
    RacesLostError,
    ReconcilerError,
    Repository,
    Revision,
)
from reconciler.settings import PATH

ATTEMPTS = 5
_BACKOFF_SECONDS = 0.1
_SHORTEST_ID = 7
_NAMED = ("allocate", "release", "expire", "refuse")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ReconcileOptions:
    """What a person asks of a reconcile.

    Attributes:
        allow_release: How many releases they expect, to pass the brake.
        sign: Key to sign with, or empty.
        committer: Identity instead of that of the Settings.
        accept_history: A rewritten head that they accept, or None.
        still_announced: Tells which records that would go some cluster may still announce, and why.
    """

    allow_release: int | None = None
    sign: str = ""
    committer: tuple[str, str] | None = None
    accept_history: str | None = None
    still_announced: Callable[[Evaluation], Mapping[str, str]] | None = None


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What a reconcile did. `commit` is None when there was nothing to do, or it was stopped."""

    base: Revision
    commit: Revision | None
    attempts: int
    evaluation: Evaluation
    code: ExitCode

    @property
    def head(self) -> Revision:
        """Where the branch is now."""
        return self.commit or self.base


def reconcile(
    repository: Repository,
    options: ReconcileOptions,
    sleep: Callable[[float], None] = time.sleep,
    facts: Facts | None = None,
) -> Reconciled:
    """Bring the records of a branch to what its documents ask for.

    A lost race is answered by reading and planning again on what won it, never by a rebase.

    Args:
        repository: Where the branch is.
        options: What a person asks for.
        sleep: Waits; tests do not.
        facts: The cache that spares reading what is settled.

    Raises:
        GitError: The remote fails.
        RacesLostError: The race is lost `ATTEMPTS` times.
        HistoryError: The branch was rewritten since the last run.
        ReconcilerError: The plan would give an address out twice: a bug.
        UsageError: A checkout holds what is not committed, or not on the remote.
    """
    run = _Run(repository, options, facts, _Answers(options.still_announced))
    for attempt in range(1, ATTEMPTS + 1):
        try:
            return run.attempt(attempt)
        except LostRaceError as lost:
            reason = str(lost)
            _log.warning("%s; attempt %d of %d", reason, attempt, ATTEMPTS)
        if attempt < ATTEMPTS:
            sleep(_BACKOFF_SECONDS * 2**attempt * random.uniform(0.5, 1.5))  # noqa: S311 - jitter  # nosec B311
    raise RacesLostError(
        f"lost the race for the branch {ATTEMPTS} times; at last: {reason}",
        "run it again when others are done; nothing was published",
    )


class _Answers:
    """What clusters say of records that would go: each record is asked about once in a run."""

    def __init__(self, ask: Callable[[Evaluation], Mapping[str, str]] | None) -> None:
        self._ask = ask
        self._told: dict[Allocation, str] = {}

    def are_missing(self, evaluation: Evaluation) -> bool:
        """Whether some record would go that nobody was asked about."""
        if self._ask is None:
            return False
        return any(record not in self._told for record in leaving(evaluation))

    def seek(self, evaluation: Evaluation) -> None:
        """Ask, if one is missing; dead clusters take as long as they may."""
        if self._ask is not None and self.are_missing(evaluation):
            found = self._ask(evaluation)
            self._told |= {record: found.get(record.path, "") for record in leaving(evaluation)}

    def held(self, evaluation: Evaluation) -> dict[str, str]:
        """Why records that would go have to stay, by path."""
        reasons = ((record.path, self._told.get(record)) for record in leaving(evaluation))
        return {path: why for path, why in reasons if why}


@dataclass(frozen=True, slots=True)
class _Run:
    """One reconcile, of which each attempt begins with the branch as it is by then."""

    repository: Repository
    options: ReconcileOptions
    facts: Facts | None
    answers: _Answers

    def attempt(self, number: int) -> Reconciled:
        """Fetch, plan, commit, publish, once."""
        with self.repository.alone():
            base, evaluation = self._plan()
            if not self.answers.are_missing(evaluation):
                return self._carry_out(base, evaluation, number)
        # Nobody waits for the lock while clusters are asked. The branch may move meanwhile.
        self.answers.seek(evaluation)
        with self.repository.alone():
            base, evaluation = self._plan()
            self.answers.seek(evaluation)  # about what fell due meanwhile
            return self._carry_out(base, evaluation, number)

    def _plan(self) -> tuple[Revision, Evaluation]:
        """Fetch and plan, whatever clusters may still announce."""
        base = self.repository.fetch()
        self.repository.check_history(base, _accepted(self.options.accept_history, base))
        return base, self._evaluate(base, {})

    def _evaluate(self, base: Revision, held: Mapping[str, str]) -> Evaluation:
        source, allowed = self.repository.source(base.id), self.options.allow_release
        terms = Terms(allow_release=allowed, retained=held)
        found = evaluate_incrementally(source, self.facts, terms)
        return with_overrides(with_changes_by_hand(self.repository, source, found, self.facts))

    def _carry_out(self, base: Revision, evaluation: Evaluation, number: int) -> Reconciled:
        """Commit and publish what is planned, but for what clusters still announce."""
        if held := self.answers.held(evaluation):
            evaluation = self._evaluate(base, held)
        repository, options = self.repository, self.options
        settings = evaluation.tree.settings
        commit = None
        passed = let_pass(evaluation)
        if passed.changes and not has_wrong_settings(evaluation):
            require_history(evaluation)
            if options.allow_release is None:
                _require_records(repository, base, evaluation, self.facts)
            asked = _commit(base, passed, options, digest(actions(evaluation)))
            commit = repository.commit(asked)
            require_no_clash(repository, asked, commit, evaluation.tree, self.facts)
            note_made(self.facts, commit)
        repository.require_clean([*settings.sources, settings.records], commit or base)
        if commit is None:
            repository.follow(base)
        else:
            repository.publish(base, commit)
            _log.info("published %s on %s", commit.id, base.id)
        return Reconciled(base, commit, number, evaluation, exit_code(evaluation))


def has_wrong_settings(evaluation: Evaluation) -> bool:
    """Settings that cannot be read may name another records folder: who writes then, writes twice."""
    return any(
        found.severity is Severity.ERROR and found.location.path == PATH
        for found in evaluation.findings
    )


def _require_records(
    repository: Repository, base: Revision, evaluation: Evaluation, facts: Facts | None
) -> None:
    """Refuse to begin anew where records were: a removed folder, or Settings that name another.

    What clusters announce would be given out a second time. Only reconcile itself may have taken
    the last ones away; that a commit says so proves nothing.

    Raises:
        GateError: Records were there, and people removed them.
    """
    tree = evaluation.tree
    if tree.records or tree.settled.kept:
        return
    source, now = repository.source(base.id), tree.settings.records
    for folder in dict.fromkeys([now, *folders_before(source)]):
        steps = source.past([folder])
        last = next((it for it in steps if any(is_yaml(item.path) for item in it.changed)), None)
        if last is None or (last.is_reconcile and believes(repository, facts, last.id)):
            continue
        raise GateError(
            f"no record is left in {now}/, but commit {last.id[:12]} took some from {folder}/ that"
            " reconcile left there",
            f"git checkout {last.id[:12]}^ -- {folder} brings them back; to give all addresses out"
            " anew: ipam reconcile --allow-release 0",
        )


def _accepted(accepted: str | None, base: Revision) -> str | None:
    """The head's id, if that is what a person accepts; its beginning is enough."""
    if accepted is None or len(accepted) < _SHORTEST_ID or not base.id.startswith(accepted):
        return None
    return base.id


def _commit(base: Revision, evaluation: Evaluation, options: ReconcileOptions, plan: str) -> Commit:
    """The commit of what is carried out of a plan, with the digest of all of it."""
    counts = summary(evaluation)
    words = [f"{name} {counts[name]}" for name in _NAMED if counts[name]]
    subject = ", ".join(words) or f"rewrite {len(evaluation.changes)}"
    committer = options.committer or evaluation.tree.settings.committer
    clock = evaluation.tree.clock
    told = clock if clock != base.clock else None
    message = message_of(subject, Said(plan, base.id, __version__, options.allow_release, told))
    folder = f"{evaluation.tree.settings.records}/"
    # Whatever a document says, nothing outside the records is ever written.
    if any(not c.path.startswith(folder) or ".." in c.path for c in evaluation.changes):
        raise ReconcilerError("the plan writes outside the records folder")
    # A date that is ahead is not carried on: the next plan shall have a clock that is true.
    dated = base._replace(clock=clock)
    return Commit(dated, evaluation.changes, message, committer, options.sign)
