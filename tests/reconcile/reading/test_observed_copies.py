"""Observed copies in a history with broken files, and with documents of people."""

import pytest

from reconciler.families.butler.kinds import TENANT
from reconciler.families.demand import DemandEntry, demand_document
from reconciler.planning.documents import path_of
from reconciler.planning.evaluate import evaluate
from reconciler.planning.read import read_tree
from tests.memory import MemorySource, evaluation_after
from tests.planning.outcome import Files, decided, without
from tests.world import SMALL, pool, provider, reconciled, settings, tenant

COPY = path_of("observed", ("butler.butlerlabs.dev", "TenantCluster", "team-a", "two"))
DEMAND = path_of("observed", ("gitops-ipam.dev", "Demand", "team-a", "one"))
TWO = "team-a/two (loadbalancer)"
GROWN = "team-a/one (loadbalancer-1)"
BASE: Files = {
    **SMALL,
    "providers/default.yaml": provider(loadBalancer="{allocationMode: elastic}"),
    COPY: tenant("two"),
    DEMAND: demand_document("team-a", "one", [DemandEntry(1, 1)]),
}
NAMED = TENANT, "team-a", "two"
BROKEN = {"tenants/odd.yaml": "metadata: {name: odd\n"}


def test_what_was_observed_counts_as_it_last_could_be_read() -> None:
    before = reconciled(BASE)
    for path, claim in ((COPY, TWO), (DEMAND, GROWN)):
        evaluation = evaluation_after([before], {**before, path: "{"})
        assert decided(evaluation)[claim].startswith("keep")
        assert "last-good" in [item.code for item in evaluation.findings]


def test_an_entry_that_breaks_gets_nothing_new() -> None:
    wrong = (
        demand_document("team-a", "one", [DemandEntry(1, 1), DemandEntry(2, 1)]) + b"  more: 1\n"
    )
    before = reconciled(BASE)
    found = decided(evaluation_after([before], {**before, DEMAND: wrong}))
    assert found[GROWN].startswith("keep")
    assert "team-a/one (loadbalancer-2)" not in found


def test_an_entry_that_found_no_room_gets_none_while_its_demand_cannot_be_read() -> None:
    more = demand_document("team-a", "one", [DemandEntry(1, 1), DemandEntry(2, 300)])
    before = reconciled({**BASE, DEMAND: more})
    wide = {**before, "pools/edge.yaml": pool(cidr="10.40.0.0/20")}
    second = "team-a/one (loadbalancer-2)"
    assert decided(evaluation_after([before], wide))[second].startswith("allocate")
    broken = {**wide, DEMAND: more + b"  more: 1\n"}
    assert decided(evaluation_after([before], broken))[second] == "refuse pool-frozen"


def source() -> MemorySource:
    """A tree in which something broke before a commit of reconcile took an observed copy away."""
    before = {**reconciled(BASE), **BROKEN}
    last: Files = {**without(before, COPY, DEMAND)}
    return MemorySource(last, before=[BASE, before])


def test_what_reconcile_took_away_is_gone_also_while_something_is_broken() -> None:
    evaluation = evaluate(read_tree(source()))
    assert evaluation.documents.find(*NAMED) is None


@pytest.mark.parametrize("own", ["tenants/two.yaml", "aaa/two.yaml", "zzz/two.yaml"])
def test_what_people_describe_counts_wherever_it_stands_and_however_old_the_copy_is(
    own: str,
) -> None:
    folders = settings("{sources: [pools, providers, tenants, aaa, zzz]}")
    before = reconciled({**BASE, "ipam.yaml": folders})
    files = {**before, own: tenant("two", networking="{lbPoolSize: 2}")}
    for line in ([before], [files, files]):
        evaluation = evaluation_after(line, files)
        assert [change.path for change in evaluation.changes] == [COPY]
        assert decided(evaluation)[TWO].startswith("keep")
        assert "document-duplicate" not in [item.code for item in evaluation.findings]
