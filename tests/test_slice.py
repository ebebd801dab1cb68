from tests.world import SMALL, evaluation_of, raw, reconciled

RECORD = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer.yaml"


def test_a_tenant_gets_the_lowest_addresses_of_its_pool() -> None:
    after = reconciled(SMALL)
    assert b"startAddress: 10.40.0.0\n" in raw(after[RECORD])


def test_a_reconciled_tree_has_nothing_left_to_do() -> None:
    assert evaluation_of(reconciled(SMALL)).changes == ()
