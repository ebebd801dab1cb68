"""Diagnosis of a cluster."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum

from msgspec import Struct
from msgspec.structs import replace

from reconciler.addresses import IPSet
from reconciler.apply import rights as apply_rights
from reconciler.apply.elastic import silence, unwell
from reconciler.apply.executor import contained
from reconciler.apply.inventory import ClusterIdentity, InventoryEntry
from reconciler.apply.metallb import NAMESPACE as METALLB_HOME
from reconciler.apply.metallb import controller_time, state_error
from reconciler.apply.rights import management_rights, questions, tenant_rights
from reconciler.apply.snapshot import live_of
from reconciler.apply.steps import differing, is_ours
from reconciler.kube.interface import Cluster
from reconciler.kube.resources import (
    ADDRESS_POOL,
    ADVERTISEMENT,
    CONFIGURATION_STATE,
    desired_object,
    needed,
)
from reconciler.model.errors import (
    BugError,
    ClusterError,
    KubeconfigError,
    NoSuchKindError,
    ReconcilerError,
    UnauthorizedError,
    UnreachableError,
)
from reconciler.model.objects import HOME, Manifest, Need, Right

GIT = "git"


class DiagnosisVerdict(StrEnum):
    """The result of a check."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


class DiagnosisCheck(Struct, frozen=True):
    """One check: its subject in a word, and the fix if something needs doing."""

    name: str
    verdict: DiagnosisVerdict
    message: str
    mend: str = ""
    is_bug: bool = False


class DiagnosisGroup(Struct, frozen=True):
    """The checks of Git (`GIT`), or of one cluster by its name."""

    name: str
    checks: tuple[DiagnosisCheck, ...]

    def count(self, verdict: DiagnosisVerdict) -> int:
        """Return the number of checks with a verdict."""
        return sum(1 for check in self.checks if check.verdict is verdict)

    @property
    def verdict(self) -> DiagnosisVerdict:
        """Return the worst verdict of the checks."""
        verdicts = (check.verdict for check in self.checks)
        return max(verdicts, key=list(DiagnosisVerdict).index, default=DiagnosisVerdict.OK)


class Diagnosis(Struct, frozen=True):
    """All checks: Git first, then the management cluster, then the others by name.

    The revision is the commit that was read; empty if none was readable.
    """

    groups: tuple[DiagnosisGroup, ...]
    revision: str = ""

    def count(self, verdict: DiagnosisVerdict) -> int:
        """Return the number of checks with a verdict."""
        return sum(group.count(verdict) for group in self.groups)

    @property
    def is_bug(self) -> bool:
        """Return whether an internal error ended a check."""
        return any(check.is_bug for group in self.groups for check in group.checks)


def fine(name: str, message: str) -> DiagnosisCheck:
    """Return the result of a check that passed."""
    return DiagnosisCheck(name, DiagnosisVerdict.OK, message)


def doubtful(name: str, message: str, mend: str = "") -> DiagnosisCheck:
    """Return the result of a check that needs attention, but stops nothing."""
    return DiagnosisCheck(name, DiagnosisVerdict.WARNING, message, mend)


def wrong(name: str, message: str, mend: str = "") -> DiagnosisCheck:
    """Return the result of a check that found something to fix."""
    return DiagnosisCheck(name, DiagnosisVerdict.FAILED, message, mend)


SKEW_SECONDS = 30

# Hints for failures that have none.
_MENDS = {
    UnreachableError: "see that its API server is up, and that this machine may reach it",
    UnauthorizedError: "give it credentials that are valid, with the rights that deploy/ lists",
    KubeconfigError: "mend that kubeconfig, or name another",
}
_ELSE = "mend that, and look again"

Step = tuple[str, Callable[[], DiagnosisCheck]]


def failed(name: str, failure: ReconcilerError) -> DiagnosisCheck:
    """Return the result of a check that failed."""
    mend = next((mend for kind, mend in _MENDS.items() if isinstance(failure, kind)), _ELSE)
    check = wrong(name, str(failure), failure.hint or mend)
    return replace(check, is_bug=isinstance(failure, BugError))


def run(steps: Iterable[Step]) -> list[DiagnosisCheck]:
    """Run checks in order until one is unreachable. An internal error does not stop the others."""
    found: list[DiagnosisCheck] = []
    for name, step in steps:
        try:
            with contained():
                found.append(step())
        except UnreachableError as gone:
            found.append(failed(name, gone))
            break
        except ReconcilerError as failure:
            found.append(failed(name, failure))
            if len(found) == 1:
                break
    return found


def shorten(names: Iterable[str], most: int = 3) -> str:
    """Join the first names, with the number of the others."""
    listed = list(names)
    more = f" and {len(listed) - most} more" if len(listed) > most else ""
    return f"{', '.join(listed[:most])}{more}"


