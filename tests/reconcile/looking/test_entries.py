"""Growth of entries of ClusterTargets, for each IP family and for Services of the pool."""

from dataclasses import dataclass
from typing import Any

import pytest

from reconciler.addresses import IPSet, format_address
from reconciler.apply.targets import ApplyOptions
from reconciler.families.demand import DEMAND, entries_of
from reconciler.kube.interface import Cluster
from reconciler.loadbalancers import controller
from reconciler.loadbalancers.interface import Controller, ServiceRequest
from reconciler.loadbalancers.ranges import ranges_of
from reconciler.model.objects import SERVICE, Manifest, Ref
from reconciler.planning.evaluate import counts_of
from reconciler.reconcile.discovery import LookOptions
from tests.fake_clusters import FakeClusters
from tests.families.plain.examples import BOTH, TWO_REFS, cluster, entry, files, pool
from tests.reconcile.looking.country import Country
from tests.world import reconciled, settings_text

A = "prod-1"
FILE = "observed/Demand.gitops-ipam.dev/_/prod-1.yaml"
POOL_NAME = "metallb.io/address-pool"
GROWS = "{max: 8}"
SETTINGS = settings_text("{sources: [pools, clusters, claims, teams], retention: 0s}")


METALLB = controller("MetalLB")


class NoHub(FakeClusters):
    """Clusters without a management cluster."""

    def management(self) -> Cluster | None:
        raise AssertionError("not needed")


@dataclass
class Land(Country):
    """A cluster whose pools are taken as its controller takes them."""

    balancer: Controller = METALLB

    def serve(self) -> None:
        """Every Service without an address gets a free one of each IP family that it needs."""
        for name in self.services(A):
            live = self.clusters.objects[A][Ref(SERVICE, "default", name)]
            if live["status"]:
                continue
            metadata, versions = live["metadata"], live["spec"].get("ipFamilies") or ["IPv4"]
            labels, annotations = metadata.get("labels") or {}, metadata["annotations"]
            asked = ServiceRequest("default", name, labels, annotations.get(POOL_NAME, ""))
            for taker in self.balancer.takers(asked, self.pools().values()):
                used = [it["ip"] for one in self.shown() for it in one]
                free = self.addresses(taker) - ranges_of(f"{it}-{it}" for it in used)
                found = [free.of_version(int(it[-1])).ranges[:1] for it in versions]
                if all(found):
                    ips = [format_address(it.version, it.first) for (it,) in found]
                    ingress = [{"ip": it} for it in ips]
                    live["status"] = {"loadBalancer": {"ingress": ingress}}
                    break

    def shown(self) -> list[list[dict[str, str]]]:
        there = self.clusters.objects[A].items()
        every = [item["status"] for ref, item in there if ref.resource == SERVICE]
        return [it["loadBalancer"]["ingress"] for it in every if it]

    def pools(self) -> dict[str, Manifest]:
        there = self.clusters.objects.get(A, {}).items()
        return {ref.name: item for ref, item in there if ref.resource == self.balancer.pool}

    def addresses(self, name: str) -> IPSet:
        return self.balancer.addresses(self.pools()[name])

    def need(self, name: str, labels: dict[str, str] | None = None, **spec: Any) -> None:
        self.ask(name, A, **spec)
        if labels:
            self.clusters.objects[A][Ref(SERVICE, "default", name)]["metadata"]["labels"] = labels

    def items(self) -> list[str] | None:
        """Return slots and sizes of the Demand of the cluster."""
        for it in self.evaluation().documents.of(DEMAND.id):
            return [f"{entry.slot} {entry.count}" for entry in entries_of(it)]
        return None

    def change(self, document: str) -> None:
        """Merge another document of the cluster, and reconcile it."""
        self.files["clusters/prod-1.yaml"] = document
        self.number += 1
        self.commit(self.evaluation().changes, self.now)
        self.run()


