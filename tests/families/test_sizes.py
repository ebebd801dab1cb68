"""Changes of lbPoolSize keep ranges, add missing addresses, and report a smaller size."""

import pytest

from reconciler.families.demand import DemandEntry, demand_document
from reconciler.planning.documents import path_of
from tests.planning.outcome import Files, outcome, record_paths, without
from tests.world import SMALL, evaluation_of, pool, provider, reconciled, request, tenant

LB, FIRST, SECOND = (f"team-a/one (loadbalancer{number})" for number in ("", "-1", "-2"))
TENANT = "tenants/one.yaml"
DEMAND = path_of("observed", ("gitops-ipam.dev", "Demand", "team-a", "one"))
ELASTIC = {"providers/default.yaml": provider(loadBalancer="{allocationMode: elastic}")}
Lived = dict[str, str | bytes]


def sized(size: int) -> dict[str, str]:
    return {TENANT: tenant("one", networking=f"{{lbPoolSize: {size}}}")}


def lived(*sizes: int, base: Files = SMALL) -> Lived:
    files: Lived = dict(base)
    for size in sizes:
        files = reconciled({**files, **sized(size)})
    return files


def entries(*counts: tuple[int, int]) -> dict[str, bytes]:
    return {DEMAND: demand_document("team-a", "one", [DemandEntry(*it) for it in counts])}


def test_what_lacks_is_a_further_record_that_touches_the_last_one() -> None:
    files = {**lived(8), **sized(16)}
    assert outcome(files) == {
        LB: "keep 10.40.0.0-10.40.0.7 of edge",
        FIRST: "allocate 10.40.0.8-10.40.0.15 of edge",
    }
    assert outcome({**reconciled(files), **sized(20)}) == {
        LB: "keep 10.40.0.0-10.40.0.7 of edge",
        FIRST: "keep 10.40.0.8-10.40.0.15 of edge",
        SECOND: "allocate 10.40.0.16-10.40.0.19 of edge",
    }


def test_what_lies_behind_is_taken_before_what_lies_in_front() -> None:
    base = {**SMALL, "tenants/lower.yaml": tenant("lower", networking="{lbPoolSize: 16}")}
    files = without(lived(8, base=base), "tenants/lower.yaml")
    after = reconciled(reconciled(files))
    gone = without(after, *(path for path in record_paths(after) if "lower" in path))
    assert outcome({**gone, **sized(12)})[FIRST] == "allocate 10.40.0.24-10.40.0.27 of edge"
    blocked = {**gone, "tenants/next.yaml": tenant("next", networking="{lbPoolSize: 232}")}
    blocked = reconciled(blocked)
    assert outcome({**blocked, **sized(12)})[FIRST] == "allocate 10.40.0.12-10.40.0.15 of edge"


def test_a_smaller_size_takes_nothing_away_and_stops_nobody() -> None:
    files = {**lived(8, 16, 20), **sized(9)}
    assert {text.partition(" ")[0] for text in outcome(files).values()} == {"keep"}
    (found,) = evaluation_of(files).findings
    assert (found.severity, found.code) == ("warning", "size-smaller")
    assert str(found.location) == "tenants/one.yaml:6"
    assert found.message == (
        "TenantCluster team-a/one asks for 9 but keeps 20 addresses: 10.40.0.0-10.40.0.7, 10.40.0.8-10.40.0.15, and 10.40.0.16-10.40.0.19"
    )
    path = "allocations/NetworkPool/butler-system.edge/team-a/one.loadbalancer-2.yaml"
    assert found.hint == (
        f"if no Service uses it, delete {path} after merging an Override of kind record for it"
    )
    given_back = without(files, path)
    assert {text.partition(" ")[0] for text in outcome(given_back).values()} == {"keep"}
    (found,) = evaluation_of(given_back).findings
    assert found.hint == (
        "set lbPoolSize to 16, or move it to a pool where it gets 9: ipam move team-a/one/loadbalancer --to POOL"
    )


PIN = "loadBalancerPool: {start: 10.40.0.64, end: 10.40.0.79}"
ASKED = request("one", pinnedRange="{startAddress: 10.40.0.64, endAddress: 10.40.0.79}")


