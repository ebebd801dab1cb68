"""The words by which `ipam get` takes what it lists: all that kubectl's users type."""

from collections.abc import Iterator, Mapping

from reconciler.families import families
from reconciler.families._objects import Listing
from reconciler.model import record_kind

RECORDS = "allocations"
"""The word for records, which are no family's."""


def listings() -> Mapping[str, Listing | None]:
    """All that can be listed, by its word: pools, then records (None), then the rest."""
    theirs = [family.objects.listings for family in families()]
    pools = {listing.name: listing for found in theirs for listing in found[:1]}
    rest = {listing.name: listing for found in theirs for listing in found[1:]}
    return {**pools, RECORDS: None, **rest}


def words() -> dict[str, str]:
    """Each word, in lower case, with what it means: plural, singular, kind, short names, groups."""
    found: dict[str, str] = {}
    for name, listing in listings().items():
        for word in _words(name, listing):
            found.setdefault(word, name)
    return found


def _words(name: str, listing: Listing | None) -> Iterator[str]:
    yield name
    yield name.removesuffix("s")
    kind, group = record_kind.KIND, record_kind.GROUP
    if listing is not None:
        group, kind = listing.kind
    yield from listing.short if listing is not None else record_kind.SHORT
    for word in (kind.lower(), f"{kind.lower()}s"):
        yield word
        yield f"{word}.{group}"
