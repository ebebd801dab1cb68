"""AddressPools and AddressClaims: sizes, prefixes, pins, and both IP families."""

from typing import Any

import pytest

from reconciler.documents.findings import Severity, has_error
from tests.families.plain.examples import (
    BOTH,
    HEAD,
    TWO_REFS,
    V6,
    claim,
    codes,
    files,
    outcome,
    pool,
)
from tests.memory import evaluation_after
from tests.moving import moving
from tests.world import CLOCK, carried, evaluation_of, reconciled


def test_network_broadcast_anycast_and_gateway_are_not_for_single_addresses() -> None:
    pools = pool(addresses="[10.22.0.0/29]", gateway="10.22.0.1")
    assert outcome(files(claims=claim(count=5), pools=pools)) == {
        "db-1/ipv4": "allocate 10.22.0.2-10.22.0.6"
    }
    every = pool(addresses="[10.22.0.0/29]", useAllAddresses="true")
    assert outcome(files(claims=claim(count=8), pools=every)) == {
        "db-1/ipv4": "allocate 10.22.0.0-10.22.0.7"
    }
    assert outcome(files(claims=claim(poolRefs="[{name: v6}]", count=1), pools=V6)) == {
        "db-1/ipv6": "allocate 2001:db8::1-2001:db8::1"
    }
    point = pool(addresses="[10.22.0.0/31]")
    assert outcome(files(claims=claim(count=2), pools=point)) == {
        "db-1/ipv4": "allocate 10.22.0.0-10.22.0.1"
    }


def test_a_prefix_is_an_aligned_block_of_the_smallest_one_that_fits() -> None:
    claims = "---\n".join(
        [claim("one", prefixLength=28), claim("two", prefixLength=26), claim("vm", count=1)]
    )
    pools = pool(addresses="[10.22.0.0/24, 10.23.0.16-10.23.0.40]", gateway="10.22.0.1")
    assert outcome(files(claims=claims, pools=pools)) == {
        "one/ipv4": "allocate 10.22.0.16-10.22.0.31",
        "two/ipv4": "allocate 10.22.0.64-10.22.0.127",
        "vm/ipv4": "allocate 10.22.0.2-10.22.0.2",
    }


def test_a_prefix_can_have_the_network_address_but_no_reserved_one() -> None:
    tree = files(claims=claim(prefixLength=24))
    assert outcome(tree) == {"db-1/ipv4": "allocate 10.22.0.0-10.22.0.255"}
    evaluation = evaluation_of(reconciled(tree))
    assert (evaluation.findings, evaluation.gates) == ((), ())
    assert outcome(evaluation) == {"db-1/ipv4": "keep 10.22.0.0-10.22.0.255"}
    kept = pool(reserved="[{addresses: [10.22.0.255]}]")
    (refused,) = evaluation_of(files(claims=claim(prefixLength=24), pools=kept)).gates
    assert refused.code == "pool-exhausted"
    assert refused.message == (
        "team-db/db-1 (ipv4): needs a free /24; pool internal has no free block larger than /25"
    )


def test_capacity_is_told_in_the_blocks_that_claims_have() -> None:
    claims = f"{claim('one', prefixLength=26)}---\n{claim('two', prefixLength=25)}"
    (usage,) = evaluation_of(reconciled(files(claims=claims))).plan.after.values()
    assert usage.blocks_left == "1 more /26 fits, no /25"


def test_overlapping_pools_give_no_block_over_an_address_of_the_other() -> None:
    pools = f"{pool()}---\n{pool('one', '[10.22.0.0]')}"
    claims = f"{claim(prefixLength=24)}---\n{claim('vm', poolRefs='[{name: one}]', count=1)}"
    assert outcome(files(claims=claims, pools=pools)) == {
        "db-1/ipv4": "allocate 10.22.0.0-10.22.0.255",
        "vm/ipv4": "refuse pool-exhausted",
    }


def test_both_families_are_granted_whole_or_refused_whole() -> None:
    tree = files(claims=claim(poolRefs=TWO_REFS, count=1), pools=BOTH)
    assert outcome(tree) == {
        "db-1/ipv4": "allocate 10.22.0.1-10.22.0.1",
        "db-1/ipv6": "allocate 2001:db8::1-2001:db8::1",
    }
    full = f"{pool(addresses='[10.22.0.0/31]')}---\n{V6}"
    assert outcome(files(claims=claim(poolRefs=TWO_REFS, count=3), pools=full)) == {
        "db-1/ipv4": "refuse request-too-large",
        "db-1/ipv6": "refuse request-too-large",
    }


def test_a_family_without_a_pool_is_an_error_and_refuses_the_other() -> None:
    tree = files(claims=claim(ipFamilies="[IPv4, IPv6]", count=1))
    evaluation = evaluation_of(tree)
    (found,) = evaluation.findings
    assert (found.code, found.severity) == ("family-without-pool", Severity.ERROR)
    assert found.message == "spec.ipFamilies: no pool of poolRefs has IPv6 addresses"
    assert set(outcome(evaluation).values()) == {"refuse family-without-pool"}