def land(*entries: str, pools: str = "", balancer: str = "MetalLB") -> Land:
    document = cluster(*entries, controller=f"{{type: {balancer}}}")
    tree = reconciled({**files(document, pools=pools), "ipam.yaml": SETTINGS})
    options = ApplyOptions(repository="1" * 40, enroll=frozenset((A,)))
    made = Land(tree, NoHub(), options=LookOptions(options), wish=options)
    made.balancer = controller(balancer)
    made.clusters.unknown[A] = set()
    made.run()
    return made


def inner(count: int = 2, **spec: Any) -> str:
    return entry(**{"count": count, "growth": GROWS, "services": "{default: true}", **spec})


def dmz(count: int = 1, **spec: Any) -> str:
    return entry("dmz", **{"count": count, "growth": GROWS, **spec})


NAMED = {"annotations": {POOL_NAME: "dmz"}}


def test_a_pending_service_counts_for_the_entry_that_takes_it() -> None:
    here = land(inner(), dmz())
    for name in "ab":
        here.need(name)
    here.need("c", **NAMED)
    assert here.settle() == 0
    assert (here.items(), all(here.services(A).values())) == (None, True)
    here.need("d", **NAMED)
    here.run()
    assert here.items() == ["dmz.ipv4.2 1"]
    assert here.addresses("dmz").size == 2
    assert here.services(A)["d"]
    here.need("e")
    here.need("f")
    here.run()
    assert here.items() == ["dmz.ipv4.2 1", "internal.ipv4.2 2"]
    assert all(here.services(A).values())
    assert here.settle() == 0


def test_a_spare_address_of_one_entry_serves_no_service_of_another() -> None:
    here = land(inner(8), dmz())
    here.need("a", **NAMED)
    here.need("b", **NAMED)
    looked = here.run()
    figures = looked.figures[A]
    assert (figures.pending, figures.spare, figures.need) == (2, 1, 1)
    assert here.items() == ["dmz.ipv4.2 1"]


def test_an_entry_without_growth_leaves_the_service_to_the_next_one() -> None:
    chosen = dmz(services="{namespaces: [default]}").replace(f", growth: {GROWS}", "")
    here = land(inner(1), chosen)
    for name in "abc":
        here.need(name)
    here.serve()
    here.settle()
    assert here.items() == ["internal.ipv4.2 1"]
    assert all(here.services(A).values())


def test_an_entry_grows_after_its_object_got_another_name() -> None:
    here = land(inner())
    here.change(cluster(inner(objectName="web"), controller="{type: MetalLB}"))
    assert [*here.pools()] == ["web"]
    for name in ("a", "b", "c"):
        here.need(name)
    here.serve()
    here.run()
    assert here.items() == ["internal.ipv4.2 1"]


def test_a_selected_pool_is_not_a_pool_that_was_changed_by_hand() -> None:
    here = land(dmz(services="{namespaces: [default], selector: {matchLabels: {tier: web}}}"))
    for name in "ab":
        here.need(name, {"tier": "web"})
    here.need("c", {"tier": "db"})
    here.settle()
    assert here.items() == ["dmz.ipv4.2 1"]
    assert [name for name, address in here.services(A).items() if not address] == ["c"]
    assert here.looked().blocked[A] == ()


def test_cilium_takes_services_by_their_labels() -> None:
    selected = dmz(services="{selector: {matchLabels: {tier: web}}}")
    here = land(selected, inner(1, services="{namespaces: [other]}"), balancer="Cilium")
    for name in "abc":
        here.need(name, {"tier": "web"})
    here.need("d")
    here.settle()
    assert here.items() == ["dmz.ipv4.2 2"]
    assert len(here.pools()["dmz"]["spec"]["blocks"]) == 2


