"""What a check beside a base says of pools in clusters that get another name."""

from reconciler.documents.findings import Finding
from tests.planning.outcome import Files
from tests.planning.test_renaming import TWO
from tests.review.sides import as_findings
from tests.world import tenant

CODE = "cluster-pool-renamed"
THEN = (
    "ipam apply keeps the old name while Services use it (exit code 5), and otherwise replaces"
    " the pool"
)


def named(name: str, pool: str) -> str:
    """A tenant whose pool has a name of its own."""
    note = f"annotations: {{gitops-ipam.dev/metallb-pool: {pool}}}, "
    return tenant(name).replace("metadata: {", f"metadata: {{{note}")


def settings(pool: str) -> str:
    return (
        "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: ipam}\n"
        f"spec: {{metallb: {{poolName: {pool}}}}}\n"
    )


def of(base: Files, head: Files) -> list[Finding]:
    return as_findings(base, head, CODE)


def test_a_living_tenant_whose_pool_gets_another_name_is_told_with_both() -> None:
    base = {**TWO, "tenants/one.yaml": named("one", "old-pool")}
    (found,) = of(base, {**base, "tenants/one.yaml": named("one", "new-pool")})
    assert (found.severity.value, found.location.path) == ("warning", "tenants/one.yaml")
    assert found.message == (
        "the IPAddressPool in the cluster of TenantCluster team-a/one is renamed from old-pool to"
        f" new-pool; {THEN}"
    )
    (found,) = of(base, TWO)
    assert "is renamed from old-pool to default-pool" in found.message
    assert of(base, {**base, "tenants/two.yaml": named("two", "default-pool")}) == []


def test_who_is_new_and_who_holds_nothing_yet_has_no_pool_to_be_renamed() -> None:
    assert of(TWO, {**TWO, "tenants/three.yaml": named("three", "third")}) == []
    early = {**TWO, "tenants/three.yaml": named("three", "third")}
    assert of(early, {**TWO, "tenants/three.yaml": named("three", "other")}) == []


def test_settings_that_name_all_pools_otherwise_are_told_with_how_many_tenants() -> None:
    (found,) = of(TWO, {**TWO, "ipam.yaml": settings("edge")})
    assert found.location.path == "ipam.yaml"
    assert found.message == (
        "spec.metallb.poolName renames the IPAddressPool of 2 tenants from default-pool to edge;"
        f" {THEN}"
    )
    base = {**TWO, "tenants/one.yaml": named("one", "own")}
    (found,) = of(base, {**base, "ipam.yaml": settings("edge")})
    assert "of 1 tenant from" in found.message
