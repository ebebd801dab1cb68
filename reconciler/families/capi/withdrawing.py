"""When an address counts as withdrawn: a rule that no missing answer can fulfil.

- The address of a Cluster: when no Cluster of the management cluster has it any more, as its
  endpoint, its ingress annotation or label, or the value of a variable: the Cluster is gone, or has
  another one.
- The address of an IPAddressClaim: when no such claim is there any more.

Where the management cluster cannot be asked, nothing counts as withdrawn.
"""

from collections.abc import Iterable, Iterator, Mapping

from reconciler.families._objects import Lists
from reconciler.families.capi.holding import address_of
from reconciler.families.capi.kinds import ADDRESS, INGRESS_VIP, VARIABLES
from reconciler.families.capi.resources import CLAIMS, CLUSTERS
from reconciler.model.allocation import Allocation
from reconciler.model.resource import Manifest

ASKED = (CLUSTERS, CLAIMS)


def still_has(records: Iterable[Allocation], lists: Lists) -> Mapping[str, str]:
    """Records whose addresses are still in use, by path, and by whom."""
    users: dict[str, str] = {}
    for cluster in lists[CLUSTERS]:
        for address, where in _addresses(cluster):
            users.setdefault(address, f"{_title(cluster)} still has it as its {where}")
    claims = {_name(item): f"{_title(item)} is still there" for item in lists[CLAIMS]}
    found: dict[str, str] = {}
    for record in records:
        address = address_of(record)
        user = users.get(address)
        if record.claim.slot == ADDRESS:
            user = user or claims.get((record.claim.namespace, record.claim.name))
        if user is not None:
            found[record.path] = f"{address}: {user}"
    return found


def _addresses(cluster: Manifest) -> Iterator[tuple[str, str]]:
    spec, metadata = cluster.get("spec") or {}, cluster["metadata"]
    yield (spec.get("controlPlaneEndpoint") or {}).get("host", ""), "endpoint"
    for field in ("annotations", "labels"):
        yield (metadata.get(field) or {}).get(INGRESS_VIP, ""), "ingress address"
    for item in (spec.get("topology") or {}).get("variables") or ():
        if item["name"] in VARIABLES.values() and isinstance(item.get("value"), str):
            yield item["value"], f"variable {item['name']}"


def _name(manifest: Manifest) -> tuple[str, str]:
    return manifest["metadata"]["namespace"], manifest["metadata"]["name"]


def _title(manifest: Manifest) -> str:
    return f"{manifest['kind']} {'/'.join(_name(manifest))}"
