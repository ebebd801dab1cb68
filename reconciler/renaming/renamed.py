"""Records under the names that they go on under."""

from collections.abc import Collection, Mapping

from msgspec import Struct, field
from msgspec.structs import replace

from reconciler.families._family import Reading
from reconciler.findings import Finding
from reconciler.model.allocation import Allocation
from reconciler.model.claim import Refusal
from reconciler.model.state import Former

Name = tuple[str, str, str, str]
"""Family, kind, namespace and name of who claims."""


class Renamed(Struct, frozen=True):
    """Records, some of them under another name.

    Attributes:
        former: What those were called, by path.
        refused: Who gets nothing new, because a rename of theirs is not clear, and why.
        doubts: The same, because something cannot be read that bears on it: its path.
        protected: Whose records stay as they are.
        along: Paths of records whose claim names the new name of whom they name themselves.
    """

    records: tuple[Allocation, ...]
    findings: tuple[Finding, ...] = ()
    former: Mapping[str, Former] = field(default_factory=dict)
    refused: Mapping[Name, Refusal] = field(default_factory=dict)
    doubts: Mapping[Name, str] = field(default_factory=dict)
    protected: frozenset[Name] = frozenset()
    along: frozenset[str] = frozenset()

    def applied(self, reading: Reading) -> Reading:
        """What families read, where nothing new is given to those in doubt.

        A field that still names the old name is told once: that the old name is not there, and may
        come, would be another advice.
        """
        if not (self.refused or self.doubts or self.protected):
            return reading
        claims = dict(reading.claims)
        for key, claim in reading.claims.items():
            if (refusal := self.refused.get(key.owner)) is not None:
                claims[key] = replace(claim, refusal=refusal)
            elif (path := self.doubts.get(key.owner)) is not None and not claim.doubt:
                claims[key] = replace(claim, doubt=path)
        told = {(it.location.path, it.location.line, it.location.column) for it in self.findings}
        found = tuple(it for it in reading.findings if not _is_told(it, told))
        protected = reading.protected | self.protected
        return replace(reading, claims=claims, findings=found, protected=protected)


def _is_told(item: Finding, told: Collection[tuple[str, int, int]]) -> bool:
    place = item.location.path, item.location.line, item.location.column
    return item.code == "reference-not-found" and place in told
