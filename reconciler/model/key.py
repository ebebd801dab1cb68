"""Keys of documents."""

import re
from typing import NamedTuple

LABEL = r"[a-z0-9](?:[-a-z0-9]*[a-z0-9])?"
"""A pattern of RFC 1123 labels, but for their length."""

NAME = rf"{LABEL}(?:\.{LABEL})*"
"""The same of subdomains: labels with dots between them."""

MAX_LABEL, MAX_NAME = 63, 253
# A key read from a file becomes a path: its parts can be a file or folder name, and never hold `..`.
_ONE_LABEL = re.compile(LABEL, re.ASCII)
_ONE_NAME = re.compile(NAME, re.ASCII)
_LABEL_VALUE = re.compile(r"(?:[A-Za-z0-9](?:[\w.-]{0,61}[A-Za-z0-9])?)?", re.ASCII)
_KEY = re.compile(rf"([a-z]+)/([A-Za-z]+)/(_|{LABEL})/({NAME})(?:/([a-z][-a-z0-9]*))?", re.ASCII)


class Key(NamedTuple):
    """Family, place and name of a pool, or of a claim when it has a slot.

    Keys sort by family, namespace, name and slot: the last tie-break of who is served first.
    """

    family: str
    namespace: str
    name: str
    slot: str
    kind: str

    def __str__(self) -> str:
        """`family/kind/namespace/name/slot`, or without a slot; `_` for no namespace."""
        text = f"{self.family}/{self.kind}/{self.namespace or '_'}/{self.name}"
        return f"{text}/{self.slot}" if self.slot else text

    @property
    def owner(self) -> tuple[str, str, str, str]:
        """The object that claims: family, kind, namespace, name."""
        return self.family, self.kind, self.namespace, self.name

    @property
    def short(self) -> str:
        """`namespace/name`, with the slot in brackets: what a person calls it."""
        name = f"{self.namespace}/{self.name}" if self.namespace else self.name
        return f"{name} ({self.slot})" if self.slot else name

    @property
    def slot_order(self) -> tuple[str, int]:
        """What slots of one owner sort by: `loadbalancer`, `loadbalancer-2`, `loadbalancer-10`."""
        name, _, number = self.slot.rpartition("-")
        is_numbered = bool(name) and number.isascii() and number.isdigit()
        return (name, int(number)) if is_numbered else (self.slot, 0)

    @property
    def file_stem(self) -> str:
        """`namespace.name`, or the name of what has no namespace."""
        return f"{self.namespace}.{self.name}" if self.namespace else self.name

    @classmethod
    def parse(cls, text: str) -> "Key | None":
        """The key that `str` wrote, or None."""
        found = _KEY.fullmatch(text)
        if found is None:
            return None
        family, kind, namespace, name, slot = found.groups("")
        if max(len(namespace), len(name), len(slot)) > MAX_LABEL:
            return None
        return cls(family, "" if namespace == "_" else namespace, name, slot, kind)

    @property
    def is_sound(self) -> bool:
        """All parts have the form of names, so that the key can become a path."""
        return Key.parse(str(self)) == self


def is_label(text: str) -> bool:
    """An RFC 1123 label, as namespaces are named."""
    return len(text) <= MAX_LABEL and _ONE_LABEL.fullmatch(text) is not None


def is_name(text: str) -> bool:
    """An RFC 1123 subdomain, as objects are named."""
    return len(text) <= MAX_NAME and _ONE_NAME.fullmatch(text) is not None


def is_label_value(text: str) -> bool:
    """An API server takes the text as the value of a label."""
    return _LABEL_VALUE.fullmatch(text) is not None
