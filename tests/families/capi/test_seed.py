"""All example YAML of Cluster API of the kinds read here, with its indentation restored.

What else the seed shows is read by others: Rancher's CAPIProvider, Fleet's values of kube-vip,
Prometheus' ServiceMonitor.
"""

from pathlib import Path

import pytest

from tests.families.capi.test_served import site as site
from tests.families.capi.test_served import version as version
from tests.families.capi.trees import VIP, got
from tests.planning.outcome import codes
from tests.world import evaluation_of, reconciled

SEED = Path(__file__).parent / "seed"
AGAIN = "clusters/with-ingress.yaml"
"""The seed shows `my-cluster` twice; this is the shorter one, which names no Kubernetes version."""
FILES: dict[str, str | bytes] = {
    path.relative_to(SEED).as_posix(): path.read_text(encoding="utf-8")
    for path in sorted(SEED.rglob("*.yaml"))
    if path != SEED / AGAIN
}
CLUSTER = str(FILES["clusters/my-cluster.yaml"])
OTHER = CLUSTER.replace("name: my-cluster\n", "name: other-cluster\n", 1)
CLASSES = {
    "rke2-proxmox": "shared-vip-pool",
    "k3s-proxmox": "shared-vip-pool",
    "another-very-long-name": "long-names-vip-pool",
    "my-cluster-class": "control-plane-vip-pool",
}


def test_it_is_read_and_planned_as_the_seed_says() -> None:
    assert got(evaluation_of(FILES)) == {
        "my-cluster.control-plane": "control-plane-vip-pool:10",
        "my-cluster.ingress": "ingress-vip-pool:100",
    }
    # Three of its pools share addresses, and of one the labels are lists that no server takes.
    assert set(codes(FILES)) == {("warning", "pool-overlap"), ("warning", "label-unfit")}
    assert evaluation_of(reconciled(FILES)).changes == ()


def test_the_shorter_cluster_of_the_seed_gets_both_addresses_too() -> None:
    files = {**FILES, "clusters/my-cluster.yaml": (SEED / AGAIN).read_text(encoding="utf-8")}
    assert got(evaluation_of(files)).keys() == {"my-cluster.control-plane", "my-cluster.ingress"}


@pytest.mark.parametrize(("class_", "pool"), CLASSES.items())
def test_each_pool_of_the_seed_serves_the_classes_that_it_names(class_: str, pool: str) -> None:
    files = {**FILES, "clusters/my-cluster.yaml": CLUSTER.replace("my-cluster-class", class_)}
    assert got(evaluation_of(files))["my-cluster.control-plane"].startswith(f"{pool}:")


def test_pools_that_share_addresses_never_give_one_twice() -> None:
    """`control-plane-vip-pool` and `shared-vip-pool` both begin at 10.0.0.10."""
    files = {**FILES, "clusters/o.yaml": OTHER.replace("my-cluster-class", "rke2-proxmox")}
    assert got(evaluation_of(files)) == {
        "my-cluster.control-plane": "control-plane-vip-pool:10",
        "my-cluster.ingress": "ingress-vip-pool:100",
        "other-cluster.control-plane": "shared-vip-pool:11",
        "other-cluster.ingress": "shared-vip-pool:12",
    }


def test_what_the_seed_shows_of_an_endpoint_by_hand_and_of_ingress_turned_off() -> None:
    by_hand = CLUSTER.replace(
        "spec:\n", 'spec:\n  controlPlaneEndpoint:\n    host: "10.0.0.100"\n    port: 6443\n', 1
    )
    files = {**FILES, "clusters/my-cluster.yaml": by_hand}
    assert got(evaluation_of(files)) == {"my-cluster.ingress": "ingress-vip-pool:101"}
    off = f'metadata:\n  annotations:\n    {VIP}ingress-enabled: "false"\n'
    files["clusters/my-cluster.yaml"] = CLUSTER.replace("metadata:\n", off, 1)
    assert got(evaluation_of(files)) == {"my-cluster.control-plane": "control-plane-vip-pool:10"}
