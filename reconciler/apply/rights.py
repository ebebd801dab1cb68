"""CRDs, rights, and watched resources."""

import json
from collections.abc import Collection, Iterable, Iterator
from functools import cache
from hashlib import sha256
from typing import NamedTuple

import yaml

from reconciler.apply.inventory import NAME
from reconciler.apply.pools import TENANT_HOME, USUAL, written_kinds
from reconciler.documents.validators import crd_files
from reconciler.families import families
from reconciler.kube import resources
from reconciler.kube.resources import DesiredObject
from reconciler.loadbalancers import controller
from reconciler.loadbalancers.interface import ClusterBalancer
from reconciler.model import objects
from reconciler.model.objects import OURS, Manifest, Need, Resource, Right

DRIFT, SERVICES, DEPENDANTS = "drift", "services", "dependants"
INTAKE, KUBECONFIG = "intake", "kubeconfig"
_SUFFIX = "-kubeconfig"
_COUNTED = (
    *("generation", "labels", "annotations", "ownerReferences"),
    *("finalizers", "deletionTimestamp"),
)


class Topic(NamedTuple):
    """A watched kind of a cluster; changes are `about` one of the constants above."""

    about: str
    resource: Resource
    namespace: str = ""
    labels: str = ""

    @property
    def title(self) -> str:
        """Return `leases.coordination.k8s.io`."""
        return ".".join(step for step in (self.resource.plural, self.resource.group) if step)

    @property
    def heads(self) -> bool:
        """Return whether metadata is sufficient."""
        return self.about != SERVICES

    def look(self, manifest: Manifest) -> str:
        """Return a fingerprint of the relevant fields of an object; empty if it has none."""
        metadata, spec = manifest.get("metadata") or {}, manifest.get("spec") or {}
        counted: object = {key: metadata.get(key) for key in _COUNTED}
        if self.about == SERVICES:
            if spec.get("type") != "LoadBalancer":
                return ""
            asked = metadata.get("annotations"), metadata.get("deletionTimestamp")
            counted = [*asked, spec, manifest.get("status")]
        elif self.about == KUBECONFIG or self.labels:
            is_kubeconfig = str(metadata.get("name")).endswith(_SUFFIX)
            counted = metadata.get("resourceVersion")
            return str(counted or "-") if self.labels or is_kubeconfig else ""
        text = json.dumps(counted, sort_keys=True, default=str)
        return sha256(text.encode("utf-8", "replace")).hexdigest()[:32]


def management_topics(intake: Iterable[Resource] = ()) -> tuple[Topic, ...]:
    """Return the watched kinds of the management cluster, with the kinds of the intake."""
    taken, ours = frozenset(intake), frozenset(resources.owned())
    labels = f"{objects.OWNER_LABEL}={objects.MANAGER}"
    listed = {
        right.resource
        for family in families()
        for right in family.objects.rights
        if "list" in right.verbs
    }
    known = resources.described_resources().union(
        kind for family in families() for kind in family.objects.observes
    )
    others = sorted((listed & known) - ours - taken)
    return (
        Topic(KUBECONFIG, objects.SECRET),
        *(Topic(DRIFT, kind, labels=labels) for kind in resources.owned()),
        *(Topic(INTAKE, kind) for kind in sorted(taken)),
        *(Topic(DEPENDANTS, kind) for kind in others),
    )


def tenant_topics(balancing: ClusterBalancer = USUAL) -> tuple[Topic, ...]:
    """Return the watched kinds of tenant clusters, with all pools."""
    return (
        Topic(SERVICES, objects.SERVICE),
        *(Topic(DRIFT, kind, _home(balancing)) for kind in written_kinds(balancing)),
    )


def _home(balancing: ClusterBalancer) -> str:
    return controller(balancing.controller).home(balancing.namespace)


def tenant_of_secret(manifest: Manifest, clusters: Iterable[str]) -> list[str]:
    """Return the clusters whose kubeconfig a Secret can contain."""
    name = str((manifest.get("metadata") or {}).get("name")).removesuffix(_SUFFIX)
    return [cluster for cluster in clusters if cluster.rpartition("/")[2] == name]


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


@cache
def management_rights() -> tuple[Right, ...]:
    """Return the rights in the management cluster: own objects first, then objects of others."""
    theirs = [right for family in families() for right in family.objects.rights]
    return _by_need(
        (
            _IDENTITY,
            Right(Need.APPLY, objects.NAMESPACE, ("list",)),
            Right(Need.APPLY, objects.CONFIG_MAP, _INVENTORY, namespace=objects.HOME),
            *(right for right in theirs if right.resource in resources.owned()),
            Right(Need.APPLY, resources.IP_ALLOCATION, OURS),
            Right(Need.APPLY, resources.IP_ALLOCATION, ("patch",), "status"),
            *(right for right in theirs if right.resource not in resources.owned()),
            Right(Need.NAMESPACES, objects.NAMESPACE, ("create", "patch")),
            Right(Need.KUBECONFIGS, objects.SECRET, ("get",)),
            Right(Need.CRDS, objects.CRD, ("get", "create", "patch")),
            # The CRD identifies the kind across versions.
            Right(Need.INTAKE, objects.CRD, ("get",)),
            *_watching(management_topics()),
            Right(Need.WATCH, objects.LEASE, ("get", "create", "patch"), namespace=objects.HOME),
            *_POLICIES,
        )
    )


