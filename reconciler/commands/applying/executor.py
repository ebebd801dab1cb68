"""Carry out the plan of a cluster: its steps in order, and nothing besides."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from reconciler.clusters.crds import is_established
from reconciler.clusters.desired import MANAGER, owned_labels
from reconciler.clusters.metallb import NAMESPACE, controller_time, state_error
from reconciler.clusters.outcome import WRITTEN
from reconciler.clusters.progress import Progress, foresee
from reconciler.clusters.resources import CONFIGURATION_STATE
from reconciler.clusters.snapshot import objects_of
from reconciler.clusters.steps import (
    Apply,
    AwaitEstablished,
    AwaitPolicies,
    Confirm,
    Delete,
    Look,
    MakeNamespace,
    Own,
    Patch,
    Step,
    Tell,
    Try,
)
from reconciler.commands.applying.object_applier import ObjectApplier
from reconciler.commands.applying.polling import poll
from reconciler.model.instant import format_instant
from reconciler.model.resource import Manifest, Ref
from reconciler.ports import (
    Cluster,
    ClusterError,
    NoSuchKindError,
    NoSuchObjectError,
    RejectedError,
    StaleError,
    UnreachableError,
)

_ESTABLISHED_SECONDS = 60
_LATE = "MetalLB's controller has not confirmed the change yet"
_OLD_POLICIES = "the server does not go by the new admission policies yet"


class Executor:
    """Carries out steps in one cluster.

    Attributes:
        progress: What was done so far.
        made: Namespaces that are there by now.
    """

    def __init__(self, cluster: Cluster, revision: str, progress: Progress) -> None:
        self.cluster = cluster
        self.progress = progress
        self.made: list[Ref] = []
        self._begun = cluster.now()
        self._done_before = 0
        objects = ObjectApplier(cluster, revision, self.progress)
        self._acts: Mapping[type, Callable[..., None]] = {
            Apply: objects.apply,
            Patch: objects.patch,
            Own: objects.own,
            Delete: objects.delete,
            MakeNamespace: self._make_namespace,
            AwaitEstablished: self._await_established,
            Look: self._look,
            Tell: self._tell,
            Confirm: self._confirm,
            AwaitPolicies: self._await_policies,
            Try: self._try,
        }

    def run(self, step: Step) -> None:
        """Take a step; one that only tells something writes nothing.

        Raises:
            ClusterError: Nothing more can be done in this cluster.
        """
        act = self._acts.get(type(step), partial(foresee, self.progress))
        act(step)

    def _make_namespace(self, step: MakeNamespace) -> None:
        foresee(self.progress, step)
        metadata = {"name": step.ref.name, "labels": owned_labels()}
        body = {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata}
        self.cluster.apply(body, MANAGER)
        self.made.append(step.ref)

    def _await_established(self, step: AwaitEstablished) -> None:
        def is_served(live: Manifest | None) -> bool:
            return live is None or is_established(live)

        ask = partial(self.cluster.get, step.ref)
        _, is_so = poll(self.cluster, ask, is_served, every=0.2, times=_ESTABLISHED_SECONDS * 5)
        if not is_so:
            message = f"CRD {step.ref.name} is not established after {_ESTABLISHED_SECONDS} s"
            raise ClusterError(message)

    def _look(self, step: Look) -> None:
        try:
            found = self.cluster.list(step.resource, step.namespace).items
        except NoSuchKindError as missing:
            if not step.is_needed:
                return
            message, hint = f"no kind {step.resource.kind} there", "--crds installs the CRDs"
            raise ClusterError(message, hint) from missing
        self.progress.now |= objects_of(found, step.resource)

    def _tell(self, step: Tell) -> None:
        """Make an event; one that cannot be made fails nothing: the conditions say what is."""
        live = self.progress.live(step.desired.ref, step.before)
        event = None if live is None else step.event(live, self.cluster.now())
        if event is None:
            return
        try:
            self.cluster.create(event)
        except StaleError:
            return  # a run that was cut off made it
        except UnreachableError:
            raise
        except ClusterError as failed:
            self.progress.notes.append(f"an event was not made: {failed}")

    def _confirm(self, step: Confirm) -> None:
        outcomes = self.progress.outcomes[self._done_before :]
        is_written = any(item.result in WRITTEN for item in outcomes)
        since = format_instant(self._begun if step.is_last else self.cluster.now())

        def is_confirmed(states: Sequence[Manifest]) -> bool:
            seen = controller_time(states)
            return seen is None or seen >= since or (step.is_last and not is_written)

        def ask() -> Sequence[Manifest]:
            return self.cluster.list(CONFIGURATION_STATE, NAMESPACE).items

        try:
            states, is_so = poll(self.cluster, ask, is_confirmed, every=0.1, times=51)
        except NoSuchKindError:
            states, is_so = [], True  # MetalLB before 0.15.3 says nothing of its configuration
        self.progress.notes += [] if is_so else [_LATE]
        self.progress.error = state_error(states)

    def _await_policies(self, step: AwaitPolicies) -> None:
        """A patch of nothing writes nothing, and is judged as any write."""

        def goes() -> bool:
            try:
                self.cluster.merge(step.ref, {}, MANAGER)
            except NoSuchObjectError:
                return True
            except RejectedError:
                return False
            return True

        _, is_so = poll(self.cluster, goes, bool, every=0.1, times=100)
        self.progress.notes += [] if is_so else [_OLD_POLICIES]

    def _try(self, step: Try) -> None:
        try:
            for inner in step.steps if self.progress.may_try(step) else ():
                self.run(inner)
        except UnreachableError:
            raise
        except ClusterError as failed:
            self.progress.fail(step.name, str(failed))
        self._begun, self._done_before = self.cluster.now(), len(self.progress.outcomes)
