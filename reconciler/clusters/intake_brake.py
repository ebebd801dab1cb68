"""How much that lives only in the management cluster may go at once: of a kind, and of a namespace.

Who makes and deletes much in one namespace holds up nobody else: what is beyond the brake because
of that namespace alone stays there, and the others are judged without it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from reconciler.documents.document import Identity
from reconciler.model.settings import Settings

_FEW = 2

_UNKNOWN = "?"
"""The namespace of what went of late where none was noted: it is of all of them."""

Went = Mapping[str, tuple[tuple[int, int], ...]]
"""When copies went and how many, by `share`."""


class Held(NamedTuple):
    """What the brake holds.

    Attributes:
        namespace: Of the copies that stay; None for all of the kind.
        going: How many of them are gone, of late or now.
        every: Of how many.
    """

    namespace: str | None
    going: int
    every: int

    def why(self, kind: str) -> str:
        """What a person is told."""
        whose = f"{kind} of namespace {self.namespace}" if self.namespace else kind
        what = f"{self.going} of {self.every} {whose} are gone from the management cluster at once"
        return f"{what}; their copies stay: if that is meant, --allow-release {self.going}"


def share(kind: str, namespace: str) -> str:
    """The name under which is counted what went: `Kind.group/namespace`, with `_` for none."""
    return f"{kind}/{namespace or '_'}"


def counted(identities: Iterable[Identity]) -> Counter[str]:
    """How many there are in each namespace."""
    return Counter(namespace for _, _, namespace, _ in identities)


def late(went: Went, kind: str) -> Counter[str]:
    """How many of a kind went of late, by namespace."""
    found: Counter[str] = Counter()
    for name, every in went.items():
        whose, _, namespace = name.partition("/")
        if whose == kind:
            place = "" if namespace == "_" else namespace or _UNKNOWN
            found[place] += sum(count for _, count in every)
    return found


def held(
    gone: Counter[str],
    copies: Counter[str],
    of_late: Counter[str],
    limits: tuple[Settings, int | None],
) -> Held | None:
    """What the brake holds of one kind; None when all may go.

    Args:
        gone: How many would go, by namespace.
        copies: Of how many.
        of_late: How many went of late, which are no copies any more.
        limits: What Settings let pass, and how many a person expects to go.
    """
    settings, allowed = limits
    going, every = gone + of_late, copies + of_late
    if not gone or not _is_much(going.total(), every.total(), settings, allowed):
        return None
    whole = Held(None, going.total(), every.total())
    name = min(going.keys() - {_UNKNOWN}, key=lambda it: (-going[it], it))
    rest, others = going.total() - going[name], every.total() - every[name]
    if not others:
        return whole
    # All of what remains says more than any share of it: as when the whole kind went.
    if rest == others or _is_much(rest, others, settings, None):
        return whole
    is_meant = name not in gone or (allowed is not None and going[name] <= allowed)
    return None if is_meant else Held(name, going[name], every[name])


def _is_much(going: int, every: int, settings: Settings, allowed: int | None) -> bool:
    """All of them, or more than the brake lets pass."""
    is_all = going == every and every >= _FEW
    is_share = 100 * going > settings.max_release_percent * every
    is_much = every >= settings.min_records and is_share
    return (is_all or is_much) and (allowed is None or going > allowed)
