"""The commits of a run: what is carried out of a plan, made and published one by one.

There are three sorts (`watch.md` §3): the plan of a revision at its own date; what fell due, at the
instant at which it did; and what was looked at in clusters, at the time of the look.
"""

import logging
from collections.abc import Mapping, Sequence

from msgspec import Struct
from msgspec.structs import replace

from reconciler import __version__
from reconciler.commands.message import SKIP_CI, Said, message_of
from reconciler.commands.net import require_no_clash
from reconciler.digest import actions, digest, summary
from reconciler.evaluate import Evaluation, let_pass
from reconciler.findings import Severity
from reconciler.model.change import Change
from reconciler.model.look import Look
from reconciler.model.settings import PATH
from reconciler.ports import (
    Commit,
    ReconcilerError,
    Repository,
    Revision,
)

_NAMED = {
    "move": "moved",
    "transfer": "transferred",
    **{it: it for it in ("allocate", "release", "expire", "refuse")},
}

_log = logging.getLogger(__name__)


class Wishes(Struct, frozen=True):
    """What a person asks of the commits of a run: see `ReconcileOptions`.

    Attributes:
        is_proposed: The branch stays where it is: who merges it publishes it.
    """

    allow_release: int | None = None
    sign: str = ""
    committer: tuple[str, str] | None = None
    is_proposed: bool = False


class Planned(Struct, frozen=True):
    """A plan that may be carried out.

    Attributes:
        base: The revision that it is made on.
        clock: What its commit names as its clock; None for the plan of a revision at its own date.
        look: What was looked at, which its commit holds too; None for nothing.
    """

    base: Revision
    evaluation: Evaluation
    clock: int | None = None
    look: Look | None = None


class Part(Struct, frozen=True):
    """One commit of a run.

    Attributes:
        planned: What was planned.
        carried: What of it was carried out.
        commit: The commit; None when there was nothing to do, or it was stopped.
        subject: What the commit says of itself; empty without one.
    """

    planned: Planned
    carried: Evaluation
    commit: Revision | None
    subject: str = ""

    @property
    def head(self) -> Revision:
        """Where the branch is after it."""
        return self.commit or self.planned.base


def carry_out(repository: Repository, planned: Planned, wishes: Wishes) -> Part:
    """Commit and publish a plan, if it changes something; commit alone, if it is proposed.

    Raises:
        GitError: The remote fails.
        LostRaceError: The branch moved.
        ReconcilerError: The plan would give an address out twice: a bug.
        UsageError: A checkout holds what is not committed, or not on the remote.
    """
    base, evaluation = planned.base, planned.evaluation
    settings, passed = evaluation.tree.settings, let_pass(evaluation)
    commit, subject = None, ""
    if is_carried_out(planned, passed):
        asked = commit_of(planned, passed, wishes)
        commit, subject = repository.commit(asked), asked.message.partition("\n")[0]
        require_no_clash(repository, asked, commit, evaluation.tree)
    if wishes.is_proposed:
        return Part(planned, passed, commit, subject)
    folders = [*settings.folders, settings.records]
    repository.require_clean(folders, commit or base)
    if commit is None:
        repository.follow(base)
    else:
        repository.publish(base, commit)
        _log.info("published %s on %s", commit.id, base.id)
    return Part(planned, passed, commit, subject)


def is_carried_out(planned: Planned, passed: Evaluation) -> bool:
    """It changes something, and nothing stops all of it."""
    if has_wrong_settings(planned.evaluation):
        return False
    return bool(passed.changes) or planned.look is not None


def has_wrong_settings(evaluation: Evaluation) -> bool:
    """Settings that cannot be read may name another records folder: who writes then, writes twice."""
    return any(
        found.severity is Severity.ERROR and found.location.path == PATH
        for found in evaluation.findings
    )


def require_below(changes: Sequence[Change], *folders: str) -> None:
    """Whatever a document or a cluster says, nothing outside of our folders is ever written.

    Raises:
        ReconcilerError: It would be.
    """
    inside = tuple(f"{folder}/" for folder in folders)
    for change in changes:
        if not change.path.startswith(inside) or ".." in change.path:
            raise ReconcilerError(f"the plan writes outside of {' and '.join(inside)}")


def commit_of(planned: Planned, passed: Evaluation, wishes: Wishes) -> Commit:
    """The commit of what is carried out of a plan, with the digest of all of it."""
    tree, base, look = planned.evaluation.tree, planned.base, planned.look
    require_below(passed.changes, tree.settings.records, tree.settings.observed)
    seen = look.changes if look is not None else ()
    # A date that is ahead is not carried on: the next plan shall have a clock that is true.
    clock = tree.clock
    told = clock if planned.clock is not None or clock != base.clock else None
    said = Said(
        plan=digest(actions(planned.evaluation)),
        base=base.id,
        version=__version__,
        allow_release=wishes.allow_release,
        clock=told,
        seen=look.seen if look is not None else "",
    )
    subject = _subject(summary(passed), len(passed.changes), len(seen))
    message = message_of(f"{subject}{SKIP_CI}" if tree.settings.skips_ci else subject, said)
    # Made one second after this base.
    dated = replace(base, clock=clock if planned.clock is None else clock - 1)
    committer = wishes.committer or tree.settings.committer
    written = {change.path: change for change in (*seen, *passed.changes)}
    changes = [written[path] for path in sorted(written)]
    return Commit(dated, changes, message, committer, wishes.sign)


def _subject(counts: Mapping[str, int], written: int, seen: int) -> str:
    words = [f"{word} {counts[name]}" for word, name in _NAMED.items() if counts.get(name)]
    words = words or ([f"rewrite {written}"] if written else [])
    words += [f"observe {seen}"] if seen else []
    return ", ".join(words)
