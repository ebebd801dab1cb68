"""A hand-made IPAllocation to a claim in its own right, with count or pinnedRange (seed 001)."""

from collections.abc import Collection, Mapping

from reconciler.addresses import IPRange
from reconciler.documents.document import Document
from reconciler.families._network import read_range
from reconciler.families.butler.pools import Network, pool_key
from reconciler.families.butler.tenants import tenant_key
from reconciler.findings import Finding, Location, error, warning
from reconciler.model.claim import Claim, Owner, Quota
from reconciler.model.key import Key

KIND = "IPAllocation"
_COUNT = {"nodes": 5, "loadbalancer": 8}
_SHORT = {"nodes": "nodes", "loadbalancer": "lb"}


def request_key(namespace: str, name: str) -> Key:
    """The key of a request's claim."""
    return Key("butler", namespace, name, "request", KIND)


def stands_for(document: Document) -> Key | None:
    """The tenant's own claim that the request stands for, by its name; else None.

    Butler adopts an allocation that bears the name of a tenant's record. So does this: a request
    named `<namespace>-<name>-lb` for that tenant is its load-balancer claim, and makes no second
    one.
    """
    reference = document.spec["tenantClusterRef"]
    kind = document.spec["type"]
    name = f"{reference['namespace']}-{reference['name']}-{_SHORT[kind]}"
    if document.name != name:
        return None
    return tenant_key(reference["namespace"], reference["name"], kind)


def read_request(
    document: Document,
    networks: Mapping[Key, Network],
    known: Collection[Key],
    owner: Owner,
    quota: Quota | None,
) -> tuple[Claim | None, list[Finding]]:
    """The claim of a request; None when what it pins cannot be told.

    Args:
        document: The request.
        networks: Pools that are described rightly.
        known: Those, and pools that are described wrongly.
        owner: The tenant.
        quota: The quota that the request counts towards.
    """
    found: list[Finding] = []
    spec = document.spec
    pool = pool_key(document.namespace, spec["poolRef"]["name"])
    pin: IPRange | None = None
    if "pinnedRange" in spec:
        steps = ("spec", "pinnedRange")
        pin = read_range(document, steps, ("startAddress", "endAddress"), found)
        if pin is None:
            return None, found
        if spec.get("count", pin.size) != pin.size:
            message = f"spec.count: {spec['count']}, but pinnedRange holds {pin.size}"
            place = document.at("spec", "count")
            found.append(warning("pin-count", place, message, "remove count"))
    if pool not in known:
        place = document.at("spec", "poolRef", "name")
        message = f"spec.poolRef.name: {pool.kind} {pool.namespace}/{pool.name} is not in the"
        hint = "name a pool of the request's namespace, or add the pool"
        found.append(error("reference-not-found", place, f"{message} repository", hint))
    claim = Claim(
        key=request_key(document.namespace, document.name),
        candidates=(pool,) if pool in networks else (),
        wanted=(pool.name,),
        size=pin.size if pin else _size(document, networks.get(pool)),
        pin=pin,
        fixed=pin is not None or "count" in spec,
        owner=owner,
        type=spec["type"],
        role="initial",
        name=document.name,
        namespace=document.namespace,
        source=Location(document.path, document.line, 1),
        quota=quota,
    )
    return claim, found


def _size(document: Document, network: Network | None) -> int:
    """`count`, else the pool's default for the type, else Butler's."""
    kind = document.spec["type"]
    default = None
    if network is not None:
        default = network.nodes_per_tenant if kind == "nodes" else network.lb_pool_per_tenant
    return int(document.spec.get("count") or default or _COUNT[kind])
