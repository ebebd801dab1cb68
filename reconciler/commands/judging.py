"""What judges a change: Settings and pools of the base, and what reconcile went by before it."""

from collections.abc import Callable, Iterable, Sequence

from msgspec.structs import replace

from reconciler.commands.last_made import last_made, said_last
from reconciler.commands.reading.files import reader_of
from reconciler.commands.reading.reader import evaluate_source
from reconciler.commands.reading.settings import read_own_settings
from reconciler.comparison import Base
from reconciler.documents.suffix import is_yaml
from reconciler.evaluate import Evaluation
from reconciler.families import role_of
from reconciler.findings import Finding
from reconciler.gathering import Described, described
from reconciler.model.contract import Contract
from reconciler.model.settings import PATH, Settings
from reconciler.ownership import contracts_of
from reconciler.ports import Changed, Entry, Repository, Source
from reconciler.strictness import loosened


def judging_settings(repository: Repository, base: Source) -> tuple[Settings, list[Finding]]:
    """The Settings that judge a change, and what is said of them.

    Those of the base, but stricter where reconcile went by stricter ones when it committed last:
    so it will judge the merge, too. Where Settings are as in the newest commit that says so,
    nobody asks whether that is true; reconcile does.

    Args:
        repository: Where the base is.
        base: The base.

    Raises:
        GateError: It cannot be told which commit reconcile made last.
    """
    revision, settings = base.revision(), read_own_settings(base).settings
    newest = said_last(repository, revision, settings)
    if revision is None or newest is None or newest == revision.id:
        return settings, []
    changes, _ = repository.changed(newest, revision.id, [PATH], settings.limits)
    is_set_anew = any(item.path == PATH for item in changes)
    last = last_made(repository, revision).commit if is_set_anew else None
    if last is None:
        return settings, []
    before = repository.source(last)
    before.bound(settings.limits)
    earlier = read_own_settings(before, settings).settings
    return settings.held_to(earlier), list(loosened(settings, earlier, last[:12]))


def described_beside(
    base: tuple[Source, Settings],
    change: tuple[Source, Settings],
    changes: Sequence[Changed],
) -> tuple[Described, Described]:
    """All that the files which differ describe, in the base and in the change.

    Each in its own source folders: what judges a pool stays with it wherever it goes.
    """
    (before, judging), (source, settings) = base, change
    old = replace(settings, sources=judging.sources, observed=judging.observed)
    there = _described(before, old, [it.old for it in changes])
    return there, _described(source, settings, [it.new for it in changes])


def _described(source: Source, settings: Settings, entries: Iterable[Entry | None]) -> Described:
    """What files that a change touches describe, and nothing else."""
    folders = tuple(f"{folder}/" for folder in settings.folders)
    # Of what is no plain file it is told elsewhere that it is none.
    there = [
        entry
        for entry in entries
        if entry is not None
        and entry.is_file
        and is_yaml(entry.path)
        and entry.path.startswith(folders)
    ]
    return described(source.each(there, reader_of(source, settings).read_source), settings)


def judging_contracts(
    planned: Callable[[], Evaluation],
    sides: tuple[Described, Described],
    changes: Iterable[Changed],
) -> tuple[Contract, ...]:
    """What teams may ask for by the base, where the change may say something else; else nothing.

    Args:
        planned: The evaluation of the base. It is asked for only where it has to be.
        sides: What changed files describe in the base, and in the change.
        changes: The files that differ.
    """
    documents = (it for side in sides for it in side.documents.values())
    is_touched = any(role_of(it.kind) == "team" for it in documents)
    # Other Settings may read other folders; of what cannot be read nobody can tell what it is.
    if is_touched or any(it.path == PATH for it in changes) or any(side.unread for side in sides):
        return contracts_of(planned().documents)
    return ()


def with_last_good(base: Base, source: Source, settings: Settings) -> Base:
    """A base with its pools as they count there, where a file that changes is broken on it.

    One that never could be read is judged by the Settings of the base: what a change says of a
    pool that stood there counts for later ones. The base is planned only where something is broken.

    Args:
        base: The base; what it describes is that of changed files.
        source: Its files.
        settings: Its Settings.
    """
    unread, now = base.described.unread, base.described_now
    if not unread:
        return base
    planned = evaluate_source(source)
    documents = {item.identity: item for item in planned.tree.last_good.documents}
    counting = {key: planned.state.pools[key] for key in now.pools if key in planned.state.pools}
    never = {
        key: replace(pool, gate=settings.gate, thresholds=settings.thresholds)
        for key, pool in now.pools.items()
        if key not in counting and (key in planned.state.frozen or pool.source.path in unread)
    }
    pools = {**never, **counting, **base.pools}
    described = replace(
        base.described, documents={**documents, **base.described.documents}, pools=pools
    )
    return replace(base, described=described)
