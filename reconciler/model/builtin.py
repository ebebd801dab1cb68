"""Kinds that every API server has by itself."""

from reconciler.model.resource import Resource

NAMESPACE = Resource("v1", "Namespace", "namespaces", is_namespaced=False)
CONFIG_MAP = Resource("v1", "ConfigMap", "configmaps")
SECRET = Resource("v1", "Secret", "secrets")
SERVICE = Resource("v1", "Service", "services")
NODE = Resource("v1", "Node", "nodes", is_namespaced=False)
EVENT = Resource("v1", "Event", "events")
DEPLOYMENT = Resource("apps/v1", "Deployment", "deployments")
CRD = Resource(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    is_namespaced=False,
)
LEASE = Resource("coordination.k8s.io/v1", "Lease", "leases")
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
