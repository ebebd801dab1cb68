"""Files of a revision, read from the object database: no checkout, no filter, no symlink."""

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import TypeVar

from reconciler.adapters.git_process import GitProcess, failure
from reconciler.findings import Finding, Location, error
from reconciler.ports import Entry, GitError, Revision

T = TypeVar("T")
_REGULAR = ("100644", "100755", "100664")
_MODES = {"120000": "a symlink", "160000": "a submodule"}
# Below so many files a second process costs more than it saves.
_PARALLEL_FROM = 4_000
_CHUNK = 2_500


class GitSource:
    """Files of one revision."""

    def __init__(self, git: GitProcess, revision: Revision) -> None:
        self._git = git
        self._revision = revision
        self._findings: list[Finding] = []

    def revision(self) -> Revision:
        """The revision."""
        return self._revision

    def clock(self) -> int:
        """The committer date."""
        return self._revision.clock

    def findings(self) -> tuple[Finding, ...]:
        """Entries that are not plain files."""
        return tuple(self._findings)

    def entries(self, folders: Sequence[str]) -> list[Entry]:
        """All files below the folders (or of those names), by path."""
        listed = self._git.check(
            "ls-tree", "-r", "-z", "--full-tree", self._revision.id, "--", *folders
        )
        found: list[Entry] = []
        for line in listed.split(b"\0"):
            if not line:
                continue
            entry = _entry(line)
            wrong = irregular(entry.path, entry.mode)
            if wrong is not None:
                self._findings.append(wrong)
            elif entry.mode in _REGULAR:
                found.append(entry)
        return sorted(found)

    def folders(self, parents: Sequence[str]) -> list[Entry]:
        """What stands directly in some folders, by path; folders have the mode 040000."""
        paths = [f"{parent}/" for parent in parents]
        listed = self._git.check("ls-tree", "-z", "--full-tree", self._revision.id, "--", *paths)
        return [_entry(line) for line in listed.split(b"\0") if line]

    def read(self, entries: Sequence[Entry]) -> list[bytes]:
        """The bytes of files."""
        return read_blobs(self._git, [entry.oid for entry in entries])

    def each(self, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
        """`work` on each file; on all processors when there are thousands."""
        processes = min(os.cpu_count() or 1, 8)
        if len(entries) < _PARALLEL_FROM or processes < 2:
            return _each(self._git, entries, work)
        chunks = [entries[at : at + _CHUNK] for at in range(0, len(entries), _CHUNK)]
        with ProcessPoolExecutor(processes, mp_context=get_context("fork")) as pool:
            futures = [pool.submit(_each, self._git, chunk, work) for chunk in chunks]
            return [item for future in futures for item in future.result()]


def _entry(line: bytes) -> Entry:
    """A line of ls-tree: mode, type and id before a tab, the path behind it."""
    about, _, path = line.partition(b"\t")
    mode, _, oid = about.decode("ascii").split(" ")
    return Entry(path.decode("utf-8", "replace"), mode, oid)


def irregular(path: str, mode: str) -> Finding | None:
    """What is wrong with an entry as such: its mode, or characters of its path."""
    place = Location(path)
    if mode in _MODES:
        message = f"not a regular file: {_MODES[mode]} (mode {mode})"
        return error("not-a-file", place, message, "put the content itself there")
    if not path.isprintable() or "\ufffd" in path or "\\" in path:
        message = "the path has characters that a file name must not have"
        return error("not-a-file", place, message, "rename the file")
    return None


def _each(git: GitProcess, entries: Sequence[Entry], work: Callable[[str, bytes], T]) -> list[T]:
    blobs = read_blobs(git, [entry.oid for entry in entries])
    return [work(entry.path, blob) for entry, blob in zip(entries, blobs, strict=True)]


def read_blobs(git: GitProcess, oids: Sequence[str]) -> list[bytes]:
    """The bytes of objects, by one `cat-file --batch`.

    Raises:
        GitError: An object is missing, as in a partial clone, or is corrupt.
    """
    if not oids:
        return []
    result = git.run("cat-file", "--batch", "--buffer", data="\n".join([*oids, ""]).encode())
    if result.status != 0:
        raise failure("cat-file", result)
    blobs: list[bytes] = []
    at = 0
    for oid in oids:
        end = result.out.index(b"\n", at)
        head = result.out[at:end].split(b" ")
        if len(head) != 3:
            hint = "the clone is partial or damaged: clone it anew"
            raise GitError(f"object {oid} is missing from the repository", hint)
        size = int(head[2])
        blobs.append(result.out[end + 1 : end + 1 + size])
        at = end + 2 + size
    return blobs
