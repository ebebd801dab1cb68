"""Log lines of the daemon."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from reconciler.apply.plan import WRITTEN, Applied, ClusterState, ObjectResult
from reconciler.documents.findings import Finding
from reconciler.documents.text import escape
from reconciler.planning.digest import actions
from reconciler.planning.evaluate import Evaluation
from reconciler.report.findings import where
from reconciler.report.text.queries import range_text
from reconciler.report.text.table import SEVERITIES


class LogLine(NamedTuple):
    """Line for the terminal, and for the log, whose fields are in `about`; whether to act on it."""

    text: str
    words: str
    about: Mapping[str, str]
    is_trouble: bool = False

    @property
    def shown(self) -> str:
        """The line for the terminal, escaped."""
        return f"{escape(self.text)}\n"


def commit_line(base: str, commit: str, subject: str) -> LogLine:
    """Return the line of a commit."""
    return _of_git(f"committed {commit[:12]} on {base[:12]}{': ' if subject else ''}{subject}")


def decision_lines(evaluation: Evaluation) -> Iterator[LogLine]:
    """Yield a line for each claim that a plan changes or refuses. A refusal is trouble."""
    for action in actions(evaluation):
        held = f"{range_text(action)} of {action['pool']}" if action["start"] else ""
        why = f"{action['reason']}: {action['message']}" if action["reason"] else ""
        owners = f"{action['from']['owner']} → {action['owner']}" if "owner" in action else ""
        words = "; ".join(word for word in (held, owners, why) if word) or "(held nothing)"
        does, claim = action["action"], action["claim"]
        text, logged = f"{does}: {claim}: {words}", f"{does}: {words}"
        yield LogLine(text, logged, {"claim": claim}, does == "refuse")


def applied_lines(applied: Iterable[Applied]) -> Iterator[LogLine]:
    """Yield a line for each written object, with the drift that it replaced."""
    for cluster in applied:
        for outcome in cluster.outcomes:
            if outcome.result in WRITTEN:
                words = f"{outcome.result} {outcome.object}"
                if drift := outcome.drift:
                    when = f" at {drift.time}" if drift.time else ""
                    fields = ", ".join(drift.fields) or "it"
                    words += f" ({drift.manager or 'somebody'} had changed {fields}{when})"
                yield _of_cluster(cluster.cluster, words)


def trouble_lines(cluster: Applied) -> Iterator[LogLine]:
    """Yield the problems of a cluster: the same lines as long as nothing changes."""
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
    """Return the line of a cluster without problems again."""
    return _of_cluster(cluster, "well again")


def finding_line(found: Finding) -> LogLine:
    """Return the line of a new finding."""
    hint = f"; hint: {found.hint}" if found.hint else ""
    word = SEVERITIES[found.severity][0]
    words = f"{where(found.location)}: {word} {found.code}: {found.message}{hint}"
    return LogLine(words, words, _of(found), is_trouble=True)


def mended_line(found: Finding) -> LogLine:
    """Return the line of a fixed finding."""
    words = f"{found.location.path}: mended: {found.code}: {found.message}"
    return LogLine(words, words, _of(found))


def more_line(count: int, what: str) -> LogLine:
    """Return the line for items that are not listed."""
    return _of_git(f"and {count} more {what}; `ipam check` lists what there is")


def _of_git(words: str) -> LogLine:
    return LogLine(f"git: {words}", words, {})


def _of_cluster(name: str, words: str, *, is_trouble: bool = False) -> LogLine:
    return LogLine(f"{name}: {words}", words, {"cluster": name}, is_trouble)


def _of(found: Finding) -> Mapping[str, str]:
    return {"code": found.code, "file": found.location.path}
