"""`doctor`: checks of Git and of clusters, each with its fix."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from enum import StrEnum
from functools import partial

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPSet
from reconciler.apply import rights as apply_rights
from reconciler.apply.elastic import silence, unwell
from reconciler.apply.executor import contained
from reconciler.apply.fleet import AT_ONCE
from reconciler.apply.inventory import ClusterIdentity, Enrolled, InventoryEntry
from reconciler.apply.management import (
    Access,
    ManagementCluster,
    open_management,
    without_kubeconfig,
)
from reconciler.apply.rights import management_rights, questions, tenant_rights
from reconciler.apply.snapshot import live_of, objects_of
from reconciler.apply.steps import differing, is_ours
from reconciler.apply.targets import ApplyOptions, Target, targets
from reconciler.documents.findings import Severity, has_error, plural
from reconciler.documents.text import is_yaml
from reconciler.gitio.interface import Entry, Revision, Source
from reconciler.gitio.remotes import RepositoryProbe, open_proposing
from reconciler.gitio.repository import Repository
from reconciler.kube.interface import Cluster, Clusters
from reconciler.kube.resources import desired_object, desired_objects, needed
from reconciler.model import errors
from reconciler.model.applied import ClusterState
from reconciler.model.objects import MANAGEMENT, Manifest, Need, Right
from reconciler.model.settings import Settings
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.projection import project
from reconciler.planning.read import evaluate_source
from reconciler.reconcile.branch import lost_since, refusal
from reconciler.reconcile.evaluation import edited

GIT = "git"
_OLDEST_GIT = (2, 31)
_OLDEST_KUBERNETES = (1, 31)  # CRDs and policies use CEL functions for addresses
_OPTIONAL = (Need.WATCH, Need.CRDS, Need.INTAKE, Need.POLICIES)
_RIGHTS = "apply deploy/rbac.yaml, which has all of them"
_DOCUMENTS = "bind the ClusterRole gitops-ipam-documents of deploy/rbac.yaml to it"
_WAITING = "wait until its cluster is created and has a Secret, or pass --cluster NAME=PATH"
# Hints for failures that have none.
_HINTS = {
    errors.UnreachableError: "check that its API server is running, and that this machine can reach it",
    errors.UnauthorizedError: "use valid credentials with the permissions that deploy/ lists",
    errors.KubeconfigError: "correct that kubeconfig, or pass another one",
}


class DiagnosisVerdict(StrEnum):
    """The result of a check, the worst last."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


class DiagnosisCheck(Struct, frozen=True):
    """One check: its subject in a word, and the fix if something needs doing."""

    name: str
    message: str
    hint: str = ""
    verdict: DiagnosisVerdict = DiagnosisVerdict.OK
    is_bug: bool = False


class DiagnosisGroup(Struct, frozen=True):
    """The checks of Git (`GIT`), or of one cluster by its name."""

    name: str
    checks: tuple[DiagnosisCheck, ...]

    @property
    def verdict(self) -> DiagnosisVerdict:
        """Return the worst verdict of the checks."""
        verdicts = (check.verdict for check in self.checks)
        return max(verdicts, key=list(DiagnosisVerdict).index, default=DiagnosisVerdict.OK)


class Diagnosis(Struct, frozen=True):
    """Checks of Git, the management cluster, then others by name. No `revision`: unreadable."""

    groups: tuple[DiagnosisGroup, ...]
    revision: str = ""

    def count(self, verdict: DiagnosisVerdict) -> int:
        """Return the number of checks with a verdict."""
        return sum(check.verdict is verdict for group in self.groups for check in group.checks)

    @property
    def exit_code(self) -> errors.ExitCode:
        """Return 70 for an internal error, 4 for Git, 5 for a cluster, else 0."""
        if any(check.is_bug for group in self.groups for check in group.checks):
            return errors.ExitCode.BUG
        failures = [it.name for it in self.groups if it.verdict is DiagnosisVerdict.FAILED]
        if GIT in failures:
            return errors.ExitCode.GIT
        return errors.ExitCode.CLUSTER if failures else errors.ExitCode.OK


fine = DiagnosisCheck
doubtful = partial(DiagnosisCheck, verdict=DiagnosisVerdict.WARNING)
wrong = partial(DiagnosisCheck, verdict=DiagnosisVerdict.FAILED)


