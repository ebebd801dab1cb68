"""What is wrong in the tree, told once: when it is new, and when it is mended."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from reconciler.commands.watching.observer import RoundDone
from reconciler.evaluate import Evaluation
from reconciler.findings import Finding, Severity
from reconciler.model.plan import Refuse
from reconciler.report.capped import gravest_first
from reconciler.report.text.watching import Line, finding_line, mended_line, more_line

MOST = 20
"""Findings that are told one by one of a round, and as many that are mended."""

Known = dict[tuple[str, str, str], Finding]


@dataclass(slots=True)
class FoundLog:
    """Those that were told, by path, code and message: a line that moves is no news."""

    _told: Known = field(default_factory=dict)

    def lines(self, done: RoundDone) -> Iterator[Line]:
        """What a round found. One that did not look at Git found nothing."""
        found = done.evaluation
        if found is None or not done.plans:
            return
        now = _known(found)
        # What clusters showed is said of the observed folder; not every round looks at all of them.
        observed = found.tree.settings.observed
        stays = {} if done.clusters is None else _below(observed, self._told)
        new = gravest_first(it for key, it in now.items() if key not in self._told)
        now = {**stays, **now}
        places = {key[:2] for key in now}
        ended = [it for key, it in self._told.items() if key not in now and key[:2] not in places]
        self._told = now
        yield from map(finding_line, new[:MOST])
        if len(new) > MOST:
            yield more_line(len(new) - MOST, "findings are new")
        yield from map(mended_line, ended[:MOST])
        if len(ended) > MOST:
            yield more_line(len(ended) - MOST, "findings are mended")


def _known(found: Evaluation) -> Known:
    """What somebody has to know. Claims that are refused are told as such."""
    refused = {(it.reason, it.source) for it in found.plan.decisions if isinstance(it, Refuse)}
    return {
        (it.location.path, it.code, it.message): it
        for it in (*found.findings, *found.gates)
        if it.severity is not Severity.INFO and (it.code, it.location) not in refused
    }


def _below(folder: str, known: Known) -> Known:
    return {
        key: it for key, it in known.items() if key[0] == folder or key[0].startswith(f"{folder}/")
    }
