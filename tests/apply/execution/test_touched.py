"""An apply that is restricted to some clusters, and which clusters a revision touches."""

from reconciler.apply.fleet import Scope, apply_fleet
from reconciler.apply.targets import ApplyOptions, round_inputs
from tests.apply.execution.site import FIRST, SECOND, Files, evaluated, world
from tests.fake_cluster import HUB
from tests.fake_clusters import FakeClusters, is_in
from tests.world import reconciled, tenant

PORT = ApplyOptions().default_port


def touched(after: Files, before: Files) -> set[str]:
    """Return the clusters whose inputs differ."""
    now, then = (
        round_inputs(evaluated(it, str(at)), PORT) for at, it in enumerate((after, before))
    )
    return {name for name in {*now, *then} if now.get(name) != then.get(name)}


def test_only_the_clusters_that_are_named_are_worked_on() -> None:
    clusters = FakeClusters()
    clusters.run(world("web"))
    clusters.opened.clear()
    files = reconciled({**world("web"), "tenants/shop.yaml": tenant("shop")})
    found = apply_fleet(evaluated(files, "b"), clusters, ApplyOptions(), is_in, Scope({SECOND}))
    assert [item.cluster for item in found] == [SECOND]
    assert {connection.name for connection in clusters.opened} == frozenset({HUB, SECOND})
    rest = apply_fleet(evaluated(files, "b"), clusters, ApplyOptions(), is_in)
    assert {item.cluster for item in rest} == {HUB, FIRST, SECOND}
    assert {item.cluster for item in rest if item.is_changed} == frozenset({HUB})


def test_an_address_is_not_given_to_one_while_another_that_is_left_alone_announces_it() -> None:
    clusters = FakeClusters()
    before = world("web", "shop")
    clusters.run(before)
    swapped = reconciled({**world("web"), "tenants/shop.yaml": tenant("shop")})
    apply_fleet(evaluated(swapped, "b"), clusters, ApplyOptions(), is_in, Scope({SECOND}))
    announced = [clusters.announced(name) for name in (FIRST, SECOND)]
    flat = [item for found in announced for item in found or ()]
    assert len(flat) == len(set(flat)), announced


def test_a_revision_that_changes_nothing_touches_nobody() -> None:
    files = world("web", "shop")
    assert touched(files, files) == set()


def test_one_that_changes_a_tenant_touches_its_cluster_and_the_management_cluster() -> None:
    before = world("web")
    after = reconciled({**before, "tenants/shop.yaml": tenant("shop")})
    assert touched(after, before) == {HUB, SECOND}
    assert touched(before, after) == {HUB, SECOND}


def test_one_that_changes_a_pool_alone_touches_the_management_cluster() -> None:
    before = world("web")
    path = next(path for path in before if path.startswith("pools/"))
    text = str(before[path]).replace("10.0.0.0/27", "10.0.0.0/26")
    after = {**before, path: text}
    assert text != before[path]
    assert touched(after, before) == {HUB}
