"""Access to the management cluster."""

import base64
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from threading import Lock

from msgspec import Struct
from msgspec.structs import replace

from reconciler.apply.cluster_identity import ClusterIdentity, identify
from reconciler.apply.decision import is_ours
from reconciler.apply.intake import outside
from reconciler.apply.inventory import (
    PART_LABEL,
    Inventory,
    Live,
    Snapshot,
    data_of,
    objects_of,
    part_manifest,
    read_inventory,
)
from reconciler.apply.memory import (
    NAME,
    Enrolled,
    Write,
    cluster_data,
    has_room,
    placed,
    with_more,
    written_to,
)
from reconciler.apply.metallb import ranges_of, written
from reconciler.apply.plan import Applied, ClusterPlan, ClusterState
from reconciler.apply.plan_management import ManagementDesiredState, plan_management
from reconciler.apply.target import ApplyOptions, Target
from reconciler.apply.targets import announcer, cluster_kinds
from reconciler.apply.work import Run, worked
from reconciler.families import families
from reconciler.families.interface import ClusterKind
from reconciler.kube.interface import Cluster, Clusters, ObjectList, RequestCounts
from reconciler.kube.resources import IP_ALLOCATION, resource_of, shaped
from reconciler.model.errors import (
    ClusterError,
    GitError,
    KubeconfigError,
    NoSuchKindError,
    NoSuchObjectError,
    StaleError,
)
from reconciler.model.objects import (
    CONFIG_MAP,
    HOME,
    MANAGEMENT,
    MANAGER,
    SECRET,
    Manifest,
    Ref,
    Resource,
    tenant_name,
    tenant_of,
)


