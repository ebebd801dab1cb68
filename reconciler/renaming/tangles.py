"""Renames that hang on one another: swapped names, chains, and references to a name that went."""

from collections.abc import Callable, Iterator, Mapping

from msgspec import Struct

from reconciler.documents.document import Document, Documents
from reconciler.families import families
from reconciler.families._former import FORMERLY, PLACE
from reconciler.findings import Finding, Location, error, few
from reconciler.renaming.links import REFUSED, Link
from reconciler.renaming.renamed import Name

_SWAP = "give one of them a third name, let reconcile run, and then rename it once more"
_CHAIN = "one rename at a time: let reconcile run between them"


class Reference(Struct, frozen=True):
    """A field of a document that names who has another name by now."""

    document: Document
    place: tuple[str, ...]

    @property
    def at(self) -> Location:
        """Where it stands."""
        return self.document.at(*self.place)


def references(documents: Documents) -> dict[Name, list[Reference]]:
    """What names those who claim, by whom it names."""
    found: dict[Name, list[Reference]] = {}
    for family in families():
        for document, place, key in family.referring(documents):
            found.setdefault(key.owner, []).append(Reference(document, place))
    return found


def left_naming(link: Link, named: list[Reference]) -> Finding:
    """Why nothing is renamed: what names the old name would be nobody's."""
    every = few([f"{it.document.title} ({it.at})" for it in named])
    verb = "names" if len(named) == 1 else "name"
    message = f"{FORMERLY}: {every} still {verb} {link.title}, which is {link.now.short} by now"
    hint = f"let tenantClusterRef be {link.now.short} in the same change"
    return error(REFUSED, link.document.at(*PLACE), message, hint)


def each_naming(link: Link, named: list[Reference]) -> Iterator[Finding]:
    """The same at each of the fields."""
    for item in named:
        message = f"{'.'.join(item.place)}: {link.title} is {link.now.short} by now"
        hint = f"name {link.now.short}, in the change that renames it"
        yield error(REFUSED, item.at, message, hint)


def tangled(
    link: Link, links: Mapping[Name, Link], is_pending: Callable[[Name], bool]
) -> Finding | None:
    """Why a document takes nothing over from one that is there, and is renamed itself.

    Args:
        link: The document.
        links: All that say what they were called, by what they are called.
        is_pending: Nothing has that name any more, and it holds addresses still.
    """
    chain = [link]
    while (following := links.get(chain[-1].before.owner)) is not None:
        if following in chain:
            return _told(link, [*chain, following], is_swap=following is link)
        chain.append(following)
    return _told(link, chain) if is_pending(chain[-1].before.owner) and len(chain) > 1 else None


def next_in_chain(link: Link, rivals: list[Link]) -> Finding:
    """Why a document takes nothing over while others take over from it."""
    return _told(link, [rivals[0], link])


def _told(link: Link, chain: list[Link], *, is_swap: bool = False) -> Finding:
    steps = few([f"{it.before.short} -> {it.now.short}" for it in reversed(chain)], ", ")
    if is_swap and len(chain) == 3:
        message = f"two names are swapped: {link.before.short} and {link.now.short}"
        return error(REFUSED, link.document.at(*PLACE), f"{FORMERLY}: {message}", _SWAP)
    if is_swap:
        steps = few([f"{it.before.short} -> {it.now.short}" for it in chain[:-1]], ", ")
        message = f"{FORMERLY}: names are swapped: {steps}"
        return error(REFUSED, link.document.at(*PLACE), message, _SWAP)
    message = f"{FORMERLY}: these renames hang on one another: {steps}"
    return error(REFUSED, link.document.at(*PLACE), message, _CHAIN)
