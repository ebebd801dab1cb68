"""What is not as it shall be in clusters, told once: when it is new, and when all is well again."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from reconciler.clusters.outcome import State
from reconciler.commands.watching.observer import RoundDone
from reconciler.model.cluster import MANAGEMENT
from reconciler.report.text.watching import Line, trouble_lines, well_line

MOST_LEFT = 100
"""Rounds over everything that may leave a cluster out until it is forgotten: then it is gone."""


@dataclass(slots=True)
class TroubleLog:
    """What was told of each cluster that is not well."""

    _told: dict[str, dict[str, bool]] = field(default_factory=dict)
    _left: dict[str, int] = field(default_factory=dict)

    def lines(self, done: RoundDone) -> Iterator[Line]:
        """What a round met."""
        last = {item.cluster: item for item in done.applied}  # the last time counts
        for name, item in last.items():
            now = {line.words: line for line in trouble_lines(item)}
            before = self._told.pop(name, {})
            yield from (line for words, line in now.items() if words not in before)
            if now:
                self._told[name] = {words: line.is_trouble for words, line in now.items()}
            elif item.state is State.APPLIED and any(before.values()):
                yield well_line(name)
        if done.clusters is None and any(
            it.uid for it in last.values() if it.cluster == MANAGEMENT
        ):
            self._forget(frozenset(last))

    def _forget(self, there: frozenset[str]) -> None:
        """Those that are left out each time. One that does not answer is left out, and comes back."""
        self._left = {name: self._left.get(name, 0) + 1 for name in self._told.keys() - there}
        for name in [name for name, count in self._left.items() if count > MOST_LEFT]:
            del self._told[name], self._left[name]
