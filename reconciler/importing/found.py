"""What a source says: pools, who has which addresses, objects as they are, and what nobody can tell."""

from typing import Any, NamedTuple

from msgspec import Struct

from reconciler.addresses import IPRange
from reconciler.findings import Finding, Location, error

LOAD_BALANCER, NODES = "loadbalancer", "nodes"
DEFAULT_SPACE = "default"


class Described(NamedTuple):
    """A network that a source describes."""

    name: str
    extent: IPRange
    place: Location
    space: str = DEFAULT_SPACE
    windows: tuple[IPRange, ...] = ()


class Window(NamedTuple):
    """A range that a source gives out of, without saying who has it."""

    item: IPRange
    place: Location
    space: str = DEFAULT_SPACE


class Holding(NamedTuple):
    """Somebody has a range.

    Attributes:
        said: What the source calls it, as it is written there.
        pool: The name of the pool that the source names; empty for none.
        is_cluster: The owner is a cluster that was read: it gets a document of its own.
        users: Who uses addresses of it, for people.
    """

    namespace: str
    name: str
    type: str
    item: IPRange
    place: Location
    team: str = ""
    said: str = ""
    pool: str = ""
    space: str = DEFAULT_SPACE
    is_cluster: bool = False
    users: tuple[str, ...] = ()

    @property
    def owner(self) -> tuple[str, str]:
        """Namespace and name."""
        return self.namespace, self.name

    @property
    def title(self) -> str:
        """`namespace/name`, for people."""
        return f"{self.namespace}/{self.name}"


class Copy(NamedTuple):
    """An object of a cluster as a document."""

    folder: str
    namespace: str
    name: str
    body: dict[str, Any]
    place: Location


class Found(Struct, frozen=True):
    """All that was found.

    Attributes:
        named: MetalLB's pool of a cluster, by its owner, where that has not the usual name.
        notes: What was passed over, for people.
    """

    described: tuple[Described, ...] = ()
    windows: tuple[Window, ...] = ()
    holdings: tuple[Holding, ...] = ()
    copies: tuple[Copy, ...] = ()
    conflicts: tuple[Finding, ...] = ()
    named: tuple[tuple[tuple[str, str], str, Location], ...] = ()
    notes: tuple[str, ...] = ()

    def with_more(self, other: "Found") -> "Found":
        """What two sources say."""
        return Found(
            (*self.described, *other.described),
            (*self.windows, *other.windows),
            (*self.holdings, *other.holdings),
            (*self.copies, *other.copies),
            (*self.conflicts, *other.conflicts),
            (*self.named, *other.named),
            (*self.notes, *other.notes),
        )


def conflict(place: Location, message: str, hint: str) -> Finding:
    """Something that a person has to decide: it is not guessed.

    Where no line tells the place, as in a JSON export, the message names the object.
    """
    if place.line == 0 and place.pointer and place.pointer not in message:
        message = f"{place.pointer}: {message}"
    return error("import-conflict", place, message, hint)
