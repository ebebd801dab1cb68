"""Reconcile: fetch, plan, commit the records, publish; and all of it again when the race is lost."""

import logging
import random
import time
from collections.abc import Callable
from dataclasses import dataclass

from reconciler.commands.outcome import exit_code
from reconciler.commands.reading import evaluate_source
from reconciler.evaluate import Evaluation
from reconciler.ports import (
    Commit,
    ExitCode,
    GitError,
    LostRaceError,
    Repository,
    Revision,
)
from reconciler.report.machine import actions, digest, summary

ATTEMPTS = 5
_BACKOFF_SECONDS = 0.1
_NAMED = ("allocate", "release", "expire", "refuse")

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a person asks of a reconcile.

    Attributes:
        allow_release: How many releases they expect, to pass the brake.
        sign: Key to sign with, or empty.
        committer: Identity instead of that of the Settings.
        accept_history: A rewritten head that they accept, or None.
    """

    allow_release: int | None = None
    sign: str = ""
    committer: tuple[str, str] | None = None
    accept_history: str | None = None


@dataclass(frozen=True, slots=True)
class Reconciled:
    """What a reconcile did. `commit` is None when there was nothing to do, or it was stopped."""

    base: Revision
    commit: Revision | None
    attempts: int
    evaluation: Evaluation
    code: ExitCode


def reconcile(
    repository: Repository, wanted: Wanted, sleep: Callable[[float], None] = time.sleep
) -> Reconciled:
    """Bring the records of a branch to what its documents ask for.

    A lost race is answered by reading and planning again on what won it, never by a rebase.

    Args:
        repository: Where the branch is.
        wanted: What a person asks for.
        sleep: Waits; tests do not.

    Raises:
        GitError: The remote fails, or the race is lost `ATTEMPTS` times.
        HistoryError: The branch was rewritten since the last run.
    """
    for attempt in range(1, ATTEMPTS + 1):
        base = repository.fetch()
        if wanted.accept_history != base.id:
            repository.check_history(base)
        evaluation = evaluate_source(repository.source(base.id), wanted.allow_release)
        repository.require_clean(
            [*evaluation.tree.settings.sources, evaluation.tree.settings.records]
        )
        code = exit_code(evaluation)
        if evaluation.brake is not None or not evaluation.changes:
            repository.note_history(base)
            return Reconciled(base, None, attempt, evaluation, code)
        commit = repository.commit(_commit(base, evaluation, wanted))
        try:
            repository.publish(base, commit)
        except LostRaceError as lost:
            _log.warning("%s; attempt %d of %d", lost, attempt, ATTEMPTS)
            sleep(_BACKOFF_SECONDS * 2**attempt * random.uniform(0.5, 1.5))  # noqa: S311 - jitter
            continue
        _log.info("published %s on %s", commit.id, base.id)
        return Reconciled(base, commit, attempt, evaluation, code)
    raise GitError(
        f"lost the race for the branch {ATTEMPTS} times", "run it again when others are done"
    )


def _commit(base: Revision, evaluation: Evaluation, wanted: Wanted) -> Commit:
    counts = summary(evaluation)
    words = [f"{name} {counts[name]}" for name in _NAMED if counts[name]]
    subject = ", ".join(words) or f"rewrite {len(evaluation.changes)}"
    trailers = f"Ipam-Plan: {digest(actions(evaluation))}\nIpam-Base: {base.id}"
    committer = wanted.committer or evaluation.tree.settings.committer
    message = f"ipam: {subject}\n\n{trailers}\n"
    return Commit(base, evaluation.changes, message, committer, wanted.sign)
