"""The authoritative branch: which one it is, and its head at the remote."""

from contextlib import suppress

from reconciler.commands.reading.settings import read_own_settings
from reconciler.model.settings import Settings
from reconciler.ports import (
    DefaultBranch,
    GitError,
    LimitError,
    NoBranchError,
    Repository,
    Revision,
    UsageError,
)

_SHORTEST_ID = 7


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


def accepted_head(accepted: str | None, base: Revision) -> str | None:
    """The head's id, if that is what a person accepts; its beginning is enough."""
    is_it = accepted and len(accepted) >= _SHORTEST_ID and base.id.startswith(accepted)
    return base.id if is_it else None
