"""RBAC rights that an apply needs, for `ipam doctor` and `deploy/`."""

from collections.abc import Iterable, Iterator
from functools import cache
from typing import NamedTuple

from reconciler.clusters.metallb import NAMESPACE as METALLB_HOME
from reconciler.clusters.resources import (
    ADDRESS_POOL,
    ADVERTISEMENT,
    CONFIGURATION_STATE,
    IP_ALLOCATION,
    owned,
)
from reconciler.clusters.watched import Topic, management_topics, tenant_topics
from reconciler.families import families
from reconciler.model.builtin import (
    BINDING,
    CONFIG_MAP,
    CRD,
    LEASE,
    NAMESPACE,
    NODE,
    POLICY,
    SECRET,
    SERVICE,
)
from reconciler.model.cluster import HOME
from reconciler.model.resource import Manifest
from reconciler.model.right import OURS, Need, Right


class Question(NamedTuple):
    """One verb of a right, as an access review asks for it."""

    right: Right
    verb: str

    def review(self) -> Manifest:
        """Return the SelfSubjectAccessReview."""
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


_IDENTITY = (
    # kube-system identifies the cluster.
    Right(Need.APPLY, NAMESPACE, ("get",), name="kube-system"),
)
_HUB = (
    Right(Need.APPLY, NAMESPACE, ("list",)),
    Right(Need.APPLY, CONFIG_MAP, ("list", "create", "patch", "delete"), namespace=HOME),
)
_RECORDS = (
    Right(Need.APPLY, IP_ALLOCATION, OURS),
    Right(Need.APPLY, IP_ALLOCATION, ("patch",), "status"),
)
_WISHES = (
    Right(Need.NAMESPACES, NAMESPACE, ("create", "patch")),
    Right(Need.KUBECONFIGS, SECRET, ("get",)),
    Right(Need.CRDS, CRD, ("get", "create", "patch")),
)
_INTAKE = (
    # The CRD identifies the kind across versions.
    Right(Need.INTAKE, CRD, ("get",)),
)
_LEADING = (Right(Need.WATCH, LEASE, ("get", "create", "patch"), namespace=HOME),)
_POLICIES = (
    Right(Need.POLICIES, POLICY, OURS),
    Right(Need.POLICIES, BINDING, OURS),
)
_METALLB = (
    Right(Need.APPLY, CONFIG_MAP, ("list", "create", "patch", "delete"), namespace=METALLB_HOME),
    Right(Need.APPLY, ADDRESS_POOL, OURS, namespace=METALLB_HOME),
    Right(Need.APPLY, ADVERTISEMENT, OURS, namespace=METALLB_HOME),
    Right(Need.APPLY, CONFIGURATION_STATE, ("list",), namespace=METALLB_HOME),
    # Users of an address decide whether it can be withdrawn.
    Right(Need.APPLY, SERVICE, ("list",)),
    Right(Need.APPLY, NODE, ("list",)),
)


@cache
def management_rights() -> tuple[Right, ...]:
    """Return the rights in the management cluster: own objects first, then objects of others."""
    theirs = [right for family in families() for right in family.objects.rights]
    made = [right for right in theirs if right.resource in owned()]
    rest = [right for right in theirs if right.resource not in owned()]
    always = (*_IDENTITY, *_HUB, *made, *_RECORDS, *rest)
    watched = (*_watching(management_topics()), *_LEADING)
    return _by_need((*always, *_WISHES, *_INTAKE, *watched, *_POLICIES))


@cache
def tenant_rights() -> tuple[Right, ...]:
    """Return the rights in every tenant cluster."""
    theirs = [right for family in families() for right in family.objects.tenant_rights]
    return _by_need((*_IDENTITY, *_METALLB, *theirs, *_watching(tenant_topics()), *_POLICIES))


def _watching(topics: Iterable[Topic]) -> Iterator[Right]:
    """Return the watch rights. Watched kinds are listed first."""
    for topic in topics:
        verbs = ("list", "watch") if topic.resource == SECRET else ("watch",)
        yield Right(Need.WATCH, topic.resource, verbs, namespace=topic.namespace)


def _by_need(rights: Iterable[Right]) -> tuple[Right, ...]:
    """Return the required rights first, each once."""
    return tuple(sorted(dict.fromkeys(rights), key=lambda right: right.need.rank))


def questions(rights: tuple[Right, ...]) -> Iterator[Question]:
    """Return all access reviews of rights, in the order of the table."""
    for right in rights:
        for verb in right.verbs:
            yield Question(right, verb)
