"""The preview of a change: maps of pools, and the objects of each cluster, before and after."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from msgspec.structs import replace

from reconciler.documents.findings import has_error
from reconciler.documents.yaml import dump
from reconciler.model.errors import ReconcilerError
from reconciler.model.key import Key
from reconciler.model.objects import Manifest
from reconciler.model.plan import State
from reconciler.planning.evaluate import Evaluation
from reconciler.planning.pool_map import PoolMap, pool_maps
from reconciler.planning.projection import carried_out, object_files

MAX_RECORDS = 20_000
"""The number of records up to which the objects of all clusters are compared."""
_MAX_MAPS = 10
_COLUMNS = 32


class ClusterChange(NamedTuple):
    """A cluster whose objects differ: files by path, before and after."""

    cluster: str
    before: dict[str, str]
    after: dict[str, str]


class Preview(NamedTuple):
    """The result of a merge, compared with the reconciled base: pools and clusters that differ."""

    maps: tuple[tuple[PoolMap, PoolMap], ...] = ()
    applied: tuple[ClusterChange, ...] = ()
    why: str = ""
    base: str = ""


NOTHING = Preview()


def preview(evaluation: Evaluation, base: Callable[[], Evaluation] | None = None) -> Preview:
    """Return the preview of a change; nothing if it has errors. Without a base: only maps."""
    if has_error(evaluation.findings):
        return Preview()
    then = carried_out(evaluation)
    maps = tuple(_maps(evaluation.state, then.state))
    if base is None:
        return Preview(maps)
    if len(then.state.records) > MAX_RECORDS:
        why = f"Not shown with more than {MAX_RECORDS} records. Run ipam render to see it."
        return Preview(maps, why=why)
    try:
        before = carried_out(base())
    except ReconcilerError:
        return Preview(maps, why="Not shown: the base cannot be read. Run ipam render to see why.")
    # Timestamps are not a difference.
    before = replace(before, tree=replace(before.tree, clock=then.tree.clock))
    return Preview(maps, _applied(object_files(before), object_files(then)))


def _maps(before: State, after: State) -> Iterable[tuple[PoolMap, PoolMap]]:
    touched = {pool for pool, *_ in _held(before) ^ _held(after)}
    keys = [key for key in before.pools if key in touched]
    for key in keys[:_MAX_MAPS]:
        old, new = pool_maps((before, after), key, _COLUMNS)
        yield old, new


def _held(state: State) -> frozenset[tuple[Key, object, bool, str]]:
    return frozenset((it.pool, it.range, it.is_released, it.owner.short) for it in state.records)


def _applied(
    before: Mapping[str, Manifest], after: Mapping[str, Manifest]
) -> tuple[ClusterChange, ...]:
    found: dict[str, ClusterChange] = {}
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) != after.get(path):
            cluster, _, inside = path.partition("/")
            of_cluster = found.setdefault(cluster, ClusterChange(cluster, {}, {}))
            for side, texts in ((before, of_cluster.before), (after, of_cluster.after)):
                if path in side:
                    texts[inside] = dump(_describe(side[path]))
    return tuple(it for it in found.values() if it.before != it.after)


def _describe(manifest: Manifest) -> Manifest:
    status = manifest.get("status")
    if not isinstance(status, Mapping) or "conditions" not in status:
        return manifest
    kept = {key: value for key, value in status.items() if key != "conditions"}
    return {**manifest, "status": kept}
