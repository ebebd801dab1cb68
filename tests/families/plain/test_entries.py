"""Entries of ClusterTargets: ranges that come and go, names, pins, aggregates, and demand."""

from typing import Any

import pytest
from msgspec.structs import replace

from reconciler.documents.findings import Severity, has_error
from reconciler.families.demand import DemandEntry, demand_document
from reconciler.model.claim import Phase
from reconciler.model.plan import Refuse
from reconciler.planning.evaluate import evaluate
from reconciler.planning.projection import project
from reconciler.report.text.plan import plan_text
from reconciler.report.text.table import Painter
from tests.families.plain.examples import (
    BOTH,
    TWO_REFS,
    Files,
    claim,
    cluster,
    codes,
    entry,
    files,
    outcome,
    pool,
)
from tests.memory import evaluation_after
from tests.moving import moving
from tests.planning.outcome import span
from tests.world import CLOCK, carried, evaluation_of, reconciled, tree_of

FIRST = "10.22.0.1-10.22.0.8"
DEMAND = "observed/Demand.gitops-ipam.dev/_/prod-1.yaml"


def sized(count: int, **spec: Any) -> str:
    return cluster(entry(count=count, **spec))


@pytest.mark.parametrize(
    "wrong",
    [
        cluster(entry(count=8), name="management"),
        cluster(entry(count=8, ipFamilies="[IPv6]")),
        cluster(entry(count=8, services="{default: true}", autoAssign="true"), name="prod-2"),
        cluster(entry("other", count=8), entry("nothing", poolRefs="[{name: nothing}]", count=1)),
    ],
)
def test_a_cluster_with_an_error_releases_nothing(wrong: str) -> None:
    before = reconciled(files(sized(8)))
    evaluation = evaluation_after([before], {**before, "clusters/prod-1.yaml": wrong})
    assert has_error(evaluation.findings)
    assert outcome(evaluation)["prod-1/internal.ipv4"] == f"keep {FIRST}"


def then(tree: Files, clusters: str) -> dict[str, str | bytes]:
    return {**tree, "clusters/prod-1.yaml": clusters}


EIGHT = reconciled(files(sized(8)))


def test_a_raised_count_is_a_further_range_next_to_the_last_one() -> None:
    raised = then(EIGHT, sized(11))
    assert outcome(raised) == {
        "prod-1/internal.ipv4": f"keep {FIRST}",
        "prod-1/internal.ipv4.2": "allocate 10.22.0.9-10.22.0.11",
    }
    again = then(reconciled(raised), sized(12))
    assert outcome(again)["prod-1/internal.ipv4.3"] == "allocate 10.22.0.12-10.22.0.12"
    path = "allocations/AddressPool/internal/_/prod-1.internal.ipv4.3.yaml"
    assert path in reconciled(again)


def test_a_lowered_count_releases_whole_ranges_the_highest_number_first() -> None:
    twelve = reconciled(then(reconciled(then(EIGHT, sized(11))), sized(12)))
    lowered = then(twelve, sized(9))
    assert outcome(lowered) == {
        "prod-1/internal.ipv4": f"keep {FIRST}",
        "prod-1/internal.ipv4.2": "keep 10.22.0.9-10.22.0.11",
        "prod-1/internal.ipv4.3": "release 10.22.0.12-10.22.0.12, announced",
    }
    (smaller,) = evaluation_of(lowered).findings
    assert (smaller.code, smaller.severity) == ("size-smaller", Severity.WARNING)
    assert "asks for 9 but keeps 11 addresses" in smaller.message
    assert [it for it in outcome(then(twelve, sized(8))).values() if "release" in it] == [
        "release 10.22.0.9-10.22.0.11, announced",
        "release 10.22.0.12-10.22.0.12, announced",
    ]


def test_a_released_range_is_taken_back_when_the_count_is_raised_again() -> None:
    eleven = reconciled(then(EIGHT, sized(11)))
    eight = reconciled(then(eleven, sized(8)))
    assert outcome(then(eight, sized(11))) == outcome(then(EIGHT, sized(11)))
    other = outcome(then(eight, sized(10)))  # the released range is larger than the missing count
    assert other["prod-1/internal.ipv4.3"] == "allocate 10.22.0.12-10.22.0.13"


