"""A pool that shall have another name: it keeps its own while Services use it.

To MetalLB a pool of another name is another pool: what uses the old one would lose its address.
"""

from typing import Any

from msgspec.structs import replace

from reconciler.clusters.desired import DesiredObject, desired_object
from reconciler.clusters.metallb import NAMESPACE, Pools, users_of
from reconciler.clusters.plan import Draft
from reconciler.clusters.resources import ADDRESS_POOL, ADVERTISEMENT, SERVICE
from reconciler.clusters.snapshot import Query, Snapshot
from reconciler.clusters.target import Target
from reconciler.model.resource import Ref

SERVICES = Query(SERVICE)


def keeping_name(target: Target, live: Pools, snapshot: Snapshot, draft: Draft) -> Target:
    """What a cluster shall hold, in a pool of the name that ours has there while it is in use.

    Args:
        target: What it shall hold.
        live: Our pools as they are.
        snapshot: What was read of the cluster.
        draft: The plan; it tells why a pool is not renamed.

    Raises:
        Unanswered: Services have to be read.
    """
    wanted = target.wanted()
    old, new = [it for it in live if it not in wanted], [it for it in wanted if it not in live]
    if len(old) != 1 or len(new) != 1 or draft.options.force_withdraw:
        return target
    moving = live[old[0]] & wanted[new[0]]
    services = snapshot.of(SERVICES).objects.values()
    users = users_of((item.manifest for item in services), moving)
    if not users:
        return target
    reason = (
        f"IPAddressPool {old[0]} is not renamed: Service {users[0].service} uses"
        f" {users[0].address}, and would lose it; name it {old[0]} in the repository again, or"
        " --force-withdraw"
    )
    draft.fail(str(Ref(ADDRESS_POOL, NAMESPACE, new[0])), reason)
    desired = tuple(_renamed(item, new[0], old[0]) for item in target.desired)
    return replace(target, desired=desired)


def _renamed(item: DesiredObject, new: str, old: str) -> DesiredObject:
    """A pool, or what announces it, with the name that the pool has."""
    body: dict[str, Any] = dict(item.body or {})
    if item.ref.resource == ADVERTISEMENT:
        pools = [old if name == new else name for name in body["spec"]["ipAddressPools"]]
        return desired_object({**body, "spec": {**body["spec"], "ipAddressPools": pools}})
    name = old if item.ref.name == new else item.ref.name
    return desired_object({**body, "metadata": {**body["metadata"], "name": name}})
