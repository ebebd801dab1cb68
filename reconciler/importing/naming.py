"""Names of Kubernetes made of what people call things."""

import re
from hashlib import sha256

from reconciler.addresses import IPRange
from reconciler.addresses.notation import format_address

MOST = 63
_OTHERS = re.compile(r"[^a-z0-9]+")
_HASH = 8


def slug(text: str) -> str:
    """The text as an RFC 1123 label; empty when nothing of it can be in one.

    A long one is cut, and ends in a hash of the whole, so that two of them stay two.
    """
    return fitted(_OTHERS.sub("-", text.casefold()).strip("-"))


def fitted(label: str) -> str:
    """A label, cut to the length that one may have."""
    if len(label) <= MOST:
        return label
    marked = sha256(label.encode("utf-8", "surrogatepass")).hexdigest()[:_HASH]
    return f"{label[: MOST - _HASH - 1].rstrip('-')}-{marked}"


def by_address(word: str, item: IPRange, length: int | None = None) -> str:
    """A name for what has none: the word and its first address, and the length of a network."""
    address = _OTHERS.sub("-", format_address(item.version, item.first)).strip("-")
    return f"{word}-{address}" + (f"-{length}" if length is not None else "")
