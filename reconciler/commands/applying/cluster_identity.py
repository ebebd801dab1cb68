"""The identity and the inventory of a cluster: read, checked, and saved."""

from collections.abc import Mapping, Sequence
from contextlib import closing, suppress

from msgspec import Struct

from reconciler.clusters.desired import MANAGER
from reconciler.clusters.inventory import (
    PART_LABEL,
    Entry,
    Inventory,
    config_maps,
    data_of,
    read_inventory,
    stale_parts,
)
from reconciler.clusters.memory import NAME, uid_of
from reconciler.clusters.resources import CONFIG_MAP, NAMESPACE
from reconciler.model.cluster import MANAGEMENT
from reconciler.model.resource import Manifest, Ref
from reconciler.ports import (
    Cluster,
    ClusterError,
    Clusters,
    IdentityError,
    StaleError,
    UnauthorizedError,
)

_IDENTITY = Ref(NAMESPACE, "", "kube-system")


class ClusterIdentity(Struct, frozen=True):
    """A cluster that was recognised.

    Attributes:
        config_maps: The ConfigMaps of its inventory, as they are.
    """

    uid: str
    inventory: Inventory
    config_maps: Sequence[Manifest]
    namespace: str

    @property
    def home(self) -> Ref | None:
        """The ConfigMap of its inventory, when there is one."""
        return Ref(CONFIG_MAP, self.namespace, NAME) if self.config_maps else None


def identify(
    cluster: Cluster, name: str, namespace: str, known: str, *, accept: bool = False
) -> ClusterIdentity:
    """Recognise a cluster and read its inventory.

    Args:
        cluster: The cluster.
        name: What we call it.
        namespace: Where its inventory is.
        known: The identity that the management cluster remembers of it, or empty.
        accept: Take another identity for the cluster's new one.

    Raises:
        IdentityError: It is another cluster than before.
        ClusterError: It cannot be asked, or its inventory cannot be read.
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
    """Refuse a cluster of which not all can be read that is remembered of it.

    Args:
        inventory: Of the management cluster.
        name: The cluster.

    Raises:
        IdentityError: It is one.
    """
    if name in inventory.odd:
        hint = f"mend the value; or --re-enrol {name} writes it anew"
        raise IdentityError(f"what is remembered of it is damaged: {inventory.odd[name]}", hint)


def _check_hidden(cluster: Cluster, namespace: str) -> None:
    """Refuse an inventory without its label: unread, it would be taken for an empty one."""
    if cluster.list(CONFIG_MAP, namespace, fields=f"metadata.name={NAME}").items:
        message = f"ConfigMap {NAME} in {namespace} is there without the label {PART_LABEL}"
        raise ClusterError(message, f'put it back: {PART_LABEL}="true"; or remove the ConfigMap')


def _check_version(cluster: Cluster) -> None:
    """Refuse a server that is too old; one that does not tell its version is taken as it is."""
    with suppress(UnauthorizedError):
        cluster.version()


def save(
    cluster: Cluster,
    identity: ClusterIdentity,
    revision: str,
    entries: Mapping[str, Entry],
    root: str = "",
) -> None:
    """Write the inventory, where it differs.

    The revision alone is no difference: a commit that changes nothing in a cluster writes
    nothing there.

    Args:
        cluster: Where.
        identity: How it was recognised, with what its inventory said.
        revision: What was applied.
        entries: What there is of ours.
        root: The folder of the repository that it was applied from; empty for the top.
    """
    old = identity.inventory
    is_same = dict(old.objects) == dict(entries) and old.uid == identity.uid
    if is_same and (old.root == root or not old.revision):
        return
    there = data_of(identity.config_maps)
    new = Inventory(identity.uid, revision, entries, damaged=old.damaged, root=root)
    wanted = config_maps(new, identity.namespace, there)
    # What goes to another ConfigMap goes there first, and is then taken from where it was. When
    # there come to be more, it goes to later ones, and when fewer, to those that stay.
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
            with suppress(StaleError):  # something was written there meanwhile
                cluster.delete(ref, present[name]["uid"], present[name]["resourceVersion"])
        elif there[name].get("objects"):
            _change(cluster, identity.namespace, name, {"objects": ""})


def _make(cluster: Cluster, item: Manifest) -> None:
    metadata = item["metadata"]
    try:
        cluster.create(item)
    except StaleError:  # a line of another cluster was put there meanwhile
        _change(cluster, metadata["namespace"], metadata["name"], item["data"])


def _change(cluster: Cluster, namespace: str, name: str, data: Mapping[str, str]) -> None:
    cluster.merge(Ref(CONFIG_MAP, namespace, name), {"data": data}, MANAGER)


def server_now(clusters: Clusters) -> int | None:
    """Seconds since 1970 by the management cluster's clock; None where it does not say.

    One that cannot be asked holds nothing up here: whether addresses are withdrawn is asked next.
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
