"""Check and plan: one evaluation of a revision, beside its base when there is one."""

from dataclasses import replace
from functools import partial

from reconciler.commands.incremental import evaluate_incrementally
from reconciler.commands.reading import read_own_settings
from reconciler.comparison import Base, Compared, compare
from reconciler.documents.load import is_yaml
from reconciler.evaluate import pools_of, source_reader
from reconciler.model.settings import Settings
from reconciler.ports import Changed, Entry, Facts, Repository, Source
from reconciler.records.recall import Recalled, recall
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
        return Compared(evaluate_incrementally(source, facts), 0)
    base_source = repository.source(base)
    judging = read_own_settings(base_source).settings
    own = read_own_settings(source).settings
    # Where files are is a matter of the change itself; what may pass is one of the base.
    settings = replace(judging, sources=own.sources, records=own.records)
    evaluation = evaluate_incrementally(source, facts, settings)
    revision, base_revision = source.revision(), base_source.revision()
    if revision is None or base_revision is None:
        return Compared(evaluation, 0)
    changes, is_contained = repository.changed(base_revision.id, revision.id)
    stranded = ""
    if judging.records != own.records and not source.entries([own.records]):
        stranded = judging.records if base_source.entries([judging.records]) else ""
    read = _base(base, base_source, changes, settings, is_contained=is_contained)
    return compare(replace(read, stranded=stranded), evaluation)


def _base(
    name: str, source: Source, changes: list[Changed], settings: Settings, *, is_contained: bool
) -> Base:
    """Read of the base what the change touches, and nothing else."""
    folders = tuple(f"{folder}/" for folder in settings.sources)
    old_sources = [
        change.old
        for change in changes
        if change.old and change.path.startswith(folders) and is_yaml(change.path)
    ]
    loaded = source.each(old_sources, source_reader(settings))
    touched = [
        change
        for change in changes
        if change.path.startswith(f"{settings.records}/") and is_yaml(change.path)
    ]
    old_records: list[Entry] = [change.old for change in touched if change.old]
    recalled = source.each(old_records, partial(recall, settings.records))
    records: dict[str, Recalled | None] = {change.path: None for change in touched}
    records |= {entry.path: item for entry, item in zip(old_records, recalled, strict=True)}
    return Base(
        name=name,
        pools=pools_of(loaded, settings),
        records=records,
        settings_changed=any(change.path == PATH for change in changes),
        is_contained=is_contained,
    )