def test_the_range_of_a_removed_entry_and_of_a_removed_cluster_stays_announced() -> None:
    gone = {path: data for path, data in EIGHT.items() if path != "clusters/prod-1.yaml"}
    for removed in (then(EIGHT, cluster()), gone):
        assert outcome(removed) == {"prod-1/internal.ipv4": f"release {FIRST}, announced"}


def test_a_range_whose_document_is_there_again_is_not_reported_as_left() -> None:
    gone = reconciled({path: it for path, it in EIGHT.items() if path != "clusters/prod-1.yaml"})
    assert codes(gone) == ["claim-left"]
    back = {**gone, "clusters/prod-1.yaml": EIGHT["clusters/prod-1.yaml"]}
    assert (outcome(back), codes(back)) == ({"prod-1/internal.ipv4": f"allocate {FIRST}"}, [])


def test_an_announced_range_begins_its_retention_when_it_is_unused() -> None:
    removed = reconciled(then(EIGHT, cluster()))
    tree = tree_of(removed)
    (record,) = evaluate(tree).state.records
    assert record.announced
    assert outcome(evaluate(replace(tree, left={record.path: ""}))) == {
        "prod-1/internal.ipv4": f"release {FIRST}"
    }


def test_both_families_of_an_entry_come_together() -> None:
    both = cluster(entry(poolRefs=TWO_REFS, ipFamilies="[IPv4, IPv6]", count=4))
    tree = files(both, pools=BOTH)
    assert outcome(tree) == {
        "prod-1/internal.ipv4": "allocate 10.22.0.1-10.22.0.4",
        "prod-1/internal.ipv6": "allocate 2001:db8::1-2001:db8::4",
    }
    small = files(both, pools=f"{pool(addresses='[10.22.0.0/30]')}---\n{BOTH.split('---')[1]}")
    assert set(outcome(small).values()) == {"refuse request-too-large"}
    more = then(reconciled(tree), both.replace("count: 4", "count: 6"))
    assert outcome(more)["prod-1/internal.ipv6.2"] == "allocate 2001:db8::5-2001:db8::6"


def renamed(*entries: str) -> dict[str, str | bytes]:
    return then(EIGHT, cluster(*entries))


def test_formerly_moves_the_records_and_the_object_keeps_its_name() -> None:
    tree = renamed(entry("lan", formerly="internal", count=8))
    evaluation = evaluation_of(tree)
    assert outcome(evaluation) == {"prod-1/lan.ipv4": f"keep {FIRST}"}
    (found,) = evaluation.findings
    assert found.code == "renamed"
    assert "keeps 1 record with 8 addresses" in found.message
    done = reconciled(tree)
    (path,) = (it for it in done if it.startswith("allocations/"))
    assert path.endswith("/_/prod-1.lan.ipv4.yaml")
    assert "gitops-ipam.dev/load-balancer: internal\n" in str(done[path], "utf-8")  # type: ignore[arg-type]
    later = then(done, cluster(entry("lan", count=8)))
    assert evaluation_of(later).changes == ()
    (record,) = evaluation_of(later).state.records
    assert record.object == "internal"


def test_an_unclear_rename_is_told() -> None:
    still = renamed(entry(count=8), entry("lan", formerly="internal", count=1))
    assert codes(still) == ["rename-unused"]
    assert outcome(still)["prod-1/internal.ipv4"] == f"keep {FIRST}"
    two = reconciled(then(EIGHT, cluster(entry(count=8), entry("lan", count=1))))
    taken = then(two, cluster(entry("lan", formerly="internal", count=1)))
    assert codes(taken) == ["rename-refused"]


def test_two_entries_share_no_object_and_no_default() -> None:
    same = cluster(entry(count=1), entry("lan", objectName="internal", count=1))
    assert codes(files(same)) == ["field-value"]
    services = "{default: true}"
    two = cluster(entry(count=1, services=services), entry("b", count=1, services=services))
    assert codes(files(two)) == ["field-value"]
    assert codes(files(cluster(entry(count=1), entry(count=1)))) == ["field-value"]


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ({"services": "{default: true, namespaces: [edge]}"}, "field-value"),
        ({"services": "{namespaces: [edge]}", "autoAssign": "true"}, "field-value"),
        ({"advertisement": "{type: L2, bgp: {localPref: 1}}"}, "field-value"),
        ({"poolSpec": "{addresses: [10.0.0.1]}"}, "field-value"),
        ({"growth": "{max: 3}"}, "field-value"),
        ({"advertisement": "{type: RIP}"}, "field-value"),
    ],
)
def test_a_contradiction_in_an_entry_is_an_error(spec: dict[str, Any], code: str) -> None:
    assert codes(files(sized(4, **spec))) == [code]


