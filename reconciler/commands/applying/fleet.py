"""Apply to all clusters: order, sharding, revision guard, and renamed clusters."""

from collections.abc import Callable, Collection, Container, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor, wait
from contextlib import ExitStack, contextmanager
from functools import cache
from hashlib import sha256
from threading import BoundedSemaphore, Lock
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.clusters.announcing import Claims, address_conflicts, former_clusters, moved
from reconciler.clusters.desired import desired_objects
from reconciler.clusters.elastic.model import Reading, Word
from reconciler.clusters.elastic.reading import uses
from reconciler.clusters.growers import all_growers
from reconciler.clusters.memory import Enrolled, uid_of
from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.outcome import Applied, State
from reconciler.clusters.outside import identities
from reconciler.clusters.plan_management import ManagementDesiredState
from reconciler.clusters.resources import NAMESPACE
from reconciler.clusters.target import Target
from reconciler.commands.applying.access import Access, without_kubeconfig
from reconciler.commands.applying.cluster_identity import ClusterIdentity, check_memory
from reconciler.commands.applying.management import (
    ClusterRegistry,
    apply_management,
    open_management,
)
from reconciler.commands.applying.targets import (
    claims_of,
    is_whole,
    remembered,
    require_claims,
    targets,
)
from reconciler.commands.applying.work import LAST_SECONDS, Run, apply_tenant, contained, refused
from reconciler.documents.document import Documents
from reconciler.evaluate import Evaluation
from reconciler.findings import shown
from reconciler.model.cluster import MANAGEMENT
from reconciler.model.resource import Ref
from reconciler.ports import CONTACTS, ClusterError, Clusters, GitError, IdentityError, UsageError
from reconciler.projecting import project


class Scope(Struct, frozen=True):
    """What one apply is about.

    Attributes:
        only: The clusters that are worked on; None for all. What the others announce counts as if
            they could not be asked.
        words: What was seen of tenants whose clusters were looked at, and is told of them.
        readings: What those clusters showed of their use, by name.
    """

    only: Container[str] | None = None
    words: Mapping[Ref, tuple[Word, ...]] = field(default_factory=dict)
    readings: Mapping[str, Reading] = field(default_factory=dict)


WHOLE = Scope()
"""All clusters, and none of them was looked at."""


T = TypeVar("T")


@contextmanager
def threads(count: int) -> Iterator[Executor]:
    """Yield a thread pool. If the block fails, work that has not started is canceled."""
    with ThreadPoolExecutor(count) as pool:
        try:
            yield pool
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


def in_turn(
    pool: Executor,
    names: Sequence[str],
    after: Mapping[str, Sequence[str]],
    work: Callable[[str, Mapping[str, T]], T],
) -> Mapping[str, Future[T]]:
    """Submit work for all names. A name that depends on others starts when these are done.

    Names without dependencies are submitted first, and dependents wait for no other dependent, so
    two that depend on each other do not block.

    Args:
        pool: The threads.
        names: The names, in order.
        after: The dependencies of a name; those that are not among `names` are ignored.
        work: Gets a name, and the results of its dependencies that did not fail.
    """
    first: dict[str, Future[T]] = {
        name: pool.submit(work, name, {}) for name in names if name not in after
    }

    def dependent(name: str) -> T:
        others = {other: first[other] for other in after[name] if other in first}
        failures = {other: future.exception() for other, future in others.items()}
        done = {other: others[other].result() for other in others if failures[other] is None}
        return work(name, done)

    return first | {name: pool.submit(dependent, name) for name in names if name in after}


_HINT = "another repository, or too shallow a clone? if it is meant: --re-enrol"


def _root(path: str) -> str:
    """A root in words. Whoever may write into a cluster may have written it."""
    return f"root {shown(path)}" if path else "the top of the repository"


