"""Kubernetes objects, their identities, and rights."""

from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from msgspec import Struct

Manifest = Mapping[str, Any]
"""A complete object, as in its JSON."""


EVER = ("*",)
"""All phases, including no phase."""


class Resource(NamedTuple):
    """A kind and its API path; requests use the newest of `versions` (newest first) that is served.

    Attributes:
        tells_generation: Whether its status contains the observed generation.
        fixed_in: The phases in which the spec is immutable; `EVER` for all.
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
        """Return the API group; empty for the core group."""
        return self.api_version.rpartition("/")[0]

    def in_each_version(self) -> Iterator["Resource"]:
        """Yield the kind in all its versions, newest first."""
        for version in (*self.versions, self.api_version):
            yield self._replace(api_version=version)

    def path(self, namespace: str = "", name: str = "", part: str = "") -> str:
        """Return the path of a collection, an object, or a subresource; all parts are quoted."""
        root = "apis" if self.group else "api"
        inside = ("namespaces", namespace) if self.is_namespaced and namespace else ()
        steps = (root, *self.api_version.split("/"), *inside, self.plural, name, part)
        return "/" + "/".join(quote(step, safe="") for step in steps if step)

    def within(self, path: str, **query: str) -> str:
        """Return a path with a query; empty parameters are left out."""
        asked = urlencode({key: value for key, value in query.items() if value})
        return f"{path}?{asked}" if asked else path


class Ref(NamedTuple):
    """One object of a cluster."""

    resource: Resource
    namespace: str
    name: str

    def __str__(self) -> str:
        resource = self.resource
        return "/".join(
            step for step in (resource.group, resource.kind, self.namespace, self.name) if step
        )


MANAGEMENT = "management"
HOME = "butler-system"
"""The namespace of the inventory in the management cluster."""


def tenant_name(namespace: str, name: str) -> str:
    """Return the cluster name of an object, which always contains a slash."""
    return f"{namespace}/{name}"


def tenant_of(cluster: str) -> tuple[str, str] | None:
    """Return namespace and name of the object of a cluster name; None if there is none."""
    namespace, slash, name = cluster.partition("/")
    return (namespace, name) if slash else None


PREFIX = "gitops-ipam.dev/"
"""The prefix of the annotations and labels of `ipam`."""

API_VERSION = f"{PREFIX}v1alpha1"
"""The version of kinds that exist only in files."""

MANAGER = "gitops-ipam"
STATUS_MANAGER = "gitops-ipam-status"
PART_MANAGER = "gitops-ipam-fields"
"""The field manager of single fields in objects that belong to others."""
OWNER_LABEL = "gitops-ipam.dev/managed-by"
REVISION = "gitops-ipam.dev/revision"
ADOPT = "gitops-ipam.dev/adopt"


def owned_labels() -> dict[str, str]:
    """Return the label of every object that `ipam` creates."""
    return {OWNER_LABEL: MANAGER}


NAMESPACE = Resource("v1", "Namespace", "namespaces", is_namespaced=False)
CONFIG_MAP = Resource("v1", "ConfigMap", "configmaps")
SECRET = Resource("v1", "Secret", "secrets")
SERVICE = Resource("v1", "Service", "services")
NODE = Resource("v1", "Node", "nodes", is_namespaced=False)
EVENT = Resource("v1", "Event", "events")
CRD = Resource(
    "apiextensions.k8s.io/v1",
    "CustomResourceDefinition",
    "customresourcedefinitions",
    is_namespaced=False,
)
LEASE = Resource("coordination.k8s.io/v1", "Lease", "leases")
_ADMISSION = "admissionregistration.k8s.io/v1"
POLICY = Resource(
    _ADMISSION, "ValidatingAdmissionPolicy", "validatingadmissionpolicies", is_namespaced=False
)
BINDING = Resource(
    _ADMISSION,
    "ValidatingAdmissionPolicyBinding",
    "validatingadmissionpolicybindings",
    is_namespaced=False,
)
WHO_AM_I = Resource(
    "authentication.k8s.io/v1", "SelfSubjectReview", "selfsubjectreviews", is_namespaced=False
)
MAY_I = Resource(
    "authorization.k8s.io/v1",
    "SelfSubjectAccessReview",
    "selfsubjectaccessreviews",
    is_namespaced=False,
)


GROUP = "butler.butlerlabs.dev"
RECORD_API_VERSION = f"{GROUP}/v1alpha1"
KIND = "IPAllocation"
LIST_KIND = f"{KIND}List"
PLURAL = "ipallocations"
SHORT = ("ipa",)
"""Short names, as in `kubectl get`."""
LABEL = f"{GROUP}/"
"""The prefix of a record's labels."""

FINALIZER = f"{GROUP}/ipallocation"
RESOURCE = Resource(
    RECORD_API_VERSION, KIND, PLURAL, finalizer=FINALIZER, fixed_in=("Allocated", "Released")
)
ALLOCATED_BY = "networkpool-controller"
ANNOUNCED = "until-unused"
"""The value of `status.announced` in a record that its claim moved away from."""

STILL_ANNOUNCED = "gitops-ipam.dev/announced"
"""The annotation with the same meaning on the object in a cluster."""

RECORD_NAMESPACE = "butler-system"
"""The default namespace of records, and the namespace of new records of claims."""

CLAIM = "gitops-ipam.dev/claim"
"""The annotation that names the claim."""


OURS = ("get", "list", "create", "patch", "delete")
"""Verbs for a kind whose objects `ipam` creates and deletes."""

MAKE = ("create", "patch", "delete")
"""Verbs for a kind that is always read, and only created if Settings require it."""


class Need(StrEnum):
    """The purpose of rights. An apply requires `APPLY`, and `DOCUMENTS` if Settings request it."""

    APPLY = "apply"
    NAMESPACES = "creating missing namespaces"
    KUBECONFIGS = "kubeconfigs of tenants that no option names"
    DOCUMENTS = "apply.documents: all"
    INTAKE = "importing objects that are not in Git"
    OBSERVE = "showing who uses reserved addresses"
    WATCH = "--watch"
    CRDS = "--crds"
    POLICIES = "--policies"

    @property
    def rank(self) -> int:
        """Return the position in the order of purposes, from 0."""
        return list(Need).index(self)


class Right(Struct, frozen=True):
    """A right to some verbs on a resource or subresource (`part`), in all namespaces or one."""

    need: Need
    resource: Resource
    verbs: tuple[str, ...]
    part: str = ""
    namespace: str = ""
    name: str = ""

    def __str__(self) -> str:
        resource = self.resource
        plural = ".".join(step for step in (resource.plural, resource.group) if step)
        return f"{plural}/{self.part}" if self.part else plural
