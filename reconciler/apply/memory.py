"""State of ipam in a cluster."""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import chain, count
from urllib.parse import quote, unquote

from msgspec import Struct
from msgspec.structs import replace

from reconciler.apply.metallb import ranges_of
from reconciler.documents.findings import shown

_UID = re.compile(r"[0-9A-Za-z-]{1,64}")
_REVISION = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}")


def uid_of(text: str) -> str:
    """Return a valid uid of a cluster.

    Raises:
        ValueError: The text is not a uid.
    """
    if not _UID.fullmatch(text):
        raise ValueError(f"{shown(text)} is not the uid of a cluster")
    return text


def revision_of(text: str) -> str:
    """Return a valid commit id, or an empty string.

    Raises:
        ValueError: The text is not a commit id.
    """
    if text and not _REVISION.fullmatch(text):
        raise ValueError(f"{shown(text)} is not the id of a commit")
    return text


NAME = "gitops-ipam-inventory"
HALF = 450 * 1024
"""Bytes of a ConfigMap for registry lines. The same number is for objects, of 1 MiB."""
LONGEST = 64 * 1024
"""Bytes of a line."""

_CLUSTER = "cluster."
_HASHED = f"{_CLUSTER}-"
_MAX_KEY = 253
_DIGITS = 4


class Enrolled(Struct, frozen=True):
    """An entry of the registry.

    Attributes:
        uid: The uid of the kube-system namespace.
        revision: The revision that was applied last.
        spaces: The address spaces of the addresses.
        addresses: The ranges that the cluster might announce, in MetalLB's syntax.
    """

    uid: str
    revision: str
    spaces: tuple[str, ...] = ()
    addresses: tuple[str, ...] = ()


class ClusterStatus(Struct, frozen=True):
    """The valid parts of an entry, and its error."""

    name: str
    enrolled: Enrolled
    wrong: tuple[str, ...] = ()


class Write(Struct, frozen=True):
    """A change of one ConfigMap; None removes a key."""

    part: str
    data: Mapping[str, str | None]


def cluster_data(clusters: Mapping[str, Enrolled | None]) -> dict[str, str | None]:
    """Return entries as data of ConfigMaps; None removes an entry."""
    data: dict[str, str | None] = {}
    for name, enrolled in sorted(clusters.items()):
        key = _cluster_key(name)
        named = [name] if key.startswith(_HASHED) else []
        data[key] = None if enrolled is None else " ".join([*named, *_words(enrolled)])
    return data


def lines_of(part: str, data: Mapping[str, str]) -> Iterator[ClusterStatus]:
    """Parse the entries in the data of a ConfigMap."""
    for key, value in data.items():
        if is_line(key):
            line = _line(key, value)
            where = f"{key} of ConfigMap {part}"
            yield replace(line, wrong=tuple(f"{where}: {why}" for why in line.wrong))


def is_line(key: str) -> bool:
    """Return whether a key of a ConfigMap belongs to the registry."""
    return key.startswith(_CLUSTER)


def join_statuses(one: ClusterStatus, other: ClusterStatus) -> ClusterStatus:
    """Merge two entries of one cluster: all addresses of both."""
    mine, theirs = one.enrolled, other.enrolled
    wrong = (*one.wrong, *other.wrong)
    if mine.uid != theirs.uid:
        wrong += ("two lines name it, and do not agree which cluster it is",)
    is_anywhere = not (mine.spaces and theirs.spaces)  # an unknown address can be of any space
    spaces = () if is_anywhere else tuple(sorted({*mine.spaces, *theirs.spaces}))
    addresses = tuple(dict.fromkeys([*mine.addresses, *theirs.addresses]))
    return ClusterStatus(one.name, replace(mine, spaces=spaces, addresses=addresses), wrong)


def placed(
    there: Mapping[str, Mapping[str, str]], changes: Mapping[str, str | None]
) -> list[Write]:
    """Return the changes of ConfigMaps that store lines, in the order of writing.

    Args:
        there: The data of the inventory's ConfigMaps, by name.
        changes: Lines by key; None removes a line.
    """
    sizes = {name: line_bytes(data) for name, data in there.items()}
    more: dict[str, dict[str, str | None]] = {}
    less: dict[str, dict[str, str | None]] = {}
    for key, value in changes.items():
        stands = {name: _bytes(key, data[key]) for name, data in there.items() if key in data}
        home = ""
        if value is not None:
            home = _home(sizes, stands, _bytes(key, value))
            sizes[home] = sizes.get(home, 0) - stands.get(home, 0) + _bytes(key, value)
            more.setdefault(home, {})[key] = value
        for name in stands:
            if name != home:
                less.setdefault(name, {})[key] = None
    # The first ConfigMap is last, because its other data mark the work as done.
    writes = [Write(name, more[name]) for name in sorted(more, reverse=True)]
    return writes + [Write(name, less[name]) for name in sorted(less)]


