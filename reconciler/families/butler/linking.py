"""What a Butler document bears on, told from the document alone."""

from reconciler.addresses import IPRange
from reconciler.addresses.notation import NotationError, parse_address, parse_cidr
from reconciler.documents.document import Document
from reconciler.families._family import EVERYWHERE, Links, name_node, pool_node
from reconciler.families._network import DEFAULT_SPACE, PREFIX
from reconciler.families.butler.pools import pool_key
from reconciler.families.butler.providers import DEFAULT, NAMESPACE

# The provider of tenants that name none: `default`, else the first, which may be any.
_DEFAULT = (f"ProviderConfig {NAMESPACE}/{DEFAULT}", f"ProviderConfig {NAMESPACE}/")


def links(document: Document) -> Links:
    """Nodes and ranges of a document; of what is not understood, none."""
    node = f"{document.kind.name} {document.namespace}/{document.name}"
    match document.kind.name:
        case "NetworkPool":
            space = document.annotations().get(f"{PREFIX}address-space", DEFAULT_SPACE)
            return Links((node,), _cidr(space, document.spec["cidr"]))
        case "ProviderConfig":
            network = document.spec.get("network") or {}
            named = [reference["name"] for reference in network.get("poolRefs") or ()]
            pools = [pool_node(pool_key(NAMESPACE, name)) for name in named]
            return Links((node, *pools))
        case "TenantCluster":
            return _tenant(node, document)
        case "IPAllocation":
            return _request(node, document)
        case _:
            return Links((), is_shared=True)


def _tenant(node: str, document: Document) -> Links:
    nodes = [node, name_node(f"{document.namespace}-{document.name}")]
    reference = document.spec.get("providerConfigRef")
    if reference:
        namespace = reference.get("namespace", NAMESPACE)
        nodes.append(f"ProviderConfig {namespace}/{reference['name']}")
    manual = (document.spec.get("networking") or {}).get("loadBalancerPool")
    ranges = _between(manual["start"], manual["end"]) if manual else ()
    return Links(tuple(nodes), ranges, None if reference else _DEFAULT)


def _request(node: str, document: Document) -> Links:
    reference = document.spec["tenantClusterRef"]
    pool = pool_key(document.namespace, document.spec["poolRef"]["name"])
    tenant = f"TenantCluster {reference['namespace']}/{reference['name']}"
    return Links((node, pool_node(pool), tenant, name_node(document.name)))


def _cidr(space: str, text: str) -> tuple[tuple[str, IPRange], ...]:
    try:
        return ((space, parse_cidr(text)),)
    except NotationError:
        return ()


def _between(start: str, end: str) -> tuple[tuple[str, IPRange], ...]:
    try:
        (version, first), (other, last) = parse_address(start), parse_address(end)
    except NotationError:
        return ()
    if version != other:
        return ()
    # Nobody knows its address space, so it keeps others off in all of them.
    return ((EVERYWHERE, IPRange(version, min(first, last), max(first, last))),)
