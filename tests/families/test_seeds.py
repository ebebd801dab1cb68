"""The documents of the seeds: YAML as they print it (indentation restored), and their numbers."""

from tests.planning.outcome import codes, outcome
from tests.records.examples import REQUEST, STATUS
from tests.world import evaluation_of, pool

# Butler: "Full Example", "Load Balancer Allocation", "Node Allocation", "Pinned Range Allocation".
REQUESTS = f"""\
{REQUEST}---
apiVersion: butler.butlerlabs.dev/v1alpha1
kind: IPAllocation
metadata:
  name: my-cluster-lb
  namespace: butler-system
  labels:
    butler.butlerlabs.dev/team: backend-team
    butler.butlerlabs.dev/tenant: my-cluster
    butler.butlerlabs.dev/network-pool: vlan40-pool
    butler.butlerlabs.dev/allocation-type: loadbalancer
spec:
  poolRef:
    name: vlan40-pool
  tenantClusterRef:
    name: my-cluster
    namespace: team-backend
  type: loadbalancer
  count: 8
---
apiVersion: butler.butlerlabs.dev/v1alpha1
kind: IPAllocation
metadata:
  name: legacy-cluster-nodes
  namespace: butler-system
  labels:
    butler.butlerlabs.dev/team: platform-team
    butler.butlerlabs.dev/tenant: legacy-cluster
    butler.butlerlabs.dev/network-pool: vlan40-pool
    butler.butlerlabs.dev/allocation-type: nodes
spec:
  poolRef:
    name: vlan40-pool
  tenantClusterRef:
    name: legacy-cluster
    namespace: team-platform
  type: nodes
  pinnedRange:
    startAddress: "10.40.0.100"
    endAddress: "10.40.0.109"
"""
VLAN40 = {"pools/vlan40.yaml": pool("vlan40-pool")}
RECORD = "allocations/NetworkPool/butler-system.vlan40-pool/team-backend/my-cluster.nodes.yaml"


def test_the_requests_of_seed_001_are_accepted_and_the_pinned_one_gets_its_range() -> None:
    files = {**VLAN40, "tenants/seed.yaml": REQUESTS}
    assert outcome(files) == {
        "butler-system/my-cluster-lb (request)": "allocate 10.40.0.0-10.40.0.7 of vlan40-pool",
        "butler-system/my-cluster-nodes (request)": "allocate 10.40.0.8-10.40.0.12 of vlan40-pool",
        "butler-system/legacy-cluster-nodes (request)": (
            "allocate 10.40.0.100-10.40.0.109 of vlan40-pool"
        ),
    }
    # The tenants themselves are not part of the seed's examples.
    assert codes(files) == [("warning", "reference-not-found")] * 3


def test_the_status_of_seed_001_is_accepted_as_a_record_with_its_cidr_that_contradicts() -> None:
    text = REQUEST + STATUS
    (found,) = evaluation_of({**VLAN40, RECORD: text}).state.records
    assert found.range is not None
    assert (found.range.size, found.claim.slot) == (5, "nodes")
