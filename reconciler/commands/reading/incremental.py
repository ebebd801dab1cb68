"""Reading only what may have changed: a group that had nothing to do and is untouched is left out.

Files that can bear on each other are a group (`incremental/group.py`). Three sorts of groups are
read: those with a changed file, those that had something to do, and those that one of these
reaches: by a name that is asked for or provided, by an address, by the name of a record. For all
others the sum counts that an earlier run noted. A tree is read whole when nothing is known of it,
or when its folders have no ids. The evaluation is the same in each case (ADR 0007).
"""

from collections.abc import Mapping, Sequence
from contextlib import suppress

from msgspec import Struct, field, structs

from reconciler.commands.reading.listing import NOTED_NOTHING, Noted, moved
from reconciler.commands.reading.overrides import read_overrides
from reconciler.commands.reading.parallel import groups_in_parallel
from reconciler.commands.reading.parts import NotPlainError, Parts
from reconciler.commands.reading.settings import read_own_settings
from reconciler.commands.reading.terms import OWN_TERMS, Terms
from reconciler.commands.reading.whole import read_tree
from reconciler.documents.document import anywhere, is_anywhere
from reconciler.evaluate import Evaluation, evaluate
from reconciler.incremental import snapshot
from reconciler.incremental.group import (
    Bearing,
    Group,
    Provided,
    bearing,
    is_shared,
    with_given,
)
from reconciler.incremental.grouping import Reach, groups, touching
from reconciler.incremental.settling import settle, sum_of
from reconciler.model.plan import Grant, Keep, Refuse
from reconciler.model.settings import Settings
from reconciler.ports import Facts, Source

# So many files are read again by each run rather than that all groups are written anew for them.
FEW = 1_000
_Ids = Mapping[str, str]
"""Object ids by path."""


class _ColdError(Exception):
    """What is known is of no use: read all, and note it."""


def evaluate_incrementally(
    source: Source, facts: Facts | None, terms: Terms = OWN_TERMS, *, is_change: bool = False
) -> Evaluation:
    """Evaluate a revision, reading as little of it as the cache allows.

    Args:
        source: Its files.
        facts: The cache, or None.
        terms: What it is judged by beside what it says itself.
        is_change: Its base is asked for next: little that it has beside what is known is not noted,
            since what is known is of the base then, which has to be read anew if it is forgotten.
    """
    own = read_own_settings(source, terms.settings)
    overrides = read_overrides(source) if terms.overrides is None else terms.overrides
    allowed, retained, left = terms.allow_release, terms.retained, terms.left
    if facts is not None and not own.is_broken:
        settings = terms.settings or own.settings
        judging = terms.contracts
        parts = Parts(source, own, settings, allowed, retained, overrides, left, judging)
        try:
            return _Run(parts, facts, is_change).evaluation()
        except NotPlainError:
            pass
    tree = read_tree(source, terms.settings, own, overrides)
    return evaluate(
        structs.replace(tree, retained=retained, left=left, contracts=terms.contracts), allowed
    )


