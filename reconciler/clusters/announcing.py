"""Clusters that announce ranges: names, renames, and conflicts."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import NamedTuple

from reconciler.addresses import IPRange, IPSet
from reconciler.clusters.memory import Enrolled
from reconciler.documents.document import Documents, GroupKind
from reconciler.families import families, family_of
from reconciler.families._family import ClusterKind
from reconciler.families._former import former_of
from reconciler.model.allocation import Allocation
from reconciler.model.cluster import tenant_name
from reconciler.model.resource import Manifest

_BALANCER = "loadbalancer"
"""The type of records whose addresses Services get."""


@cache
def cluster_kinds() -> tuple[ClusterKind, ...]:
    """Return the kinds whose objects represent clusters."""
    return tuple(kind for family in families() if (kind := family.announcing.clusters) is not None)


def cluster_of(record: Allocation) -> str:
    """Return the cluster that announces the addresses of a record."""
    family = family_of(record.claim.family)
    if family is None:  # the kind is unknown to this version: use its owner, as for tenants
        return tenant_name(record.owner.namespace, record.owner.name)
    return family.announcing.cluster_of(record)


def balancer_records(records: Iterable[Allocation]) -> dict[str, list[Allocation]]:
    """Return the records of load-balancer addresses, by the cluster that announces them."""
    found: dict[str, list[Allocation]] = {}
    for record in records:
        if record.type == _BALANCER and record.range is not None:
            found.setdefault(cluster_of(record), []).append(record)
    return found


def announcer(manifest: Manifest) -> str | None:
    """Return the cluster that announces a record's copy in the management cluster, or None."""
    told = (family.announcing.announcer(manifest) for family in families())
    return next((cluster for cluster in told if cluster is not None), None)


def described_clusters(documents: Documents) -> frozenset[str]:
    """Return the names of the clusters that documents describe."""
    return frozenset(
        tenant_name(document.namespace, document.name)
        for kind in cluster_kinds()
        for document in documents.of(GroupKind(kind.resource.group, kind.resource.kind))
    )


def former_clusters(documents: Documents) -> dict[str, str]:
    """Return former names of clusters, by current name.

    A name counts only if no cluster has it now and one document lists it.
    """
    there = described_clusters(documents)
    found: dict[str, list[str]] = {}
    for kind in cluster_kinds():
        for document in documents.of(GroupKind(kind.resource.group, kind.resource.kind)):
            former = former_of(document)
            if former is not None and (before := tenant_name(*former)) not in there:
                now = tenant_name(document.namespace, document.name)
                found.setdefault(before, []).append(now)
    return {names[0]: before for before, names in found.items() if len(names) == 1}


def known_as_now(known: Mapping[str, Enrolled], former: Mapping[str, str]) -> dict[str, Enrolled]:
    """Return the registry with entries under new names that have none yet."""
    more = {now: known[old] for now, old in former.items() if old in known and now not in known}
    return {**known, **more}


def moved(known: Mapping[str, Enrolled], former: Mapping[str, str]) -> dict[str, Enrolled]:
    """Return the registry with entries under new names only."""
    gone = frozenset(former.values())
    now = known_as_now(known, former)
    return {name: enrolled for name, enrolled in now.items() if name not in gone}


class Claims(NamedTuple):
    """The addresses of a cluster and their address spaces."""

    spaces: tuple[str, ...]
    addresses: IPSet

    def meets(self, other: "Claims") -> bool:
        """Return whether two address spaces can overlap: equal, or one of them unknown."""
        if not self.spaces or not other.spaces:
            return True
        return any(space in other.spaces for space in self.spaces)


class _Span(NamedTuple):
    version: int
    first: int
    last: int
    is_wanted: bool
    cluster: str


def address_conflicts(
    announced: Mapping[str, Claims], wanted: Mapping[str, Claims]
) -> Mapping[str, tuple[str, ...]]:
    """Return the other clusters that might announce ranges of each cluster, by name.

    One sweep over all ranges, for thousands of clusters with thousands of ranges.
    """
    spans = [*_spans(announced, is_wanted=False), *_spans(wanted, is_wanted=True)]
    found: dict[str, dict[str, None]] = {}
    open_spans: list[_Span] = []
    for span in sorted(spans):
        open_spans = [
            item for item in open_spans if item.version == span.version and item.last >= span.first
        ]
        for item in open_spans:
            if item.is_wanted == span.is_wanted or item.cluster == span.cluster:
                continue
            wants, has = (span, item) if span.is_wanted else (item, span)
            if wanted[wants.cluster].meets(announced[has.cluster]):
                found.setdefault(wants.cluster, {})[has.cluster] = None
        open_spans.append(span)
    return {name: tuple(sorted(others)) for name, others in found.items()}


def _spans(claims: Mapping[str, Claims], *, is_wanted: bool) -> list[_Span]:
    return [
        _Span(*_ends(item), is_wanted, name)
        for name, claim in claims.items()
        for item in claim.addresses
    ]


def _ends(item: IPRange) -> tuple[int, int, int]:
    return item.version, item.first, item.last
