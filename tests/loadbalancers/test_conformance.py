"""Behavior of each controller. A case with tags runs only if the controller has all of them."""

from collections.abc import Iterator
from typing import NamedTuple

import pytest

from reconciler.addresses import IPSet
from reconciler.loadbalancers import controllers
from reconciler.loadbalancers.interface import (
    Capability,
    Controller,
    LoadBalancerPool,
    ServiceSelection,
)
from reconciler.model.objects import Manifest, Resource
from tests.loadbalancers import installed
from tests.loadbalancers.clusters import Cluster, as_lists, errors, ranges

ONE = ranges("10.22.0.96-10.22.0.103")
TWO = ranges("10.22.0.104-10.22.0.107", "10.22.0.8-10.22.0.11")
SIX = ranges("fd00:22::10-fd00:22::1f")
ALL = ServiceSelection(is_default=True)


class Vector(NamedTuple):
    """Pools, and the tags without which a controller cannot express them."""

    name: str
    pools: tuple[LoadBalancerPool, ...]
    tags: frozenset[Capability] = frozenset()


def _with(name: str, *tags: Capability, **fields: object) -> Vector:
    pool = LoadBalancerPool("dmz", ONE, **fields)  # type: ignore[arg-type]
    return Vector(name, (pool,), frozenset(tags))


BGP = {"type": "BGP", "bgp": {"communities": ["65000:100"], "aggregationLength": 30}}
SELECTOR = {"matchLabels": {"tier": "edge"}}
VECTORS = (
    Vector("one range", (LoadBalancerPool("internal", ONE),)),
    Vector("ranges apart", (LoadBalancerPool("internal", (*ONE, *TWO)),)),
    Vector("IPv6", (LoadBalancerPool("internal", SIX),)),
    Vector(
        "both families",
        (LoadBalancerPool("internal", (*ONE, *SIX)),),
        frozenset({Capability.BOTH_FAMILIES}),
    ),
    _with("namespaces", Capability.NAMESPACES, services=ServiceSelection(namespaces=("edge",))),
    _with("selector", Capability.SELECTORS, services=ServiceSelection(selector=SELECTOR)),
    _with(
        "both selections",
        *(Capability.NAMESPACES, Capability.SELECTORS),
        services=ServiceSelection(namespaces=("edge", "shop"), selector=SELECTOR),
    ),
    _with("only by name", Capability.NAMES, services=ServiceSelection()),
    _with("L2", Capability.L2, advertisement={"type": "L2", "l2": {"interfaces": ["eth1"]}}),
    _with("BGP", Capability.BGP, advertisement=BGP),
)


def _known() -> tuple[Controller, ...]:
    with installed():
        return controllers()


CASES = [
    pytest.param(it, vector, id=f"{it.name}-{vector.name}")
    for it in _known()
    for vector in VECTORS
    if vector.tags <= it.capabilities
]
NAMES = [it.name for it in _known()]


@pytest.fixture(autouse=True)
def _beside_the_others() -> Iterator[None]:
    with installed():
        yield


def by_kind(
    balancer: Controller, manifests: tuple[Manifest, ...]
) -> dict[Resource, list[Manifest]]:
    found: dict[Resource, list[Manifest]] = {it: [] for it in balancer.resources}
    for manifest in manifests:
        named = manifest["apiVersion"], manifest["kind"]
        (kind,) = (it for it in balancer.resources if (it.api_version, it.kind) == named)
        found[kind].append(manifest)
    return found


