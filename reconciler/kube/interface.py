"""Clusters and their failures."""

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import NamedTuple, Protocol

from msgspec import Struct

from reconciler.model.objects import Manifest, Ref, Resource

CONTACTS = 128
"""Maximum number of clusters, or of threads for the management cluster, at once."""


class RequestCounts(NamedTuple):
    """Requests that were sent, by purpose. Reads of one object, and reviews, count as lists."""

    list: int = 0
    patch: int = 0
    delete: int = 0


class ObjectList(Struct, frozen=True):
    """Objects of a kind, of one state of a cluster, from which a watch can continue."""

    items: Sequence[Manifest]
    resource_version: str = ""


class Became(StrEnum):
    """The type of a watch event."""

    ADDED = "ADDED"
    MODIFIED = "MODIFIED"
    DELETED = "DELETED"
    BOOKMARK = "BOOKMARK"  # all changes up to the manifest's resourceVersion were sent


class WatchEvent(Struct, frozen=True):
    """A change of a watched object, with its current or last state."""

    became: Became
    manifest: Manifest


class Cluster(Protocol):
    """One cluster's API server. Each call can raise a `ClusterError`."""

    def requests(self) -> RequestCounts:
        """Return the number of requests that were sent."""

    def now(self) -> int:
        """Return the server's clock at its last response, in seconds since 1970, or 0."""

    def version(self) -> str:
        """Return the server's version, `v1.36.3`."""

    def get(self, ref: Ref) -> Manifest | None:
        """Return an object; None if it or its namespace does not exist."""

    def list(
        self, resource: Resource, namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> ObjectList:
        """Return all objects of a kind; a `NoSuchKindError` if the cluster does not know it."""

    def apply(
        self, manifest: Manifest, manager: str, *, force: bool = False, status: bool = False
    ) -> Manifest:
        """Apply an object, or its status, server-side. OwnedError: other managers own fields."""

    def create(self, manifest: Manifest) -> Manifest:
        """Create an object or a review, and return the response."""

    def merge(self, ref: Ref, patch: Manifest, manager: str) -> Manifest:
        """Apply a JSON merge patch (RFC 7396)."""

    def delete(self, ref: Ref, uid: str, version: str = "") -> None:
        """Delete the object with this uid if it exists. StaleError: it was replaced or changed."""

    def pause(self, seconds: float) -> None:
        """Wait. Raise an `UnreachableError` if the cluster's deadline ends before."""

    def limit(self, seconds: float | None) -> None:
        """Set the seconds left, which count while a thread waits; None removes the deadline."""

    def extend(self, seconds: float) -> None:
        """Raise the time that is left to at least `seconds`, even past the deadline."""

    def close(self) -> None:
        """Close the connections. The caller that opened the cluster closes it."""


class WatchableCluster(Cluster, Protocol):
    """A cluster with watches. During one, it serves no other request; any thread can close it."""

    def heads(self, resource: Resource, namespace: str = "", *, labels: str = "") -> ObjectList:
        """Return the metadata of all objects of a kind."""

    def watch(
        self,
        resource: Resource,
        namespace: str = "",
        *,
        since: str,
        labels: str = "",
        heads: bool = False,
    ) -> Iterator[WatchEvent]:
        """Yield changes until the server ends the watch. StaleError: `since` is gone, list again."""


class Clusters(Protocol):
    """A source of connections to clusters."""

    def management(self) -> Cluster | None:
        """Return the management cluster; None if it is not configured."""

    def named(self, cluster: str) -> bytes | None:
        """Return the kubeconfig that the user named for a cluster, or None."""

    def connect(self, cluster: str, kubeconfig: bytes, *, is_named: bool = False) -> Cluster:
        """Return a cluster, without a request. Only an `is_named` kubeconfig can run commands."""
