"""The management cluster, and the registry of clusters in it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from threading import Lock

from msgspec.structs import replace

from reconciler.clusters.announcing import announcer
from reconciler.clusters.decision import is_ours
from reconciler.clusters.desired import MANAGER
from reconciler.clusters.inventory import (
    PART_LABEL,
    Inventory,
    data_of,
    part_manifest,
    read_inventory,
)
from reconciler.clusters.memory import (
    NAME,
    Enrolled,
    Write,
    cluster_data,
    has_room,
    placed,
    with_more,
    written_to,
)
from reconciler.clusters.metallb import ranges_of, written
from reconciler.clusters.options import ApplyOptions
from reconciler.clusters.outcome import Applied
from reconciler.clusters.outside import outside
from reconciler.clusters.plan import ClusterPlan
from reconciler.clusters.plan_management import ManagementDesiredState, plan_management
from reconciler.clusters.resources import CONFIG_MAP, IP_ALLOCATION
from reconciler.clusters.snapshot import Live, Snapshot, objects_of
from reconciler.clusters.target import Target
from reconciler.commands.applying.cluster_identity import ClusterIdentity, identify
from reconciler.commands.applying.response_validation import ValidatedCluster
from reconciler.commands.applying.work import Run, worked
from reconciler.families import families
from reconciler.model.cluster import HOME, MANAGEMENT
from reconciler.model.resource import Manifest, Ref, Resource
from reconciler.ports import (
    Cluster,
    ClusterError,
    GitError,
    NoSuchKindError,
    NoSuchObjectError,
    StaleError,
)


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
        """Save the result. Entries of a newer run stay."""
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