@pytest.mark.parametrize(("balancer", "vector"), CASES)
def test_each_pool_is_one_object_that_reads_back(balancer: Controller, vector: Vector) -> None:
    made = balancer.objects(vector.pools, "")
    assert made == balancer.objects(vector.pools, "")
    found = by_kind(balancer, made)
    namespaces = {it["metadata"].get("namespace", "") for it in made}
    assert namespaces == {balancer.home()}
    for pool, manifest in zip(vector.pools, found[balancer.pool], strict=True):
        assert manifest["metadata"]["name"] == pool.name
        assert balancer.addresses(manifest) == IPSet.of(pool.ranges)
        assert balancer.live(manifest).addresses == IPSet.of(pool.ranges)
        advertised = [it for kind in balancer.others for it in found[kind]]
        assert all(balancer.selects(it, manifest) for it in advertised)
        assert bool(advertised) is (pool.advertisement["type"] != "None")
        (imported,) = (it for it in balancer.imported(found) if it.pool.name == pool.name)
        assert IPSet.of(imported.pool.ranges) == IPSet.of(pool.ranges)
        assert (imported.pool.services, imported.pool.spec) == (pool.services, {})
        assert len(imported.advertised_by) == len(advertised)


@pytest.mark.parametrize(("balancer", "vector"), CASES)
def test_addresses_change_and_nothing_else(balancer: Controller, vector: Vector) -> None:
    for manifest in by_kind(balancer, balancer.objects(vector.pools, ""))[balancer.pool]:
        before = balancer.addresses(manifest)
        fewer = before - IPSet((before.ranges[0],)) or IPSet(ONE)
        more = before | IPSet(ranges("10.99.0.0-10.99.0.3"))
        for wanted in (fewer, more, before):
            made = balancer.with_addresses(manifest, wanted, None)
            assert balancer.addresses(made) == wanted
            back = balancer.with_addresses(made, before, manifest)
            assert back == manifest


@pytest.mark.parametrize("balancer", _known(), ids=lambda it: it.name)
def test_a_pool_without_ranges_is_no_object(balancer: Controller) -> None:
    assert balancer.objects((LoadBalancerPool("empty", ()),), "") == ()


@pytest.mark.parametrize("name", NAMES)
def test_pools_come_change_and_go(name: str) -> None:
    cluster = Cluster(name)
    pools = LoadBalancerPool("internal", ONE), LoadBalancerPool("dmz", TWO[:1])
    applied = cluster.apply(*pools)
    assert errors(applied) == []
    assert cluster.pools() == as_lists(pools)
    assert not cluster.apply(*pools).is_changed
    grown = LoadBalancerPool("internal", (*ONE, *TWO[1:]))
    cluster.apply(grown, pools[1])
    assert IPSet.of(cluster.pools()["internal"]) == IPSet.of(grown.ranges)
    cluster.apply(grown)
    assert list(cluster.pools()) == ["internal"]
    cluster.apply()
    assert cluster.pools() == {}


@pytest.mark.parametrize("name", NAMES)
def test_a_range_shrinks_in_one_pool_before_it_grows_in_another(name: str) -> None:
    cluster = Cluster(name)
    cluster.apply(LoadBalancerPool("a", (*ONE, *TWO[1:])), LoadBalancerPool("b", TWO[:1]))
    cluster.apply(LoadBalancerPool("a", TWO[1:]), LoadBalancerPool("b", (*TWO[:1], *ONE)))
    assert cluster.writes() == ["apply a", "apply b"]
    assert IPSet.of(cluster.pools()["b"]) == IPSet.of((*TWO[:1], *ONE))


@pytest.mark.parametrize("name", NAMES)
def test_addresses_in_use_stay_in_their_pool(name: str) -> None:
    cluster = Cluster(name)
    before = LoadBalancerPool("a", (*ONE, *TWO[1:])), LoadBalancerPool("b", TWO[:1])
    cluster.apply(*before)
    cluster.use("10.22.0.97")
    after = LoadBalancerPool("a", TWO[1:]), LoadBalancerPool("b", (*TWO[:1], *ONE))
    (error,) = errors(cluster.apply(*after))
    assert "is not withdrawn: Service default/shop uses 10.22.0.97" in error
    assert IPSet.of(cluster.pools()["a"]) == IPSet.of(before[0].ranges)
    assert cluster.pools()["b"] == list(TWO[:1])
    cluster.release()
    assert errors(cluster.apply(*after)) == []
    assert IPSet.of(cluster.pools()["b"]) == IPSet.of((*TWO[:1], *ONE))


