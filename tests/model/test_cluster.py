import pytest

from reconciler.model.cluster import MANAGEMENT, tenant_name, tenant_of


@pytest.mark.parametrize("namespace", ["default", "butler-system", ""])
def test_a_tenant_is_known_again_by_its_name(namespace: str) -> None:
    assert tenant_of(tenant_name(namespace, "edge-1")) == (namespace, "edge-1")


@pytest.mark.parametrize("name", ["edge-1", "default", MANAGEMENT])
def test_a_bare_name_is_no_tenants(name: str) -> None:
    assert tenant_of(name) is None
    assert tenant_of(tenant_name("", name)) == ("", name)
