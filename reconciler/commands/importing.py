"""Import: read clusters or files, and describe what lives there beside a tree."""

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from reconciler.clusters.metallb import NAMESPACE
from reconciler.clusters.resources import ADDRESS_POOL, SERVICE
from reconciler.clusters.resources import NAMESPACE as NAMESPACES
from reconciler.commands.applying.response_validation import ValidatedCluster
from reconciler.commands.reading.reader import read_tree
from reconciler.families._importing import Listed
from reconciler.importing.assembling import Imported, assemble
from reconciler.importing.copies import copies_of, resources
from reconciler.importing.found import Found
from reconciler.importing.metallb import Announced, held_by
from reconciler.importing.netbox import netbox_rows
from reconciler.importing.reading import Assumed, found_in
from reconciler.importing.rows import MOST_BYTES, MOST_ROWS, Rows, decoded, table_rows, wrong
from reconciler.model.resource import Ref
from reconciler.ports import Cluster, NoSuchKindError, Source

__all__ = ["MOST_BYTES", "Look", "files_found", "imported", "looked"]


class Look(NamedTuple):
    """A cluster to look at.

    Attributes:
        owner: Namespace and name that it gets where nobody else names it.
        pool: Its pool of MetalLB that becomes ours, as a person says; empty to tell it by itself.
    """

    owner: tuple[str, str]
    cluster: Cluster
    pool: str = ""


def files_found(
    files: Iterable[tuple[str, bytes]],
    assumed: Assumed,
    *,
    mapped: Mapping[str, str] | None = None,
) -> Found:
    """What files say.

    Args:
        files: Each with its name.
        assumed: What is taken for granted of rows that do not say it.
        mapped: Meanings of columns, as a person says; None for exports of NetBox.
    """
    found = Found()
    left = MOST_ROWS
    for path, data in files:
        rows = _rows(path, data, mapped)
        left -= len(rows.rows)
        if left < 0:
            message = f"all files together have more than {MOST_ROWS:,} rows"
            rows = wrong(path, message, "import one after the other")
        more = found_in(rows.rows, assumed)
        found = found.with_more(Found(conflicts=rows.conflicts, notes=rows.notes)).with_more(more)
    return found


def _rows(path: str, data: bytes, mapped: Mapping[str, str] | None) -> Rows:
    text = decoded(path, data)
    if isinstance(text, Rows):
        return text
    return netbox_rows(path, text) if mapped is None else table_rows(path, text, mapped)


def looked(looks: Sequence[Look], usual: str) -> Found:
    """What clusters hold. They are only listed.

    Args:
        looks: The clusters.
        usual: What our pool is called in a cluster where nothing says otherwise.

    Raises:
        ClusterError: One cannot be asked, or does not let us read something.
    """
    found = Found()
    seen: dict[str, str] = {}
    for look in looks:
        title = "/".join(look.owner)
        cluster = ValidatedCluster(look.cluster)
        uid = _uid(cluster)
        if uid in seen:
            note = f"cluster {title}: it is {seen[uid]}, which is read already"
            found = found.with_more(Found(notes=(note,)))
            continue
        seen[uid] = title
        found = found.with_more(_one(look, cluster, title, usual))
    return found


def _uid(cluster: Cluster) -> str:
    there = cluster.get(Ref(NAMESPACES, "", "kube-system"))
    return there["metadata"]["uid"] if there is not None else ""


def _one(look: Look, cluster: Cluster, title: str, usual: str) -> Found:
    there: Listed = {}
    missing: list[str] = []
    for resource in (ADDRESS_POOL, *resources()):
        namespace = NAMESPACE if resource == ADDRESS_POOL else ""
        try:
            there[resource] = list(cluster.list(resource, namespace).items)
        except NoSuchKindError:
            missing.append(resource.kind)
    notes = (f"cluster {title}: it has no kind {', '.join(missing)}",) if missing else ()
    found = Found(notes=notes).with_more(copies_of(title, there))
    if ADDRESS_POOL not in there:
        return found
    services = cluster.list(SERVICE).items
    return found.with_more(
        held_by(Announced(look.owner, there[ADDRESS_POOL], services, usual, look.pool))
    )


def imported(source: Source, found: Found) -> Imported:
    """What was found, beside the tree of a source."""
    return assemble(read_tree(source), found)
