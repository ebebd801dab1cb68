"""The resources that are read and written: one table, in place of discovery.

Discovery would cost requests in every run, and a cache of it goes stale. What is not in the table
is never asked for.
"""

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


BUTLER = "butler.butlerlabs.dev/v1alpha1"
METALLB = "metallb.io/v1beta1"

NETWORK_POOL = Resource(BUTLER, "NetworkPool", "networkpools")
IP_ALLOCATION = Resource(BUTLER, "IPAllocation", "ipallocations")
PROVIDER_CONFIG = Resource(BUTLER, "ProviderConfig", "providerconfigs")
TENANT_CLUSTER = Resource(BUTLER, "TenantCluster", "tenantclusters")
TEAM = Resource(BUTLER, "Team", "teams", is_namespaced=False)
ADDRESS_POOL = Resource(METALLB, "IPAddressPool", "ipaddresspools")
ADVERTISEMENT = Resource(METALLB, "L2Advertisement", "l2advertisements")
CONFIGURATION_STATE = Resource(METALLB, "ConfigurationState", "configurationstates")
CRD = Resource(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    is_namespaced=False,
)
_ADMISSION = "admissionregistration.k8s.io/v1"
POLICY = Resource(
    _ADMISSION,
    "ValidatingAdmissionPolicy",
    "validatingadmissionpolicies",
    is_namespaced=False,
)
BINDING = Resource(
    _ADMISSION,
    "ValidatingAdmissionPolicyBinding",
    "validatingadmissionpolicybindings",
    is_namespaced=False,
)
NAMESPACE = Resource("v1", "Namespace", "namespaces", is_namespaced=False)
CONFIG_MAP = Resource("v1", "ConfigMap", "configmaps")
SECRET = Resource("v1", "Secret", "secrets")
SERVICE = Resource("v1", "Service", "services")
NODE = Resource("v1", "Node", "nodes", is_namespaced=False)
EVENT = Resource("v1", "Event", "events")
DEPLOYMENT = Resource("apps/v1", "Deployment", "deployments")
MACHINE = Resource("cluster.x-k8s.io/v1beta1", "Machine", "machines")
WHO_AM_I = Resource(
    "authentication.k8s.io/v1",
    "SelfSubjectReview",
    "selfsubjectreviews",
    is_namespaced=False,
)
MAY_I = Resource(
    "authorization.k8s.io/v1",
    "SelfSubjectAccessReview",
    "selfsubjectaccessreviews",
    is_namespaced=False,
)

_ALL = (
    *(NETWORK_POOL, IP_ALLOCATION, PROVIDER_CONFIG, TENANT_CLUSTER, TEAM, ADDRESS_POOL),
    *(ADVERTISEMENT, CONFIGURATION_STATE, CRD, POLICY, BINDING, NAMESPACE, CONFIG_MAP, SECRET),
    *(SERVICE, NODE, EVENT, MACHINE, WHO_AM_I, MAY_I),
)
_BY_NAME = {(resource.api_version, resource.kind): resource for resource in _ALL}
_BY_GROUP = {(resource.group, resource.kind): resource for resource in _ALL}


def resource_of(manifest: Manifest) -> Resource:
    """The resource of an object.

    Raises:
        KeyError: The kind is not in the table.
    """
    return _BY_NAME[manifest["apiVersion"], manifest["kind"]]


def ref_of(manifest: Manifest) -> Ref:
    """Which object a manifest is."""
    metadata = manifest["metadata"]
    return Ref(resource_of(manifest), metadata.get("namespace", ""), metadata["name"])


def parse_ref(text: str) -> Ref:
    """What `str(ref)` wrote.

    Raises:
        KeyError: The kind is not in the table.
        ValueError: It is not a reference.
    """
    steps = text.split("/")
    group = steps.pop(0) if "." in steps[0] else ""
    kind, *rest = steps
    resource = _BY_GROUP[group, kind]
    namespace, name = rest if resource.is_namespaced else ("", *rest)
    return Ref(resource, namespace, name)
