"""Log lines of the daemon."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from reconciler.apply.plan import WRITTEN, Applied, ClusterState, ObjectOutcome, ObjectResult
from reconciler.documents.findings import Finding, Severity
from reconciler.documents.text import escape
from reconciler.planning.digest import actions
from reconciler.planning.evaluate import Evaluation
from reconciler.report.text.queries import range_text

_WORDS = {
    Severity.ERROR: "error",
    Severity.GATE: "refused",
    Severity.WARNING: "warning",
    Severity.INFO: "info",
}


class LogLine(NamedTuple):
    """Something that is told.

    Attributes:
        text: For people.
        words: For the log, whose fields say what it is about.
        about: Those fields: `cluster`, `claim`, `code`, `file`.
        is_trouble: Somebody has to do something about it.
    """

    text: str
    words: str
    about: Mapping[str, str]
    is_trouble: bool = False

    @property
    def shown(self) -> str:
        """The line for people, of which nothing acts on their terminal."""
        return f"{escape(self.text)}\n"


def commit_line(base: str, commit: str, subject: str) -> LogLine:
    """What was committed."""
    words = f"committed {commit[:12]} on {base[:12]}{': ' if subject else ''}{subject}"
    return _of_git(words)


class LoggedDecision(NamedTuple):
    """What is told of one decision.

    Attributes:
        action: What is done: `allocate`, `move`, `transfer`, `release`, `expire` or `refuse`.
        claim: Whom it is done to.
        words: The rest of it, on one line or more.
    """

    action: str
    claim: str
    words: str

    @property
    def is_refusal(self) -> bool:
        """Nothing new is given."""
        return self.action == "refuse"

    @property
    def line(self) -> LogLine:
        """The same as a line."""
        text = f"{self.action}: {self.claim}: {self.words}"
        about = {"claim": self.claim}
        return LogLine(text, f"{self.action}: {self.words}", about, self.is_refusal)


def decisions_told(evaluation: Evaluation) -> Iterator[LoggedDecision]:
    """What a plan gives, takes and refuses."""
    for action in actions(evaluation):
        held = f"{range_text(action)} of {action['pool']}" if action["start"] else ""
        why = f"{action['reason']}: {action['message']}" if action["reason"] else ""
        whose = f"{action['from']['owner']} → {action['owner']}" if "owner" in action else ""
        words = "; ".join(word for word in (held, whose, why) if word) or "(held nothing)"
        yield LoggedDecision(action["action"], action["claim"], words)


def applied_lines(applied: Iterable[Applied]) -> Iterator[LogLine]:
    """What was written in clusters, and who had changed it."""
    for cluster in applied:
        for outcome in cluster.outcomes:
            if outcome.result in WRITTEN:
                words = f"{outcome.result} {outcome.object}{_drift(outcome)}"
                yield _of_cluster(cluster.cluster, words)


def trouble_lines(cluster: Applied) -> Iterator[LogLine]:
    """What is not as it shall be in a cluster: the same as long as nothing changes."""
    name = cluster.cluster
    for outcome in cluster.outcomes:
        if outcome.result is ObjectResult.FAILED:
            yield _of_cluster(name, f"failed {outcome.object}: {outcome.error}", is_trouble=True)
    if cluster.error:
        hint = f"; {cluster.hint}" if cluster.hint else ""
        is_trouble = cluster.state is not ClusterState.WAITING
        yield _of_cluster(name, f"{cluster.state}: {cluster.error}{hint}", is_trouble=is_trouble)
    for note in cluster.notes:
        yield _of_cluster(name, f"note: {note}", is_trouble=True)


def well_line(cluster: str) -> LogLine:
    """All that was told of a cluster is over."""
    return _of_cluster(cluster, "well again")


def finding_line(found: Finding) -> LogLine:
    """What is wrong in the tree, where, and what mends it."""
    place = found.location
    where = ":".join(str(part) for part in (place.path, place.line, place.column) if part)
    hint = f"; hint: {found.hint}" if found.hint else ""
    words = f"{where}: {_WORDS[found.severity]} {found.code}: {found.message}{hint}"
    return LogLine(words, words, _of(found), is_trouble=True)


def mended_line(found: Finding) -> LogLine:
    """A finding is over."""
    words = f"{found.location.path}: mended: {found.code}: {found.message}"
    return LogLine(words, words, _of(found))


def more_line(count: int, what: str) -> LogLine:
    """So many of a sort are not told one by one."""
    return _of_git(f"and {count} more {what}; `ipam check` lists what there is")


def _of_git(words: str) -> LogLine:
    return LogLine(f"git: {words}", words, {})


def _of_cluster(name: str, words: str, *, is_trouble: bool = False) -> LogLine:
    return LogLine(f"{name}: {words}", words, {"cluster": name}, is_trouble)


def _of(found: Finding) -> Mapping[str, str]:
    return {"code": found.code, "file": found.location.path}


def _drift(outcome: ObjectOutcome) -> str:
    drift = outcome.drift
    if drift is None:
        return ""
    who = drift.manager or "somebody"
    when = f" at {drift.time}" if drift.time else ""
    return f" ({who} had changed {_listed(drift.fields)}{when})"


def _listed(fields: Sequence[str]) -> str:
    return ", ".join(fields) or "it"
