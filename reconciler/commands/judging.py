"""What judges pools that cannot be read on the base: each as it last could be read there."""

from dataclasses import replace

from reconciler.commands.reading.incremental import evaluate_incrementally
from reconciler.comparison import Base
from reconciler.model.settings import Settings
from reconciler.ports import Facts, Source


def with_last_good(base: Base, source: Source, settings: Settings, facts: Facts | None) -> Base:
    """A base with its pools as they count there, where a file that changes is broken on it.

    One that never could be read is judged by the Settings of the base: what a change says of a
    pool that stood there counts for later ones. The base is planned only where something is broken.

    Args:
        base: The base; what it describes is that of changed files.
        source: Its files.
        settings: Its Settings.
        facts: The cache.
    """
    unread, now = base.described.unread, base.described_now
    if not unread:
        return base
    planned = evaluate_incrementally(source, facts)
    documents = {item.identity: item for item in planned.tree.last_good.documents}
    counting = {key: planned.state.pools[key] for key in now.pools if key in planned.state.pools}
    never = {
        key: replace(pool, gate=settings.gate, thresholds=settings.thresholds)
        for key, pool in now.pools.items()
        if key not in counting and (key in planned.state.frozen or pool.source.path in unread)
    }
    pools = {**never, **counting, **base.pools}
    described = base.described._replace(
        documents={**documents, **base.described.documents}, pools=pools
    )
    return replace(base, described=described)
