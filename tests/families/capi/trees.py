"""Small trees of Cluster API's kinds."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from reconciler.model.plan import Grant, Keep, Refuse
from reconciler.planning.evaluate import Evaluation
from tests.world import evaluation_of

Files = dict[str, str | bytes]
VIP = "vip.capi.gorizond.io/"
CLASS, ROLE = f"{VIP}cluster-class", f"{VIP}role"
IPAM = "ipam.cluster.x-k8s.io"
SEED = Path(__file__).parent / "seed"
SEED_FILES: Files = {
    path.relative_to(SEED).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(SEED.rglob("*.yaml"))
}
"""Example YAML of capi-vip-allocator."""


def document(kind: str, version: str, metadata: Mapping[str, Any], spec: Mapping[str, Any]) -> str:
    body = {"apiVersion": version, "kind": kind, "metadata": metadata, "spec": spec}
    text: str = yaml.safe_dump(body, sort_keys=False)
    return text


def pool(
    name: str = "vips",
    *addresses: str,
    class_: str = "web",
    role: str = "control-plane",
    namespace: str = "",
    annotations: Mapping[str, str] | None = None,
    **spec: object,
) -> str:
    metadata: dict[str, Any] = {"name": name, "labels": {CLASS: class_, ROLE: role}}
    metadata |= {"namespace": namespace} if namespace else {}
    metadata |= {"annotations": dict(annotations)} if annotations else {}
    kind = "InClusterIPPool" if namespace else "GlobalInClusterIPPool"
    given = {"addresses": list(addresses or ("10.0.0.10-10.0.0.20",)), "prefix": 24, **spec}
    return document(kind, f"{IPAM}/v1alpha2", metadata, given)


def cluster(
    name: str = "shop",
    *,
    class_: str = "web",
    version: str = "v1beta1",
    annotations: Mapping[str, str] | None = None,
    **spec: object,
) -> str:
    """A Cluster in the namespace `default`."""
    reference = {"class": class_} if version == "v1beta1" else {"classRef": {"name": class_}}
    metadata = {"name": name, "annotations": dict(annotations or {})}
    body = {**({"topology": reference} if class_ else {}), **spec}
    return document("Cluster", f"cluster.x-k8s.io/{version}", metadata, body)


def claim(
    name: str = "one",
    pool: str = "vips",
    kind: str = "GlobalInClusterIPPool",
    group: str = IPAM,
    annotations: Mapping[str, str] | None = None,
    **spec: object,
) -> str:
    """An IPAddressClaim in the namespace `default`."""
    metadata = {"name": name, "annotations": dict(annotations or {})}
    reference = {"apiGroup": group, "kind": kind, "name": pool}
    return document("IPAddressClaim", f"{IPAM}/v1beta1", metadata, {"poolRef": reference, **spec})


def of(*texts: str) -> Files:
    """Documents as files: pools in one folder, all else in another."""
    folders = ("pools" if "IPPool\nmetadata" in text else "clusters" for text in texts)
    return {
        f"{it}/{at:02}.yaml": text for at, (it, text) in enumerate(zip(folders, texts, strict=True))
    }


def got(evaluation: Evaluation) -> dict[str, str]:
    found = {}
    for item in evaluation.plan.decisions:
        name = f"{item.claim.name}.{item.claim.slot}"
        if isinstance(item, Grant | Keep) and item.allocation.range is not None:
            address = item.allocation.range.first & 0xFF
            found[name] = f"{item.allocation.pool.name}:{address}"
        elif isinstance(item, Refuse):
            found[name] = item.reason
        else:
            found[name] = type(item).__name__
    return found


def gets(*texts: str) -> dict[str, str]:
    return got(evaluation_of(of(*texts)))


def said(*texts: str) -> list[tuple[str, str]]:
    return [(item.code, item.message) for item in evaluation_of(of(*texts)).findings]