def test_each_pinned_range_is_a_record_of_its_own() -> None:
    pins = "[10.22.0.10-10.22.0.19, 10.22.0.40/30]"
    tree = reconciled(files(cluster(entry(addresses=pins))))
    assert outcome(tree) == {
        "prod-1/internal.ipv4": "keep 10.22.0.10-10.22.0.19",
        "prod-1/internal.ipv4.2": "keep 10.22.0.40-10.22.0.43",
    }
    other = then(tree, cluster(entry(addresses="[10.22.0.40/30, 10.22.0.60]")))
    assert outcome(other) == {
        "prod-1/internal.ipv4": "release 10.22.0.10-10.22.0.19, announced",
        "prod-1/internal.ipv4.2": "keep 10.22.0.40-10.22.0.43",
        "prod-1/internal.ipv4.3": "allocate 10.22.0.60-10.22.0.60",
    }
    counted = then(tree, sized(14))
    assert set(outcome(counted).values()) == set(outcome(tree).values())


def test_a_pin_that_changes_releases_no_range_of_it() -> None:
    tree = reconciled(files(cluster(entry(addresses="[10.22.0.10-10.22.0.19]"))))
    held = {"prod-1/internal.ipv4": "keep 10.22.0.10-10.22.0.19"}
    for wider in ("[10.22.0.10-10.22.0.21]", "[10.22.0.10-10.22.0.19, 10.22.0.20/31]"):
        extended = then(tree, cluster(entry(addresses=wider)))
        added = {"prod-1/internal.ipv4.2": "allocate 10.22.0.20-10.22.0.21"}
        assert outcome(extended) == held | added
        assert codes(extended) == []
        again = outcome(reconciled(extended))
        assert again["prod-1/internal.ipv4.2"] == "keep 10.22.0.20-10.22.0.21"
    for other in ("[10.22.0.10-10.22.0.15]", "[10.22.0.15-10.22.0.25]"):
        narrowed = then(tree, cluster(entry(addresses=other)))
        assert outcome(narrowed)["prod-1/internal.ipv4"] == "refuse record-stale"
        assert codes(narrowed) == ["record-stale"]
        (refused,) = (it for it in evaluation_of(narrowed).plan.decisions if isinstance(it, Refuse))
        assert refused.hint.endswith(f"merge an Override of kind move for {SCOPE}")


SCOPE = "plain/ClusterTarget/_/prod-1/internal.ipv4"
TEN = reconciled(files(cluster(entry(addresses="[10.22.0.10-10.22.0.19]"))))


def pinned(addresses: str, tree: Files = TEN) -> dict[str, str | bytes]:
    return then(tree, cluster(entry(addresses=addresses)))


