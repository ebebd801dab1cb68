"""Import of Butler objects."""

from collections.abc import Iterable
from typing import Any

from reconciler.addresses import format_address, format_cidr
from reconciler.documents.document import Documents, Kind
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
from reconciler.families.butler.records import NETWORK_POOL, PROVIDER_CONFIG, TEAMS, TENANT_CLUSTER
from reconciler.families.butler.requests import own_name
from reconciler.families.fields import PREFIX
from reconciler.families.importing import (
    Copied,
    ImportedBody,
    ImportedCluster,
    ImportedList,
    IntakeKind,
    Network,
    Pin,
    Writing,
)
from reconciler.families.metallb import NAMED
from reconciler.model.key import Key
from reconciler.model.objects import LABEL, OWNER_LABEL, Manifest, Resource
from reconciler.model.objects import RESOURCE as REQUESTS

_RELEASED = "Released"


def _intake(resource: Resource) -> IntakeKind:
    return IntakeKind(resource, tuple(kind for kind in KINDS if kind.name == resource.kind))


def _going(manifest: Manifest, there: ImportedList) -> str:
    del there
    return "it is being deleted" if "deletionTimestamp" in manifest["metadata"] else ""


def _left(manifest: Manifest, there: ImportedList) -> str:
    """Return why an allocation is not imported as a request."""
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


def _pinned(body: ImportedBody, manifest: Manifest, there: ImportedList) -> ImportedBody:
    """Return a request for exactly the range that Butler allocated."""
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


def _document(
    kind: str, namespace: str, name: str, spec: ImportedBody, **metadata: Any
) -> ImportedBody:
    named = {"name": name, "namespace": namespace, **metadata}
    return {"apiVersion": API_VERSION, "kind": kind, "metadata": named, "spec": spec}


def _pool(network: Network) -> ImportedBody:
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
    spec: ImportedBody = {"cidr": format_cidr(network.extent)}
    more = {"tenantAllocation": allocation} if windows else {}
    noted = {"annotations": annotations} if annotations else {}
    return _document(POOL.kind, SYSTEM, network.name, {**spec, **more}, **noted)


def _request(pin: Pin) -> ImportedBody:
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


def _tenant(cluster: ImportedCluster) -> ImportedBody:
    namespace, name = cluster.owner
    spec: ImportedBody = {
        "providerConfigRef": {"name": cluster.provider},
        "networking": {"lbPoolSize": cluster.size},
    }
    if cluster.team and cluster.team != namespace:
        spec["teamRef"] = {"name": cluster.team}
    noted = {"annotations": {NAMED: cluster.metallb_pool}} if cluster.metallb_pool else {}
    return _document(TENANT.kind, namespace, name, spec, **noted)


def _provider(name: str, pools: Iterable[str]) -> ImportedBody:
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


_GETS = ("gets no addresses", "get no addresses")


def _of(resource: Resource) -> tuple[Resource, tuple[Kind, ...]]:
    return resource, tuple(kind for kind in KINDS if kind.name == resource.kind)


def _is_given(request: Manifest) -> bool:
    """Return whether another allocator gave an IPAllocation its addresses."""
    return bool((request.get("status") or {}).get("startAddress"))


INTAKE = (
    IntakeKind(*_of(TENANT_CLUSTER), _GETS),
    IntakeKind(*_of(REQUESTS), _GETS, is_others=_is_given),
)
