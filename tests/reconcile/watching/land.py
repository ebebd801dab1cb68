"""A country on a branch. Runs use the real code, and each commit is replayed."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from reconciler.apply.expiry import still_announced
from reconciler.apply.fleet import Scope, apply_fleet
from reconciler.gitio.interface import Commit, ReplayVerdict, Revision
from reconciler.kube.interface import Cluster
from reconciler.model.applied import Applied
from reconciler.model.objects import SERVICE, Ref
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.read import evaluate_source
from reconciler.reconcile.discovery import Looked, ObservingRun
from reconciler.reconcile.reconcile import Reconciled, ReconcileOptions, reconcile
from reconciler.reconcile.verify import Verified, replay, verify
from tests.fake_clusters import FakeClusters
from tests.fakes import FakeRepository
from tests.reconcile.looking.country import ONE, Country
from tests.world import CLOCK, raw

WRITES = frozenset(("apply", "status", "create", "merge", "delete"))


class Killed(BaseException):
    """The process ends here, as by SIGKILL."""


@dataclass
class Steps:
    """Counted writes. A process can be killed at one of them.

    Attributes:
        left: Number of writes before that, or None for never.
    """

    left: int | None = None

    def take(self) -> None:
        if self.left is not None:
            self.left -= 1
            if self.left <= 0:
                raise Killed


@dataclass
class Branch(FakeRepository):
    """A branch that other people can move immediately before a push.

    Attributes:
        steps: One per commit, and two per push: before and after it.
        meanwhile: Function that runs before a push, for commits of other people.
    """

    steps: Steps = field(default_factory=Steps)
    meanwhile: Callable[[], None] = lambda: None

    def commit(self, commit: Commit) -> Revision:
        self.steps.take()
        return super().commit(commit)

    def publish(self, base: Revision, revision: Revision) -> None:
        self.steps.take()
        self.meanwhile()
        super().publish(base, revision)
        self.steps.take()

    def line(self) -> list[str]:
        return self._line(self.head)

    def files(self) -> Mapping[str, bytes]:
        return self.commits[self.head][2]

    def people(self, files: Mapping[str, str | None], clock: int) -> None:
        held = {**self.files(), **{path: raw(text) for path, text in files.items() if text}}
        for path in [path for path, text in files.items() if not text]:
            held.pop(path, None)
        # Two runs with the same change create two commits.
        self.head = self.add(self.head, clock, held, f"by people {len(self.commits)}")


class Counted(FakeClusters):
    """Clusters in which each write is a step."""

    steps: Steps

    def connect(self, cluster: str, kubeconfig: bytes, *, is_named: bool = False) -> Cluster:
        connection: Any = super().connect(cluster, kubeconfig, is_named=is_named)
        fault = connection.fault

        def counted(verb: str, what: Any) -> Any:
            if verb in WRITES:
                self.steps.take()
            return fault(verb, what)

        connection.fault = counted
        return connection  # type: ignore[no-any-return]


class Land(Country):
    """A country whose branch has a history.

    Attributes:
        replayed: Number of replayed commits.
    """

    def __init__(self, files: Mapping[str, str | bytes], clusters: Counted | None = None) -> None:
        clusters = clusters if clusters is not None else Counted()
        super().__init__({}, clusters=clusters)
        self.branch = Branch()
        clusters.steps = self.branch.steps
        held = {path: raw(text) for path, text in files.items()}
        self.branch.head = self.branch.add("", CLOCK, held)
        self.replayed: set[str] = set()
        self._read: dict[str, Evaluation] = {}
        self.versions = 0

    def ask(self, name: str, cluster: str = ONE, **spec: Any) -> None:
        super().ask(name, cluster, **spec)
        self._touch(name, cluster)

    def give(self, name: str, address: str, cluster: str = ONE) -> None:
        super().give(name, address, cluster)
        self._touch(name, cluster)

    def _touch(self, name: str, cluster: str) -> None:
        """Set a new resource version, as servers do for each change."""
        self.versions += 1
        live = self.clusters.objects[cluster][Ref(SERVICE, "default", name)]
        live["metadata"]["resourceVersion"] = f"9{self.versions:09d}"

    def evaluation(
        self, retained: Mapping[str, str] | None = None, left: Mapping[str, str] | None = None
    ) -> Evaluation:
        assert not retained
        assert not left
        return self.whole(self.branch.head)

    def whole(self, revision: str) -> Evaluation:
        """Return the evaluation of a revision, cached by its id."""
        if revision not in self._read:
            self._read = {revision: evaluate_source(self.branch.source(revision))}
        return self._read[revision]

    def decide(self) -> Looked:
        self.clusters.clock = self.now
        run = ObservingRun(self.branch, self.whole, self.clusters, self.options, lambda: self.now)
        self.reconciled(run)
        return run.looked

    def reconciled(self, run: ObservingRun) -> Reconciled:
        options = ReconcileOptions(
            now=lambda: self.now,
            server_now=lambda _: self.now,
            look=run.look,
            still_announced=lambda found: still_announced(found, self.clusters, self.wish),
        )
        try:
            return reconcile(self.branch, options, sleep=lambda _: None)
        finally:
            self.replay()

    def replay(self) -> None:
        """Require that each commit of `ipam` on the branch can be reproduced byte for byte."""
        for commit in self.branch.line():
            if commit in self.branch.ours and commit not in self.replayed:
                found = replay(self.branch, commit)
                assert found.verdict is ReplayVerdict.SAME, (self.branch.messages[commit], found)
                self.replayed.add(commit)
                self.commits.append(())

    def verify(self) -> list[Verified]:
        return list(verify(self.branch, self.branch.head))

    def apply(self, looked: Looked) -> dict[str, Applied]:
        scope = Scope(words=looked.words)
        found = apply_fleet(self.evaluation(), self.clusters, self.wish, self.branch.is_in, scope)
        for connection in self.clusters.opened:
            assert connection.is_closed
        self.clusters.opened.clear()
        return {item.cluster: item for item in found}

    def people(self, files: Mapping[str, str | None]) -> None:
        self.branch.people(files, max(self.now, self.branch.fetch().clock + 1))

    @contextmanager
    def killed_at(self, step: int, *, keeps_cache: bool) -> Iterator[None]:
        """Kill the process at a step of the block, if it has enough steps."""
        self.branch.steps.left = step
        try:
            with suppress(Killed):
                yield
        finally:
            self.branch.steps.left = None
            self.clusters.opened.clear()
            if not keeps_cache:
                self.branch.seen.newest.clear()
            self.replay()
