"""Notes about objects of the management cluster that are not in Git."""

from collections.abc import Collection, Iterable, Iterator, Mapping

from reconciler.clusters.copies import intakes
from reconciler.clusters.intake import is_own, leaves_out
from reconciler.clusters.inventory import Entry
from reconciler.documents.document import Identity
from reconciler.evaluate import Evaluation
from reconciler.model.resource import Manifest, Resource
from reconciler.model.settings import Settings


def identities(evaluation: Evaluation) -> frozenset[Identity]:
    """Return the identities of all documents of a tree, including broken and observed ones."""
    tree = evaluation.tree
    broken = (identity for source in tree.sources for identity in source.broken)
    every = (document.identity for source in tree.sources for document in source.documents)
    return frozenset([*every, *broken, *(it.identity for it in tree.last_good.documents)])


def outside(
    known: Collection[Identity],
    settings: Settings,
    entries: Mapping[str, Entry],
    lists: Mapping[Resource, Iterable[Manifest]],
) -> Iterator[str]:
    """Yield a note per kind with the number of objects that are not in Git.

    Args:
        known: The identities in Git.
        settings: The Settings. Objects of the intake are not counted.
        entries: The inventory. Objects of `ipam` are not counted.
        lists: Objects by kind; other kinds are skipped.
    """
    for intake in intakes():
        if not intake.lacks[0]:
            continue
        count = sum(
            1
            for manifest in lists.get(intake.resource, ())
            if (it := intake.identity(manifest)) not in known
            and not is_own(entries, intake, manifest)
            and not intake.is_others(manifest)
            and leaves_out(settings, intake, it)
        )
        one, several = intake.lacks
        if count == 1:
            yield f"1 {intake.kind} is not in Git and {one}; see intake in Settings"
        elif count:
            yield f"{count} {intake.kind}s are not in Git and {several}; see intake in Settings"
