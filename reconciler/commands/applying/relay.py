"""A cluster before another: whatever is asked of it is passed on. Others look at what passes."""

from msgspec import Struct

from reconciler.model.resource import Manifest, Ref, Resource
from reconciler.ports import Cluster, Listing, Requests


class Relay(Struct, frozen=True):
    """A cluster that is the other one in all. Any call may raise a `ClusterError`."""

    cluster: Cluster

    def requests(self) -> Requests:
        """How many requests were sent so far."""
        return self.cluster.requests()

    def now(self) -> int:
        """The server's clock."""
        return self.cluster.now()

    def version(self) -> str:
        """The server's version."""
        return self.cluster.version()

    def get(self, ref: Ref) -> Manifest | None:
        """An object, or None."""
        return self.cluster.get(ref)

    def list(
        self, resource: Resource, namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> Listing:
        """All objects of a kind."""
        return self.cluster.list(resource, namespace, labels=labels, fields=fields)

    def apply(
        self, manifest: Manifest, manager: str, *, force: bool = False, status: bool = False
    ) -> Manifest:
        """Apply an object, or its status."""
        return self.cluster.apply(manifest, manager, force=force, status=status)

    def create(self, manifest: Manifest) -> Manifest:
        """Create an object, or ask for a review."""
        return self.cluster.create(manifest)

    def merge(self, ref: Ref, patch: Manifest, manager: str) -> Manifest:
        """Apply a JSON merge patch."""
        return self.cluster.merge(ref, patch, manager)

    def delete(self, ref: Ref, uid: str, version: str = "") -> None:
        """Delete the very object of this uid."""
        self.cluster.delete(ref, uid, version)

    def pause(self, seconds: float) -> None:
        """Wait within the deadline."""
        self.cluster.pause(seconds)

    def limit(self, seconds: float | None) -> None:
        """Set the deadline."""
        self.cluster.limit(seconds)

    def extend(self, seconds: float) -> None:
        """Leave so many seconds at least."""
        self.cluster.extend(seconds)

    def close(self) -> None:
        """Close the connection."""
        self.cluster.close()