def test_each_ip_family_grows_by_itself() -> None:
    here = land(inner(1, poolRefs=TWO_REFS), pools=BOTH)
    here.need("a")
    here.need("b")
    here.settle()
    assert here.items() == ["internal.ipv4.2 1"]
    six: dict[str, Any] = {"ipFamilies": ["IPv6"]}
    here.need("c", **six)
    here.need("d", **six)
    here.need("e", ipFamilies=["IPv4", "IPv6"], ipFamilyPolicy="RequireDualStack")
    here.settle()
    assert here.items() == ["internal.ipv4.2 1", "internal.ipv6.2 2", "internal.ipv4.3 1"]
    assert all(here.services(A).values())


def test_an_entry_grows_to_its_maximum_by_its_increment_and_says_why_not_further() -> None:
    here = land(inner(2, growth="{increment: 3, max: 6}"))
    for name in "abc":
        here.need(name)
    here.settle()
    assert here.items() == ["internal.ipv4.2 3"]
    for name in "defg":
        here.need(name)
    here.settle()
    assert here.items() == ["internal.ipv4.2 3", "internal.ipv4.3 1"]
    looked = here.run()
    ((words, claim),) = looked.blocked[A]
    assert (
        "1 more address is needed for default/g: growth.max of the entry is 6; raise the limit"
        in words
    )
    assert claim == "plain/ClusterTarget/_/prod-1/internal.ipv4.4"
    assert looked.figures[A].blocked == 1


def unused(here: Land) -> None:
    """Grow by one Service, and shrink after it has left."""
    for name in "abc":
        here.need(name)
    here.settle()
    here.leave("c", A)
    here.run()
    here.now += 600
    here.settle()
    assert (here.items(), here.addresses("internal").size) == (None, 2)


def test_growth_that_is_not_used_any_more_goes() -> None:
    here = land(inner())
    unused(here)
    assert all(here.services(A).values())


def test_a_service_that_takes_a_released_range_keeps_it() -> None:
    here = land(inner())
    for name in "abc":
        here.need(name)
    here.settle()
    address = here.services(A)["c"]
    here.leave("c", A)
    here.run()
    here.now += 600
    looked = here.decide()
    assert here.items() == []
    here.need("d")
    here.serve()
    assert here.services(A)["d"] == address
    here.apply(looked)
    here.settle()
    assert here.items() == ["internal.ipv4.2 1"]
    assert here.services(A)["d"] == address
    assert here.addresses("internal").size == 3


def test_a_renamed_entry_keeps_its_growth() -> None:
    here = land(inner())
    for name in "abc":
        here.need(name)
    here.settle()
    there = dict(here.services(A))
    renamed = inner(name="lan", formerly="internal")
    here.change(cluster(renamed, controller="{type: MetalLB}"))
    here.settle()
    assert here.items() == ["lan.ipv4.2 1"]
    here.change(cluster(inner(name="lan"), controller="{type: MetalLB}"))
    here.settle()
    assert (here.items(), here.services(A)) == (["lan.ipv4.2 1"], there)
    here.need("d")
    here.settle()
    assert here.items() == ["lan.ipv4.2 1", "lan.ipv4.3 1"]


def test_growth_stays_while_it_is_switched_off_and_goes_with_its_entry() -> None:
    here = land(inner(), dmz())
    for name in "abc":
        here.need(name)
    here.settle()
    still = inner().replace(f", growth: {GROWS}", "")
    here.change(cluster(still, dmz(), controller="{type: MetalLB}"))
    here.settle()
    assert here.items() == ["internal.ipv4.2 1"]
    for name in "abc":
        here.leave(name, A)
    here.change(cluster(dmz(), controller="{type: MetalLB}"))
    here.settle()
    assert (here.items(), list(here.pools())) == (None, ["dmz"])


def test_a_raised_count_and_growth_have_numbers_of_their_own() -> None:
    here = land(inner())
    for name in "abc":
        here.need(name)
    here.settle()
    here.change(cluster(inner(3), controller="{type: MetalLB}"))
    here.need("d")
    here.need("e")
    here.settle()
    assert here.items() == ["internal.ipv4.2 1", "internal.ipv4.4 1"]
    assert here.addresses("internal").size == 5
    assert all(here.services(A).values())