def _failed(name: str, failure: errors.ReconcilerError) -> DiagnosisCheck:
    hints = (hint for kind, hint in _HINTS.items() if isinstance(failure, kind))
    check = wrong(name, str(failure), failure.hint or next(hints, ""))
    return replace(check, is_bug=isinstance(failure, errors.BugError))


Checks = Mapping[str, Callable[[], DiagnosisCheck]]


def run(checks: Checks) -> list[DiagnosisCheck]:
    """Run checks until the first one fails, or one does not reach its server."""
    found: list[DiagnosisCheck] = []
    for name, check in checks.items():
        try:
            with contained():
                found.append(check())
        except errors.ReconcilerError as failure:
            found.append(_failed(name, failure))
            if len(found) == 1 or isinstance(failure, errors.UnreachableError):
                break
    return found


def _shorten(names: Iterable[str], most: int = 3) -> str:
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return f"{', '.join(listed[:most])}{more}"


_NO_KUBECONFIG = "no cluster configured, so ipam reconcile commits and pushes, and applies nothing"
_UNNAMED = DiagnosisGroup(
    MANAGEMENT,
    (doubtful("kubeconfig", _NO_KUBECONFIG, "pass --kubeconfig PATH, or set KUBECONFIG"),),
)


def diagnose(probe: RepositoryProbe, clusters: Clusters | None, proposals: str = "") -> Diagnosis:
    """Run all checks. Raises UsageError if the command line names no repository."""
    git = _GitChecks(probe, proposals)
    git.run()
    others = (_UNNAMED,) if clusters is None else _ClusterChecks(git, clusters).run()
    groups = (DiagnosisGroup(GIT, tuple(git.found)), *others)
    return Diagnosis(groups, git.head.id if git.head else "")


@dataclass(slots=True)
class _GitChecks:
    probe: RepositoryProbe
    proposals: str
    found: list[DiagnosisCheck] = field(default_factory=list)
    evaluation: Evaluation | None = None
    head: Revision | None = None

    def run(self) -> None:
        try:
            self.found.append(_git_version(self.probe.version()))
            self.found.append(fine("repository", self.probe.title()))
        except errors.UsageError:
            raise
        except errors.ReconcilerError as failure:
            self.found.append(_failed("repository", failure))
            return
        head = self.head = self._read_remote()
        if head is None:
            return
        try:
            source = self.probe.repository.source(head.id)
            evaluation = self.evaluation = evaluate_source(source)
            entries = source.entries([evaluation.tree.settings.records])
        except errors.ReconcilerError as failure:
            self.found.append(_failed("content", failure))
            return
        checks: Checks = {
            "content": lambda: _content(evaluation),
            "records": lambda: _records(evaluation, entries),
            "edits": lambda: _edits(self.probe.repository, source, evaluation),
        }
        if self.proposals:
            settings = evaluation.tree.settings
            checks = {**checks, "proposals": lambda: self._proposals(head, settings)}
        self.found += run(checks)

    def _read_remote(self) -> Revision | None:
        oid, is_reached = None, True
        try:
            oid = self.probe.remote_head()
            where = f"at {oid[:12]}" if oid else "none (this repository is authoritative)"
            self.found.append(fine("remote", where))
        except errors.ReconcilerError as failure:
            self.found.append(_failed("remote", failure))
            is_reached = False
        try:
            head = self.probe.find(oid)
            is_here = head is not None
            head = head or self.probe.find(None)
        except errors.ReconcilerError as failure:
            self.found.append(_failed("history", failure))
            return None
        if head is None:
            if is_reached:
                hint = "create a first commit, or run git fetch"
                self.found.append(wrong("history", "the branch has no commit in this clone", hint))
        elif not is_here:
            message = f"the remote's head is not in this clone; {head.id[:12]} was read instead"
            self.found.append(doubtful("history", message, "run git fetch"))
        elif is_reached:
            self.found += run({"history": lambda: self._history(head)})
        if head is not None and is_reached:
            self.found += run({"push": lambda: self._push(head)})
        return head

    def _history(self, head: Revision) -> DiagnosisCheck:
        repository = self.probe.repository
        repository.require_pushed(head)
        if (lost := lost_since(repository, head)) is not None:
            raise refusal(repository, head, lost)
        return fine("history", f"{head.id[:12]} contains the last reconciled head")

    def _push(self, head: Revision) -> DiagnosisCheck:
        self.probe.check_push(head)
        return fine("push", "a dry run succeeded")

    def _proposals(self, head: Revision, settings: Settings) -> DiagnosisCheck:
        repository, name = self.probe.repository, self.proposals
        tip = open_proposing(repository, name).checked(head)
        if not tip or repository.is_in(tip, head.id):
            return fine("proposals", f"no proposal is open on branch {name}")
        folders = [settings.records, settings.observed]
        if repository.changed(tip, head.id, folders)[0]:
            message = f"{tip[:12]} of branch {name} is stale: {repository.branch} has other records"
            return doubtful("proposals", message, f"run ipam reconcile --to-branch {name}")
        return fine("proposals", f"{tip[:12]} of branch {name} can be merged")


