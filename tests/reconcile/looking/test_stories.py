"""Growth and shrinking by Services, with Git, clusters, and MetalLB in memory."""

from reconciler.apply.fleet import Scope, apply_fleet
from reconciler.apply.targets import ApplyOptions
from reconciler.loadbalancers.ranges import ranges_of
from reconciler.model.applied import ClusterState
from reconciler.model.objects import CONFIG_MAP, Ref
from tests.reconcile.looking.country import ONE, country, elastic, is_in


def test_growth_that_is_not_used_any_more_goes_after_ten_minutes_since_the_last_use() -> None:
    here = country()
    here.ask("c")
    here.run()
    here.now += 3_600
    assert here.settle() == 0  # the grant is old, but in use
    here.leave("c")
    here.run()
    assert here.demand() == [(1, 1)]
    here.now += 599
    here.run()
    assert here.demand() == [(1, 1)]
    here.now += 1
    here.decide()
    assert (here.demand(), here.records("Released")) == ([], ["team-a-one-lb-1"])
    assert here.announced() == ranges_of(["10.0.0.0-10.0.0.2"])  # no cluster announces it yet
    here.settle()
    assert here.announced() == ranges_of(["10.0.0.0-10.0.0.1"])
    assert (here.demand(), here.records("Released"), here.records()) == (None, [], [])


def test_first_the_record_is_released_then_the_pool_shrinks_then_the_address_is_free() -> None:
    here = country()
    here.ask("c")
    here.run()
    here.leave("c")
    here.run()
    here.now += 600
    looked = here.decide()
    assert here.records("Released") == ["team-a-one-lb-1"]
    here.decide()  # clusters still announce it
    assert here.records("Released") == ["team-a-one-lb-1"]
    here.apply(looked)
    assert here.announced() == ranges_of(["10.0.0.0-10.0.0.1"])
    assert here.records("Released") == ["team-a-one-lb-1"]
    here.decide()
    assert here.records("Released") == []


def test_a_service_that_takes_the_address_between_look_and_withdrawal_keeps_it() -> None:
    here = country()
    here.ask("c")
    here.run()
    address = here.services()["c"]
    here.leave("c")
    here.run()
    here.now += 600
    looked = here.decide()
    assert here.records("Released") == ["team-a-one-lb-1"]
    here.ask("d")
    here.serve()
    assert here.services()["d"] == address
    applied = here.apply(looked)
    assert f"default/d uses {address}" in str(applied[ONE].outcomes)
    assert here.announced() == ranges_of(["10.0.0.0-10.0.0.2"])
    here.run()
    assert (here.demand(), here.records()) == ([(1, 1)], ["team-a-one-lb-1"])
    assert here.services()["d"] == address
    assert here.settle() == 0


def test_since_when_addresses_are_idle_survives_a_restart_and_a_restart_writes_nothing() -> None:
    here = country()
    here.ask("c")
    here.run()
    here.leave("c")
    here.run()
    home = Ref(CONFIG_MAP, "metallb-system", "gitops-ipam-inventory")
    noted = here.clusters.objects[ONE][home]
    assert noted["data"]["idle"] == f"1@a000002 {here.now}\n"
    here.now += 300
    here.run()
    assert here.clusters.objects[ONE][home] == noted


def test_a_tenant_without_ingress_grows_from_nothing() -> None:
    files = elastic("one")
    files["tenants/one.yaml"] = (
        str(files["tenants/one.yaml"]) + "  addons: {ingress: {enabled: false}}\n"
    )
    here = country("one")
    here.files = {path: text for path, text in files.items() if not path.startswith("allocations/")}
    here.clusters.objects.clear()
    here.commits.clear()
    here.settle()
    assert here.announced() == ranges_of([])
    here.ask("a")
    here.run()
    assert (here.services(), here.demand()) == ({"a": "10.0.0.0"}, [(1, 1)])


def test_the_growth_of_a_tenant_that_is_gone_is_not_that_of_the_next_one_of_its_name() -> None:
    here = country()
    for name in "cd":
        here.ask(name)
    here.run()
    assert here.demand() == [(1, 2)]
    file = here.files.pop("tenants/one.yaml")
    here.clusters.objects.pop(ONE)
    here.clusters.unnamed = (ONE,)
    here.wish = ApplyOptions(confirm_withdrawn=frozenset([ONE]))
    for _ in range(3):
        here.number += 1
        here.now += 3_600
        here.commit(here.evaluation().changes, here.now - 60)
        here.run()
    assert here.demand() is None
    assert here.settle() == 0
    here.files["tenants/one.yaml"] = file
    here.number += 1
    here.commit(here.evaluation().changes, here.now)
    assert here.records() == []


def test_what_a_look_read_is_no_reason_to_apply_over_a_newer_run() -> None:
    here = country()
    here.ask("c")
    looked = here.decide()
    late = here.evaluation()
    here.leave("c")  # in the meantime, another reconciler releases and withdraws the range
    here.settle()
    here.now += 600
    here.settle()
    assert here.announced() == ranges_of(["10.0.0.0-10.0.0.1"])
    scope = Scope(words=looked.words)
    found = apply_fleet(late, here.clusters, here.wish, is_in, scope)
    assert {item.state for item in found} == {ClusterState.REFUSED}
    assert here.announced() == ranges_of(["10.0.0.0-10.0.0.1"])
