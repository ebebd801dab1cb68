"""Keys of documents."""

import re
from hashlib import sha256
from sys import intern

from msgspec import Struct

LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
"""A pattern of RFC 1123 labels, without the length limit."""

NAME = rf"{LABEL}(?:\.{LABEL})*"
"""A pattern of RFC 1123 subdomains: labels separated by dots."""

MAX_LABEL, MAX_NAME = 63, 253
# A key from a file becomes a path: its parts must be valid file names, and never contain `..`.
_ONE_LABEL = re.compile(LABEL, re.ASCII)
_ONE_NAME = re.compile(NAME, re.ASCII)
_LABEL_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?)?", re.ASCII)
_KEY = re.compile(rf"([a-z]+)/([A-Za-z]+)/(_|{LABEL})/({NAME})(?:/({NAME}))?", re.ASCII)

_NUMBERED = re.compile(r"(.+)[-.]([0-9]+)", re.ASCII)


class Key(Struct, frozen=True, order=True, gc=False, cache_hash=True):
    """A pool, or a claim if it has a slot. Sorts by family, namespace, name, and slot."""

    family: str
    namespace: str
    name: str
    slot: str
    kind: str

    def __str__(self) -> str:
        text = f"{self.family}/{self.kind}/{self.namespace or '_'}/{self.name}"
        return f"{text}/{self.slot}" if self.slot else text

    @property
    def owner(self) -> tuple[str, str, str, str]:
        """Return the object that claims: family, kind, namespace, name."""
        return self.family, self.kind, self.namespace, self.name

    @property
    def short(self) -> str:
        """Return `namespace/name`, with the slot in brackets, for display."""
        name = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{name} ({self.slot})" if self.slot else name

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names that users can write: with the slot, with its entry, or without."""
        short = f"{self.namespace}/{self.name}" if self.namespace else self.name
        entry = self.slot.partition(".")[0]
        return str(self), f"{short}/{self.slot}", f"{short}/{entry}", short, self.name

    @property
    def argument(self) -> str:
        """Return the name for commands: with the slot if one object can have several requests."""
        _, slotted, _, short, _ = self.names
        return slotted if "." in self.slot or self.slot.startswith("ipv") else short

    @property
    def slot_order(self) -> tuple[str, int]:
        """Return the sort key of slots: `loadbalancer`, `loadbalancer-2`, `loadbalancer-10`."""
        found = _NUMBERED.fullmatch(self.slot)
        return (found[1], int(found[2])) if found is not None else (self.slot, 0)

    @classmethod
    def parse(cls, text: str) -> "Key | None":
        """Return the key that `str` wrote, or None."""
        found = _KEY.fullmatch(text)
        if found is None:
            return None
        family, kind, namespace, name, slot = found.groups("")
        if len(namespace) > MAX_LABEL or max(len(name), len(slot)) > MAX_NAME:
            return None
        namespace = "" if namespace == "_" else namespace
        return cls(*map(intern, (family, namespace, name, slot, kind)))

    @property
    def is_sound(self) -> bool:
        """Return whether all parts are valid names, so that the key can become a path."""
        return Key.parse(str(self)) == self


def shortened(text: str, most: int, mark: str = "-") -> str:
    """Return a text; if it is longer than `most`, its beginning, `mark`, and a hash of it."""
    if len(text) <= most:
        return text
    return f"{text[: most - 17].rstrip('-.')}{mark}{sha256(text.encode()).hexdigest()[:16]}"


def is_label(text: str) -> bool:
    """Return whether a text is an RFC 1123 label, as in namespace names."""
    return len(text) <= MAX_LABEL and _ONE_LABEL.fullmatch(text) is not None


def is_name(text: str) -> bool:
    """Return whether a text is an RFC 1123 subdomain, as in object names."""
    return len(text) <= MAX_NAME and _ONE_NAME.fullmatch(text) is not None


def is_label_value(text: str) -> bool:
    """Return whether an API server accepts the text as the value of a label."""
    return _LABEL_VALUE.fullmatch(text) is not None
