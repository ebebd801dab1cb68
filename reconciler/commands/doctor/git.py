"""Whether Git is in order: the program, the repository, its remote, and what stands in it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass, field

from reconciler.commands.doctor.checks import SKEW_SECONDS, failed, run, shorten
from reconciler.commands.edited_records import edited
from reconciler.commands.reading.reader import evaluate_source
from reconciler.commands.rewritten import lost_since, refusal
from reconciler.documents.suffix import is_yaml
from reconciler.evaluate import Evaluation
from reconciler.findings import Severity, has_error
from reconciler.ports import (
    Entry,
    Probe,
    ReconcilerError,
    Repository,
    Revision,
    Source,
    UsageError,
)
from reconciler.report.diagnosis import GIT, Check, Group, doubtful, fine, wrong

_OLDEST = (2, 31)
_PLAIN = "100644"


@dataclass(slots=True)
class ExaminedGit:
    """What became of looking at Git.

    Attributes:
        evaluation: Of the revision that was read; None when none could be.
        revision: The commit that was read.
    """

    checks: list[Check] = field(default_factory=list)
    evaluation: Evaluation | None = None
    revision: Revision | None = None

    @property
    def group(self) -> Group:
        """The checks as a group."""
        return Group(GIT, tuple(self.checks))


def examine_git(probe: Probe, now: float) -> ExaminedGit:
    """Check Git, as far as one thing needs not another that is wrong.

    Args:
        probe: The repository.
        now: This machine's clock, in seconds since 1970.

    Raises:
        UsageError: The command line names no repository.
    """
    examined = ExaminedGit()
    try:
        examined.checks.append(_version(probe))
        examined.checks.append(fine("repository", probe.title()))
    except UsageError:
        raise
    except ReconcilerError as failure:
        examined.checks.append(failed("repository", failure))
        return examined
    _examine_remote(probe, examined)
    head = examined.revision
    if head is not None:
        _examine_files(probe, examined, head)
        examined.checks.append(_clock(head, now))
    return examined


def _version(probe: Probe) -> Check:
    version = probe.version()
    numbers = tuple(int(part) for part in re.findall(r"[0-9]{1,6}", version)[:2])
    if numbers < _OLDEST:
        needed = ".".join(map(str, _OLDEST))
        return wrong("git", f"version {version}", f"install git {needed} or newer")
    return fine("git", f"version {version}")


def _examine_remote(probe: Probe, examined: ExaminedGit) -> None:
    """Find the head that counts, and see whether it is what was seen before and can be moved."""
    oid: str | None = None
    is_reached = True
    try:
        oid = probe.remote_head()
        where = "the repository is the truth itself: no remote" if oid is None else f"at {oid[:12]}"
        examined.checks.append(fine("remote", where))
    except ReconcilerError as failure:
        examined.checks.append(failed("remote", failure))
        is_reached = False
    head = examined.revision = _find(probe, oid, examined, is_reached=is_reached)
    if head is None or not is_reached:
        return
    if oid in (None, head.id):
        examined.checks += run([("history", lambda: _history(probe, head))])
    examined.checks += run([("push", lambda: _push(probe, head))])


def _find(
    probe: Probe, oid: str | None, examined: ExaminedGit, *, is_reached: bool
) -> Revision | None:
    """The head that counts, else the one that is here."""
    try:
        if (head := probe.find(oid)) is not None:
            return head
        head = probe.find(None) if oid is not None else None
    except ReconcilerError as failure:
        examined.checks.append(failed("history", failure))
        return None
    if head is None and is_reached:
        message = "the branch has no commit here"
        examined.checks.append(wrong("history", message, "make a first commit, or git fetch"))
    elif head is not None:
        message = f"the remote's head is not here; {head.id[:12]} was read instead"
        examined.checks.append(doubtful("history", message, "git fetch"))
    return head


def _history(probe: Probe, head: Revision) -> Check:
    repository = probe.repository
    repository.require_pushed(head)
    if (lost := lost_since(repository, head)) is not None:
        raise refusal(repository, head, lost)
    return fine("history", f"{head.id[:12]} contains the head that was reconciled last")


def _push(probe: Probe, head: Revision) -> Check:
    probe.check_push(head)
    return fine("push", "permitted, as far as a dry run tells")


def _examine_files(probe: Probe, examined: ExaminedGit, head: Revision) -> None:
    try:
        source = probe.source(head)
        evaluation = evaluate_source(source)
        entries = source.entries([evaluation.tree.settings.records])
    except ReconcilerError as failure:
        examined.checks.append(failed("content", failure))
        return
    examined.evaluation = evaluation
    examined.checks += [_content(evaluation), _records(evaluation, entries)]
    examined.checks += run([("edits", lambda: _edits(probe.repository, source, evaluation))])
    settings = evaluation.tree.settings
    try:
        probe.check_clean([*settings.folders, settings.records], head)
    except UsageError as dirty:
        examined.checks.append(doubtful("checkout", str(dirty), dirty.hint))
    except ReconcilerError as failure:
        examined.checks.append(failed("checkout", failure))


def _edits(repository: Repository, source: Source, evaluation: Evaluation) -> Check:
    for found in edited(repository, source, evaluation):
        return wrong("edits", found.message, found.hint)
    return fine("edits", "the records are as reconcile wrote them")


def _content(evaluation: Evaluation) -> Check:
    count = sum(1 for found in evaluation.findings if found.severity is Severity.ERROR)
    if count:
        errors = "1 error" if count == 1 else f"{count} errors"
        return doubtful("content", f"{errors}; what they touch is not served", "ipam check")
    pools = len(evaluation.state.pools)
    return fine("content", f"no errors; pools: {pools}, claims: {len(evaluation.state.claims)}")


def _records(evaluation: Evaluation, entries: Iterable[Entry]) -> Check:
    """Only `reconcile` writes there, and only plain files that it can read again."""
    folder = f"{evaluation.tree.settings.records}/"
    strange = [entry.path for entry in entries if not is_yaml(entry.path) or entry.mode != _PLAIN]
    if strange:
        mend = f"take them out of {folder}: only ipam writes there"
        return doubtful("records", f"not records: {shorten(strange)}", mend)
    unread = sum(1 for item in evaluation.tree.records if has_error(item.findings))
    if unread:
        return doubtful("records", f"{unread} in {folder} cannot be read", "ipam check")
    return fine("records", f"{len(evaluation.tree.records)} in {folder}")


def _clock(head: Revision, now: float) -> Check:
    """Plans take the time from commits: one from the future keeps addresses for too long."""
    ahead = int(head.clock - now)
    if ahead > SKEW_SECONDS:
        message = f"the head was committed {ahead} s after this machine's present time"
        return doubtful("clock", message, "set the clocks of this machine and of who commits")
    return fine("clock", "the head was committed in the past")
