"""Objects that are not in Git and are not taken in: counted, in a sentence for each kind."""

from typing import Any

from reconciler.apply.intake import outside
from reconciler.families.capi.kinds import CLAIMS, CLUSTERS, GLOBAL_POOLS
from reconciler.model.objects import MANAGER, owned_labels
from reconciler.model.settings import Intake, Settings
from tests.families.live import cluster, of_pool, pool, wrote

TWO = {CLUSTERS: [cluster(), cluster("blog")]}
BLOG = ("cluster.x-k8s.io", "Cluster", "default", "blog")


def describe(lists: Any, settings: Settings = Settings(), known: Any = ()) -> list[str]:  # noqa: B008 - frozen
    return list(outside(known, settings, {}, lists))


def test_objects_that_are_not_in_git_are_counted_with_what_they_lack() -> None:
    assert describe(TWO) == ["2 Clusters are not in Git and get no VIP; see intake in Settings"]
    assert describe({CLUSTERS: [cluster()], GLOBAL_POOLS: [pool()]}) == [
        "1 GlobalInClusterIPPool is not in Git and gives nothing out; see intake in Settings",
        "1 Cluster is not in Git and gets no VIP; see intake in Settings",
    ]


def test_what_is_in_git_or_taken_in_or_ours_or_served_by_others_is_not_told() -> None:
    assert describe(TWO, known=[BLOG])[0].startswith("1 Cluster is")
    assert describe(TWO, Settings(intake=(Intake("Cluster"),))) == []
    assert describe(TWO, Settings(intake=(Intake("Cluster", ("team-a",)),)))
    ours = cluster(labels=owned_labels(), managedFields=[wrote(MANAGER, {})])
    served = of_pool("IPAddressClaim", "one", status={"addressRef": {"name": "one"}})
    assert describe({CLUSTERS: [ours], CLAIMS: [served]}) == []
