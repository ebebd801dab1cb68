"""Apply to all clusters."""

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from concurrent.futures import Executor, Future, wait
from contextlib import ExitStack
from functools import cache
from hashlib import sha256
from threading import BoundedSemaphore
from typing import TypeVar

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.apply import executor, targets
from reconciler.apply.elastic import ClusterReading, StatusMessage, uses
from reconciler.apply.executor import Run, apply_tenant
from reconciler.apply.growth import all_growers
from reconciler.apply.intake import identities
from reconciler.apply.intake_run import not_in_git
from reconciler.apply.inventory import IDENTITY, ClusterIdentity, Enrolled, uid_of
from reconciler.apply.management import (
    Access,
    ClusterRegistry,
    ManagementCluster,
    opened_management,
    registered,
    without_kubeconfig,
)
from reconciler.apply.plan import ClusterPlan
from reconciler.apply.plan_management import ManagementDesiredState, plan_management
from reconciler.apply.snapshot import Snapshot
from reconciler.apply.targets import ApplyOptions, Claims, Target
from reconciler.documents.document import Documents
from reconciler.documents.findings import shown
from reconciler.families.clusters import former_clusters
from reconciler.gitio.history import DEEPEN
from reconciler.kube.interface import CONTACTS, Cluster, Clusters
from reconciler.kube.resources import desired_objects
from reconciler.model.applied import Applied, ClusterState
from reconciler.model.errors import ClusterError, GitError, IdentityError
from reconciler.model.objects import MANAGEMENT, Ref
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.projection import project

AT_ONCE = 16
"""Maximum number of clusters that are read and written at once."""
FIRST_SECONDS = 10.0
"""Seconds for the entry of a standalone cluster. All clusters wait for those that do not answer."""


class Scope(Struct, frozen=True):
    """The scope of one apply; ranges of other clusters stay reserved, as if unreachable."""

    only: Container[str] | None = None
    words: Mapping[Ref, tuple[StatusMessage, ...]] = field(default_factory=dict)
    readings: Mapping[str, ClusterReading] = field(default_factory=dict)
    without: Container[str] = ()

    def __contains__(self, cluster: str) -> bool:
        return (self.only is None or cluster in self.only) and cluster not in self.without


T = TypeVar("T")


def in_turn(
    pool: Executor,
    names: Sequence[str],
    after: Mapping[str, Sequence[str]],
    work: Callable[[str, Mapping[str, T]], T],
) -> Mapping[str, Future[T]]:
    """Submit all work. A name starts after its dependencies; mutual dependencies do not wait."""
    first: dict[str, Future[T]] = {
        name: pool.submit(work, name, {}) for name in names if name not in after
    }

    def dependent(name: str) -> T:
        others = {other: first[other] for other in after[name] if other in first}
        failures = {other: future.exception() for other, future in others.items()}
        done = {other: others[other].result() for other in others if failures[other] is None}
        return work(name, done)

    return first | {name: pool.submit(dependent, name) for name in names if name in after}


_HINT = "check that this is the right repository, and a complete clone; if the revision is intended, pass"


class RevisionGuard:
    """Refuses (IdentityError) to apply over a newer or unknown revision, or another repository.

    `standalone`: without management cluster, each cluster knows its repository.
    """

    def __init__(
        self,
        revision: str,
        is_in: Callable[[str, str], bool],
        options: ApplyOptions,
        *,
        standalone: bool = False,
    ) -> None:
        self._option = "--take-over" if standalone else "--enroll"
        self._accepted = options.take_over if standalone else options.enroll
        self._standalone = standalone
        self._source = options.repository if standalone else "", options.root
        self._revision = revision
        self._is_in = is_in
        self._ask = cache(self._compare)  # one query for all clusters with the same revision

    def check(self, name: str, identity: ClusterIdentity) -> None:
        """Refuse a cluster that has, or might have, a newer revision or another repository."""
        last, option = identity.inventory.revision, f"{self._option} {name}"
        source = identity.inventory.repository, identity.inventory.root
        is_accepted = name in self._accepted or MANAGEMENT in self._accepted
        if last and source != self._source and not is_accepted:
            before, now = (
                f"{f'root {shown(root)}' if root else 'the top'} of the repository {first[:12]}"
                for first, root in (source, self._source)
            )
            message = f"{before.strip()} was applied last, but this is {now.strip()}"
            hint = f"apply each repository and root to its own clusters; if the same repository moved, pass {option}"
            raise IdentityError(message, hint)
        if last in ("", self._revision) or self._ask(last, self._revision) is True:
            return
        is_newer = self._ask(self._revision, last)
        if is_newer is True:
            message = f"{last[:12]} is already applied, and newer than {self._revision[:12]}"
            raise IdentityError(message, "apply the newest commit of the branch")
        if is_accepted:
            return
        if self._standalone or name == MANAGEMENT:  # another repository would delete all
            message = f"{last[:12]} was applied last, and {self._revision[:12]} does not contain it"
            raise IdentityError(message, f"{_HINT} {option}")
        if isinstance(is_newer, GitError):
            what = f"{last[:12]} was applied last, and might be newer than {self._revision[:12]}"
            raise IdentityError(f"{what}: {is_newer}", f"{_HINT} {option}") from is_newer

    def _compare(self, ancestor: str, revision: str) -> bool | GitError:
        try:
            return self._is_in(ancestor, revision)
        except GitError as failed:
            return failed


