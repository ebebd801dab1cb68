"""Validation of the objects that a cluster returns."""

from msgspec import Struct

from reconciler.clusters.resources import resource_of
from reconciler.clusters.shapes import shaped
from reconciler.model.resource import Manifest, Ref, Resource
from reconciler.ports import Cluster, ClusterError, Listing, Requests


class Relay(Struct, frozen=True):
    """Forwards all calls to another cluster. Each call can raise a `ClusterError`."""

    cluster: Cluster

    def requests(self) -> Requests:
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
    ) -> Listing:
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
    ) -> Listing:
        """Return all objects of a kind."""
        found = super().list(resource, namespace, labels=labels, fields=fields)
        items = [_seen(item, resource) for item in found.items]
        return Listing(items, found.resource_version)

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
