"""A finding for each new range that is also in another address space."""

import pytest

from reconciler.documents.findings import Finding
from tests.planning.outcome import Files
from tests.review import sides
from tests.review.test_pools import spaced
from tests.world import SMALL, provider, reconciled, tenant

LAB = {"pools/lab.yaml": spaced("lab", "lab"), "providers/lab.yaml": provider("lab", "[{name: lab}]")}  # fmt: skip
BOTH = reconciled({**SMALL, **LAB})
TWO = {"tenants/two.yaml": tenant("two", "team-b", providerConfigRef="{name: lab}")}


def as_findings(base: Files, head: Files) -> list[Finding]:
    return sides.as_findings(base, head, "address-space-overlap")


def test_a_grant_of_what_a_record_of_another_space_holds_is_a_warning_at_its_claim() -> None:
    (found,) = as_findings(BOTH, {**BOTH, **TWO})
    assert (found.severity.value, str(found.location)) == ("warning", "tenants/two.yaml:1")
    assert found.message == (
        "10.40.0.0-10.40.0.7 in address space lab is allocated to team-b/two (loadbalancer), but team-a/one (loadbalancer) in default (10.40.0.0-10.40.0.7) already holds it"
    )
    assert "example, NAT);" in found.hint


def test_one_that_only_lies_in_a_pool_of_another_space_is_to_be_known() -> None:
    three = {"tenants/three.yaml": tenant("three", "team-b")}
    (found,) = as_findings(BOTH, {**BOTH, **three})
    assert (found.severity.value, str(found.location)) == ("info", "tenants/three.yaml:1")
    assert found.message == (
        "10.40.0.8-10.40.0.15 in address space default is allocated to team-b/three (loadbalancer), but is also in NetworkPool lab in lab, so it might be allocated twice"
    )


def test_two_spaces_that_get_the_same_by_one_change_are_told_of_each_other() -> None:
    bare = {path: text for path, text in SMALL.items() if path != "tenants/one.yaml"}
    base = {**bare, **LAB}
    found = as_findings(base, {**base, **TWO, "tenants/one.yaml": SMALL["tenants/one.yaml"]})
    assert [(it.severity.value, it.location.path) for it in found] == [
        ("warning", "tenants/one.yaml"), ("warning", "tenants/two.yaml"),
    ]  # fmt: skip


@pytest.mark.parametrize("is_done", [True, False])
def test_what_is_kept_and_what_the_base_gives_out_already_is_not_told_again(
    *, is_done: bool
) -> None:
    base: Files = {**BOTH, **TWO}
    base = reconciled(base) if is_done else base
    assert (
        as_findings(base, {**base, "teams/none.txt": "", "providers/c.yaml": provider("c")}) == []
    )


def test_where_addresses_differ_nothing_is_told() -> None:
    far = {**SMALL, **LAB, "pools/lab.yaml": spaced("lab", "lab", "10.41.0.0/24")}
    done = reconciled(far)
    assert as_findings(done, {**done, **TWO, "tenants/three.yaml": tenant("three")}) == []
