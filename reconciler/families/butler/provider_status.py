"""ProviderConfig status: what its pools have left, and for how many tenants (`butler.md` §1.3)."""

from collections.abc import Iterator, Mapping
from typing import Any

from reconciler.documents.document import Document, Documents
from reconciler.families._conditions import condition
from reconciler.families._family import Projection, ProjectionInput
from reconciler.families.butler.kinds import POOL
from reconciler.families.butler.pools import pool_key
from reconciler.families.butler.providers import Provider, Providers
from reconciler.families.butler.statuses import status_only
from reconciler.model.key import Key
from reconciler.model.plan import Usage

_TYPE = "PoolAvailable"
_NODES = 5
_LB_SIZE = 8


def provider_statuses(world: ProjectionInput, providers: Providers) -> Iterator[Projection]:
    """The status of each provider of mode `ipam` that is read, or names no pool."""
    nodes = nodes_per_tenant(world.documents)
    for provider in providers.all():
        document = provider.document
        if names_no_pool(document):
            message = "network.mode is 'ipam' but no poolRefs configured"
            failed = condition(_TYPE, "False", "ValidationFailed", message, world.clock)
            yield status_only(document, {"conditions": [failed]})
        elif provider.is_ipam:
            yield status_only(document, _status(world, provider, nodes))


def names_no_pool(provider: Document) -> bool:
    """The provider is of mode `ipam`, but gives no pool to take addresses from."""
    network = provider.spec.get("network") or {}
    return network.get("mode") == "ipam" and not network.get("poolRefs")


def _status(world: ProjectionInput, provider: Provider, nodes: dict[Key, int]) -> dict[str, Any]:
    available, tenants = capacity(world.usage, provider, nodes)
    message = f"{available} IPs available (~{tenants} tenants)"
    told = ("True", _TYPE, message)
    if available == 0:
        told = ("False", "PoolExhausted", "all configured pools are exhausted")
    return {
        "capacity": {"availableIPs": available, "estimatedTenants": tenants},
        "conditions": [condition(_TYPE, *told, world.clock)],
    }


def capacity(
    usage: Mapping[Key, Usage], provider: Provider, nodes: Mapping[Key, int]
) -> tuple[int, int]:
    """Addresses that the pools of a provider have left, and for how many tenants that is."""
    # A pool may be named twice, but its addresses are there once.
    found = [key for key in dict.fromkeys(provider.pools) if key in usage]
    available = sum(usage[key].available for key in found)
    return available, available // _per_tenant(provider, found, nodes)


def _per_tenant(provider: Provider, pools: list[Key], nodes: Mapping[Key, int]) -> int:
    """Addresses that one more tenant takes.

    Butler reckons with 5 nodes and the static size. Its elastic providers give neither, so there
    it is what a tenant really takes: with 16 of 32 left and 2 for each, room for 8 (seed 000).
    """
    if provider.is_elastic:
        given = (nodes[key] for key in pools if key in nodes)
        return (provider.lb_size or _LB_SIZE) + next(given, 0)
    return _NODES + (provider.lb_size or _LB_SIZE)


def nodes_per_tenant(documents: Documents) -> dict[Key, int]:
    """Addresses for nodes that pools give each tenant; pools that give none are left out."""
    found = {}
    for document in documents.of(POOL):
        defaults = (document.spec.get("tenantAllocation") or {}).get("defaults") or {}
        if "nodesPerTenant" in defaults:
            found[pool_key(document.namespace, document.name)] = int(defaults["nodesPerTenant"])
    return found
