"""Records that several tests share: the contract's example, and one of each form."""

from msgspec.structs import replace

from reconciler.addresses import IPRange, parse_address
from reconciler.model.claim import Allocation, Owner, Phase
from reconciler.model.key import Key
from reconciler.records.layout import path_of

FOLDER = "allocations"
POOL = Key("butler", "butler-system", "vlan40-pool", "", "NetworkPool")
CLAIM = Key("butler", "team-backend", "my-cluster", "loadbalancer", "TenantCluster")
SINCE = "2026-02-15T10:00:30Z"
LATER = "2026-02-16T00:00:00Z"


def span(start: str, end: str) -> IPRange:
    (version, first), (_, last) = parse_address(start), parse_address(end)
    return IPRange(version, first, last)


def record(start: str = "10.40.0.80", end: str = "10.40.0.87", **fields: object) -> Allocation:
    item = span(start, end)
    made = Allocation(
        claim=CLAIM,
        pool=POOL,
        range=item,
        phase=Phase.ALLOCATED,
        since=SINCE,
        allocated_at=SINCE,
        size=item.size,
        pinned=False,
        type="loadbalancer",
        role="initial",
        owner=Owner("team-backend", "my-cluster", "backend-team"),
        name="team-backend-my-cluster-lb",
        namespace="butler-system",
    )
    made = replace(made, **fields)
    if made.claim.kind == CLAIM.kind and "owner" not in fields:
        made = replace(made, owner=Owner(made.claim.namespace, made.claim.name, "backend-team"))
    placed = made.pool if made.range is not None else None
    return replace(made, path=made.path or path_of(FOLDER, placed, made.claim))


def unplaced(phase: Phase = Phase.FAILED, **fields: object) -> Allocation:
    failed = replace(record(), path="", size=8, reason="pool-fragmented")
    return replace(
        failed,
        phase=phase,
        range=None,
        allocated_at="",
        message="needs 8 in a row; 10 free, largest range 4",
        path=path_of(FOLDER, None, CLAIM),
        **fields,
    )


EXAMPLE = """apiVersion: butler.butlerlabs.dev/v1alpha1
kind: IPAllocation
metadata:
  annotations:
    gitops-ipam.dev/claim: butler/TenantCluster/team-backend/my-cluster/loadbalancer
  labels:
    butler.butlerlabs.dev/allocation-role: initial
    butler.butlerlabs.dev/allocation-type: loadbalancer
    butler.butlerlabs.dev/network-pool: vlan40-pool
    butler.butlerlabs.dev/team: backend-team
    butler.butlerlabs.dev/tenant: my-cluster
  name: team-backend-my-cluster-lb
  namespace: butler-system
spec:
  count: 8
  poolRef:
    name: vlan40-pool
  tenantClusterRef:
    name: my-cluster
    namespace: team-backend
  type: loadbalancer
status:
  addresses:
    - 10.40.0.80
    - 10.40.0.81
    - 10.40.0.82
    - 10.40.0.83
    - 10.40.0.84
    - 10.40.0.85
    - 10.40.0.86
    - 10.40.0.87
  allocatedAt: "2026-02-15T10:00:30Z"
  allocatedBy: networkpool-controller
  allocatedCount: 8
  cidr: 10.40.0.80/29
  conditions:
    - lastTransitionTime: "2026-02-15T10:00:30Z"
      message: 8 IPs allocated from vlan40-pool
      reason: Allocated
      status: "True"
      type: Ready
  endAddress: 10.40.0.87
  phase: Allocated
  startAddress: 10.40.0.80
"""
"""The record of docs/reference/records.md, byte for byte."""

ADDRESS_POOL = Key("plain", "", "internal", "", "AddressPool")
ENTRY = Key("plain", "", "prod-1", "dmz.ipv6.2", "ClusterTarget")


def plain(start: str, end: str, *, claim: Key, **fields: object) -> Allocation:
    """A record of `gitops-ipam.dev`."""
    more = {"type": "address", "owner": Owner(claim.namespace, claim.name, "databases"), **fields}
    name, namespace = f"{claim.name}.{claim.slot}", claim.namespace
    return record(
        start, end, claim=claim, pool=ADDRESS_POOL, name=name, namespace=namespace, **more
    )