class _Run(Struct):
    """One evaluation: what is known, what is read.

    Attributes:
        parts: How parts are read and evaluated.
        facts: What is known.
        is_change: Little that differs from what is known is not noted.
        left_out: Groups that are not read, by number: those of an earlier run, then new ones.
        known: How many groups the earlier run left.
        to_read: Object ids of the parts that are read, by path.
        shared: Object ids of the source files that bear on everything, by path.
        gone: Parts of earlier groups that are not there any more.
        earlier: What the earlier run left.
    """

    parts: Parts
    facts: Facts
    is_change: bool = False
    left_out: dict[int, Group] = field(default_factory=dict)
    known: int = 0
    to_read: dict[str, str] = field(default_factory=dict)
    shared: _Ids = field(default_factory=dict)
    gone: Sequence[str] = ()
    earlier: snapshot.Head | None = None

    @property
    def source(self) -> Source:
        """The files of the revision."""
        return self.parts.source

    @property
    def settings(self) -> Settings:
        """The Settings to go by."""
        return self.parts.settings

    def evaluation(self) -> Evaluation:
        """The evaluation of the revision."""
        tops = self._tops()
        head = self._head()
        if head is not None and head.tops == tops:
            self.to_read = dict(sorted({**head.restless, **head.shared}.items()))
            self.shared = head.shared
            evaluation = self.parts.evaluate(self.to_read, head.settled)
            # What stands elsewhere matters to a new name, and to what seems to have vanished.
            if not (_new_names(evaluation) or evaluation.tree.last_good.documents):
                return evaluation
        try:
            return self._evaluate_changed(tops, head)
        except _ColdError:
            return self._evaluate_changed(tops, None)

    def _evaluate_changed(self, tops: _Ids, head: snapshot.Head | None) -> Evaluation:
        self._begin(tops, head)
        self.parts.bring(self.to_read)  # before the first of it is read
        self._note_shared()
        self._divide()
        while True:
            settled = (group.settled for group in self.left_out.values())
            known = sum_of(item for item in settled if item is not None)
            elsewhere = Provided(list(self.left_out.values()))
            evaluation = self.parts.evaluate(self.to_read, known, elsewhere)
            bears = bearing(evaluation)
            if not self._reach(evaluation, bears):
                with suppress(UnicodeEncodeError):  # half a character: it is read again
                    self._note(tops, evaluation, bears)
                return evaluation
            self.parts.bring(self.to_read)  # what it reaches, too

    def _key(self) -> str:
        """What the groups of a tree depend on beside its files."""
        beside = tuple(filter(None, (self.parts.overrides.counting, self.parts.contracts)))
        return repr((self.settings, *beside) if beside else self.settings)

    def _head(self) -> snapshot.Head | None:
        text = self.facts.known(snapshot.HEAD, [self._key()]).get(self._key())
        return snapshot.read_head(text) if text is not None else None

    def _tops(self) -> dict[str, str]:
        """Ids of the folders that are read; what is not there is left out."""
        listed = self.source.standing([*self.settings.folders, self.settings.records])
        if listed is None or any(not entry.is_folder for entry in listed):
            raise NotPlainError
        return {entry.path: entry.oid for entry in listed}

    def _begin(self, tops: _Ids, head: snapshot.Head | None) -> None:
        """Tell the parts that are to be read from the groups that may be left out."""
        text = self._known_text(snapshot.GROUPS, head)
        noted = NOTED_NOTHING
        if head is not None and text is not None:
            noted = Noted(head, snapshot.read_groups(text))
        changed = moved(self.parts, tops, noted)
        if not changed.keys().isdisjoint(noted.head.shared):
            noted, changed = NOTED_NOTHING, {**noted.all(), **changed}
        self.earlier, self.shared, self.known = noted.head, noted.head.shared, len(noted.groups)
        found = noted.divided(changed)
        self.left_out, self.to_read, self.gone = found.left_out, found.to_read, found.gone

    def _known_text(self, table: str, head: snapshot.Head | None) -> str | None:
        return self.facts.known(table, [head.id]).get(head.id) if head is not None else None

    def _note_shared(self) -> None:
        """Find the source files that bear on everything.

        Raises:
            _ColdError: There is a new one, which bears on what is left out, too.
        """
        found = {
            item.path: self.to_read[item.path]
            for item in self.parts.load(self.to_read)
            if any(map(is_shared, item.documents))
        }
        if self.left_out and not found.keys() <= self.shared.keys():
            raise _ColdError
        self.shared = found

    def _divide(self) -> None:
        """Evaluate many parts on all processors; those with nothing to do are left out then."""
        found = groups_in_parallel(self.parts, self.to_read, self.shared)
        if not found:
            return
        new = {number: item for number, item in enumerate(found, self.known) if item.settled}
        for number in touching({**self.left_out, **new}):
            new.pop(number, None)
        self.left_out |= new
        for group in new.values():
            for path in group.parts:
                del self.to_read[path]

    def _reach(self, evaluation: Evaluation, bears: Bearing) -> bool:
        """Take back the groups that what was read bears on; whether there are any."""
        provides = {item for nodes in bears.provides.values() for item in nodes}
        provides |= {*map(anywhere, provides)}
        asks = {item for nodes in bears.asks.values() for item in nodes}
        named = {item for item in provides if item[-1] != "*"}
        sought = {*filter(is_anywhere, asks)}
        reach = Reach(with_given(bears, evaluation) if self.is_change else bears)
        # Views of dictionaries look at the smaller side alone.
        reached = [
            number
            for number, group in self.left_out.items()
            if not group.provides.keys().isdisjoint(asks)
            or not group.asks.keys().isdisjoint(provides)
            or (sought and not sought.isdisjoint(map(anywhere, group.provides)))
            or not group.provides.keys().isdisjoint(named)
            or reach.meets(group)
        ]
        reached += self._named(_new_names(evaluation), reached)
        for number in reached:
            self.to_read |= self.left_out.pop(number).parts
        self.to_read = dict(sorted(self.to_read.items()))
        return bool(reached)

    def _named(self, names: Sequence[str], reached: Sequence[int]) -> list[int]:
        """Groups with a record of one of the names."""
        rest = [number for number in self.left_out if number not in reached]
        if not names or not rest:
            return []
        wanted = dict.fromkeys(names).keys()
        found = [number for number in rest if not wanted.isdisjoint(self.left_out[number].names)]
        noted = [number for number in rest if number < self.known]
        if noted:  # only those of this run have theirs
            text = self._known_text(snapshot.NAMES, self.earlier)
            if text is not None and not snapshot.may_have(text, wanted):
                return found
            known = snapshot.read_names(text) if text is not None else None
            found += [it for it in noted if known is None or snapshot.has_name(known[it], wanted)]
        return found

    def _fill_names(self, known: Sequence[str]) -> None:
        """Give the groups of the earlier run the names of their records."""
        for number, group in self.left_out.items():
            if number < self.known:
                group.names = dict.fromkeys(snapshot.split_names(known[number]))

    def _is_little(self) -> bool:
        """The groups of the earlier run are left as they are: little is read beside them."""
        if not self.known or any(number >= self.known for number in self.left_out):
            return False
        records = self.parts.records(self.to_read)
        return len(self.to_read) + sum(map(len, records.values())) < FEW

    def _note(self, tops: _Ids, evaluation: Evaluation, bears: Bearing) -> None:
        """Leave what is known now to the next run."""
        if evaluation.tree.last_good.halted:
            return
        if self.earlier is not None and self._is_little():
            if self.is_change:
                return
            restless = {path: oid for path, oid in self.to_read.items() if path not in self.shared}
            settled = sum_of(group.settled for group in self.left_out.values() if group.settled)
            head = snapshot.Head(self.earlier.id, tops, self.shared, restless, settled, self.gone)
            self.facts.note(snapshot.HEAD, {self._key(): snapshot.write_head(head)})
            return
        found = groups(self.to_read, bears)
        settle(evaluation, found)
        text = self._known_text(snapshot.NAMES, self.earlier)
        if text is not None:
            self._fill_names(snapshot.read_names(text))
        elif any(number < self.known for number in self.left_out):
            return
        written = snapshot.write(tops, self.shared, [*self.left_out.values(), *found])
        self.facts.note(snapshot.GROUPS, {written.id: written.groups})
        self.facts.note(snapshot.NAMES, {written.id: written.names})
        self.facts.note(snapshot.HEAD, {self._key(): written.head})


def _new_names(evaluation: Evaluation) -> list[str]:
    """Names, with the namespace, of records that the plan makes."""
    if not evaluation.changes:
        return []
    claims = evaluation.state.claims
    new = (
        claims[decision.claim]
        for decision in evaluation.plan.decisions
        if decision.claim in claims
        and (
            isinstance(decision, Grant | Refuse)
            or (isinstance(decision, Keep) and not decision.allocation.pristine)
        )
    )
    return [f"{claim.namespace}/{claim.name}" for claim in new]