class RevisionGuard:
    """Keeps a run that is late from undoing the work of one that knew more.

    What cannot be told counts as newer: it is that cluster's failure, and no end of the run.
    """

    def __init__(
        self,
        revision: str,
        is_in: Callable[[str, str], bool],
        accepted: Collection[str],
        root: str = "",
    ) -> None:
        """Build it.

        Args:
            revision: What is applied.
            is_in: Whether a revision is contained in another one; a `GitError` when that cannot
                be told.
            accepted: Clusters in which another history may have been applied; when the management
                cluster is one of them, all are.
            root: The folder of the repository that it is applied from; empty for the top.
        """
        self._root = root
        self._revision = revision
        self._is_in = is_in
        self._accepted = accepted
        self._told: dict[tuple[str, str], bool | GitError] = {}
        self._lock = Lock()

    def check(self, name: str, identity: ClusterIdentity) -> None:
        """Refuse a cluster that a newer revision changed already, or may have.

        Raises:
            IdentityError: It did, or that cannot be told and nobody said that it is meant.
        """
        self._check_root(name, identity)
        last = identity.inventory.revision
        newer = self._newer(last)
        is_accepted = name in self._accepted or MANAGEMENT in self._accepted
        if newer is not None and not is_accepted:
            what = f"{last[:12]} was applied last, and may be newer than {self._revision[:12]}"
            raise IdentityError(f"{what}: {newer}", f"{_HINT} {name}") from newer

    def check_line(self, identity: ClusterIdentity) -> None:
        """Refuse a management cluster whose last revision is newer, or no part of this history.

        Another repository, or a history that was rewritten, knows nothing of what is there.

        Raises:
            IdentityError: It is one, and nobody said that it is meant.
        """
        self._check_root(MANAGEMENT, identity)
        last = identity.inventory.revision
        if self._holds(last) is True:
            return
        self._newer(last)
        if MANAGEMENT not in self._accepted:
            message = f"{last[:12]} was applied last, and {self._revision[:12]} does not contain it"
            raise IdentityError(message, f"{_HINT} {MANAGEMENT}")

    def _check_root(self, name: str, identity: ClusterIdentity) -> None:
        """Refuse a cluster that another root of the repository was applied to.

        What it put there is not in this one, and would be taken away.
        """
        other = identity.inventory
        is_accepted = name in self._accepted or MANAGEMENT in self._accepted
        if other.revision and other.root != self._root and not is_accepted:
            message = f"{_root(other.root)} was applied last, and this is {_root(self._root)}"
            hint = "apply each root to clusters of its own; if it moved, and is the same"
            raise IdentityError(message, f"{hint}: --re-enrol {name}")

    def _newer(self, last: str) -> GitError | None:
        """Refuse what is surely newer; returns why that cannot be told."""
        if self._holds(last) is True:
            return None
        told = self._ask(self._revision, last)
        if told is True:
            message = f"{last[:12]} is applied already, and newer than {self._revision[:12]}"
            raise IdentityError(message, "apply the head of the branch")
        return told if isinstance(told, GitError) else None

    def _holds(self, last: str) -> bool | GitError:
        return last in ("", self._revision) or self._ask(last, self._revision)

    def _ask(self, ancestor: str, revision: str) -> bool | GitError:
        if not (ancestor.isalnum() and revision.isalnum()):
            return GitError("it is not the id of a commit")
        asked = ancestor, revision
        with self._lock:  # one question for all clusters with the same answer
            if asked not in self._told:
                try:
                    self._told[asked] = self._is_in(*asked)
                except GitError as failed:
                    self._told[asked] = failed
            return self._told[asked]


_IDENTITY = Ref(NAMESPACE, "", "kube-system")


class Renames(Struct, frozen=True):
    """What became of clusters that have another name.

    Attributes:
        same: Old names by new ones, of what is one cluster.
        left: Why nothing is done under an old name for now: it is not known whether it is one.
    """

    same: Mapping[str, str] = field(default_factory=dict)
    left: Mapping[str, str] = field(default_factory=dict)


def renames(documents: Documents, known: Mapping[str, Enrolled], access: Access) -> Renames:
    """Compare each cluster that was renamed with what is remembered under its old name.

    Args:
        documents: Those of the revision.
        known: What is remembered of clusters, by name.
        access: How they are reached.
    """
    same: dict[str, str] = {}
    left: dict[str, str] = {}
    for now, before in former_clusters(documents).items():
        if before not in known:
            continue
        try:
            with contained():
                own, uid = _uid(now, access), known[before].uid or _uid(before, access)
        except ClusterError as failed:
            left[before] = f"it was renamed to {now}, and that cannot be asked: {failed}"
            continue
        if not own:
            left[before] = f"it was renamed to {now}, for which there is no kubeconfig yet"
        elif own == uid:
            same[now] = before
    return Renames(same, left)


def _uid(name: str, access: Access) -> str:
    """The identity of a cluster; empty when there is no kubeconfig for it."""
    cluster = access.connect(name)
    if cluster is None:
        return ""
    try:
        home = cluster.get(_IDENTITY)
        return uid_of(home["metadata"]["uid"]) if home is not None else ""
    except ValueError as wrong:
        raise ClusterError(str(wrong)) from wrong
    finally:
        cluster.close()


def is_in_shard(cluster: str, shard: tuple[int, int]) -> bool:
    """A cluster belongs to one of `n` shards, whatever other clusters there are.

    Args:
        cluster: Its name.
        shard: Index from 0, and how many there are.
    """
    index, count = shard
    return int.from_bytes(sha256(cluster.encode()).digest()[:8], "big") % count == index


