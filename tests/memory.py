"""A source of files and a cache of facts that live in memory."""

from collections.abc import Callable, Mapping, Sequence
from hashlib import sha256
from typing import TypeVar

from reconciler.findings import Finding
from reconciler.ports import Entry, Revision
from tests.world import CLOCK

T = TypeVar("T")


class MemorySource:
    """Files of a revision, with ids of folders as Git has them."""

    def __init__(self, files: Mapping[str, str | bytes], clock: int = CLOCK) -> None:
        self._files = {
            path: data if isinstance(data, bytes) else data.encode() for path, data in files.items()
        }
        self._clock = clock
        self.ahead: int | None = None
        self.reads = 0

    def revision(self) -> Revision:
        return Revision("a" * 40, self._clock)

    def clock(self) -> int:
        return self._clock

    def clock_ahead(self) -> int | None:
        return self.ahead

    def findings(self) -> tuple[Finding, ...]:
        return ()

    def entries(self, folders: Sequence[str]) -> list[Entry]:
        wanted = tuple(f"{folder}/" for folder in folders)
        return [
            Entry(path, "100644", sha256(data).hexdigest())
            for path, data in sorted(self._files.items())
            if path in folders or path.startswith(wanted)
        ]

    def folders(self, parents: Sequence[str]) -> list[Entry]:
        found: dict[str, Entry] = {}
        for parent in parents:
            for path, data in self._files.items():
                if not path.startswith(f"{parent}/"):
                    continue
                name, below, _ = path.removeprefix(f"{parent}/").partition("/")
                child = f"{parent}/{name}"
                if not below:
                    found[child] = Entry(child, "100644", sha256(data).hexdigest())
                elif child not in found:
                    text = "".join(f"{entry.path}{entry.oid}" for entry in self.entries([child]))
                    found[child] = Entry(child, "040000", sha256(text.encode()).hexdigest())
        return [found[path] for path in sorted(found)]

    def read(self, entries: Sequence[Entry]) -> list[bytes]:
        self.reads += len(entries)
        return [self._files[entry.path] for entry in entries]

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        blobs = self.read(entries)
        return [work(entry.path, blob) for entry, blob in zip(entries, blobs, strict=True)]

    def spread(self, items: Sequence[str], work: Callable[[Sequence[str]], T]) -> list[T]:
        return [work(items[0::2]), work(items[1::2])]


class MemoryFacts:
    """A cache that forgets nothing."""

    def __init__(self) -> None:
        self.tables: dict[str, dict[str, str]] = {}

    def recall(self, table: str, keys: Sequence[str]) -> dict[str, str]:
        known = self.tables.get(table, {})
        return {key: known[key] for key in keys if key in known}

    def note(self, table: str, rows: Mapping[str, str]) -> None:
        self.tables.setdefault(table, {}).update(rows)
