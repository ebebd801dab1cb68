"""A bug of ours that one cluster brings out: told as one, and the other clusters are applied."""

from dataclasses import dataclass, field
from typing import Any

import pytest

from reconciler.apply.fleet import apply_fleet
from reconciler.apply.plan import ClusterState
from reconciler.apply.targets import ApplyOptions
from reconciler.families.butler.kinds import NETWORK_POOL
from reconciler.kube.clusters import KubeCluster
from reconciler.kube.interface import Cluster, Clusters
from reconciler.kube.resources import ADDRESS_POOL
from reconciler.model.errors import ExitCode
from reconciler.model.objects import Resource
from reconciler.reconcile.evaluation import applied_code
from tests.apply.execution.site import (
    ADDRESS_POOLS,
    FIRST,
    SECOND,
    Site,
    announced,
    evaluated,
    world,
)

HUB = "management"


class Buggy:
    """A cluster whose adapter cannot list a kind, by a bug."""

    def __init__(self, cluster: KubeCluster, resource: Resource) -> None:
        self._cluster = cluster
        self._resource = resource

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cluster, name)

    def list(self, resource: Resource, namespace: str = "", **words: str) -> Any:
        if resource == self._resource:
            raise KeyError(resource.kind)
        return self._cluster.list(resource, namespace, **words)


@dataclass
class Fleet:
    """The clusters of a site, of which some are reached with a bug.

    Attributes:
        bugs: The kind that cannot be listed, by cluster.
    """

    clusters: Clusters
    bugs: dict[str, Resource] = field(default_factory=dict)

    def management(self) -> Any:
        return self._of(HUB, self.clusters.management())

    def named(self, cluster: str) -> bytes | None:
        return self.clusters.named(cluster)

    def connect(self, cluster: str, kubeconfig: bytes, *, is_named: bool = False) -> Any:
        return self._of(cluster, self.clusters.connect(cluster, kubeconfig, is_named=is_named))

    def _of(self, name: str, cluster: Cluster | None) -> Any:
        if name not in self.bugs:
            return cluster
        assert isinstance(cluster, KubeCluster)
        return Buggy(cluster, self.bugs[name])


@pytest.mark.parametrize(("name", "resource"), [(FIRST, ADDRESS_POOL), (HUB, NETWORK_POOL)])
def test_a_bug_in_one_cluster_leaves_the_others_alone(
    site: Site, name: str, resource: Resource
) -> None:
    files = world("web", "shop")
    site.apply(files)
    site.tenants[SECOND].request("DELETE", f"{ADDRESS_POOLS}/default-pool")
    evaluation = evaluated(files, "b")
    fleet = Fleet(site.clusters(), {name: resource})
    found = apply_fleet(evaluation, fleet, ApplyOptions(), lambda old, new: old <= new)
    applied = {item.cluster: item for item in found}
    bug = applied[name]
    assert (bug.state, bug.is_bug) == (ClusterState.FAILED, True)
    assert bug.error == f"a bug: KeyError: '{resource.kind}'"
    assert bug.hint.startswith("run it again with --debug")
    assert bug.revision == "a" * 40
    assert applied_code(evaluation, found) is ExitCode.BUG
    assert [item.state for other, item in applied.items() if other != name] == [
        ClusterState.APPLIED
    ] * 2
    assert announced(site.tenants[SECOND]) == ["10.0.0.0-10.0.0.3"]
    assert not any(item.is_failed for item in site.apply(files, "b").values())
    assert not any(item.is_changed for item in site.apply(files, "b").values())
