"""Findings of `check --base` for renamed pools in clusters."""

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


def changed(base: Files, *entries: str, **spec: str) -> list[tuple[str, str]]:
    """Findings of a change of the entries of prod-1, without the paths of records."""
    found = as_findings(base, {**base, "clusters/prod-1.yaml": target(*entries, **spec)}, *CODES)
    return [(it.code, it.message) for it in found]


CODES = ("objects-changed", "announcement-lost", CODE)
L2 = "{type: L2}"
WHAT = "10.22.0.1-10.22.0.2 (2 addresses)"


@pytest.mark.parametrize(
    ("old", "new", "fields", "lost"),
    [
        ({"labels": "{tier: web}"}, {"labels": "{tier: db}"}, "labels.tier web → db", ""),
        ({}, {"annotations": "{a: b}"}, 'annotations unset → {"a": "b"}', ""),
        (
            {"advertisement": L2},
            {"advertisement": "{type: None}"},
            "advertisement.type L2 → None",
            "stop announcing",
        ),
        ({"advertisement": L2}, {}, 'advertisement {"type": "L2"} → unset', "stop announcing"),
        (
            {"advertisement": L2},
            {"advertisement": "{type: BGP}"},
            "advertisement.type L2 → BGP",
            "stop announcing",
        ),
        ({}, {"advertisement": L2}, 'advertisement unset → {"type": "L2"}', ""),
        ({"services": "{default: true}"}, {}, 'services {"default": true} → unset', ""),
        (
            {"services": "{default: true}"},
            {"services": "{namespaces: [edge]}"},
            'services.default true → unset, services.namespaces unset → ["edge"]',
            "no longer selects",
        ),
        (
            {"services": "{namespaces: [a]}"},
            {"services": "{namespaces: [a, b]}"},
            'services.namespaces ["a"] → ["a", "b"]',
            "",
        ),
    ],
)
def test_an_edit_of_objects_alone_is_listed_and_a_loss_is_a_warning(
    old: dict[str, str], new: dict[str, str], fields: str, lost: str
) -> None:
    base = reconciled(files(target(entry(count=2, **old))))
    first, *others = changed(base, entry(count=2, **new))
    assert first == ("objects-changed", f"objects of prod-1/internal change: {fields}")
    assert [it[0] for it in others] == ["announcement-lost"] * bool(lost)
    assert all(lost in it[1] and WHAT in it[1] for it in others)
    assert changed(base, entry(count=2, **old)) == []


def test_an_entry_without_records_or_with_the_same_object_is_not_listed() -> None:
    base = files(target(entry(count=2, advertisement=L2)))
    assert changed(base, entry(count=2)) == []
    done = reconciled(files(target(entry(count=2))))
    assert changed(done, entry(count=4, advertisement="{type: None}")) == []


def test_cilium_takes_addresses_of_services_that_a_pool_no_longer_selects() -> None:
    cilium = "{type: Cilium}"
    base = reconciled(files(target(entry(count=2, services="{default: true}"), controller=cilium)))
    (_, lost) = changed(base, entry(count=2), controller=cilium)
    assert lost[1].startswith(f"Cilium would take addresses of {WHAT} from Services that entry")


@pytest.mark.parametrize(
    "controller", ["{type: Cilium}", "{type: MetalLB, metalLB: {namespace: lb}}"]
)
def test_another_controller_replaces_the_pools_of_a_cluster(controller: str) -> None:
    base = reconciled(files(target(entry(count=2))))
    (lost,) = changed(base, entry(count=2), controller=controller)
    assert lost[0] == "announcement-lost"
    assert "prod-1 changes its controller from MetalLB in metallb-system to" in lost[1]
    same = "{type: MetalLB, metalLB: {namespace: metallb-system}}"
    assert changed(base, entry(count=2), controller=same) == []


def test_a_removed_entry_and_a_replaced_one_remove_their_pool() -> None:
    base = reconciled(files(target(entry(count=2), entry("dmz", count=2))))
    ((code, message),) = changed(base, entry("dmz", count=2))
    assert code == "announcement-lost"
    assert "pool internal of cluster prod-1 is removed with 10.22.0.3-10.22.0.4" in message
    assert changed(base, entry(count=2), entry("dmz", count=1)) == []


def test_a_selection_by_very_many_labels_is_compared_in_bounded_time() -> None:
    labels = ", ".join(f"l{it}: a" for it in range(40))
    many = f"{{selector: {{matchLabels: {{{labels}}}}}}}"
    base = reconciled(files(target(entry(count=2, services="{default: true}"))))
    (_, lost) = changed(base, entry(count=2, services=many))
    assert lost[0] == "announcement-lost"
