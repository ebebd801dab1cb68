"""Access to clusters: their registries, identities, and kubeconfigs."""

import base64
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from threading import Lock

from msgspec.structs import replace

from reconciler.apply import inventory
from reconciler.apply.executor import Run, contained
from reconciler.apply.inventory import ClusterIdentity, Enrolled, Inventory
from reconciler.apply.pools import TENANT_HOME
from reconciler.apply.snapshot import LiveObjects, objects_of
from reconciler.apply.steps import is_ours
from reconciler.apply.targets import ApplyOptions, Target, uses_hub
from reconciler.families.clusters import announcer, cluster_kinds
from reconciler.families.interface import ClusterKind
from reconciler.families.plain.kinds import TARGET
from reconciler.kube.interface import Cluster, Clusters
from reconciler.kube.resources import IP_ALLOCATION
from reconciler.loadbalancers.ranges import ranges_of, written
from reconciler.model import errors, objects
from reconciler.model.applied import Applied, ClusterState
from reconciler.model.objects import Manifest, Ref, Resource
from reconciler.model.settings import Settings
from reconciler.planning.evaluate import Evaluation


class ManagementCluster:
    """The management cluster and its identity, before any change."""

    def __init__(self, cluster: Cluster, identity: ClusterIdentity) -> None:
        self.cluster = cluster
        self.identity = identity
        self._lists: dict[Resource, LiveObjects] = {}
        self._lock = Lock()

    def objects(self, resource: Resource) -> LiveObjects:
        """Return all objects of a kind, or raise NoSuchKindError; listed once."""
        with self._lock:
            if resource not in self._lists:
                found = self.cluster.list(resource).items
                self._lists[resource] = objects_of(found, resource)
            return self._lists[resource]


def open_management(cluster: Cluster, options: ApplyOptions) -> ManagementCluster:
    """Identify the management cluster."""
    accept = objects.MANAGEMENT in options.enroll
    identity = inventory.identify(cluster, objects.MANAGEMENT, objects.HOME, None, accept=accept)
    return ManagementCluster(cluster, identity)


@contextmanager
def opened_management(
    clusters: Clusters, options: ApplyOptions, evaluation: Evaluation | None = None
) -> Iterator[ManagementCluster | None]:
    """Yield the management cluster, or None if absent or not needed. Close it at the end."""
    with ExitStack() as opened:
        with contained():
            management = None
            is_needed = evaluation is None or uses_hub(evaluation)
            if is_needed and (cluster := clusters.management()) is not None:
                opened.callback(cluster.close)
                management = open_management(cluster, options)
        yield management


