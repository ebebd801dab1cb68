"""A cluster in memory whose pools a run applies."""

from collections.abc import Iterable
from typing import Any

from reconciler.addresses import IPRange
from reconciler.apply.executor import Run, apply_tenant
from reconciler.apply.inventory import Enrolled, identify
from reconciler.apply.targets import ApplyOptions, Target
from reconciler.kube import interface as kube
from reconciler.kube.resources import desired_object, ref_of
from reconciler.loadbalancers import controller
from reconciler.loadbalancers.interface import ClusterBalancer, LoadBalancerPool
from reconciler.loadbalancers.ranges import range_of
from reconciler.model.applied import Applied
from reconciler.model.objects import Ref
from tests.fake_cluster import FakeCluster


def ranges(*texts: str) -> tuple[IPRange, ...]:
    return tuple(map(range_of, texts))


class Cluster:
    """A cluster of a ClusterTarget, with the objects in it."""

    def __init__(self, name: str, **more: Any) -> None:
        self.balancer = controller(name)
        self.balancing = ClusterBalancer(name, keep_name="objectName", has_entries=True)
        self.known: Enrolled | None = None
        self.server = FakeCluster("prod-1", unknown=set())
        self.more = more

    def apply(self, *pools: LoadBalancerPool, **options: Any) -> Applied:
        """Apply pools. A dry run before it has the same result."""
        target = Target(
            "prod-1",
            tuple(map(desired_object, self.balancer.objects(pools, self.balancing.namespace))),
            balancing=self.balancing,
            **self.more,
        )
        foreseen, _ = self._apply(target, ApplyOptions(dry_run=True, **options))
        applied, self.known = self._apply(target, ApplyOptions(**options))
        assert applied.outcomes == foreseen.outcomes
        return applied

    def _apply(self, target: Target, options: ApplyOptions) -> tuple[Applied, Enrolled]:
        run = Run("a" * 40, options)
        opened = self.opened()
        identity = identify(opened, target.name, "metallb-system", self.known)
        return apply_tenant(opened, target, self.known, identity, run)

    def opened(self) -> kube.Cluster:
        """A connection to it, whose requests are counted from now on."""
        self.server.log.clear()
        return self.server

    def pools(self) -> dict[str, list[IPRange]]:
        """The addresses of each pool that is there."""
        return {
            ref.name: list(self.balancer.addresses(item))
            for ref, item in self.server.objects.items()
            if ref.resource == self.balancer.pool
        }

    def others(self) -> list[str]:
        """The other objects of the controller that are there."""
        kinds = self.balancer.others
        return sorted(
            f"{it.resource.kind} {it.name}" for it in self.server.objects if it.resource in kinds
        )

    def spec(self, kind: str, name: str) -> Any:
        return next(
            item["spec"]
            for ref, item in self.server.objects.items()
            if (ref.resource.kind, ref.name) == (kind, name)
        )

    def put(self, *manifests: Any) -> None:
        """Create objects of another user."""
        for manifest in manifests:
            self.server.put(manifest)

    def use(self, address: str, name: str = "shop", **spec: Any) -> None:
        """A Service that has an address."""
        self.put(service(name, address, **spec))

    def release(self, name: str = "shop") -> None:
        """The Service is deleted."""
        ref = ref_of(service(name, ""))
        self.server.objects.pop(ref)

    def writes(self) -> list[str]:
        """The writes of objects of the controller in the last run, in order."""
        return [
            f"{verb} {what.name}"
            for verb, what in self.server.log
            if isinstance(what, Ref) and verb in ("apply", "delete")
            if what.resource in self.balancer.resources
        ]


def service(name: str, address: str, annotations: Any = None, **spec: Any) -> dict[str, Any]:
    status = {"loadBalancer": {"ingress": [{"ip": address}]}} if address else {}
    return {
        "apiVersion": "v1",
        "kind": "Service",
        "metadata": {"name": name, "namespace": "default", "annotations": annotations or {}},
        "spec": {"type": "LoadBalancer", **spec},
        "status": status,
    }


def errors(applied: Applied) -> list[str]:
    return [item.error for item in applied.outcomes if item.error]


def as_lists(pools: Iterable[LoadBalancerPool]) -> dict[str, list[IPRange]]:
    return {it.name: list(it.ranges) for it in pools}
