"""Findings about pools, providers, teams, and manual ranges of a change."""

import pytest

from reconciler.codes import CODES
from reconciler.documents.findings import Finding, Location, Severity
from reconciler.families import families, role_of
from reconciler.model.settings import Override, OverrideKind, Overrides
from reconciler.planning.evaluate import judged_by_base
from reconciler.review.files import manual_ranges, shared_documents
from reconciler.review.pools import moved_spaces, new_spaces, overlaid_spaces, shrunk, unreserved
from tests.planning.outcome import Files, without
from tests.review.sides import change_of, found_by
from tests.world import SMALL, evaluation_of, pool, reconciled, tenant

HAND = "{loadBalancerPool: {start: 10.40.0.100, end: 10.40.0.109}}"


def as_findings(before: Files, now: Files) -> list[Finding]:
    spaces = new_spaces, moved_spaces, overlaid_spaces
    checks = shared_documents, *spaces, manual_ranges, unreserved
    return found_by(change_of(before, now), *checks)


def listing(spaces: tuple[str, ...] | None) -> Files:
    head = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
    return {} if spaces is None else {"ipam.yaml": f"{head}spec: {{addressSpaces: {[*spaces]}}}\n"}


def spaced(space: str, name: str = "edge", cidr: str = "10.40.0.0/24") -> str:
    text = f"system, annotations: {{gitops-ipam.dev/address-space: {space}}}}}"
    return pool(name, cidr).replace("system}", text)


def test_what_is_new_is_told_at_its_place() -> None:
    first, second = as_findings({}, SMALL)
    assert (first.code, str(first.location)) == ("pool-added", "pools/edge.yaml:1")
    assert first.message.endswith(
        "is new: 10.40.0.0-10.40.0.255, capacity limit exhausted (70, 85, 95)"
    )
    assert (second.code, second.message) == (
        "provider-added", "ProviderConfig butler-system/default is new",
    )  # fmt: skip


def test_what_says_the_same_and_what_is_gone_is_no_news() -> None:
    assert as_findings(SMALL, SMALL) == as_findings(SMALL, {}) == []


def test_what_could_not_be_read_before_is_told_as_a_change() -> None:
    wrong = pool().replace("10.40.0.0", "10.40.0.1")
    (found,) = as_findings({"pools/a.yaml": wrong}, {"pools/a.yaml": pool()})
    assert (found.code, found.message) == (
        "pool-changed", "NetworkPool butler-system/edge cannot be read in main",
    )  # fmt: skip


def test_a_range_by_hand_that_the_plan_records_is_not_told_as_one_without_a_record() -> None:
    pinned = {"tenants/one.yaml": tenant("one", networking=HAND)}
    assert "manual-range-added" not in {it.code for it in as_findings(SMALL, {**SMALL, **pinned})}
    outside = {"tenants/one.yaml": tenant("one", networking=HAND.replace("10.40", "10.41"))}
    assert "manual-range-added" in {it.code for it in as_findings(SMALL, {**SMALL, **outside})}


def test_a_range_by_hand_is_told_when_it_is_new_or_another_one() -> None:
    one, other = (tenant("one", networking=text) for text in (HAND, HAND.replace("109", "110")))
    (new,) = as_findings({}, {"tenants/one.yaml": one})
    assert (new.code, str(new.location)) == ("manual-range-added", "tenants/one.yaml:6")
    assert new.message == (
        "10.40.0.100-10.40.0.109 of team-a/one (loadBalancerPool) is new, and has no record"
    )
    (changed,) = as_findings({"tenants/one.yaml": one}, {"tenants/moved.yaml": other})
    assert changed.code == "manual-range-changed"
    assert changed.message.endswith("was 10.40.0.100-10.40.0.109 in main")
    assert as_findings({"tenants/one.yaml": one}, {"tenants/moved.yaml": one}) == []


@pytest.mark.parametrize(
    ("before", "now", "codes"),
    [
        (None, ("default",), []),
        (None, ("default", "lab"), ["address-space-added"]),
        (("default",), ("default", "lab"), ["address-space-added"]),
        (("default", "lab"), ("lab", "default"), []),
        (("default", "lab"), None, []),
    ],
)
def test_an_address_space_that_settings_list_anew_is_told(
    before: tuple[str, ...] | None, now: tuple[str, ...] | None, codes: list[str]
) -> None:
    assert [item.code for item in as_findings(listing(before), listing(now))] == codes


def test_a_pool_in_an_address_space_is_told_while_settings_list_none() -> None:
    new: Files = {"pools/a.yaml": spaced("lab")}
    assert [item.code for item in as_findings({}, new)] == ["pool-added", "address-space-added"]
    listed = listing(("default", "lab"))
    assert [item.code for item in as_findings(listed, {**listed, **new})] == ["pool-added"]
    moved = as_findings({"pools/a.yaml": pool()}, new)
    assert [item.code for item in moved] == ["pool-changed", "address-space-changed"]
    assert moved[1].message == "NetworkPool edge moves from address space default to lab"
    assert moved[1].severity is Severity.INFO


