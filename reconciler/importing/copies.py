"""Objects of a cluster to documents: what each family takes of its own."""

from collections.abc import Iterator

from reconciler.families import families
from reconciler.families._importing import Copied, Listed
from reconciler.families._intake import UID, copied
from reconciler.findings import Finding, Location
from reconciler.importing.found import Copy, Found, conflict
from reconciler.model.key import is_label, is_name
from reconciler.model.resource import Manifest, Resource


def kinds() -> tuple[Copied, ...]:
    """The kinds that are copied, of all families."""
    return tuple(item for family in families() for item in family.objects.copied)


def resources() -> tuple[Resource, ...]:
    """Where their objects are."""
    return tuple(item.intake.resource for item in kinds())


def copies_of(cluster: str, there: Listed) -> Found:
    """The documents of the objects of a cluster.

    Args:
        cluster: Its name, for places.
        there: Its objects by kind, in a shape that can be read.
    """
    copies: list[Copy] = []
    notes: list[str] = []
    conflicts: list[Finding] = []
    for kind in kinds():
        for manifest in there.get(kind.intake.resource, ()):
            place = Location(f"cluster {cluster} {_title(kind, manifest)}")
            if why := kind.left(manifest, there):
                notes.append(f"{place}: left out, because {why}")
                continue
            try:
                copies.append(_copy(kind, manifest, there, place))
            except (KeyError, TypeError, AttributeError, ValueError):
                hint = "mend the object, or write its document by hand"
                conflicts.append(conflict(place, "no document can be made of it", hint))
    return Found(copies=tuple(copies), notes=tuple(notes), conflicts=tuple(conflicts))


def _title(kind: Copied, manifest: Manifest) -> str:
    return " ".join((kind.intake.kind, "/".join(_names(kind, manifest))))


def _names(kind: Copied, manifest: Manifest) -> Iterator[str]:
    metadata = manifest["metadata"]
    if kind.intake.resource.is_namespaced and metadata.get("namespace"):
        yield metadata["namespace"]
    yield metadata["name"]


def _copy(kind: Copied, manifest: Manifest, there: Listed, place: Location) -> Copy:
    body = copied(manifest, kind.intake)
    metadata = dict(body["metadata"])
    # Who copies by hand wants the object to be told apart from a later one of its name; here it is
    # people's from now on.
    annotations = {key: it for key, it in metadata.pop("annotations").items() if key != UID}
    metadata |= {"annotations": annotations} if annotations else {}
    body = kind.amend({**body, "metadata": metadata}, manifest, there)
    namespace = metadata.get("namespace", "") if kind.intake.resource.is_namespaced else ""
    if not is_name(metadata["name"]) or not (namespace == "" or is_label(namespace)):
        raise ValueError(metadata["name"])  # it becomes the path of a file
    return Copy(kind.folder, namespace, metadata["name"], body, place)
