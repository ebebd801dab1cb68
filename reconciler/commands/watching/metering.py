"""A daemon in figures: what it tells an observer becomes metrics."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Set
from threading import Lock

from msgspec.structs import replace

from reconciler.clusters.elastic.model import Figures
from reconciler.clusters.growers import all_growers
from reconciler.clusters.outcome import Applied, Result, State
from reconciler.commands.reconcile import Reconciled
from reconciler.commands.rounds import Round
from reconciler.commands.watching.observer import Ending, Nobody, Push, RoundDone
from reconciler.commands.watching.refusals import Refusals
from reconciler.evaluate import Evaluation
from reconciler.families._metering import Turn
from reconciler.model.cluster import MANAGEMENT
from reconciler.model.metric import Metric, Sample
from reconciler.model.plan import Grant
from reconciler.ports.meter import Meter
from reconciler.report import metrics

_MANAGERS = 16
_CHARACTERS = 64
_OTHERS = "others"
# What goes stale while another process does the work.
_OF_LEADERS = ("pools", "findings", "documents", "revision")
# A round that ended so has read the branch, and what it may commit is on it.
_DONE = (Ending.OK, Ending.REFUSED, Ending.PARTIAL)


class Metering(Nobody):
    """Tells a meter what it is told."""

    def __init__(self, meter: Meter, now: Callable[[], float]) -> None:
        """Begin with zeros, where it is known what there can be.

        Args:
            meter: The registry.
            now: Seconds since 1970.
        """
        self._meter = meter
        self._now = now
        self._lock = Lock()
        self._refused = Refusals()
        self._up: dict[str, bool] = {}
        self._applied: dict[str, float] = {}
        self._asked: dict[str, Figures] = {}
        self._unasked: Mapping[str, str] = {}
        self._away: Set[str] = frozenset()
        self._began = now()
        self._managers: dict[str, set[str]] = {}
        zeros = [Sample(metrics.ROUNDS, (ending.value,), 0) for ending in Ending]
        meter.move([*zeros, *(Sample(metrics.COMMITS, (push.value,), 0) for push in Push)])
        meter.ask("clusters", self._of_clusters)
        self.leading(is_leader=False)

    def round_done(self, done: RoundDone) -> None:
        """A round ended."""
        ending = Sample(metrics.ROUNDS, (done.ending.value,), 1)
        self._meter.move([ending, Sample(metrics.ROUND_SECONDS, (), done.seconds)])
        with self._lock:
            for each in done.rounds:
                for turn in self._turns(done, each):
                    self._meter.move(metrics.of_turn(turn))
            self._clusters(done.applied)
        if done.rounds:
            self._newest(done.rounds[-1].done)
        if done.ending in _DONE:
            self._meter.show("success", [Sample(metrics.SUCCESS, (), self._now())])

    def looked_at(self, evaluation: Evaluation) -> None:
        """A revision was read whole, and is what the branch holds now."""
        with self._lock:
            if self._asked:  # who may not grow any more asks for nothing
                growing = {item.cluster for item in all_growers(evaluation)}
                self._asked = {name: it for name, it in self._asked.items() if name in growing}
        usage = evaluation.plan.before
        self._meter.show("pools", metrics.of_pools(usage))
        self._findings(evaluation)
        self._meter.show("documents", metrics.of_documents(evaluation, usage))

    def commit_done(self, result: Push, done: Reconciled | None, races: int) -> None:
        """A commit was published, or could not be."""
        del done
        told = Sample(metrics.COMMITS, (result.value,), 1)
        self._meter.move([told, Sample(metrics.RACES, (), races)])

    def watch_restarted(self, cluster: str, kind: str, why: str) -> None:
        """A watch begins anew."""
        del kind
        self._meter.move([Sample(metrics.RESTARTS, (cluster, why), 1)])

    def cluster_up(self, cluster: str, *, is_up: bool) -> None:
        """A cluster answers, or not."""
        with self._lock:
            self._up[cluster] = is_up

    def cluster_gone(self, cluster: str) -> None:
        """A cluster is not watched any more: its series go."""
        with self._lock:
            for known in (self._up, self._applied, self._asked, self._managers):
                known.pop(cluster, None)
        self._meter.forget(metrics.DRIFT, cluster)
        self._meter.forget(metrics.RESTARTS, cluster)

    def looked(self, unasked: Mapping[str, str], away: Set[str]) -> None:
        """Clusters were looked at. What those ask for who could not be asked is not known."""
        with self._lock:
            self._unasked, self._away = unasked, away
            self._asked = {name: it for name, it in self._asked.items() if name not in unasked}

    def demand_seen(self, cluster: str, asked: Figures) -> None:
        """What an elastic tenant asks for now."""
        with self._lock:
            self._asked[cluster] = asked

    def growth_served(self, cluster: str, seconds: float) -> None:
        """A cluster got what it asked for."""
        del cluster
        self._meter.move([Sample(metrics.GROWTH_SECONDS, (), seconds)])

    def leading(self, *, is_leader: bool) -> None:
        """This process leads, or not. Who does not has nothing to say of what others change."""
        if not is_leader:
            with self._lock:
                for known in (self._up, self._applied, self._asked):
                    known.clear()
                self._unasked, self._away = {}, frozenset()
                self._refused.clear()
            for part in _OF_LEADERS:
                self._meter.show(part, ())
        else:
            self._began = self._now()
        self._meter.show("leading", [Sample(metrics.LEADING, (), int(is_leader))])

    def bug_met(self, where: str) -> None:
        """A bug was met."""
        del where
        self._meter.move([Sample(metrics.BUGS, (), 1)])

    def _findings(self, evaluation: Evaluation) -> None:
        """What was found; of looks also while none is made."""
        with self._lock:
            unasked = frozenset(self._unasked.values())
        self._meter.show("findings", metrics.of_findings(evaluation, unasked))

    def _newest(self, done: Reconciled) -> None:
        """What the last that was evaluated tells; of documents only if all were read."""
        usage = metrics.usage_after(done.evaluation, is_committed=done.commit is not None)
        self._meter.show("pools", metrics.of_pools(usage))
        self._findings(done.evaluation)
        self._meter.show("revision", [Sample(metrics.REVISION, (done.head.id,), 1)])

    def _turns(self, done: RoundDone, each: Round) -> Iterator[Turn]:
        """What each commit did; and of the last plan what it refused, also when it made none."""
        made = [part.carried for part in each.done.parts]
        last = each.done.evaluation
        if not any(part.planned.evaluation is last for part in each.done.parts):
            decisions = (it for it in last.plan.decisions if not isinstance(it, Grant))
            made.append(replace(last, plan=replace(last.plan, decisions=tuple(decisions))))
        management = next((it for it in each.applied or () if it.cluster == MANAGEMENT), None)
        for evaluation in made:
            # What became of objects is told with the last, once.
            applied = management if evaluation is made[-1] else None
            yield Turn(
                documents=evaluation.documents,
                claims=evaluation.state.claims,
                decisions=evaluation.plan.decisions,
                newly_refused=frozenset(it.claim for it in self._refused.news(evaluation)),
                failed=frozenset(_failed(applied)),
                is_applied=management is not None and management.state is State.APPLIED,
                seconds=done.seconds,
                since=done.since,
            )

    def _clusters(self, applied: Iterable[Applied]) -> None:
        for item in applied:
            if (is_up := metrics.answers(item)) is not None:
                self._up[item.cluster] = is_up
            if metrics.is_done(item):
                self._applied[item.cluster] = self._now()
            elif is_up is not None:
                self._applied.setdefault(item.cluster, self._began)
            for outcome in item.outcomes:
                if outcome.drift is not None:
                    manager = self._manager(item.cluster, outcome.drift.manager)
                    self._meter.move([Sample(metrics.DRIFT, (item.cluster, manager), 1)])

    def _manager(self, cluster: str, name: str) -> str:
        """A field manager's name. Whoever writes chooses it, so there may be ever new ones."""
        known = self._managers.setdefault(cluster, set())
        short = name[:_CHARACTERS] or "unknown"
        if short not in known and len(known) >= _MANAGERS:
            return _OTHERS
        known.add(short)
        return short

    def _of_clusters(self) -> list[Sample]:
        """Made when somebody reads it: of many clusters something changes all the time."""
        with self._lock:
            up = {name: is_up and name not in self._away for name, is_up in self._up.items()}
            return [
                *_by_cluster(metrics.UP, up),
                *_by_cluster(metrics.APPLIED, self._applied),
                *(
                    Sample(metrics.DEMAND, (cluster, state), count)
                    for cluster, asked in self._asked.items()
                    for state, count in asked._asdict().items()
                ),
            ]


def _by_cluster(metric: Metric, values: Mapping[str, float]) -> list[Sample]:
    return [Sample(metric, (cluster,), float(value)) for cluster, value in values.items()]


def _failed(applied: Applied | None) -> Iterator[str]:
    for outcome in applied.outcomes if applied is not None else ():
        if outcome.result is Result.FAILED:
            yield outcome.object
