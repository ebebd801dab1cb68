from tests.families.capi.trees import SEED_FILES, VIP, got
from tests.planning.outcome import codes
from tests.world import evaluation_of, reconciled

NAME = "clusters/my-cluster.yaml"
CLUSTER = str(SEED_FILES[NAME])


def test_the_examples_are_read_and_planned_as_documented() -> None:
    assert got(evaluation_of(SEED_FILES)) == {
        "my-cluster.control-plane": "control-plane-vip-pool:10",
        "my-cluster.ingress": "ingress-vip-pool:100",
    }
    # Three pools share addresses, and the labels of one are lists that no server takes.
    assert set(codes(SEED_FILES)) == {("warning", "pool-overlap"), ("warning", "label-unfit")}
    assert evaluation_of(reconciled(SEED_FILES)).changes == ()


def test_an_endpoint_by_hand_and_ingress_turned_off() -> None:
    by_hand = CLUSTER.replace(
        "spec:\n", 'spec:\n  controlPlaneEndpoint:\n    host: "10.0.0.100"\n    port: 6443\n', 1
    )
    files = {**SEED_FILES, NAME: by_hand}
    assert got(evaluation_of(files)) == {"my-cluster.ingress": "ingress-vip-pool:101"}
    off = f'metadata:\n  annotations:\n    {VIP}ingress-enabled: "false"\n'
    files[NAME] = CLUSTER.replace("metadata:\n", off, 1)
    assert got(evaluation_of(files)) == {"my-cluster.control-plane": "control-plane-vip-pool:10"}
