"""The CRDs that clusters get: that of records, and those of all families."""

from reconciler.clusters.resources import IP_ALLOCATION
from reconciler.documents.shipped import crd_files
from reconciler.families import families


def crd_texts() -> dict[str, str]:
    """All of them as YAML, by file name."""
    found = crd_files(f"{IP_ALLOCATION.group}_{IP_ALLOCATION.plural}.yaml")
    for family in families():
        found |= family.objects.crds()
    return {name: found[name] for name in sorted(found)}
