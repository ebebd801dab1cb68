"""The folder of what was observed: where a document stands in it, and in which bytes.

Reconcile alone writes it. Its documents count like people's, but for one thing: a document that
people describe themselves takes the place of the observed one (`watch.md` §1).
"""

import json
from collections.abc import Container, Iterator, Mapping

from msgspec import Struct

from reconciler.documents.document import Document, Identity
from reconciler.documents.dump import dump
from reconciler.families._demand import DEMAND, demand_document, entries_of
from reconciler.findings import Finding, Location, Severity, warning
from reconciler.model.settings import Settings
from reconciler.records.changes import Change

EDITED = "observed-edited"
"""The code of what people did to the folder."""

_MOST_SHOWN = 4_096


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


class Seen(Struct, frozen=True):
    """A file of the folder: its bytes, and the documents in it that can be read."""

    data: bytes
    documents: tuple[Document, ...]

    @property
    def meaning(self) -> tuple[tuple[Identity, bytes], ...]:
        """What it says, whatever its form and place."""
        return tuple((document.identity, expected_bytes(document)) for document in self.documents)


class Edit(Struct, frozen=True):
    """What somebody did to a file of the folder.

    Attributes:
        expected: Its bytes as reconcile left them; None where there was no such file.
        is_news: It says something else than it did, so it is told where bytes do not count, too.
    """

    path: str
    what: str
    expected: bytes | None
    is_news: bool

    def finding(self, base: str, *, weighs: bool) -> Finding:
        """The finding.

        Args:
            base: The name of the revision that it is compared with; empty where that is none.
            weighs: Nobody let it pass. What was only removed is a warning where there is no base.
        """
        is_error = weighs and (bool(base) or self.what != "removed")
        severity = Severity.ERROR if is_error else Severity.WARNING
        message = f"is {self.what} by hand; expected: {_quoted(self.expected)}"
        place = Location(self.path, 1, 1)
        hint = remedy(self.path, base if self.expected is not None else "")
        return Finding(EDITED, severity, message, place, hint)


def by_hand(
    folder: str,
    sides: tuple[Mapping[str, Seen], Mapping[str, Seen]],
    made: Mapping[str, bytes | None],
    described: Container[Identity],
) -> Iterator[Edit]:
    """What was done to the folder that reconcile would not have done.

    Args:
        folder: The folder.
        sides: The files that differ, as they were and as they are, by path below it.
        made: What reconcile itself does, by path below it; None for a file that goes.
        described: What people describe: its observed copy may go with the change that brings it.
    """
    before, now = sides
    for path in sorted({*before, *now}):
        old, new = before.get(path), now.get(path)
        was, data = (old.data if old else None), (new.data if new else None)
        if data == was or (path in made and made[path] == data):
            continue
        if old is None:
            yield Edit(f"{folder}/{path}", "added", None, is_news=True)
        elif new is not None:
            is_news = old.meaning != new.meaning
            yield Edit(f"{folder}/{path}", "edited", was, is_news)
        elif not old.documents or any(it.identity not in described for it in old.documents):
            yield Edit(f"{folder}/{path}", "removed", was, is_news=True)


def _quoted(data: bytes | None) -> str:
    """Bytes on one line."""
    if data is None:
        return "no such file"
    text = json.dumps(data[:_MOST_SHOWN].decode("utf-8", "replace"), ensure_ascii=False)
    return text if len(data) <= _MOST_SHOWN else f"{text}… ({len(data)} bytes)"