def test_a_pool_that_is_full_gives_what_it_has_and_says_why() -> None:
    here = land(inner(1), pools=pool(addresses="[10.22.0.10-10.22.0.12]"))
    for name in "abcde":
        here.need(name)
    here.settle()
    assert here.addresses("internal").size == 3
    ((words, _),) = here.run().blocked[A]
    assert "2 more addresses are needed" in words


def test_a_service_that_the_first_pool_cannot_serve_counts_for_the_next_one() -> None:
    chosen = dmz(services="{namespaces: [default]}")
    here = land(inner(1, poolRefs=TWO_REFS), chosen, pools=BOTH)
    here.need("a", ipFamilies=["IPv6"])
    here.need("b", ipFamilies=["IPv6"])
    here.settle()
    assert here.items() == ["internal.ipv6.2 1"]
    assert all(here.services(A).values())


def test_growth_comes_back_during_its_retention() -> None:
    here = land(inner(growth="{max: 3}"))
    here.files["ipam.yaml"] = SETTINGS.replace("0s", "7d")
    unused(here)
    here.need("d")
    here.need("e")
    here.settle()
    assert here.items() == ["internal.ipv4.2 1"]
    assert here.looked().figures[A].blocked == 1


def test_a_family_that_the_entry_does_not_have_is_told() -> None:
    here = land(inner(1))
    here.need("a", ipFamilies=["IPv4", "IPv6"], ipFamilyPolicy="RequireDualStack")
    here.settle()
    ((words, _),) = here.looked().blocked[A]
    assert "default/a: it needs an IPv6 address, and pool internal has none" in words
    assert here.items() is None


@pytest.mark.parametrize("name", ["MetalLB", "Cilium"])
def test_a_pinned_address_chooses_the_pool_that_has_it(name: str) -> None:
    here = land(inner(), dmz(), balancer=name)
    (at,) = here.addresses("dmz")
    balancer = here.balancer
    pinned = IPSet((at,))
    asked = ServiceRequest("default", "web", {}, "", pinned)
    found = balancer.takers(asked, here.pools().values())
    assert found == (("dmz",) if name == "MetalLB" else ())


def test_a_raised_count_and_growth_together_stay_within_the_maximum() -> None:
    here = land(inner(2, growth="{max: 4}"))
    for name in "abcd":
        here.need(name)
    here.settle()
    assert here.items() == ["internal.ipv4.2 2"]
    here.change(cluster(inner(4, growth="{max: 4}"), controller="{type: MetalLB}"))
    here.settle()
    assert (here.items(), here.addresses("internal").size) == (["internal.ipv4.2 2"], 4)
    for name in "bcd":
        here.leave(name, A)
    here.run()
    here.now += 600
    here.settle()
    assert (here.items(), here.addresses("internal").size) == (None, 4)


def test_growth_that_goes_does_not_count_for_the_release_limit() -> None:
    here = land(inner())
    here.files["ipam.yaml"] = settings_text(
        "{sources: [pools, clusters, claims, teams], retention: 7d,"
        " brakes: {maxReleasePercent: 1, minRecords: 1}}"
    )
    unused(here)
    assert counts_of(here.evaluation()).reserved == 0
    # An entry that is removed counts.
    here.files["clusters/prod-1.yaml"] = cluster(controller="{type: MetalLB}")
    assert here.evaluation().brake is not None


def test_of_several_pools_for_all_services_the_one_that_can_grow_does() -> None:
    still = entry("any", count=1, autoAssign="true")
    here = land(still, entry("more", count=1, autoAssign="true", growth=GROWS))
    for name in "abc":
        here.need(name)
    here.serve()
    here.settle()
    assert here.items() == ["more.ipv4.2 1"]
    assert all(here.services(A).values())
