"""Which tenants a round looks at, besides those in whose clusters something happened.

Those for whom the tree says something else than at their last look; those who got less than they
need, as soon as there may be more; and those who could not be asked, as soon as they answer. Who is
left is looked at again by itself, after pauses that grow. Of all others nothing is read.
"""

import logging
from collections.abc import Callable, Container, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, TypeVar

from reconciler.addresses import IPSet
from reconciler.clusters.announcing import cluster_of
from reconciler.clusters.elastic.model import Word
from reconciler.clusters.growers import all_growers
from reconciler.clusters.outcome import Applied
from reconciler.commands.looking.elastic import Blocked, Looked
from reconciler.commands.watching.backoff import Backoff
from reconciler.evaluate import Evaluation
from reconciler.families._demand import DEMAND, entries_of
from reconciler.model.allocation import Allocation
from reconciler.model.cluster import MANAGEMENT
from reconciler.model.resource import Ref

LATE = 0.01
"""Seconds by which a cluster is looked at late: a trace too early, and it would have to be again."""

_log = logging.getLogger(__name__)

K = TypeVar("K")
V = TypeVar("V")


class _Room(NamedTuple):
    """What there was to give when somebody got less than they need."""

    places: tuple[object, ...]
    taken: IPSet

    def has_more(self, before: "_Room") -> bool:
        """Another run may fit than before: something is free that was not, or pools are others."""
        return self.places != before.places or bool(before.taken - self.taken)


@dataclass(slots=True)
class _Tree:
    """What a revision says of those who may grow.

    Attributes:
        bears: By cluster, all that a look takes from the tree of that tenant alone.
        refs: The objects that stand for them.
    """

    evaluation: Evaluation
    bears: Mapping[str, object]
    refs: frozenset[Ref]
    _room: _Room | None = None

    @property
    def room(self) -> _Room:
        """What there is to give; made when somebody lacks something."""
        if self._room is None:
            state = self.evaluation.state
            held = (state.blocked, state.off_limits, state.unreadable, state.frozen, state.halted)
            taken = IPSet.of(it.range for it in state.records if it.range is not None)
            self._room = _Room((tuple(state.pools.items()), held, state.unclear), taken)
        return self._room


def _tree(evaluation: Evaluation) -> _Tree:
    growers = list(all_growers(evaluation))
    records: dict[str, list[Allocation]] = {item.cluster: [] for item in growers}
    for record in evaluation.state.records:
        if record.type == "loadbalancer" and (name := cluster_of(record)) in records:
            records[name].append(record)
    demands = {(it.namespace, it.name): entries_of(it) for it in evaluation.documents.of(DEMAND.id)}
    elastic = evaluation.tree.settings.elastic
    bears: dict[str, object] = {
        it.cluster: (
            it.claim(1, 1),
            it.increment,
            demands.get(it.owner[2:]),
            records[it.cluster],
            elastic,
        )
        for it in growers
    }
    return _Tree(evaluation, bears, frozenset(item.ref for item in growers))


