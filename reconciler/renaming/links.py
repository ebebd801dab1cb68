"""Documents that say what they were called before, and what is said of them."""

from collections.abc import Iterator

from msgspec import Struct

from reconciler.documents.document import Document, Documents
from reconciler.families import families, keeps_addresses
from reconciler.families._former import FORMERLY, PLACE, former_of
from reconciler.findings import Finding, error, few, has_error, warning
from reconciler.model.key import Key
from reconciler.tree import Tree

REFUSED = "rename-refused"


class Link(Struct, frozen=True):
    """A document that was called something else before.

    Attributes:
        now: Its key, without a slot.
        before: What its key was.
    """

    document: Document
    now: Key
    before: Key

    @property
    def title(self) -> str:
        """What it was called, for messages."""
        return f"{self.before.kind} {self.before.short}"


def links_of(documents: Documents) -> list[Link]:
    """The documents that say what they were called before, by kind and name."""
    found: list[Link] = []
    for family in families():
        kinds = dict.fromkeys(kind.id for kind in family.kinds if keeps_addresses(kind.id))
        for kind in kinds:
            for document in documents.of(kind):
                if (former := former_of(document)) is not None:
                    now = Key(family.name, document.namespace, document.name, "", kind.kind)
                    found.append(Link(document, now, now._replace(**former._asdict())))
    return found


def is_there(link: Link, documents: Documents) -> bool:
    """Something is called so, or is described by what cannot be read."""
    return _found(link, documents) is not None or bool(broken(link, documents))


def broken(link: Link, documents: Documents) -> str:
    """The file that cannot be read, and which describes what is called so; else empty."""
    if (there := _found(link, documents)) is not None:
        return there.unread
    kind, key = link.document.kind.id, link.before
    return documents.unread(kind, key.namespace, key.name)


def _found(link: Link, documents: Documents) -> Document | None:
    kind, key = link.document.kind.id, link.before
    return documents.find(kind, key.namespace, key.name)


def still_there(link: Link, documents: Documents) -> Iterator[Finding]:
    """What is said of a document whose former name another one has."""
    if broken(link, documents) or link.document.unread:
        return
    message = (
        f"{FORMERLY}: {link.title} is still there, so {link.document.title} takes nothing over"
    )
    hint = f"remove {link.before.short} in the same change, or remove the annotation"
    yield warning("rename-unused", link.document.at(*PLACE), message, hint)


def several(rivals: list[Link]) -> list[Finding]:
    """Two name one former: nobody knows whose the addresses are."""
    names = [link.document.title for link in rivals]
    every = "both" if len(names) == 2 else "all"
    message = f"{FORMERLY}: {few(names)} {every} say that they were {rivals[0].title}"
    hint = "leave the annotation on the one that keeps the addresses"
    return [error(REFUSED, link.document.at(*PLACE), message, hint) for link in rivals]


def unclear(tree: Tree) -> str:
    """A file that cannot be read and may describe anything; empty when there is none."""
    if tree.last_good.halted:
        return tree.last_good.halted
    unclear = next((source.path for source in tree.sources if source.unclear), "")
    return unclear or (tree.settings.location.path if has_error(tree.findings) else "")
