"""Pools in a tenant cluster that somebody else made before us."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.site import METALLB, POOL_NAME, Site, require_quiet
from tests.envtest.servers import ApiServer
from tests.world import pool, provider, tenant

ONE, TWO = "team-a/one", "team-a/two"
HELD = {ONE: ["10.40.0.0-10.40.0.7"], TWO: ["10.40.0.8-10.40.0.15"]}
FILES = {
    "pools/edge.yaml": pool(),
    "providers/default.yaml": provider(),
    "tenants/one.yaml": tenant("one"),
    "tenants/two.yaml": tenant("two"),
}


@pytest.fixture
def site(tmp_path: Path, management: ApiServer, tenants: tuple[ApiServer, ...]) -> Site:
    """Two tenants with eight addresses each; nothing is applied yet."""
    site = Site(tmp_path, management, FILES)
    for name, server in zip((ONE, TWO), tenants, strict=False):
        site.name(name, server)
    return site


def test_a_foreign_pool_of_the_same_name_is_refused_until_it_is_adopted(site: Site) -> None:
    foreign = address_pool("default-pool", "192.168.7.0/28")
    site.tenants[TWO].put(foreign, path=f"{METALLB}/ipaddresspools")
    ran = site.reconcile(code=5)
    assert "not ours; --adopt takes it over" in ran.objects(TWO)[POOL_NAME]["error"]
    assert site.pool(TWO) == ["192.168.7.0/28"]
    assert site.pool(ONE) == HELD[ONE]
    site.reconcile("--adopt")
    assert site.pool(TWO) == HELD[TWO]
    require_quiet(site)


def test_a_foreign_pool_that_overlaps_is_named_and_nothing_is_applied_over_it(site: Site) -> None:
    foreign = address_pool("lab", "10.40.0.12/32")
    site.tenants[TWO].put(foreign, path=f"{METALLB}/ipaddresspools")
    ran = site.reconcile(code=5)
    assert "10.40.0.12 is also in IPAddressPool lab" in ran.errors()
    assert site.pool(TWO) == []
    assert site.pool(ONE) == HELD[ONE]


def address_pool(name: str, addresses: str) -> dict[str, Any]:
    """An IPAddressPool as a person writes it."""
    return {
        "apiVersion": "metallb.io/v1beta1",
        "kind": "IPAddressPool",
        "metadata": {"name": name},
        "spec": {"addresses": [addresses]},
    }
