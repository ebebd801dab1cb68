"""`doctor`: checks of Git, clusters, rights, and versions. Read-only.

Clusters are found and identified as in an apply. Each one is checked independently.
"""

from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing

from msgspec.structs import replace

from reconciler.clusters.desired import desired_objects
from reconciler.clusters.memory import Enrolled
from reconciler.clusters.metallb import NAMESPACE as METALLB_HOME
from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.outcome import State
from reconciler.clusters.outside import identities
from reconciler.clusters.plan_management import ManagementDesiredState
from reconciler.clusters.target import Target
from reconciler.commands.applying.access import Access, without_kubeconfig
from reconciler.commands.applying.cluster_identity import ClusterIdentity, check_memory, identify
from reconciler.commands.applying.fleet import AT_ONCE
from reconciler.commands.applying.management import (
    ManagementCluster,
    not_in_git,
    open_management,
)
from reconciler.commands.applying.response_validation import ValidatedCluster
from reconciler.commands.applying.targets import targets
from reconciler.commands.applying.work import contained
from reconciler.commands.doctor.checks import Step, failed, run
from reconciler.commands.doctor.cluster import ExaminedCluster, management_steps, tenant_steps
from reconciler.commands.doctor.git import ExaminedGit, examine_git
from reconciler.model.cluster import MANAGEMENT
from reconciler.ports import Cluster, ClusterError, Clusters, ExitCode, Probe, UnreachableError
from reconciler.projecting import project
from reconciler.report.diagnosis import Check, Diagnosis, Group, Verdict, doubtful, wrong

_NOBODY = doubtful(
    "kubeconfig",
    "none is named: reconcile commits and pushes, and applies nothing",
    "--kubeconfig PATH, or $KUBECONFIG",
)
_UNKNOWN = doubtful(
    "clusters",
    "the repository cannot be read: only clusters that were applied to before are looked at",
    "mend Git first",
)
_WAITING = "when its cluster is made, its Secret is found; or --cluster NAME=PATH"


def diagnose(probe: Probe, clusters: Clusters | None, wall: Callable[[], float]) -> Diagnosis:
    """Run all checks.

    Args:
        probe: The repository.
        clusters: The source of connections; None without a management cluster.
        wall: This machine's clock, in seconds since 1970.

    Raises:
        UsageError: The command line names no repository.
    """
    git = examine_git(probe, wall())
    groups = [git.group]
    groups += [Group(MANAGEMENT, (_NOBODY,))] if clusters is None else []
    if clusters is not None:
        groups += _Examination(git, clusters, wall).run()
    return Diagnosis(tuple(groups), git.revision.id if git.revision else "")


def diagnosis_code(diagnosis: Diagnosis) -> ExitCode:
    """Return 70 for an internal error, 4 for Git, 5 for a cluster, else 0."""
    if diagnosis.is_bug:
        return ExitCode.BUG
    git, *others = diagnosis.groups
    if git.verdict is Verdict.FAILED:
        return ExitCode.GIT
    if any(group.verdict is Verdict.FAILED for group in others):
        return ExitCode.CLUSTER
    return ExitCode.OK


def _contained(step: Step) -> Step:
    """Run a step. An internal error does not stop the others."""
    name, look = step

    def careful() -> Check:
        with contained():
            return look()

    return name, careful


