"""The twelve metrics that seed 004 promises: their names as it has them, and all of them move."""

import re
from pathlib import Path

from msgspec.structs import replace

from reconciler.clusters.outcome import Outcome, Result
from reconciler.commands.watching.metrics import Metering
from reconciler.model.metric import Metric, Sort
from tests.commands.watching.turns import MANAGEMENT, applied, done
from tests.families.capi.trees import cluster, document, of, pool
from tests.meters import Shown
from tests.world import evaluation_of, planned, reconciled

SEED = (Path(__file__).parent / "seed" / "metrics.txt").read_text(encoding="utf-8")
_HEAD = re.compile(r"• (capi_vip_allocator_\w+) \((counter|gauge|histogram)\)")


def promised() -> dict[str, Metric]:
    """Each metric of the seed, as its text says."""
    found = {}
    heads = list(_HEAD.finditer(SEED))
    for at, head in enumerate(heads):
        end = heads[at + 1].start() if at + 1 < len(heads) else SEED.index("Example Queries")
        text = SEED[head.end() : end]
        labels = re.search(r"Labels: (.*)", text)
        assert labels is not None
        names = tuple(word.strip().partition(" ")[0] for word in labels[1].split(","))
        found[head[1]] = Metric(head[1], Sort(head[2]), "", names)
    return found


CLASS = document("ClusterClass", "cluster.x-k8s.io/v1beta1", {"name": "web"}, {})
POOL, INGRESS = pool("vips", "10.0.0.10"), pool("edge", "10.0.1.10-10.0.1.19", role="ingress")
ONE = cluster("one")


def story() -> Shown:
    """Two Clusters and one address for a control plane; writing fails once; one has a host by hand."""
    shown = Shown()
    told = Metering(shown.registry, lambda: 1_000.0)
    told.round_done(done(of(ONE, CLASS)))  # no pool: no claim
    first = of(POOL, INGRESS, CLASS, ONE)
    told.round_done(done(first, seconds=0.2, since=1.5))  # committed, nobody applied
    broken = Outcome("cluster.x-k8s.io/Cluster/default/one", Result.FAILED)
    told.round_done(done(reconciled(first), applied("management", broken)))
    by_hand = cluster("hand", controlPlaneEndpoint={"host": "192.0.2.1", "port": 6443})
    by_hand = by_hand.replace(
        "annotations: {}", "annotations: {vip.capi.gorizond.io/ingress-enabled: 'false'}"
    )
    last = {**reconciled(first), **of(POOL, INGRESS, CLASS, ONE, cluster("two"), by_hand)}
    head = planned(evaluation_of(last))
    told.round_done(replace(done(last, MANAGEMENT), head=head))
    return shown


def test_a_story_moves_all_twelve() -> None:
    shown, allocator = story(), "capi_vip_allocator_"
    classed = {"cluster_class": "web"}
    plane, ingress = {**classed, "role": "control-plane"}, {**classed, "role": "ingress"}
    for labels, count in ((plane, 1), (ingress, 2)):
        assert shown.value(f"{allocator}allocations_total", **labels) == count
        assert shown.value(f"{allocator}allocation_duration_seconds_count", **labels) == count
    assert shown.value(f"{allocator}allocation_duration_seconds_sum", **plane) == 1.5
    errors = shown.of(f"{allocator}allocation_errors_total")
    assert errors == {
        ("web", "claim_creation_failed", "control-plane"): 1,
        ("web", "claim_creation_failed", "ingress"): 1,
        ("web", "cluster_patch_failed", "control-plane"): 1,
        ("web", "cluster_patch_failed", "ingress"): 1,
        ("web", "ip_resolution_failed", "control-plane"): 1,
    }
    assert shown.of(f"{allocator}reconcile_total") == {
        ("web", "error"): 3,
        ("web", "requeued"): 1,
        ("web", "success"): 1,
        ("web", "skipped"): 1,
    }
    assert shown.value(f"{allocator}reconcile_duration_seconds_count", **classed) == 6
    assert shown.of(f"{allocator}pools_available") == {
        ("web", "control-plane"): 0,
        ("web", "ingress"): 1,
    }
    for name, one, many in (("total", 1, 10), ("used", 1, 2), ("free", 0, 8)):
        found = shown.of(f"{allocator}pool_addresses_{name}")
        assert found == {("vips",): one, ("edge",): many}
    for name, plane_, ingress_ in (("total", 2, 2), ("ready", 1, 2), ("pending", 1, 0)):
        found = shown.of(f"{allocator}claims_{name}")
        assert found == {("default", "control-plane"): plane_, ("default", "ingress"): ingress_}
    moved = {name.removesuffix("_count") for name, _ in shown.all()}
    assert promised().keys() <= moved


def test_a_cluster_that_waits_is_an_error_once_and_reconciled_in_each_round() -> None:
    shown = Shown()
    told = Metering(shown.registry, lambda: 1.0)
    waiting = of(INGRESS, CLASS, ONE, cluster("plain", class_=""))
    for _ in range(3):
        told.round_done(done(waiting, MANAGEMENT))
    errors = shown.of("capi_vip_allocator_allocation_errors_total")
    assert errors == {("web", "claim_creation_failed", "control-plane"): 1}
    assert shown.of("capi_vip_allocator_reconcile_total") == {("web", "error"): 3}


def test_pools_are_counted_for_a_class_before_it_has_a_cluster() -> None:
    shown = Shown()
    Metering(shown.registry, lambda: 1.0).round_done(
        done(evaluation_of(of(POOL, CLASS)), committed=False)
    )
    assert shown.of("capi_vip_allocator_pools_available") == {
        ("web", "control-plane"): 1,
        ("web", "ingress"): 0,
    }


def test_a_pool_of_a_namespace_is_told_with_it() -> None:
    shown, files = Shown(), of(pool("vips", namespace="team-a"), pool("vips"))
    Metering(shown.registry, lambda: 1.0).round_done(done(evaluation_of(files), committed=False))
    assert set(shown.of("capi_vip_allocator_pool_addresses_total")) == {("vips",), ("team-a/vips",)}


def test_a_paused_pool_is_not_available() -> None:
    paused = pool("vips", annotations={"cluster.x-k8s.io/paused": ""})
    shown, files = Shown(), of(paused, ONE)
    Metering(shown.registry, lambda: 1.0).round_done(done(evaluation_of(files), committed=False))
    assert (
        shown.value("capi_vip_allocator_pools_available", cluster_class="web", role="control-plane")
        == 0
    )
