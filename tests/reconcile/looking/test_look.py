"""Observation of clusters: growth, and clusters that do not answer."""

from typing import Any

import pytest
from msgspec.structs import replace

from reconciler.apply.targets import ApplyOptions
from reconciler.families.butler.kinds import TENANT_CLUSTER
from reconciler.families.demand import DemandEntry, demand_document
from reconciler.loadbalancers.metallb.kinds import ADDRESS_POOL, CONFIGURATION_STATE
from reconciler.loadbalancers.ranges import ranges_of
from reconciler.model.errors import BugError, UnreachableError
from reconciler.model.objects import CONFIG_MAP, NAMESPACE, SERVICE, Ref
from reconciler.reconcile.discovery import Looked, LookOptions, look
from tests.fake_cluster import HUB
from tests.fake_clusters import POOL
from tests.reconcile.looking.country import ONE, Country, country

OWN, OTHER = Ref(TENANT_CLUSTER, "team-a", "one"), Ref(TENANT_CLUSTER, "team-a", "two")
INVENTORY = Ref(CONFIG_MAP, "metallb-system", "gitops-ipam-inventory")


def asking(*names: str, **network: str) -> Country:
    """Return a country in which each tenant needs one more address."""
    found = country(*names, **network)
    for name in names or ("one",):
        found.ask("c", f"team-a/{name}")
    return found


def words(looked: Looked, ref: Ref = OWN) -> dict[str, str]:
    return {word.reason: word.message for word in looked.words[ref]}


def test_what_is_found_is_a_file_of_the_observed_folder_at_the_time_of_the_server() -> None:
    here = asking()
    looked = here.looked()
    (change,) = looked.changes
    assert change.path == "observed/Demand.gitops-ipam.dev/team-a/one.yaml"
    assert (change.data, looked.at) == (
        demand_document("team-a", "one", [DemandEntry(1, 1)]),
        here.now,
    )
    assert looked.figures[ONE] == (1, 0, 0, 0)
    assert (looked.words, looked.unasked, looked.bugs) == ({OWN: ()}, {}, ())


def test_a_cluster_that_cannot_be_asked_neither_grows_nor_shrinks_and_others_go_on() -> None:
    here = asking("one", "two")

    def dead(verb: str, what: Any) -> UnreachableError:
        return UnreachableError(f"{verb} {what}: no answer")

    here.clusters.faults[ONE] = dead
    looked = here.looked()
    assert [change.path for change in looked.changes] == [
        "observed/Demand.gitops-ipam.dev/team-a/two.yaml"
    ]
    assert list(looked.unasked) == [ONE]
    assert looked.unasked[ONE].startswith("cannot reach team-a/one: get Namespace/kube-system")
    assert list(looked.words) == [OTHER]


@pytest.mark.parametrize("failing", [SERVICE, ADDRESS_POOL, CONFIGURATION_STATE, CONFIG_MAP])
def test_half_an_answer_is_none(failing: object) -> None:
    here = asking()
    here.clusters.faults[ONE] = lambda _verb, what: (
        UnreachableError("it stopped in the middle") if what == failing else None
    )
    looked = here.looked()
    assert (looked.changes, list(looked.unasked)) == ((), [ONE])


def test_without_the_management_cluster_nobody_is_asked() -> None:
    here = asking()
    here.clusters.faults[HUB] = lambda _verb, _what: UnreachableError("no answer")
    looked = here.looked()
    assert looked.unasked == {ONE: "cannot reach the management cluster: no answer"}
    here.clusters.faults[HUB] = lambda _verb, _what: BugError(ValueError("a bug"))
    assert len(here.looked().bugs) == 1


def test_another_cluster_under_the_name_is_not_asked_until_a_person_says_so() -> None:
    here = asking()
    there = Ref(NAMESPACE, "", "kube-system")
    here.clusters.objects[ONE][there]["metadata"]["uid"] = "another"
    del here.clusters.objects[ONE][INVENTORY]  # a new cluster has no inventory
    looked = here.looked()
    assert "cannot reach team-a/one: not the same cluster as before:" in looked.unasked[ONE]
    here.options = LookOptions(ApplyOptions(enroll=frozenset([ONE])))
    assert len(here.looked().changes) == 1


@pytest.mark.parametrize("options", [
    LookOptions(writes=False), LookOptions(ApplyOptions(dry_run=True)),
])  # fmt: skip
def test_who_may_not_write_notes_nothing_grows_and_gives_nothing_back(options: LookOptions) -> None:
    here = asking()
    here.options = options
    assert len(here.looked().changes) == 1
    here.options = LookOptions()
    here.run()
    here.leave("c")
    here.options = options
    here.looked()
    assert "idle" not in here.clusters.objects[ONE][INVENTORY]["data"]
    here.now += 6_000
    assert here.looked().changes == ()


def test_a_pool_that_somebody_took_addresses_from_stops_growth_until_it_is_mended() -> None:
    here = asking()
    here.ask("d")
    here.clusters.objects[ONE][POOL]["spec"]["addresses"] = ["10.0.0.0-10.0.0.0"]
    looked = here.looked()
    assert looked.changes == ()
    assert "10.0.0.1, which was removed outside ipam" in (words(looked)["IPAMGrowthBlocked"])
    here.settle()
    assert (here.demand(), here.announced()) == ([(1, 2)], ranges_of(["10.0.0.0-10.0.0.3"]))


def put(here: Country, ref: Ref, **more: Any) -> None:
    """Create an object in a tenant's cluster."""
    kind = {"apiVersion": ref.resource.api_version, "kind": ref.resource.kind}
    metadata = {"name": ref.name, "namespace": ref.namespace}
    here.clusters.hand(ONE).put({**kind, "metadata": metadata, **more})


def test_a_configuration_that_metallb_refuses_stops_growth() -> None:
    here = asking()
    state = Ref(CONFIGURATION_STATE, "metallb-system", "controller")
    put(here, state, status={"result": "Invalid", "errorSummary": "pools overlap"})
    looked = here.looked()
    assert (looked.changes, looked.figures[ONE].blocked) == ((), 1)
    assert "pools overlap" in words(looked)["IPAMGrowthBlocked"]


def test_pools_of_others_are_nobodys_spare_addresses() -> None:
    here = asking()
    put(here, Ref(ADDRESS_POOL, "metallb-system", "others"), spec={"addresses": ["10.0.9.0/24"]})
    assert here.looked().figures[ONE].spare == 0


def test_where_no_pool_has_such_a_run_growth_is_halved_and_what_is_left_is_told() -> None:
    here = country("one", "two", "three", cidr="10.0.0.0/29")
    for at in range(4):
        here.ask(f"more-{at}")
    looked = here.run()
    assert (here.demand(), looked.figures[ONE].blocked) == ([(1, 2)], 2)
    told = words(looked)["IPAMGrowthBlocked"]
    assert told.startswith("2 more addresses are needed for default/more-0, default/more-1")
    assert "edge" in told
    assert here.settle() == 0
    assert len(here.commits) == 1


def test_nothing_goes_while_what_it_follows_from_cannot_be_read() -> None:
    here = asking()
    here.run()
    here.leave("c")
    here.looked()
    here.now += 600
    here.clusters.clock = here.now
    broken = here.evaluation()
    whole = look(broken, here.clusters, here.options)
    halted = replace(broken, state=replace(broken.state, halted="ipam.yaml"))
    assert len(whole.changes) == 1
    assert look(halted, here.clusters, here.options).changes == ()
