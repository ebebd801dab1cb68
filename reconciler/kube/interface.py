"""Clusters and their failures."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

from msgspec import Struct

from reconciler.model.objects import Manifest, Ref, Resource

CONTACTS = 128
"""How many clusters are waited for at once; so many threads may ask the management cluster."""


class RequestCounts(NamedTuple):
    """Requests that were sent, by what they are for. Reads of one object, and reviews, are lists."""

    list: int = 0
    patch: int = 0
    delete: int = 0


class ObjectList(Struct, frozen=True):
    """Objects of a kind, of one state of a cluster.

    Attributes:
        items: In the server's order.
        resource_version: Of that state: a watch goes on from there.
    """

    items: Sequence[Manifest]
    resource_version: str = ""


class Became(StrEnum):
    """What became of an object that is watched."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"
    BOOKMARK = "BOOKMARK"  # of none: all up to the resourceVersion of the manifest was told


class WatchEvent(Struct, frozen=True):
    """A change of an object that is watched, and what it is since, or was last."""

    became: Became
    manifest: Manifest


class Cluster(Protocol):
    """One cluster's API server. Any call may raise a `ClusterError`."""

    def requests(self) -> RequestCounts:
        """How many requests were sent so far."""

    def now(self) -> int:
        """Seconds since 1970 by the server's clock, as its last answer told; 0 before the first."""

    def version(self) -> str:
        """The server's version, `v1.36.3`."""

    def get(self, ref: Ref) -> Manifest | None:
        """An object, or None when it, or its namespace, is not there."""

    def list(
        self, resource: Resource, namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> ObjectList:
        """All objects of a kind.

        Raises:
            NoSuchKindError: The cluster does not know the kind.
        """

    def apply(
        self, manifest: Manifest, manager: str, *, force: bool = False, status: bool = False
    ) -> Manifest:
        """Apply an object, or its status, server-side; returns what it is then.

        Raises:
            OwnedError: Others own some of the fields, and `force` is not given.
            RejectedError: The content is refused.
            StaleError: The manifest names a resourceVersion or uid that is not the present one.
        """

    def create(self, manifest: Manifest) -> Manifest:
        """Create an object; also a review, whose answer is what is wanted."""

    def merge(self, ref: Ref, patch: Manifest, manager: str) -> Manifest:
        """Apply a JSON merge patch (RFC 7396)."""

    def delete(self, ref: Ref, uid: str, version: str = "") -> None:
        """Delete the very object of this uid (and resourceVersion); that it is gone is no error.

        Raises:
            StaleError: Another object has the name by now, or it was changed.
        """

    def pause(self, seconds: float) -> None:
        """Wait, within the cluster's deadline.

        Raises:
            UnreachableError: The deadline comes first.
        """

    def limit(self, seconds: float | None) -> None:
        """Begin a new deadline: so many seconds are left from now on; None for no end.

        Only the time in which somebody waits for the cluster counts. A run has one deadline for all
        that it asks; who keeps a connection begins one with each round, or before each call.
        """

    def extend(self, seconds: float) -> None:
        """Have so many seconds left for what must not be lost, even past the deadline."""

    def close(self) -> None:
        """Let go of its connections. It is not asked any more; whoever got it, closes it."""


class WatchableCluster(Cluster, Protocol):
    """A cluster that tells of changes as they come.

    A connection that watches does nothing else meanwhile, but that it may be closed, by any thread:
    that ends the watch.
    """

    def heads(self, resource: Resource, namespace: str = "", *, labels: str = "") -> ObjectList:
        """As `list`, of all objects the metadata alone."""

    def watch(
        self,
        resource: Resource,
        namespace: str = "",
        *,
        since: str,
        labels: str = "",
        heads: bool = False,
    ) -> Iterator[WatchEvent]:
        """Changes of objects of a kind, as they come, until the server ends it.

        Args:
            resource: The kind.
            namespace: The only one; empty for all.
            since: The resource_version of a `Listing`, or of the newest object that was told.
            labels: A selector.
            heads: Of each object the metadata alone.

        Raises:
            StaleError: The server does not remember that state any more: list anew.
            UnreachableError: It broke off.
        """


class Clusters(Protocol):
    """How clusters are reached."""

    def management(self) -> Cluster | None:
        """The management cluster; None when nobody named one."""

    def named(self, cluster: str) -> bytes | None:
        """The kubeconfig that a person named for a cluster, or None."""

    def connect(self, cluster: str, kubeconfig: bytes, *, is_named: bool = False) -> Cluster:
        """A cluster by its kubeconfig. Sends nothing yet.

        Args:
            cluster: The cluster.
            kubeconfig: How it is reached.
            is_named: A person named it. A Secret's is the tenant's word: it runs no program, reads
                no file and names no proxy, whatever a person allows.

        Raises:
            KubeconfigError: It cannot be used.
        """
