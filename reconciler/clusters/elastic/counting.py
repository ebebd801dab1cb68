"""How many addresses Services wait for, and which of them growth would not help."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from reconciler.addresses import IPSet
from reconciler.addresses.notation import format_short
from reconciler.clusters.elastic.model import Service

TOGETHER = 1
"""Seconds that a Service may lack if another one has waited long enough: times are whole seconds."""
_MOST_SHARED = 64
"""Addresses of one key that a Service is tried on; beyond, it counts by itself."""


class Waiting(NamedTuple):
    """Services that wait.

    Attributes:
        all: Every one that growth would serve, however young.
        old: Those that wait long enough to count.
        unserved: Those that no growth would serve, each with the reason.
    """

    all: tuple[Service, ...]
    old: tuple[Service, ...]
    unserved: tuple[str, ...]


class Place:
    """An address that Services have: who else may have it, too.

    Attributes:
        keys: The sharing keys of who has it, with what only those share who have the same.
        ports: The ports that are taken there.
    """

    def __init__(self) -> None:
        self.keys: set[tuple[str, str]] = set()
        self.ports: set[str] = set()

    def may_join(self, service: Service) -> bool:
        """Whether MetalLB lets a Service have it beside those who have it."""
        return self.keys == {_key(service)} and not self.ports & service.ports


class Range(NamedTuple):
    """The addresses of a tenant.

    Attributes:
        ours: All that it holds by records.
        places: Those that its Services have, by IP version and number.
    """

    ours: IPSet
    places: Mapping[tuple[int, int], Place]

    @property
    def has_ipv6(self) -> bool:
        """Some of them are IPv6 addresses."""
        return bool(self.ours.of_version(6))


def age(service: Service, now: int) -> int:
    """Return the seconds since a Service was made; -1 if the server reports no time."""
    return now - service.created if now else -1


def places(services: Iterable[Service]) -> dict[tuple[int, int], Place]:
    """The addresses that Services have, by IP version and number."""
    found: dict[tuple[int, int], Place] = {}
    for service in services:
        for at in _numbers(service.addresses):
            place = found.setdefault(at, Place())
            place.keys.add(_key(service))
            place.ports |= service.ports
    return found


def _numbers(addresses: IPSet) -> Iterator[tuple[int, int]]:
    """Each of a few addresses, by IP version and number."""
    for item in addresses:
        yield from ((item.version, at) for at in range(item.first, item.last + 1))


def waiting(services: Iterable[Service], addresses: Range, now: int, pending_after: int) -> Waiting:
    """The Services that wait for an address.

    Args:
        services: All of them.
        addresses: Those of the tenant.
        now: The server's time.
        pending_after: How long one waits before it counts, in seconds.
    """
    found: list[Service] = []
    unserved: list[str] = []
    for service in sorted(services, key=_by_name):
        if not service.waits:
            continue
        why = service.problem or _why_not(service, addresses)
        if why:
            unserved.append(f"{service.name}: {why}")
        else:
            found.append(service)
    old = tuple(item for item in found if age(item, now) >= pending_after)
    if old:  # Services that were made together grow together, in one commit
        old = tuple(item for item in found if age(item, now) >= pending_after - TOGETHER)
    return Waiting(tuple(found), old, tuple(sorted(unserved)))


def _why_not(service: Service, addresses: Range) -> str:
    """Why no growth would serve a Service; empty when it would."""
    outside = service.pinned - addresses.ours
    if outside:
        return f"it asks for {_told(outside)}, which is none of the tenant's addresses"
    taken = [addresses.places[at] for at in _numbers(service.pinned) if at in addresses.places]
    if not all(service.sharing and place.may_join(service) for place in taken):
        more = " by another sharing key, or at the same port" if service.sharing else ""
        return f"it asks for {_told(service.pinned)}, which another Service has{more}"
    if service.needs_ipv6 and not addresses.has_ipv6:
        return "it needs an IPv6 address, and the tenant's pools have none"
    return ""


def _told(addresses: IPSet) -> str:
    return ", ".join(format_short(item) for item in addresses)


def counted(pending: Iterable[Service], served: Iterable[Service]) -> int:
    """How many addresses some Services need: those that share one count once.

    A Service joins an address whose users have its sharing key and other ports.

    Args:
        pending: Those that wait.
        served: Those that have an address.
    """
    shared: dict[tuple[str, str], list[set[str]]] = {}
    for service in served:
        if service.sharing:
            _joined(shared.setdefault(_key(service), []), service)
    alone = 0
    for service in sorted(pending, key=_by_name):
        if not service.sharing:
            alone += 1
        elif not _join(shared.setdefault(_key(service), []), service.ports):
            shared[_key(service)].append(set(service.ports))
            alone += 1
    return alone


def _by_name(service: Service) -> tuple[str, str]:
    """An order of Services: a cluster may show two of one name and uid."""
    return service.name, service.uid


def _key(service: Service) -> tuple[str, str]:
    return service.sharing, service.backend


def _joined(places: list[set[str]], service: Service) -> None:
    """Note the ports of a Service that has an address: one that others have, too, counts for all."""
    # Which of them share an address matters little: their ports keep others away all the same.
    if not _join(places, service.ports):
        places.append(set(service.ports))


def _join(places: Sequence[set[str]], ports: frozenset[str]) -> bool:
    for place in places[:_MOST_SHARED]:
        if not place & ports:
            place |= ports
            return True
    return False