def _git_version(version: str) -> DiagnosisCheck:
    numbers = tuple(int(part) for part in re.findall(r"[0-9]{1,6}", version)[:2])
    if numbers < _OLDEST_GIT:
        needed_version = ".".join(map(str, _OLDEST_GIT))
        return wrong("git", f"version {version}", f"install git {needed_version} or newer")
    return fine("git", f"version {version}")


def _content(evaluation: Evaluation) -> DiagnosisCheck:
    count = sum(1 for found in evaluation.findings if found.severity is Severity.ERROR)
    if count:
        message = f"{plural(count, 'error')}; affected claims get no addresses"
        return doubtful("content", message, "run ipam check")
    pools = len(evaluation.state.pools)
    return fine("content", f"no errors; pools: {pools}, claims: {len(evaluation.state.claims)}")


def _records(evaluation: Evaluation, entries: Iterable[Entry]) -> DiagnosisCheck:
    folder = f"{evaluation.tree.settings.records}/"
    strange = [it.path for it in entries if not is_yaml(it.path) or it.mode != "100644"]
    if strange:
        hint = f"move them out of {folder}, where only ipam writes"
        return doubtful("records", f"not records: {_shorten(strange)}", hint)
    unread = sum(1 for item in evaluation.tree.records if has_error(item.findings))
    if unread:
        return doubtful(
            "records", f"{plural(unread, 'record')} in {folder} cannot be read", "run ipam check"
        )
    return fine("records", f"{plural(len(evaluation.tree.records), 'record')} in {folder}")


def _edits(repository: Repository, source: Source, evaluation: Evaluation) -> DiagnosisCheck:
    for found in edited(repository, source, evaluation):
        return wrong("edits", found.message, found.hint)
    return fine("edits", "the records are unchanged since the last reconcile commit")


class _ClusterChecks:
    def __init__(self, git: _GitChecks, clusters: Clusters) -> None:
        self.git, self.clusters = git, clusters
        self.hub: ManagementCluster | None = None
        self.known: Mapping[str, Enrolled] = {}
        self.access = Access(clusters, None, git.evaluation)

    def run(self) -> list[DiagnosisGroup]:
        with ExitStack() as opened, ThreadPoolExecutor(AT_ONCE) as pool:
            if self.access.standalone:
                return list(pool.map(self._tenant, self._targets()))
            cluster, refusal = None, None
            try:
                cluster = self.clusters.management()
                if cluster is None:
                    return [_UNNAMED]
                opened.callback(cluster.close)
                with contained():
                    self.hub = open_management(cluster, ApplyOptions())
                self.access = Access(self.clusters, self.hub, self.git.evaluation)
                self.known = self.hub.identity.inventory.clusters
            except errors.ClusterError as failure:
                refusal = failure
            own = pool.submit(self._management, cluster, refusal)
            others = list(pool.map(self._tenant, self._targets()))
            groups = [DiagnosisGroup(MANAGEMENT, tuple(own.result()))]
            return [*groups, *(group for group in others if group.checks)]

    def _targets(self) -> list[Target]:
        evaluation = self.git.evaluation
        if evaluation is None:
            return [Target(name) for name in sorted(self.known)]
        return targets(evaluation, desired_objects(project(evaluation)), self.known)

    def _management(
        self, cluster: Cluster | None, refusal: errors.ClusterError | None
    ) -> list[DiagnosisCheck]:
        def recognise() -> ClusterIdentity:
            if self.hub is None:
                raise refusal or errors.ClusterError("the management cluster was not identified")
            return self.hub.identity

        evaluation = self.git.evaluation
        if cluster is None or isinstance(refusal, errors.UnreachableError):
            name = "kubeconfig" if cluster is None else "server"
            own = [_failed(name, refusal)] if refusal is not None else []
        else:
            applies_documents = evaluation and evaluation.tree.settings.applies_documents
            own = run(
                management_checks(cluster, recognise, applies_documents=bool(applies_documents))
            )
        if evaluation is None:
            message = "the repository cannot be read, so only enrolled clusters are checked"
            own.append(doubtful("clusters", message, "fix the Git checks first"))
        return own

    def _tenant(self, target: Target) -> DiagnosisGroup:
        name, known = target.name, self.known.get(target.name)
        try:
            with contained():
                cluster = self.access.connect(name)
                if cluster is None:
                    return DiagnosisGroup(name, self._without_kubeconfig(target, known))
        except errors.ClusterError as failure:
            return DiagnosisGroup(name, (_failed("kubeconfig", failure),))
        recognise = partial(self.access.identify, cluster, name, known)
        rights = tenant_rights(self.access.home_of(name), target.balancing)
        with closing(cluster):
            checks = tenant_checks(cluster, recognise, target, rights)
            return DiagnosisGroup(name, tuple(run(checks)))

    def _without_kubeconfig(
        self, target: Target, known: Enrolled | None
    ) -> tuple[DiagnosisCheck, ...]:
        if self.hub is None:
            message = "no kubeconfig given"
            if not self.access.standalone:
                message += ", and the management cluster cannot be reached for its Secret"
            return (doubtful("kubeconfig", message, f"pass --cluster {target.name}=PATH"),)
        found = without_kubeconfig(target, known, self.access.is_there, require_all=False)
        if found is None:
            return ()
        if found.state is ClusterState.WAITING:
            return (doubtful("kubeconfig", f"waiting: {found.error}", found.hint or _WAITING),)
        return (wrong("kubeconfig", found.error, found.hint),)


