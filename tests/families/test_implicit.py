"""Defaults that a tenant gets without asking: its provider, its namespace, and a second pool."""

import pytest

from reconciler.documents.findings import Finding
from tests.planning.outcome import Files
from tests.world import SMALL, evaluation_of, pool, provider, reconciled, settings_text, tenant

ONE = "tenants/one.yaml"
DMZ = {"providers/a.yaml": provider("dmz")}
STRICT = {"ipam.yaml": settings_text("{providerImplicit: error}")}


def found(files: Files, code: str) -> list[Finding]:
    return [it for it in evaluation_of(files).findings if it.code == code]


@pytest.mark.parametrize("other", ["prod", "alpha"])
def test_a_provider_that_only_its_name_chooses_is_told(other: str) -> None:
    files = {**SMALL, "providers/default.yaml": provider(other), **DMZ}
    (item,) = found(files, "provider-implicit")
    assert (item.severity, item.location.path) == ("warning", ONE)
    first = min(other, "dmz")
    assert item.message == (
        f"TenantCluster team-a/one has no providerConfigRef, so it uses ProviderConfig {first} (first name)"
    )
    assert f"set spec.providerConfigRef.name (for example to {first})," in item.hint
    (item,) = found({**files, **STRICT}, "provider-implicit")
    assert item.severity == "error"


@pytest.mark.parametrize(
    "more",
    [
        {ONE: tenant("one", providerConfigRef="{name: dmz}")},
        {"providers/c.yaml": provider("default")},
        {"providers/a.yaml": provider("prod")},
    ],
)
def test_a_provider_that_is_named_or_default_or_alone_is_no_choice(more: Files) -> None:
    files = {**SMALL, "providers/default.yaml": provider("prod"), **DMZ, **STRICT, **more}
    if more.get("providers/a.yaml"):
        del files["providers/default.yaml"]
    assert found(files, "provider-implicit") == []


def test_a_provider_with_pools_and_no_mode_serves_nobody_and_its_new_tenant_hears_of_it() -> None:
    silent = {"providers/default.yaml": provider().replace("    mode: ipam\n", "")}
    first, second = found({**SMALL, **silent}, "provider-mode")
    assert first.severity == second.severity == "warning"
    assert first.location.path == "providers/default.yaml"
    assert first.message == (
        "ProviderConfig butler-system/default names pools but no network.mode, so it serves no tenant"
    )
    assert second.location.path == ONE
    assert "TenantCluster team-a/one gets no addresses" in second.message
    clouds = {"providers/default.yaml": provider().replace("mode: ipam", "mode: cloud")}
    assert found({**SMALL, **clouds}, "provider-mode") == []
    assert len(found({**reconciled(SMALL), **silent}, "provider-mode")) == 1


NEW = tenant("new").replace(", namespace: team-a", "")
TWO = {"tenants/two.yaml": tenant("two", "team-b")}


def test_a_new_tenant_without_a_namespace_that_all_others_have_is_told() -> None:
    files = {**reconciled({**SMALL, **TWO}), "tenants/new.yaml": NEW}
    (item,) = found(files, "namespace-implicit")
    assert (item.severity, item.location.path) == ("warning", "tenants/new.yaml")
    assert item.message.startswith("TenantCluster default/new is in namespace default, because")
    assert found(reconciled(files), "namespace-implicit") == []
    assert found({**files, ONE: tenant("one").replace(", namespace: team-a", "")}, item.code) == []
    assert found({**files, "tenants/new.yaml": tenant("new", "default")}, item.code) == []


def test_ranges_of_two_pools_in_one_cluster_are_told_before_and_after_they_are_given() -> None:
    pools = {
        "pools/edge.yaml": pool(cidr="10.40.0.0/29"),
        "pools/far.yaml": pool("far", "10.50.0.0/24"),
        "providers/default.yaml": provider(pools="[{name: edge}, {name: far}]"),
    }
    files = reconciled({**SMALL, **pools})
    assert found(files, "pools-mixed") == []
    files |= {ONE: tenant("one", networking="{lbPoolSize: 12}")}
    for tree in (files, reconciled(files)):
        (item,) = found(tree, "pools-mixed")
        assert (item.severity, item.location.path) == ("warning", ONE)
        assert item.message == (
            "the IPAddressPool of cluster team-a/one mixes 10.40.0.0-10.40.0.7 of pool edge and 10.50.0.0-10.50.0.3 of pool far"
        )
        assert "ipam move team-a/one/loadbalancer-1 --to edge" in item.hint
