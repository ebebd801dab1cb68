"""Watched kinds of clusters, and the parts of their objects that trigger a round."""

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
"""Return a fingerprint of the relevant parts of an object; empty if it is irrelevant."""


def head_of(manifest: Manifest) -> str:
    """Return a fingerprint of an object without its status."""
    metadata = _metadata(manifest)
    return _short({key: metadata.get(key) for key in _COUNTED})


def version_of(manifest: Manifest) -> str:
    """Return a fingerprint of an object with its status."""
    return str(_metadata(manifest).get("resourceVersion") or "-")[:64]


def kubeconfig_of(manifest: Manifest) -> str:
    """Return a fingerprint of a kubeconfig Secret, identified by name."""
    return version_of(manifest) if str(_metadata(manifest).get("name")).endswith(_SUFFIX) else ""


def balanced_of(manifest: Manifest) -> str:
    """Return a fingerprint of the addresses of a Service; empty if it needs none."""
    spec, status = manifest.get("spec"), manifest.get("status")
    if not isinstance(spec, Mapping) or spec.get("type") != "LoadBalancer":
        return ""
    metadata = _metadata(manifest)
    told = [metadata.get("annotations"), metadata.get("deletionTimestamp"), spec, status]
    return _short(told)


class Topic(Struct, frozen=True):
    """A watched kind of a cluster.

    Attributes:
        about: The subject of its changes, one of the constants above.
        heads: Metadata is sufficient.
        look: Returns the fingerprint of an object.
    """

    about: str
    resource: Resource
    namespace: str = ""
    labels: str = ""
    heads: bool = True
    look: Look = head_of

    @property
    def title(self) -> str:
        """Return `ipaddresspools.metallb.io`."""
        return ".".join(step for step in (self.resource.plural, self.resource.group) if step)


def management_topics(intake: Iterable[Resource] = ()) -> tuple[Topic, ...]:
    """Return the watched kinds of the management cluster.

    Args:
        intake: The kinds of the intake.
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
    """Return the watched kinds of tenant clusters, with all of MetalLB's pools."""
    return (
        Topic(SERVICES, SERVICE, heads=False, look=balanced_of),
        Topic(DRIFT, ADDRESS_POOL, METALLB_HOME),
        Topic(DRIFT, ADVERTISEMENT, METALLB_HOME),
    )


def tenant_of_secret(manifest: Manifest, clusters: Iterable[str]) -> list[str]:
    """Return the clusters whose kubeconfig a Secret can contain."""
    name = str(_metadata(manifest).get("name")).removesuffix(_SUFFIX)
    return [cluster for cluster in clusters if cluster.rpartition("/")[2] == name]


def _metadata(manifest: Manifest) -> Mapping[str, Any]:
    metadata = manifest.get("metadata")
    return metadata if isinstance(metadata, Mapping) else {}


def _short(value: object) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return sha256(text.encode("utf-8", "replace")).hexdigest()[:32]
