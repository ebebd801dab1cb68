"""The documents of the seeds: YAML as they print it (indentation restored), and their numbers."""

from pathlib import Path

from click.testing import CliRunner

from reconciler.cli.commands import ipam
from reconciler.reconcile.simulate import simulate
from reconciler.report.queries import simulation_document
from tests.planning.outcome import codes, outcome, refusal
from tests.records.examples import REQUEST, STATUS
from tests.world import evaluation_of, git, pool, provider, reconciled, repository, tenant

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
# The example without count has the name of the full one; here it is in a namespace of its own.
WITHOUT_COUNT = REQUEST.replace("  count: 5\n", "")
# Butler: "NetworkPool".
LAB_POOL = """\
apiVersion: butler.butlerlabs.dev/v1alpha1
kind: NetworkPool
metadata:
  name: lab-pool
  namespace: butler-system
spec:
  cidr: "10.40.0.0/21"
  reserved:
    - cidr: "10.40.0.0/28"
      description: "Management cluster"
  tenantAllocation:
    start: "10.40.1.0"
    end: "10.40.7.254"
    defaults:
      nodesPerTenant: 5
      lbPoolPerTenant: 8
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


def test_the_node_request_without_count_of_seed_001_gets_the_pools_default() -> None:
    files = {
        "pools/lab.yaml": LAB_POOL.replace("lab-pool", "vlan40-pool"),
        "tenants/a.yaml": WITHOUT_COUNT,
    }
    assert outcome(files)["butler-system/my-cluster-nodes (request)"] == (
        "allocate 10.40.1.0-10.40.1.4 of vlan40-pool"
    )


def test_the_status_of_seed_001_is_accepted_as_a_record_with_its_cidr_that_contradicts() -> None:
    text = REQUEST + STATUS
    (found,) = evaluation_of({**VLAN40, RECORD: text}).state.records
    assert found.range is not None
    assert (found.range.size, found.claim.slot) == (5, "nodes")


def test_the_pool_of_seed_002_is_accepted_and_counts_exactly() -> None:
    evaluation = evaluation_of({"pools/lab.yaml": LAB_POOL})
    assert evaluation.findings == ()
    (usage,) = evaluation.plan.before.values()
    assert (usage.total, usage.largest, usage.fragmentation) == (1791, 1791, 0)


# 10.92.90.0/23 with 32 usable addresses, elastic, two for each tenant.
POOL_OF_000 = pool(
    "prod", "10.92.90.0/23", tenantAllocation="{start: 10.92.90.49, end: 10.92.90.80}"
)
ELASTIC = "{allocationMode: elastic, initialPoolSize: 2, growthIncrement: 1}"


def worked_example(tenants: int) -> dict[str, str | bytes]:
    return {
        "pools/prod.yaml": POOL_OF_000,
        "providers/default.yaml": provider(pools="[{name: prod}]", loadBalancer=ELASTIC),
        **{f"tenants/{at:02}.yaml": tenant(f"t{at:02}") for at in range(tenants)},
    }


def test_the_worked_example_of_seed_000_fills_as_the_seed_says() -> None:
    seen = []
    for tenants in (8, 12, 14, 16):
        (usage,) = evaluation_of(worked_example(tenants)).plan.after.values()
        seen.append((usage.allocated, usage.percent, usage.tier.value))
    assert seen == [
        (16, 50.0, "ok"),
        (24, 75.0, "warning"),
        (28, 87.5, "critical"),
        (32, 100.0, "exhausted"),
    ]


def test_the_seventeenth_tenant_is_refused_with_reason_and_remedy() -> None:
    files = {**reconciled(worked_example(16)), **worked_example(17)}
    found = refusal(files, "team-a/t16 (loadbalancer)")
    assert found.reason == "pool-exhausted"
    assert found.message == "needs 2 contiguous addresses; prod: 0 free of 32"
    assert "widen the pool by 2 or more addresses" in found.hint


def test_without_ingress_a_tenant_of_seed_000_takes_nothing_at_rest() -> None:
    files = reconciled(worked_example(16))
    files["tenants/quiet.yaml"] = tenant("quiet", addons="{ingress: {enabled: false}}")
    assert codes(files) == []


def test_check_exits_with_three_for_the_seventeenth_tenant_and_simulate_tells_the_tiers(
    tmp_path: Path,
) -> None:
    folder = repository(tmp_path / "repo", reconciled(worked_example(8)))
    git(folder, "status")
    run = CliRunner().invoke(
        ipam, ["simulate", "--repo", str(folder), "--tenants", "9"], standalone_mode=False
    )
    assert run.return_value == 3
    rows = [line.split() for line in run.stdout.splitlines()]
    assert rows[1:5] == [
        ["0", "prod", "16", "0", "32", "50.0", "none"],
        ["4", "prod", "24", "0", "32", "75.0", "warning"],
        ["6", "prod", "28", "0", "32", "87.5", "warning+critical"],
        ["8", "prod", "32", "0", "32", "100.0", "warning+critical+exhausted"],
    ]
    assert "8 of 9 fit; 7 of them pass the gate." in run.stdout
    (folder / "tenants" / "more.yaml").write_text(
        "---\n".join(tenant(f"more{at}") for at in range(9)), encoding="utf-8"
    )
    checked = CliRunner().invoke(
        ipam, ["check", "--repo", str(folder), "--worktree"], standalone_mode=False
    )
    assert checked.return_value == 3
    assert "refused pool-exhausted" in checked.stdout
    assert "refused capacity" in checked.stdout


def test_simulating_the_worked_example_from_nothing_gives_the_numbers_of_the_seed(
    tmp_path: Path,
) -> None:
    from reconciler.gitio.opening import open_repository

    folder = repository(tmp_path / "repo", worked_example(0))
    source = open_repository(folder, {}).source("HEAD")
    found = simulation_document(simulate(source, 17, None, lb=None, nodes=None))
    assert (found["requested"], found["fit"]) == (17, 16)
    assert [(step["tenants"], step["allocated"], step["tiers"]) for step in found["steps"]] == [
        (0, 0, "none"),
        (12, 24, "warning"),
        (14, 28, "warning+critical"),
        (16, 32, "warning+critical+exhausted"),
    ]
    assert found["refused"]["reason"] == "pool-exhausted"
