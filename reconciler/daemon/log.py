"""The log of rounds: each line appears once, and again when it changes."""

import logging
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import NamedTuple

from reconciler.daemon.observer import RoundDone
from reconciler.documents.findings import Finding, Severity
from reconciler.documents.text import escape
from reconciler.model.applied import WRITTEN, Applied, ClusterState, ObjectResult
from reconciler.model.key import Key
from reconciler.model.objects import MANAGEMENT
from reconciler.model.plan import Grant, Keep, Refuse
from reconciler.planning.digest import actions
from reconciler.planning.evaluate import Evaluation
from reconciler.reconcile.discovery import GrowthBlock
from reconciler.reconcile.reconcile import Round
from reconciler.report.findings import gravest_first, where
from reconciler.report.text.queries import range_text
from reconciler.report.text.table import SEVERITIES

MAX_FINDINGS = 20  # logged one by one per round

ROUND: ContextVar[int | None] = ContextVar("round", default=None)
"""The number of the round of this thread; None outside of rounds."""
_log = logging.getLogger(__name__)


@contextmanager
def in_round(number: int) -> Iterator[None]:
    """Attribute log lines of this thread to a round."""
    token = ROUND.set(number)
    try:
        yield
    finally:
        ROUND.reset(token)


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


@dataclass(slots=True)
class NewRefusals:
    """Finds refusals that are new or have another reason."""

    _known: dict[Key, str] = field(default_factory=dict)

    def of(self, evaluation: Evaluation) -> Iterator[Refuse]:
        """Return the refusals of a plan that were not there before."""
        for decision in evaluation.plan.decisions:
            if isinstance(decision, Refuse):
                if self._known.get(decision.claim) != decision.reason:
                    yield decision
                self._known[decision.claim] = decision.reason
            elif isinstance(decision, Keep | Grant):
                self._known.pop(decision.claim, None)
        for claim in self._known.keys() - evaluation.state.claims.keys():
            del self._known[claim]


_Known = dict[tuple[str, str, str], Finding]


@dataclass(slots=True)
class RoundLog:
    """Remembers the lines that were logged."""

    _refusals: NewRefusals = field(default_factory=NewRefusals)
    _troubles: dict[str, dict[str, bool]] = field(default_factory=dict)
    _findings: _Known = field(default_factory=dict)
    _blocked: dict[str, tuple[GrowthBlock, ...]] = field(default_factory=dict)

    def write(self, done: RoundDone) -> list[LogLine]:
        """Log a round, and return the lines for the terminal."""
        self._log_growth(done)
        lines = list(self.lines(done))
        for line in lines:
            level = logging.WARNING if line.is_trouble else logging.INFO
            _log.log(level, "%s", line.words, extra={"round": done.number, **line.about})
        return lines

    def lines(self, done: RoundDone) -> Iterator[LogLine]:
        """Return a line for each change and each new finding."""
        for item in done.rounds:
            yield from self._decisions(item)
            yield from _applied_lines(item.applied or ())
        yield from self._cluster_lines(done)
        if done.evaluation is not None:
            yield from self._finding_lines(done.evaluation, is_full=done.clusters is None)

    def _decisions(self, item: Round) -> Iterator[LogLine]:
        for part in item.done.parts:
            if part.commit is None:
                continue
            said = f"committed {part.commit.id[:12]} on {part.planned.base.id[:12]}"
            yield _of_git(f"{said}{': ' if part.subject else ''}{part.subject}")
            yield from (it for it in _decision_lines(part.carried) if not it.is_trouble)
        last = item.done.evaluation
        news = {str(refused.claim) for refused in self._refusals.of(last)}
        for line in _decision_lines(last) if news else ():
            if line.is_trouble and line.about["claim"] in news:
                yield line

    def _cluster_lines(self, done: RoundDone) -> Iterator[LogLine]:
        last = {item.cluster: item for item in done.applied}
        for name, item in last.items():
            now = {line.words: line for line in _trouble_lines(item)}
            before = self._troubles.pop(name, {})
            yield from (line for words, line in now.items() if words not in before)
            if now:
                self._troubles[name] = {words: line.is_trouble for words, line in now.items()}
            elif item.state is ClusterState.APPLIED and any(before.values()):
                yield _of_cluster(name, "recovered")
        management = last.get(MANAGEMENT)
        if done.clusters is None and management is not None and management.uid:
            for name in self._troubles.keys() - last.keys() - done.held:
                del self._troubles[name]

    def _finding_lines(self, found: Evaluation, *, is_full: bool) -> Iterator[LogLine]:
        now = _findings_by_key(found)
        # Findings about clusters appear only in rounds that look at the cluster.
        below = f"{found.tree.settings.observed}/"
        known = {} if is_full else self._findings
        stay = {key: it for key, it in known.items() if f"{key[0]}/".startswith(below)}
        new = gravest_first(it for key, it in now.items() if key not in self._findings)
        now = {**stay, **now}
        places = {key[:2] for key in now}
        before = self._findings.items()
        fixed = [it for key, it in before if key not in now and key[:2] not in places]
        self._findings = now
        yield from map(_finding_line, new[:MAX_FINDINGS])
        if len(new) > MAX_FINDINGS:
            yield _more_line(len(new) - MAX_FINDINGS, "findings are new")
        yield from map(_fixed_line, fixed[:MAX_FINDINGS])
        if len(fixed) > MAX_FINDINGS:
            yield _more_line(len(fixed) - MAX_FINDINGS, "findings are fixed")

    def _log_growth(self, done: RoundDone) -> None:
        for name, now in (done.looked.blocked if done.looked is not None else {}).items():
            extra = {"round": done.number, "cluster": name}
            before = self._blocked.pop(name, ())
            for word in now:
                if word not in before:
                    claim = {"claim": word.claim} if word.claim else {}
                    _log.warning("%s", word.words, extra={**extra, **claim})
            if now:
                self._blocked[name] = now
            elif before:
                _log.info("growth is no longer blocked", extra=extra)