class _Examination:
    """The check of all clusters."""

    def __init__(self, git: ExaminedGit, clusters: Clusters, wall: Callable[[], float]) -> None:
        self.git = git
        self.clusters = clusters
        self.wall = wall
        self.hub: ManagementCluster | None = None
        self.known: Mapping[str, Enrolled] = {}
        self.uids: dict[str, str] = {}
        self.opened = ExitStack()

    def run(self) -> list[Group]:
        """Check the clusters, several at once."""
        with self.opened:
            return self._run()

    def _run(self) -> list[Group]:
        cluster: Cluster | None = None
        refusal: ClusterError | None = None
        try:
            found = self.clusters.management()
            if found is None:
                return [Group(MANAGEMENT, (_NOBODY,))]
            cluster = ValidatedCluster(found)
            self.opened.callback(cluster.close)
            with contained():
                self.hub = open_management(cluster, ApplyOptions())
            self.known = self.hub.identity.inventory.clusters
        except ClusterError as failure:
            refusal = failure
        every = self._targets()
        with ThreadPoolExecutor(AT_ONCE) as pool:
            own = pool.submit(self._management, cluster, refusal)
            others = [group for group in pool.map(self._other, every) if group is not None]
            return [Group(MANAGEMENT, tuple(own.result())), *map(self._alone, others)]

    def _management(self, cluster: Cluster | None, refusal: ClusterError | None) -> list[Check]:
        own: list[Check] = []
        if cluster is None or isinstance(refusal, UnreachableError):
            name = "kubeconfig" if cluster is None else "server"
            own += [failed(name, refusal)] if refusal is not None else []
        else:
            examined = ExaminedCluster(
                cluster, lambda: self._home(refusal), self.wall, self._committed
            )
            evaluation = self.git.evaluation
            is_all = evaluation is not None and evaluation.tree.settings.applies_documents
            steps = management_steps(examined, applies_documents=is_all)
            own += run(map(_contained, steps))
            own += self._not_in_git()
        if self.git.evaluation is None:
            own.append(_UNKNOWN)
        return own

    def _not_in_git(self) -> Iterator[Check]:
        """Note objects of the management cluster that are not in Git."""
        evaluation = self.git.evaluation
        if self.hub is None or evaluation is None:
            return
        pools, settings = tuple(evaluation.state.pools.values()), evaluation.tree.settings
        desired_state = ManagementDesiredState(
            (), pools, settings, is_whole=True, known=identities(evaluation)
        )
        with contained():
            for sentence in not_in_git(self.hub, desired_state):
                yield doubtful("intake", sentence, "write them into Git, or name the kind there")

    def _home(self, refusal: ClusterError | None) -> ClusterIdentity:
        """The management cluster as it was identified first."""
        if refusal is not None:
            raise refusal
        assert self.hub is not None  # noqa: S101 - it is opened, or was refused  # nosec B101
        return self.hub.identity

    @property
    def _committed(self) -> int:
        return self.git.revision.clock if self.git.revision is not None else 0

    def _targets(self) -> list[Target]:
        """Return the clusters of an apply."""
        evaluation = self.git.evaluation
        if evaluation is None:
            return [Target(name) for name in sorted(self.known)]
        return targets(evaluation, desired_objects(project(evaluation)), self.known)

    def _other(self, target: Target) -> Group | None:
        known = self.known.get(target.name)
        try:
            with contained():
                if self.hub is not None:
                    check_memory(self.hub.identity.inventory, target.name)
                cluster = self._connect(target.name)
                if cluster is None:
                    return self._without_kubeconfig(target, known)
        except ClusterError as failure:
            return Group(target.name, (failed("kubeconfig", failure),))

        def recognise() -> ClusterIdentity:
            found = identify(cluster, target.name, METALLB_HOME, known.uid if known else "")
            self.uids[target.name] = found.uid
            return found

        steps = tenant_steps(
            ExaminedCluster(cluster, recognise, self.wall), is_wanted=bool(target.desired)
        )
        with closing(cluster):
            return Group(target.name, tuple(run(map(_contained, steps))))

    def _connect(self, name: str) -> Cluster | None:
        if self.hub is not None:
            return Access(self.clusters, self.hub).connect(name)
        kubeconfig = self.clusters.named(name)
        if kubeconfig is None:
            return None
        return ValidatedCluster(self.clusters.connect(name, kubeconfig, is_named=True))

    def _without_kubeconfig(self, target: Target, known: Enrolled | None) -> Group | None:
        if self.hub is None:
            message = "none is named, and the management cluster cannot be asked for its Secret"
            mend = f"--cluster {target.name}=PATH"
            return Group(target.name, (doubtful("kubeconfig", message, mend),))
        is_there = Access(self.clusters, self.hub).is_there
        found = without_kubeconfig(target, known, is_there, require_all=False)
        if found is None:
            return None
        if found.state is State.WAITING:
            check = doubtful("kubeconfig", f"waiting: {found.error}", found.hint or _WAITING)
        else:
            check = wrong("kubeconfig", found.error, found.hint)
        return Group(target.name, (check,))

    def _alone(self, group: Group) -> Group:
        """Return the group, with a note on clusters that are identical."""
        uid = self.uids.get(group.name)
        same = sorted(name for name, other in self.uids.items() if other == uid)
        if uid is None or len(same) < 2:
            return group
        others = ", ".join(name for name in same if name != group.name)
        message = f"it is the very cluster that {others} names (kube-system has uid {uid})"
        return replace(
            group, checks=(*group.checks, wrong("identity", message, "name each cluster once"))
        )
