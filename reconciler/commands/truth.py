"""One truth: which branch may be reconciled, and whether it lost what was reconciled before.

Where the repository that is worked on saw the branch itself, it knows (`Repository.check_history`).
A fresh clone knows by what the remote notes, as far as a replay bears that out (`docs/adr/0013`).
"""

import logging
from collections.abc import Callable
from contextlib import suppress
from itertools import islice

from reconciler.commands.reading.settings import read_own_settings
from reconciler.commands.replay import judged
from reconciler.model.settings import Settings
from reconciler.model.verdict import Verdict
from reconciler.ports import (
    DefaultBranch,
    GitError,
    HistoryError,
    LimitError,
    NoBranchError,
    Repository,
    Revision,
    UsageError,
)

# So many commits that the branch lost are planned anew to find one that reconcile made.
MOST_PLANNED = 16

_SHORTEST_ID = 7

_log = logging.getLogger(__name__)


def require_truth(repository: Repository, settings: Settings) -> None:
    """Refuse a branch that is not the truth: what it gives out, no other branch knows of.

    Raises:
        GitError: The remote cannot be asked.
        UsageError: It is another branch, or it cannot be told which one is.
    """
    own, default = (
        repository.branch,
        DefaultBranch(settings.branch, "ipam.yaml names it (spec.branch)"),
    )
    clear = default if settings.branch else repository.standing.default_branch()
    truth, why = clear.branch, clear.why
    if own == truth:
        return
    anyhow = f"to reconcile {own} all the same: --branch {own} --any-branch"
    if not truth:
        message = (
            f"whether branch {own} is the truth cannot be told: {why}, and ipam.yaml names none"
        )
        hint = f"let ipam.yaml say which one is: spec: {{branch: {own}}}; {anyhow}"
        raise UsageError(message, hint)
    message = f"branch {own} is not the truth: that is {truth}, because {why}"
    raise UsageError(message, f"merge it, and reconcile with --branch {truth}; {anyhow}")


def fetched(repository: Repository) -> Revision:
    """The branch as its remote has it.

    Raises:
        GitError: The remote cannot be read.
        NoBranchError: It has no such branch. Where the Settings at hand name the truth, its hint
            does, and not what the remote shows.
    """
    try:
        return repository.fetch()
    except NoBranchError as missing:
        truth = _named_at_hand(repository)
        if not truth:
            raise
        hint = f"the truth is {truth}, because ipam.yaml at HEAD names it (spec.branch): "
        if truth == repository.branch:
            hint += "push it"
        else:
            hint += f"git switch {truth}, or reconcile it with --branch {truth}"
        raise NoBranchError(str(missing), hint) from missing


def _named_at_hand(repository: Repository) -> str:
    """The branch that Settings name in the checkout's own commit; empty where they name none."""
    try:
        own = read_own_settings(repository.source("HEAD"))
    except (GitError, LimitError):
        return ""
    return "" if own.is_broken else own.settings.branch


def require_at_start(repository: Repository) -> None:
    """Refuse to begin on a branch that is not the truth; where it cannot be told, rounds tell.

    Raises:
        UsageError: It is another branch.
    """
    with suppress(GitError, LimitError):
        with repository.alone():
            base = repository.fetch()
        own = read_own_settings(repository.source(base.id))
        if not own.is_broken:
            require_truth(repository, own.settings)


def require_remembered(
    repository: Repository,
    base: Revision,
    applied: Callable[[], str] | None = None,
) -> None:
    """Refuse a branch that lost what reconcile made, as the remote remembers it.

    That somebody noted a commit there proves nothing. It counts where reconcile really made it, or
    one before it that the branch lacks; and where a management cluster knows better, that decides.

    Args:
        repository: Where the branch is.
        base: Its head.
        applied: Tells the revision that the management cluster was brought to last; empty where it
            does not say.

    Raises:
        GitError: The clone is too shallow to tell.
        HistoryError: It was rewritten or rolled back.
    """
    last = repository.standing.remembered(base)
    lost = _proven(repository, base, last) if last else ""
    if not lost:
        return
    known = applied() if applied is not None else ""
    if known and repository.is_in(known, base.id):
        _log.warning("the branch lacks %s, but the management cluster never had it", lost)
        return
    raise HistoryError(
        f"branch {repository.branch} was rewritten or rolled back: it is at {base.id}, and lacks"
        f" {lost} that reconcile made, as the remote remembers ({repository.standing.reference})",
        f"if that is meant: ipam reconcile --accept-history {base.id}",
    )


def _proven(repository: Repository, base: Revision, last: str) -> str:
    """A commit up to the one that was noted that reconcile made, and a revision lacks; or empty."""
    noted = repository.standing.reference
    try:
        found = islice(repository.saying(last, without=base.id), MOST_PLANNED)
        for commit in found:
            if judged(repository, commit) is Verdict.SAME:
                return commit
    except (GitError, LimitError) as odd:
        _log.warning("what %s of the remote names cannot be read: %s", noted, odd)
        return ""
    _log.warning("%s of the remote names %s, which is no work of reconcile", noted, last)
    return ""


def accepted_head(accepted: str | None, base: Revision) -> str | None:
    """The head's id, if that is what a person accepts; its beginning is enough."""
    is_it = accepted and len(accepted) >= _SHORTEST_ID and base.id.startswith(accepted)
    return base.id if is_it else None