class ClusterRegistry:
    """Entries of clusters in the management cluster, or of a standalone cluster in itself.

    They are as at the start of a run. A dry run does not write them.
    """

    def __init__(
        self,
        cluster: Cluster,
        identity: ClusterIdentity,
        run: Run,
        is_in: Callable[[str, str], bool],
    ) -> None:
        self._cluster, self._identity, self._inventory = cluster, identity, identity.inventory
        self._options = run.options
        self._revision = run.revision
        self._is_written = not run.options.dry_run
        self._is_in = is_in
        self._noted: dict[str, Enrolled] = {}
        self._parts: Mapping[str, Mapping[str, str]] = inventory.data_of(identity.config_maps)
        self._lock = Lock()

    def foretell(self, target: Target, uid: str, known: Enrolled | None) -> None:
        """Save which addresses a cluster might announce, before it gets new ones."""
        already = ranges_of(known.addresses if known else ())
        if target.addresses() - already and self._is_written:
            note = self._note(target, uid, known)
            with suppress(errors.NoSuchObjectError):  # the first run creates the inventory
                self._write({target.name: note}, {})
                self._noted[target.name] = note

    def _note(self, target: Target, uid: str, known: Enrolled | None) -> Enrolled:
        revision, addresses = (known.revision, known.addresses) if known else ("", ())
        announced = written([*ranges_of(addresses), *target.addresses()])
        return Enrolled(uid, revision, target.spaces, announced)

    def claim(self, target: Target) -> None:
        """Write the entry of a standalone cluster, before any other write there.

        Another run that writes at the same time makes this one fail: compare-and-swap.
        """
        uid, known = self._identity.uid, self._inventory.clusters.get(target.name)
        note = replace(self._note(target, uid, known), revision=self._revision)
        others = dict.fromkeys(it for it in self._inventory.clusters if it != target.name)
        first = {"uid": uid, "revision": self._revision, "root": self._options.root}
        first["repository"] = self._options.repository
        data = {**first, **inventory.cluster_data({**others, target.name: note})}
        there = next((it for it in self._identity.config_maps if _name(it) == inventory.NAME), None)
        now = (there or {}).get("data") or {}
        if not self._is_written or all(now.get(key) == text for key, text in data.items()):
            return
        try:
            if there is None:
                kept = {key: text for key, text in data.items() if text is not None}
                namespace = self._identity.namespace
                self._cluster.create(inventory.part_manifest(inventory.NAME, namespace, kept))
            else:
                version = {"resourceVersion": there["metadata"]["resourceVersion"]}
                ref = Ref(objects.CONFIG_MAP, self._identity.namespace, inventory.NAME)
                self._cluster.merge(ref, {"metadata": version, "data": data}, objects.MANAGER)
        except errors.StaleError as stale:
            message = "another run changed the inventory of the cluster at the same time"
            raise errors.ClusterError(message, "run the command again") from stale
        self._inventory = replace(self._inventory, revision=self._revision)
        self._noted[target.name] = note

    def remember(self, found: Mapping[str, Enrolled | None]) -> None:
        """Save the result. Entries of a newer run stay unchanged."""
        there = {**self._inventory.clusters, **self._noted}
        changed = {name: item for name, item in found.items() if there.get(name) != item}
        is_same = self._inventory.revision == self._revision
        if not self._is_written or (is_same and not changed):
            return
        namespace = self._identity.namespace
        maps = self._cluster.list(objects.CONFIG_MAP, namespace, labels=inventory.PART_LABEL).items
        now = inventory.read_inventory(maps)
        self._parts = inventory.data_of(maps)
        for name in changed.keys() & now.clusters.keys():
            if self._is_newer(now.clusters[name].revision, there.get(name)):
                del changed[name]
        is_late = self._is_newer(now.revision, self._inventory)
        self._write(changed, {} if is_late else {"revision": self._revision})

    def _is_newer(self, revision: str, before: Enrolled | Inventory | None) -> bool:
        own = self._revision
        if revision in ("", own) or not revision.isalnum():
            return False
        try:
            return self._is_in(own, revision)
        except errors.GitError:
            return before is None or revision != before.revision

    def _write(self, clusters: Mapping[str, Enrolled | None], more: Mapping[str, str]) -> None:
        with self._lock:
            writes = inventory.placed(self._parts, inventory.cluster_data(clusters))
            self._parts = inventory.written_to(self._parts, writes)
        if more:  # marks the work as done, so it is last
            here = writes.pop()[1] if writes and writes[-1][0] == inventory.NAME else {}
            writes.append((inventory.NAME, {**here, **more}))
        cluster, namespace = self._cluster, self._identity.namespace
        for part, data in writes:
            try:
                ref = Ref(objects.CONFIG_MAP, namespace, part)
                cluster.merge(ref, {"data": data}, objects.MANAGER)
            except errors.NoSuchObjectError:
                if part == inventory.NAME:  # only the first one can be created by others
                    raise
                if there := {key: text for key, text in data.items() if text is not None}:
                    config_map = inventory.part_manifest(part, namespace, there)
                    inventory.create_or_merge(cluster, config_map)


def _name(manifest: Manifest) -> str:
    return str(manifest["metadata"]["name"])


def registered(management: ManagementCluster) -> Mapping[str, Enrolled]:
    """Return the registry of the management cluster; before the first run, of its records."""
    known = management.identity.inventory.clusters
    if any(_name(it) == inventory.NAME for it in management.identity.config_maps):
        return known
    return {**_rebuilt(management), **known}


def _rebuilt(management: ManagementCluster) -> dict[str, Enrolled]:
    try:
        allocations = management.objects(IP_ALLOCATION)
    except errors.NoSuchKindError:
        return {}
    ranges: dict[str, list[str]] = {}
    for live in allocations.values():
        cluster = announcer(live.manifest) if live.status.get("phase") == "Allocated" else None
        first, last = live.status.get("startAddress"), live.status.get("endAddress")
        if cluster is None or not (first and last and is_ours(live, None)):
            continue
        try:
            ranges_of([f"{first}-{last}"])
        except ValueError as wrong:
            message = f"{IP_ALLOCATION.kind} {live.ref.name}: {wrong}"
            raise errors.ClusterError(
                message, "correct its status, which lists the ranges that a cluster announces"
            ) from wrong
        ranges.setdefault(cluster, []).append(f"{first}-{last}")
    return {name: Enrolled("", "", (), tuple(sorted(texts))) for name, texts in ranges.items()}


_KEY = "value"


