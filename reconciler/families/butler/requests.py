"""Requests and the claims that follow from them."""

from collections.abc import Iterator, Mapping
from typing import Any

from reconciler.addresses import IPRange
from reconciler.documents.document import Document, Documents
from reconciler.documents.findings import Finding, warning
from reconciler.families.butler.kinds import NAME, REQUEST, SYSTEM, TENANT
from reconciler.families.butler.pools import NetworkPool
from reconciler.families.butler.tenants import PINNED, owner_of, tenant_key
from reconciler.families.fields import read_range
from reconciler.model.claim import Claim, Owner, Quota
from reconciler.model.key import Key, is_label
from reconciler.model.objects import LABEL

_COUNT = {"nodes": 5, "loadbalancer": 8}
_SHORT = {"nodes": "nodes", "loadbalancer": "lb"}


def request_key(namespace: str, name: str) -> Key:
    """Return the key of a request's claim."""
    return Key(NAME, namespace, name, "request", REQUEST.kind)


def own_name(tenant: tuple[str, str], kind: str) -> str:
    """Return Butler's name for the record of a tenant's own claim of a type."""
    return f"{tenant[0]}-{tenant[1]}-{_SHORT.get(kind, kind)}"


def owner_of_request(document: Document, tenant: Document | None) -> Owner:
    """Return the tenant of a request, whether or not it is in the repository."""
    if tenant is not None:
        return owner_of(tenant)
    reference = document.spec["tenantClusterRef"]
    team = document.labels().get(f"{LABEL}team", reference["namespace"])
    return Owner(reference["namespace"], reference["name"], team)


def team_of(document: Document, documents: Documents) -> str:
    """Return the team of a tenant, or of the tenant that a request is for."""
    if document.kind.id != REQUEST:
        return owner_of(document).team
    named = document.spec["tenantClusterRef"]
    tenant = documents.find(TENANT, named["namespace"], named["name"])
    return owner_of_request(document, tenant).team


def stands_for(document: Document) -> Key | None:
    """Return the tenant's own claim that the request replaces by its name; else None.

    Butler adopts an allocation with the name of a tenant's record, but only from its own namespace,
    so authors in other namespaces cannot act for a tenant. The same applies here: a request named
    `<namespace>-<name>-lb` is the load-balancer claim of that tenant, not a second claim.
    """
    if document.namespace != SYSTEM:
        return None
    reference = document.spec["tenantClusterRef"]
    kind = document.spec["type"]
    if document.name != own_name((reference["namespace"], reference["name"]), kind):
        return None
    return tenant_key(reference["namespace"], reference["name"], kind)


def space_of(document: Document) -> str:
    """Return the namespace that a document claims for; for a request, the tenant's namespace."""
    if document.kind.id != REQUEST:
        return document.namespace
    return owner_of_request(document, None).namespace


def meant(body: Mapping[str, Any]) -> tuple[str, str] | None:
    """Return the half-readable tenant reference of a broken request, or None.

    The unreadable half is empty, which matches any value.
    """
    spec = body.get("spec") if body.get("kind") == REQUEST.kind else None
    reference = spec.get("tenantClusterRef") if isinstance(spec, Mapping) else None
    if not isinstance(reference, Mapping):
        return None
    said = [reference.get(field) for field in ("namespace", "name")]
    namespace, name = (it if isinstance(it, str) and is_label(it) else "" for it in said)
    return (namespace, name) if bool(namespace) != bool(name) else None


def read_pin(document: Document, found: list[Finding]) -> IPRange | None:
    """Return the range that a request pins; None if absent or invalid."""
    if "pinnedRange" not in document.spec:
        return None
    return read_range(document, *PINNED, found)


def read_request(
    document: Document, network: NetworkPool | None, owner: Owner, quota: Quota | None
) -> tuple[Claim, list[Finding]]:
    """Return the claim of a request, and its findings.

    Args:
        document: The request.
        network: Its pool, or None if it does not exist.
        owner: The tenant.
        quota: The quota that the request counts towards.
    """
    found: list[Finding] = []
    spec = document.spec
    pin = read_pin(document, found)
    if pin is not None and spec.get("count", pin.size) != pin.size:
        message = f"spec.count: {spec['count']}, but pinnedRange holds {pin.size}"
        found.append(warning("pin-count", document.at("spec", "count"), message, "remove count"))
    pool = spec["poolRef"]["name"]
    claim = Claim(
        key=request_key(document.namespace, document.name),
        candidates=(network.pool.key,) if network is not None else (),
        wanted=(pool,),
        size=pin.size if pin else _size(document, network),
        pin=pin,
        fixed=pin is not None or "count" in spec,
        owner=owner,
        type=spec["type"],
        role="initial",
        name=document.name,
        namespace=document.namespace,
        source=document.start,
        quota=quota,
        doubt=document.doubt,
    )
    return claim, found


def _size(document: Document, network: NetworkPool | None) -> int:
    """Return `count`, else the pool's default for the type, else Butler's default."""
    kind = document.spec["type"]
    default = None
    if network is not None:
        default = network.nodes_per_tenant if kind == "nodes" else network.lb_pool_per_tenant
    return int(document.spec.get("count") or default or _COUNT[kind])


PLACE = ("spec", "tenantClusterRef", "name")


def referring(documents: Documents) -> Iterator[tuple[Document, tuple[str, ...], Key]]:
    """Yield requests, each with the field that names its tenant, and that tenant's key."""
    for document in documents.of(REQUEST):
        reference = document.spec["tenantClusterRef"]
        named = Key(NAME, reference["namespace"], reference["name"], "", TENANT.kind)
        yield document, PLACE, named