AT_ONCE = 16


class _Done(Struct, frozen=True):
    """What became of a cluster, and what the management cluster shall remember of it."""

    applied: Applied | None
    enrolled: Enrolled | None


def apply_fleet(
    evaluation: Evaluation,
    clusters: Clusters,
    options: ApplyOptions,
    is_in: Callable[[str, str], bool],
    scope: Scope = WHOLE,
) -> list[Applied]:
    """Bring all clusters to what the committed records of a revision say.

    Args:
        evaluation: Of the revision.
        clusters: How they are reached.
        options: What a person asks for.
        is_in: Whether a revision is contained in another one; a `GitError` when that cannot be
            told.
        scope: What it is about.

    Returns:
        The management cluster first, then the others by name.

    Raises:
        UsageError: Nobody named a management cluster.
    """
    require_claims(evaluation, options)
    run = Run(evaluation.tree.revision or "", options, scope.only)
    with ExitStack() as opened:
        try:
            cluster = clusters.management()
            if cluster is None:
                message = "no management cluster is named"
                raise UsageError(message, "--kubeconfig PATH, or $KUBECONFIG")
            opened.callback(cluster.close)
            with contained():
                management = open_management(cluster, options)
            guard = RevisionGuard(run.revision, is_in, options.re_enrol, options.root)
            guard.check_line(management.identity)
            registry = ClusterRegistry(management, run, is_in)
        except ClusterError as failed:
            return [refused(MANAGEMENT, failed)]
        return _Fleet(evaluation, Access(clusters, management), registry, run, guard).run(scope)