def written_to(
    there: Mapping[str, Mapping[str, str]], writes: Iterable[Write]
) -> dict[str, Mapping[str, str]]:
    """Return the data of ConfigMaps after changes."""
    after = dict(there)
    for it in writes:
        changed: dict[str, str | None] = {**after.get(it.part, {}), **it.data}
        after[it.part] = {key: text for key, text in changed.items() if text is not None}
    return after


def with_more(writes: Sequence[Write], more: Mapping[str, str]) -> list[Write]:
    """Return the changes together with other data of the first ConfigMap."""
    if not more:
        return list(writes)
    at = max((at for at, write in enumerate(writes) if write.part == NAME), default=len(writes))
    here = writes[at].data if at < len(writes) else {}
    return [*writes[:at], Write(NAME, {**here, **more}), *writes[at + 1 :]]


def _home(sizes: Mapping[str, int], stands: Mapping[str, int], size: int) -> str:
    """Return the ConfigMap of a line: the current one, the first with room, or a new one."""
    names = chain(stands, (part_name(number) for number in count()))
    rest = ((name, sizes.get(name, 0) - stands.get(name, 0)) for name in names)
    return next(name for name, others in rest if not others or others + size <= HALF)


def part_name(number: int) -> str:
    """Return the name of a ConfigMap by number."""
    return f"{NAME}-{number}" if number else NAME


def part_number(name: str) -> int | None:
    """Return the number of a ConfigMap by name, or None."""
    if name == NAME:
        return 0
    text = name.removeprefix(f"{NAME}-")
    is_number = text != name and text.isascii() and text.isdecimal() and len(text) <= _DIGITS
    return int(text) if is_number and part_name(int(text)) == name else None


def line_bytes(data: Mapping[str, str]) -> int:
    """Return the bytes of registry lines in a ConfigMap."""
    return sum(_bytes(key, value) for key, value in data.items() if is_line(key))


def _bytes(key: str, value: str) -> int:
    return len(key) + len(value.encode())


def has_room(enrolled: Enrolled | None) -> bool:
    """Return whether a line is short enough."""
    return enrolled is None or len(" ".join(_words(enrolled))) <= LONGEST


def _words(enrolled: Enrolled) -> list[str]:
    # Names of address spaces are free text. `%` is the empty name.
    spaces = ",".join(quote(space, safe="") or "%" for space in enrolled.spaces)
    return [enrolled.uid, enrolled.revision, spaces, *enrolled.addresses]


def _line(key: str, value: str) -> ClusterStatus:
    words = value.split(" ")
    name = words.pop(0) if key.startswith(_HASHED) else _cluster_name(key)
    wrong: list[str] = []
    if _cluster_key(name) != key:
        name = key
        wrong.append("it is not the key of the cluster that it names")
    uid, revision, spaces, *addresses = [*words, "", ""]
    uid = _read(uid_of, uid, wrong)
    revision = _read(revision_of, revision, wrong)
    ranges = tuple(text for text in addresses if _read(_range, text, wrong))
    named = tuple("" if item == "%" else unquote(item) for item in spaces.split(",") if item)
    # With an invalid word, positions are unreliable, so the addresses can be of any space.
    return ClusterStatus(
        name, Enrolled(uid, revision, () if wrong else named, ranges), tuple(wrong)
    )


def _read(parse: Callable[[str], str], text: str, wrong: list[str]) -> str:
    """Return a word of a line, or an empty string with an error."""
    try:
        return text and parse(text)
    except ValueError as failed:
        wrong.append(str(failed))
        return ""


def _range(text: str) -> str:
    ranges_of([text])
    return text


# Keys of ConfigMaps have up to 253 letters, digits, `-`, `_`, and `.`. A namespace has no `.`
# and starts with neither `_` nor `-`. If the names are too long, the value starts with them.
def _cluster_key(name: str) -> str:
    namespace, slash, rest = name.partition("/")
    key = f"{_CLUSTER}{namespace}.{rest}" if slash else f"{_CLUSTER}_{name}"
    return key if len(key) <= _MAX_KEY else f"{_HASHED}{sha256(name.encode()).hexdigest()}"


def _cluster_name(key: str) -> str:
    text = key.removeprefix(_CLUSTER)
    if text.startswith("_"):
        return text[1:]
    return text.replace(".", "/", 1)
