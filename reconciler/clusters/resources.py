"""The resources that are read and written: one table, in place of discovery.

Discovery would cost requests in every run, and a cache of it goes stale. What is not in the table
is never asked for.
"""

from reconciler.model.resource import Manifest, Ref, Resource

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
