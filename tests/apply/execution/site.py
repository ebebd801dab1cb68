"""A management cluster and tenants in this process, to which tests apply trees."""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from msgspec.structs import replace

from reconciler.apply.expiry import still_announced
from reconciler.apply.fleet import apply_fleet
from reconciler.apply.targets import ApplyOptions
from reconciler.kube.clusters import KubeClusters
from reconciler.kube.deadline import Clocks, Timeouts
from reconciler.kube.interface import Clusters
from reconciler.model.applied import Applied
from reconciler.model.errors import GitError
from reconciler.planning.evaluate import Evaluation, evaluate
from tests.envtest.servers import ApiServer
from tests.world import CLOCK, pool, provider, reconciled, tenant, tree_of

FIRST, SECOND, THIRD = "team-a/web", "team-a/shop", "team-a/blog"
METALLB = "/apis/metallb.io/v1beta1/namespaces/metallb-system"
ADDRESS_POOLS = f"{METALLB}/ipaddresspools"
BUTLER = "/apis/butler.butlerlabs.dev/v1alpha1/namespaces/butler-system"
POOLS = f"{BUTLER}/networkpools"
ALLOCATIONS = f"{BUTLER}/ipallocations"
INVENTORY = "configmaps/gitops-ipam-inventory"
MERGE = "application/merge-patch+json"
ALL = """\
apiVersion: gitops-ipam.dev/v1alpha1
kind: Settings
metadata: {name: ipam}
spec: {apply: {documents: all}}
"""
Files = Mapping[str, str | bytes]


def world(*names: str, **more: str) -> dict[str, str | bytes]:
    """Return a reconciled tree: a pool of 32 addresses, a static provider of 4, and tenants."""
    files: dict[str, str | bytes] = {
        "pools/edge.yaml": pool("edge", "10.0.0.0/27"),
        "providers/default.yaml": provider(loadBalancer="{defaultPoolSize: 4}"),
        **{f"tenants/{name}.yaml": tenant(name) for name in names},
        **more,
    }
    return reconciled(files)


def without(files: Mapping[str, str | bytes], *names: str) -> dict[str, str | bytes]:
    """Return the reconciled tree without some tenants, whose records are released."""
    gone = [f"tenants/{name}.yaml" for name in names]
    return reconciled({path: text for path, text in files.items() if path not in gone})


def unclear(files: Mapping[str, str | bytes], name: str) -> dict[str, str | bytes]:
    """Return the tree with an invalid document, and only the records of one tenant."""
    kept = {
        path: text
        for path, text in files.items()
        if not path.startswith("allocations/") or name in path
    }
    return kept | {"tenants/broken.yaml": "not a document"}


def evaluated(files: Files, revision: str = "a", clock: int = CLOCK) -> Evaluation:
    return evaluate(replace(tree_of(files, clock), revision=revision * 40))


@dataclass
class Site:
    """Clusters by name, and a history of revisions.

    Attributes:
        history: Revisions as letters. Each one contains those before it.
        user: The user that applies.
    """

    management: ApiServer
    tenants: dict[str, ApiServer] = field(default_factory=dict)
    history: str = "abcdefgh"
    timeout: float = 60.0
    user: str = "admin"

    def clusters(self) -> Clusters:
        named = {name: server.kubeconfig_for(self.user) for name, server in self.tenants.items()}
        kubeconfig = self.management.kubeconfig_for(self.user)
        # Retry an unreachable cluster immediately. Other tests cover the waiting time.
        timeouts = Timeouts(
            self.timeout, clocks=Clocks(sleep=lambda seconds: time.sleep(min(seconds, 0.1)))
        )
        return KubeClusters(kubeconfig, clusters=named, timeouts=timeouts)

    def apply(self, files: Files, revision: str = "a", **options: Any) -> dict[str, Applied]:
        """Apply a tree, and return the result of each cluster."""
        evaluation = evaluated(files, revision)
        applied = apply_fleet(evaluation, self.clusters(), ApplyOptions(**options), self._is_in)
        return {item.cluster: item for item in applied}

    def doubts(self, files: Files, clock: int, **options: Any) -> dict[str, str]:
        """Return the reasons to keep records after their retention."""
        return still_announced(
            evaluated(files, clock=clock), self.clusters(), ApplyOptions(**options)
        )

    def _is_in(self, ancestor: str, revision: str) -> bool:
        """Return whether one revision contains the other, as a full clone does."""
        if revision[0] not in self.history:
            raise GitError(f"git merge-base: Not a valid commit name {revision}")
        return 0 <= self.history.find(ancestor[0]) <= self.history.find(revision[0])


def announced(server: ApiServer, name: str = "default-pool") -> list[str] | None:
    """Return the addresses of an IPAddressPool, or None if it does not exist."""
    status, found = server.request("GET", f"{ADDRESS_POOLS}/{name}")
    return found["spec"]["addresses"] if status == 200 else None


def address_pool(name: str, *addresses: str) -> dict[str, Any]:
    return {
        "apiVersion": "metallb.io/v1beta1",
        "kind": "IPAddressPool",
        "metadata": {"name": name, "namespace": "metallb-system"},
        "spec": {"addresses": list(addresses)},
    }


def service(server: ApiServer, name: str, address: str) -> None:
    """Create a Service with an address."""
    path = "/api/v1/namespaces/default/services"
    body = {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name},
        "spec": {"type": "LoadBalancer", "ports": [{"port": 80}]},
    }
    server.put(body, path=path)
    status = {"status": {"loadBalancer": {"ingress": [{"ip": address}]}}}
    assert server.request("PATCH", f"{path}/{name}/status", status, MERGE)[0] == 200


def failures(applied: Applied) -> dict[str, str]:
    """Return failures in a cluster, by object."""
    return {item.object: item.error for item in applied.outcomes if item.error}


def results(applied: Applied) -> dict[str, str]:
    """Return changes and failures in a cluster, by object."""
    return {
        item.object: item.result.value
        for item in applied.outcomes
        if item.result.value != "unchanged"
    }