# CRDs and policies use CEL functions for addresses.
_RULES = (1, 31)
_OPTIONAL = (Need.WATCH, Need.CRDS, Need.INTAKE, Need.POLICIES)
_RIGHTS = "deploy/rbac.yaml has all of them"
_DOCUMENTS = "bind the ClusterRole gitops-ipam-documents of deploy/rbac.yaml to it"
_METALLB = "install MetalLB 0.15.3 or newer"


class ExaminedCluster(Struct, frozen=True):
    """A cluster under examination.

    Attributes:
        recognise: Identifies the cluster as an apply does; cached.
        wall: This machine's clock, in seconds since 1970.
        committed: The date of the head; 0 if unknown.
    """

    cluster: Cluster
    recognise: Callable[[], ClusterIdentity]
    wall: Callable[[], float]
    committed: int = 0


def management_steps(
    examined: ExaminedCluster, *, applies_documents: bool = False
) -> Iterator[Step]:
    """Return the checks of the management cluster. Applied documents need more rights."""
    unasked = None if applies_documents else Need.DOCUMENTS
    rights = tuple(right for right in management_rights() if right.need is not unasked)
    yield from _common_steps(examined, rights, has_crds=True)
    yield "crds", lambda: _crds(examined)


def tenant_steps(examined: ExaminedCluster, *, is_wanted: bool) -> Iterator[Step]:
    """Return the checks of a tenant cluster, in which pools are desired or not."""
    yield from _common_steps(examined, tenant_rights(), has_crds=False)
    yield "metallb", lambda: _metallb(examined, is_wanted=is_wanted)


def _common_steps(
    examined: ExaminedCluster, rights: tuple[Right, ...], *, has_crds: bool
) -> Iterator[Step]:
    yield "server", lambda: _server(examined.cluster, has_crds=has_crds)
    yield "identity", lambda: _identity(examined.recognise())
    yield "clock", lambda: _clock(examined)
    yield "rights", lambda: _rights(examined.cluster, rights)


def _server(cluster: Cluster, *, has_crds: bool) -> DiagnosisCheck:
    version = cluster.version()
    found = re.match(r"v?(\d{1,6})\.(\d{1,6})", version)
    if found is None:
        return doubtful("server", f"Kubernetes {version!r}: the version cannot be read")
    numbers = int(found[1]), int(found[2])
    if numbers < _RULES:
        what = "--crds and --policies need" if has_crds else "--policies needs"
        return doubtful("server", f"Kubernetes {version}: {what} 1.31", "upgrade it")
    return fine("server", f"Kubernetes {version}")


def _identity(identity: ClusterIdentity) -> DiagnosisCheck:
    inventory = identity.inventory
    if inventory.damaged:
        count = len(inventory.damaged)
        message = f"{count} lines of the inventory cannot be read; what they name is left alone"
        mend = f"see ConfigMap gitops-ipam-inventory in {identity.namespace}"
        return doubtful("identity", message, mend)
    if not inventory.uid:
        return fine("identity", f"uid {identity.uid}; nothing was applied there before")
    return fine("identity", f"uid {identity.uid}, as before; objects: {len(inventory.objects)}")


def _clock(examined: ExaminedCluster) -> DiagnosisCheck:
    """Compare clocks, with a request right before."""
    examined.cluster.version()
    server, here = examined.cluster.now(), int(examined.wall())
    if not server:
        return doubtful("clock", "the server does not tell its time")
    ahead = server - here
    if abs(ahead) > SKEW_SECONDS:
        where = "ahead of" if ahead > 0 else "behind"
        message = f"the server is {abs(ahead)} s {where} this machine"
        return doubtful("clock", message, "set both clocks by NTP")
    if examined.committed > server + SKEW_SECONDS:
        message = f"the head was committed {examined.committed - server} s after the server's time"
        return doubtful("clock", message, "set the clock of who commits: records have its time")
    return fine("clock", f"within {SKEW_SECONDS} s of this machine's")


def _rights(cluster: Cluster, rights: tuple[Right, ...]) -> DiagnosisCheck:
    missing: dict[Need, dict[str, list[str]]] = {}
    for asked in questions(rights):
        status = cluster.create(asked.review()).get("status") or {}
        if not status.get("allowed"):
            place = f" in {asked.right.namespace}" if asked.right.namespace else ""
            named = missing.setdefault(asked.right.need, {})
            named.setdefault(f"{asked.right}{place}", []).append(asked.verb)
    if Need.APPLY in missing:
        return wrong("rights", f"may not {_verbs(missing[Need.APPLY])}", _RIGHTS)
    if Need.DOCUMENTS in missing:
        message = f"not for {Need.DOCUMENTS}: may not {_verbs(missing[Need.DOCUMENTS])}"
        return wrong("rights", message, _DOCUMENTS)
    lacks = {need: verbs for need, verbs in missing.items() if need not in _OPTIONAL}
    if lacks:
        message = "; ".join(f"{need}: may not {_verbs(verbs)}" for need, verbs in lacks.items())
        return doubtful("rights", f"not for {message}", _RIGHTS)
    without = f", but not for {', '.join(missing)}" if missing else ""
    return fine("rights", f"all that an apply needs{without}")


