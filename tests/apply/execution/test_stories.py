"""Sequences of runs on clusters in memory. A dry run before each run has the same result."""

from reconciler.apply.targets import UNCLEAR
from reconciler.families.butler.kinds import NETWORK_POOL
from reconciler.kube.resources import IP_ALLOCATION
from reconciler.loadbalancers.metallb.kinds import ADVERTISEMENT
from reconciler.model.applied import ClusterState, ObjectResult
from reconciler.model.objects import POLICY, Ref
from tests.apply.execution.site import (
    FIRST,
    SECOND,
    address_pool,
    failures,
    results,
    unclear,
    without,
    world,
)
from tests.fake_cluster import HUB
from tests.fake_clusters import POOL, FakeClusters
from tests.world import CLOCK, provider, reconciled

WEB = Ref(IP_ALLOCATION, "butler-system", "team-a-web-lb")
EDGE = Ref(NETWORK_POOL, "butler-system", "edge")
OURS = {"gitops-ipam.dev/managed-by": "gitops-ipam"}
HOUR = 3_600


def test_a_first_run_makes_all_and_a_second_one_nothing(clusters: FakeClusters) -> None:
    applied = clusters.run(world("web", "shop"))
    assert [item.state for item in applied.values()] == [ClusterState.APPLIED] * 3
    assert results(applied[FIRST])[str(POOL)] == "created"
    assert clusters.announced(FIRST) == ["10.0.0.4-10.0.0.7"]
    assert clusters.announced(SECOND) == ["10.0.0.0-10.0.0.3"]
    again = clusters.run(world("web", "shop"))
    assert not any(item.is_changed for item in again.values())
    assert [item.writes() for item in clusters.opened] == [[], [], []]
    assert clusters.last(FIRST).requests() == (6, 0, 0)
    lists = [what for verb, what in clusters.last(HUB).log if verb == "list"]
    assert len(lists) == len(set(lists))


def test_a_released_range_leaves_the_cluster_and_its_object_goes_with_the_record(
    clusters: FakeClusters,
) -> None:
    clusters.run(world("web", "shop"))
    files = without(world("web", "shop"), "web")
    applied = clusters.run(files, "b")
    advertisement = Ref(ADVERTISEMENT, "metallb-system", "default")
    assert results(applied[FIRST]) == {str(POOL): "deleted", str(advertisement): "deleted"}
    assert clusters.announced(FIRST) is None
    assert clusters.objects[HUB][WEB]["status"]["phase"] == "Released"
    later = clusters.run(reconciled(files, CLOCK + 25 * HOUR), "c")
    assert results(later[HUB])[str(WEB)] == "deleted"
    assert WEB not in clusters.objects[HUB]


def test_what_a_service_uses_stays_and_nobody_else_gets_it(clusters: FakeClusters) -> None:
    clusters.run(world("shop"))
    clusters.use(SECOND, "10.0.0.1")
    applied = clusters.run(world("web"), "b")
    assert "Service default/shop uses 10.0.0.1" in failures(applied[SECOND])[str(POOL)]
    assert "might still announce 10.0.0.0-10.0.0.3" in failures(applied[FIRST])[str(POOL)]
    clusters.run(world("web"), "c", force_withdraw=True)
    assert clusters.announced(FIRST) == ["10.0.0.0-10.0.0.3"]


def test_an_edit_is_told_and_mended(clusters: FakeClusters) -> None:
    clusters.run(world("web"))
    clusters.hand(FIRST).merge(POOL, {"spec": {"addresses": ["172.16.0.0/24"]}}, "edit")
    (outcome,) = [it for it in clusters.run(world("web"))[FIRST].outcomes if it.drift]
    assert outcome.drift is not None
    assert (outcome.result, outcome.drift.manager) == (ObjectResult.CONFIGURED, "edit")
    assert clusters.announced(FIRST) == ["10.0.0.0-10.0.0.3"]


