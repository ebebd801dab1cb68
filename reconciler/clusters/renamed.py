"""Clusters that have another name by now: what is remembered under the old one is theirs."""

from collections.abc import Mapping

from reconciler.clusters.announcing import cluster_kinds, described_clusters
from reconciler.clusters.memory import Enrolled
from reconciler.documents.document import Documents, GroupKind
from reconciler.families._former import former_of
from reconciler.model.cluster import tenant_name


def former_clusters(documents: Documents) -> dict[str, str]:
    """What clusters were called before, by what they are called now.

    Only where nothing is called so any more, and one document alone says that it was.
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
    """What is remembered of clusters, under the new names, too, where those have nothing yet."""
    more = {now: known[old] for now, old in former.items() if old in known and now not in known}
    return {**known, **more}


def moved(known: Mapping[str, Enrolled], former: Mapping[str, str]) -> dict[str, Enrolled]:
    """The same, and no more under the old ones."""
    gone = frozenset(former.values())
    now = known_as_now(known, former)
    return {name: enrolled for name, enrolled in now.items() if name not in gone}
