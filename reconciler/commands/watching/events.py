"""What happened that a daemon answers to, and what a round of it is about."""

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from msgspec import Struct

from reconciler.findings import few


class Cause(StrEnum):
    """Why a round begins."""

    START = "start"
    RESYNC = "resync"
    GIT = "git"  # the branch moved
    HOOK = "hook"  # somebody says that it did
    DUE = "due"  # an instant came at which something falls due
    INTAKE = "intake"  # an object that may be taken in
    SERVICES = "services"  # of a tenant's cluster
    AGAIN = "again"  # nothing happened: a tenant has to be looked at once more
    DRIFT = "drift"  # an object of ours is not as it was left
    DEPENDANTS = "dependants"  # objects that only numbers are told of
    KUBECONFIG = "kubeconfig"
    UP = "up"  # a cluster answers again
    RETRY = "retry"


# These bear on what is planned; the others only on what is applied.
_PLANNED = frozenset(
    (
        *(Cause.START, Cause.RESYNC, Cause.GIT, Cause.HOOK),
        *(Cause.DUE, Cause.INTAKE, Cause.SERVICES, Cause.AGAIN, Cause.UP),
    )
)
_WHOLE = frozenset((Cause.START, Cause.RESYNC))
_ASKING = (Cause.SERVICES, Cause.AGAIN)
"""They bear on what a cluster asks for, and not on what is applied to it."""


class Event(NamedTuple):
    """Something happened.

    Attributes:
        cluster: Where; empty for what is no cluster's, or for all.
        mark: Which state of which object it tells of, by which an echo of our own write is known;
            empty when it may not be one.
        plans: For one that tries again: what failed is more than the clusters.
    """

    cause: Cause
    cluster: str = ""
    mark: str = ""
    plans: bool = False

    @property
    def is_planned(self) -> bool:
        """Git is looked at."""
        return self.plans or self.cause in _PLANNED


class Scope(Struct, frozen=True):
    """What a round does.

    Attributes:
        causes: Why, each once, in the order in which they came.
        plans: Git is fetched and planned; else what was last planned is applied.
        clusters: Those that are applied to, besides those that a plan changes; None for all.
        asked: The clusters whose own objects changed what they ask for, or may have; None for all.
        since: When the oldest of its events came, by the monotonic clock.
    """

    causes: tuple[Cause, ...]
    plans: bool
    clusters: frozenset[str] | None
    asked: frozenset[str] | None
    since: float

    def __str__(self) -> str:
        """Why, and in which clusters something happened: `retry of team-a/one`."""
        causes = ", ".join(self.causes)
        names = sorted((self.clusters or frozenset()) | (self.asked or frozenset()))
        return f"{causes} of {few(names)}" if names else causes


def scope_of(events: Iterable[tuple[Event, float]]) -> Scope:
    """What a round does that answers to some events, each with when it came."""
    found = sorted(events, key=lambda item: item[1])
    causes = tuple(dict.fromkeys(event.cause for event, _ in found))
    is_whole = bool(_WHOLE.intersection(causes))
    touched = frozenset(
        event.cluster for event, _ in found if event.cluster and event.cause not in _ASKING
    )
    # What changed in a cluster while it did not answer, nobody has told.
    asked = frozenset(event.cluster for event, _ in found if event.cause in (*_ASKING, Cause.UP))
    return Scope(
        causes,
        any(event.is_planned for event, _ in found),
        None if is_whole else touched,
        None if is_whole else asked,
        found[0][1],
    )
