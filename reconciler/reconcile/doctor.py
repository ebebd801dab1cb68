"""Diagnosis of Git, clusters, and rights."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, field

from msgspec.structs import replace

from reconciler.apply.executor import contained
from reconciler.apply.fleet import AT_ONCE
from reconciler.apply.intake import identities
from reconciler.apply.intake_run import not_in_git
from reconciler.apply.inventory import ClusterIdentity, Enrolled, check_memory, identify
from reconciler.apply.management import (
    Access,
    ManagementCluster,
    open_management,
    validated,
    without_kubeconfig,
)
from reconciler.apply.metallb import NAMESPACE as METALLB_HOME
from reconciler.apply.plan import ClusterState
from reconciler.apply.targets import ApplyOptions, Target, targets
from reconciler.documents.findings import Severity, has_error
from reconciler.documents.text import is_yaml
from reconciler.gitio.interface import Entry, Repository, Revision, Source
from reconciler.gitio.remotes import RepositoryProbe
from reconciler.kube.interface import Cluster, Clusters
from reconciler.kube.resources import desired_objects
from reconciler.model.errors import (
    ClusterError,
    ExitCode,
    ReconcilerError,
    UnreachableError,
    UsageError,
)
from reconciler.model.objects import MANAGEMENT
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.projection import project
from reconciler.planning.read import evaluate_source
from reconciler.reconcile.branch import lost_since, refusal
from reconciler.reconcile.doctor_cluster import (
    GIT,
    SKEW_SECONDS,
    Diagnosis,
    DiagnosisCheck,
    DiagnosisGroup,
    DiagnosisVerdict,
    ExaminedCluster,
    doubtful,
    failed,
    fine,
    management_steps,
    run,
    shorten,
    tenant_steps,
    wrong,
)
from reconciler.reconcile.records import edited

_OLDEST = (2, 31)
_PLAIN = "100644"


@dataclass(slots=True)
class ExaminedGit:
    """The checks of Git, and the revision that was read, if any was readable."""

    probe: RepositoryProbe
    checks: list[DiagnosisCheck] = field(default_factory=list)
    evaluation: Evaluation | None = None
    revision: Revision | None = None

    def run(self, now: float) -> "ExaminedGit":
        """Run the checks. A failed check skips only the checks that depend on it.

        Raises UsageError if the command line names no repository.
        """
        try:
            self.checks.append(_version(self.probe))
            self.checks.append(fine("repository", self.probe.title()))
        except UsageError:
            raise
        except ReconcilerError as failure:
            self.checks.append(failed("repository", failure))
            return self
        self._check_remote()
        if (head := self.revision) is not None:
            self._check_files(head)
            self.checks.append(_clock(head, now))
        return self

    def _check_remote(self) -> None:
        """Find the remote head, and check that it contains the last known head and can be pushed to."""
        oid, is_reached = None, True
        try:
            oid = self.probe.remote_head()
            where = f"at {oid[:12]}" if oid else "the repository is the truth itself: no remote"
            self.checks.append(fine("remote", where))
        except ReconcilerError as failure:
            self.checks.append(failed("remote", failure))
            is_reached = False
        head = self.revision = self._find(oid, is_reached=is_reached)
        if head is None or not is_reached:
            return
        if oid in (None, head.id):
            self.checks += run([("history", lambda: self._history(head))])
        self.checks += run([("push", lambda: self._push(head))])

    def _find(self, oid: str | None, *, is_reached: bool) -> Revision | None:
        """Return the remote head, else the local one."""
        try:
            if (head := self.probe.find(oid)) is not None:
                return head
            head = self.probe.find(None) if oid is not None else None
        except ReconcilerError as failure:
            self.checks.append(failed("history", failure))
            return None
        if head is None and is_reached:
            message = "the branch has no commit here"
            self.checks.append(wrong("history", message, "make a first commit, or git fetch"))
        elif head is not None:
            message = f"the remote's head is not here; {head.id[:12]} was read instead"
            self.checks.append(doubtful("history", message, "git fetch"))
        return head

    def _history(self, head: Revision) -> DiagnosisCheck:
        repository = self.probe.repository
        repository.require_pushed(head)
        if (lost := lost_since(repository, head)) is not None:
            raise refusal(repository, head, lost)
        return fine("history", f"{head.id[:12]} contains the head that was reconciled last")

    def _push(self, head: Revision) -> DiagnosisCheck:
        self.probe.check_push(head)
        return fine("push", "permitted, as far as a dry run tells")

    def _check_files(self, head: Revision) -> None:
        try:
            source = self.probe.repository.source(head.id)
            evaluation = self.evaluation = evaluate_source(source)
            entries = source.entries([evaluation.tree.settings.records])
        except ReconcilerError as failure:
            self.checks.append(failed("content", failure))
            return
        self.checks += [_content(evaluation), _records(evaluation, entries)]
        self.checks += run([("edits", lambda: _edits(self.probe.repository, source, evaluation))])
        settings = evaluation.tree.settings
        try:
            self.probe.repository.require_clean([*settings.folders, settings.records], head)
        except UsageError as dirty:
            self.checks.append(doubtful("checkout", str(dirty), dirty.hint))
        except ReconcilerError as failure:
            self.checks.append(failed("checkout", failure))


def _version(probe: RepositoryProbe) -> DiagnosisCheck:
    version = probe.version()
    numbers = tuple(int(part) for part in re.findall(r"[0-9]{1,6}", version)[:2])
    if numbers < _OLDEST:
        needed = ".".join(map(str, _OLDEST))
        return wrong("git", f"version {version}", f"install git {needed} or newer")
    return fine("git", f"version {version}")


def _edits(repository: Repository, source: Source, evaluation: Evaluation) -> DiagnosisCheck:
    for found in edited(repository, source, evaluation):
        return wrong("edits", found.message, found.hint)
    return fine("edits", "the records are as reconcile wrote them")


def _content(evaluation: Evaluation) -> DiagnosisCheck:
    count = sum(1 for found in evaluation.findings if found.severity is Severity.ERROR)
    if count:
        errors = "1 error" if count == 1 else f"{count} errors"
        return doubtful("content", f"{errors}; what they touch is not served", "ipam check")
    pools = len(evaluation.state.pools)
    return fine("content", f"no errors; pools: {pools}, claims: {len(evaluation.state.claims)}")


def _records(evaluation: Evaluation, entries: Iterable[Entry]) -> DiagnosisCheck:
    """Check that the folder of records has only plain files of `reconcile` that are readable."""
    folder = f"{evaluation.tree.settings.records}/"
    strange = [entry.path for entry in entries if not is_yaml(entry.path) or entry.mode != _PLAIN]
    if strange:
        mend = f"take them out of {folder}: only ipam writes there"
        return doubtful("records", f"not records: {shorten(strange)}", mend)
    unread = sum(1 for item in evaluation.tree.records if has_error(item.findings))
    if unread:
        return doubtful("records", f"{unread} in {folder} cannot be read", "ipam check")
    return fine("records", f"{len(evaluation.tree.records)} in {folder}")


def _clock(head: Revision, now: float) -> DiagnosisCheck:
    """Check the clock. A commit date in the future reserves addresses for too long."""
    ahead = int(head.clock - now)
    if ahead > SKEW_SECONDS:
        message = f"the head was committed {ahead} s after this machine's present time"
        return doubtful("clock", message, "set the clocks of this machine and of who commits")
    return fine("clock", "the head was committed in the past")


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


def diagnose(
    probe: RepositoryProbe, clusters: Clusters | None, wall: Callable[[], float]
) -> Diagnosis:
    """Run all checks, of clusters only if there is a management cluster.

    Raises UsageError if the command line names no repository.
    """
    git = ExaminedGit(probe).run(wall())
    groups = [DiagnosisGroup(GIT, tuple(git.checks))]
    groups += [DiagnosisGroup(MANAGEMENT, (_NOBODY,))] if clusters is None else []
    if clusters is not None:
        groups += _Examination(git, clusters, wall).run()
    return Diagnosis(tuple(groups), git.revision.id if git.revision else "")


def diagnosis_code(diagnosis: Diagnosis) -> ExitCode:
    """Return 70 for an internal error, 4 for Git, 5 for a cluster, else 0."""
    if diagnosis.is_bug:
        return ExitCode.BUG
    git, *others = diagnosis.groups
    if git.verdict is DiagnosisVerdict.FAILED:
        return ExitCode.GIT
    if any(group.verdict is DiagnosisVerdict.FAILED for group in others):
        return ExitCode.CLUSTER
    return ExitCode.OK


class _Examination:
    """The check of all clusters."""

    def __init__(self, git: ExaminedGit, clusters: Clusters, wall: Callable[[], float]) -> None:
        self.git, self.clusters, self.wall = git, clusters, wall
        self.hub: ManagementCluster | None = None
        self.known: Mapping[str, Enrolled] = {}
        self.uids: dict[str, str] = {}

    def run(self) -> list[DiagnosisGroup]:
        """Check the clusters, several at once."""
        cluster: Cluster | None = None
        refusal: ClusterError | None = None
        with ExitStack() as opened:
            try:
                found = self.clusters.management()
                if found is None:
                    return [DiagnosisGroup(MANAGEMENT, (_NOBODY,))]
                cluster = validated(found)
                opened.callback(cluster.close)
                with contained():
                    self.hub = open_management(cluster, ApplyOptions())
                self.known = self.hub.identity.inventory.clusters
            except ClusterError as failure:
                refusal = failure
            every = self._targets()
            with ThreadPoolExecutor(AT_ONCE) as pool:
                own = pool.submit(self._management, cluster, refusal)
                others = [group for group in pool.map(self._other, every) if group is not None]
                groups = [DiagnosisGroup(MANAGEMENT, tuple(own.result()))]
                return [*groups, *map(self._alone, others)]

    def _management(
        self, cluster: Cluster | None, refusal: ClusterError | None
    ) -> list[DiagnosisCheck]:
        own: list[DiagnosisCheck] = []
        if cluster is None or isinstance(refusal, UnreachableError):
            name = "kubeconfig" if cluster is None else "server"
            own += [failed(name, refusal)] if refusal is not None else []
        else:
            head, evaluation = self.git.revision, self.git.evaluation
            committed = head.clock if head is not None else 0
            examined = ExaminedCluster(cluster, lambda: self._home(refusal), self.wall, committed)
            is_all = evaluation is not None and evaluation.tree.settings.applies_documents
            own += run(management_steps(examined, applies_documents=is_all))
            own += self._not_in_git()
        if self.git.evaluation is None:
            own.append(_UNKNOWN)
        return own

    def _not_in_git(self) -> Iterator[DiagnosisCheck]:
        evaluation = self.git.evaluation
        if self.hub is None or evaluation is None:
            return
        pools, settings = evaluation.state.pools.values(), evaluation.tree.settings
        with contained():
            for sentence in not_in_git(self.hub, pools, identities(evaluation), settings):
                yield doubtful("intake", sentence, "write them into Git, or name the kind there")

    def _home(self, refusal: ClusterError | None) -> ClusterIdentity:
        if refusal is not None:
            raise refusal
        assert self.hub is not None  # noqa: S101 - it is opened, or was refused  # nosec B101
        return self.hub.identity

    def _targets(self) -> list[Target]:
        evaluation = self.git.evaluation
        if evaluation is None:
            return [Target(name) for name in sorted(self.known)]
        return targets(evaluation, desired_objects(project(evaluation)), self.known)

    def _other(self, target: Target) -> DiagnosisGroup | None:
        known = self.known.get(target.name)
        try:
            with contained():
                if self.hub is not None:
                    check_memory(self.hub.identity.inventory, target.name)
                cluster = self._connect(target.name)
                if cluster is None:
                    return self._without_kubeconfig(target, known)
        except ClusterError as failure:
            return DiagnosisGroup(target.name, (failed("kubeconfig", failure),))

        def recognise() -> ClusterIdentity:
            found = identify(cluster, target.name, METALLB_HOME, known.uid if known else "")
            self.uids[target.name] = found.uid
            return found

        steps = tenant_steps(
            ExaminedCluster(cluster, recognise, self.wall), is_wanted=bool(target.desired)
        )
        with closing(cluster):
            return DiagnosisGroup(target.name, tuple(run(steps)))

    def _connect(self, name: str) -> Cluster | None:
        if self.hub is not None:
            return Access(self.clusters, self.hub).connect(name)
        kubeconfig = self.clusters.named(name)
        if kubeconfig is None:
            return None
        return validated(self.clusters.connect(name, kubeconfig, is_named=True))

    def _without_kubeconfig(self, target: Target, known: Enrolled | None) -> DiagnosisGroup | None:
        if self.hub is None:
            message = "none is named, and the management cluster cannot be asked for its Secret"
            mend = f"--cluster {target.name}=PATH"
            return DiagnosisGroup(target.name, (doubtful("kubeconfig", message, mend),))
        is_there = Access(self.clusters, self.hub).is_there
        found = without_kubeconfig(target, known, is_there, require_all=False)
        if found is None:
            return None
        if found.state is ClusterState.WAITING:
            check = doubtful("kubeconfig", f"waiting: {found.error}", found.hint or _WAITING)
        else:
            check = wrong("kubeconfig", found.error, found.hint)
        return DiagnosisGroup(target.name, (check,))

    def _alone(self, group: DiagnosisGroup) -> DiagnosisGroup:
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