@pytest.mark.parametrize(
    "wrong",
    [
        claim(ipFamilies="[IPv6]", count=1),
        claim(poolRefs="[{name: v6}]", ipFamilies="[IPv4]", count=1),
        claim(poolRefs="[{name: nothing}]", ipFamilies="[IPv6]", count=1),
        claim(poolRefs="[{name: internal}]", addresses='["2001:db8::40"]'),
        claim(poolRefs=TWO_REFS, ipFamilies="[IPv4]", prefixLength=24, count=1),
        claim("db-2", count=2),
    ],
)
def test_a_claim_with_an_error_keeps_the_addresses_that_it_no_longer_asks_for(wrong: str) -> None:
    other = claim("db-2", count=2)
    claims = f"{claim(poolRefs=TWO_REFS, count=1)}---\n{other}"
    before = reconciled(files(claims=claims, pools=BOTH))
    changed = {**before, "claims/claims.yaml": f"{wrong}---\n{other}"}
    for clock in (CLOCK, CLOCK + 9 * 86_400):
        evaluation = evaluation_after([before], changed, clock)
        assert has_error(evaluation.findings)
        assert evaluation.changes == ()
    mended = evaluation_after([before, changed], before, CLOCK + 9 * 86_400)
    assert set(outcome(mended).values()) == {
        "keep 10.22.0.1-10.22.0.2", "keep 10.22.0.3-10.22.0.3", "keep 2001:db8::1-2001:db8::1",
    }  # fmt: skip


def test_a_claim_in_the_folder_of_another_team_keeps_all_addresses() -> None:
    before = reconciled(files(claims=claim(poolRefs=TWO_REFS, count=1), pools=BOTH))
    team = f"{HEAD}kind: Team\nmetadata: {{name: %s}}\nspec: {{%s: [%s]}}\n"
    teams = {
        "teams/db.yaml": team % ("db", "namespaces", "team-db"),
        "teams/web.yaml": team % ("web", "folders", "claims"),
    }
    less = {**before, **teams, "claims/claims.yaml": claim(count=1)}
    evaluation = evaluation_of(less)
    assert [it.code for it in evaluation.findings] == ["not-yours"]
    assert set(outcome(evaluation).values()) == {
        "keep 10.22.0.1-10.22.0.1", "keep 2001:db8::1-2001:db8::1",
    }  # fmt: skip


def test_pools_are_used_in_order_within_their_family() -> None:
    small = pool("small", "[10.30.0.4-10.30.0.5]")
    refs = "[{name: small}, {name: internal}]"
    claims = "---\n".join(claim(f"vm-{at}", poolRefs=refs, count=2) for at in range(2))
    assert outcome(files(claims=claims, pools=f"{pool()}---\n{small}")) == {
        "vm-0/ipv4": "allocate 10.30.0.4-10.30.0.5",
        "vm-1/ipv4": "allocate 10.22.0.1-10.22.0.2",
    }


def test_a_pin_is_exactly_these_addresses() -> None:
    both = claim(poolRefs=TWO_REFS, addresses='[10.22.0.40-10.22.0.47, "2001:db8::40"]')
    assert outcome(files(claims=both, pools=BOTH)) == {
        "db-1/ipv4": "allocate 10.22.0.40-10.22.0.47",
        "db-1/ipv6": "allocate 2001:db8::40-2001:db8::40",
    }
    assert codes(files(claims=claim(addresses="[10.22.0.40, 10.22.0.50]"))) == ["field-value"]


@pytest.mark.parametrize(
    ("spec", "code"),
    [
        ({}, "field-required"),
        ({"count": 1, "prefixLength": 28}, "field-value"),
        ({"prefixLength": 40, "ipFamilies": "[IPv4]"}, "field-value"),
        ({"prefixLength": 28, "ipFamilies": "[IPv4, IPv6]"}, "field-value"),
        ({"addresses": "[10.22.0.9]", "ipFamilies": "[IPv6]"}, "family-mismatch"),
        ({"addresses": "[10.22.0.9-10.22.0.3]"}, "range-reversed"),
        ({"addresses": "[10.22.0.09]"}, "address-invalid"),
        ({"count": 1, "poolRefs": "[{name: other}]"}, "reference-not-found"),
    ],
)
def test_a_contradiction_is_an_error(spec: dict[str, Any], code: str) -> None:
    assert code in codes(files(claims=claim(**spec)))


def test_a_prefix_of_pools_of_both_families_must_name_one() -> None:
    tree = files(claims=claim(poolRefs=TWO_REFS, prefixLength=28), pools=BOTH)
    assert codes(tree) == ["field-value"]
    assert set(outcome(tree).values()) == {"refuse field-value"}


