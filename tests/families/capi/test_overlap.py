"""Pools of two families that overlap: no address is given twice, in whatever order files stand."""

from itertools import pairwise
from random import Random

from reconciler.model.plan import Grant
from tests.families.capi.trees import VIP, claim, cluster, pool
from tests.world import evaluation_of, provider, reconciled, tenant
from tests.world import pool as network

NO_INGRESS = {f"{VIP}ingress-enabled": "false"}


def texts() -> list[tuple[str, str]]:
    """Documents with their folders: networks of 256 addresses that all lie in one another."""
    found = [
        ("pools", network("edge", "10.0.0.0/24")),
        ("pools", pool("vips", "10.0.0.0/25", gateway="10.0.0.1")),
        ("pools", pool("doors", "10.0.0.64-10.0.0.200", role="ingress")),
        ("pools", pool("own", "10.0.0.100-10.0.0.250", namespace="default")),
        ("providers", provider("default", "[{name: edge}]", loadBalancer="{defaultPoolSize: 3}")),
    ]
    found += [("tenants", tenant(f"t{number}")) for number in range(20)]
    found += [("clusters", cluster(f"c{number}")) for number in range(40)]
    found += [("clusters", claim(f"a{number}", "own", "InClusterIPPool")) for number in range(40)]
    found.append(("clusters", cluster("hand", annotations=NO_INGRESS,
                                      controlPlaneEndpoint={"host": "10.0.0.70"})))  # fmt: skip
    return found


def tree(order: list[tuple[str, str]]) -> dict[str, str | bytes]:
    return {f"{folder}/{at:03}.yaml": text for at, (folder, text) in enumerate(order)}


def test_no_address_is_given_twice_and_the_order_of_files_changes_nothing() -> None:
    plans = []
    for seed in range(3):
        order = texts()
        Random(seed).shuffle(order)
        evaluation = evaluation_of(tree(order))
        granted = [item.allocation for item in evaluation.plan.decisions if isinstance(item, Grant)]
        ranges = sorted(item.range for item in granted if item.range is not None)
        assert len(ranges) == 20 + 40 + 40 + 40
        assert all(left.last < right.first for left, right in pairwise(ranges))
        assert not any(item.first <= 0x0A000046 <= item.last for item in ranges)  # by hand
        plans.append([(str(item.claim), item.range) for item in granted])
    assert plans[0] == plans[1] == plans[2]
    assert evaluation_of(reconciled(tree(texts()))).changes == ()
