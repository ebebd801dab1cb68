"""Which cluster this is, and what was put into it: identity and inventory."""

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from reconciler.clusters.desired import MANAGER
from reconciler.clusters.inventory import (
    NAME,
    PART_LABEL,
    Entry,
    Inventory,
    config_maps,
    read_inventory,
    stale_parts,
)
from reconciler.clusters.resources import CONFIG_MAP, NAMESPACE
from reconciler.model.resource import Manifest, Ref
from reconciler.ports import Cluster, ClusterError, IdentityError, UnauthorizedError

_IDENTITY = Ref(NAMESPACE, "", "kube-system")


@dataclass(frozen=True, slots=True)
class Enrolment:
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


def enrol(
    cluster: Cluster, name: str, namespace: str, known: str, *, accept: bool = False
) -> Enrolment:
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
    uid: str = home["metadata"]["uid"]
    maps = cluster.list(CONFIG_MAP, namespace, labels=PART_LABEL).items
    if not any(item["metadata"]["name"] == NAME for item in maps):
        _check_hidden(cluster, namespace)
    try:
        inventory = read_inventory(maps)
    except ValueError as wrong:
        message = f"its inventory in {namespace} is damaged: {wrong}"
        raise ClusterError(message, "mend the value, or remove its key") from wrong
    before = known or inventory.uid
    if {before, inventory.uid or before} - {uid, ""}:
        if not accept:
            raise IdentityError(
                f"it is another cluster than before: kube-system has uid {uid}, not {before}",
                f"if that is meant: --re-enrol {name}",
            )
        inventory = Inventory(clusters=inventory.clusters)
    return Enrolment(uid, inventory, maps, namespace)


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
    cluster: Cluster, enrolment: Enrolment, revision: str, entries: Mapping[str, Entry]
) -> None:
    """Write the inventory, where it differs.

    The revision alone is no difference: a commit that changes nothing in a cluster writes
    nothing there.
    """
    old = enrolment.inventory
    if dict(old.objects) == dict(entries) and old.uid == enrolment.uid:
        return
    present = {item["metadata"]["name"]: item for item in enrolment.config_maps}
    new = Inventory(enrolment.uid, revision, entries, damaged=old.damaged)
    wanted = config_maps(new, enrolment.namespace)
    for item in wanted:
        there = present.get(item["metadata"]["name"])
        if there is None:
            cluster.create(item)
        elif not item["data"].items() <= (there.get("data") or {}).items():
            ref = Ref(CONFIG_MAP, enrolment.namespace, item["metadata"]["name"])
            cluster.merge(ref, {"data": item["data"]}, MANAGER)
    for name in stale_parts(enrolment.config_maps, wanted):
        uid = present[name]["metadata"]["uid"]
        cluster.delete(Ref(CONFIG_MAP, enrolment.namespace, name), uid)
