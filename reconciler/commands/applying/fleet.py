"""All clusters: who they are, what each shall hold, and all of them at once.

A cluster that cannot be reached delays nobody but those that shall get its addresses.
"""

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import ExitStack
from dataclasses import dataclass, replace
from threading import BoundedSemaphore, Lock

from reconciler.clusters.intent import intents
from reconciler.clusters.inventory import Enrolled
from reconciler.clusters.outcome import Applied
from reconciler.clusters.rivals import Claims, rivals
from reconciler.clusters.shard import is_in_shard
from reconciler.commands.applying.access import Access, without_kubeconfig
from reconciler.commands.applying.concluding import LAST_SECONDS, distrusting, refused
from reconciler.commands.applying.enrolment import Enrolment
from reconciler.commands.applying.ledger import Ledger
from reconciler.commands.applying.management import (
    MANAGEMENT,
    Estate,
    apply_management,
    open_hub,
)
from reconciler.commands.applying.memory import Memory
from reconciler.commands.applying.target import Target
from reconciler.commands.applying.targets import claims_of, is_whole, remembered, targets
from reconciler.commands.applying.tenant import apply_tenant
from reconciler.commands.applying.wish import Wish
from reconciler.evaluate import Evaluation, project
from reconciler.ports import Cluster, ClusterError, Clusters, IdentityError, UsageError

AT_ONCE = 16
CONTACTS = 128
"""How many clusters are waited for at once: those that never answer must not take all places."""


@dataclass(frozen=True, slots=True)
class _Done:
    """What became of a cluster, and what the management cluster shall remember of it."""

    applied: Applied | None
    enrolled: Enrolled | None


def apply_fleet(
    evaluation: Evaluation,
    clusters: Clusters,
    wish: Wish,
    is_in: Callable[[str, str], bool],
) -> list[Applied]:
    """Bring all clusters to what the committed records of a revision say.

    Args:
        evaluation: Of the revision.
        clusters: How they are reached.
        wish: What a person asks for.
        is_in: Whether a revision is contained in another one.

    Returns:
        The management cluster first, then the others by name.

    Raises:
        UsageError: Nobody named a management cluster.
    """
    revision = evaluation.tree.revision or ""
    try:
        cluster = clusters.management()
        if cluster is None:
            message = "no management cluster is named"
            raise UsageError(message, "--kubeconfig PATH, or $KUBECONFIG")
        with distrusting():
            hub = open_hub(cluster, wish)
        fence = _Fence(revision, is_in)
        fence.check(hub.enrolment)
        if MANAGEMENT not in wish.re_enrol:
            fence.check_line(hub.enrolment)
        memory = Memory(hub, revision, is_in)
    except ClusterError as failed:
        return [refused(MANAGEMENT, failed)]
    return _Fleet(evaluation, Access(clusters, hub), memory, wish, fence).run()


class _Fence:
    """Keeps a run that is late from undoing the work of one that knew more."""

    def __init__(self, revision: str, is_in: Callable[[str, str], bool]) -> None:
        self._revision = revision
        self._is_in = is_in
        self._told = {"": False, revision: False}
        self._lock = Lock()

    def check(self, enrolment: Enrolment) -> None:
        """Refuse a cluster that a newer revision changed already."""
        last = enrolment.inventory.revision
        with self._lock:  # one question for all clusters with the same answer
            if last not in self._told:
                self._told[last] = last.isalnum() and self._is_in(self._revision, last)
        if self._told[last]:
            message = f"{last[:12]} is applied already, and newer than {self._revision[:12]}"
            raise IdentityError(message, "apply the head of the branch")

    def check_line(self, enrolment: Enrolment) -> None:
        """Refuse to go on from a revision that is not part of this history.

        Another repository, or a history that was rewritten, knows nothing of what is there.
        """
        last = enrolment.inventory.revision
        if last in ("", self._revision) or (last.isalnum() and self._is_in(last, self._revision)):
            return
        message = f"{last[:12]} was applied last, and {self._revision[:12]} does not contain it"
        hint = "another repository, or too shallow a clone? if it is meant: --re-enrol management"
        raise IdentityError(message, hint)


