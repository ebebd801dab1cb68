"""Paths of records, and the data in them."""

import pytest

from reconciler.families import Slot, claimant_of
from reconciler.model.key import Key
from reconciler.records.layout import RecordPath, claim_of, place_of
from tests.records.examples import CLAIM, FOLDER, POOL


@pytest.mark.parametrize(
    ("path", "claim", "pool"),
    [
        ("allocations/a.yaml", None, None),
        ("allocations/_unplaced/a/b.unknown.yaml", None, None),
        ("allocations/_unplaced/a/nodes.yaml", None, None),
        ("allocations/_unplaced/a/.nodes.yaml", None, None),
        ("allocations/_unplaced/a/B b.nodes.yaml", None, None),
        ("allocations/NetworkPool/butler-system.vlan40-pool/a/x.yaml", None, POOL),
        ("allocations/NetworkPool/butler-system.vlan40-pool/x.nodes.yaml", None, None),
        ("allocations/NetworkPool/butler-system.vlan40-pool/team-backend/my-cluster.loadbalancer.yml",
         CLAIM, POOL),
        ("allocations/OtherPool/butler-system.vlan40-pool/a/b.nodes.yaml", None, None),
    ],
)  # fmt: skip
def test_a_path_tells_what_it_can(path: str, claim: Key | None, pool: Key | None) -> None:
    assert place_of(FOLDER, path) == RecordPath(claim, pool)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "nothing",
        "butler/NetworkPool/butler-system/vlan40-pool",  # no slot
        "other/TenantCluster/a/b/nodes",
        "butler/TenantCluster/../b/nodes",
    ],
)
def test_an_annotation_that_names_no_claim_of_ours_names_none(text: str) -> None:
    assert claim_of(text) is None


def test_a_growth_slot_belongs_to_the_owner_of_its_base() -> None:
    assert claimant_of("nodes") == Slot("butler", "TenantCluster")
    assert claimant_of("loadbalancer-12") == claimant_of("nodes")
    assert claimant_of("request") == Slot("butler", "IPAllocation")
    assert claimant_of("request-1") is None  # a request does not grow
    assert claimant_of("nodes-x") is None
    assert claimant_of("unknown-1") is None
