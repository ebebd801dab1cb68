"""Every `kubectl` line of Butler's pages, against clusters that `ipam reconcile` brought about.

Source: Butler "IPAM Operations", "IPAllocation", "Networking and IPAM". `--update-golden` writes
what they say anew; read the difference before you keep it.
"""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.site import BUTLER, SERVICES, Site, service
from tests.e2e.transcript import Transcript
from tests.envtest.servers import ApiServer, until
from tests.families.test_seeds import ELASTIC, LAB_POOL, POOL_OF_000, REQUESTS
from tests.world import pool, provider, tenant

TIERS = """\
kubectl get networkpool -n butler-system -o custom-columns=\\
'NAME:.metadata.name,WARN:.status.conditions[?(@.type=="CapacityWarning")].status,\
CRIT:.status.conditions[?(@.type=="CapacityCritical")].status,\
EXHAUSTED:.status.conditions[?(@.type=="CapacityExhausted")].status'"""
DETAILS = """\
kubectl get networkpool -n butler-system -o custom-columns=\\
'NAME:.metadata.name,TOTAL:.status.totalIPs,ALLOC:.status.allocatedIPs,\
AVAIL:.status.availableIPs,COUNT:.status.allocationCount,FRAG:.status.fragmentationPercent'"""
POOLS = "kubectl get networkpool -n butler-system"
EVENTS = "kubectl get events -n butler-system --field-selector involvedObject.kind=NetworkPool"
EXTERNAL = """\
kubectl --kubeconfig <tenant-kubeconfig> get services -A --field-selector spec.type=LoadBalancer"""
ADDRESSES = """\
kubectl --kubeconfig <tenant-kubeconfig> get ipaddresspool -n metallb-system default-pool \
-o jsonpath='{.spec.addresses}'"""
SUMMARY = """\
kubectl get ipallocation -n butler-system \\
-o custom-columns='NAME:.metadata.name,\
TENANT:.metadata.labels.butler\\.butlerlabs\\.dev/tenant,\
ROLE:.metadata.labels.butler\\.butlerlabs\\.dev/allocation-role,\
PHASE:.status.phase,COUNT:.spec.count,RANGE:.status.cidr'"""
GROWTH = """\
kubectl get ipallocation -n butler-system \\
-l butler.butlerlabs.dev/allocation-role=growth"""
GROWTH_OF_ONE = """\
kubectl get ipallocation -n butler-system \\
-l butler.butlerlabs.dev/tenant=<cluster-name>,butler.butlerlabs.dev/allocation-role=growth"""
RANGES = """\
kubectl get ipallocation -n butler-system \\
-l butler.butlerlabs.dev/tenant=<cluster-name> \\
-o custom-columns='NAME:.metadata.name,START:.status.startAddress,END:.status.endAddress'"""
ADDRESSES_AGAIN = """\
kubectl --kubeconfig <tenant-kubeconfig> \\
get ipaddresspool -n metallb-system default-pool -o jsonpath='{.spec.addresses}'"""
ROOM = """\
kubectl get networkpool -n butler-system <pool-name> \\
-o jsonpath='Available: {.status.availableIPs}, Largest block: {.status.largestFreeBlock}'"""
ORPHANS = """\
kubectl get ipallocation -n butler-system \\
-l butler.butlerlabs.dev/tenant=<deleted-cluster-name>"""
DELETE = """\
kubectl delete ipallocation -n butler-system \\
-l butler.butlerlabs.dev/tenant=<deleted-cluster-name>"""
PODS = "kubectl get pods -n butler-system -l app.kubernetes.io/name=butler-controller"
LOGS = """\
kubectl logs -n butler-system -l app.kubernetes.io/name=butler-controller --tail=100 \\
| grep -i -E "ipam|alloc|growth|shrink|metallb\""""

FIRST = "team-a/t00"
LAB_NODES = "tenants/lab.yaml"
OPERATIONS = {
    "pools/prod.yaml": POOL_OF_000,
    "pools/lab.yaml": LAB_POOL,
    "providers/default.yaml": provider(pools="[{name: prod}]", loadBalancer=ELASTIC),
    "providers/lab.yaml": provider("lab", pools="[{name: lab-pool}]"),
    "tenants/gone.yaml": tenant("gone", "team-lab", providerConfigRef="{name: lab}"),
    LAB_NODES: tenant("lab", "team-lab", providerConfigRef="{name: lab}"),
    **{f"tenants/t{at:02}.yaml": tenant(f"t{at:02}") for at in range(8)},
}
PINS = (("my-cluster-nodes", 64, 68, 5), ("my-cluster-lb", 80, 87, 8))


