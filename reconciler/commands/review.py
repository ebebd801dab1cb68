"""Check and plan: one evaluation of a revision, beside its base when there is one."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from reconciler.commands.reading.incremental import evaluate_incrementally
from reconciler.commands.reading.reader import reader_of
from reconciler.commands.reading.settings import has_records, read_own_settings
from reconciler.comparison import Base, Compared, compare, with_record_changes
from reconciler.documents.load import is_yaml
from reconciler.evaluate import Evaluation
from reconciler.gathering import pools_of
from reconciler.model.key import Key
from reconciler.model.pool import Pool
from reconciler.model.settings import Settings
from reconciler.ports import Changed, Entry, Facts, Repository, Source
from reconciler.records.recall import Recalled
from reconciler.settings import PATH


def review(
    source: Source,
    repository: Repository | None = None,
    base: str | None = None,
    facts: Facts | None = None,
) -> Compared:
    """Evaluate a revision, and compare it with its base.

    Args:
        source: The files of the revision.
        repository: Where the base is; needed with `base` only.
        base: The revision that the change is made to. Its Settings judge the change; only the
            folders are those of the change.
        facts: The cache that spares reading what is settled.
    """
    if base is None or repository is None:
        evaluation = evaluate_incrementally(source, facts)
        if repository is not None:
            evaluation = with_changes_by_hand(repository, source, evaluation)
        return Compared(evaluation, 0)
    base_source = repository.source(base)
    judging = read_own_settings(base_source).settings
    own = read_own_settings(source, judging).settings
    # Where files are is a matter of the change itself; what may pass is one of the base.
    settings = replace(judging, sources=own.sources, records=own.records)
    evaluation = evaluate_incrementally(source, facts, settings)
    revision, base_revision = source.revision(), base_source.revision()
    if revision is None or base_revision is None:
        return Compared(evaluation, 0)
    changes, is_contained = repository.changed(
        base_revision.id, revision.id, (PATH, *settings.sources, settings.records), settings.limits
    )
    stranded = ""
    if judging.records != own.records and not source.entries([own.records]):
        stranded = judging.records if base_source.entries([judging.records]) else ""
    read = _base(base, (base_source, source), changes, settings, is_contained=is_contained)
    return compare(replace(read, stranded=stranded), evaluation)


def with_changes_by_hand(
    repository: Repository, source: Source, evaluation: Evaluation
) -> Evaluation:
    """The evaluation with what people did to records since the newest reconcile commit.

    Before the first one all of them are, and where the folder moved nothing can be compared.
    """
    revision, settings = source.revision(), evaluation.tree.settings
    last = repository.last_reconciled(revision) if revision is not None else None
    if revision is None or last in (None, revision.id):
        return evaluation
    inside = f"{settings.records}/"
    changes, _ = repository.changed(last, revision.id, [settings.records], settings.limits)
    changes = [change for change in changes if change.path.startswith(inside)]
    before = repository.source(last)
    before.bound(settings.limits)
    if not changes or not has_records(before, settings.records):
        return evaluation
    base = _base(last[:12], (before, source), changes, settings, is_contained=True)
    return with_record_changes(base, evaluation)


def _base(
    name: str,
    sources: tuple[Source, Source],
    changes: list[Changed],
    settings: Settings,
    *,
    is_contained: bool,
) -> Base:
    """Read what the change touches, in the base and in the change, and nothing else."""
    old, new = sources
    folders = tuple(f"{folder}/" for folder in settings.sources)
    read = [change for change in changes if is_yaml(change.path)]
    files = [change for change in read if change.path.startswith(folders)]
    records = [change for change in read if change.path.startswith(f"{settings.records}/")]
    return Base(
        name=name,
        pools=_pools(old, [change.old for change in files], settings),
        pools_now=_pools(new, [change.new for change in files], settings),
        records=_recalled(old, {change.path: change.old for change in records}, settings),
        records_now=_recalled(new, {change.path: change.new for change in records}, settings),
        settings_changed=any(change.path == PATH for change in changes),
        is_contained=is_contained,
    )


def _pools(
    source: Source, entries: Iterable[Entry | None], settings: Settings
) -> Mapping[Key, Pool]:
    there = _plain(entries)
    return pools_of(source.each(there, reader_of(source, settings).read_source), settings)


def _plain(entries: Iterable[Entry | None]) -> list[Entry]:
    """Those that are files; of others it is told elsewhere that they are none."""
    return [entry for entry in entries if entry is not None and entry.is_file]


def _recalled(
    source: Source, entries: Mapping[str, Entry | None], settings: Settings
) -> dict[str, Recalled | None]:
    there = _plain(entries.values())
    found = source.each(there, reader_of(source, settings).read_record)
    read = {entry.path: item for entry, item in zip(there, found, strict=True)}
    return {path: read.get(path) for path in entries}
