from tests.families.capi.trees import SEED_FILES, got
from tests.planning.outcome import codes
from tests.world import evaluation_of, reconciled


def test_the_examples_are_read_and_planned_as_documented() -> None:
    assert got(evaluation_of(SEED_FILES)) == {
        "my-cluster.control-plane": "control-plane-vip-pool:10",
        "my-cluster.ingress": "ingress-vip-pool:100",
    }
    # Three pools share addresses, and the labels of one are lists that no server takes.
    assert set(codes(SEED_FILES)) == {("warning", "pool-overlap"), ("warning", "label-unfit")}
    assert evaluation_of(reconciled(SEED_FILES)).changes == ()
