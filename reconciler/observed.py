"""The folder of what was observed: where a document stands in it, and in which bytes.

Reconcile alone writes it. Its documents count like people's, but for one thing: a document that
people describe themselves takes the place of the observed one (`watch.md` §1).
"""

from collections.abc import Iterator, Mapping

from reconciler.documents.document import Document, Identity
from reconciler.documents.dump import dump
from reconciler.families._demand import DEMAND, demand_document, entries_of
from reconciler.findings import Finding, warning
from reconciler.model.settings import Settings
from reconciler.records.changes import Change

EDITED = "observed-edited"
"""The code of what people did to the folder."""


def path_of(folder: str, identity: Identity) -> str:
    """Where a document stands: `<folder>/<Kind>.<group>/<namespace or _>/<name>.yaml`."""
    group, kind, namespace, name = identity
    return f"{folder}/{kind}.{group}/{namespace or '_'}/{name}.yaml"


def identity_of(folder: str, path: str) -> Identity | None:
    """Whose file stands at a path that `path_of` tells; None for any other path."""
    kind, _, rest = path.removeprefix(f"{folder}/").partition("/")
    name, _, group = kind.partition(".")
    place, _, file = rest.partition("/")
    identity = (group, name, "" if place == "_" else place, file.removesuffix(".yaml"))
    return identity if path_of(folder, identity) == path else None


def is_observed(settings: Settings, path: str) -> bool:
    """The path is that of a file of the folder."""
    return path.startswith(f"{settings.observed}/")


def expected_bytes(document: Document) -> bytes:
    """The canonical bytes of what a document says."""
    if document.kind.id == DEMAND.id:
        return demand_document(document.namespace, document.name, entries_of(document))
    metadata = dict(document.metadata)
    if document.namespace:
        metadata["namespace"] = document.namespace
    return dump({**document.body, "metadata": metadata}).encode()


def remedy(path: str, base: str = "") -> str:
    """How what somebody did to a file of the folder is undone.

    Args:
        path: The file.
        base: The revision in which it stands as reconcile wrote it; empty when it is not known.
    """
    why = "ipam reconcile alone writes it"
    return f"git checkout {base} -- {path}: {why}" if base else f"revert the change: {why}"


def differences(there: Mapping[str, bytes], wanted: Mapping[str, bytes]) -> tuple[Change, ...]:
    """The changes that make one set of files another, by path; none where the bytes are equal.

    Args:
        there: The files of the folder as they stand, by path.
        wanted: The files that shall stand there.
    """
    return tuple(
        Change(path, wanted.get(path))
        for path in sorted({*there, *wanted})
        if there.get(path) != wanted.get(path)
    )


def odd(document: Document, folder: str) -> Iterator[Finding]:
    """What is told of a document that does not stand as reconcile would write it."""
    path = path_of(folder, document.identity)
    if document.path != path:
        message = f"{document.title} belongs to {path}"
        yield warning(EDITED, document.at(), message, remedy(path))
    elif document.data != expected_bytes(document):
        message = f"{document.title} is not written as ipam reconcile writes it"
        yield warning(EDITED, document.at(), message, remedy(path))
