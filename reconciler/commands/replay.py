"""Replay a reconcile commit: plan its base again, and compare the files. Only `ipam verify` does."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from msgspec import Struct

from reconciler import __version__
from reconciler.commands.by_hand import as_reconciled
from reconciler.commands.message import Said, read_message
from reconciler.commands.reading.reader import EvaluationOptions
from reconciler.commands.reading.views import AsOf, Overlay
from reconciler.commands.reconcile_commits import is_reconcile_commit, settings_at
from reconciler.commands.rewritten import lost_records, released
from reconciler.documents.suffix import is_yaml
from reconciler.engine.due import is_due
from reconciler.evaluate import Evaluation, leaving, left_behind, let_pass
from reconciler.model.change import Change
from reconciler.model.settings import Settings
from reconciler.model.verdict import Verdict
from reconciler.ports import Changed, GitError, LimitError, Repository, Revision, Source

_KEPT = "it is in the commit still"


class Replayed(Struct, frozen=True):
    """The result of planning the base of a commit again.

    Attributes:
        verdict: The verdict.
        files: Paths of the files that differ.
        version: The version that made it; empty if the message does not name it.
    """

    verdict: Verdict
    files: tuple[str, ...] = ()
    version: str = ""


def replay(repository: Repository, commit: str) -> Replayed:
    """Replay a commit. Costs a plan of its base.

    Raises:
        GitError: The commit is not there.
    """
    try:
        return _replay(repository, commit)
    except LimitError:  # reconcile makes no commit of a base that is too large to be read
        return Replayed(Verdict.FOREIGN)


def _replay(repository: Repository, commit: str) -> Replayed:
    made = repository.made(commit)
    said = read_message(made.message)
    if said is None or made.clock is None:
        return Replayed(Verdict.FOREIGN)
    try:
        if not is_reconcile_commit(repository, commit):
            return Replayed(Verdict.FOREIGN, version=said.version)
        base, source = _base(repository, said, made.parents[0])
    except GitError:
        return Replayed(Verdict.NOT_HERE, version=said.version)
    parent, files_of = repository.source(made.parents[0]), repository.source(commit)
    settings = settings_at(parent) or Settings()
    changed, _ = repository.changed(made.parents[0], commit)
    if any(it.new is not None and not it.new.is_file for it in changed):
        return Replayed(Verdict.FOREIGN, version=said.version)  # reconcile makes no symlinks
    seen = [item for item in changed if item.path.startswith(f"{settings.observed}/")]
    has_look = bool(seen) and said.clock is not None and said.clock > base.clock
    below = Overlay(source, files_of, settings.observed) if has_look else source
    clock = said.clock if said.clock is not None else base.clock
    then = AsOf(below, clock, base.clock if clock < base.clock else None)
    tries = _Tries(
        repository=repository,
        base=then,
        said=said,
        is_due=clock > base.clock and not has_look,
        files=_files(files_of, [it for it in changed if not has_look or it not in seen]),
        gone=tuple(it.path for it in seen if it.new is None) if has_look else (),
    )
    try:
        files = tries.nearest()
    except GitError:
        return Replayed(Verdict.NOT_HERE, version=said.version)
    if not files:
        return Replayed(Verdict.SAME, version=said.version)
    is_own = said.version == __version__
    verdict = Verdict.DIFFERENT if is_own else Verdict.NOT_COMPARABLE
    return Replayed(verdict, tuple(files), said.version)


def _base(repository: Repository, said: Said, parent: str) -> tuple[Revision, Source]:
    """Return the commit that was planned. If the history was rewritten, the parent replaces it."""
    for name in (said.base, parent):
        try:
            return repository.resolve(name), repository.source(name)
        except GitError:
            continue
    raise GitError(f"the clone is too shallow: it lacks {parent[:12]}")


def _files(source: Source, changed: Sequence[Changed]) -> dict[str, bytes | None]:
    """Return the files that a commit changed, with their bytes; None for those that it removed."""
    there = [item.new for item in changed if item.new is not None and item.new.is_file]
    found: dict[str, bytes | None] = {}
    for entry, data in zip(there, source.read(there), strict=True):
        found[entry.path] = data
    for item in changed:
        if item.new is None:
            found[item.path] = None
        elif not item.new.is_file:  # a symlink or a submodule: reconcile makes none
            found[item.path] = item.new.mode.encode()
    return found


class _Tries(Struct, frozen=True):
    """The plans that may have made a commit.

    Attributes:
        files: The files that the commit changed, without observed files that were committed.
        gone: Paths of observed files that were removed.
    """

    repository: Repository
    base: Source
    said: Said
    is_due: bool
    files: Mapping[str, bytes | None]
    gone: tuple[str, ...]

    def nearest(self) -> Sequence[str]:
        """Return the files in which the commit differs from the nearest plan."""
        evaluation = self._evaluate({})
        if self.is_due and not is_due(evaluation.state, evaluation.tree.clock):
            return sorted(self.files)
        if self.said.accepts:
            return differences(_accepting(self.repository, self.said, evaluation), self.files)
        found = [self._of_plan(evaluation)]
        # Clusters reported that these ranges were not used any more.
        unused = {it.path: "" for it in left_behind(evaluation) if it.path in self.files}
        if unused:
            found.append(self._of_plan(self._evaluate({}, unused), unused))
        return min(found, key=len)

    def _of_plan(
        self, evaluation: Evaluation, unused: Mapping[str, str] = MappingProxyType({})
    ) -> Sequence[str]:
        # Clusters still announced these ranges.
        kept = {it.path: _KEPT for it in leaving(evaluation) if it.path not in self.files}
        if kept:
            evaluation = self._evaluate(kept, unused)
        return differences(let_pass(evaluation).changes, self.files)

    def _evaluate(
        self, kept: Mapping[str, str], unused: Mapping[str, str] = MappingProxyType({})
    ) -> Evaluation:
        allowed = self.said.allow_release
        options = EvaluationOptions(
            allow_release=allowed, retained=kept, left=unused, gone=self.gone
        )
        return as_reconciled(self.base, self.repository, options)


def _accepting(repository: Repository, said: Said, evaluation: Evaluation) -> Sequence[Change]:
    """Return the files of a commit that accepts a rewritten history."""
    try:
        lost = lost_records(repository, said.accepts, said.base)
    except GitError:
        return ()
    return [Change(path, data) for path, data in released(tuple(lost), evaluation).items()]


def differences(wanted: Sequence[Change], theirs: Mapping[str, bytes | None]) -> list[str]:
    """Return the paths of the files that differ."""
    mine = {change.path: change.data for change in wanted}
    mine |= dict.fromkeys(_making_way(theirs.keys() - mine.keys(), mine))
    return [
        path
        for path in sorted(mine.keys() | theirs.keys())
        if path not in mine or path not in theirs or mine[path] != theirs[path]
    ]


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
