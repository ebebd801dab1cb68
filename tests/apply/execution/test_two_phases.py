"""A range that moves between two of our pools in one cluster: taken from one, then given."""

from reconciler.apply.executor import Run, apply_tenant
from reconciler.apply.plan import Applied
from reconciler.apply.targets import ApplyOptions, Target
from reconciler.kube.resources import desired_object
from tests.apply.execution.site import ADDRESS_POOLS, FIRST, Site, address_pool, announced


def applied(site: Site, **pools: tuple[str, ...]) -> Applied:
    cluster = site.clusters().connect(
        FIRST, site.tenants[FIRST].kubeconfig.read_bytes(), is_named=True
    )
    wanted = tuple(desired_object(address_pool(name, *entries)) for name, entries in pools.items())

    run = Run("a" * 40, ApplyOptions())
    done, _ = apply_tenant(cluster, Target(FIRST, wanted), None, lambda uid: None, run)
    return done


def order(site: Site) -> list[str]:
    """Writes of pools, in order, by pool."""
    paths = [line.split(" ") for line in site.tenants[FIRST].writes()]
    return [f"{verb} {path.rpartition('/')[2]}" for verb, path in paths if ADDRESS_POOLS in path]


def test_the_pool_that_gives_shrinks_before_the_other_one_grows(site: Site) -> None:
    applied(site, old=("10.0.0.0-10.0.0.7",), young=("10.0.0.8-10.0.0.8",))
    site.tenants[FIRST].writes()
    done = applied(site, old=("10.0.0.0-10.0.0.3",), young=("10.0.0.4-10.0.0.8",))
    assert not done.is_failed
    assert order(site) == ["patch old", "patch young"]
    # And the other way round, whichever comes first by name.
    applied(site, old=("10.0.0.0-10.0.0.5",), young=("10.0.0.6-10.0.0.8",))
    assert order(site) == ["patch young", "patch old"]
    assert announced(site.tenants[FIRST], "old") == ["10.0.0.0-10.0.0.5"]


def test_pools_that_change_places_are_never_in_each_others_way(site: Site) -> None:
    applied(site, old=("10.0.0.0-10.0.0.3",), young=("10.0.0.4-10.0.0.7",))
    site.tenants[FIRST].writes()
    done = applied(site, old=("10.0.0.4-10.0.0.7",), young=("10.0.0.0-10.0.0.3",))
    assert not done.is_failed
    assert order(site) == ["delete old", "delete young", "patch old", "patch young"]
    assert announced(site.tenants[FIRST], "old") == ["10.0.0.4-10.0.0.7"]
    assert announced(site.tenants[FIRST], "young") == ["10.0.0.0-10.0.0.3"]
    applied(site, old=("10.0.0.4-10.0.0.7",), young=("10.0.0.0-10.0.0.3",))
    assert order(site) == []


def test_a_pool_whose_range_another_one_gets_goes_first(site: Site) -> None:
    applied(site, old=("10.0.0.0-10.0.0.3",))
    site.tenants[FIRST].writes()
    applied(site, young=("10.0.0.0-10.0.0.3",))
    assert order(site) == ["delete old", "patch young"]
