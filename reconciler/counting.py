"""Which documents of a tree count: people's before what was observed, and of those two the older one.

Whoever asks what people describe themselves asks here: a plan takes the copy of it away, and a look
at clusters leaves its object alone.
"""

from collections.abc import Iterable
from itertools import compress
from operator import not_
from typing import NamedTuple

from reconciler.documents.document import Document, Identity
from reconciler.model.change import Change
from reconciler.observed import path_of
from reconciler.tree import Tree


class Counting(NamedTuple):
    """Which documents count.

    Attributes:
        first: The document that counts for each object.
        second: Those of objects that another one describes.
        replaced: What was observed, and people describe themselves.
    """

    first: dict[Identity, Document]
    second: list[Document]
    replaced: list[Document]


def counting_of(tree: Tree) -> Counting:
    """Which documents count. Of two in one file the first does."""
    originals, folder = tree.last_good.originals, f"{tree.settings.observed}/"
    seen = [source.path.startswith(folder) for source in tree.sources]
    files = [*compress(tree.sources, map(not_, seen)), *compress(tree.sources, seen)]
    every = [(item.identity, item) for source in files for item in source.documents]
    counting: dict[Identity, Document] = {}
    for identity, document in every:
        if originals.get(identity, document.path) == document.path:
            counting.setdefault(identity, document)
    second: list[Document] = []
    replaced: list[Document] = []
    for identity, item in every if len(counting) < len(every) else ():
        if (first := counting[identity]) is not item:
            is_replaced = item.path.startswith(folder) and not first.path.startswith(folder)
            (replaced if is_replaced else second).append(item)
    return Counting(counting, second, replaced)


def of_people(tree: Tree) -> frozenset[Identity]:
    """What counts as people's own documents say, and not as it was observed."""
    counting = counting_of(tree).first
    last = {item.identity: item for item in tree.last_good.documents}
    folder = f"{tree.settings.observed}/"
    every = (last | counting).items()
    return frozenset(identity for identity, it in every if not it.path.startswith(folder))


def tidied(tree: Tree, changes: Iterable[Change]) -> tuple[Change, ...]:
    """The changes of a look, and that files go which hold the same documents at other places.

    Somebody moved them there. Beside what is written now they would describe its object twice.

    Args:
        tree: The whole tree that was looked at.
        changes: What the look makes of the observed folder, at the places of its documents.
    """
    folder = tree.settings.observed
    found = {it.path: it for it in changes}
    there = [it for it in tree.sources if it.path.startswith(f"{folder}/")]
    strays = [
        source.path
        for source in there
        if source.path not in found
        and source.documents
        and not source.is_broken
        and all(path_of(folder, it.identity) in found for it in source.documents)
    ]
    # Of what was moved, nothing is at its own place that could go.
    names = {it.path for it in there}
    kept = [it for it in found.values() if it.data is not None or it.path in names]
    return tuple(sorted([*kept, *(Change(path, None) for path in strays)]))


def taken_over(tree: Tree) -> list[str]:
    """Files of what was observed that people describe themselves by now: they may go.

    Not for a file that holds something broken: it may never have been what its author means.
    """
    folder = f"{tree.settings.observed}/"
    seen = [source for source in tree.sources if source.path.startswith(folder)]
    if not seen or tree.last_good.halted:
        return []
    counting = counting_of(tree)
    broken = {source.path for source in tree.sources if source.is_broken}
    there = {
        id(document)
        for document in counting.replaced
        if counting.first[document.identity].path not in broken
    }
    return [
        source.path
        for source in seen
        if not source.is_broken and all(id(document) in there for document in source.documents)
    ]
