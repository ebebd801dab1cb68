"""Decides when a copy in Git is removed because its object was deleted in the management cluster.

An object is gone if a watch reported its deletion, or if two complete lists that are LEAST seconds
apart lack it. An error or a part of a list proves nothing. Deletions beyond the release limit are
held until a person permits them.
"""

from collections import Counter
from collections.abc import Collection, Iterable
from typing import NamedTuple

from reconciler.clusters.intake_state import IntakeState, format_identity
from reconciler.documents.document import Identity
from reconciler.findings import few
from reconciler.model.settings import Settings

LEAST = 600
"""Seconds between the two lists, and the period in which deletions count together."""
_FEW = 2
_UNKNOWN = "?"
"""The namespace of removals that were recorded without one."""


class Limits(NamedTuple):
    """What may be removed.

    Attributes:
        allowed: The number of removals that a person permits, or None.
        used: Copies of pools with recorded addresses.
    """

    settings: Settings
    allowed: int | None = None
    used: Collection[Identity] = ()


class DeletionDetector:
    """The deletions of one look, kind by kind.

    Attributes:
        held: Why copies stay whose objects are gone.
        notes: Why missing objects do not count as gone.
    """

    def __init__(self, state: IntakeState, limits: Limits, at: int) -> None:
        """Begin with the state of earlier looks at the same cluster."""
        self._limits = limits
        self._at = at
        self._since = state.missing
        self._missing: dict[Identity, int] = {}
        self._removed = {
            kind: recent
            for kind, every in state.removed.items()
            if (recent := tuple(it for it in every if at - LEAST < it[0] <= at))
        }
        self.held: list[str] = []
        self.notes: list[str] = []

    def state(self) -> IntakeState:
        """Return the state for the next look."""
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
        gone = [it for it in lacking if it in deleted or self._at - since[it] >= LEAST]
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
            what = f"{few([format_identity(it) for it in used])} deleted in the management cluster"
            why = "records hold addresses of it, so the copy stays until none does"
            self.held.append(f"{what}, but {why}; or create the pool again")
        return [it for it in gone if it not in used]

    def _permitted(
        self, kind: str, gone: list[Identity], copies: Collection[Identity]
    ) -> list[Identity]:
        """Return the copies that the release limit permits to remove.

        If one namespace alone is beyond the limit, only its copies stay: its users must not block
        the others.
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
