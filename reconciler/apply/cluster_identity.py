"""Identities of clusters."""

from collections.abc import Mapping, Sequence
from contextlib import closing, suppress

from msgspec import Struct

from reconciler.apply.inventory import (
    PART_LABEL,
    Inventory,
    InventoryEntry,
    config_maps,
    data_of,
    read_inventory,
    stale_parts,
)
from reconciler.apply.memory import NAME, uid_of
from reconciler.kube.interface import Cluster, Clusters
from reconciler.model.errors import ClusterError, IdentityError, StaleError, UnauthorizedError
from reconciler.model.objects import CONFIG_MAP, MANAGEMENT, MANAGER, NAMESPACE, Manifest, Ref

_IDENTITY = Ref(NAMESPACE, "", "kube-system")


class ClusterIdentity(Struct, frozen=True):
    """The identity and the inventory of a cluster.

    Attributes:
        config_maps: The existing ConfigMaps of the inventory.
    """

    uid: str
    inventory: Inventory
    config_maps: Sequence[Manifest]
    namespace: str

    @property
    def home(self) -> Ref | None:
        """Return the ConfigMap of the inventory, or None."""
        return Ref(CONFIG_MAP, self.namespace, NAME) if self.config_maps else None


def identify(
    cluster: Cluster, name: str, namespace: str, known: str, *, accept: bool = False
) -> ClusterIdentity:
    """Identify a cluster and read its inventory.

    Args:
        cluster: The cluster.
        name: The name of the cluster.
        namespace: The namespace of its inventory.
        known: The identity in the registry, or an empty string.
        accept: Accept another identity.

    Raises:
        IdentityError: The identity changed.
        ClusterError: The cluster is unreachable, or its inventory cannot be parsed.
    """
    home = cluster.get(_IDENTITY)
    if home is None:
        raise ClusterError("it has no namespace kube-system, by which clusters are known")
    _check_version(cluster)
    try:
        uid = uid_of(home["metadata"]["uid"])
    except ValueError as wrong:
        message = f"namespace kube-system, by which clusters are known: {wrong}"
        raise IdentityError(message, "is it a cluster that answers there?") from wrong
    maps = cluster.list(CONFIG_MAP, namespace, labels=PART_LABEL).items
    if not any(item["metadata"]["name"] == NAME for item in maps):
        _check_hidden(cluster, namespace)
    try:
        inventory = read_inventory(maps, remembers=name == MANAGEMENT)
    except ValueError as wrong:
        message = f"its inventory, ConfigMap {NAME} in {namespace}, is damaged: {wrong}"
        raise ClusterError(message, "mend the value, or remove its key") from wrong
    before = known or inventory.uid
    if {before, inventory.uid or before} - {uid, ""}:
        if not accept:
            raise IdentityError(
                f"it is another cluster than before: kube-system has uid {uid}, not {before}",
                f"if that is meant: --re-enrol {name}",
            )
        inventory = Inventory(clusters=inventory.clusters)
    return ClusterIdentity(uid, inventory, maps, namespace)


def check_memory(inventory: Inventory, name: str) -> None:
    """Refuse a cluster whose registry entry is damaged.

    Args:
        inventory: The inventory of the management cluster.
        name: The cluster.

    Raises:
        IdentityError: The entry is damaged.
    """
    if name in inventory.odd:
        hint = f"mend the value; or --re-enrol {name} writes it anew"
        raise IdentityError(f"what is remembered of it is damaged: {inventory.odd[name]}", hint)


def _check_hidden(cluster: Cluster, namespace: str) -> None:
    """Refuse an inventory without its label. It would count as empty."""
    if cluster.list(CONFIG_MAP, namespace, fields=f"metadata.name={NAME}").items:
        message = f"ConfigMap {NAME} in {namespace} is there without the label {PART_LABEL}"
        raise ClusterError(message, f'put it back: {PART_LABEL}="true"; or remove the ConfigMap')


def _check_version(cluster: Cluster) -> None:
    """Refuse a server that is too old. A server that hides its version is accepted."""
    with suppress(UnauthorizedError):
        cluster.version()


def save(
    cluster: Cluster,
    identity: ClusterIdentity,
    revision: str,
    entries: Mapping[str, InventoryEntry],
    root: str = "",
) -> None:
    """Write the inventory if it differs.

    If only the revision is new, nothing is written.

    Args:
        cluster: The cluster.
        identity: The identity and the existing inventory.
        revision: The applied revision.
        entries: The objects of `ipam`.
        root: The folder of the repository that was applied; empty for the top.
    """
    old = identity.inventory
    is_same = dict(old.objects) == dict(entries) and old.uid == identity.uid
    if is_same and (old.root == root or not old.revision):
        return
    there = data_of(identity.config_maps)
    new = Inventory(identity.uid, revision, entries, damaged=old.damaged, root=root)
    wanted = config_maps(new, identity.namespace, there)
    # An entry is added to its new ConfigMap before it is removed from the old one, so growing
    # inventories write later ConfigMaps first, and shrinking ones write the remaining ones first.
    for item in reversed(wanted):
        name = item["metadata"]["name"]
        if name not in there:
            _make(cluster, item)
        elif not item["data"].items() <= there[name].items():
            _change(cluster, identity.namespace, name, item["data"])
    present = {item["metadata"]["name"]: item["metadata"] for item in identity.config_maps}
    for name, has_clusters in stale_parts(there, wanted):
        if not has_clusters:
            ref = Ref(CONFIG_MAP, identity.namespace, name)
            with suppress(StaleError):  # changed in the meantime
                cluster.delete(ref, present[name]["uid"], present[name]["resourceVersion"])
        elif there[name].get("objects"):
            _change(cluster, identity.namespace, name, {"objects": ""})


def _make(cluster: Cluster, item: Manifest) -> None:
    metadata = item["metadata"]
    try:
        cluster.create(item)
    except StaleError:  # created in the meantime for the registry
        _change(cluster, metadata["namespace"], metadata["name"], item["data"])


def _change(cluster: Cluster, namespace: str, name: str, data: Mapping[str, str]) -> None:
    cluster.merge(Ref(CONFIG_MAP, namespace, name), {"data": data}, MANAGER)


def server_now(clusters: Clusters) -> int | None:
    """Return the management cluster's clock in seconds since 1970, or None.

    An unreachable cluster is not an error here. Later requests report it.
    """
    try:
        cluster = clusters.management()
        if cluster is None:
            return None
        with closing(cluster):
            cluster.version()
            return cluster.now() or None
    except ClusterError:
        return None