def _renames(
    documents: Documents, known: Mapping[str, Enrolled], access: Access
) -> tuple[Mapping[str, str], Mapping[str, str]]:
    """Return old names by new ones of renamed clusters, and why others wait for their identity."""
    same: dict[str, str] = {}
    left: dict[str, str] = {}
    for now, before in former_clusters(documents).items():
        if before not in known:
            continue
        try:
            with executor.contained():
                own, uid = _uid(now, access), known[before].uid or _uid(before, access)
        except ClusterError as failed:
            left[before] = f"it was renamed to {now}, which cannot be reached: {failed}"
            continue
        if not own:
            left[before] = f"it was renamed to {now}, whose kubeconfig is still missing"
        elif own == uid:
            same[now] = before
    return same, left


def _uid(name: str, access: Access) -> str:
    cluster = access.connect(name, accept=True)
    if cluster is None:
        return ""
    try:
        home = cluster.get(IDENTITY)
        return uid_of(home["metadata"]["uid"]) if home is not None else ""
    except ValueError as wrong:
        raise ClusterError(str(wrong)) from wrong
    finally:
        cluster.close()


def is_in_shard(cluster: str, shard: tuple[int, int]) -> bool:
    """Return whether a cluster belongs to a shard: its index from 0, and the number of shards."""
    index, count = shard
    return int.from_bytes(sha256(cluster.encode()).digest()[:8], "big") % count == index


def apply_fleet(
    evaluation: Evaluation,
    clusters: Clusters,
    options: ApplyOptions,
    is_in: Callable[[str, str], bool],
    scope: Scope | None = None,
) -> list[Applied]:
    """Apply committed records, management first; `is_in` (is an ancestor) may raise GitError."""
    targets.require_claims(evaluation, options)
    scope = scope or Scope()
    run = Run(evaluation.tree.revision or "", options)
    with ExitStack() as opened:
        try:
            management = opened.enter_context(opened_management(clusters, options, evaluation))
            access = Access(clusters, management, evaluation)
            if management is None and not access.standalone:
                message = "no management cluster given"
                raise ClusterError(message, "pass --kubeconfig PATH or set KUBECONFIG")
            guard = RevisionGuard(run.revision, is_in, options, standalone=access.standalone)
            if management is not None:
                guard.check(MANAGEMENT, management.identity)
            elif not options.repository:
                raise GitError("the clone is too shallow to identify the repository", DEEPEN)
            fleet = _Fleet(evaluation, access, run, guard, is_in)
        except ClusterError as failed:
            return [executor.refused(MANAGEMENT, failed)]
        return fleet.run(scope)


class _Done(Struct, frozen=True):
    applied: Applied | None
    enrolled: Enrolled | None


