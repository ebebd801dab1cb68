"""What a check beside a base says of pools in clusters that get another name."""

import pytest

from reconciler.documents.findings import Finding
from reconciler.model.objects import Manifest
from reconciler.planning.projection import project
from tests.families.plain.examples import cluster as target
from tests.families.plain.examples import entry, files
from tests.planning.outcome import Files
from tests.planning.test_renaming import TWO
from tests.review.sides import as_findings
from tests.world import evaluation_of, reconciled, tenant

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


def pools_of(tree: Files) -> list[Manifest]:
    made = project(evaluation_of(tree))
    return [it.manifest for it in made if it.manifest["kind"] == "IPAddressPool"]


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


@pytest.mark.parametrize("changed", ["objectName: web", "formerly: internal, objectName: web"])
def test_another_object_name_of_a_recorded_entry_is_reported_and_can_be_undone(
    changed: str,
) -> None:
    base = reconciled(files(target(entry(count=2))))
    name = "inner" if "formerly" in changed else "internal"
    line = f"{{name: {name}, poolRefs: [{{name: internal}}], count: 2, {changed}}}"
    renamed = {**base, "clusters/prod-1.yaml": target(line)}
    (found,) = of(base, renamed)
    assert (found.severity.value, found.location.path, found.location.line) == (
        "warning", "clusters/prod-1.yaml", 6,
    )  # fmt: skip
    assert found.message == (
        f"the IPAddressPool of entry {name} of ClusterTarget prod-1 is renamed from internal to"
        f" web; {THEN}"
    )
    merged = reconciled(renamed)
    undone = {**merged, "clusters/prod-1.yaml": target(line.replace(", objectName: web", ""))}
    (found,) = of(merged, undone)
    assert "is renamed from web to internal" in found.message
    for tree, pool in ((merged, "web"), (reconciled(undone), "internal")):
        names = [it["metadata"]["name"] for it in pools_of(tree)]
        assert names == [pool]
    fresh = {
        **base,
        "clusters/prod-1.yaml": target(entry(count=2), entry("new", objectName="w", count=1)),
    }
    assert of(base, fresh) == []
