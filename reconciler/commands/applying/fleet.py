"""All clusters: who they are, what each shall hold, and all of them at once.

A cluster that cannot be reached delays nobody but those that shall get its addresses. AT_ONCE are
worked on, and CONTACTS waited for: those that never answer must not take all places.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import wait
from contextlib import ExitStack
from functools import cache
from threading import BoundedSemaphore

from msgspec import Struct
from msgspec.structs import replace

from reconciler.clusters.address_conflicts import Claims, address_conflicts
from reconciler.clusters.desired import desired_objects
from reconciler.clusters.elastic.model import Word
from reconciler.clusters.elastic.reading import uses
from reconciler.clusters.estate import Estate
from reconciler.clusters.growers import all_growers
from reconciler.clusters.memory import Enrolled
from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.outcome import Applied, State
from reconciler.clusters.outside import identities
from reconciler.clusters.renamed import moved
from reconciler.clusters.shard import is_in_shard
from reconciler.clusters.target import Target
from reconciler.commands.applying.access import Access, without_kubeconfig
from reconciler.commands.applying.enrolment import Enrolment, check_memory
from reconciler.commands.applying.extent import WHOLE, Extent
from reconciler.commands.applying.fence import Fence
from reconciler.commands.applying.management import apply_management, open_management
from reconciler.commands.applying.registry import ClusterRegistry
from reconciler.commands.applying.renamed import renames
from reconciler.commands.applying.targets import (
    claims_of,
    is_whole,
    remembered,
    require_claims,
    targets,
)
from reconciler.commands.applying.tenant import apply_tenant
from reconciler.commands.applying.turns import in_turn, threads
from reconciler.commands.applying.work import LAST_SECONDS, Run, contained, refused
from reconciler.evaluate import Evaluation
from reconciler.model.cluster import MANAGEMENT
from reconciler.model.resource import Ref
from reconciler.ports import (
    CONTACTS,
    ClusterError,
    Clusters,
    IdentityError,
    UsageError,
)
from reconciler.projecting import project

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
    extent: Extent = WHOLE,
) -> list[Applied]:
    """Bring all clusters to what the committed records of a revision say.

    Args:
        evaluation: Of the revision.
        clusters: How they are reached.
        options: What a person asks for.
        is_in: Whether a revision is contained in another one; a `GitError` when that cannot be
            told.
        extent: What it is about.

    Returns:
        The management cluster first, then the others by name.

    Raises:
        UsageError: Nobody named a management cluster.
    """
    require_claims(evaluation, options)
    run = Run(evaluation.tree.revision or "", options, extent.only)
    with ExitStack() as opened:
        try:
            cluster = clusters.management()
            if cluster is None:
                message = "no management cluster is named"
                raise UsageError(message, "--kubeconfig PATH, or $KUBECONFIG")
            opened.callback(cluster.close)
            with contained():
                management = open_management(cluster, options)
            fence = Fence(run.revision, is_in, options.re_enrol, options.root)
            fence.check_line(management.enrolment)
            registry = ClusterRegistry(management, run, is_in)
        except ClusterError as failed:
            return [refused(MANAGEMENT, failed)]
        return _Fleet(evaluation, Access(clusters, management), registry, run, fence).run(extent)


class _Fleet:
    """The clusters while they are worked on."""

    def __init__(
        self,
        evaluation: Evaluation,
        access: Access,
        registry: ClusterRegistry,
        todo: Run,
        fence: Fence,
    ) -> None:
        self.evaluation = evaluation
        self.fence = fence
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

    def run(self, extent: Extent) -> list[Applied]:
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
            own = [pool.submit(self._own, extent.words)] if is_first else []
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
        told = (_with_uses(it, by_name[it.cluster], extent) for it in rest if it is not None)
        return [*first, *told, *failed]

    def _is_touched(self, name: str) -> bool:
        return self.todo.only is None or name in self.todo.only

    def _uids(self, every: Sequence[Target]) -> dict[str, str]:
        """Which cluster each identity belongs to: nobody else is believed to be it."""
        found = {self.management.enrolment.uid: MANAGEMENT}
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
        estate = Estate(
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
                return apply_management(self.management, estate, self.todo)
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
                    check_memory(self.management.enrolment.inventory, target.name)
                cluster = self.access.connect(target.name)
                if cluster is None:
                    return self._without_kubeconfig(target, known)
                place.callback(cluster.close)

                def claim(enrolment: Enrolment) -> None:
                    self._claim(enrolment, target)
                    place.enter_context(self.places)  # it has answered: now it is worked on

                applied, enrolled = apply_tenant(cluster, target, known, claim, self.todo)
        except ClusterError as failed:
            return _Done(refused(target.name, failed, known.revision if known else ""), known)
        is_left = target.is_described or enrolled.addresses or applied.is_failed
        return _Done(applied, enrolled if is_left else None)

    def _claim(self, enrolment: Enrolment, target: Target) -> None:
        """Refuse two names for one cluster: they would undo each other's work."""
        self.fence.check(target.name, enrolment)
        uid = enrolment.uid
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


def _with_uses(applied: Applied, target: Target, extent: Extent) -> Applied:
    """What became of a cluster, with what a look before read of its use, where the work read nothing."""
    reading = extent.readings.get(applied.cluster)
    if applied.uses is not None or reading is None:
        return applied
    return replace(applied, uses=uses(target.records, reading))