@pytest.mark.parametrize(
    ("pins", "kept", "left", "new"),
    [
        ("[10.22.0.10-10.22.0.15]", "10.22.0.10-10.22.0.15", "10.22.0.16-10.22.0.19", ""),
        ("[10.22.0.16/30]", "10.22.0.16-10.22.0.19", "10.22.0.10-10.22.0.15", ""),
        ("[10.22.0.10, 10.22.0.12]", "10.22.0.10-10.22.0.12", "10.22.0.13-10.22.0.19", ""),
        (
            "[10.22.0.15-10.22.0.25]",
            "10.22.0.15-10.22.0.19",
            "10.22.0.10-10.22.0.14",
            "10.22.0.20-10.22.0.25",
        ),
    ],
)
def test_a_pinned_range_shrinks_at_its_end_with_an_override(
    pins: str, kept: str, left: str, new: str
) -> None:
    tree = pinned(pins)
    evaluation = moving(tree, SCOPE)
    more = {"prod-1/internal.ipv4.2": f"allocate {new}"} if new else {}
    assert outcome(evaluation) == {"prod-1/internal.ipv4": f"allocate {kept}"} | more
    (message,) = (it.message for it in evaluation.findings if it.code == "claim-moves")
    assert "gives up 10.22.0." in message
    text = plan_text(evaluation, Painter(is_on=False))
    assert f"10.22.0.10-10.22.0.19 in pool internal   →   {kept} in pool internal" in text
    assert f"  {left}: announced while in use\n" in text
    after = carried(tree, evaluation)
    held = {it.range: it for it in evaluation_of(after).state.records}
    rest = held[span(left)]
    assert (rest.phase, rest.announced, held[span(kept)].is_live) == (Phase.RELEASED, True, True)
    assert evaluation_of(after).changes == ()
    (made,) = objects(after)
    assert span(made["spec"]["addresses"][0]).covers(span("10.22.0.10-10.22.0.19"))
    # No other claim gets the rest before its cluster has withdrawn it and its retention has ended.
    other = {**after, "claims/a.yaml": claim(addresses=f"[{left}]")}
    assert outcome(other)["db-1/ipv4"] == "refuse pin-taken"
    unused = carried(other, moving(other, left={rest.path: ""}, clock=CLOCK + 3600))
    (made,) = objects(unused)
    assert made["spec"]["addresses"] == ([f"{kept[:-2]}{new[-2:]}"] if new else [kept])
    assert outcome(unused)["db-1/ipv4"] == "refuse pin-taken"
    late = evaluation_of(unused, CLOCK + 3600 + 7 * 86_400)
    assert outcome(late)["db-1/ipv4"] == f"allocate {left}"


def test_a_range_that_was_shrunk_is_whole_again_after_a_revert() -> None:
    tree = pinned("[10.22.0.10-10.22.0.15]")
    after = pinned("[10.22.0.10-10.22.0.19]", carried(tree, moving(tree, SCOPE)))
    assert outcome(after) == {
        "prod-1/internal.ipv4": "keep 10.22.0.10-10.22.0.15",
        "prod-1/internal.ipv4.2": "allocate 10.22.0.16-10.22.0.19",
    }
    back = reconciled(after)
    assert all(it.is_live for it in evaluation_of(back).state.records)
    assert (evaluation_of(back).changes, codes(back)) == ((), [])
    (made,) = objects(back)
    assert made["spec"]["addresses"] == ["10.22.0.10-10.22.0.19"]


def test_an_end_that_is_withdrawn_is_taken_back_until_its_retention_has_ended() -> None:
    tree, since = pinned("[10.22.0.10-10.22.0.15]"), CLOCK + 3600
    shrunk = carried(tree, moving(tree, SCOPE))
    (rest,) = (it.path for it in evaluation_of(shrunk).state.records if it.is_released)
    unused = moving(shrunk, left={rest: ""}, clock=since)
    whole = pinned("[10.22.0.10-10.22.0.19]", shrunk)
    at_once = moving(whole, left={rest: ""}, clock=since)
    assert outcome(at_once)["prod-1/internal.ipv4.2"] == "refuse pin-taken"
    whole = pinned("[10.22.0.10-10.22.0.19]", carried(shrunk, unused))
    for clock in (since + 60, since + 7 * 86_400):
        evaluation = evaluation_of(whole, clock)
        assert outcome(evaluation)["prod-1/internal.ipv4.2"] == "allocate 10.22.0.16-10.22.0.19"
        assert evaluation_of(carried(whole, evaluation), clock).changes == ()


def test_a_range_keeps_what_lies_between_its_pins() -> None:
    tree = pinned("[10.22.0.10-10.22.0.12, 10.22.0.17-10.22.0.19]")
    assert outcome(tree) == {"prod-1/internal.ipv4": "keep 10.22.0.10-10.22.0.19"}
    assert codes(tree) == ["size-smaller"]


