"""Causes for people and for forges: where, and from which folder that counts."""

from msgspec.structs import replace

from reconciler.documents.findings import Location
from reconciler.model.key import Key
from reconciler.model.plan import Cause
from reconciler.report.markdown import at_top
from reconciler.report.text.plan import blocks, place_of
from reconciler.review.result import Compared
from tests.world import SMALL, evaluation_of

CLAIM = Key("butler", "team-a", "one", "loadbalancer", "TenantCluster")
HERE = Cause(
    CLAIM, Location("pools/edge.yaml", 6), "the pool is another one", commit="4b1f0c2a9d3177"
)
NOWHERE = Cause(CLAIM, None, "its retention ended", is_caused=False)


def test_claims_with_one_cause_are_told_in_one_sentence() -> None:
    others = [replace(HERE, claim=replace(CLAIM, name=name)) for name in "bcdefg"]
    elsewhere = replace(HERE, place=Location("pools/edge.yaml", 7))
    ((_, sentences),) = blocks([HERE, *others, elsewhere])
    cause = "pools/edge.yaml:{} (4b1f0c2a9d31): the pool is another one"
    assert [it.endswith(cause.format(6 + at)) for at, it in enumerate(sentences)] == [True, True]
    assert sentences[0].startswith("team-a/one (loadbalancer), team-a/b (loadbalancer), team-a/c")
    assert " and 2 more: " in sentences[0]


def test_from_the_top_a_cause_has_the_folder_of_its_root() -> None:
    compared = Compared(evaluation_of(SMALL), causes=(HERE, NOWHERE))
    first, second = at_top(compared, "infra/ipam").causes
    assert place_of(first) == "infra/ipam/pools/edge.yaml:6 (4b1f0c2a9d31)"
    assert second == NOWHERE