@cache
def tenant_rights(
    inventory: str = TENANT_HOME, balancing: ClusterBalancer = USUAL
) -> tuple[Right, ...]:
    """Return the rights in every tenant cluster, by the namespace of its inventory."""
    home, state = _home(balancing), controller(balancing.controller).state
    states = (state,) if state is not None else ()
    return _by_need(
        (
            _IDENTITY,
            *_inventory(inventory),
            *(Right(Need.APPLY, kind, OURS, namespace=home) for kind in written_kinds(balancing)),
            *(Right(Need.APPLY, kind, ("list",), namespace=home) for kind in states),
            # Users of an address decide whether it can be withdrawn.
            Right(Need.APPLY, objects.SERVICE, ("list",)),
            Right(Need.APPLY, objects.NODE, ("list",)),
            *_watching(tenant_topics(balancing)),
            *_POLICIES,
        )
    )


def _inventory(namespace: str) -> Iterator[Right]:
    """Yield the rights for the inventory; in a namespace of others, for its first ConfigMap only."""
    if namespace == TENANT_HOME:
        yield Right(Need.APPLY, objects.CONFIG_MAP, _INVENTORY, namespace=namespace)
        return
    for verbs, name in ((("list", "create"), ""), (("patch", "delete"), NAME)):
        yield Right(Need.APPLY, objects.CONFIG_MAP, verbs, namespace=namespace, name=name)


# kube-system identifies the cluster.
_IDENTITY = Right(Need.APPLY, objects.NAMESPACE, ("get",), name="kube-system")
_INVENTORY = ("list", "create", "patch", "delete")
_POLICIES = (
    Right(Need.POLICIES, objects.POLICY, OURS),
    Right(Need.POLICIES, objects.BINDING, OURS),
)


def _watching(topics: Iterable[Topic]) -> Iterator[Right]:
    for topic in topics:
        verbs = ("list", "watch") if topic.resource == objects.SECRET else ("watch",)
        yield Right(Need.WATCH, topic.resource, verbs, namespace=topic.namespace)


def _by_need(rights: Iterable[Right]) -> tuple[Right, ...]:
    return tuple(sorted(dict.fromkeys(rights), key=lambda right: right.need.rank))


def questions(rights: tuple[Right, ...]) -> Iterator[Question]:
    """Return all access reviews of rights, in the order of the table."""
    return (Question(right, verb) for right in rights for verb in right.verbs)


def crd_texts(kinds: Collection[Resource] | None = None) -> dict[str, str]:
    """Return the CRDs of some kinds, or all CRDs, as YAML, by file name."""
    own = f"{resources.IP_ALLOCATION.group}_{resources.IP_ALLOCATION.plural}.yaml"
    found = crd_files(own, *(name for family in families() for name in family.objects.crds))
    names = None if kinds is None else {f"{it.group}_{it.plural}.yaml" for it in kinds}
    return found if names is None else {name: found[name] for name in found if name in names}


@cache
def desired() -> tuple[tuple[Manifest, DesiredObject], ...]:
    """Return the shipped CRDs, each with its desired object."""
    manifests = map(yaml.safe_load, crd_texts().values())
    return tuple((manifest, resources.desired_object(manifest)) for manifest in manifests)


def used(kinds: Collection[Resource]) -> frozenset[Resource]:
    """Return all kinds of the families that have one of `kinds`, and records."""
    theirs = (family.objects.resources for family in families())
    found = (it for resources in theirs if not set(kinds).isdisjoint(resources) for it in resources)
    return frozenset((*found, resources.IP_ALLOCATION))


def desired_of(kinds: Collection[Resource]) -> list[tuple[Manifest, DesiredObject]]:
    """Return the shipped CRDs of some kinds, each with its desired object."""
    names = {crd_name(it) for it in kinds}
    return [(manifest, item) for manifest, item in desired() if item.ref.name in names]


def crd_name(resource: Resource) -> str:
    """Return the name of the CRD of a kind."""
    return f"{resource.plural}.{resource.group}"


def is_established(live: Manifest) -> bool:
    """Return whether the server serves objects of the CRD."""
    conditions = (live.get("status") or {}).get("conditions") or ()
    return any(it.get("type") == "Established" and it.get("status") == "True" for it in conditions)


def lacking(wanted: Manifest, live: Manifest) -> Iterator[str]:
    """Return missing parts of a foreign CRD: the version, or the status subresource."""
    ours, theirs = _versions(wanted, live)
    if not theirs.get("served"):
        yield f"version {ours['name']}"
    elif "status" not in (theirs.get("subresources") or {}):
        yield "the status subresource"


def lacking_fields(wanted: Manifest, live: Manifest) -> list[str]:
    """Return the fields of status that a foreign CRD does not have, as paths."""
    mine, there = (
        (it.get("schema") or {}).get("openAPIV3Schema") or {} for it in _versions(wanted, live)
    )
    fields = [(it.get("properties") or {}).get("status") or {} for it in (mine, there)]
    return [] if there.get(_OPEN) else list(_lacking_fields(fields[0], fields[1], "status"))


def _versions(wanted: Manifest, live: Manifest) -> tuple[Manifest, Manifest]:
    ours = wanted["spec"]["versions"][0]
    versions = (live.get("spec") or {}).get("versions") or ()
    return ours, next((item for item in versions if item["name"] == ours["name"]), {})


_OPEN = "x-kubernetes-preserve-unknown-fields"


def _lacking_fields(ours: Manifest, theirs: Manifest, path: str) -> Iterator[str]:
    if theirs.get(_OPEN):
        return
    present = theirs.get("properties") or {}
    for name, schema in (ours.get("properties") or {}).items():
        if name not in present:
            yield f"{path}.{name}"
        else:
            yield from _lacking_fields(schema, present[name], f"{path}.{name}")
    if "items" in ours and "items" in theirs:
        yield from _lacking_fields(ours["items"], theirs["items"], path)
