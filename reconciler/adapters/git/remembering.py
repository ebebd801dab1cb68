"""A repository of which one run reads many revisions: what they share is read once.

Ids name what never changes, so nothing that is remembered can be wrong. It is gone with the run.
"""

from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field, fields
from functools import partial
from itertools import islice
from typing import Any, TypeVar

from reconciler.adapters.git.bounds import Tally
from reconciler.adapters.git.clock import clock_of
from reconciler.adapters.git.naming import whole_name
from reconciler.adapters.git.objects import Root, read_roots
from reconciler.adapters.git.past import differences
from reconciler.adapters.git.repository import GitRepository
from reconciler.adapters.git.revision import GitSource
from reconciler.model.settings import Limits
from reconciler.ports import Changed, Entry, LimitError, Made, Revision, Step

T = TypeVar("T")

# Of more files than these the ones that were read first are forgotten.
_MOST = 200_000


@dataclass(slots=True)
class Memory:
    """What a run has read.

    Attributes:
        commits: How commits were made, and the top of their trees, by id; those read last.
        changed: What they changed.
        folders: What stood in folders, by revision and folders.
        done: What became of files: by how they were read, path and id.
        absent: Files and folders that the first revision knew nothing of: all others are older.
    """

    commits: dict[str, tuple[Made, Root | None]] = field(default_factory=dict)
    changed: dict[str, tuple[Changed, ...]] = field(default_factory=dict)
    folders: dict[tuple[str, ...], list[Entry]] = field(default_factory=dict)
    done: dict[tuple[Hashable, Entry], Any] = field(default_factory=dict)
    absent: set[tuple[str, ...]] = field(default_factory=set)


class RememberingSource(GitSource):
    """Files of one revision, as far as none before it had them."""

    memory: Memory

    def folders(self, parents: Sequence[str]) -> list[Entry]:
        """What stands directly in some folders."""
        key = (self.revision().id, *parents)
        if key not in self.memory.folders:
            self.memory.folders[key] = super().folders(parents)
        return self.memory.folders[key]

    def past(self, paths: Sequence[str]) -> Iterator[Step]:
        """The commits that made these files and folders what they are.

        What the history of the newest revision knows nothing of, no older one does.
        """
        key = tuple(paths)
        if key in self.memory.absent:
            return
        steps = super().past(paths)
        first = next(steps, None)
        if first is None:
            self.memory.absent.add(key)
            return
        yield first
        yield from steps

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        """`work` on each file that it was not done on before."""
        how, done = _key(work), self.memory.done
        if how is None:
            return super().each(entries, work)
        keys = [(how, Entry(entry.path, "", entry.oid)) for entry in entries]
        new = [at for at, key in enumerate(keys) if key not in done]
        made = super().each([entries[at] for at in new], work) if new else []
        known = {key: done[key] for key in keys if key in done}
        known |= {keys[at]: item for at, item in zip(new, made, strict=True)}
        done |= known
        for key in list(islice(done, max(len(done) - _MOST, 0))):
            del done[key]
        return [known[key] for key in keys]


@dataclass(frozen=True, slots=True)
class RememberingRepository(GitRepository):
    """A repository that knows what was read of it."""

    memory: Memory = field(default_factory=Memory, compare=False)

    @classmethod
    def of(cls, repository: GitRepository) -> "RememberingRepository":
        """A repository that begins to remember."""
        return cls(**{it.name: getattr(repository, it.name) for it in fields(GitRepository)})

    def ahead(self, commits: Sequence[str]) -> None:
        """Read at once what will be asked of some commits, and forget what was asked before.

        Raises:
            GitError: Git fails.
        """
        memory = self.memory
        memory.folders.clear()
        memory.changed.clear()
        memory.commits.clear()
        memory.commits |= read_roots(self.git, commits)
        parents = {
            commit: made.parents[0]
            for commit, (made, _) in memory.commits.items()
            if len(made.parents) == 1
        }
        missing = [it for it in dict.fromkeys(parents.values()) if it not in memory.commits]
        memory.commits |= read_roots(self.git, missing)
        pairs = [f"{commit} {it}" for commit, it in parents.items() if it in memory.commits]
        try:
            memory.changed |= differences(self.git, pairs, (), lambda: Tally("a commit", Limits()))
        except LimitError:  # told of the commit itself, when it is its turn
            memory.changed.clear()

    def source(self, rev: str) -> GitSource:
        """The files of a revision."""
        name = whole_name(self.git, rev)
        if name not in self.memory.commits:
            self.memory.commits |= read_roots(self.git, [name])
        made, root = self.memory.commits.get(name, (None, None))
        if made is None or made.clock is None:
            return GitRepository.source(self, rev)
        revision = Revision(made.id, made.clock)
        clock = clock_of(self.git, revision, self.now())
        source = RememberingSource(self.git, revision, root, clock, self.proves)
        source.memory = self.memory
        return source

    def resolve(self, rev: str) -> Revision:
        """The commit that a name means."""
        made, _ = self.memory.commits.get(rev, (None, None))
        if made is None or made.clock is None:
            return GitRepository.resolve(self, rev)
        return Revision(made.id, made.clock)

    def made(self, rev: str) -> Made:
        """How a commit was made."""
        if rev in self.memory.commits:
            return self.memory.commits[rev][0]
        return GitRepository.made(self, rev)

    def changed(
        self, base: str, rev: str, paths: Sequence[str] = (), limits: Limits | None = None
    ) -> tuple[list[Changed], bool]:
        """Files that differ since the two parted."""
        known = self.memory.changed.get(rev)
        if known is None or paths or self.made(rev).parents != (base,):
            return GitRepository.changed(self, base, rev, paths, limits)
        return list(known), True


def _key(work: Callable[..., Any]) -> Hashable | None:
    """What tells one way to read from another; None for one of which that is not known."""
    if not isinstance(work, partial) or work.keywords:
        return None
    key = (work.func, work.args)
    try:
        hash(key)
    except TypeError:
        return None
    return key
