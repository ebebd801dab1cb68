"""A source of files to a tree: Settings first, because they name the folders."""

from functools import partial

from reconciler.documents.load import load
from reconciler.evaluate import Evaluation, Tree, evaluate, source_kinds
from reconciler.findings import Finding
from reconciler.model.settings import Settings
from reconciler.ports import Source
from reconciler.records.recall import recall
from reconciler.settings import PATH, read_settings

_YAML = (".yaml", ".yml")


def is_yaml(path: str) -> bool:
    """Files of other names are not read."""
    return path.endswith(_YAML)


def read_own_settings(source: Source) -> tuple[Settings, tuple[Finding, ...]]:
    """The Settings that a source itself holds."""
    entries = source.entries([PATH])
    return read_settings(source.read(entries)[0] if entries else None)


def read_tree(source: Source, settings: Settings | None = None) -> Tree:
    """Read a revision.

    Args:
        source: Its files.
        settings: Settings of another revision to use instead of its own (`check --base`); the
            folders are then theirs, too.
    """
    own, findings = read_own_settings(source)
    settings = settings or own
    listed = source.entries([*settings.sources, settings.records])
    records = [
        entry
        for entry in listed
        if entry.path.startswith(f"{settings.records}/") and entry.path.endswith(".yaml")
    ]
    sources = [
        entry
        for entry in listed
        if not entry.path.startswith(f"{settings.records}/") and is_yaml(entry.path)
    ]
    revision = source.revision()
    loaded = source.each(sources, partial(load, kinds=source_kinds()))
    recalled = source.each(records, partial(recall, settings.records))
    return Tree(
        revision=revision.id if revision else None,
        clock=source.clock(),
        clock_ahead=source.clock_ahead(),
        settings=settings,
        sources=tuple(loaded),
        records=tuple(recalled),
        findings=(*findings, *source.findings()),
    )


def evaluate_source(source: Source, allow_release: int | None = None) -> Evaluation:
    """Read a revision and evaluate it by its own Settings."""
    return evaluate(read_tree(source), allow_release)