class Access:
    """Connections to clusters, by a named kubeconfig or Cluster API's Secret, and their identities.

    Without management cluster, each cluster is `standalone`: its own inventory has its entry.
    """

    def __init__(
        self,
        clusters: Clusters,
        management: ManagementCluster | None,
        evaluation: Evaluation | None = None,
    ) -> None:
        self._clusters = clusters
        self.management = management
        self.standalone, self._settings = False, Settings()
        self.uids: dict[str, str] = {}
        if evaluation is not None:
            self.standalone = management is None and not uses_hub(evaluation)
            self._settings = evaluation.tree.settings
            targets = evaluation.documents.of(TARGET)
            self.uids = {it.name: uid for it in targets if (uid := it.spec.get("uid"))}

    def home_of(self, name: str) -> str:
        """Return the namespace of the inventory of a cluster."""
        return TENANT_HOME if objects.tenant_of(name) else self._settings.inventory_namespace

    def identify(
        self, cluster: Cluster, name: str, known: Enrolled | None, *, accept: bool = False
    ) -> ClusterIdentity:
        """Return the identity and inventory of a cluster, or raise IdentityError."""
        if uid := self.uids.get(name):
            known = replace(known or Enrolled("", ""), uid=uid)
        found = inventory.identify(cluster, name, self.home_of(name), known, accept=accept)
        if not self.standalone or accept:
            return found
        inventory.check_memory(found.inventory, name)
        if not uid and name not in found.inventory.clusters:
            message = "the identity of the cluster is unknown"
            hint = f"check that this is {name}, then use --enroll {name}, or write spec.uid: {found.uid}"
            if others := " and ".join(sorted(found.inventory.clusters)):
                message = f"the cluster is {others}"
                hint = f"pass the kubeconfig of {name}, or if this is {name}, use --enroll {name}"
            raise errors.IdentityError(f"{message}: kube-system has uid {found.uid}", hint)
        return found

    def connect(self, cluster: str, *, accept: bool = False) -> Cluster | None:
        """Return a cluster, or None without a kubeconfig. IdentityError: its entry is damaged."""
        if self.management is not None and not accept:
            inventory.check_memory(self.management.identity.inventory, cluster)
        found = self.kubeconfig(cluster)
        if found is None:
            return None
        kubeconfig, is_named = found
        return self._clusters.connect(cluster, kubeconfig, is_named=is_named)

    def kubeconfig(self, cluster: str) -> tuple[bytes, bool] | None:
        """Return the kubeconfig of a cluster, and whether the user named it; None if missing."""
        named = self._clusters.named(cluster)
        if named is not None:  # an empty file is broken, not missing
            return named, True
        secret = self._from_secret(cluster)
        return None if secret is None else (secret, False)

    def is_there(self, cluster: str) -> bool:
        """Return whether the management cluster has an object for a cluster of that name."""
        return any(self._live(kind, cluster) is not None for kind in cluster_kinds())

    def _from_secret(self, cluster: str) -> bytes | None:
        if self.management is None:
            return None
        for place, name in dict.fromkeys(self._places(cluster)):
            ref = Ref(objects.SECRET, place, f"{name}-kubeconfig")
            title = f"Secret {place}/{ref.name}"
            try:
                secret = self.management.cluster.get(ref)
            except errors.ClusterError as failed:
                message = f"{title} in the management cluster: {failed}"
                raise type(failed)(message, failed.hint) from failed
            if secret is None:
                continue
            try:
                return base64.b64decode((secret.get("data") or {})[_KEY], validate=True)
            except (KeyError, ValueError) as wrong:  # base64, and text that is not ASCII
                raise errors.KubeconfigError(
                    f"{title} has no kubeconfig under the key {_KEY!r}"
                ) from wrong
        return None

    def _places(self, cluster: str) -> list[tuple[str, str]]:
        tenant = objects.tenant_of(cluster)
        if tenant is None:
            home = objects.HOME
            return [] if self.is_there(objects.tenant_name(home, cluster)) else [(home, cluster)]
        namespace, name = tenant
        found: list[tuple[str, str]] = []
        for kind in cluster_kinds():
            try:
                homes = kind.homes(self._live(kind, cluster), namespace)
                found += [(place, name) for place in homes if place]
            except ValueError as wrong:
                message = f"{kind.resource.kind} {cluster}: {wrong}"
                hint = "correct this object"
                raise errors.ClusterError(f"no Secret can be found: {message}", hint) from wrong
        return found

    def _live(self, kind: ClusterKind, cluster: str) -> Manifest | None:
        tenant = objects.tenant_of(cluster)
        if tenant is None or self.management is None:
            return None
        try:
            live = self.management.objects(kind.resource).get(Ref(kind.resource, *tenant))
        except errors.NoSuchKindError:
            return None
        return None if live is None else live.manifest


def without_kubeconfig(
    target: Target, known: Enrolled | None, is_there: Callable[[str], bool], *, require_all: bool
) -> Applied | None:
    """Return the result of a cluster without kubeconfig; None if it is deleted."""
    is_named = target.is_described or not target.is_whole  # a broken file might describe it
    if known is not None and not is_named and not is_there(target.name):
        return None  # without kubeconfig and object, the cluster is deleted
    is_new = known is None or not known.uid
    if is_new and not require_all:
        return Applied(target.name, ClusterState.WAITING, error="no kubeconfig yet")
    message = (
        "no kubeconfig"
        if is_new
        else "the kubeconfig is missing, but ipam applied to this cluster before"
    )
    hint = f"pass --cluster {target.name}=PATH, or create the Secret in the management cluster"
    revision = known.revision if known else ""
    return Applied(target.name, ClusterState.FAILED, revision=revision, error=message, hint=hint)
