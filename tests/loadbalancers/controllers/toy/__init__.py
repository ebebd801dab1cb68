"""The smallest controller: pools with a list of ranges, for all Services."""

from collections.abc import Iterable, Mapping, Sequence

from reconciler.addresses import IPSet
from reconciler.loadbalancers.interface import Controller, ImportedPool, LivePool, LoadBalancerPool
from reconciler.loadbalancers.ranges import ranges_of, written
from reconciler.model.objects import Manifest, Resource

SPRING = Resource("toy.example/v1", "Spring", "springs", is_namespaced=False)
_KIND = {"apiVersion": SPRING.api_version, "kind": SPRING.kind}


def _objects(pools: Sequence[LoadBalancerPool], _: str) -> tuple[Manifest, ...]:
    return tuple(
        {**_KIND, "metadata": {"name": it.name}, "spec": {"ranges": list(written(it.ranges))}}
        for it in pools
        if it.ranges
    )


def _addresses(manifest: Manifest) -> IPSet:
    return ranges_of(manifest["spec"]["ranges"])


def _with_addresses(manifest: Manifest, wanted: IPSet, _: Manifest | None) -> Manifest:
    return {**manifest, "spec": {"ranges": list(written(wanted))}}


def _imported(there: Mapping[Resource, Iterable[Manifest]]) -> tuple[ImportedPool, ...]:
    return tuple(
        ImportedPool(LoadBalancerPool(it["metadata"]["name"], _addresses(it).ranges))
        for it in there.get(SPRING, ())
    )


CONTROLLER = Controller(
    name="Toy",
    oldest="1.0",
    pool=SPRING,
    capabilities=frozenset(),
    objects=_objects,
    addresses=_addresses,
    with_addresses=_with_addresses,
    live=lambda it: LivePool(_addresses(it)),
    imported=_imported,
)
