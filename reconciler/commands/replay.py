"""Replaying a reconcile commit: planning its base once more, and comparing the bytes.

A trailer can be written by anybody. A commit is reconcile's when a plan of its base, at its clock,
makes the very files that it holds (`docs/adr/0009`). Nothing but the repository is asked.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from reconciler import __version__
from reconciler.commands.dates import When, when_made
from reconciler.commands.message import Said, read_message
from reconciler.commands.reading.as_of import AsOf
from reconciler.commands.reading.incremental import evaluate_incrementally
from reconciler.commands.reading.laid import Laid
from reconciler.commands.reading.settings import read_own_settings
from reconciler.commands.reading.terms import Terms
from reconciler.documents.load import is_yaml
from reconciler.engine.due import due_instants
from reconciler.evaluate import Evaluation, leaving, let_pass, with_gone
from reconciler.model.verdict import Verdict
from reconciler.ports import (
    Changed,
    Facts,
    GitError,
    LimitError,
    Repository,
    Revision,
    Source,
)
from reconciler.records.changes import Change
from reconciler.records.recall import recall

_TABLE = "replayed"
_HELD = "it is in the commit still"


@dataclass(frozen=True, slots=True)
class Replayed:
    """What planning the base of a commit once more shows.

    Attributes:
        verdict: What it shows. `FOREIGN`: it does not say of itself what reconcile says, or not of
            this place; it changes nothing, or something else than records and what was looked at;
            it has a time that reconcile gives none. `NOT_YET`: it may be true one day; until then
            nobody can have made it.
        files: Paths of the files that differ.
        moved: Those of them that also say otherwise who holds what.
        version: The version that made it; empty if it does not say.
    """

    verdict: Verdict
    files: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    version: str = ""

    @property
    def is_believed(self) -> bool:
        """It is reconcile's; of another version when it decided the same, in whatever bytes."""
        if self.verdict is Verdict.NOT_COMPARABLE:
            return not self.moved
        return self.verdict is Verdict.SAME


def replay(
    repository: Repository, commit: str, facts: Facts | None = None, *, notes: bool = False
) -> Replayed:
    """Replay a commit. Costs a plan of its base.

    Args:
        repository: Where it is.
        commit: Its id.
        facts: The cache that spares reading what is settled.
        notes: Note in it what is read now; else it is of the revision that is planned now.

    Raises:
        GitError: The commit is not there.
    """
    try:
        known = facts if notes or facts is None else _Known(facts)
        return _replay(repository, commit, known)
    except LimitError:  # reconcile makes no commit of a base that is too large to be read
        return Replayed(Verdict.FOREIGN)


def _replay(repository: Repository, commit: str, facts: Facts | None) -> Replayed:
    made = repository.made(commit)
    said = read_message(made.message)
    # A rewritten history has other ids than its messages name: what counts is what it was made from.
    if said is None or len(made.parents) != 1 or made.clock is None:
        return Replayed(Verdict.FOREIGN)
    (parent,) = made.parents
    trusting = repository.trusting()
    try:
        base = trusting.resolve(parent)
        source = trusting.source(parent)
    except GitError:
        verdict = Verdict.FOREIGN if _is_here(repository, parent) else Verdict.NOT_HERE
        return Replayed(verdict, version=said.version)
    files_of = trusting.source(commit)
    if files_of.clock_ahead() is not None:
        return Replayed(Verdict.NOT_YET, version=said.version)
    changed, _ = repository.changed(base.id, commit)
    settings = read_own_settings(source).settings
    seen = [item for item in changed if item.path.startswith(f"{settings.observed}/")]
    written = [item for item in changed if item.path.startswith(f"{settings.records}/")]
    # Where there is nothing to do, reconcile makes no commit; and it writes in its folders alone.
    is_ours = (
        bool(changed) and len(seen) + len(written) == len(changed) and all(map(_is_plain, seen))
    )
    when = when_made(made.clock, said, base, has_seen=bool(seen))
    if not is_ours or when is None:
        return Replayed(Verdict.FOREIGN, version=said.version)
    below = Laid(source, files_of, settings.observed) if when.has_look else source
    then = AsOf(below, when.clock, base.clock if when.clock < base.clock else None)
    # What people described since is no more observed: a plan takes such files away.
    planned = written if when.has_look else changed
    gone = [item.path for item in seen if item.new is None] if when.has_look else []
    tries = _Tries(then, files_of, said, planned, facts, gone)
    files = tries.nearest(when)
    if files is None:
        return Replayed(Verdict.FOREIGN, version=said.version)
    if not files:
        return Replayed(Verdict.SAME, version=said.version)
    is_own = said.version == __version__
    verdict = Verdict.DIFFERENT if is_own else Verdict.NOT_COMPARABLE
    moved = tuple(path for path, is_moved in files.items() if is_moved)
    return Replayed(verdict, tuple(files), moved, said.version)


def believes(repository: Repository, facts: Facts | None, commit: str) -> bool:
    """Whether reconcile made a commit that says so, as far as it can be told here."""
    return judged(repository, facts, commit) is Verdict.SAME


