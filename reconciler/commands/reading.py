"""A source of files to a tree: Settings first, because they name the folders."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from reconciler.commands.last_good import Reader, is_yaml, last_good
from reconciler.documents.load import has_error
from reconciler.evaluate import Evaluation, evaluate, source_reader
from reconciler.findings import Finding, Location, error
from reconciler.model.settings import Settings
from reconciler.ports import Entry, Source
from reconciler.records.recall import recall
from reconciler.settings import PATH, read_settings
from reconciler.tree import Tree


class OwnSettings(NamedTuple):
    """The Settings of a revision.

    Attributes:
        settings: Those that count: of a file that cannot be read, as it last could be; the
            defaults when it never could.
        findings: What is wrong with the file.
        is_broken: The file cannot be read, or is gone: nothing may follow from it.
    """

    settings: Settings
    findings: tuple[Finding, ...]
    is_broken: bool = False


def read_own_settings(source: Source) -> OwnSettings:
    """The Settings that a source itself holds."""
    entries = source.entries([PATH])
    if entries:
        settings, findings = read_settings(source.read(entries)[0])
        if not has_error(findings):
            return OwnSettings(settings, findings)
    else:
        settings, findings = Settings(), ()
    before = _settings_before(source)
    if before is None:
        return OwnSettings(settings, findings, is_broken=bool(entries))
    if not entries:
        message = f"{PATH} was there before: nothing is given, released or expired without it"
        hint = f"git log -p -- {PATH}; for all defaults keep kind Settings with an empty spec"
        findings = (error("settings-gone", Location(PATH), message, hint),)
    return OwnSettings(before, findings, is_broken=True)


def _settings_before(source: Source) -> Settings | None:
    """The newest earlier Settings that can be read; None when there never were any."""
    for step in source.past([PATH]):
        old = next((item.old for item in step.changed if item.path == PATH), None)
        if old is None:
            break
        settings, findings = read_settings(source.read([old])[0])
        if not has_error(findings):
            return settings
    return None


def split(entries: Sequence[Entry], settings: Settings) -> tuple[list[Entry], list[Entry]]:
    """Source files and record files of what stands in the folders that Settings name."""
    folder = f"{settings.records}/"
    sources = [entry for entry in entries if not entry.path.startswith(folder)]
    records = [entry for entry in entries if entry.path.startswith(folder)]
    return (
        [entry for entry in sources if is_yaml(entry.path)],
        [entry for entry in records if entry.path.endswith(".yaml")],
    )


def reader_of(source: Source, settings: Settings) -> Reader:
    """How the files of a source are read."""
    load_source = source_reader(settings)
    recalled = partial(recall, settings.records)
    return Reader(source, settings.sources, settings.records, load_source, recalled)


def read_tree(
    source: Source, settings: Settings | None = None, own: OwnSettings | None = None
) -> Tree:
    """Read a revision.

    Args:
        source: Its files.
        settings: Settings of another revision to use instead of its own (`check --base`); the
            folders are then theirs, too.
        own: Its own Settings, if they are known.
    """
    own = own or read_own_settings(source)
    settings = settings or own.settings
    reader = reader_of(source, settings)
    sources, records = split(source.entries([*settings.sources, settings.records]), settings)
    revision = source.revision()
    loaded = source.each(sources, reader.load)
    recalled = source.each(records, reader.recall)
    before = last_good(reader, loaded, recalled)
    if own.is_broken:
        before = replace(before, halted=PATH)
    return Tree(
        revision=revision.id if revision else None,
        clock=source.clock(),
        clock_ahead=source.clock_ahead(),
        settings=settings,
        sources=tuple(loaded),
        records=tuple(recalled),
        findings=(*own.findings, *source.findings()),
        last_good=before,
    )


def evaluate_source(source: Source, allow_release: int | None = None) -> Evaluation:
    """Read a revision and evaluate it by its own Settings."""
    return evaluate(read_tree(source), allow_release)
