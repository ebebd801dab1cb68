"""State and deletion of intake objects."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import sha256
from typing import NamedTuple

from msgspec import Struct, field

from reconciler.documents.document import Identity
from reconciler.documents.findings import join_limited
from reconciler.families.events import event_name, event_on, reference
from reconciler.families.importing import IntakeKind
from reconciler.model.objects import Manifest
from reconciler.model.settings import Settings

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
    """Parse the state. Invalid lines are skipped."""
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
        """Begin with the Events of earlier observations."""
        self._before = before
        self._at = at
        self._taken = Counter(namespace for _, _, namespace, _ in before)
        self._left = 0
        self.events: list[Manifest] = []
        self.rejected: dict[Identity, str] = {}

    def reject(
        self, intake: IntakeKind, identity: Identity, manifest: Manifest, reason: str
    ) -> None:
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


MIN_DELETIONS = 600
"""Seconds between the two lists, and the period in which deletions count together."""
_FEW = 2
_UNKNOWN = "?"
"""The namespace of removals that were recorded without one."""


class DeletionLimits(NamedTuple):
    """Limits of removals.

    Attributes:
        allowed: The number of removals that the user permits, or None.
        used: Copies of pools with recorded addresses.
    """

    settings: Settings
    allowed: int | None = None
    used: Collection[Identity] = ()


class DeletionDetector:
    """The deletions of one observation, kind by kind.

    Attributes:
        held: Why copies of deleted objects stay.
        notes: Why missing objects do not count as deleted.
    """

    def __init__(self, state: IntakeState, limits: DeletionLimits, at: int) -> None:
        """Begin with the state of earlier observations of the same cluster."""
        self._limits = limits
        self._at = at
        self._since = state.missing
        self._missing: dict[Identity, int] = {}
        self._removed = {
            kind: recent
            for kind, every in state.removed.items()
            if (recent := tuple(it for it in every if at - MIN_DELETIONS < it[0] <= at))
        }
        self.held: list[str] = []
        self.notes: list[str] = []

    def state(self) -> IntakeState:
        """Return the state for the next observation."""
        return IntakeState(self._missing, {}, self._removed)

    def gone(
        self,
        kind: str,
        problem: str,
        copies: Collection[Identity],
        missing: Iterable[Identity],
        deleted: Collection[Identity],
    ) -> list[Identity]:
        """Return the copies of a kind to remove, in order.

        Args:
            kind: `Kind.group`.
            problem: Why the list is not complete; empty if it is.
            copies: All copies of the kind.
            missing: The copies whose object the list lacks.
            deleted: Those of them whose deletion a watch reported.
        """
        lacking = sorted(missing)
        if problem:
            self._missing |= {it: self._since[it] for it in lacking if it in self._since}
            if lacking:
                what = f"{len(lacking)} of {len(copies)} {kind} are missing"
                self.notes.append(f"{what}, and do not count as deleted: {problem}")
            return []
        since = {it: min(self._since.get(it, self._at), self._at) for it in lacking}
        gone = [it for it in lacking if it in deleted or self._at - since[it] >= MIN_DELETIONS]
        gone = self._permitted(kind, self._unused(gone), copies)
        self._missing |= {it: at for it, at in since.items() if it not in gone}
        for namespace, count in sorted(_by_namespace(gone).items()):
            name = f"{kind}/{namespace or '_'}"
            self._removed[name] = (*self._removed.get(name, ()), (self._at, count))
        return gone

    def _unused(self, gone: list[Identity]) -> list[Identity]:
        """Return the copies without records; a record needs its pool."""
        used = [it for it in gone if it in self._limits.used]
        if used:
            what = f"{join_limited([format_identity(it) for it in used])} deleted in the management cluster"
            why = "records hold addresses of it, so the copy stays until none does"
            self.held.append(f"{what}, but {why}; or create the pool again")
        return [it for it in gone if it not in used]

    def _permitted(
        self, kind: str, gone: list[Identity], copies: Collection[Identity]
    ) -> list[Identity]:
        """Return the copies that the release limit permits to remove.

        If only one namespace exceeds the limit, its copies stay: its users must not block the other
        namespaces.
        """
        recent = self._recent(kind)
        going = _by_namespace(gone) + recent
        every = _by_namespace(copies) + recent
        allowed = self._limits.allowed
        if not gone or not self._is_beyond(going.total(), every.total(), allowed):
            return gone
        name = min(going.keys() - {_UNKNOWN}, key=lambda it: (-going[it], it))
        rest, others = going.total() - going[name], every.total() - every[name]
        if not others or rest == others or self._is_beyond(rest, others, None):
            self._hold(kind, going.total(), every.total())
            return []
        is_permitted = allowed is not None and going[name] <= allowed
        if is_permitted or not any(it[2] == name for it in gone):
            return gone
        self._hold(f"{kind} of namespace {name}", going[name], every[name])
        return [it for it in gone if it[2] != name]

    def _hold(self, what: str, going: int, every: int) -> None:
        why = f"{going} of {every} {what} were deleted in the management cluster"
        self.held.append(f"{why}; to remove their copies: --allow-release {going}")

    def _recent(self, kind: str) -> Counter[str]:
        """Count the removals of the last ten minutes by namespace."""
        found: Counter[str] = Counter()
        for name, every in self._removed.items():
            whose, _, namespace = name.partition("/")
            if whose == kind:
                place = "" if namespace == "_" else namespace or _UNKNOWN
                found[place] += sum(count for _, count in every)
        return found

    def _is_beyond(self, going: int, every: int, allowed: int | None) -> bool:
        settings = self._limits.settings
        is_all = going == every and every >= _FEW
        is_share = 100 * going > settings.max_release_percent * every
        is_much = every >= settings.min_records and is_share
        return (is_all or is_much) and (allowed is None or going > allowed)


def _by_namespace(identities: Iterable[Identity]) -> Counter[str]:
    return Counter(namespace for _, _, namespace, _ in identities)