class _Fleet:
    """The clusters while they are worked on."""

    def __init__(
        self,
        evaluation: Evaluation,
        access: Access,
        registry: ClusterRegistry,
        todo: Run,
        guard: RevisionGuard,
    ) -> None:
        self.evaluation = evaluation
        self.guard = guard
        self.management = access.management
        self.options = todo.options
        self.todo = todo
        self.registry = registry
        self.access = access
        self.renames = renames(evaluation.documents, registry.known, access)
        self.known = moved(registry.known, self.renames.same)
        self.desired = desired_objects(project(evaluation, default_port=self.options.default_port))
        self.names_by_uid: dict[str, str] = {}
        self.claims: dict[str, Claims] = {}
        self.disputed: Mapping[str, tuple[str, ...]] = {}
        self.places = BoundedSemaphore(AT_ONCE)

    def run(self, scope: Scope) -> list[Applied]:
        """Do it, and tell what was seen."""
        every = [
            replace(item, is_re_enrolled=item.name in self.options.re_enrol)
            for item in targets(self.evaluation, self.desired, self.known, self.options)
        ]
        shard = self.options.shard
        found = [it for it in every if is_in_shard(it.name, shard) and self._is_touched(it.name)]
        self.names_by_uid = self._uids(every)
        others = self._others(every, found)
        by_name = {item.name: item for item in found}

        def work(name: str, done: Mapping[str, _Done]) -> _Done:
            return self._tenant(self._withholding(by_name[name], others.get(name, ()), done))

        with threads(CONTACTS) as pool:
            # The management cluster belongs to the first shard.
            is_first = shard[0] == 0 and self._is_touched(MANAGEMENT)
            own = [pool.submit(self._own, scope.words)] if is_first else []
            if self.options.policies is not None:
                wait(own)  # its policies may name another account: then nothing can be noted
            begun = in_turn(pool, list(by_name), others, work)
        # Whatever became of one, what was done in the others is remembered.
        done = {
            name: future.result() for name, future in begun.items() if future.exception() is None
        }
        gone = {old: _Done(None, None) for now, old in self.renames.same.items() if now in done}
        failed = self._remember({**done, **gone})
        rest = [begun[name].result().applied for name in sorted(begun)]
        first = [future.result() for future in own]
        told = (_with_uses(it, by_name[it.cluster], scope) for it in rest if it is not None)
        return [*first, *told, *failed]

    def _is_touched(self, name: str) -> bool:
        return self.todo.only is None or name in self.todo.only

    def _uids(self, every: Sequence[Target]) -> dict[str, str]:
        """Which cluster each identity belongs to: nobody else is believed to be it."""
        found = {self.management.identity.uid: MANAGEMENT}
        for item in every:
            uid = self.known[item.name].uid if item.name in self.known else ""
            if uid and not item.is_re_enrolled and not self._is_gone(item):
                found.setdefault(uid, item.name)
        return found

    def _is_gone(self, target: Target) -> bool:
        """Nothing is left of a cluster but the memory: it may have another name by now."""
        if target.is_described:
            return False
        try:
            with contained():
                is_named = self.access.kubeconfig(target.name) is not None
                known = self.known.get(target.name)
                return not is_named and self._without_kubeconfig(target, known).applied is None
        except ClusterError:
            return False

    def _own(self, words: Mapping[Ref, tuple[Word, ...]]) -> Applied:
        desired_state = ManagementDesiredState(
            self.desired.get(MANAGEMENT, ()),
            tuple(self.evaluation.state.pools.values()),
            self.evaluation.tree.settings,
            is_whole(self.evaluation),
            words,
            identities(self.evaluation),
            cache(self._growing),
        )
        try:
            with contained():
                return apply_management(self.management, desired_state, self.todo)
        except ClusterError as failed:
            return refused(MANAGEMENT, failed)

    def _growing(self) -> frozenset[Ref]:
        """The objects of those who may grow."""
        return frozenset(item.ref for item in all_growers(self.evaluation))

    def _tenant(self, target: Target) -> _Done:
        known = self.known.get(target.name)
        if (why := self.renames.left.get(target.name)) and known is not None:
            waits = Applied(target.name, State.WAITING, revision=known.revision, error=why)
            return _Done(waits, known)
        try:
            with contained(), ExitStack() as place:
                if not target.is_re_enrolled:
                    check_memory(self.management.identity.inventory, target.name)
                cluster = self.access.connect(target.name)
                if cluster is None:
                    return self._without_kubeconfig(target, known)
                place.callback(cluster.close)

                def claim(identity: ClusterIdentity) -> None:
                    self._claim(identity, target)
                    place.enter_context(self.places)  # it has answered: now it is worked on

                applied, enrolled = apply_tenant(cluster, target, known, claim, self.todo)
        except ClusterError as failed:
            return _Done(refused(target.name, failed, known.revision if known else ""), known)
        is_left = target.is_described or enrolled.addresses or applied.is_failed
        return _Done(applied, enrolled if is_left else None)

    def _claim(self, identity: ClusterIdentity, target: Target) -> None:
        """Refuse two names for one cluster: they would undo each other's work."""
        self.guard.check(target.name, identity)
        uid = identity.uid
        other = self.names_by_uid.setdefault(uid, target.name)
        if other != target.name:
            message = f"it is the very cluster that {other} names (kube-system has uid {uid})"
            raise IdentityError(message, "name each cluster once")
        self.registry.foretell(target, uid)

    def _without_kubeconfig(self, target: Target, known: Enrolled | None) -> _Done:
        applied = without_kubeconfig(
            target, known, self.access.is_there, require_all=self.options.require_all
        )
        return _Done(applied, known if applied is not None else None)

    def _others(
        self, every: Sequence[Target], found: Sequence[Target]
    ) -> dict[str, tuple[str, ...]]:
        """Of each cluster the other ones that have a say in what it may announce."""
        self.claims = claims_of(every)
        wanted = {item.name: self.claims[item.name] for item in found}
        # Two records of one address are a mistake: until it is mended, nobody gets it anew.
        self.disputed = address_conflicts(self.claims, wanted)
        before = address_conflicts(remembered(self.known), wanted)
        return {
            name: tuple(sorted({*before.get(name, ()), *self.disputed.get(name, ())}))
            for name in {**before, **self.disputed}
        }

    def _withholding(
        self, target: Target, others: Sequence[str], done: Mapping[str, _Done]
    ) -> Target:
        """The target without what other clusters still announce, now that they were worked on."""
        left: dict[str, Enrolled] = {}
        for name in others:
            if name in self.options.confirm_withdrawn:
                continue
            enrolled = done[name].enrolled if name in done else self.known.get(name)
            if enrolled is not None:
                left[name] = enrolled
        claims = [*remembered(left).items()]
        claims += [(name, self.claims[name]) for name in self.disputed.get(target.name, ())]
        withheld = tuple((name, claim.addresses) for name, claim in claims)
        return replace(target, withheld=withheld)

    def _remember(self, done: Mapping[str, _Done]) -> list[Applied]:
        """Keep what is known of the clusters; returns what failed of that."""
        self.management.cluster.extend(LAST_SECONDS)
        try:
            self.registry.remember({name: item.enrolled for name, item in done.items()})
        except ClusterError as failed:
            return [refused(f"{MANAGEMENT} (inventory)", failed)]
        return []


def _with_uses(applied: Applied, target: Target, scope: Scope) -> Applied:
    """What became of a cluster, with what a look before read of its use, where the work read nothing."""
    reading = scope.readings.get(applied.cluster)
    if applied.uses is not None or reading is None:
        return applied
    return replace(applied, uses=uses(target.records, reading))
