"""Rights in a cluster: which verbs on which kind are needed, and what for.

Server-side apply needs `patch`, and `create` besides where the object is not there yet.
"""

from enum import StrEnum

from msgspec import Struct

from reconciler.model.resource import Resource

OURS = ("get", "list", "create", "patch", "delete")
"""Of a kind whose objects we make and take away."""

MAKE = ("create", "patch", "delete")
"""Of a kind whose objects are read in any case, and made only where Settings say so."""


class Need(StrEnum):
    """What rights are for; without those of `APPLY` nothing works.

    Those of `DOCUMENTS` are needed where Settings say so, and then an apply fails without.
    """

    APPLY = "apply"
    NAMESPACES = "making namespaces that are missing"
    KUBECONFIGS = "kubeconfigs of tenants that nobody named"
    DOCUMENTS = "apply.documents: all"
    INTAKE = "taking in objects that are not in Git"
    OBSERVE = "showing who uses reserved addresses"
    WATCH = "--watch"
    CRDS = "--crds"
    POLICIES = "--policies"

    @property
    def rank(self) -> int:
        """Its place in the order in which needs are told, from 0."""
        return list(Need).index(self)


class Right(Struct, frozen=True):
    """A right to some verbs on a resource.

    Attributes:
        part: Subresource, or empty.
        namespace: The only namespace in which it is needed; empty for everywhere.
        name: The only object for which it is needed; empty for all.
    """

    need: Need
    resource: Resource
    verbs: tuple[str, ...]
    part: str = ""
    namespace: str = ""
    name: str = ""

    def __str__(self) -> str:
        """`ipaddresspools.metallb.io/status`, as `kubectl auth can-i` takes it."""
        resource = self.resource
        plural = ".".join(step for step in (resource.plural, resource.group) if step)
        return f"{plural}/{self.part}" if self.part else plural
