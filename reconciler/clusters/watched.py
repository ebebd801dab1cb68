"""What is watched in clusters, and what of it is news: pure, of objects that may say anything."""

import json
from collections.abc import Callable, Iterable, Mapping
from hashlib import sha256
from typing import Any

from msgspec import Struct

from reconciler.clusters.metallb import NAMESPACE as METALLB_HOME
from reconciler.clusters.resources import ADDRESS_POOL, ADVERTISEMENT, described, owned
from reconciler.families import families
from reconciler.model.builtin import SECRET, SERVICE
from reconciler.model.marks import MANAGER, OWNER_LABEL
from reconciler.model.resource import Manifest, Resource

DRIFT, SERVICES, DEPENDANTS = "drift", "services", "dependants"
INTAKE, KUBECONFIG = "intake", "kubeconfig"
_SUFFIX = "-kubeconfig"
_COUNTED = (
    *("generation", "labels", "annotations", "ownerReferences"),
    *("finalizers", "deletionTimestamp"),
)
Look = Callable[[Manifest], str]
"""What counts of an object, in short; empty for one that is no concern of ours."""


def head_of(manifest: Manifest) -> str:
    """All of an object but its status, as its metadata tells it."""
    metadata = _metadata(manifest)
    return _short({key: metadata.get(key) for key in _COUNTED})


def version_of(manifest: Manifest) -> str:
    """All of an object, whose status is ours, too."""
    return str(_metadata(manifest).get("resourceVersion") or "-")[:64]


def kubeconfig_of(manifest: Manifest) -> str:
    """A Secret that holds a kubeconfig, as far as its name tells."""
    return version_of(manifest) if str(_metadata(manifest).get("name")).endswith(_SUFFIX) else ""


def balanced_of(manifest: Manifest) -> str:
    """What bears on the addresses of a Service; empty for one that wants none."""
    spec, status = manifest.get("spec"), manifest.get("status")
    if not isinstance(spec, Mapping) or spec.get("type") != "LoadBalancer":
        return ""
    metadata = _metadata(manifest)
    told = [metadata.get("annotations"), metadata.get("deletionTimestamp"), spec, status]
    return _short(told)


class Topic(Struct, frozen=True):
    """Objects of a kind that are watched in a cluster.

    Attributes:
        about: What a change of them is about, one of the words above.
        heads: Their metadata is enough.
        look: What counts of each.
    """

    about: str
    resource: Resource
    namespace: str = ""
    labels: str = ""
    heads: bool = True
    look: Look = head_of

    @property
    def title(self) -> str:
        """`ipaddresspools.metallb.io`."""
        return ".".join(step for step in (self.resource.plural, self.resource.group) if step)


def management_topics(intake: Iterable[Resource] = ()) -> tuple[Topic, ...]:
    """What is watched in the management cluster.

    Args:
        intake: The kinds whose objects may live in the cluster alone.
    """
    taken, ours = frozenset(intake), frozenset(owned())
    labels = f"{OWNER_LABEL}={MANAGER}"
    listed = {
        right.resource
        for family in families()
        for right in family.objects.rights
        if "list" in right.verbs
    }
    known = described().union(kind for family in families() for kind in family.objects.observes)
    others = sorted((listed & known) - ours - taken)
    return (
        Topic(KUBECONFIG, SECRET, look=kubeconfig_of),
        *(Topic(DRIFT, kind, labels=labels, look=version_of) for kind in owned()),
        *(Topic(INTAKE, kind) for kind in sorted(taken)),
        *(Topic(DEPENDANTS, kind) for kind in others),
    )


def tenant_topics() -> tuple[Topic, ...]:
    """What is watched in every other cluster: all of MetalLB's pools, for one beside ours bears on it."""
    return (
        Topic(SERVICES, SERVICE, heads=False, look=balanced_of),
        Topic(DRIFT, ADDRESS_POOL, METALLB_HOME),
        Topic(DRIFT, ADVERTISEMENT, METALLB_HOME),
    )


def tenant_of_secret(manifest: Manifest, clusters: Iterable[str]) -> list[str]:
    """The clusters whose kubeconfig a Secret may hold: those of its name, in any namespace."""
    name = str(_metadata(manifest).get("name")).removesuffix(_SUFFIX)
    return [cluster for cluster in clusters if cluster.rpartition("/")[2] == name]


def _metadata(manifest: Manifest) -> Mapping[str, Any]:
    metadata = manifest.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}


def _short(value: object) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
