"""Fields of each family's documents that patches for a refused claim can change."""

import pytest
from msgspec.structs import replace

from reconciler.addresses import IPRange, IPSet
from reconciler.families.butler.pools import FIXES as BUTLER
from reconciler.families.capi.pools import FIXES as CAPI
from reconciler.families.interface import Fixes
from reconciler.families.novaedge.reading import FIXES as NOVA
from reconciler.planning.evaluate import Evaluation
from tests.families.novaedge import pool as nova_pool
from tests.world import evaluation_of, pool

IN_CLUSTER = """apiVersion: ipam.cluster.x-k8s.io/v1alpha2
kind: GlobalInClusterIPPool
metadata: {name: vips}
spec:
  addresses: [10.0.0.10-10.0.0.20]
  gateway: 10.0.0.25
  prefix: 27
"""


def widened(fixes: Fixes, evaluation: Evaluation, lacking: int = 1) -> list[str]:
    (item,) = evaluation.state.pools.values()
    return [fix.says for fix in fixes.widened(evaluation.documents, item, lacking)]


def test_a_network_is_doubled_until_it_has_what_lacks() -> None:
    says = widened(BUTLER, evaluation_of({"pools/edge.yaml": pool(cidr="10.40.1.0/24")}), 300)
    assert says[0] == "widen edge from 10.40.1.0/24 to 10.40.0.0/22, if the network team agrees"
    assert len(says) == 7


def test_a_pool_of_one_subnet_gets_what_is_free_of_it() -> None:
    evaluation = evaluation_of({"pools/vips.yaml": IN_CLUSTER})
    assert widened(CAPI, evaluation) == [
        "add 10.0.0.26-10.0.0.30 to the addresses of vips",
        "add 10.0.0.21-10.0.0.24 to the addresses of vips",
        "add 10.0.0.1-10.0.0.8 to the addresses of vips",
    ]
    assert widened(CAPI, evaluation, 9) == ["add 10.0.0.1-10.0.0.9 to the addresses of vips"]
    (item,) = evaluation.state.pools.values()
    assert list(CAPI.widened(evaluation_of({}).documents, item, 1)) == []


def test_a_list_of_networks_gets_a_further_one_of_the_same_size() -> None:
    evaluation = evaluation_of({"pools/vips.yaml": nova_pool(cidrs="[223.255.255.0/24]")})
    assert widened(NOVA, evaluation)[0] == "add 224.0.0.0/24 to the cidrs of main"
    assert widened(NOVA, evaluation, 257) == []
    (item,) = evaluation.state.pools.values()
    assert list(NOVA.widened(evaluation_of({}).documents, item, 1)) == []
    end = (1 << 32) - 256
    last = replace(item, extent=IPSet((IPRange(4, end, end + 255),)))
    assert list(NOVA.widened(evaluation.documents, last, 1)) == []


@pytest.mark.parametrize(
    ("given", "edited"),
    [
        ("{start: 10.40.1.9, end: 10.40.1.255}", []),
        ("{start: 10.40.1.0, end: 10.40.1.99}", ["start"] * 8),
        ("{start: 10.40.1.9, end: 10.40.1.99}", []),
        ("{ranges: [{start: 10.40.1.0, end: 10.40.1.9}]}", []),
        ("{start: 10.40.1.9}", ["cidr"] * 8),
    ],
)
def test_a_window_is_moved_only_where_it_ends_with_its_network(
    given: str, edited: list[str]
) -> None:
    text = pool(cidr="10.40.1.0/24", tenantAllocation=given)
    evaluation = evaluation_of({"pools/edge.yaml": text})
    (item,) = evaluation.state.pools.values()
    fixes = BUTLER.widened(evaluation.documents, item, 1)
    assert [str(fix.edits[-1].steps[-1]) for fix in fixes] == edited
