"""What a daemon tells of itself while it runs: the seam to metrics.

Whoever observes is told what happened after it happened, and changes nothing. An observer must be
quick, may be called by several threads at once, and what it raises is told and goes no further.
"""

from collections.abc import Mapping, Sequence, Set
from enum import StrEnum
from typing import Protocol

from msgspec import Struct, field

from reconciler.clusters.elastic.model import Figures
from reconciler.clusters.outcome import Applied
from reconciler.commands.reconcile import Reconciled
from reconciler.commands.rounds import Round
from reconciler.evaluate import Evaluation


class Ending(StrEnum):
    """How a round ended."""

    OK = "ok"
    REFUSED = "refused"  # done, but content is wrong, or a gate or a brake holds something back
    PARTIAL = "partial"  # Git is done, some cluster failed
    FAILED = "failed"  # Git failed, or its protection refused us
    BUG = "bug"


class Push(StrEnum):
    """What became of a commit."""

    PUBLISHED = "published"
    LOST = "lost"  # another commit came first, in each attempt
    REFUSED = "refused"  # the remote would not take it, or could not be reached


class RoundDone(Struct, frozen=True):
    """A round that ended.

    Attributes:
        number: From 1 on, since the process started.
        causes: What began it, by the words that logs use (`git`, `drift`, `services`, `resync`, …).
        clusters: Those that it was about; None for all.
        seconds: How long it took.
        since: Seconds from the oldest event that it answers to its end.
        ending: How it ended.
        code: The exit code of a single run that ends so.
        rounds: What was done, Git and clusters; empty when Git failed.
        error: Why it failed; empty when it did not.
        plans: Git was looked at; else what was planned before was applied.
    """

    number: int
    causes: Sequence[str]
    clusters: frozenset[str] | None
    seconds: float
    since: float
    ending: Ending
    code: int
    rounds: Sequence[Round] = ()
    error: str = ""
    plans: bool = True

    @property
    def applied(self) -> Sequence[Applied]:
        """What became of clusters, in order; one may be named twice: the last time counts."""
        return [item for each in self.rounds for item in each.applied or ()]

    @property
    def evaluation(self) -> Evaluation | None:
        """The last that was evaluated; None when Git failed."""
        return self.rounds[-1].done.evaluation if self.rounds else None


class Observer(Protocol):
    """Who is told what a daemon does."""

    def round_done(self, done: RoundDone) -> None:
        """A round ended."""

    def looked_at(self, evaluation: Evaluation) -> None:
        """The branch was read whole, as it is now."""

    def commit_done(self, result: Push, done: Reconciled | None, races: int) -> None:
        """A commit was published, or could not be.

        Args:
            result: What became of it.
            done: The reconcile that made it; None when it failed.
            races: How often the branch moved meanwhile.
        """

    def watch_restarted(self, cluster: str, kind: str, why: str) -> None:
        """A watch broke off and begins anew. That its time was over, as servers have it, is none.

        Args:
            cluster: `management`, or the tenant's name.
            kind: Plural and group, as `services` or `ipaddresspools.metallb.io`.
            why: `expired` (the server forgot the state), `unreachable`, `unauthorized`, `failed`.
        """

    def cluster_up(self, cluster: str, *, is_up: bool) -> None:
        """A cluster answers, or does not any more; told when that changes."""

    def cluster_gone(self, cluster: str) -> None:
        """A cluster is not watched any more: what was told of it ends."""

    def looked(self, unasked: Mapping[str, str], away: Set[str]) -> None:
        """Clusters of elastic tenants were looked at.

        Args:
            unasked: All that could not be asked when they were looked at last, and why.
            away: Those of them that did not let themselves be asked; the others are well.
        """

    def demand_seen(self, cluster: str, asked: Figures) -> None:
        """What the cluster of an elastic tenant asks for, when it was looked at."""

    def growth_served(self, cluster: str, seconds: float) -> None:
        """What a cluster asked for is applied there.

        Args:
            cluster: The tenant's name.
            seconds: From when its Service was first seen pending.
        """

    def leading(self, *, is_leader: bool) -> None:
        """This process leads now, or does not any more."""

    def bug_met(self, where: str) -> None:
        """A bug of ours was met; the daemon goes on."""


class Nobody:
    """Observes nothing. Others may begin with it."""

    def round_done(self, done: RoundDone) -> None:
        """A round ended."""

    def looked_at(self, evaluation: Evaluation) -> None:
        """The branch was read whole."""

    def commit_done(self, result: Push, done: Reconciled | None, races: int) -> None:
        """A commit was published, or could not be."""

    def watch_restarted(self, cluster: str, kind: str, why: str) -> None:
        """A watch begins anew."""

    def cluster_up(self, cluster: str, *, is_up: bool) -> None:
        """A cluster answers, or not."""

    def cluster_gone(self, cluster: str) -> None:
        """A cluster is not watched any more."""

    def looked(self, unasked: Mapping[str, str], away: Set[str]) -> None:
        """Clusters were looked at."""

    def demand_seen(self, cluster: str, asked: Figures) -> None:
        """A cluster was looked at."""

    def growth_served(self, cluster: str, seconds: float) -> None:
        """A cluster got what it asked for."""

    def leading(self, *, is_leader: bool) -> None:
        """This process leads, or not."""

    def bug_met(self, where: str) -> None:
        """A bug was met."""


class Readiness(Struct, frozen=True):
    """Whether the daemon does its work, for those who ask by HTTP.

    Attributes:
        is_leading: It is the one that works; another may be ready to take over.
        reasons: What is in the way, each by what it is about: `git`, `push`, `management`, `lease`.
    """

    is_leading: bool = True
    reasons: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_ready(self) -> bool:
        """Nothing is in the way."""
        return not self.reasons