class _Fleet:
    """The clusters while they are worked on."""

    def __init__(
        self, evaluation: Evaluation, access: Access, memory: Memory, wish: Wish, fence: _Fence
    ) -> None:
        self.evaluation = evaluation
        self.fence = fence
        self.hub = access.hub
        self.wish = wish
        self.revision = evaluation.tree.revision or ""
        self.memory = memory
        self.known = memory.known
        self.access = access
        self.intents = intents(project(evaluation))
        self.names_by_uid: dict[str, str] = {}
        self.claims: dict[str, Claims] = {}
        self.disputed: Mapping[str, tuple[str, ...]] = {}
        self.places = BoundedSemaphore(AT_ONCE)

    def run(self) -> list[Applied]:
        """Do it."""
        every = [
            replace(item, is_re_enrolled=item.name in self.wish.re_enrol)
            for item in targets(self.evaluation, self.intents, self.known)
        ]
        found = [item for item in every if is_in_shard(item.name, self.wish.shard)]
        self.names_by_uid = {
            self.known[item.name].uid: item.name
            for item in every
            if item.name in self.known
            and self.known[item.name].uid
            and item.is_described
            and not item.is_re_enrolled
        }
        others = self._others(every, found)
        first = [item for item in found if item.name not in others]
        done: dict[str, _Done] = {}
        own: list[Applied] = []
        with ThreadPoolExecutor(CONTACTS) as pool:
            # The management cluster belongs to the first shard.
            hub = pool.submit(self._management) if self.wish.shard[0] == 0 else None
            if hub is not None and self.wish.policies is not None:
                wait([hub])  # its policies may name another account: then nothing can be noted
            done.update(
                zip((item.name for item in first), pool.map(self._tenant, first), strict=True)
            )
            later = [self._withholding(item, others, done) for item in found if item.name in others]
            done.update(
                zip((item.name for item in later), pool.map(self._tenant, later), strict=True)
            )
            own += [hub.result()] if hub is not None else []
        rest = [done[name].applied for name in sorted(done)]
        applied = [*own, *(item for item in rest if item is not None)]
        return [*applied, *self._remember(done)]

    def _management(self) -> Applied:
        estate = Estate(
            self.intents.get(MANAGEMENT, ()),
            tuple(self.evaluation.state.pools.values()),
            self.evaluation.tree.settings,
            is_whole(self.evaluation),
        )
        ledger = self._ledger(self.hub.cluster, self.hub.enrolment)
        return apply_management(self.hub, estate, ledger)

    def _ledger(self, cluster: Cluster, enrolment: Enrolment) -> Ledger:
        return Ledger(cluster, self.revision, self.wish, dict(enrolment.inventory.objects))

    def _tenant(self, target: Target) -> _Done:
        known = self.known.get(target.name)
        try:
            with distrusting(), ExitStack() as place:
                cluster = self.access.connect(target.name)
                if cluster is None:
                    return self._without_kubeconfig(target, known)

                def begin(enrolment: Enrolment) -> Ledger:
                    place.enter_context(self.places)  # it has answered: now it is worked on
                    return self._ledger(cluster, enrolment)

                applied, enrolled = apply_tenant(
                    cluster, target, known, lambda it: self._claim(it, target), begin
                )
        except ClusterError as failed:
            return _Done(refused(target.name, failed, known.revision if known else ""), known)
        is_left = target.is_described or enrolled.addresses or applied.is_failed
        return _Done(applied, enrolled if is_left else None)

    def _claim(self, enrolment: Enrolment, target: Target) -> None:
        """Refuse two names for one cluster: they would undo each other's work."""
        self.fence.check(enrolment)
        uid = enrolment.uid
        other = self.names_by_uid.setdefault(uid, target.name)
        if other != target.name:
            message = f"it is the very cluster that {other} names (kube-system has uid {uid})"
            raise IdentityError(message, "name each cluster once")
        if not self.wish.dry_run:
            self.memory.foretell(target, uid)

    def _without_kubeconfig(self, target: Target, known: Enrolled | None) -> _Done:
        applied = without_kubeconfig(
            target, known, self.access.is_there, require_all=self.wish.require_all
        )
        return _Done(applied, known if applied is not None else None)

    def _others(
        self, every: Sequence[Target], found: Sequence[Target]
    ) -> dict[str, tuple[str, ...]]:
        """Of each cluster the other ones that have a say in what it may announce."""
        self.claims = claims_of(every)
        wanted = {item.name: self.claims[item.name] for item in found}
        # Two records of one address are a mistake: until it is mended, nobody gets it anew.
        self.disputed = rivals(self.claims, wanted)
        before = rivals(remembered(self.known), wanted)
        return {
            name: tuple(sorted({*before.get(name, ()), *self.disputed.get(name, ())}))
            for name in {**before, **self.disputed}
        }

    def _withholding(
        self, target: Target, others: Mapping[str, tuple[str, ...]], done: Mapping[str, _Done]
    ) -> Target:
        """The target without what other clusters still announce, now that they were worked on."""
        left: dict[str, Enrolled] = {}
        for name in others[target.name]:
            if name in self.wish.confirm_withdrawn:
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
        if self.wish.dry_run:
            return []
        self.hub.cluster.extend(LAST_SECONDS)
        try:
            self.memory.remember({name: item.enrolled for name, item in done.items()})
        except ClusterError as failed:
            return [refused(f"{MANAGEMENT} (inventory)", failed)]
        return []
