"""Kubernetes objects, their identities, rights, and shapes."""

from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

from msgspec import Struct

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


MANAGEMENT = "management"
HOME = "butler-system"
"""The namespace of the management cluster that our inventory is in."""


def tenant_name(namespace: str, name: str) -> str:
    """The name of a cluster that an object stands for; it always has a slash."""
    return f"{namespace}/{name}"


def tenant_of(cluster: str) -> tuple[str, str] | None:
    """Namespace and name of the object that a name means; None when it means none."""
    namespace, slash, name = cluster.partition("/")
    return (namespace, name) if slash else None


PREFIX = "gitops-ipam.dev/"
"""What our annotations and labels begin with."""

API_VERSION = f"{PREFIX}v1alpha1"
"""Of our own kinds, which stand in files alone."""

MANAGER = "gitops-ipam"
STATUS_MANAGER = "gitops-ipam-status"
PART_MANAGER = "gitops-ipam-fields"
"""Who writes single fields of objects that belong to others."""
OWNER_LABEL = "gitops-ipam.dev/managed-by"
REVISION = "gitops-ipam.dev/revision"
ADOPT = "gitops-ipam.dev/adopt"


def owned_labels() -> dict[str, str]:
    """The label of every object that we create."""
    return {OWNER_LABEL: MANAGER}


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


GROUP = "butler.butlerlabs.dev"
RECORD_API_VERSION = f"{GROUP}/v1alpha1"
KIND = "IPAllocation"
LIST_KIND = f"{KIND}List"
PLURAL = "ipallocations"
SHORT = ("ipa",)
"""Short names, as `kubectl get` takes them."""
LABEL = f"{GROUP}/"
"""What the labels of a record begin with."""

FINALIZER = f"{GROUP}/ipallocation"
RESOURCE = Resource(
    RECORD_API_VERSION, KIND, PLURAL, finalizer=FINALIZER, fixed_in=("Allocated", "Released")
)
ALLOCATED_BY = "networkpool-controller"
ANNOUNCED = "until-unused"
"""What `status.announced` says of a record that its claim has left."""

STILL_ANNOUNCED = "gitops-ipam.dev/announced"
"""The annotation that says the same of the object in a cluster."""

RECORD_NAMESPACE = "butler-system"
"""Where a record lies that names no namespace, and where the records of claims are written."""

CLAIM = "gitops-ipam.dev/claim"
"""The annotation that names the claim."""


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


Check = Callable[[Any], Any]
"""A value to the value without nulls, which is the very same one when it has none."""


class OddError(ValueError):
    """A value has another shape. The way to it is gathered on the way out."""

    def __init__(self, problem: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.way = ""

    def inside(self, step: str) -> "OddError":
        """The same, seen from what holds the value."""
        self.way = f"{step}{'' if self.way[:1] in ('', '[') else '.'}{self.way}"
        return self


_KINDS = {str: "a text", int: "a number", dict: "a mapping", list: "a list"}


def _of(kind: type, value: Any) -> Any:
    if type(value) is not kind:
        raise OddError(f"is not {_KINDS[kind]}")
    return value


def texts(value: Any) -> Any:
    """A mapping of texts."""
    found = value
    for key, item in _of(dict, value).items():
        if item is None:
            found = _without(found, key)
        elif type(item) is not str:
            raise OddError("is not a mapping of texts")
    return found


def items(each: Check) -> Check:
    """A list."""

    def check(value: Any) -> Any:
        found = value
        for index, item in enumerate(_of(list, value)):
            try:
                now = each(item)
            except OddError as odd:
                raise odd.inside(f"[{index}]") from None
            if now is not item:
                found = [*found[:index], now, *found[index + 1 :]]
        return found

    return check


def fields(needed: tuple[str, ...] = (), **inner: Check | type) -> Check:
    """A mapping of which some fields are read, and some must be there.

    Nothing is copied but what holds a null: a cluster may list a hundred thousand objects.
    """
    checks = tuple(inner.items())

    def check(value: Any) -> Any:
        found = value
        there = _of(dict, value)
        for name, wanted in checks:
            item = there.get(name)
            if type(item) is wanted:
                continue
            if item is None:
                found = _without(found, name)
            elif (now := _inside(name, wanted, item)) is not item:
                found = {**found, name: now}
        return _with(found, needed)

    return check


def _inside(name: str, inner: Check | type, item: Any) -> Any:
    try:
        return _of(inner, item) if isinstance(inner, type) else inner(item)
    except OddError as odd:
        raise odd.inside(name) from None


def _without(found: dict[str, Any], name: str) -> dict[str, Any]:
    return {key: found[key] for key in found if key != name} if name in found else found


def _with(found: dict[str, Any], needed: tuple[str, ...]) -> dict[str, Any]:
    for name in needed:
        if name not in found:
            raise OddError("is missing").inside(name)
    return found


def text(value: Any) -> Any:
    """A text."""
    return _of(str, value)


_MANAGED = fields(manager=str, time=str, subresource=str, fieldsV1=dict)
_METADATA: Mapping[str, Check | type] = {
    "name": str,
    "namespace": str,
    "uid": str,
    "resourceVersion": str,
    "generation": int,
    "creationTimestamp": str,
    "deletionTimestamp": str,
    "labels": texts,
    "annotations": texts,
    "finalizers": items(text),
    "managedFields": items(_MANAGED),
}
_STORED = fields(("name", "uid", "resourceVersion"), **_METADATA)
CONDITIONS = items(fields(type=str, status=str, lastTransitionTime=str))
HOST = fields(addresses=items(fields(type=str, address=str)))
NAMED = fields(name=str, namespace=str, kind=str)


def stored(**more: Check | type) -> Check:
    """An object that a server stores."""
    every: dict[str, Check | type] = {"metadata": _STORED, "spec": dict, "status": dict}
    return fields(("metadata",), **{**every, **more})


OBJECT = stored()
"""The shape of an object of which nothing but its metadata is read."""