@pytest.fixture
def operations(
    tmp_path: Path, management: ApiServer, tenants: tuple[ApiServer, ...]
) -> Iterator[Site]:
    """The worked example with eight tenants; MetalLB runs in the first one, beside Traefik."""
    site = Site(tmp_path, management, OPERATIONS)
    site.name(FIRST, tenants[0])
    site.reconcile()
    tenants[0].namespace("traefik")
    path = SERVICES.replace("default", "traefik")
    tenants[0].put(service("traefik"), path=path)
    metallb = tenants[0].start_metallb()
    try:
        until(
            lambda: tenants[0].get(f"{path}/traefik")["status"]["loadBalancer"].get("ingress"),
            "Traefik has an address",
        )
        yield site
    finally:
        metallb.stop()


def test_the_lines_of_ipam_operations(operations: Site, request: pytest.FixtureRequest) -> None:
    said = Transcript(operations.management)
    kubeconfig = str(operations.tenants[FIRST].kubeconfig)
    said.title("8 tenants")
    for line in (POOLS, DETAILS, TIERS):
        said.run(line)
    said.run(EXTERNAL, tenant_kubeconfig=kubeconfig)
    assert said.run(ADDRESSES, tenant_kubeconfig=kubeconfig) == '["10.92.90.49-10.92.90.50"]'
    for line in (SUMMARY, GROWTH):
        said.run(line)
    said.run(RANGES, cluster_name="t00")
    said.run(ADDRESSES_AGAIN, tenant_kubeconfig=kubeconfig)
    said.run(ROOM, pool_name="prod")
    for line in (PODS, LOGS):
        said.run(line)
    _fill(operations, said)
    said.title("Another worker in the lab")
    said.run(GROWTH)
    said.run(GROWTH_OF_ONE, cluster_name="lab")
    said.run(EVENTS)
    _clean_up(operations, said)
    said.check("ipam-operations", update=request.config.getoption("--update-golden"))


def _fill(site: Site, said: Transcript) -> None:
    """The table of the worked example, row by row."""
    for count in (12, 14, 16):
        more = {f"tenants/t{at:02}.yaml": tenant(f"t{at:02}") for at in range(count)}
        workers = "{replicas: 6}"
        lab = tenant("lab", "team-lab", providerConfigRef="{name: lab}")
        site.commit({**more, LAB_NODES: lab.replace("{replicas: 1}", workers)}, f"{count} tenants")
        site.reconcile(code=3 if count > 14 else 0)
        said.title(f"{count} tenants")
        for line in (POOLS, DETAILS, TIERS):
            said.run(line)


def _clean_up(site: Site, said: Transcript) -> None:
    """The allocations of a cluster that is no more, as its records outlive it."""
    site.commit({"tenants/gone.yaml": None}, "gone goes")
    site.reconcile()
    said.title("A deleted cluster: its allocations are released, and held until retention ends")
    said.run(ORPHANS, deleted_cluster_name="gone")
    said.title("This line waits for the next reconcile, which takes the finalizer off")
    deleting = said.start(DELETE, deleted_cluster_name="gone")
    until(lambda: _dying(site, "gone") == 2, "both are being deleted")
    assert deleting.poll() is None
    site.reconcile()
    told, _ = deleting.communicate(timeout=30)
    said.note(DELETE, told, deleting.returncode)
    said.title("Their addresses are held all the same: only the end of retention frees them")
    said.run(ORPHANS, deleted_cluster_name="gone")


def test_the_tables_of_the_ipallocation_and_networking_pages(
    tmp_path: Path, management: ApiServer, request: pytest.FixtureRequest
) -> None:
    requests = REQUESTS
    for name, first, last, count in PINS:
        pin = f"pinnedRange: {{startAddress: 10.40.0.{first}, endAddress: 10.40.0.{last}}}"
        head, _, rest = requests.partition(f"name: {name}\n")
        requests = f"{head}name: {name}\n" + rest.replace(f"count: {count}\n", f"{pin}\n", 1)
    files = {
        "pools/vlan40.yaml": pool("vlan40-pool"),
        "pools/lab.yaml": LAB_POOL,
        "tenants/seed.yaml": requests,
    }
    Site(tmp_path, management, files).reconcile()
    said = Transcript(management)
    for line in (
        "kubectl get ipallocation -n butler-system",
        "kubectl get ipa -n butler-system -l butler.butlerlabs.dev/team=backend-team",
        "kubectl get ipa my-cluster-nodes -n butler-system -o yaml",
        "kubectl get np -n butler-system",
        "kubectl get networkpool lab-pool -n butler-system -o yaml",
    ):
        said.run(line)
    said.check("ipallocation", update=request.config.getoption("--update-golden"))


def _dying(site: Site, cluster: str) -> int:
    selector = f"labelSelector=butler.butlerlabs.dev/tenant={cluster}"
    found = site.management.get(f"{BUTLER}/ipallocations?{selector}")["items"]
    return sum("deletionTimestamp" in item["metadata"] for item in found)
