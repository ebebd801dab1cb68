"""Evaluating on all processors: each gets a share of the parts, and evaluates it by itself.

The shares are a guess at what belongs together. Evaluating them tells whether it was right. A
group that asked for something outside its share is evaluated once more, together with that, just
like a group that an earlier run left (ADR 0007).
"""

from collections.abc import Mapping, Sequence

from reconciler.commands.reading.parts import Parts
from reconciler.documents.load import Loaded
from reconciler.documents.suffix import without_suffix
from reconciler.families import families
from reconciler.gathering import documents_of, joined
from reconciler.incremental.group import (
    Bearing,
    Group,
    bearing,
    document_nodes,
    inside_spans,
    owner_node,
    provided,
    reading_spans,
)
from reconciler.incremental.grouping import groups
from reconciler.incremental.settling import settle
from reconciler.ports import Entry
from reconciler.records.layout import place_of
from reconciler.tree import Settled, Tree

# With fewer files, processes of their own cost more than they save.
LEAST_FILES = 5_000


def groups_in_parallel(
    parts: Parts, wanted: Mapping[str, str], shared: Mapping[str, str]
) -> list[Group]:
    """The groups of some parts, each with what it comes to; none when there are only a few parts.

    Args:
        parts: How parts are read.
        wanted: The parts, with their ids.
        shared: Source files that bear on everything: each share has them, no group.
    """
    loaded = parts.load({**wanted, **shared})
    records = parts.records(wanted)
    count = len(loaded) + sum(map(len, records.values()))
    if count < LEAST_FILES:
        return []
    mine = {path: oid for path, oid in wanted.items() if path not in shared}
    guessed = groups(mine, _guess(parts, loaded, records))
    readable = {provided(document)[0] for file in loaded for document in file.documents}
    marks = [str(number) for number in range(len(guessed))]

    def work(share: Sequence[str]) -> list[Group]:
        chosen = {path: mine[path] for mark in share for path in guessed[int(mark)].parts}
        evaluation = parts.evaluate({**chosen, **shared}, Settled(), readable)
        found = groups(chosen, bearing(evaluation))
        settle(evaluation, found)
        return found

    return [group for found in parts.source.spread(marks, work) for group in found]


def _guess(parts: Parts, loaded: Sequence[Loaded], records: Mapping[str, list[Entry]]) -> Bearing:
    """What parts seem to bear on, before any record is read."""
    folder = parts.settings.records
    tree = Tree(None, 0, parts.settings, tuple(loaded), ())
    documents, _ = documents_of(tree)
    reading = joined([family.read(documents, None, parts.settings) for family in families()])
    provides, asks = document_nodes(tree, documents)
    for path, entries in records.items():
        mine = asks.setdefault(path, {})
        # One record of each owner: what the others would add, evaluating them tells.
        owners = {without_suffix(entry.path).rpartition(".")[0]: entry for entry in entries}
        for entry in owners.values():
            place = place_of(folder, entry.path)
            for key in (place.claim, place.pool):
                if key is not None:
                    mine[owner_node(key)] = None
    return Bearing(provides, asks, {}, reading_spans(reading), inside_spans(reading))
