"""Live objects of the management cluster, as a person or a controller made them."""

from typing import Any

from reconciler.families import families
from reconciler.families.importing import IntakeKind

VIP = "vip.capi.gorizond.io/"
IPAM = "ipam.cluster.x-k8s.io"
LAST = "kubectl.kubernetes.io/last-applied-configuration"


def intake(kind: str) -> IntakeKind:
    every = [it for family in families() for it in family.objects.intake]
    return next(it for it in every if it.kind == kind)


def live(kind: str, name: str, spec: Any = None, namespace: str = "default", **more: Any) -> Any:
    """Return an object as a server lists it, with `more` parts or fields of metadata."""
    found = intake(kind)
    status = more.pop("status", None)
    metadata = {
        "name": name,
        "uid": f"uid-{name}",
        "resourceVersion": "7",
        "generation": 1,
        "creationTimestamp": "2026-02-15T10:00:00Z",
        "managedFields": [{"manager": "kubectl", "fieldsV1": {"f:spec": {}}}],
        **({"namespace": namespace} if found.resource.is_namespaced else {}),
        **more,
    }
    metadata["annotations"] = {LAST: "password", **metadata.get("annotations", {})}
    return {
        "apiVersion": found.resource.api_version,
        "kind": kind,
        "metadata": metadata,
        **({"spec": spec} if spec is not None else {}),
        **({"status": status} if status is not None else {}),
    }


def cluster(name: str = "shop", class_: str = "web", **more: Any) -> Any:
    spec = {"topology": {"class": class_, "version": "v1.31.0"}, **more.pop("spec", {})}
    return live("Cluster", name, spec, **more)


def pool(name: str = "vips", *addresses: str, **more: Any) -> Any:
    """A pool of all namespaces, for control planes of the class `web`."""
    labels = {f"{VIP}cluster-class": "web", f"{VIP}role": "control-plane"}
    spec = {"addresses": list(addresses or ["10.0.0.10-10.0.0.20"]), "prefix": 24}
    return live("GlobalInClusterIPPool", name, spec, labels=labels, **more)


def of_pool(kind: str, name: str, pool_: str = "vips", **more: Any) -> Any:
    group = more.pop("group", IPAM)
    reference = {"apiGroup": group, "kind": "GlobalInClusterIPPool", "name": pool_}
    return live(kind, name, {"poolRef": reference, **more.pop("spec", {})}, **more)


def wrote(manager: str, fields: Any) -> Any:
    return {"manager": manager, "operation": "Apply", "fieldsV1": fields}
