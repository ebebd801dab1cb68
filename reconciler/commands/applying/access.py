"""Kubeconfigs of tenant clusters: named by an option, or read from a Secret."""

import base64
from collections.abc import Callable

from reconciler.clusters.announcing import cluster_kinds
from reconciler.clusters.memory import Enrolled
from reconciler.clusters.outcome import Applied, State
from reconciler.clusters.resources import SECRET
from reconciler.clusters.target import Target
from reconciler.commands.applying.management import ManagementCluster
from reconciler.commands.applying.response_validation import ValidatedCluster
from reconciler.families._family import ClusterKind
from reconciler.model.cluster import HOME, tenant_name, tenant_of
from reconciler.model.resource import Manifest, Ref
from reconciler.ports import Cluster, ClusterError, Clusters, KubeconfigError, NoSuchKindError

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
        """Return the kubeconfig of a cluster, and whether a person named it; None if missing.

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
        return Applied(target.name, State.WAITING, error="no kubeconfig yet")
    message = "no kubeconfig" if is_new else "no kubeconfig any more"
    hint = f"--cluster {target.name}=PATH, or the Secret in the management cluster"
    revision = known.revision if known else ""
    return Applied(target.name, State.FAILED, revision=revision, error=message, hint=hint)


def _value(secret: Manifest, title: str) -> bytes:
    try:
        data = base64.b64decode((secret.get("data") or {})[_KEY], validate=True)
    except (KeyError, ValueError) as wrong:  # base64, and text that is not ASCII
        raise KubeconfigError(f"{title} has no kubeconfig under the key {_KEY!r}") from wrong
    return data
