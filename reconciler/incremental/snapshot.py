"""What one run leaves to the next: the groups of a tree, as texts for the cache and back.

Three texts, because most runs need the first alone: what is known when no file changed; the groups
that had nothing to do; and the names of their records, which only a new record is compared with.
"""

from collections.abc import KeysView, Mapping, Sequence
from hashlib import sha256

from msgspec import Struct
from msgspec.json import decode, encode

from reconciler.documents.document import EVERY
from reconciler.findings import Finding
from reconciler.incremental.group import Group, Span
from reconciler.incremental.settling import sum_of
from reconciler.model.key import Key
from reconciler.model.plan import Usage
from reconciler.tree import Settled

HEAD, GROUPS, NAMES = "head", "groups", "names"
FEW_NAMES = 16
"""So many are sought in a text of names; for more it is divided."""


class Head(Struct, frozen=True):
    """What is known when nothing changed.

    Attributes:
        id: The identity of the other two texts.
        tops: Object ids of the folders that were read, by path.
        shared: Source files that bear on everything.
        restless: The parts that have something to do.
        settled: What all others come to.
        gone: Parts of the groups that were not there any more; what changed since the groups were
            written is among the restless ones.
    """

    id: str
    tops: Mapping[str, str]
    shared: Mapping[str, str]
    restless: Mapping[str, str]
    settled: Settled
    gone: Sequence[str] = ()


NOTHING = Head("", {}, {}, {}, Settled())
"""Nothing is known."""


class Written(Struct, frozen=True):
    """The texts of a snapshot; `id` is the identity of the last two, which the first one names."""

    id: str
    head: str
    groups: str
    names: str


class _Sum(Struct, frozen=True, array_like=True):
    """What parts come to. Keys of an object are texts in JSON, so usage is pairs."""

    kept: int
    usage: tuple[tuple[Key, Usage], ...]
    findings: tuple[Finding, ...]

    def read(self) -> Settled:
        return Settled(self.kept, dict(self.usage), self.findings)


class _Head(Struct, frozen=True, array_like=True):
    id: str
    tops: dict[str, str]
    shared: dict[str, str]
    restless: dict[str, str]
    settled: _Sum
    gone: list[str]


class _Group(Struct, frozen=True, array_like=True):
    """A group without the names of its records; what is there once each is an object of nulls."""

    parts: dict[str, str]
    provides: dict[str, None]
    asks: dict[str, None]
    spans: list[Span]
    inside: list[Span]
    settled: _Sum


def write(tops: Mapping[str, str], shared: Mapping[str, str], groups: Sequence[Group]) -> Written:
    """The texts of a snapshot.

    Raises:
        UnicodeEncodeError: A text in it has half a character, which JSON cannot tell.
    """
    left_out = [group for group in groups if group.settled is not None]
    restless = {
        path: oid for group in groups if group.settled is None for path, oid in group.parts.items()
    }
    settled = sum_of(group.settled for group in left_out if group.settled is not None)
    told = encode([_group(group) for group in left_out]).decode()
    names = encode(["\n".join(group.names) for group in left_out]).decode()
    identity = sha256(f"{told}\n{names}".encode()).hexdigest()
    head = Head(identity, tops, shared, restless, settled)
    return Written(identity, write_head(head), told, names)


def write_head(head: Head) -> str:
    """The text of a head.

    Raises:
        UnicodeEncodeError: As `write`.
    """
    tops, shared, restless = dict(head.tops), dict(head.shared), dict(head.restless)
    told = _Head(head.id, tops, shared, restless, _sum(head.settled), list(head.gone))
    return encode(told).decode()


def read_head(text: str) -> Head:
    """What `write_head` wrote."""
    it = decode(text, type=_Head)
    return Head(it.id, it.tops, it.shared, it.restless, it.settled.read(), it.gone)


def read_groups(text: str) -> list[Group]:
    """What `write` wrote as `GROUPS`: groups without the names of their records."""
    return [
        Group(
            parts=it.parts,
            provides=it.provides,
            asks=it.asks,
            spans=it.spans,
            inside=dict.fromkeys(it.inside),
            settled=it.settled.read(),
        )
        for it in decode(text, type=list[_Group])
    ]


def may_have(text: str, names: KeysView[str]) -> bool:
    """One of the names may stand in what `write` wrote as `NAMES`; nearly always none does."""
    if len(names) > FEW_NAMES:
        return True
    return any(encode(name).decode()[1:-1] in text for name in names)


def read_names(text: str) -> list[str]:
    """What `write` wrote as `NAMES`: for each group the names of its records, a line each."""
    return decode(text, type=list[str])


def split_names(text: str) -> list[str]:
    """The names of one group, from what `read_names` gives for it."""
    return text.split("\n")


def has_name(text: str, names: KeysView[str]) -> bool:
    """One of the names is among those of a group."""
    if len(names) > FEW_NAMES:
        return not names.isdisjoint(split_names(text))
    lines = f"\n{text}\n"
    return any(f"\n{name}\n" in lines for name in names)


def _group(group: Group) -> _Group:
    # What is found in the group stays found; what is not may come from elsewhere one day. All
    # documents of a kind are more when there is one more.
    asks = (item for item in group.asks if item not in group.provides or item.endswith(f"/{EVERY}"))
    settled = _sum(group.settled or Settled())
    inside = list(group.inside)
    return _Group(group.parts, group.provides, dict.fromkeys(asks), group.spans, inside, settled)


def _sum(settled: Settled) -> _Sum:
    return _Sum(settled.kept, tuple(settled.usage.items()), settled.findings)