class _Fleet:
    def __init__(
        self,
        evaluation: Evaluation,
        access: Access,
        todo: Run,
        guard: RevisionGuard,
        is_in: Callable[[str, str], bool],
    ) -> None:
        self.evaluation, self.guard, self.is_in = evaluation, guard, is_in
        self.access, self.management = access, access.management
        self.todo, self.options = todo, todo.options
        self.desired = desired_objects(project(evaluation, default_port=self.options.default_port))
        self.same: Mapping[str, str] = {}
        self.left: Mapping[str, str] = {}
        self.known: Mapping[str, Enrolled] = {}
        self.registry: ClusterRegistry | None = None
        self.unasked: dict[str, ClusterError] = {}
        if (hub := access.management) is not None:
            self.registry = ClusterRegistry(hub.cluster, hub.identity, todo, is_in)
            known = registered(hub)
            self.same, self.left = _renames(evaluation.documents, known, access)
            gone = frozenset(self.same.values())
            now = targets.known_as_now(known, self.same)
            self.known = {name: enrolled for name, enrolled in now.items() if name not in gone}
        self.names_by_uid: dict[str, str] = {}
        self.places = BoundedSemaphore(AT_ONCE)

    def run(self, scope: Scope) -> list[Applied]:
        shard = self.options.shard

        def is_asked(name: str) -> bool:
            return name in scope and is_in_shard(name, shard)

        if self.access.standalone:
            held = targets.recorded(self.evaluation)
            self.known = {**held, **self._asked(filter(is_asked, held))}
        every = targets.targets(self.evaluation, self.desired, self.known, self.options)
        found = [it for it in every if is_asked(it.name)]
        self.names_by_uid = self._uids(every)
        self.claims = {item.name: Claims(item.spaces, item.addresses()) for item in every}
        wanted = {item.name: self.claims[item.name] for item in found}
        # Two records of one address are an error: no cluster gets the address until it is fixed.
        self.disputed = targets.address_conflicts(self.claims, wanted)
        before = targets.address_conflicts(targets.remembered(self.known), wanted)
        others = {
            name: tuple(sorted({*before.get(name, ()), *self.disputed.get(name, ())}))
            for name in {**before, **self.disputed}
        }
        by_name = {item.name: item for item in found}

        def work(name: str, done: Mapping[str, _Done]) -> _Done:
            return self._tenant(self._withholding(by_name[name], others.get(name, ()), done))

        with executor.threads(CONTACTS) as pool:
            # The management cluster belongs to the first shard.
            is_first = shard[0] == 0 and MANAGEMENT in scope
            hub = self.management if is_first else None
            own = [pool.submit(self._own, hub, scope.words)] if hub is not None else []
            if self.options.policies is not None:
                # Its policies may name another account, which then cannot write the registry.
                wait(own)
            begun = in_turn(pool, list(by_name), others, work)
        failed = self._remember(begun)
        results = [future.result() for future in own]
        for name in sorted(begun):
            applied, reading = begun[name].result().applied, scope.readings.get(name)
            if applied is not None and applied.uses is None and reading is not None:
                applied = replace(applied, uses=uses(by_name[name].records, reading))
            results += [applied] if applied is not None else []
        return [*results, *failed]

    def _remember(self, begun: Mapping[str, Future[_Done]]) -> list[Applied]:
        """Save successful clusters in the management cluster, even if another one failed."""
        if self.management is None or self.registry is None:
            return []
        done = {
            name: future.result().enrolled
            for name, future in begun.items()
            if future.exception() is None
        }
        gone = {old: None for now, old in self.same.items() if now in done}
        self.management.cluster.extend(executor.LAST_SECONDS)
        try:
            self.registry.remember({**done, **gone})
        except ClusterError as error:
            return [executor.refused(f"{MANAGEMENT} (inventory)", error)]
        return []

    def _asked(self, names: Iterable[str]) -> dict[str, Enrolled]:
        """Return the entries of standalone clusters, from their own inventories."""
        found: dict[str, Enrolled] = {}

        def ask(name: str) -> None:
            try:
                with executor.contained(), ExitStack() as opened:
                    accept = name in self.options.enroll
                    if (cluster := self.access.connect(name, accept=accept)) is not None:
                        opened.callback(cluster.close)
                        cluster.limit(FIRST_SECONDS)
                        identity = self.access.identify(cluster, name, None, accept=accept)
                        entry = identity.inventory.clusters.get(name)
                        found[name] = (
                            replace(entry, uid=identity.uid) if entry else Enrolled("", "")
                        )
            except ClusterError as failed:
                self.unasked[name] = failed

        with executor.threads(CONTACTS) as pool:
            list(pool.map(ask, names))
        return found

    def _uids(self, every: Sequence[Target]) -> dict[str, str]:
        hub, stated = self.management, self.access.uids
        found = {hub.identity.uid: MANAGEMENT} if hub is not None else {}
        for item in every:
            uid = self.known[item.name].uid if item.name in self.known else ""
            is_bound = uid and stated.get(item.name, uid) == uid and not item.is_enrolled
            if is_bound and item.name not in self.left and not self._is_gone(item):
                found.setdefault(uid, item.name)
        # A document that states the uid of a known cluster does not take it from that cluster.
        return {uid: name for name, uid in sorted(stated.items(), reverse=True)} | found

    def _is_gone(self, target: Target) -> bool:
        if target.is_described:
            return False
        try:
            with executor.contained():
                is_named = self.access.kubeconfig(target.name) is not None
                known = self.known.get(target.name)
                return not is_named and self._without_kubeconfig(target, known).applied is None
        except ClusterError:
            return False

    def _own(
        self, hub: ManagementCluster, words: Mapping[Ref, tuple[StatusMessage, ...]]
    ) -> Applied:
        pools, settings = self.evaluation.state.pools.values(), self.evaluation.tree.settings
        growing = frozenset(it.ref for it in all_growers(self.evaluation) if it.ref is not None)
        desired, whole = self.desired.get(MANAGEMENT, ()), targets.is_whole(self.evaluation)
        wanted = ManagementDesiredState(desired, tuple(pools), settings, whole, words, growing)
        cluster, identity = hub.cluster, hub.identity

        def plan(snapshot: Snapshot) -> ClusterPlan:
            return plan_management(
                wanted, snapshot, identity.inventory, self.options, identity.home
            )

        try:
            with executor.contained():
                work = executor.worked(cluster, identity, self.todo, plan, hub.objects)
                done = work.applied(MANAGEMENT)
                if work.failure:
                    return done
                known = identities(self.evaluation)
                notes = not_in_git(hub, pools, known, settings)
                return replace(done, notes=(*done.notes, *notes))
        except ClusterError as failed:
            return executor.refused(MANAGEMENT, failed)

    def _tenant(self, target: Target) -> _Done:
        known = self.known.get(target.name)
        if (why := self.left.get(target.name)) and known is not None:
            waits = Applied(target.name, ClusterState.WAITING, revision=known.revision, error=why)
            return _Done(waits, known)
        try:
            with executor.contained(), ExitStack() as place:
                if target.name in self.unasked:
                    raise self.unasked[target.name]
                accept = target.is_enrolled
                cluster = self.access.connect(target.name, accept=accept)
                if cluster is None:
                    return self._without_kubeconfig(target, known)
                place.callback(cluster.close)
                identity = self.access.identify(cluster, target.name, known, accept=accept)
                registry = self._claim(cluster, identity, target)
                place.enter_context(self.places)  # only clusters that answered take a place
                applied, enrolled = apply_tenant(cluster, target, known, identity, self.todo)
                if registry is not self.registry:
                    cluster.extend(executor.LAST_SECONDS)
                    registry.remember({target.name: enrolled})
                    if accept and self.access.uids.get(target.name) != identity.uid:
                        note = f"commit spec.uid: {identity.uid} in its ClusterTarget"
                        applied = replace(applied, notes=(*applied.notes, note))
        except ClusterError as failed:
            revision = known.revision if known else ""
            return _Done(executor.refused(target.name, failed, revision), known)
        is_left = target.is_described or enrolled.addresses or applied.is_failed
        return _Done(applied, enrolled if is_left else None)

    def _claim(
        self, cluster: Cluster, identity: ClusterIdentity, target: Target
    ) -> ClusterRegistry:
        self.guard.check(target.name, identity)
        uid = identity.uid
        entries = (it for it in identity.inventory.clusters if it in self.claims)
        other = next((it for it in entries if it != target.name), "")
        other = other or self.names_by_uid.setdefault(uid, target.name)
        if other != target.name:
            message = f"the kubeconfig reaches the cluster of {other} (kube-system has uid {uid})"
            raise IdentityError(message, "pass each cluster once")
        if self.registry is not None:
            self.registry.foretell(target, uid, self.known.get(target.name))
            return self.registry
        registry = ClusterRegistry(cluster, identity, self.todo, self.is_in)
        registry.claim(target)
        return registry

    def _without_kubeconfig(self, target: Target, known: Enrolled | None) -> _Done:
        applied = without_kubeconfig(
            target, known, self.access.is_there, require_all=self.options.require_all
        )
        return _Done(applied, known if applied is not None else None)

    def _withholding(
        self, target: Target, others: Sequence[str], done: Mapping[str, _Done]
    ) -> Target:
        left = {
            name: enrolled
            for name in others
            if name not in self.options.confirm_withdrawn
            and (enrolled := done[name].enrolled if name in done else self.known.get(name))
        }
        claims = [*targets.remembered(left).items()]
        claims += [(name, self.claims[name]) for name in self.disputed.get(target.name, ())]
        return replace(target, withheld=tuple((name, it.addresses) for name, it in claims))
