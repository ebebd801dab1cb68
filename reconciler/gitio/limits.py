"""Limits of Git data."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing

from msgspec import Struct, field

from reconciler.documents.text import MAX_BYTES, is_yaml
from reconciler.gitio.process import GitProcess
from reconciler.model.errors import LimitError
from reconciler.model.settings import Limits

# Paths are rarely longer. Deep trees that contain each other would grow without limit.
PATH_BYTES = 512
_LONGEST = 1 << 20
_HINT = "of a change, the Settings of its base count"


class Tally(Struct):
    """Count of listed entries and total length of their paths."""

    where: str
    limits: Limits = field(default_factory=Limits)
    _count: int = 0
    _length: int = 0

    def add(self, path: str) -> None:
        """Count an entry.

        Raises:
            LimitError: The entry exceeds the limit.
        """
        self._count += 1
        self._length += len(path)
        if self._count > self.limits.files or self._length > PATH_BYTES * self.limits.files:
            raise self.too_many()

    def too_many(self) -> LimitError:
        """Return the error for a listing that exceeds the limit."""
        message = f"{self.where} has more than {self.limits.files} files to be read"
        hint = f"split it, or raise spec.limits.files in ipam.yaml; {_HINT}"
        return LimitError(message, hint)


class Budget:
    """Files listed so far of one revision or work tree, each counted once."""

    def __init__(self, where: str) -> None:
        """Begin with the default limits. Messages use `where` to name the source."""
        self._where = where
        self._seen: dict[str, None] = {}
        self._total = 0
        self.bound(Limits())

    def bound(self, limits: Limits) -> None:
        """Apply these limits from here on."""
        self.limits = limits
        self._tally = Tally(self._where, limits)
        for path in self._seen:
            self._tally.add(path)

    def tally(self) -> Tally:
        """Return a tally for a separate listing."""
        return Tally(self._where, self.limits)

    def count(self, path: str, size: int) -> None:
        """Count a file. A file that is not read, because of its name or size, adds no bytes.

        Raises:
            LimitError: The file exceeds the limit.
        """
        if path in self._seen:
            return
        self._tally.add(path)
        self._seen[path] = None
        if size <= MAX_BYTES and is_yaml(path):
            self._total += size
            if self._total > self.limits.bytes:
                self.check_bytes(self._total)

    def check_bytes(self, total: int) -> None:
        """Refuse a read that exceeds the limit.

        Raises:
            LimitError: The total is too large.
        """
        if total > self.limits.bytes:
            message = f"{self._where} holds more than {self.limits.bytes} bytes to be read"
            hint = f"split it, or raise spec.limits.bytes in ipam.yaml; {_HINT}"
            raise LimitError(message, hint)


def fields(
    git: GitProcess, tally: Tally, *arguments: str, data: bytes | None = None
) -> Generator[str, None, None]:
    """Yield the NUL-terminated fields that Git prints with `-z`, as text.

    Bytes that are not UTF-8 become U+FFFD.

    Args:
        git: The repository.
        tally: Limit of the listing.
        arguments: Arguments of the call.
        data: Its standard input.

    Raises:
        GitError: Git failed.
        LimitError: A field is longer than any path, or the listing exceeds the limit.
    """
    rest = b""
    with closing(git.parts(*arguments, data=data)) as parts:
        for piece in parts:
            whole, ends, rest = (rest + piece).rpartition(b"\0")
            if ends:
                yield from whole.decode("utf-8", "replace").split("\0")
            if len(rest) > _LONGEST:
                raise LimitError("a path has over a million characters", "remove that file")
    if rest:
        yield rest.decode("utf-8", "replace")


def portions(sizes: Sequence[int], most: int) -> Iterable[range]:
    """Yield ranges of positions with at most `most` bytes each, or with one item."""
    start, total = 0, 0
    for at, size in enumerate(sizes):
        if total + size > most and at > start:
            yield range(start, at)
            start, total = at, 0
        total += size
    if start < len(sizes):
        yield range(start, len(sizes))
