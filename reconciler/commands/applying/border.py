"""The border to a cluster: what it sends in a shape that nothing can be read of is its failure.

Behind it, an object that some code cannot read is a bug of that code.
"""

from reconciler.clusters.resources import resource_of
from reconciler.clusters.shapes import shaped
from reconciler.commands.applying.relay import Relay
from reconciler.model.resource import Manifest, Ref, Resource
from reconciler.ports import ClusterError, Listing


class Checked(Relay, frozen=True):
    """A cluster of which no object is passed on unseen."""

    def get(self, ref: Ref) -> Manifest | None:
        """An object, or None."""
        found = super().get(ref)
        return None if found is None else _seen(found, ref.resource)

    def list(
        self, resource: Resource, namespace: str = "", *, labels: str = "", fields: str = ""
    ) -> Listing:
        """All objects of a kind."""
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
        """Create an object, or ask for a review."""
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
