"""A source of files and a cache of facts that live in memory."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from hashlib import sha256
from typing import TypeVar

from reconciler.documents.findings import Finding
from reconciler.gitio.interface import BranchCommit, Changed, Entry, Parsed, Revision
from reconciler.model.settings import Limits
from reconciler.planning.evaluate import Evaluation, evaluate
from reconciler.planning.read import read_tree
from tests.world import CLOCK, raw

T = TypeVar("T")


class MemorySource:
    """Files of a revision, with ids of folders as Git has them."""

    def __init__(
        self,
        files: Mapping[str, str | bytes],
        clock: int = CLOCK,
        before: Sequence[Mapping[str, str | bytes]] = (),
    ) -> None:
        """Take files. `before` has the files of earlier revisions, the newest last."""
        self._files = _raw(files)
        self._before = [_raw(item) for item in before]
        self._clock = clock
        self.id = "a" * 40
        self.ahead: int | None = None
        self.reads = 0
        self.parsed = Parsed()
        self.ours: bool | None = None
        self.limits = Limits()

    def revision(self) -> Revision:
        return Revision(self.id, self._clock)

    def clock(self) -> int:
        return self._clock

    def passed(self) -> int:
        return self.clock()

    def clock_ahead(self) -> int | None:
        return self.ahead

    def findings(self) -> tuple[Finding, ...]:
        return ()

    def bound(self, limits: Limits) -> Limits:
        self.limits = limits
        total = sum(map(len, self._files.values()))
        return Limits(limits.files - len(self._files), limits.bytes - total)

    def entries(self, folders: Sequence[str]) -> list[Entry]:
        wanted = tuple(f"{folder}/" for folder in folders)
        return [
            Entry(path, "100644", sha256(data).hexdigest())
            for path, data in sorted(self._files.items())
            if path in folders or path.startswith(wanted)
        ]

    def require(self, file: str, folders: Sequence[str]) -> None:
        del file, folders

    def entries_at(self, paths: Sequence[str]) -> list[Entry]:
        parents = dict.fromkeys(path.rpartition("/")[0] for path in paths)
        return [entry for entry in self.folders(list(parents)) if entry.path in paths]

    def folders(self, parents: Sequence[str]) -> list[Entry]:
        found: dict[str, Entry] = {}
        for parent in parents:
            for path, data in self._files.items():
                inside = f"{parent}/" if parent else ""
                if not path.startswith(inside):
                    continue
                name, below, _ = path.removeprefix(inside).partition("/")
                child = f"{inside}{name}"
                if not below:
                    found[child] = Entry(child, "100644", sha256(data).hexdigest())
                elif child not in found:
                    text = "".join(f"{entry.path}{entry.oid}" for entry in self.entries([child]))
                    found[child] = Entry(child, "040000", sha256(text.encode()).hexdigest())
        return [found[path] for path in sorted(found)]

    def read(self, entries: Sequence[Entry]) -> list[bytes]:
        self.reads += len(entries)
        return [self._blob(entry) for entry in entries]

    def _blob(self, entry: Entry) -> bytes:
        for files in (self._files, *reversed(self._before)):
            data = files.get(entry.path)
            if data is not None and sha256(data).hexdigest() == entry.oid:
                return data
        raise KeyError(entry.path)

    def past(self, paths: Sequence[str]) -> Iterator[BranchCommit]:
        line = [self._files, *reversed(self._before)]
        for age, (new, old) in enumerate(zip(line, [*line[1:], {}], strict=True)):
            if changed := changes(old, new, paths):
                inner = all(item.path.startswith(("allocations/", "observed/")) for item in changed)
                ours = inner if self.ours is None else self.ours
                yield BranchCommit(f"{age:040x}" if age else self.id, changed, ours)

    def reconciled(self, path: str) -> Entry | None:
        return entry_of(path, self._before[-1]) if self._before else None

    def brought(self, paths: Sequence[str]) -> BranchCommit:
        step = next(self.past(paths), None)
        return step if step is not None and step.id == self.id else BranchCommit(self.id, ())

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        data = zip(entries, self.read(entries), strict=True)
        return [work(entry.path, item) for entry, item in data]


def _raw(files: Mapping[str, str | bytes]) -> dict[str, bytes]:
    return {path: raw(data) for path, data in files.items()}


def changes(
    old: Mapping[str, bytes], new: Mapping[str, bytes], paths: Sequence[str] = ()
) -> tuple[Changed, ...]:
    inside = tuple(f"{path}/" for path in paths)
    return tuple(
        Changed(path, entry_of(path, old), entry_of(path, new))
        for path in sorted(old.keys() | new.keys())
        if old.get(path) != new.get(path)
        and (not paths or path in paths or path.startswith(inside))
    )


def entry_of(path: str, files: Mapping[str, bytes]) -> Entry | None:
    data = files.get(path)
    return None if data is None else Entry(path, "100644", sha256(data).hexdigest())


def evaluation_after(
    before: Sequence[Mapping[str, str | bytes]],
    files: Mapping[str, str | bytes],
    clock: int = CLOCK,
) -> Evaluation:
    """Return the evaluation of files after earlier revisions, the newest last."""
    return evaluate(read_tree(MemorySource(files, clock, before)))