def test_a_claim_that_pins_around_its_own_range_is_told_so() -> None:
    tree = reconciled(files(claims=claim(addresses="[10.22.0.10-10.22.0.19]")))
    wider = {**tree, "claims/claims.yaml": claim(addresses="[10.22.0.10-10.22.0.25]")}
    evaluation = moving(wider, "plain/AddressClaim/team-db/db-1/ipv4")
    assert outcome(evaluation) == {"db-1/ipv4": "refuse record-stale"}
    (refused,) = evaluation.plan.decisions
    assert isinstance(refused, Refuse)
    assert refused.hint.startswith("restore the previous claim, or pin one end of it")
    less = {**tree, "claims/claims.yaml": claim(addresses="[10.22.0.12-10.22.0.19]")}
    evaluation = moving(less, "plain/AddressClaim/team-db/db-1/ipv4")
    assert outcome(evaluation) == {"db-1/ipv4": "allocate 10.22.0.12-10.22.0.19"}


def test_aggregates_are_whole_blocks() -> None:
    bgp = "{type: BGP, bgp: {aggregationLength: 28}}"
    assert outcome(files(cluster(entry(count=16, advertisement=bgp)))) == {
        "prod-1/internal.ipv4": "allocate 10.22.0.0-10.22.0.15"
    }
    assert outcome(files(cluster(entry(prefixLength=27, advertisement=bgp)))) == {
        "prod-1/internal.ipv4": "allocate 10.22.0.0-10.22.0.31"
    }
    for size in ({"count": 8}, {"count": 17}, {"prefixLength": 29}, {"addresses": "[10.22.0.9]"}):
        assert codes(files(cluster(entry(advertisement=bgp, **size)))) == ["aggregate-too-wide"]
    whole = "[10.22.0.16-10.22.0.63]"
    assert codes(files(cluster(entry(addresses=whole, advertisement=bgp)))) == []
    later = then(EIGHT, sized(8, advertisement=bgp))
    assert codes(later) == ["aggregate-too-wide"]
    assert outcome(later) == {"prod-1/internal.ipv4": f"keep {FIRST}"}


def test_demand_adds_ranges_of_its_own_numbers() -> None:
    growing = sized(8, growth="{max: 32}")
    grown = DemandEntry(2, 2, "internal", "IPv4")
    tree = {**then(EIGHT, growing), DEMAND: demand_document("", "prod-1", [grown])}
    assert codes(tree) == []
    assert outcome(tree)["prod-1/internal.ipv4.2"] == "allocate 10.22.0.9-10.22.0.10"
    done = reconciled(tree)
    assert evaluation_of(done).changes == ()
    raised = then(done, sized(9, growth="{max: 32}"))
    assert outcome(raised) == {
        "prod-1/internal.ipv4": f"keep {FIRST}",
        "prod-1/internal.ipv4.2": "keep 10.22.0.9-10.22.0.10",
        "prod-1/internal.ipv4.3": "allocate 10.22.0.11-10.22.0.11",
    }
    less = {**done, DEMAND: demand_document("", "prod-1", [])}
    assert outcome(less)["prod-1/internal.ipv4.2"] == "release 10.22.0.9-10.22.0.10, announced"
    unread = {**done, DEMAND: "]["}
    assert all(it.startswith("keep") for it in outcome(unread).values())


def test_a_cluster_can_be_renamed_with_an_entry_at_once() -> None:
    document = cluster(entry("lan", formerly="internal", count=8), name="edge").replace(
        "{name: edge}", "{name: edge, annotations: {gitops-ipam.dev/formerly: prod-1}}"
    )
    tree = then(EIGHT, document)
    assert outcome(tree) == {"edge/lan.ipv4": f"keep {FIRST}"}
    assert evaluation_of(reconciled(tree)).changes == ()


def objects(tree: Files) -> list[Any]:
    return [it.manifest for it in project(evaluation_of(tree)) if it.cluster == "prod-1"]


def test_each_entry_is_an_object_of_its_controller_with_its_ranges() -> None:
    more = {"advertisement": "{type: L2, l2: {interfaces: [eth1]}}", "labels": "{tier: web}"}
    both = {"poolRefs": TWO_REFS, "services": "{namespaces: [edge]}"}
    controller = "{type: MetalLB, metalLB: {namespace: lb}}"
    clusters = cluster(entry(count=8, **more), entry("dmz", count=2, **both), controller=controller)
    pool_, dmz, advertisement = objects(reconciled(files(clusters, pools=BOTH)))
    assert pool_ == {
        "apiVersion": "metallb.io/v1beta1",
        "kind": "IPAddressPool",
        "metadata": {
            "name": "internal",
            "namespace": "lb",
            "labels": {"tier": "web"},
            "annotations": {"gitops-ipam.dev/claim": "plain/ClusterTarget/_/prod-1/internal"},
        },
        "spec": {"addresses": [FIRST], "autoAssign": False},
    }
    assert dmz["spec"] == {
        "addresses": ["10.22.0.9-10.22.0.10", "2001:db8::1-2001:db8::2"],
        "serviceAllocation": {"namespaces": ["edge"]},
    }
    assert advertisement["kind"] == "L2Advertisement"
    assert advertisement["spec"] == {"ipAddressPools": ["internal"], "interfaces": ["eth1"]}


