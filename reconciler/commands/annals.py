"""The history of a branch: each commit and each version of a record is read once."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice

from reconciler.asking.causes import Cause, cause_in, may_tell, taken_out
from reconciler.asking.facts import Fact, fact_of
from reconciler.asking.happenings import Happening, What, happenings
from reconciler.asking.rows import Row, Touch
from reconciler.commands.approvals import Approvals
from reconciler.documents.suffix import is_yaml
from reconciler.documents.text import Unread
from reconciler.model.settings import Settings
from reconciler.ports import Entry, Source
from reconciler.ports.annals import Annals
from reconciler.records.recall import recall

_FIRST = 64
_MOST = 4_096
# Between a change and the commit that carries it out there are seldom more than one or two.
_NEAR = 50
_MOST_FILES = 50
# So far back it is looked for who asked for a release that a brake held back.
_FAR = 500

Caused = tuple[Happening, Cause | None]


@dataclass(slots=True)
class History:
    """The past of a revision.

    Attributes:
        annals: The line of the branch.
        source: The files of the revision; versions of other commits are read by it, too.
        settings: Where records and documents are.
        start: Id of the commit from which on the past is told.
        rows: What is read of it so far, newest first.
        known: What versions of records say, by id and path.
    """

    annals: Annals
    source: Source
    settings: Settings
    start: str
    rows: list[Row] = field(default_factory=list)
    known: dict[tuple[str, str], Fact | None] = field(default_factory=dict)
    _more: Iterator[Row] | None = None
    _approvals: Approvals | None = None

    def told(
        self,
        wanted: Callable[[Happening], bool] = lambda _: True,
        only: Callable[[str], bool] = lambda _: True,
        *,
        has_causes: bool = True,
    ) -> Iterator[Caused]:
        """What happened, newest first, with what a person did to bring it about.

        Args:
            wanted: Which of it.
            only: Which paths of records tell of it; others are not read.
            has_causes: Look for causes, too.
        """
        at, size = 0, _FIRST
        while rows := list(islice(self._from(at), size)):
            self._learn(rows, only)
            found = [it for row in rows for it in happenings(row, self.known) if wanted(it)]
            places = {row.id: at + number for number, row in enumerate(rows)}
            yield from self._caused(found, places) if has_causes else ((it, None) for it in found)
            at, size = at + len(rows), min(size * 4, _MOST)

    def oldest_before(self, clock: int) -> int | None:
        """The date of the newest commit that is not dated later, else of the first at hand.

        None where there is no commit.
        """
        oldest = None
        for row in self._from(0):
            oldest = row.clock
            if row.clock <= clock:
                break
        return oldest

    def _from(self, at: int) -> Iterator[Row]:
        """The rows from one on; those that are not read yet are."""
        while True:
            if at < len(self.rows):
                yield self.rows[at]
                at += 1
                continue
            if self._more is None:
                self._more = self.annals.line(
                    self.start, [self.settings.records, *self.settings.folders]
                )
            row = next(self._more, None)
            if row is None:
                return
            self.rows.append(row)

    def _learn(self, rows: Iterable[Row], only: Callable[[str], bool]) -> None:
        """Read the versions of records that some commits touched."""
        inside = f"{self.settings.records}/"
        wanted = dict.fromkeys(
            (oid, touch.path)
            for row in rows
            for touch in row.touched
            if touch.path.startswith(inside) and is_yaml(touch.path) and only(touch.path)
            for oid in (touch.old, touch.new)
            if oid and (oid, touch.path) not in self.known
        )
        entries = [Entry(path, "100644", oid) for oid, path in wanted]
        for entry, data in zip(entries, self.source.read(entries), strict=True):
            is_read = not isinstance(data, Unread)
            found = recall(self.settings.records, entry.path, data).allocation if is_read else None
            self.known[entry.oid, entry.path] = fact_of(found)

    def _caused(self, found: Sequence[Happening], places: dict[str, int]) -> Iterator[Caused]:
        """Happenings with their causes; all documents that may tell one are read at once."""
        near = {row: self._near(places[row]) for row in dict.fromkeys(it.row.id for it in found)}
        texts = self._texts(row for rows in near.values() for row in rows)
        # Of a commit that touched very many files this takes a while: once, not for each claim.
        told = {row.id: self._telling(row) for rows in near.values() for row in rows}
        telling = {at: [(row, told[row.id]) for row in rows] for at, rows in near.items()}
        causes = [cause_in(it, telling[it.row.id], texts) for it in found]
        held = [it for it, cause in zip(found, causes, strict=True) if _may_be_held(it, cause)]
        far = {
            row: list(islice(self._from(places[row]), _FAR))
            for row in {it.row.id: 0 for it in held}
        }
        texts |= self._texts(row for rows in far.values() for row in rows)
        for it, cause in zip(found, causes, strict=True):
            rows = far.get(it.row.id, []) if _may_be_held(it, cause) else []
            why = taken_out(it, rows, self.settings.records, texts, _MOST_FILES) or cause
            yield it, why and why._replace(approval=self._approvals_at_hand().of(it))

    def _approvals_at_hand(self) -> Approvals:
        """The Overrides of the line; they are read once something asks for them."""
        if self._approvals is None:
            self._approvals = Approvals(self.annals, self.source, self.start)
        return self._approvals

    def _near(self, at: int) -> list[Row]:
        """The commits that one may carry out: it, and those behind the one of reconcile before."""
        near: list[Row] = []
        for row in islice(self._from(at), _NEAR):
            if row.is_plan and near:
                break
            near.append(row)
        return near

    def _telling(self, row: Row) -> list[Touch]:
        return may_tell(row, self.settings.records, _MOST_FILES)

    def _texts(self, rows: Iterable[Row]) -> dict[str, bytes]:
        """The documents that commits touched, as they were before and after, by id."""
        once = {row.id: row for row in rows}.values()
        touches = (it for row in once for it in self._telling(row))
        oids = dict.fromkeys(it for touch in touches for it in (touch.new, touch.old) if it)
        entries = [Entry("", "100644", oid) for oid in oids]
        read = self.source.read(entries)
        return {
            entry.oid: data
            for entry, data in zip(entries, read, strict=True)
            if not isinstance(data, Unread)
        }


def _may_be_held(item: Happening, cause: Cause | None) -> bool:
    """A release of which no near commit says anything: a brake may have held it back for long."""
    return item.what is What.RELEASED and (cause is None or not cause.path)
