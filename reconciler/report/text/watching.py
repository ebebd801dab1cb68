"""What a daemon did, a line for each change."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from reconciler.clusters.outcome import WRITTEN, Applied, Outcome, Result
from reconciler.digest import actions, summary
from reconciler.evaluate import Evaluation
from reconciler.report.escape import escape

_COUNTED = ("allocate", "release", "expire")


def commit_line(evaluation: Evaluation, base: str, commit: str) -> str:
    """What was committed."""
    counts = summary(evaluation)
    words = ", ".join(f"{name} {counts[name]}" for name in _COUNTED if counts[name])
    return f"git: committed {commit[:12]} on {base[:12]}{': ' if words else ''}{words}\n"


class Told(NamedTuple):
    """What is told of one decision.

    Attributes:
        action: What is done: `allocate`, `release`, `expire` or `refuse`.
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


def decisions_told(evaluation: Evaluation) -> Iterator[Told]:
    """What a plan gives, takes and refuses."""
    for action in actions(evaluation):
        held = f"{action['start']}-{action['end']} of {action['pool']}" if action["start"] else ""
        why = f"{action['reason']}: {action['message']}" if action["reason"] else ""
        words = "; ".join(word for word in (held, why) if word)
        yield Told(action["action"], action["claim"], words)


def decision_lines(evaluation: Evaluation) -> Iterator[str]:
    """The same as lines."""
    for told in decisions_told(evaluation):
        yield f"{told.action}: {escape(told.claim)}: {escape(told.words)}\n"


def applied_lines(applied: Iterable[Applied]) -> Iterator[str]:
    """What was written in clusters, and who had changed it."""
    for cluster in applied:
        name = escape(cluster.cluster)
        for outcome in cluster.outcomes:
            if outcome.result in WRITTEN:
                yield f"{name}: {outcome.result} {escape(outcome.object)}{_drift(outcome)}\n"


def trouble_lines(applied: Iterable[Applied]) -> Iterator[str]:
    """What is not as it shall be in clusters: the same as long as nothing changes."""
    for cluster in applied:
        name = escape(cluster.cluster)
        for outcome in cluster.outcomes:
            if outcome.result is Result.FAILED:
                yield f"{name}: failed {escape(outcome.object)}: {escape(outcome.error)}\n"
        if cluster.error:
            yield f"{name}: {cluster.state}: {escape(cluster.error)}\n"
        for note in cluster.notes:
            yield f"{name}: note: {escape(note)}\n"


def _drift(outcome: Outcome) -> str:
    drift = outcome.drift
    if drift is None:
        return ""
    who = escape(drift.manager) or "somebody"
    when = f" at {escape(drift.time)}" if drift.time else ""
    return f" ({who} had changed {escape(_listed(drift.fields))}{when})"


def _listed(fields: Sequence[str]) -> str:
    return ", ".join(fields) or "it"