Recognise = Callable[[], ClusterIdentity]
"""Identifies a cluster as an apply does."""


def management_checks(cluster: Cluster, recognise: Recognise, *, applies_documents: bool) -> Checks:
    """Return the checks of the management cluster. Applied documents need more rights."""
    unasked = None if applies_documents else Need.DOCUMENTS
    rights = tuple(right for right in management_rights() if right.need is not unasked)
    return {
        "server": lambda: _server(cluster, "--crds and --policies need"),
        "identity": lambda: _identity(recognise()),
        "rights": lambda: _rights(cluster, rights),
        "crds": lambda: _crds(cluster, recognise),
    }


def tenant_checks(
    cluster: Cluster, recognise: Recognise, target: Target, rights: tuple[Right, ...]
) -> Checks:
    """Return the checks of a tenant cluster."""
    return {
        "server": lambda: _server(cluster, "--policies needs"),
        "identity": lambda: _identity(recognise()),
        "rights": lambda: _rights(cluster, rights),
        _title(target): lambda: _balancer(cluster, recognise, target),
    }


def _server(cluster: Cluster, what: str) -> DiagnosisCheck:
    version = cluster.version()
    found = re.match(r"v?(\d{1,6})\.(\d{1,6})", version)
    if found is None:
        return doubtful("server", f"cannot parse the Kubernetes version {version!r}")
    if (int(found[1]), int(found[2])) < _OLDEST_KUBERNETES:
        return doubtful("server", f"Kubernetes {version}: {what} 1.31", "upgrade the cluster")
    return fine("server", f"Kubernetes {version}")


def _identity(identity: ClusterIdentity) -> DiagnosisCheck:
    inventory = identity.inventory
    if inventory.damaged:
        count = len(inventory.damaged)
        message = f"{plural(count, 'line')} of the inventory cannot be read; their objects are not changed"
        hint = f"check ConfigMap gitops-ipam-inventory in {identity.namespace}"
        return doubtful("identity", message, hint)
    if not inventory.uid:
        return fine("identity", f"uid {identity.uid}; nothing was applied to it before")
    message = f"uid {identity.uid}, as before; {plural(len(inventory.objects), 'object')}"
    return fine("identity", message)


