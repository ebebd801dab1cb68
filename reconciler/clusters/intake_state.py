"""State between two looks at objects of the management cluster: lines of text in the inventory."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from hashlib import sha256

from msgspec import Struct, field

from reconciler.documents.document import Identity
from reconciler.families._events import event_name, event_on, reference
from reconciler.families._intake import Intake
from reconciler.model.resource import Manifest

KEY = "intake"
"""The key in the first ConfigMap of the inventory."""
MAX_CHARACTERS = 96 * 1024
REJECTED = "IPAMRejected"
MAX_EVENTS_PER_NAMESPACE = 20
MAX_EVENTS = 200
_DIGITS = 15


class IntakeState(Struct, frozen=True):
    """The state. Times are seconds since 1970, by the clock of the management cluster.

    Attributes:
        missing: Copies whose object a complete list lacked, and since when.
        rejected: Objects that were rejected, and the hash of the reason in their Event.
        removed: When copies were removed and how many, by `Kind.group/namespace`.
    """

    missing: Mapping[Identity, int] = field(default_factory=dict)
    rejected: Mapping[Identity, str] = field(default_factory=dict)
    removed: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)


def format_identity(identity: Identity) -> str:
    """Return `Kind.group/namespace/name`, with `_` for no namespace."""
    group, kind, namespace, name = identity
    return f"{kind}.{group}/{namespace or '_'}/{name}"


def hash_of(reason: str) -> str:
    """Return the hash of a reason."""
    return sha256(reason.encode()).hexdigest()[:16]


def format_state(state: IntakeState) -> str:
    """Return the state as text. Lines beyond the limit are left out, least important first."""
    lines = [
        *(f"went {kind} {at} {count}" for kind, every in sorted(state.removed.items())
          for at, count in every),
        *(f"missing {format_identity(it)} {since}" for it, since in sorted(state.missing.items())),
        *(f"told {format_identity(it)} {text}" for it, text in sorted(state.rejected.items())),
    ]  # fmt: skip
    return "".join(_fitting(f"{line}\n" for line in lines))


def _fitting(lines: Iterable[str]) -> Iterator[str]:
    room = MAX_CHARACTERS
    for line in lines:
        room -= len(line)
        if room < 0:
            return
        yield line


def parse_state(text: str) -> IntakeState:
    """Return the state of a text. Lines that cannot be read are skipped."""
    missing: dict[Identity, int] = {}
    rejected: dict[Identity, str] = {}
    removed: dict[str, tuple[tuple[int, int], ...]] = {}
    for line in text.splitlines():
        match line.split(" "):
            case ["went", kind, at, count] if _is_number(at) and _is_number(count):
                removed[kind] = (*removed.get(kind, ()), (int(at), int(count)))
            case ["missing", name, since] if (it := _identity(name)) and _is_number(since):
                missing[it] = int(since)
            case ["told", name, reason] if it := _identity(name):
                rejected[it] = reason
    return IntakeState(missing, rejected, removed)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= _DIGITS


def _identity(text: str) -> Identity | None:
    steps = text.split("/")
    kind, dot, group = steps[0].partition(".")
    if len(steps) != len(("kind", "namespace", "name")) or not (dot and all(steps)):
        return None
    _, namespace, name = steps
    return group, kind, "" if namespace == "_" else namespace, name


class RejectionEvents:
    """Events for the owners of rejected objects: one per object and reason, within limits.

    Attributes:
        events: Events to create.
        rejected: Rejected objects, and the hash of the reason in their Event.
    """

    def __init__(self, before: Mapping[Identity, str], at: int) -> None:
        """Begin with the Events of earlier looks."""
        self._before = before
        self._at = at
        self._taken = Counter(namespace for _, _, namespace, _ in before)
        self._left = 0
        self.events: list[Manifest] = []
        self.rejected: dict[Identity, str] = {}

    def reject(self, intake: Intake, identity: Identity, manifest: Manifest, reason: str) -> None:
        """Add an Event, unless its owner has it already."""
        known, said = self._before.get(identity), hash_of(reason)
        if known is None and not self._has_room(identity[2]):
            self._left += 1
            return
        self.rejected[identity] = said
        if known != said:
            about = reference(intake.resource, manifest)
            name = event_name(about, REJECTED, reason)
            event = event_on(about, name, ("Warning", REJECTED, reason), self._at, {})
            self.events.append(event)

    def notes(self) -> list[str]:
        """Return how many objects have no Event because of the limits."""
        if not self._left:
            return []
        limits = f"at most {MAX_EVENTS_PER_NAMESPACE} per namespace and {MAX_EVENTS} in total"
        return [f"{self._left} more objects are rejected without an Event: {limits}"]

    def _has_room(self, namespace: str) -> bool:
        if self._taken[namespace] >= MAX_EVENTS_PER_NAMESPACE or self._taken.total() >= MAX_EVENTS:
            return False
        self._taken[namespace] += 1
        return True
