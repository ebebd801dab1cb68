"""What becomes of our objects beside what a management cluster holds (`capi.md` §C4a).

The in-cluster provider may be there: it then sets owner references, `status.addressRef` and the
counters of pools, and we leave these alone. Where it is not, we set them; what we set before it came
we go on saying, because a field that we took back would be gone until the provider sees it. An address
that somebody else has is never overwritten, and a Cluster's endpoint that is set never changes.
"""

from collections.abc import Iterator, Mapping

from reconciler.families._objects import Fit, Manifests
from reconciler.families.capi.owning import owns
from reconciler.families.capi.part import fit_cluster
from reconciler.families.capi.resources import (
    ADDRESSES,
    CLAIMS,
    CLUSTERS,
    GLOBAL_POOLS,
    POOLS,
    PROTECT_POOL,
)
from reconciler.model.marks import MANAGER, OWNER_LABEL, STATUS_MANAGER
from reconciler.model.resource import Manifest, Ref

_POOL_KINDS = {GLOBAL_POOLS.kind: GLOBAL_POOLS, POOLS.kind: POOLS}


def fit(wanted: Manifests, there: Manifests) -> Mapping[Ref, Fit]:
    """What is applied in the place of projections, or why it cannot be."""
    return dict(_Fitting(wanted, there).all())


class _Fitting:
    def __init__(self, wanted: Manifests, there: Manifests) -> None:
        self.wanted = wanted
        self.there = there
        self.has_provider = any(
            PROTECT_POOL in (item["metadata"].get("finalizers") or ())
            for ref, item in there.items()
            if ref.resource in (GLOBAL_POOLS, POOLS)
        )
        self.foreign = dict(self._foreign())

    def all(self) -> Iterator[tuple[Ref, Fit]]:
        errors = {
            ref: found for ref, item in self.wanted.items() if (found := self._held(ref, item))
        }
        for ref, item in self.wanted.items():
            if error := errors.get(ref):
                yield ref, Fit(error=error)
            elif "spec" not in item and "status" not in item and ref.resource != CLUSTERS:
                yield ref, Fit()  # of a record that nobody asks for: it stays as it is
            elif ref.resource in (GLOBAL_POOLS, POOLS):
                yield from self._pool(ref, item)
            elif ref.resource == ADDRESSES:
                yield ref, self._address(ref, item)
            elif ref.resource == CLAIMS:
                yield ref, self._claim(ref, item)
            else:
                yield ref, fit_cluster(item, self.there.get(ref), _lost(ref, errors))

    def _foreign(self) -> Iterator[tuple[tuple[Ref, str], Ref]]:
        """Addresses that objects of others hold, by pool and address."""
        for ref, item in self.there.items():
            if ref.resource != ADDRESSES or ref in self.wanted:
                continue
            labels = item["metadata"].get("labels") or {}
            pool = self._pool_of(ref, item)
            if labels.get(OWNER_LABEL) != MANAGER and pool is not None:
                yield (pool, item["spec"].get("address", "")), ref

    def _pool_of(self, ref: Ref, item: Manifest) -> Ref | None:
        reference = (item.get("spec") or {}).get("poolRef") or {}
        resource = _POOL_KINDS.get(reference.get("kind", ""))
        if resource is None:
            return None
        namespace = ref.namespace if resource.is_namespaced else ""
        return Ref(resource, namespace, reference.get("name", ""))

    def _held(self, ref: Ref, item: Manifest) -> str:
        """Why an address cannot be ours: another claim has it, or its own claim another one."""
        if ref.resource != ADDRESSES or "spec" not in item:
            return ""
        address = item["spec"]["address"]
        live = self.there.get(ref)
        if live is not None and live["spec"].get("address") != address:
            return f"foreign-holder: the record says {address}, the cluster {live['spec'].get('address')}"
        pool = self._pool_of(ref, item)
        holder = self.foreign.get((pool, address)) if pool is not None and live is None else None
        if holder is None:
            return ""
        return f"foreign-holder: the record says {address}, which {holder} has"

    def _pool(self, ref: Ref, item: Manifest) -> Iterator[tuple[Ref, Fit]]:
        """The counters are the provider's, where it is there."""
        if self.has_provider:
            yield ref, Fit({key: item[key] for key in item if key != "status"})

    def _address(self, ref: Ref, item: Manifest) -> Fit:
        """An address cannot change: one that is there keeps what it says of its network."""
        live = self.there.get(ref)
        said = item if live is None else {**item, "spec": live["spec"]}
        pool = self._pool_of(ref, item)
        if pool is None or self._is_providers(live, MANAGER, "f:ownerReferences"):
            return Fit(said)
        return Fit(said, owners=((Ref(CLAIMS, ref.namespace, ref.name), True), (pool, False)))

    def _is_providers(self, live: Manifest | None, manager: str, step: str) -> bool:
        """A field is the provider's to set: it is there, and we did not set the field before it came."""
        return self.has_provider and (live is None or not owns(live, manager, step))

    def _claim(self, ref: Ref, item: Manifest) -> Fit:
        live = self.there.get(ref)
        found = dict(item)
        if "status" in item and self._is_providers(live, STATUS_MANAGER, "f:addressRef"):
            status = {key: text for key, text in item["status"].items() if key != "addressRef"}
            found["status"] = status
        if "spec" not in item:
            return Fit(found)
        if live is not None:
            if (live.get("spec") or {}).get("poolRef") != item["spec"]["poolRef"]:
                return Fit(error="foreign-holder: the claim that is there names another pool")
            found["spec"] = live["spec"]  # it cannot change
        name = item["spec"].get("clusterName", "")
        cluster = Ref(CLUSTERS, ref.namespace, name)
        return Fit(found, owners=((cluster, True),) if cluster in self.there else ())


def _lost(cluster: Ref, errors: Mapping[Ref, str]) -> frozenset[str]:
    """The names of addresses in a Cluster's namespace that cannot be ours."""
    return frozenset(ref.name for ref in errors if ref.namespace == cluster.namespace)
