"""Overrides: what a person lets pass once, by a file that was merged before the change it is for.

Only those that stood in the base count. What was asked of them is noted, so that one that lets
nothing pass can be told.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum

from msgspec import Struct

from reconciler.findings import Finding, Location


class OverrideKind(StrEnum):
    """What an Override is for."""

    RECORD = "record"
    GATE = "gate"
    BRAKE = "brake"
    MOVE = "move"
    SHRINK = "shrink"


SETTINGS_SCOPE = "Settings"
"""The scope of a gate Override that is for all pools with the gate of Settings."""


@dataclass(frozen=True, slots=True)
class Override:
    """One Override.

    Attributes:
        scope: What it is for: the path or the claim of a record, or a folder that ends with `/`; a pool, or `Settings`; a claim.
            Empty for a brake.
        reason: Why, in the words of who wrote it.
        expires: The first second in which it lets nothing pass, since 1970.
        releases: How many releases a person expects, with those that rest already; 0 for all kinds but a brake.
        path: Its file.
    """

    kind: OverrideKind
    scope: str
    reason: str
    expires: int
    releases: int
    path: str
    location: Location = field(compare=False)

    @property
    def lets_pass(self) -> str:
        """What it lets pass, in words."""
        match self.kind:
            case OverrideKind.RECORD if self.scope.endswith("/"):
                return f"records that are added below {self.scope}"
            case OverrideKind.RECORD:
                return f"an edit of the record {self.scope}"
            case OverrideKind.GATE:
                return f"the capacity gate of {self.scope}"
            case OverrideKind.BRAKE:
                return f"up to {self.releases} releases (with those that rest already)"
            case OverrideKind.MOVE:
                return f"a move of {self.scope}"
        return f"shrinking {self.scope}"


class Lack(Struct, frozen=True):
    """More releases than an Override names.

    Attributes:
        wanted: How many would have to pass, with those that rest already.
        resting: Those that rest.
    """

    wanted: int
    resting: int


@dataclass(frozen=True, slots=True)
class Overrides:
    """Those of a tree.

    Attributes:
        counting: Those that let something pass: merged before, unchanged, not expired.
        findings: What is wrong with their files, and which of them do not count.
        coming: Those that will count once they are merged.
    """

    counting: tuple[Override, ...] = ()
    findings: tuple[Finding, ...] = ()
    coming: tuple[Override, ...] = ()
    _asked: dict[Override, None] = field(default_factory=dict, compare=False, repr=False)
    _short: dict[Override, Lack] = field(default_factory=dict, compare=False, repr=False)

    def allow(self, kind: str, scope: str) -> bool:
        """Whether one of a kind is for exactly this scope. It is then noted as used."""
        found = [item for item in self.counting if item.kind == kind and item.scope == scope]
        self._asked.update(dict.fromkeys(found))
        return bool(found)

    def releases(self, wanted: int, resting: int = 0) -> bool:
        """Whether one lets so many releases pass. It is then noted as used; else those that are short.

        Args:
            wanted: How many, with those that rest since before.
            resting: Those that rest.
        """
        found = [item for item in self.counting if wanted <= item.releases]
        self._asked.update(dict.fromkeys(found))
        if not found:
            every = (*self.counting, *self.coming)
            lack = Lack(wanted, resting)
            self._short.update((it, lack) for it in every if 0 < it.releases < wanted)
        return bool(found)

    def short(self) -> Iterator[tuple[Override, Lack]]:
        """Those that name fewer releases than were asked for, and let nothing pass."""
        return ((item, lack) for item, lack in self._short.items() if item not in self._asked)

    def unused(self) -> Iterator[Override]:
        """Those that count, but that nothing was asked of; but for those that are short."""
        return (item for item in self.counting if item not in {**self._asked, **self._short})

    def used(self) -> Iterator[Override]:
        """Those that let something pass."""
        return (item for item in self.counting if item in self._asked)

    def afresh(self) -> "Overrides":
        """The same, of which nothing was asked yet: what an evaluation notes is its own."""
        return Overrides(self.counting, self.findings, self.coming)