def test_a_claim_that_got_other_addresses_gets_a_new_object(clusters: FakeClusters) -> None:
    clusters.run(world("web"))
    before = clusters.objects[HUB][WEB]["metadata"]["uid"]
    larger = world(
        "web", **{"providers/default.yaml": provider(loadBalancer="{defaultPoolSize: 8}")}
    )
    clusters.run(larger, "b")
    live = clusters.objects[HUB][WEB]
    assert (live["spec"]["count"], live["status"]["allocatedCount"]) == (8, 8)
    assert live["metadata"]["uid"] != before


def test_what_is_deleted_comes_back(clusters: FakeClusters) -> None:
    clusters.run(world("web"))
    clusters.objects[FIRST].pop(POOL)
    hand = clusters.hand(HUB)
    hand.delete(WEB, hand.objects[WEB]["metadata"]["uid"])
    assert "deletionTimestamp" in hand.objects[WEB]["metadata"]
    applied = clusters.run(world("web"))
    assert results(applied[FIRST]) == {str(POOL): "created"}
    assert "deletionTimestamp" not in clusters.objects[HUB][WEB]["metadata"]


def test_what_others_made_is_refused_until_it_is_adopted(clusters: FakeClusters) -> None:
    clusters.hand(FIRST).put(address_pool("default-pool", "172.16.0.0/24"))
    applied = clusters.run(world("web"))
    error = failures(applied[FIRST])[str(POOL)]
    assert error == "already exists, and does not belong to ipam; use --adopt to take it over"
    clusters.run(world("web"), adopt=True)
    assert clusters.announced(FIRST) == ["10.0.0.0-10.0.0.3"]
    assert not clusters.run(world("web"))[FIRST].is_changed


def test_what_was_made_anew_by_others_is_theirs(clusters: FakeClusters) -> None:
    clusters.run(world("web"))
    clusters.objects[FIRST].pop(POOL)
    clusters.hand(FIRST).put(address_pool("default-pool", "172.16.0.0/24"))
    assert str(POOL) in failures(clusters.run(world("web"))[FIRST])
    clusters.run(world(), "b")
    assert clusters.announced(FIRST) == ["172.16.0.0/24"]


def test_a_pool_of_others_that_overlaps_is_named(clusters: FakeClusters) -> None:
    clusters.hand(FIRST).put(address_pool("lab", "10.0.0.1 - 10.0.0.1"))
    error = failures(clusters.run(world("web"))[FIRST])[str(POOL)]
    assert error.endswith(
        "is also in IPAddressPool lab, which has another owner; remove the range there,"
        " or use this name (gitops-ipam.dev/metallb-pool: lab) and --adopt"
    )
    assert clusters.announced(FIRST) is None


def test_what_lost_its_label_is_not_deleted_but_told(clusters: FakeClusters) -> None:
    clusters.run(world("web"))
    patch = {"metadata": {"labels": {"gitops-ipam.dev/managed-by": None}}}
    clusters.hand(FIRST).merge(POOL, patch, "edit")
    applied = clusters.run(without(world("web"), "web"), "b")
    assert "was removed; delete it" in failures(applied[FIRST])[str(POOL)]
    assert clusters.announced(FIRST) == ["10.0.0.0-10.0.0.3"]


def test_a_label_alone_makes_nothing_ours(clusters: FakeClusters) -> None:
    """Only objects with our label and our field manager, or in our inventory, are pruned."""
    clusters.run(world("web"))
    foreign = address_pool("theirs", "172.16.0.0/24")
    foreign["metadata"]["labels"] = OURS
    clusters.hand(FIRST).put(foreign)
    clusters.run(world("web"), "b")
    clusters.run(world(), "c")
    assert clusters.announced(FIRST) is None
    assert clusters.announced(FIRST, "theirs") == ["172.16.0.0/24"]


def test_orphans_go_after_a_grace(clusters: FakeClusters) -> None:
    clusters.run(world("web"))
    left = address_pool("left", "172.16.0.0/24")
    left["metadata"]["labels"] = OURS
    clusters.hand(FIRST).put(left, "gitops-ipam")
    clusters.run(world("web"))
    assert clusters.announced(FIRST, "left") == ["172.16.0.0/24"]
    data = clusters.inventory(FIRST)
    data["objects"] = data["objects"].replace(str(CLOCK), str(CLOCK - 601))
    clusters.run(world("web"))
    assert clusters.announced(FIRST, "left") is None


