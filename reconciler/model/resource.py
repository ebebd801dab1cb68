"""Objects of Kubernetes APIs: their kinds, where a server keeps them, and how one is named."""

from collections.abc import Mapping
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

Manifest = Mapping[str, Any]
"""An object as its JSON says it, whole."""


class Resource(NamedTuple):
    """A kind of object and where an API server keeps it."""

    api_version: str
    kind: str
    plural: str
    is_namespaced: bool = True

    @property
    def group(self) -> str:
        """The API group; empty for the core."""
        return self.api_version.rpartition("/")[0]

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