def _rights(cluster: Cluster, rights: tuple[Right, ...]) -> DiagnosisCheck:
    missing: dict[Need, dict[str, list[str]]] = {}
    for asked in questions(rights):
        status = cluster.create(asked.review()).get("status") or {}
        if not status.get("allowed"):
            place = f" in {asked.right.namespace}" if asked.right.namespace else ""
            named = missing.setdefault(asked.right.need, {})
            named.setdefault(f"{asked.right}{place}", []).append(asked.verb)
    denied = dict[Need, str]()
    for need, verbs_of in missing.items():
        listed = _shorten(f"{'/'.join(verbs)} {what}" for what, verbs in verbs_of.items())
        denied[need] = f"no permission to {listed}"
    if Need.APPLY in denied:
        return wrong("rights", denied[Need.APPLY], _RIGHTS)
    if Need.DOCUMENTS in denied:
        return wrong("rights", f"{Need.DOCUMENTS}: {denied[Need.DOCUMENTS]}", _DOCUMENTS)
    if lacks := [f"{need}: {verbs}" for need, verbs in denied.items() if need not in _OPTIONAL]:
        return doubtful("rights", "; ".join(lacks), _RIGHTS)
    without = f", but not for {', '.join(missing)}" if missing else ""
    return fine("rights", f"sufficient for ipam apply{without}")


def _crds(cluster: Cluster, recognise: Recognise) -> DiagnosisCheck:
    entries = _entries(recognise)
    absent, broken, doubts, foreign = list[str](), list[str](), list[str](), list[str]()
    for manifest, _ in apply_rights.desired():
        kind, desired = manifest["spec"]["names"]["kind"], desired_object(manifest)
        live = cluster.get(desired.ref)
        if live is None:
            is_needed = kind in [resource.kind for resource in needed()]
            absent += [f"{kind} is not installed"] if is_needed else []
        elif not apply_rights.is_established(live):
            broken.append(f"{kind} is not established")
        elif not is_ours(live_of(live), entries.get(str(desired.ref))):
            foreign.append(kind)
            lacks = apply_rights.lacking(manifest, live)
            broken += [f"{kind} has another owner, and lacks {item}" for item in lacks]
        elif differing(desired.body or {}, live):
            doubts.append(f"{kind} differs from the version in this ipam")
    if absent or broken:
        hint = "run ipam apply --crds" + ("" if absent else " --adopt")
        return wrong("crds", _shorten([*absent, *broken]), hint)
    theirs = f"; installed by others, but sufficient: {', '.join(foreign)}" if foreign else ""
    if doubts:
        return doubtful("crds", _shorten(doubts), "run ipam apply --crds")
    return fine("crds", f"installed and established{theirs}")


def _entries(recognise: Recognise) -> Mapping[str, InventoryEntry]:
    try:
        return recognise().inventory.objects
    except errors.ClusterError:
        return {}


def _title(target: Target) -> str:
    return target.balancer.name.lower()


def _balancer(cluster: Cluster, recognise: Recognise, target: Target) -> DiagnosisCheck:
    balancer, home, title = target.balancer, target.home, _title(target)
    try:
        pools = cluster.list(balancer.pool, home).items
        for resource in balancer.others[:1]:
            cluster.list(resource, home)
    except errors.NoSuchKindError:
        if target.desired:
            return wrong(title, "not installed", balancer.install)
        return doubtful(title, "not installed, and not needed yet", balancer.install)
    states: Sequence[Manifest] = ()
    try:
        if balancer.state is not None:
            states = cluster.list(balancer.state, home).items
    except errors.NoSuchKindError:
        message = f"{balancer.name} older than {balancer.oldest} does not report whether its configuration is valid"
        return doubtful(title, message, balancer.install)
    entries, every = _entries(recognise), objects_of(pools, balancer.pool)
    ours = [it.manifest for ref, it in every.items() if is_ours(it, entries.get(str(ref)))]
    return _configured(ours, states, cluster.now(), target)


def _configured(
    ours: Sequence[Manifest], states: Sequence[Manifest], now: int, target: Target
) -> DiagnosisCheck:
    balancer, title = target.balancer, _title(target)
    pods = f"check the pods in {target.home}"
    if error := balancer.state_error(states):
        return wrong(title, error, "correct the pools that it names")
    if balancer.state is not None and balancer.read_at(states) is None:
        return doubtful(title, "its controller has not reported its configuration", pods)
    if why := silence(balancer, ours, states, now):
        return wrong(title, why, pods)
    if why := unwell(
        balancer, ours, states, IPSet(), now, has_entries=target.balancing.has_entries
    ):
        return doubtful(
            title, why, "undo this edit, because Services get no addresses from the pool"
        )
    return fine(title, f"{balancer.oldest} or newer, its configuration is valid")
