"""The rights that an apply needs in a cluster: one table for `ipam doctor` and `deploy/`.

Server-side apply needs `patch`, and `create` besides where the object is not there yet.
"""

from collections.abc import Iterator
from enum import StrEnum
from typing import NamedTuple

from reconciler.clusters.metallb import NAMESPACE as METALLB_HOME
from reconciler.clusters.resources import (
    ADDRESS_POOL,
    ADVERTISEMENT,
    BINDING,
    CONFIG_MAP,
    CONFIGURATION_STATE,
    CRD,
    EVENT,
    IP_ALLOCATION,
    MACHINE,
    NAMESPACE,
    NETWORK_POOL,
    NODE,
    POLICY,
    PROVIDER_CONFIG,
    SECRET,
    SERVICE,
    TENANT_CLUSTER,
)
from reconciler.model.resource import Manifest, Resource

HOME = "butler-system"
OURS = ("get", "list", "create", "patch", "delete")


class Need(StrEnum):
    """What rights are for; without those of `APPLY` nothing works."""

    APPLY = "apply"
    NAMESPACES = "making namespaces that are missing"
    KUBECONFIGS = "kubeconfigs of tenants that nobody named"
    OBSERVE = "showing who uses reserved addresses"
    CRDS = "--crds"
    POLICIES = "--policies"


class Right(NamedTuple):
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
        """`networkpools.butler.butlerlabs.dev/status`, as `kubectl auth can-i` takes it."""
        resource = self.resource
        plural = ".".join(step for step in (resource.plural, resource.group) if step)
        return f"{plural}/{self.part}" if self.part else plural


class Question(NamedTuple):
    """One verb of a right: what an access review is about."""

    right: Right
    verb: str

    def review(self) -> Manifest:
        """The SelfSubjectAccessReview to create."""
        right = self.right
        attributes = {
            "group": right.resource.group,
            "resource": right.resource.plural,
            "subresource": right.part,
            "verb": self.verb,
            "namespace": right.namespace,
            "name": right.name,
        }
        return {
            "apiVersion": "authorization.k8s.io/v1",
            "kind": "SelfSubjectAccessReview",
            "spec": {"resourceAttributes": {key: text for key, text in attributes.items() if text}},
        }


MANAGEMENT = (
    # kube-system tells which cluster it is.
    Right(Need.APPLY, NAMESPACE, ("get",), name="kube-system"),
    Right(Need.APPLY, NAMESPACE, ("list",)),
    Right(Need.APPLY, CONFIG_MAP, ("list", "create", "patch", "delete"), namespace=HOME),
    Right(Need.APPLY, NETWORK_POOL, OURS),
    Right(Need.APPLY, NETWORK_POOL, ("patch",), "status"),
    Right(Need.APPLY, IP_ALLOCATION, OURS),
    Right(Need.APPLY, IP_ALLOCATION, ("patch",), "status"),
    Right(Need.APPLY, PROVIDER_CONFIG, ("get", "list")),
    Right(Need.APPLY, PROVIDER_CONFIG, ("patch",), "status"),
    Right(Need.APPLY, TENANT_CLUSTER, ("get", "list")),
    Right(Need.APPLY, TENANT_CLUSTER, ("patch",), "status"),
    Right(Need.APPLY, EVENT, ("list", "create")),
    Right(Need.NAMESPACES, NAMESPACE, ("create", "patch")),
    Right(Need.KUBECONFIGS, SECRET, ("get",)),
    Right(Need.OBSERVE, SERVICE, ("list",)),
    Right(Need.OBSERVE, NODE, ("list",)),
    Right(Need.OBSERVE, MACHINE, ("list",)),
    Right(Need.CRDS, CRD, ("get", "create", "patch")),
    Right(Need.POLICIES, POLICY, OURS),
    Right(Need.POLICIES, BINDING, OURS),
)

TENANT = (
    Right(Need.APPLY, NAMESPACE, ("get",), name="kube-system"),
    Right(Need.APPLY, CONFIG_MAP, ("list", "create", "patch", "delete"), namespace=METALLB_HOME),
    Right(Need.APPLY, ADDRESS_POOL, OURS, namespace=METALLB_HOME),
    Right(Need.APPLY, ADVERTISEMENT, OURS, namespace=METALLB_HOME),
    Right(Need.APPLY, CONFIGURATION_STATE, ("list",), namespace=METALLB_HOME),
    # Who uses an address decides whether it may be withdrawn, and given to others.
    Right(Need.APPLY, SERVICE, ("list",)),
    Right(Need.APPLY, NODE, ("list",)),
    Right(Need.POLICIES, POLICY, OURS),
    Right(Need.POLICIES, BINDING, OURS),
)


def questions(rights: tuple[Right, ...]) -> Iterator[Question]:
    """All that has to be asked about some rights, in the order of the table."""
    for right in rights:
        for verb in right.verbs:
            yield Question(right, verb)