@pytest.mark.parametrize(
    ("pools", "code"),
    [
        (pool(addresses='[10.22.0.0/24, "2001:db8::/64"]'), "family-mismatch"),
        (pool(gateway="10.23.0.1"), "field-value"),
        (pool(addresses="[10.22.0.10-10.22.0.20]", gateway="10.22.0.10"), "field-value"),
        (pool(reserved="[{addresses: [10.23.0.1]}]"), "reserved-outside-pool"),
        (pool(thresholds="{warning: 99}"), "field-value"),
        (pool(addresses="[127.0.0.1-127.0.0.9]"), "special-purpose"),
        (pool(addresses="[10.0.0.0-12.0.0.0]"), "pool-too-large"),
        (pool(reserved="[{addresses: [10.22.0.0/24]}]"), "pool-empty"),
    ],
)
def test_a_wrong_pool_is_told(pools: str, code: str) -> None:
    assert codes(files(pools=pools)) == [code]


def test_the_fields_of_a_pool_decide_instead_of_annotations() -> None:
    spec = {
        "addressSpace": "lab",
        "capacityLimit": "never",
        "thresholds": "{warning: 10}",
        "retention": "30d",
    }
    (found,) = evaluation_of(files(pools=pool(**spec))).state.pools.values()
    assert (found.space, found.gate, found.retention) == ("lab", None, 30 * 86_400)
    assert found.thresholds.warning == 10
    annotated = pool().replace("}\nspec", ", annotations: {gitops-ipam.dev/gate: never}}\nspec")
    assert codes(files(pools=annotated)) == ["annotation-invalid"]


def test_a_removed_claim_rests_for_the_retention_of_its_pool() -> None:
    pools = pool(retention="30d")
    whole = reconciled(files(claims=claim(count=1), pools=pools))
    gone = {path: data for path, data in whole.items() if path != "claims/claims.yaml"}
    released = reconciled(gone)
    for days, word in ((29, {}), (31, {"db-1/ipv4": "expire 10.22.0.1-10.22.0.1"})):
        assert outcome(evaluation_of(released, CLOCK + days * 86_400)) == word


def test_a_missing_pool_loses_no_address_of_its_family() -> None:
    whole = reconciled(files(claims=claim(poolRefs=TWO_REFS, count=1), pools=BOTH))
    evaluation = evaluation_of({**whole, "pools/pools.yaml": pool()})
    assert "pool-removed" in [it.code for it in evaluation.findings]
    assert outcome(evaluation) == {
        "db-1/ipv4": "keep 10.22.0.1-10.22.0.1",
        "db-1/ipv6": "keep 2001:db8::1-2001:db8::1",
    }


def test_a_refused_claim_has_no_record() -> None:
    tree = files(claims=claim(count=300))
    evaluation = evaluation_of(tree)
    assert outcome(evaluation) == {"db-1/ipv4": "refuse request-too-large"}
    assert evaluation.changes == ()
    assert carried(tree, evaluation) == tree


def test_a_name_of_many_labels_has_a_shortened_file_name() -> None:
    name = ".".join(["a" * 50] * 4)
    tree = files(claims=claim(name, count=1))
    (change,) = evaluation_of(tree).changes
    file = change.path.rpartition("/")[2]
    assert len(file) == 198
    assert file.startswith(f"{name}.ipv4.yaml"[:180] + "-")
    assert outcome(reconciled(tree)) == {f"{name}/ipv4": "keep 10.22.0.1-10.22.0.1"}


def test_a_team_limits_what_its_namespaces_ask_for() -> None:
    team = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Team\nmetadata: {name: databases}\n"
    team += "spec: {namespaces: [team-db], pools: [v6], maxAddresses: 4}\n"
    tree = files(claims=claim(poolRefs=TWO_REFS, count=1), pools=BOTH)
    assert set(outcome({**tree, "teams/db.yaml": team}).values()) == {"refuse not-yours"}
    many = files(claims=claim(poolRefs="[{name: v6}]", count=5), pools=BOTH)
    (refused,) = evaluation_of({**many, "teams/db.yaml": team}).gates
    assert "the limit of team databases is 4" in refused.message
    few = reconciled({**many, "teams/db.yaml": team.replace(": 4}", ": 5}")})
    (record,) = evaluation_of(few).state.records
    assert record.owner.team == "databases"


def test_a_claim_that_asks_for_more_is_told_of_a_second_claim_first() -> None:
    tree = reconciled(files(claims=claim(count=1))) | {"claims/claims.yaml": claim(count=2)}
    (refused,) = evaluation_of(tree).gates
    assert refused.code == "record-stale"
    assert refused.hint.startswith(
        "restore the previous claim, or add a second claim for more addresses"
    )
    fewer = reconciled(files(claims=claim(count=2))) | {"claims/claims.yaml": claim(count=1)}
    (refused,) = evaluation_of(fewer).gates
    assert "second claim" not in refused.hint


def test_nothing_announces_the_old_range_of_a_moved_claim() -> None:
    tree = reconciled(files(claims=claim(count=1))) | {"claims/claims.yaml": claim(count=2)}
    evaluation = moving(tree, "plain/AddressClaim/team-db/db-1/ipv4")
    (found,) = (it for it in evaluation.findings if it.code == "claim-moves")
    assert found.message.endswith("; the old range is reserved until retention ends")
    assert found.hint == "renumber its hosts before retention ends"