VM = Key("plain", "team-db", "db-1", "ipv4", "AddressClaim")
V6_POOL = replace(POOL, name="v6-pool")
NODES = replace(CLAIM, slot="nodes")
ALL = {
    "the example": record(),
    "a plain address": plain("10.22.0.7", "10.22.0.7", claim=VM),
    "a plain prefix": plain("10.22.0.64", "10.22.0.127", claim=VM, prefix=26),
    "a released plain address": plain(
        "10.22.0.7", "10.22.0.7", claim=VM, phase=Phase.RELEASED, since=LATER
    ),
    "an entry that is still announced": plain(
        *("2001:db8::10", "2001:db8::13"),
        claim=ENTRY,
        phase=Phase.RELEASED,
        since=LATER,
        announced=True,
        type="loadbalancer",
        owner=Owner("", "prod-1", ""),
        object="edge",
    ),
    "not one block": record("10.40.0.64", "10.40.0.68"),
    "one address": record("10.40.0.7", "10.40.0.7"),
    "1024 addresses": record("10.0.0.0", "10.0.3.255"),
    "1025 addresses": record("10.0.0.0", "10.0.4.0"),
    "a /8": record("10.0.0.0", "10.255.255.255"),
    "pinned": record("10.40.0.100", "10.40.0.109", pinned=True),
    "released": record(phase=Phase.RELEASED, since=LATER),
    "failed": unplaced(),
    "pending": unplaced(Phase.PENDING, reason="waiting"),
    "growth": record(
        claim=replace(CLAIM, slot="loadbalancer-2"),
        role="growth",
        name="team-backend-my-cluster-lb-2",
    ),
    "nodes": record(claim=NODES, type="nodes", name="team-backend-my-cluster-nodes"),
    "IPv6": record("2001:db8::10", "2001:db8::17", pool=V6_POOL),
    "IPv6 that ends with a colon": record("2001:db8::", "2001:db8::f", pool=V6_POOL, pinned=True),
    "IPv6 that reads as a number": record("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:9", pool=V6_POOL),
    "a /64": record("2001:db8::", "2001:db8::ffff:ffff:ffff:ffff", pool=V6_POOL),
    "names that need quotes": replace(
        record(
            claim=replace(CLAIM, namespace="null", name="0777"),
            pool=replace(POOL, name="1e3"),
            owner=Owner("null", "0777", "yes"),
            name="null-0777-lb",
            namespace="on",
        ),
        pool=replace(POOL, name="1e3", namespace="on"),
    ),
    "a team of any text": record(owner=Owner("team-backend", "my-cluster", "Zürich: #1 😀")),
    "a request": record(
        claim=Key("butler", "butler-system", "mine", "request", "IPAllocation"), name="mine"
    ),
    "a message of any text": unplaced(reason="pool-not-found"),
}
"""One record of every form, by what is odd about it."""
ALL["names that need quotes"] = replace(
    ALL["names that need quotes"],
    path=path_of(FOLDER, ALL["names that need quotes"].pool, ALL["names that need quotes"].claim),
)
ALL["a message of any text"] = replace(
    ALL["a message of any text"], message='pool "a: b" #1\t\u202e is not here'
)

# docs/reference/butler.md, "Full Example" and "Node Allocation": a request for five addresses.
REQUEST = """\
apiVersion: butler.butlerlabs.dev/v1alpha1
kind: IPAllocation
metadata:
  name: my-cluster-nodes
  namespace: butler-system
  labels:
    butler.butlerlabs.dev/team: backend-team
    butler.butlerlabs.dev/tenant: my-cluster
    butler.butlerlabs.dev/network-pool: vlan40-pool
    butler.butlerlabs.dev/allocation-type: nodes
spec:
  poolRef:
    name: vlan40-pool
  tenantClusterRef:
    name: my-cluster
    namespace: team-backend
  type: nodes
  count: 5
"""
# The full example with its status, as a user copies it from a cluster.
STATUS = """\
status:
  phase: Allocated
  conditions:
    - type: Ready
      status: "True"
      reason: Allocated
      message: "5 IPs allocated from vlan40-pool"
      lastTransitionTime: "2026-02-15T10:00:30Z"
  cidr: "10.40.0.64/29"
  startAddress: "10.40.0.64"
  endAddress: "10.40.0.68"
  addresses:
    - "10.40.0.64"
    - "10.40.0.65"
    - "10.40.0.66"
    - "10.40.0.67"
    - "10.40.0.68"
  allocatedCount: 5
  observedGeneration: 1
  allocatedAt: "2026-02-15T10:00:30Z"
  allocatedBy: "networkpool-controller"
"""
