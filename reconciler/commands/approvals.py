"""Which Override let pass what happened in a commit: for display, nothing else follows from it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from reconciler.asking.causes import Approval
from reconciler.asking.happenings import Happening, What
from reconciler.asking.rows import Row
from reconciler.documents.text import Unread
from reconciler.model.override import Override, OverrideKind
from reconciler.model.settings import OVERRIDES
from reconciler.overrides import is_override, read_override
from reconciler.ports import Entry, Source
from reconciler.ports.annals import Annals

_MOVES = (What.MOVED, What.TRANSFERRED, What.LEFT, What.RELEASED, What.ALLOCATED)


@dataclass(slots=True)
class Approvals:
    """The Overrides of a line, which are read once something asks for them.

    Attributes:
        start: Id of the commit from which on the past is told.
    """

    annals: Annals
    source: Source
    start: str
    _rows: Sequence[Row] | None = None
    _known: dict[tuple[str, str], Override | None] = field(default_factory=dict)

    def of(self, item: Happening) -> Approval | None:
        """The Override that counted for a claim's move, else for its release."""
        if item.what not in _MOVES:
            return None
        brake = None
        for approval, override in self._standing(item.row):
            if override.kind is OverrideKind.MOVE and override.scope == item.fact.claim:
                return approval
            if override.kind is OverrideKind.BRAKE and item.what is What.RELEASED:
                brake = brake or approval
        return brake

    def _standing(self, row: Row) -> Iterator[tuple[Approval, Override]]:
        """Those that stood before a commit and had not expired; the newest first."""
        seen: set[str] = set()
        for older in self._read():
            if older.id == row.id or older.clock > row.clock:
                continue
            for touch in older.touched:
                if touch.path in seen or not is_override(touch.path):
                    continue
                seen.add(touch.path)
                override = self._override(touch.path, touch.new) if touch.new else None
                if override is not None and override.expires > row.clock:
                    yield Approval(older, touch.path), override

    def _read(self) -> Sequence[Row]:
        if self._rows is None:
            self._rows = tuple(self.annals.line(self.start, [OVERRIDES]))
        return self._rows

    def _override(self, path: str, oid: str) -> Override | None:
        if (path, oid) not in self._known:
            (data,) = self.source.read([Entry(path, "100644", oid)])
            found = None if isinstance(data, Unread) else read_override(path, data)[0]
            self._known[path, oid] = found
        return self._known[path, oid]