@pytest.mark.parametrize(
    ("old", "new", "is_told"),
    [
        (None, "10.40.0.0/29", True),
        (None, "10.40.0.8/29", False),  # only free addresses
        ("10.40.0.8/29", "10.40.0.0/28", True),
        ("10.40.0.0/29", "10.40.0.0/28", False),  # new addresses are free
    ],
)
@pytest.mark.parametrize("spaces", [("default", "lab"), ("lab", "default"), ("lab", "lab")])
def test_a_pool_over_what_another_address_space_holds_is_told(
    old: str | None, new: str, spaces: tuple[str, str], *, is_told: bool
) -> None:
    theirs, ours = spaces
    holding = {**SMALL, "pools/edge.yaml": spaced(theirs)}
    before = reconciled(holding | ({"pools/b.yaml": spaced(ours, "b", old)} if old else {}))
    now = {**before, "pools/b.yaml": spaced(ours, "b", new)}
    found = [it for it in as_findings(before, now) if it.code == "address-space-overlap"]
    assert len(found) == (is_told and theirs != ours)
    for it in found:
        assert "other spaces hold: team-a/one (loadbalancer) 10.40.0.0-10.40.0.7;" in str(it)


@pytest.mark.parametrize(
    "before",
    [
        reconciled(SMALL),
        reconciled(without(reconciled(SMALL), "tenants/one.yaml")),
        {**SMALL, "tenants/one.yaml": tenant("one", networking=HAND.replace("109", "107"))},
    ],
    ids=["live", "released", "by hand"],
)
def test_a_pool_that_holds_addresses_stays_in_its_address_space(before: Files) -> None:
    now = {**before, "pools/edge.yaml": spaced("lab")}
    (moved,) = (item for item in as_findings(before, now) if item.code == "address-space-changed")
    assert (moved.severity, str(moved.location)) == (Severity.ERROR, "pools/edge.yaml:5")
    assert moved.message.endswith(
        "default to lab, but records hold 8 addresses of it, which a pool in default could allocate again"
    )


def test_without_a_gate_that_changes_an_evaluation_is_as_it_was() -> None:
    evaluation = evaluation_of(SMALL)
    for base in (SMALL, {}, {"pools/x.yaml": pool("x")}):
        pools = evaluation_of(base).state.pools
        assert judged_by_base(pools, evaluation) is evaluation


def test_other_gates_stay() -> None:
    never = pool(cidr="10.40.0.0/30").replace(
        "system}", 'system, annotations: {gitops-ipam.dev/gate: "never"}}'
    )
    files = {**SMALL, "pools/edge.yaml": never}
    before: Files = {"pools/edge.yaml": pool(cidr="10.40.0.0/30")}
    gates = judged_by_base(evaluation_of(before).state.pools, evaluation_of(files)).gates
    assert [item.code for item in gates] == ["request-too-large"]


def test_each_role_of_a_kind_has_its_codes() -> None:
    roles = {role_of(kind) for family in families() for kind in family.kinds}
    assert {f"{role}-{word}" for role in roles - {""} for word in ("added", "changed")} <= {*CODES}


def test_a_pool_may_grow_and_not_shrink() -> None:
    base = reconciled(SMALL)
    assert told_shrunk(base, pool(cidr="10.40.0.0/16")) == []
    assert told_shrunk(base, pool(cidr="7")) == []
    (item,) = told_shrunk(base, pool(cidr="10.40.0.0/25"))
    assert (item.code, item.severity) == ("pool-shrunk", "error")
    assert str(item.location) == "pools/edge.yaml:5"
    assert item.message == (
        "NetworkPool edge no longer contains all of 10.40.0.0-10.40.0.255, as in main"
    )


def test_an_override_lets_a_pool_shrink_and_says_what_stays_held() -> None:
    place = Location("overrides/2026-02-15-why.yaml", 1, 1)
    scope = "butler/NetworkPool/butler-system/edge"
    mine = Override(OverrideKind.SHRINK, scope, "why", 1 << 40, 0, place.path, place)
    (item,) = told_shrunk(reconciled(SMALL), pool(cidr="10.40.0.0/25"), Overrides((mine,)))
    assert item.severity == "warning"
    assert item.message.endswith(
        "in main; an Override permits this, and records keep their addresses"
    )


def told_shrunk(base: Files, text: str, overrides: Overrides | None = None) -> list[Finding]:
    return list(shrunk(change_of(base, {**base, "pools/edge.yaml": text}, overrides)))
