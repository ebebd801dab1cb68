"""What the management cluster remembers between looks at objects that are not in Git.

Since when one is missing, which CRD its kind had, what its owner was told, and how many went of
late: lines of text in the inventory, beside what is said of other clusters.
"""

from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256

from msgspec import Struct, field

from reconciler.documents.document import Identity

KEY = "intake"
"""The key in the first ConfigMap of the inventory."""

MOST = 96 * 1024
"""Characters of the text; what is over that is noted when there is room again."""

_DIGITS = 15
_VERSION_DIGITS = 20


class IntakeMemory(Struct, frozen=True):
    """What is remembered. Times are seconds since 1970, by the management cluster's clock.

    Attributes:
        missing: Copies whose object was missing in a complete list, and since when.
        told: Objects that were refused, and the hash of the reason that their owner was told.
        crds: The uid of the CRD of each kind, by `Kind.group`.
        went: Of each kind and namespace (`Kind.group/namespace`), when copies went and how many.
        older: The states that told of a restored backup: which resourceVersion was seen, and which
            one Git knew. Empty for none, or when a person said since then that it is meant.
        accepted: What the trailer `Ipam-Observed` said when a person accepted an older state, and
            the resourceVersion that counts in its place; empty for never.
    """

    missing: Mapping[Identity, int] = field(default_factory=dict)
    told: Mapping[Identity, str] = field(default_factory=dict)
    crds: Mapping[str, str] = field(default_factory=dict)
    went: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    older: str = ""
    accepted: str = ""


def named(identity: Identity) -> str:
    """`Kind.group/namespace/name`, with `_` for no namespace."""
    group, kind, namespace, name = identity
    return f"{kind}.{group}/{namespace or '_'}/{name}"


def hash_of(reason: str) -> str:
    """What is remembered of a reason."""
    return sha256(reason.encode()).hexdigest()[:16]


def memory_text(memory: IntakeMemory) -> str:
    """The memory as text. What keeps copies comes first: it has room in any case."""
    lines = [
        *(f"older {memory.older}" for _ in [memory.older] if memory.older),
        *(f"accepted {memory.accepted}" for _ in [memory.accepted] if memory.accepted),
        *(f"crd {kind} {uid}" for kind, uid in sorted(memory.crds.items())),
        *(f"went {kind} {at} {count}" for kind, every in sorted(memory.went.items())
          for at, count in every),
        *(f"missing {named(it)} {since}" for it, since in sorted(memory.missing.items())),
        *(f"told {named(it)} {text}" for it, text in sorted(memory.told.items())),
    ]  # fmt: skip
    return "".join(_fitting(f"{line}\n" for line in lines))


def _fitting(lines: Iterable[str]) -> Iterator[str]:
    room = MOST
    for line in lines:
        room -= len(line)
        if room < 0:
            return
        yield line


def read_memory(text: str) -> IntakeMemory:
    """The memory that a text states. A line that cannot be read says nothing."""
    missing: dict[Identity, int] = {}
    told: dict[Identity, str] = {}
    crds: dict[str, str] = {}
    went: dict[str, tuple[tuple[int, int], ...]] = {}
    older = accepted = ""
    for line in text[:MOST].splitlines():
        match line.split(" "):
            case ["older", version, before] if _are_versions(version, before):
                older = f"{version} {before}"
            case ["accepted", uid, before, version] if _are_versions(before, version):
                accepted = f"{uid} {before} {version}"
            case ["crd", kind, uid]:
                crds[kind] = uid
            case ["went", kind, at, count] if _is_number(at) and _is_number(count):
                went[kind] = (*went.get(kind, ()), (int(at), int(count)))
            case ["missing", name, since] if (it := _identity(name)) and _is_number(since):
                missing[it] = int(since)
            case ["told", name, reason] if it := _identity(name):
                told[it] = reason
    return IntakeMemory(missing, told, crds, went, older, accepted)


def _is_number(text: str, digits: int = _DIGITS) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= digits


def _are_versions(*texts: str) -> bool:
    return all(_is_number(text, _VERSION_DIGITS) for text in texts)


def _identity(text: str) -> Identity | None:
    steps = text.split("/")
    kind, dot, group = steps[0].partition(".")
    if len(steps) != len(("kind", "namespace", "name")) or not (dot and all(steps)):
        return None
    _, namespace, name = steps
    return group, kind, "" if namespace == "_" else namespace, name
