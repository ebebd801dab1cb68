"""A revision read whole: what every other way of reading it must agree with."""

from msgspec.structs import replace

from reconciler.commands.reading.last_good import last_good
from reconciler.commands.reading.overrides import read_overrides
from reconciler.commands.reading.reader import reader_of, split
from reconciler.commands.reading.settings import OwnSettings, read_own_settings
from reconciler.documents.names import clashes
from reconciler.evaluate import Evaluation, evaluate
from reconciler.model.override import Overrides
from reconciler.model.settings import Settings
from reconciler.ports import Source
from reconciler.tree import Tree


def read_tree(
    source: Source,
    settings: Settings | None = None,
    own: OwnSettings | None = None,
    overrides: Overrides | None = None,
) -> Tree:
    """Read a revision.

    Args:
        source: Its files.
        settings: Settings of another revision to use instead of its own (`check --base`); the
            folders are then theirs, too.
        own: Its own Settings, if they are known.
        overrides: The Overrides to go by; else those that stood before it.
    """
    own = own or read_own_settings(source, settings)
    overrides = read_overrides(source) if overrides is None else overrides
    settings = settings or own.settings
    reader = reader_of(source, settings)
    sources, records = split(source.entries([*settings.folders, settings.records]), settings)
    revision = source.revision()
    loaded = source.each(sources, reader.read_source)
    record_files = source.each(records, reader.read_record)
    before = last_good(reader, loaded, record_files)
    twice = clashes(entry.path for entry in (*sources, *records))
    # Both files of such a pair are read. Among the findings of the tree, which say what is not, an
    # error would keep all records from being released.
    before = replace(before, findings=(*before.findings, *twice)) if twice else before
    if own.is_broken:
        before = replace(before, halted=own.halts)
    return Tree(
        revision=revision.id if revision else None,
        clock=source.clock(),
        clock_ahead=source.clock_ahead(),
        settings=settings,
        sources=tuple(loaded),
        records=tuple(record_files),
        findings=(*own.findings, *source.findings()),
        last_good=before,
        overrides=overrides,
    )


def evaluate_source(source: Source, allow_release: int | None = None) -> Evaluation:
    """Read a revision and evaluate it by its own Settings."""
    return evaluate(read_tree(source), allow_release)
