"""Replaying a reconcile commit: planning its base once more, and comparing the bytes.

A trailer can be written by anybody. A commit is reconcile's when a plan of its base, at its clock,
makes the very files that it holds (`docs/adr/0009`). Nothing but the repository is asked.
"""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from types import MappingProxyType

from msgspec import Struct

from reconciler import __version__
from reconciler.commands.dates import When, when_made
from reconciler.commands.differing import differences
from reconciler.commands.message import Said, read_message
from reconciler.commands.putting_back import anchored
from reconciler.commands.reading.as_of import AsOf
from reconciler.commands.reading.laid import Laid
from reconciler.commands.reading.reader import EvaluationOptions, evaluate_source
from reconciler.commands.reading.settings import read_own_settings
from reconciler.commands.verdicts import judged_before, note_judged
from reconciler.engine.due import is_due
from reconciler.evaluate import Evaluation, leaving, left_behind, let_pass, with_gone
from reconciler.model.verdict import Verdict
from reconciler.ports import (
    Changed,
    GitError,
    LimitError,
    Repository,
    Source,
)

_HELD = "it is in the commit still"
_MOST_DEPTH = 8


class Replayed(Struct, frozen=True):
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
    repository: Repository,
    commit: str,
    depth: int = 0,
) -> Replayed:
    """Replay a commit. Costs a plan of its base.

    Args:
        repository: Where it is.
        commit: Its id.
        depth: How many commits stand on what this one shows.

    Raises:
        GitError: The commit is not there.
    """
    try:
        return _replay(repository, commit, depth)
    except LimitError:  # reconcile makes no commit of a base that is too large to be read
        return Replayed(Verdict.FOREIGN)


def _replay(repository: Repository, commit: str, depth: int) -> Replayed:
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
    since = anchored(repository, parent, said.put_back, partial(_is_made, repository, depth))
    files = _Tries(then, files_of, said, planned, gone, since).nearest(when)
    if files is None:
        return Replayed(Verdict.FOREIGN, version=said.version)
    if not files:
        return Replayed(Verdict.SAME, version=said.version)
    is_own = said.version == __version__
    verdict = Verdict.DIFFERENT if is_own else Verdict.NOT_COMPARABLE
    moved = tuple(path for path, is_moved in files.items() if is_moved)
    return Replayed(verdict, tuple(files), moved, said.version)


def believes(repository: Repository, commit: str) -> bool:
    """Whether reconcile made a commit that says so, as far as it can be told here."""
    return judged(repository, commit) is Verdict.SAME


def judged(repository: Repository, commit: str, depth: int = 0) -> Verdict:
    """What a replay of a commit shows: `SAME` when it is believed. Once for a cache."""
    if (known := judged_before(repository, commit)) is not None:
        return known
    replayed = replay(repository, commit, depth)
    verdict = Verdict.SAME if replayed.is_believed else replayed.verdict
    note_judged(repository, commit, verdict)
    return verdict


def _is_made(repository: Repository, depth: int, commit: str) -> bool:
    """Reconcile made a commit that another one stands on; not at the end of a long row of them."""
    if depth == _MOST_DEPTH or not _is_here(repository, commit):
        return False
    return judged(repository, commit, depth + 1) is Verdict.SAME


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


class _Tries(Struct, frozen=True):
    """The plans that may have made a commit, compared with what it changed.

    Attributes:
        gone: Paths of what a look took away.
        since: Adds what people had done to records, where a brake put some back.
    """

    base: Source
    made: Source
    said: Said
    changed: Sequence[Changed]
    gone: Sequence[str]
    since: Callable[[Source, Evaluation], Evaluation]

    def nearest(self, when: When) -> dict[str, bool] | None:
        """The files that differ of the nearest plan; None when nothing fell due at its clock."""
        evaluation = self._evaluate({})
        if when.is_due and not is_due(evaluation.state, when.clock):
            return None
        found = self._differences(evaluation)
        touched = {item.path for item in self.changed}
        unused = {it.path: "" for it in left_behind(evaluation) if it.path in touched}
        # What nobody used any more when it was made was told by clusters, and is in the commit.
        if unused:
            found += self._differences(self._evaluate({}, unused), unused)
        return min(found, key=len)

    def _differences(
        self, evaluation: Evaluation, unused: Mapping[str, str] = MappingProxyType({})
    ) -> list[dict[str, bool]]:
        """Of each plan the files that differ, each with whether it says otherwise who holds what."""
        touched = {item.path for item in self.changed}
        # What clusters still announced when it was made stayed, and was held all the while.
        held = {it.path: _HELD for it in leaving(evaluation) if it.path not in touched}
        if held:
            evaluation = self._evaluate(held, unused)
        found = [let_pass(evaluation).changes]
        # What the brake let pass then depends on what people had done to records: on all before.
        if evaluation.brake is not None:
            found.append(evaluation.changes)
        folder, theirs = evaluation.tree.settings.records, self._theirs()
        return [differences(folder, wanted, theirs) for wanted in found]

    def _evaluate(
        self, held: Mapping[str, str], unused: Mapping[str, str] = MappingProxyType({})
    ) -> Evaluation:
        terms = EvaluationOptions(allow_release=self.said.allow_release, retained=held, left=unused)
        found = with_gone(evaluate_source(self.base, terms), self.gone)
        return self.since(self.base, found)

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