@pytest.mark.parametrize("name", NAMES)
def test_a_removed_pool_stays_while_a_service_uses_it_and_others_get_nothing_of_it(
    name: str,
) -> None:
    cluster = Cluster(name)
    cluster.apply(LoadBalancerPool("a", ONE), LoadBalancerPool("b", TWO[:1]))
    cluster.use("10.22.0.97")
    after = LoadBalancerPool("b", (*TWO[:1], *ranges("10.22.0.100-10.22.0.103")))
    (error,) = errors(cluster.apply(after))
    assert "Service default/shop uses 10.22.0.97" in error
    assert cluster.pools() == {"a": list(ONE), "b": list(TWO[:1])}
    cluster.release()
    assert errors(cluster.apply(after)) == []
    assert list(cluster.pools()) == ["b"]


@pytest.mark.parametrize("name", NAMES)
def test_a_pool_in_use_keeps_its_name(name: str) -> None:
    cluster = Cluster(name)
    cluster.apply(LoadBalancerPool("a", ONE), LoadBalancerPool("b", TWO[:1]))
    cluster.use("10.22.0.97")
    after = LoadBalancerPool("new", ONE), LoadBalancerPool("b", TWO[:1])
    (error,) = errors(cluster.apply(*after))
    assert error.startswith(f"{cluster.balancer.pool.kind} a is not renamed: Service default/shop")
    assert list(cluster.pools()) == ["a", "b"]
    cluster.release()
    assert errors(cluster.apply(*after)) == []
    assert sorted(cluster.pools()) == ["b", "new"]
    assert cluster.writes() == ["delete a", "apply new"]  # both at once would overlap


@pytest.mark.parametrize("name", NAMES)
def test_the_last_pool_waits_for_services_of_any_address(name: str) -> None:
    cluster = Cluster(name)
    cluster.apply(LoadBalancerPool("a", ONE))
    cluster.use("192.0.2.1")
    (error,) = errors(cluster.apply())
    assert f" is the last {cluster.balancer.pool.kind}, and Service default/shop" in error
    assert cluster.pools() == {"a": list(ONE)}
    assert errors(cluster.apply(force_withdraw=True)) == []
    assert cluster.pools() == {}


@pytest.mark.parametrize("name", NAMES)
def test_a_request_for_an_address_counts_as_use(name: str) -> None:
    for annotation in controllers_named(name).pins:
        cluster = Cluster(name)
        cluster.apply(LoadBalancerPool("a", (*ONE, *TWO[:1])))
        cluster.use("", annotations={annotation: "192.0.2.1, 10.22.0.105"})
        (error,) = errors(cluster.apply(LoadBalancerPool("a", ONE)))
        assert "Service default/shop uses 10.22.0.105" in error
    cluster = Cluster(name)
    cluster.apply(LoadBalancerPool("a", (*ONE, *TWO[:1])))
    cluster.use("", loadBalancerIP="10.22.0.105")
    (error,) = errors(cluster.apply(LoadBalancerPool("a", ONE)))
    assert "Service default/shop uses 10.22.0.105" in error


def controllers_named(name: str) -> Controller:
    return next(it for it in controllers() if it.name == name)


@pytest.mark.parametrize("name", NAMES)
def test_an_adopted_pool_keeps_its_spec(name: str) -> None:
    cluster, pool = Cluster(name), LoadBalancerPool("theirs", (*ONE, *TWO))
    (manifest,) = cluster.balancer.objects((pool,), "")
    cluster.put(manifest)
    before = cluster.spec(cluster.balancer.pool.kind, "theirs")
    (error,) = errors(cluster.apply(pool))
    assert error == "already exists, and does not belong to ipam; use --adopt to take it over"
    assert errors(cluster.apply(pool, adopt=True)) == []
    assert cluster.spec(cluster.balancer.pool.kind, "theirs") == before
    assert not cluster.apply(pool).is_changed
