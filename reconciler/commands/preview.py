"""What merging a change comes to, beside its base once that is reconciled."""

from collections.abc import Callable, Iterable, Mapping

from msgspec.structs import replace

from reconciler.asking.cells import PoolMap, pool_maps
from reconciler.commands.by_hand import with_changes_by_hand
from reconciler.commands.reading.reader import evaluate_source
from reconciler.commands.render import objects
from reconciler.documents.dump import dump
from reconciler.evaluate import Evaluation
from reconciler.findings import has_error
from reconciler.model.allocation import Allocation
from reconciler.model.key import Key
from reconciler.model.resource import Manifest
from reconciler.model.state import State
from reconciler.ports import ReconcilerError, Repository, Source
from reconciler.projecting import carried_out
from reconciler.report.preview import Applied, Preview

MOST_RECORDS = 20_000
"""With more of them the objects of all clusters take too long beside the check itself."""
_MOST_MAPS = 10
_COLUMNS = 32


def preview(evaluation: Evaluation, base: Callable[[], Evaluation] | None = None) -> Preview:
    """What an evaluation comes to once its plan is carried out.

    Nothing where something is wrong: that is mended first, and then it comes to something else.

    Args:
        evaluation: Of the change, read as a whole.
        base: Gives the evaluation of what it is merged into; without it clusters are not told of.
    """
    if has_error(evaluation.findings):
        return Preview()
    then = carried_out(evaluation)
    maps = tuple(_maps(evaluation.state, then.state))
    if base is None:
        return Preview(maps)
    if len(then.state.records) > MOST_RECORDS:
        why = f"Not shown with more than {MOST_RECORDS} records; ipam render writes all of it."
        return Preview(maps, why=why)
    try:
        before = carried_out(base())
    except ReconcilerError:
        # What is wrong with the base is nothing that stops the change.
        return Preview(maps, why="Not shown: the base cannot be read; ipam render says why.")
    # What only says when it was looked at is no change.
    before = replace(before, tree=replace(before.tree, clock=then.tree.clock))
    return Preview(maps, _applied(objects(before), objects(then)))


def evaluated_base(repository: Repository, source: Source) -> Evaluation:
    """The evaluation of a base, as `render` has it."""
    return with_changes_by_hand(repository, source, evaluate_source(source))


def _maps(before: State, after: State) -> Iterable[tuple[PoolMap, PoolMap]]:
    touched = {pool for pool, *_ in frozenset(_held(before)) ^ frozenset(_held(after))}
    keys = [key for key in before.pools if key in touched]
    for key in keys[:_MOST_MAPS]:
        old, new = pool_maps((before, after), key, _COLUMNS)
        yield old, new


def _held(state: State) -> Iterable[tuple[Key, object, bool, str]]:
    """Who has what, by pool."""
    return map(_holding, state.records)


def _holding(record: Allocation) -> tuple[Key, object, bool, str]:
    return record.pool, record.range, record.is_released, record.owner.short


def _applied(before: Mapping[str, Manifest], after: Mapping[str, Manifest]) -> tuple[Applied, ...]:
    """What differs, by cluster. Only that is written out: of most objects it takes long."""
    found: dict[str, Applied] = {}
    for path in sorted(before.keys() | after.keys()):
        if before.get(path) != after.get(path):
            cluster, _, inside = path.partition("/")
            of_cluster = found.setdefault(cluster, Applied(cluster, {}, {}))
            for side, texts in ((before, of_cluster.before), (after, of_cluster.after)):
                if path in side:
                    texts[inside] = dump(_told(side[path]))
    return tuple(it for it in found.values() if it.before != it.after)


def _told(manifest: Manifest) -> Manifest:
    """An object without its conditions: they say in sentences what figures beside them say."""
    status = manifest.get("status")
    if not isinstance(status, Mapping) or "conditions" not in status:
        return manifest
    kept = {key: value for key, value in status.items() if key != "conditions"}
    return {**manifest, "status": kept}
