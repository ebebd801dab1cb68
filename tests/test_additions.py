"""What a change brings of pools, providers and teams, and by which gates it is judged."""

import pytest

from reconciler.additions import gated_by_base, with_additions
from reconciler.codes import CODES
from reconciler.comparison import Base, Compared
from reconciler.families import families, role_of
from reconciler.findings import Finding, Severity
from reconciler.gathering import described
from reconciler.model.settings import Settings
from reconciler.records.by_hand import Records
from tests.engine.outcome import Files, without
from tests.world import SMALL, evaluation_of, pool, reconciled, tenant, tree_of

HAND = "{loadBalancerPool: {start: 10.40.0.100, end: 10.40.0.109}}"
NONE = Settings()


def base_of(before: Files, now: Files) -> Base:
    old, new = (described(tree.sources, tree.settings) for tree in map(tree_of, (before, now)))
    return Base(
        "main",
        Records({}, {}),
        settings_changed=False,
        is_contained=True,
        described=old,
        described_now=new,
    )


def told(
    before: Files, now: Files, settings: tuple[Settings, Settings] = (NONE, NONE)
) -> list[Finding]:
    compared = Compared(evaluation_of({}))
    found = with_additions(base_of(before, now), settings, compared)
    return list(found.evaluation.findings)


def spaced(space: str, name: str = "edge", cidr: str = "10.40.0.0/24") -> str:
    text = f"system, annotations: {{gitops-ipam.dev/address-space: {space}}}}}"
    return pool(name, cidr).replace("system}", text)


def test_what_is_new_is_told_at_its_place() -> None:
    first, second = told({}, SMALL)
    assert (first.code, str(first.location)) == ("pool-added", "pools/edge.yaml:1")
    assert first.message.endswith("is new: 10.40.0.0-10.40.0.255, gate exhausted (70, 85, 95)")
    assert (second.code, second.message) == (
        "provider-added", "ProviderConfig butler-system/default is new",
    )  # fmt: skip


def test_what_says_the_same_and_what_is_gone_is_no_news() -> None:
    assert told(SMALL, SMALL) == []
    assert told(SMALL, {}) == []


def test_many_fields_that_differ_are_cut() -> None:
    labels = ", ".join(f"{letter}: {letter}" for letter in "abcdefg")
    text = pool().replace("system}", f"system, labels: {{{labels}}}}}")
    bare = pool().replace("system}", "system, labels: {a: x}}")
    (found,) = told({"pools/a.yaml": bare}, {"pools/a.yaml": text})
    assert found.message.endswith(
        "metadata.labels.a, metadata.labels.b, metadata.labels.c, metadata.labels.d,"
        " metadata.labels.e and more"
    )


def test_what_could_not_be_read_before_is_told_as_a_change() -> None:
    wrong = pool().replace("10.40.0.0", "10.40.0.1")
    (found,) = told({"pools/a.yaml": wrong}, {"pools/a.yaml": pool()})
    assert (found.code, found.message) == (
        "pool-changed", "NetworkPool butler-system/edge could not be read in main",
    )  # fmt: skip


def test_a_range_by_hand_is_told_when_it_is_new_or_another_one() -> None:
    one, other = (tenant("one", networking=text) for text in (HAND, HAND.replace("109", "110")))
    (new,) = told({}, {"tenants/one.yaml": one})
    assert (new.code, str(new.location)) == ("manual-range-added", "tenants/one.yaml:6")
    assert new.message == (
        "10.40.0.100-10.40.0.109 of team-a/one (loadBalancerPool) is new:"
        " it is used without a record"
    )
    (changed,) = told({"tenants/one.yaml": one}, {"tenants/moved.yaml": other})
    assert changed.code == "manual-range-changed"
    assert changed.message.endswith("was 10.40.0.100-10.40.0.109 in main")
    assert told({"tenants/one.yaml": one}, {"tenants/moved.yaml": one}) == []


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
    settings = Settings(address_spaces=before), Settings(address_spaces=now)
    assert [item.code for item in told({}, {}, settings)] == codes


def test_a_pool_in_an_address_space_is_told_while_settings_list_none() -> None:
    new: Files = {"pools/a.yaml": spaced("lab")}
    assert [item.code for item in told({}, new)] == ["pool-added", "address-space-added"]
    listed = Settings(address_spaces=("default", "lab"))
    assert [item.code for item in told({}, new, (listed, listed))] == ["pool-added"]
    moved = told({"pools/a.yaml": pool()}, new)
    assert [item.code for item in moved] == ["pool-changed", "address-space-changed"]
    assert moved[1].message == "NetworkPool edge is put from address space default into lab"
    assert moved[1].severity is Severity.INFO


@pytest.mark.parametrize(
    ("old", "new", "is_told"),
    [
        (None, "10.40.0.0/29", True),
        (None, "10.40.0.8/29", False),  # of addresses that nobody holds
        ("10.40.0.8/29", "10.40.0.0/28", True),
        ("10.40.0.0/29", "10.40.0.0/28", False),  # what is new is free
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
    compared = Compared(evaluation_of(now))
    every = with_additions(base_of(before, now), (NONE, NONE), compared).evaluation.findings
    found = [it for it in every if it.code == "address-space-overlap"]
    assert len(found) == (is_told and theirs != ours)
    for it in found:
        assert "other spaces hold addresses of it: team-a/one (loadbalancer) 10.40.0.0-" in str(it)


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
    compared = Compared(evaluation_of(now))
    found = with_additions(base_of(before, now), (NONE, NONE), compared).evaluation.findings
    (moved,) = (item for item in found if item.code == "address-space-changed")
    assert (moved.severity, str(moved.location)) == (Severity.ERROR, "pools/edge.yaml:5")
    assert moved.message.endswith("into lab with 8 addresses that are held")


def test_without_a_gate_that_changes_an_evaluation_is_as_it_was() -> None:
    evaluation = evaluation_of(SMALL)
    assert gated_by_base(base_of(SMALL, SMALL), evaluation) is evaluation
    assert gated_by_base(base_of({}, SMALL), evaluation) is evaluation
    assert gated_by_base(base_of({"pools/x.yaml": pool("x")}, {}), evaluation) is evaluation


def test_other_gates_stay() -> None:
    never = pool(cidr="10.40.0.0/30").replace(
        "system}", 'system, annotations: {gitops-ipam.dev/gate: "never"}}'
    )
    files = {**SMALL, "pools/edge.yaml": never}
    before: Files = {"pools/edge.yaml": pool(cidr="10.40.0.0/30")}
    gates = gated_by_base(base_of(before, files), evaluation_of(files)).gates
    assert [item.code for item in gates] == ["request-too-large"]


def test_each_role_of_a_kind_has_its_codes() -> None:
    roles = {role_of(kind) for family in families() for kind in family.kinds}
    assert {f"{role}-{word}" for role in roles - {""} for word in ("added", "changed")} <= {*CODES}
