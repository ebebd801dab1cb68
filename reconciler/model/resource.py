"""Objects of Kubernetes APIs: their kinds, where a server keeps them, and how one is named."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

Manifest = Mapping[str, Any]
"""An object as its JSON says it, whole."""


EVER = ("*",)
"""In place of phases: whatever the phase, and also without one."""


class Resource(NamedTuple):
    """A kind of object and where an API server keeps it.

    Attributes:
        api_version: The version by which it is known here, and which every server has to serve that
            serves none of the others.
        versions: Newer ones, the newest first, in which the same objects may be read and written. A
            server is spoken to in the newest that it serves.
        finalizer: What we put on each object that we make, and take off before we delete it.
        tells_generation: A status that we write says of which generation it is.
        fixed_in: The phases (`status.phase`) in which the spec cannot change: another spec is then
            another object. `EVER` for all.
    """

    api_version: str
    kind: str
    plural: str
    is_namespaced: bool = True
    versions: tuple[str, ...] = ()
    finalizer: str = ""
    fixed_in: tuple[str, ...] = ()
    tells_generation: bool = True

    @property
    def group(self) -> str:
        """The API group; empty for the core."""
        return self.api_version.rpartition("/")[0]

    def in_each_version(self) -> Iterator["Resource"]:
        """The kind in all its versions, the newest first."""
        for version in (*self.versions, self.api_version):
            yield self._replace(api_version=version)

    def is_fixed_in(self, phase: str | None) -> bool:
        """The spec of an object in a phase cannot change."""
        return self.fixed_in == EVER or phase in self.fixed_in

    def path(self, namespace: str = "", name: str = "", part: str = "") -> str:
        """The path of a collection, an object, or a subresource of one; all parts are quoted."""
        root = "apis" if self.group else "api"
        inside = ("namespaces", namespace) if self.is_namespaced and namespace else ()
        steps = (root, *self.api_version.split("/"), *inside, self.plural, name, part)
        return "/" + "/".join(quote(step, safe="") for step in steps if step)

    def within(self, path: str, **query: str) -> str:
        """A path with a query; parameters that are empty are left out."""
        asked = urlencode({key: value for key, value in query.items() if value})
        return f"{path}?{asked}" if asked else path


class Ref(NamedTuple):
    """One object of a cluster."""

    resource: Resource
    namespace: str
    name: str

    def __str__(self) -> str:
        """`metallb.io/IPAddressPool/metallb-system/default-pool`, as reports name it."""
        resource = self.resource
        return "/".join(
            step for step in (resource.group, resource.kind, self.namespace, self.name) if step
        )