@dataclass
class Attention:
    """What earlier rounds left to look at.

    Attributes:
        monotonic: The clock that pauses are measured by.
        chance: Gives a number in [0, 1).
        words: What is told of tenants, as they were looked at last.
        unasked: Those who could not be asked when they were looked at last, and why.
        away: Those of them that did not let themselves be asked.
    """

    monotonic: Callable[[], float]
    chance: Callable[[], float]
    words: dict[Ref, tuple[Word, ...]] = field(default_factory=dict)
    unasked: dict[str, str] = field(default_factory=dict)
    away: frozenset[str] = frozenset()
    _down: frozenset[str] = frozenset()
    _only: frozenset[str] | None = frozenset()
    _meant: frozenset[str] | None = None
    _tree: _Tree | None = None
    _seen: dict[str, object] = field(default_factory=dict)
    _lacking: dict[str, _Room] = field(default_factory=dict)
    _blocked: dict[str, tuple[Blocked, ...]] = field(default_factory=dict)
    _failures: dict[str, int] = field(default_factory=dict)
    _again: dict[str, float] = field(default_factory=dict)

    def begin(self, only: frozenset[str] | None, down: frozenset[str]) -> None:
        """A round begins.

        Args:
            only: The clusters in which something happened; None for all.
            down: Those that do not answer.
        """
        self._only, self._down, self._meant = only, down, None
        self._again.clear()

    def also(self, evaluation: Evaluation) -> frozenset[str]:
        """The clusters that are looked at besides, now that this is the revision."""
        tree = self._of(evaluation)
        found = {name for name, it in tree.bears.items() if self._seen.get(name) != it}
        found |= {name for name, it in self._lacking.items() if tree.room.has_more(it)}
        if MANAGEMENT not in self._down:
            found |= self.unasked.keys() - self._failures.keys() - self._down
        self._meant = frozenset(tree.bears if self._only is None else found | self._only)
        return self._meant

    def looked(self, looked: Looked, head: Evaluation, begun: float) -> None:
        """A round has looked, and committed what follows.

        Args:
            looked: What it saw.
            head: The revision by now.
            begun: When it began to look.
        """
        if self._meant is None:
            return  # it never came to a look
        tree = self._of(head)
        for name in self._meant & tree.bears.keys():
            self._seen[name] = tree.bears[name]
            self._lacking.pop(name, None)
            if name not in looked.unasked:
                self.unasked.pop(name, None)
        lacking = [name for name, it in looked.figures.items() if it.blocked]
        self._lacking |= dict.fromkeys(lacking, tree.room) if lacking else {}
        self._tell(looked.unasked)
        self._tell_blocked(looked.blocked)
        # Of one that is down its watch tells that; it is not found out here.
        away = {name for name in looked.away if not self._is_down(name)}
        self.away = (self.away - self._meant | away) & tree.bears.keys()
        for name, seconds in looked.again.items():
            self._come(name, begun + seconds + LATE)
        self._pause(self._meant, {*lacking, *looked.unasked})
        self.words |= looked.words
        self._meant = None
        self._forget(tree)

    def applied(self, applied: Iterable[Applied]) -> None:
        """Who was not well is looked at when something of it was mended."""
        for item in applied:
            if item.is_changed and item.cluster in self._failures:
                self._come(item.cluster, self.monotonic())

    def again(self) -> Iterator[tuple[str, float]]:
        """The clusters to look at by themselves after the last round, and after how many seconds."""
        now = self.monotonic()
        yield from ((name, max(at - now, 0.0)) for name, at in self._again.items())

    def _of(self, evaluation: Evaluation) -> _Tree:
        revision = evaluation.tree.revision
        known = self._tree
        if known is None or revision is None or known.evaluation.tree.revision != revision:
            self._tree = known = _tree(evaluation)
        return known

    def _come(self, name: str, at: float) -> None:
        self._again[name] = min(at, self._again.get(name, at))

    def _is_down(self, name: str) -> bool:
        return MANAGEMENT in self._down or name in self._down

    def _pause(self, meant: Iterable[str], waiting: Iterable[str]) -> None:
        """When those come again that were looked at and still wait.

        One lot is drawn for all: what befell many at once does not become as many rounds.
        """
        drawn, now = self.chance(), self.monotonic()
        still = frozenset(name for name in waiting if not self._is_down(name))
        for name in frozenset(meant) - still:
            self._failures.pop(name, None)
        for name in sorted(still):
            backoff = Backoff(lambda: drawn, self._failures.get(name, 0))
            self._come(name, now + backoff.pause())
            self._failures[name] = backoff.failures

    def _tell(self, unasked: Mapping[str, str]) -> None:
        """Say once why a cluster could not be asked. Of one that is down its watch has said it."""
        before = frozenset(self.unasked.values())
        news = {why: name for name, why in unasked.items() if not self._is_down(name)}
        for why in news.keys() - before:
            _log.warning("%s", why, extra={"cluster": news[why]})
        self.unasked |= unasked

    def _tell_blocked(self, blocked: Mapping[str, tuple[Blocked, ...]]) -> None:
        """Say once what is in the way of growth, and that nothing is any more."""
        for name, now in blocked.items():
            before = self._blocked.pop(name, ())
            for word in now:
                if word not in before:
                    about = {"cluster": name, **({"claim": word.claim} if word.claim else {})}
                    _log.warning("%s", word.words, extra=about)
            if now:
                self._blocked[name] = now
            elif before:
                _log.info("nothing is in the way of its growth any more", extra={"cluster": name})

    def _forget(self, tree: _Tree) -> None:
        """Those who grow no more."""
        _keep(self._seen, tree.bears)
        _keep(self._lacking, tree.bears)
        _keep(self.unasked, tree.bears)
        _keep(self._blocked, tree.bears)
        _keep(self._failures, tree.bears)
        _keep(self._again, tree.bears)
        _keep(self.words, tree.refs)


def _keep(known: dict[K, V], there: Container[K]) -> None:
    for name in [name for name in known if name not in there]:
        del known[name]