def test_pools_that_cannot_be_read_are_told_and_remembered_as_before(
    clusters: FakeClusters,
) -> None:
    clusters.run(world("web", "shop"))
    clusters.hand(FIRST).put(address_pool("lab", "10.1.0.0"))
    clusters.hand(FIRST).merge(POOL, {"spec": {"addresses": ["what"]}}, "edit")
    applied = clusters.apply(world("web", "shop"), dry_run=True)[FIRST]
    assert applied.notes == (
        "IPAddressPool default-pool: 'what' is not a CIDR or a range (START-END)",
        "IPAddressPool lab: '10.1.0.0' is not a CIDR or a range (START-END)",
    )
    clusters.run(world("web", "shop"))
    assert clusters.announced(FIRST) == ["10.0.0.4-10.0.0.7"]
    clusters.hand(FIRST).merge(POOL, {"spec": {"addresses": ["what"]}}, "edit")
    clusters.hand(FIRST).merge(POOL, {"metadata": {"labels": None}}, "edit")
    clusters.run(without(world("web", "shop"), "web"), "b")
    assert "10.0.0.4-10.0.0.7" in clusters.inventory(HUB)["cluster.team-a.web"]


def test_nothing_is_withdrawn_while_the_repository_has_errors(clusters: FakeClusters) -> None:
    files = world("web", "shop")
    clusters.run(files)
    applied = clusters.run(unclear(files, "shop"), "b")
    assert clusters.announced(FIRST) == ["10.0.0.4-10.0.0.7"]
    assert "is not withdrawn: the repository has errors" in failures(applied[FIRST])[str(POOL)]
    assert f"1 object kept while {UNCLEAR}" in applied[HUB].notes


def test_too_many_objects_are_not_deleted_without_a_word(clusters: FakeClusters) -> None:
    files = world(*(f"t{number}" for number in range(7)), **{"ipam.yaml": SETTINGS})
    clusters.run(files)
    vanished = {
        path: text
        for path, text in files.items()
        if not path.startswith("tenants/") and "/team-a/" not in path
    }
    applied = clusters.run(vanished, "b")[HUB]
    assert (applied.error, applied.hint) == (
        "7 of 8 objects would be deleted",
        "restore their documents, or use --allow-delete 7 if the deletions are intended",
    )
    clusters.run(vanished, "b", allow_delete=7)
    assert WEB._replace(name="team-a-t1-lb") not in clusters.objects[HUB]


SETTINGS = """\
apiVersion: gitops-ipam.dev/v1alpha1
kind: Settings
metadata: {name: ipam}
spec: {brakes: {maxReleasePercent: 30, minRecords: 8}}
"""


def test_policies_come_are_renewed_and_go(clusters: FakeClusters) -> None:
    owned = Ref(POLICY, "", "gitops-ipam-owned")
    applied = clusters.run(world("web"), policies=True)
    assert results(applied[FIRST])[str(owned)] == "created"
    again = clusters.run(world("web"), policies=True)
    assert not any(item.is_changed for item in again.values())
    opened = {"spec": {"matchConditions": [{"name": "never", "expression": "false"}]}}
    clusters.hand(HUB).merge(owned, opened, "alice")
    (outcome,) = [it for it in clusters.run(world("web"), policies=True)[HUB].outcomes if it.drift]
    assert (outcome.object, outcome.result) == (str(owned), ObjectResult.CONFIGURED)
    assert "matchConditions" not in clusters.objects[HUB][owned]["spec"]
    gone = clusters.run(without(world("web"), "web"), "b")
    assert results(gone[FIRST])[str(owned)] == "deleted"
    assert owned in clusters.objects[HUB]
    clusters.run(world("web"), "c", policies=False)
    assert owned not in clusters.objects[HUB]


def test_a_pool_goes_with_its_document_and_stays_while_that_is_broken(
    clusters: FakeClusters,
) -> None:
    clusters.run(world())
    clusters.run({**world(), "pools/edge.yaml": "not a document"}, "b")
    assert EDGE in clusters.objects[HUB]
    clusters.run({"README.md": ""}, "c")
    assert EDGE not in clusters.objects[HUB]