def judged(repository: Repository, facts: Facts | None, commit: str) -> Verdict:
    """What a replay of a commit shows: `SAME` when it is believed. Once for a cache."""
    if (known := judged_before(facts, commit)) is not None:
        return known
    replayed = replay(repository, commit, facts)
    verdict = Verdict.SAME if replayed.is_believed else replayed.verdict
    # What is not here, or has a time that has not come, may be so one day.
    if facts is not None and verdict not in (Verdict.NOT_HERE, Verdict.NOT_YET):
        facts.note(_TABLE, {commit: verdict})
    return verdict


def judged_before(facts: Facts | None, commit: str) -> Verdict | None:
    """What a cache knows of a commit."""
    known = facts.known(_TABLE, [commit]).get(commit) if facts is not None else None
    return Verdict(known) if known is not None else None


def note_made(facts: Facts | None, commit: Revision) -> None:
    """Remember a commit that this very run made: it need not be replayed."""
    if facts is not None:
        facts.note(_TABLE, {commit.id: Verdict.SAME})


def _is_here(repository: Repository, commit: str) -> bool:
    """It is here, though it cannot be read as one that reconcile may have been run on."""
    try:
        repository.made(commit)
    except GitError:
        return False
    return True


def _is_plain(item: Changed) -> bool:
    """A file that is gone, or is one: reconcile makes no links."""
    return item.new is None or item.new.is_file


class _Known:
    """A cache that nothing is noted in: what it knows is of the revision that is planned now."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts

    def known(self, table: str, keys: Sequence[str]) -> dict[str, str]:
        """Those of the texts that are known."""
        return self._facts.known(table, keys)

    def note(self, table: str, rows: Mapping[str, str]) -> None:
        """Nothing is kept."""


@dataclass(frozen=True, slots=True)
class _Tries:
    """The plans that may have made a commit, compared with what it changed.

    Attributes:
        gone: Paths of what a look took away.
    """

    base: Source
    made: Source
    said: Said
    changed: Sequence[Changed]
    facts: Facts | None
    gone: Sequence[str]

    def nearest(self, when: When) -> dict[str, bool] | None:
        """The files that differ of the nearest plan; None when nothing fell due at its clock."""
        evaluation = self._evaluate({})
        if when.is_due and when.clock not in due_instants(evaluation.state):
            return None
        return min(self._differences(evaluation), key=len)

    def _differences(self, evaluation: Evaluation) -> list[dict[str, bool]]:
        """Of each plan the files that differ, each with whether it says otherwise who holds what."""
        touched = {item.path for item in self.changed}
        # What clusters still announced when it was made stayed, and was held all the while.
        held = {it.path: _HELD for it in leaving(evaluation) if it.path not in touched}
        if held:
            evaluation = self._evaluate(held)
        found = [let_pass(evaluation).changes]
        # What the brake let pass then depends on what people had done to records: on all before.
        if evaluation.brake is not None:
            found.append(evaluation.changes)
        folder, theirs = evaluation.tree.settings.records, self._theirs()
        return [_differences(folder, wanted, theirs) for wanted in found]

    def _evaluate(self, held: Mapping[str, str]) -> Evaluation:
        terms = Terms(allow_release=self.said.allow_release, retained=held)
        return with_gone(evaluate_incrementally(self.base, self.facts, terms), self.gone)

    def _theirs(self) -> dict[str, bytes | None]:
        """The files that the commit changed, with their bytes; None for what it removed."""
        there = [item.new for item in self.changed if item.new is not None and item.new.is_file]
        data = zip(there, self.made.read(there), strict=True)
        found: dict[str, bytes | None] = {entry.path: text for entry, text in data}
        for item in self.changed:
            if item.new is None:
                found[item.path] = None
            elif not item.new.is_file:  # a link, or a submodule: reconcile makes none
                found[item.path] = item.new.mode.encode()
        return found


def _differences(
    folder: str, wanted: Sequence[Change], theirs: Mapping[str, bytes | None]
) -> dict[str, bool]:
    mine = {change.path: change.data for change in wanted}
    mine |= dict.fromkeys(_making_way(theirs.keys() - mine.keys(), mine))
    return {
        path: _stated(folder, path, mine.get(path)) != _stated(folder, path, theirs.get(path))
        for path in sorted(mine.keys() | theirs.keys())
        if path not in mine or path not in theirs or mine[path] != theirs[path]
    }


def _making_way(paths: Iterable[str], wanted: Mapping[str, bytes | None]) -> list[str]:
    """Files, but no records, that a tree cannot hold beside what is wanted.

    In the place of a folder that is made, or in a folder in the place of a file that is.
    """
    made = {path for path, data in wanted.items() if data is not None}
    folders = {above for path in made for above in _above(path)}
    return [
        path
        for path in paths
        if not is_yaml(path) and (path in folders or not made.isdisjoint(_above(path)))
    ]


def _above(path: str) -> Iterator[str]:
    """The folders that a path is in."""
    while path := path.rpartition("/")[0]:
        yield path


def _stated(folder: str, path: str, data: bytes | None) -> object:
    """Who holds what by a record; by what is none, or is gone, whatever it is."""
    if data is None:
        return None
    record = recall(folder, path, data).allocation
    return data if record is None else (record.claim, record.pool, record.range, record.phase)
