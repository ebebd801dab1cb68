"""A source of files to a tree: Settings first, because they name the folders."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple

from reconciler.commands.last_good import DEEPER, MOST_VERSIONS, Reader, last_good
from reconciler.comparison import left_behind
from reconciler.documents.load import has_error, is_yaml
from reconciler.evaluate import Evaluation, evaluate, source_reader
from reconciler.findings import Finding, Location, error, warning
from reconciler.model.settings import Settings
from reconciler.ports import Entry, Source, Step
from reconciler.records.recall import recall
from reconciler.settings import PATH, read_settings
from reconciler.tree import Tree

_FOLDER = "040000"


class OwnSettings(NamedTuple):
    """The Settings of a revision.

    Attributes:
        settings: Those that count: of a file that cannot be read, as it last could be; and where
            the records were left behind, with the folder that they are in.
        findings: What is wrong with the file.
        is_broken: The file cannot be read any more, is gone, or has lost the records: nothing may
            follow from it.
    """

    settings: Settings
    findings: tuple[Finding, ...]
    is_broken: bool = False


def read_own_settings(source: Source) -> OwnSettings:
    """The Settings that a source itself holds, with the folder that its records are in."""
    own = _read_own(source)
    if has_records(source, own.settings.records):
        return own
    for step in islice(source.past([PATH]), MOST_VERSIONS):
        before = None if step.is_cut else _older(source, step)
        folder = before.records if before is not None else own.settings.records
        if folder not in (own.settings.records, *own.settings.sources) and _holds(source, folder):
            settings = replace(own.settings, records=folder)
            lost = left_behind(own.settings, folder)
            return OwnSettings(settings, (*own.findings, lost), is_broken=True)
        if step.is_cut:
            message = f"no record is in {own.settings.records}/, and whether some were left in"
            message += " another folder is behind the end of this clone: nothing new is given"
            cut = warning("history-cut", Location(PATH, 1, 1), message, DEEPER)
            return OwnSettings(own.settings, (*own.findings, cut), is_broken=True)
    return own


def _read_own(source: Source) -> OwnSettings:
    entries = source.entries([PATH])
    if entries:
        settings, findings = read_settings(source.read(entries)[0])
        if not has_error(findings):
            return OwnSettings(settings, findings)
    else:
        settings, findings = Settings(), ()
    before = _settings_before(source)
    if before is None:
        return OwnSettings(settings, findings)
    if not entries:
        message = f"{PATH} was there before: nothing is given, released or expired without it"
        hint = f"git log -p -- {PATH}; for all defaults keep kind Settings with an empty spec"
        findings = (error("settings-gone", Location(PATH), message, hint),)
    return OwnSettings(before, findings, is_broken=True)


def _settings_before(source: Source) -> Settings | None:
    """The newest earlier Settings that can be read; None when there never were any."""
    for step in source.past([PATH]):
        old = _old(step)
        if old is None:
            break
        settings, findings = read_settings(source.read([old])[0])
        if not has_error(findings):
            return settings
    return None


def _older(source: Source, step: Step) -> Settings | None:
    """The Settings before a step, those of no file if there was none; None if unreadable."""
    old = _old(step)
    settings, findings = read_settings(source.read([old])[0] if old is not None else None)
    return None if has_error(findings) else settings


def _old(step: Step) -> Entry | None:
    return next((item.old for item in step.changed if item.path == PATH), None)


def has_records(source: Source, folder: str) -> bool:
    """A record is in the folder, or a folder that may have one: a look that costs nothing."""
    inside = source.folders([folder])
    if inside is None:
        return _holds(source, folder)
    return any(item.mode == _FOLDER or is_yaml(item.path) for item in inside)


def _holds(source: Source, folder: str) -> bool:
    return any(is_yaml(entry.path) for entry in source.entries([folder]))


def split(entries: Sequence[Entry], settings: Settings) -> tuple[list[Entry], list[Entry]]:
    """Source files and record files of what stands in the folders that Settings name."""
    folder = f"{settings.records}/"
    read = [entry for entry in entries if is_yaml(entry.path)]
    return (
        [entry for entry in read if not entry.path.startswith(folder)],
        [entry for entry in read if entry.path.startswith(folder)],
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