def _verbs(missing: Mapping[str, Sequence[str]]) -> str:
    return shorten(f"{'/'.join(verbs)} {what}" for what, verbs in missing.items())


def _crds(examined: ExaminedCluster) -> DiagnosisCheck:
    """Check the shipped CRDs: missing, outdated, or foreign."""
    entries, found = _entries(examined), _CrdProblems()
    try:
        for manifest in apply_rights.manifests():
            desired = desired_object(manifest)
            live = examined.cluster.get(desired.ref)
            is_own = live is not None and is_ours(live_of(live), entries.get(str(desired.ref)))
            found.look(manifest, live, is_own=is_own)
    except UnauthorizedError:
        return _served(examined.cluster)
    if found.absent or found.wrong:
        mend = "ipam apply --crds" + ("" if found.absent else " --adopt upgrades them")
        return wrong("crds", shorten([*found.absent, *found.wrong]), mend)
    if found.doubts:
        return doubtful("crds", shorten(found.doubts), "ipam apply --crds")
    theirs = f"; not ours, but enough: {', '.join(found.foreign)}" if found.foreign else ""
    return fine("crds", f"installed and established{theirs}")


class _CrdProblems:
    def __init__(self) -> None:
        self.absent, self.wrong = list[str](), list[str]()
        self.doubts, self.foreign = list[str](), list[str]()

    def look(self, manifest: Manifest, live: Manifest | None, *, is_own: bool) -> None:
        kind = manifest["spec"]["names"]["kind"]
        if live is None:
            is_needed = kind in [resource.kind for resource in needed()]
            (self.absent if is_needed else self.doubts).append(f"{kind} is not there")
        elif not apply_rights.is_established(live):
            self.wrong.append(f"{kind} is not established")
        elif not is_own:
            self.foreign.append(kind)
            lacks = apply_rights.lacking(manifest, live)
            self.wrong += [f"{kind} is not ours and lacks {item}" for item in lacks]
        elif differing(desired_object(manifest).body or {}, live):
            self.doubts.append(f"{kind} is not that of this program")


def _entries(examined: ExaminedCluster) -> Mapping[str, InventoryEntry]:
    """Return the inventory; empty if the cluster was not identified."""
    try:
        return examined.recognise().inventory.objects
    except ClusterError:
        return {}


def _served(cluster: Cluster) -> DiagnosisCheck:
    """Check whether the server knows the required kinds, without the right to read CRDs."""
    try:
        for resource in needed():
            cluster.list(resource, HOME if resource.is_namespaced else "")
    except NoSuchKindError as missing:
        return wrong("crds", str(missing), "ipam apply --crds, by somebody who may")
    return fine("crds", "served; whether they are ours may not be read")


def _metallb(examined: ExaminedCluster, *, is_wanted: bool) -> DiagnosisCheck:
    cluster = examined.cluster
    try:
        pools = cluster.list(ADDRESS_POOL, METALLB_HOME).items
        cluster.list(ADVERTISEMENT, METALLB_HOME)
    except NoSuchKindError:
        if is_wanted:
            return wrong("metallb", "it is not there", _METALLB)
        return doubtful("metallb", "it is not there; nothing is wanted of it yet", _METALLB)
    try:
        states = cluster.list(CONFIGURATION_STATE, METALLB_HOME).items
    except NoSuchKindError:
        message = "MetalLB older than 0.15.3 does not tell whether its configuration is valid"
        return doubtful("metallb", message, _METALLB)
    kind = {"apiVersion": ADDRESS_POOL.api_version, "kind": ADDRESS_POOL.kind}
    entries = _entries(examined)
    every = [live_of({**item, **kind}) for item in pools]
    ours = [live.manifest for live in every if is_ours(live, entries.get(str(live.ref)))]
    return _configured(ours, states, cluster.now())


def _configured(ours: Sequence[Manifest], states: Sequence[Manifest], now: int) -> DiagnosisCheck:
    """Check MetalLB's configuration state, and whether it has read the pools."""
    if error := state_error(states):
        return wrong("metallb", error, "mend the pools that it names")
    if controller_time(states) is None:
        message = "its controller has not told of its configuration"
        return doubtful("metallb", message, f"see the pods in {METALLB_HOME}")
    if why := silence(ours, states, now):
        return wrong("metallb", why, f"see the pods in {METALLB_HOME}")
    if why := unwell(ours, states, IPSet(), now):
        return doubtful("metallb", why, "set it back, or Services get none of it")
    return fine("metallb", "0.15.3 or newer, its configuration is valid")