class Relay(Struct, frozen=True):
    """Forwards all calls to another cluster. Each call can raise a `ClusterError`."""

    cluster: Cluster

    def requests(self) -> RequestCounts:
        """Return the number of requests that were sent."""
        return self.cluster.requests()

    def now(self) -> int:
        """Return the server's clock."""
        return self.cluster.now()

    def version(self) -> str:
        """Return the server's version."""
        return self.cluster.version()

    def get(self, ref: Ref) -> Manifest | None:
        """Return an object, or None."""
        return self.cluster.get(ref)

    def list(
        self, resource: Resource, namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> ObjectList:
        """Return all objects of a kind."""
        return self.cluster.list(resource, namespace, labels=labels, fields=fields)

    def apply(
        self, manifest: Manifest, manager: str, *, force: bool = False, status: bool = False
    ) -> Manifest:
        """Apply an object, or its status."""
        return self.cluster.apply(manifest, manager, force=force, status=status)

    def create(self, manifest: Manifest) -> Manifest:
        """Create an object or a review."""
        return self.cluster.create(manifest)

    def merge(self, ref: Ref, patch: Manifest, manager: str) -> Manifest:
        """Apply a JSON merge patch."""
        return self.cluster.merge(ref, patch, manager)

    def delete(self, ref: Ref, uid: str, version: str = "") -> None:
        """Delete the object that has this uid."""
        self.cluster.delete(ref, uid, version)

    def pause(self, seconds: float) -> None:
        """Wait within the deadline."""
        self.cluster.pause(seconds)

    def limit(self, seconds: float | None) -> None:
        """Set the deadline."""
        self.cluster.limit(seconds)

    def extend(self, seconds: float) -> None:
        """Raise the time that is left."""
        self.cluster.extend(seconds)

    def close(self) -> None:
        """Close the connection."""
        self.cluster.close()


class ValidatedCluster(Relay, frozen=True):
    """A cluster whose objects are validated."""

    def get(self, ref: Ref) -> Manifest | None:
        """Return an object, or None."""
        found = super().get(ref)
        return None if found is None else _seen(found, ref.resource)

    def list(
        self, resource: Resource, namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> ObjectList:
        """Return all objects of a kind."""
        found = super().list(resource, namespace, labels=labels, fields=fields)
        items = [_seen(item, resource) for item in found.items]
        return ObjectList(items, found.resource_version)

    def apply(
        self, manifest: Manifest, manager: str, *, force: bool = False, status: bool = False
    ) -> Manifest:
        """Apply an object, or its status."""
        now = super().apply(manifest, manager, force=force, status=status)
        return _seen(now, resource_of(manifest))

    def create(self, manifest: Manifest) -> Manifest:
        """Create an object or a review."""
        return _seen(super().create(manifest), resource_of(manifest))

    def merge(self, ref: Ref, patch: Manifest, manager: str) -> Manifest:
        """Apply a JSON merge patch."""
        return _seen(super().merge(ref, patch, manager), ref.resource)


def _seen(manifest: object, resource: Resource) -> Manifest:
    try:
        return shaped(manifest, resource)
    except ValueError as wrong:
        message = f"it holds something that cannot be read: {wrong}"
        raise ClusterError(message, "mend that object, or what answers in its place") from wrong


class ManagementCluster:
    """The management cluster and its identity, before any change."""

    def __init__(self, cluster: Cluster, identity: ClusterIdentity) -> None:
        self.cluster = cluster
        self.identity = identity
        self._lists: dict[Resource, Mapping[Ref, Live]] = {}
        self._lock = Lock()

    def objects(self, resource: Resource) -> Mapping[Ref, Live]:
        """Return all objects of a kind; listed once.

        Raises:
            NoSuchKindError: The cluster does not know the kind.
        """
        with self._lock:
            if resource not in self._lists:
                found = self.cluster.list(resource).items
                self._lists[resource] = objects_of(found, resource)
            return self._lists[resource]


def open_management(cluster: Cluster, options: ApplyOptions) -> ManagementCluster:
    """Identify the management cluster.

    Raises:
        ClusterError: The cluster is unreachable, or its identity changed.
    """
    accept = MANAGEMENT in options.re_enrol
    checked = ValidatedCluster(cluster)
    return ManagementCluster(checked, identify(checked, MANAGEMENT, HOME, "", accept=accept))


def apply_management(
    management: ManagementCluster, desired_state: ManagementDesiredState, run: Run
) -> Applied:
    """Apply to the management cluster."""
    identity = management.identity

    def plan(snapshot: Snapshot) -> ClusterPlan:
        return plan_management(
            desired_state, snapshot, identity.inventory, run.options, identity.home
        )

    work = worked(management.cluster, identity, run, plan, management.objects)
    told = () if work.failure else tuple(not_in_git(management, desired_state))
    done = work.applied(MANAGEMENT)
    return replace(done, notes=(*done.notes, *told)) if told else done


def not_in_git(
    management: ManagementCluster, desired_state: ManagementDesiredState
) -> Iterator[str]:
    """Return notes about objects that are only in the management cluster, not in Git.

    Kinds that cannot be listed are left out.
    """
    names = {pool.key.family for pool in desired_state.pools}
    lists: dict[Resource, list[Manifest]] = {}
    for family in families():
        for intake in family.objects.intake if family.name in names else ():
            with suppress(ClusterError):
                found = management.objects(intake.resource) if intake.lacks[0] else {}
                lists[intake.resource] = [live.manifest for live in found.values()]
    entries = management.identity.inventory.objects
    return outside(desired_state.known, desired_state.settings, entries, lists)


class ClusterRegistry:
    """The registry of clusters during a run. A dry run does not write it.

    Attributes:
        known: The entries by name at the start of the run.
    """

    def __init__(
        self, management: ManagementCluster, run: Run, is_in: Callable[[str, str], bool]
    ) -> None:
        self._management = management
        self._revision = run.revision
        self._is_written = not run.options.dry_run
        self._is_in = is_in
        self._noted: dict[str, Enrolled] = {}
        self._parts: Mapping[str, Mapping[str, str]] = data_of(management.identity.config_maps)
        self._lock = Lock()
        self.known = management.identity.inventory.clusters
        if NAME not in self._parts:
            self.known = {**_rebuilt(management), **self.known}

    def foretell(self, target: Target, uid: str) -> None:
        """Save which addresses a cluster might announce, before it gets them.

        An interrupted run leaves this entry. Nothing is written without new addresses.

        Raises:
            ClusterError: The entry cannot be saved, so the addresses must not be announced.
        """
        known = self.known.get(target.name)
        already = ranges_of(known.addresses if known else ())
        wanted = target.addresses()
        if not (wanted - already and self._is_written):
            return
        revision = known.revision if known else ""
        note = Enrolled(uid, revision, target.spaces, written([*already, *wanted]))
        if not has_room(note):
            message = f"{len(note.addresses)} separate ranges are more than can be remembered of it"
            raise ClusterError(message, "give it fewer, larger ranges")
        try:
            self._write({target.name: note}, {})
        except NoSuchObjectError:
            return  # in the first run, the inventory is created during the run
        self._noted[target.name] = note

    def remember(self, found: Mapping[str, Enrolled | None]) -> None:
        """Save the result. Entries of a newer run stay unchanged."""
        there = {**self._management.identity.inventory.clusters, **self._noted}
        changed = {
            name: item
            for name, item in found.items()
            if there.get(name) != item
            and has_room(item)  # otherwise the entry from before the work stays
        }
        is_same = self._management.identity.inventory.revision == self._revision
        if not self._is_written or (is_same and not changed):
            return
        namespace = self._management.identity.namespace
        maps = self._management.cluster.list(CONFIG_MAP, namespace, labels=PART_LABEL).items
        now = read_inventory(maps)
        self._parts = data_of(maps)
        mine = {
            name: item
            for name, item in changed.items()
            if name not in now.clusters
            or not self._is_newer(now.clusters[name].revision, there.get(name))
        }
        is_late = self._is_newer(now.revision, self._management.identity.inventory)
        self._write(mine, {} if is_late else {"revision": self._revision})

    def _is_newer(self, revision: str, before: Enrolled | Inventory | None) -> bool:
        """Return whether an entry is of a newer run. An unknown revision counts as newer."""
        own = self._revision
        if revision in ("", own) or not revision.isalnum():
            return False
        try:
            return self._is_in(own, revision)
        except GitError:
            return before is None or revision != before.revision

    def _write(self, clusters: Mapping[str, Enrolled | None], more: Mapping[str, str]) -> None:
        with self._lock:
            writes = placed(self._parts, cluster_data(clusters))
            self._parts = written_to(self._parts, writes)
        for write in with_more(writes, more):
            self._put(write)

    def _put(self, write: Write) -> None:
        """Change a ConfigMap, or create it. Only the first one can be created by others."""
        cluster, namespace = self._management.cluster, self._management.identity.namespace
        ref, patch = Ref(CONFIG_MAP, namespace, write.part), {"data": write.data}
        try:
            cluster.merge(ref, patch, MANAGER)
            return
        except NoSuchObjectError:
            if write.part == NAME:
                raise
        data = {key: text for key, text in write.data.items() if text is not None}
        if data:
            try:
                cluster.create(part_manifest(write.part, namespace, data))
            except StaleError:  # created in the meantime
                cluster.merge(ref, patch, MANAGER)


def _rebuilt(management: ManagementCluster) -> dict[str, Enrolled]:
    """Rebuild the registry from the records in the cluster if the inventory was deleted."""
    try:
        allocations = management.objects(IP_ALLOCATION)
    except NoSuchKindError:
        return {}
    ranges: dict[str, list[str]] = {}
    for live in allocations.values():
        if is_ours(live, None) and (found := _announced(live)) is not None:
            ranges.setdefault(found[0], []).append(found[1])
    return {name: Enrolled("", "", (), tuple(sorted(texts))) for name, texts in ranges.items()}


def _announced(live: Live) -> tuple[str, str] | None:
    """Return the cluster and the range of a record in the cluster."""
    status = live.status
    cluster = announcer(live.manifest) if status.get("phase") == "Allocated" else None
    first, last = status.get("startAddress"), status.get("endAddress")
    if cluster is None or not (first and last):
        return None
    text = f"{first}-{last}"
    try:
        ranges_of([text])
    except ValueError as wrong:
        message = f"{IP_ALLOCATION.kind} {live.ref.name}: {wrong}"
        raise ClusterError(
            message, "mend its status: it says what a cluster may announce"
        ) from wrong
    return cluster, text


_KEY = "value"


class Access:
    """Connections to tenant clusters.

    Cluster API's Secret is `<cluster>-kubeconfig`, key `value`, in the namespace of the Cluster.
    The Secret of a ClusterTarget is in the namespace of the inventory.
    """

    def __init__(self, clusters: Clusters, management: ManagementCluster) -> None:
        self._clusters = clusters
        self.management = management

    def connect(self, cluster: str) -> Cluster | None:
        """Return a cluster, or None without a kubeconfig.

        Raises:
            ClusterError: The kubeconfig cannot be used, or the Secret cannot be read.
        """
        found = self.kubeconfig(cluster)
        if found is None:
            return None
        kubeconfig, is_named = found
        return ValidatedCluster(self._clusters.connect(cluster, kubeconfig, is_named=is_named))

    def kubeconfig(self, cluster: str) -> tuple[bytes, bool] | None:
        """Return the kubeconfig of a cluster, and whether the user named it; None if missing.

        Raises:
            ClusterError: The kubeconfig cannot be read.
        """
        named = self._clusters.named(cluster)
        if named is not None:  # an empty file is broken, not missing
            return named, True
        secret = self._from_secret(cluster)
        return None if secret is None else (secret, False)

    def is_there(self, cluster: str) -> bool:
        """Return whether the management cluster has an object for a cluster of that name."""
        return any(self._live(kind, cluster) is not None for kind in cluster_kinds())

    def _from_secret(self, cluster: str) -> bytes | None:
        for place, name in dict.fromkeys(self._places(cluster)):
            ref = Ref(SECRET, place, f"{name}-kubeconfig")
            try:
                secret = self.management.cluster.get(ref)
            except ClusterError as failed:
                message = f"Secret {place}/{ref.name} in the management cluster: {failed}"
                raise type(failed)(message, failed.hint) from failed
            if secret is not None:
                return _value(secret, f"Secret {place}/{ref.name}")
        return None

    def _places(self, cluster: str) -> list[tuple[str, str]]:
        """Return the namespaces of the cluster's Secret, each with the cluster's name there."""
        tenant = tenant_of(cluster)
        if tenant is None:
            return [] if self.is_there(tenant_name(HOME, cluster)) else [(HOME, cluster)]
        namespace, name = tenant
        found: list[tuple[str, str]] = []
        for kind in cluster_kinds():
            try:
                homes = kind.homes(self._live(kind, cluster), namespace)
                found += [(place, name) for place in homes if place]
            except ValueError as wrong:
                message = f"{kind.resource.kind} {cluster}: {wrong}"
                raise ClusterError(
                    f"its Secret cannot be found: {message}", "mend that object"
                ) from wrong
        return found

    def _live(self, kind: ClusterKind, cluster: str) -> Manifest | None:
        tenant = tenant_of(cluster)
        if tenant is None:
            return None
        try:
            live = self.management.objects(kind.resource).get(Ref(kind.resource, *tenant))
        except NoSuchKindError:
            return None
        return None if live is None else live.manifest


def without_kubeconfig(
    target: Target, known: Enrolled | None, is_there: Callable[[str], bool], *, require_all: bool
) -> Applied | None:
    """Return the result of a cluster without kubeconfig; None if it is deleted.

    Args:
        target: The cluster.
        known: The entry of the registry.
        is_there: Returns whether the management cluster has an object for a cluster.
        require_all: A tenant without a kubeconfig is a failure.
    """
    is_named = target.is_described or not target.is_whole  # a broken file might describe it
    if known is not None and not is_named and not is_there(target.name):
        return None  # without kubeconfig and object, the cluster is deleted
    is_new = known is None or not known.uid
    if is_new and not require_all:
        return Applied(target.name, ClusterState.WAITING, error="no kubeconfig yet")
    message = "no kubeconfig" if is_new else "no kubeconfig any more"
    hint = f"--cluster {target.name}=PATH, or the Secret in the management cluster"
    revision = known.revision if known else ""
    return Applied(target.name, ClusterState.FAILED, revision=revision, error=message, hint=hint)


def _value(secret: Manifest, title: str) -> bytes:
    try:
        data = base64.b64decode((secret.get("data") or {})[_KEY], validate=True)
    except (KeyError, ValueError) as wrong:  # base64, and text that is not ASCII
        raise KubeconfigError(f"{title} has no kubeconfig under the key {_KEY!r}") from wrong
    return data
