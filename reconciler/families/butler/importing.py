"""How import copies Butler's objects, and writes what lives elsewhere as documents of its kinds."""

from collections.abc import Iterable
from typing import Any

from reconciler.addresses.notation import format_address, format_cidr
from reconciler.documents.document import Documents
from reconciler.families._importing import Body, Cluster, Copied, Listed, Network, Pin, Writing
from reconciler.families._intake import Intake
from reconciler.families._metallb import NAMED
from reconciler.families._pool_fields import PREFIX
from reconciler.families.butler.announcing import TENANT_CLUSTER
from reconciler.families.butler.kinds import (
    API_VERSION,
    KINDS,
    POOL,
    PROVIDER,
    REQUEST,
    SYSTEM,
    TENANT,
)
from reconciler.families.butler.pools import pool_key
from reconciler.families.butler.providers import Providers
from reconciler.families.butler.requests import own_name
from reconciler.families.butler.resources import (
    NETWORK_POOL,
    PROVIDER_CONFIG,
    TEAMS,
)
from reconciler.model.key import Key
from reconciler.model.marks import OWNER_LABEL
from reconciler.model.record_kind import LABEL
from reconciler.model.record_kind import RESOURCE as REQUESTS
from reconciler.model.resource import Manifest, Resource

_RELEASED = "Released"


def _intake(resource: Resource) -> Intake:
    return Intake(resource, tuple(kind for kind in KINDS if kind.name == resource.kind))


def _going(manifest: Manifest, there: Listed) -> str:
    del there
    return "it is being deleted" if "deletionTimestamp" in manifest["metadata"] else ""


def _left(manifest: Manifest, there: Listed) -> str:
    """Why an allocation is no request of somebody."""
    status, spec = manifest.get("status") or {}, manifest.get("spec") or {}
    owner = spec.get("tenantClusterRef") or {}
    if (manifest["metadata"].get("labels") or {}).get(OWNER_LABEL):
        return "ipam made it of a record: the repository of that run has it"
    if status.get("phase") == _RELEASED:
        return "it is released"
    is_own = manifest["metadata"]["name"] == own_name(
        (owner.get("namespace", ""), owner.get("name", "")), spec.get("type", "")
    )
    if is_own and not status.get("startAddress"):
        return "it has no addresses yet: its tenant asks for them itself"
    return _going(manifest, there)


def _pinned(body: Body, manifest: Manifest, there: Listed) -> Body:
    """A request of just the range that Butler gave."""
    del there
    status = manifest.get("status") or {}
    if not status.get("startAddress"):
        return body
    pin = {"startAddress": status["startAddress"], "endAddress": status.get("endAddress")}
    spec = {key: value for key, value in body["spec"].items() if key != "count"}
    return {**body, "spec": {**spec, "pinnedRange": pin}}


COPIED = (
    Copied(_intake(NETWORK_POOL), "pools", _going),
    Copied(_intake(PROVIDER_CONFIG), "providers", _going),
    Copied(_intake(TEAMS), "teams", _going),
    Copied(_intake(TENANT_CLUSTER), "tenants", _going),
    Copied(_intake(REQUESTS), "tenants", _left, _pinned),
)


def _document(kind: str, namespace: str, name: str, spec: Body, **metadata: Any) -> Body:
    named = {"name": name, "namespace": namespace, **metadata}
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": named, "spec": spec}


def _pool(network: Network) -> Body:
    annotations = {}
    if network.is_full:
        annotations[f"{PREFIX}gate"] = "never"
    if network.space != "default":
        annotations[f"{PREFIX}address-space"] = network.space
    windows = [
        {"start": format_address(4, it.first), "end": format_address(4, it.last)}
        for it in network.windows
        if it != network.extent
    ]
    allocation = windows[0] if len(windows) == 1 else {"ranges": windows}
    spec: Body = {"cidr": format_cidr(network.extent)}
    more = {"tenantAllocation": allocation} if windows else {}
    noted = {"annotations": annotations} if annotations else {}
    return _document(POOL.kind, SYSTEM, network.name, {**spec, **more}, **noted)


def _request(pin: Pin) -> Body:
    version, first, last = pin.item
    namespace, name = pin.owner
    spec = {
        "pinnedRange": {
            "startAddress": format_address(version, first),
            "endAddress": format_address(version, last),
        },
        "poolRef": {"name": pin.pool},
        "tenantClusterRef": {"name": name, "namespace": namespace},
        "type": pin.type,
    }
    labels = {"labels": {f"{LABEL}team": pin.team}} if pin.team and pin.team != namespace else {}
    return _document(REQUEST.kind, SYSTEM, pin.name, spec, **labels)


def _tenant(cluster: Cluster) -> Body:
    namespace, name = cluster.owner
    spec: Body = {
        "providerConfigRef": {"name": cluster.provider},
        "networking": {"lbPoolSize": cluster.size},
    }
    if cluster.team and cluster.team != namespace:
        spec["teamRef"] = {"name": cluster.team}
    noted = {"annotations": {NAMED: cluster.metallb_pool}} if cluster.metallb_pool else {}
    return _document(TENANT.kind, namespace, name, spec, **noted)


def _provider(name: str, pools: Iterable[str]) -> Body:
    network = {"mode": "ipam", "poolRefs": [{"name": pool} for pool in pools]}
    return _document(PROVIDER.kind, SYSTEM, name, {"network": network})


def _provider_of(documents: Documents, pools: Iterable[str]) -> str:
    wanted = {pool_key(SYSTEM, name) for name in pools}
    found = (
        it.document.name
        for it in Providers(documents).all()
        if it.is_ipam and it.team is None and wanted <= {*it.pools}
        and it.document.namespace == SYSTEM
    )  # fmt: skip
    return min(found, default="")


def _is_there(documents: Documents, namespace: str, name: str) -> bool:
    return documents.find(TENANT, namespace, name) is not None


def _pool_key(name: str) -> Key:
    return pool_key(SYSTEM, name)


WRITING = Writing(
    pool_title=POOL.kind,
    cluster_title=TENANT.kind,
    version=4,
    pool_key=_pool_key,
    pool=_pool,
    pin=_request,
    cluster=_tenant,
    provider=_provider,
    provider_of=_provider_of,
    request_name=own_name,
    is_there=_is_there,
    annotation=NAMED,
)
