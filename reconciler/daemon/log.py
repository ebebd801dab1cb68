"""The log of rounds: each line appears once, and again when it changes."""

import logging
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from reconciler.apply.plan import ClusterState
from reconciler.daemon.observer import RoundDone
from reconciler.documents.findings import Finding, Severity
from reconciler.model.key import Key
from reconciler.model.objects import MANAGEMENT
from reconciler.model.plan import Grant, Keep, Refuse
from reconciler.planning.evaluate import Evaluation
from reconciler.reconcile.discovery import GrowthBlock
from reconciler.reconcile.reconcile import Round
from reconciler.report.findings import gravest_first
from reconciler.report.text.watching import (
    LogLine,
    applied_lines,
    commit_line,
    decision_lines,
    finding_line,
    mended_line,
    more_line,
    trouble_lines,
    well_line,
)

MAX_FINDINGS = 20
"""Findings that are logged one by one per round."""

_round: ContextVar[int | None] = ContextVar("round", default=None)
_log = logging.getLogger(__name__)


@contextmanager
def in_round(number: int) -> Iterator[None]:
    """Attribute log lines of this thread to a round."""
    token = _round.set(number)
    try:
        yield
    finally:
        _round.reset(token)


def current_round() -> int | None:
    """Return the number of the round of this thread; None outside of rounds."""
    return _round.get()


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

    def clear(self) -> None:
        """Forget all refusals."""
        self._known.clear()


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
            yield from applied_lines(item.applied or ())
        yield from self._cluster_lines(done)
        if done.evaluation is not None:
            yield from self._finding_lines(done.evaluation, is_full=done.clusters is None)

    def _decisions(self, item: Round) -> Iterator[LogLine]:
        for part in item.done.parts:
            if part.commit is None:
                continue
            yield commit_line(part.planned.base.id, part.commit.id, part.subject)
            yield from (it for it in decision_lines(part.carried) if not it.is_trouble)
        last = item.done.evaluation
        news = {str(refused.claim) for refused in self._refusals.of(last)}
        for line in decision_lines(last) if news else ():
            if line.is_trouble and line.about["claim"] in news:
                yield line

    def _cluster_lines(self, done: RoundDone) -> Iterator[LogLine]:
        last = {item.cluster: item for item in done.applied}
        for name, item in last.items():
            now = {line.words: line for line in trouble_lines(item)}
            before = self._troubles.pop(name, {})
            yield from (line for words, line in now.items() if words not in before)
            if now:
                self._troubles[name] = {words: line.is_trouble for words, line in now.items()}
            elif item.state is ClusterState.APPLIED and any(before.values()):
                yield well_line(name)
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
        yield from map(finding_line, new[:MAX_FINDINGS])
        if len(new) > MAX_FINDINGS:
            yield more_line(len(new) - MAX_FINDINGS, "findings are new")
        yield from map(mended_line, fixed[:MAX_FINDINGS])
        if len(fixed) > MAX_FINDINGS:
            yield more_line(len(fixed) - MAX_FINDINGS, "findings are mended")

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
                _log.info("growth is not blocked any more", extra=extra)


def _findings_by_key(found: Evaluation) -> _Known:
    refused = {(it.reason, it.source) for it in found.plan.decisions if isinstance(it, Refuse)}
    every: Iterable[Finding] = (*found.findings, *found.gates)
    return {
        (it.location.path, it.code, it.message): it
        for it in every
        if it.severity is not Severity.INFO and (it.code, it.location) not in refused
    }
