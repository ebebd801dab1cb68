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
    clusters.run(world("web", "shop"))
    swapped = reconciled({**world("web"), "tenants/shop.yaml": tenant("shop")})
    apply_fleet(evaluated(swapped, "b"), clusters, ApplyOptions(), is_in, Scope({SECOND}))
    announced = [clusters.announced(name) for name in (FIRST, SECOND)]
    flat = [item for found in announced for item in found or ()]
    assert len(flat) == len(set(flat)), announced


def test_a_revision_touches_the_clusters_of_which_it_changes_something() -> None:
    one = world("web")
    two = reconciled({**one, "tenants/shop.yaml": tenant("shop")})
    wider = {**one, "pools/edge.yaml": str(one["pools/edge.yaml"]).replace("/27", "/26")}
    assert touched(two, two) == set()
    assert touched(two, one) == touched(one, two) == {HUB, SECOND}
    assert touched(wider, one) == {HUB}