@pytest.mark.parametrize(
    ("pinning", "smaller"),
    [
        ({TENANT: tenant("one", networking=f"{{{PIN}}}")}, f"{{{PIN}, lbPoolSize: 4}}"),
        ({"tenants/two.yaml": ASKED.replace("type: nodes", "type: loadbalancer")}, "{lbPoolSize: 4}"),
    ],
)  # fmt: skip
def test_a_smaller_size_than_a_pinned_range_names_the_only_way_out(
    pinning: Files, smaller: str
) -> None:
    files = reconciled({**SMALL, **pinning})
    files[TENANT] = tenant("one", networking=smaller)
    (found,) = (it for it in evaluation_of(files).findings if it.code == "size-smaller")
    assert "set lbPoolSize to 16" in found.hint
    assert "move" not in found.hint
    files[TENANT] = tenant("one", networking=smaller.replace(": 4", ": 16"))
    assert "size-smaller" not in [it.code for it in evaluation_of(files).findings]


def test_a_growth_that_is_refused_keeps_what_is_there_and_is_recorded_once() -> None:
    files = {**lived(8), **sized(300)}
    assert outcome(files) == {LB: "keep 10.40.0.0-10.40.0.7 of edge", FIRST: "refuse request-too-large"}  # fmt: skip
    after = reconciled(files)
    assert evaluation_of(after).changes == ()
    back = reconciled({**after, **sized(8)})
    assert record_paths(back) == record_paths(lived(8))


def test_all_of_it_counts_towards_the_quota() -> None:
    quota = {"providers/default.yaml": provider(quotaPerTenant="{maxLoadBalancerIPs: 12}")}
    assert outcome({**lived(8), **quota, **sized(12)})[FIRST].startswith("allocate")
    assert outcome({**lived(8), **quota, **sized(13)})[FIRST] == "refuse quota-exceeded"


def test_who_comes_back_gets_the_same_ranges_and_what_lacks_beside_them() -> None:
    files = reconciled(without(lived(8, 16), TENANT))
    assert outcome({**files, **sized(20)}) == {
        LB: "allocate 10.40.0.0-10.40.0.7 of edge",
        FIRST: "allocate 10.40.0.8-10.40.0.15 of edge",
        SECOND: "allocate 10.40.0.16-10.40.0.19 of edge",
    }
    few = outcome({**files, **sized(10)})
    assert few[LB] == "allocate 10.40.0.0-10.40.0.7 of edge"
    assert few[SECOND] == "allocate 10.40.0.16-10.40.0.17 of edge"


def test_numbers_are_counted_up_together_with_those_of_growth() -> None:
    files: Lived = {**lived(8, base={**SMALL, **ELASTIC}), **entries((1, 2))}
    files = reconciled(files)
    found = outcome({**files, **entries((1, 2), (4, 1)), **sized(12)})
    assert found["team-a/one (loadbalancer-5)"].startswith("allocate")


@pytest.mark.parametrize("demanded", [(), ((2, 1),)])
def test_shrinking_takes_only_what_growth_asked_for(demanded: tuple[tuple[int, int], ...]) -> None:
    files: Lived = {**lived(8, 12, base={**SMALL, **ELASTIC}), **entries((2, 1))}
    files = {**reconciled(files), **entries(*demanded)}
    found = outcome(files)
    assert found[FIRST] == "keep 10.40.0.8-10.40.0.11 of edge"
    assert found[SECOND].startswith("keep" if demanded else "release")
    assert outcome(without(reconciled(files), DEMAND))[FIRST].startswith("keep")


def test_an_entry_never_takes_the_number_of_what_a_person_asked_for() -> None:
    files: Lived = {**lived(8, 12, base={**SMALL, **ELASTIC}), **entries((1, 4))}
    assert outcome(files)[FIRST] == "keep 10.40.0.8-10.40.0.11 of edge"
    assert evaluation_of(files).changes == ()
    assert outcome({**files, **entries()})[FIRST].startswith("keep")


def test_a_pool_that_is_no_longer_named_gives_nothing_more() -> None:
    files = {**lived(8), "pools/near.yaml": pool("near", "10.41.0.0/24"), **sized(12)}
    files["providers/default.yaml"] = provider(pools="[{name: near}, {name: edge, priority: 1}]")
    assert outcome(files)[FIRST] == "allocate 10.40.0.8-10.40.0.11 of edge"
    files["providers/default.yaml"] = provider(pools="[{name: near}]")
    assert outcome(files)[FIRST] == "allocate 10.41.0.0-10.41.0.3 of near"