def test_an_object_keeps_the_ranges_that_are_still_announced_and_its_first_name() -> None:
    eleven = reconciled(then(EIGHT, sized(11)))
    (pool_,) = objects(reconciled(then(eleven, sized(8))))
    assert pool_["spec"]["addresses"] == ["10.22.0.1-10.22.0.11"]
    (renamed_,) = objects(reconciled(renamed(entry("lan", formerly="internal", count=8))))
    assert renamed_["metadata"]["name"] == "internal"
    assert objects(reconciled(then(EIGHT, cluster()))) == []


def test_an_entry_asks_of_its_controller_what_it_can_do() -> None:
    cilium = "{type: Cilium}"
    bgp = cluster(entry(count=1, advertisement="{type: BGP}"), controller=cilium)
    assert codes(files(bgp)) == ["field-value"]
    (made,) = objects(reconciled(files(cluster(entry(count=8), controller=cilium))))
    assert made["kind"] == "CiliumLoadBalancerIPPool"


def test_an_entry_moves_while_another_is_removed() -> None:
    two = cluster(entry(count=8), entry("lan", count=4))
    whole = reconciled(files(two, pools=f"{pool()}---\n{pool('far', '[10.30.0.0/24]')}"))
    there = then(whole, cluster(entry(count=8, poolRefs="[{name: far}]")))
    evaluation = moving(there, "plain/ClusterTarget/_/prod-1/internal.ipv4")
    assert outcome(evaluation) == {
        "prod-1/internal.ipv4": "allocate 10.30.0.1-10.30.0.8",
        "prod-1/lan.ipv4": "release 10.22.0.9-10.22.0.12, announced",
    }
    assert [it.code for it in evaluation.findings if it.severity is Severity.WARNING] == [
        "claim-moves"
    ]


def test_a_released_range_of_a_removed_entry_has_not_moved() -> None:
    done = reconciled(files(cluster(entry(count=2), entry("dmz", count=2))))
    removed = reconciled({**done, "clusters/prod-1.yaml": cluster(entry(count=2))})
    (found,) = (it for it in evaluation_of(removed).findings if it.code == "claim-left")
    assert found.message == (
        "prod-1 (dmz.ipv4) was removed, and had 10.22.0.1-10.22.0.2 (pool internal), which stays"
        " announced while in use"
    )


def test_a_range_that_is_left_is_not_announced_in_an_aggregate() -> None:
    was = entry(addresses="[10.22.0.5-10.22.0.8]")
    bgp = "{type: BGP, bgp: {aggregationLength: 28}}"
    now = cluster(entry(addresses="[10.22.0.16/28]", advertisement=bgp))
    left = then(reconciled(files(cluster(was))), now)
    assert outcome(left)["prod-1/internal.ipv4.2"].startswith("refuse aggregate-too-wide")


def test_a_removed_entry_has_its_object_until_the_cluster_withdrew_it() -> None:
    web, other = entry("web", count=4), entry("www", count=4, objectName="web")
    before = reconciled(files(cluster(web)))
    tree = then(before, cluster(other))
    assert "field-value" in codes(tree)
    released = {"prod-1/web.ipv4": "release 10.22.0.1-10.22.0.4, announced"}
    assert outcome(then(before, cluster())) == released


@pytest.mark.parametrize("value", ["1.5", ".nan", "1e999", "[{a: 0.5}]"])
def test_a_pool_spec_with_a_fraction_is_refused(value: str) -> None:
    assert codes(files(cluster(entry(count=1, poolSpec=f"{{x: {value}}}")))) == ["field-value"]
