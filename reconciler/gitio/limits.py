"""Limits of Git data."""

from collections.abc import Generator, Iterable, Sequence
from contextlib import closing

from msgspec import Struct, field

from reconciler.documents.text import MAX_BYTES, is_yaml
from reconciler.gitio.process import GitProcess
from reconciler.model.errors import LimitError
from reconciler.model.settings import Limits

# A path is seldom longer; of deep trees that name each other they grow without end.
PATH_BYTES = 512
_LONGEST = 1 << 20
_HINT = "of a change, the Settings of its base count"


class Tally(Struct):
    """How many entries were listed, and how long their paths are together."""

    where: str
    limits: Limits = field(default_factory=Limits)
    _count: int = 0
    _length: int = 0

    def add(self, path: str) -> None:
        """Count an entry.

        Raises:
            LimitError: It is one too many.
        """
        self._count += 1
        self._length += len(path)
        if self._count > self.limits.files or self._length > PATH_BYTES * self.limits.files:
            raise self.too_many()

    def too_many(self) -> LimitError:
        """There is more than is listed."""
        message = f"{self.where} has more than {self.limits.files} files to be read"
        hint = f"split it, or raise spec.limits.files in ipam.yaml; {_HINT}"
        return LimitError(message, hint)


class Budget:
    """What was listed so far of one revision or work tree, each file once."""

    def __init__(self, where: str) -> None:
        """Begin with the default limits; `where` names in messages what is read."""
        self._where = where
        self._seen: dict[str, None] = {}
        self._total = 0
        self.bound(Limits())

    def bound(self, limits: Limits) -> None:
        """From now on hold it to these limits."""
        self.limits = limits
        self._tally = Tally(self._where, limits)
        for path in self._seen:
            self._tally.add(path)

    def tally(self) -> Tally:
        """For a listing of its own."""
        return Tally(self._where, self.limits)

    def count(self, path: str, size: int) -> None:
        """Count a file. What is not read, by its name or its size, adds no bytes.

        Raises:
            LimitError: It is one too many.
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
        """Refuse to read so many bytes.

        Raises:
            LimitError: They are too many.
        """
        if total > self.limits.bytes:
            message = f"{self._where} holds more than {self.limits.bytes} bytes to be read"
            hint = f"split it, or raise spec.limits.bytes in ipam.yaml; {_HINT}"
            raise LimitError(message, hint)


def fields(
    git: GitProcess, tally: Tally, *arguments: str, data: bytes | None = None
) -> Generator[str, None, None]:
    """What git says with `-z`: fields that each end with a zero byte, as text.

    What is no UTF-8 in them becomes U+FFFD.

    Args:
        git: The repository.
        tally: Tells how much there may be.
        arguments: Of the call.
        data: Its standard input.

    Raises:
        GitError: Git failed.
        LimitError: A field is longer than any path, or git has more to list than its memory holds.
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
    """Positions in portions of so many bytes at most, or of one item."""
    start, total = 0, 0
    for at, size in enumerate(sizes):
        if total + size > most and at > start:
            yield range(start, at)
            start, total = at, 0
        total += size
    if start < len(sizes):
        yield range(start, len(sizes))