def _findings_by_key(found: Evaluation) -> _Known:
    refused = {(it.reason, it.source) for it in found.plan.decisions if isinstance(it, Refuse)}
    every: Iterable[Finding] = (*found.findings, *found.gates)
    return {
        (it.location.path, it.code, it.message): it
        for it in every
        if it.severity is not Severity.INFO and (it.code, it.location) not in refused
    }


def _decision_lines(evaluation: Evaluation) -> Iterator[LogLine]:
    for action in actions(evaluation):
        held = f"{range_text(action)} of {action['pool']}" if action["start"] else ""
        why = f"{action['reason']}: {action['message']}" if action["reason"] else ""
        owners = f"{action['from']['owner']} → {action['owner']}" if "owner" in action else ""
        words = "; ".join(word for word in (held, owners, why) if word) or "(held nothing)"
        does, claim = action["action"], action["claim"]
        text, logged = f"{does}: {claim}: {words}", f"{does}: {words}"
        yield LogLine(text, logged, {"claim": claim}, does == "refuse")


def _applied_lines(applied: Iterable[Applied]) -> Iterator[LogLine]:
    for cluster in applied:
        for outcome in cluster.outcomes:
            if outcome.result in WRITTEN:
                words = f"{outcome.result} {outcome.object}"
                if drift := outcome.drift:
                    when = f" at {drift.time}" if drift.time else ""
                    fields = ", ".join(drift.fields) or "it"
                    words += f" ({drift.manager or 'another manager'} had changed {fields}{when})"
                yield _of_cluster(cluster.cluster, words)


def _trouble_lines(cluster: Applied) -> Iterator[LogLine]:
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


def _finding_line(found: Finding) -> LogLine:
    hint = f"; hint: {found.hint}" if found.hint else ""
    word = SEVERITIES[found.severity][0]
    words = f"{where(found.location)}: {word} {found.code}: {found.message}{hint}"
    return LogLine(words, words, _of(found), is_trouble=True)


def _fixed_line(found: Finding) -> LogLine:
    words = f"{found.location.path}: fixed: {found.code}: {found.message}"
    return LogLine(words, words, _of(found))


def _more_line(count: int, what: str) -> LogLine:
    return _of_git(f"and {count} more {what}; to list them, run ipam check")


def _of_git(words: str) -> LogLine:
    return LogLine(f"git: {words}", words, {})


def _of_cluster(name: str, words: str, *, is_trouble: bool = False) -> LogLine:
    return LogLine(f"{name}: {words}", words, {"cluster": name}, is_trouble)


def _of(found: Finding) -> Mapping[str, str]:
    return {"code": found.code, "file": found.location.path}
