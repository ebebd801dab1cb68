"""What one run asks git again and again: said once, and objects looked up by one process.

A run that only reads asks the same of a change and of its base from many places. Each call of git
takes some milliseconds, most of them for its start. So answers are remembered until the run ends:
what ids lead to never changes, and a name means one thing as long as a run lasts. Who goes on for
longer, or writes, has no desk.
"""

import os
import weakref
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from typing import TYPE_CHECKING

from reconciler.adapters.children import answered
from reconciler.adapters.git.failing import Result
from reconciler.adapters.git.process import GitProcess
from reconciler.adapters.git.starting import SECONDS

if TYPE_CHECKING:
    from subprocess import Popen  # nosec B404  # its type


# Calls of these, as ours are, write nothing.
_READING = frozenset(
    {"config", "diff-tree", "for-each-ref", "log", "ls-tree", "merge-base", "rev-list", "rev-parse"}
)
MOST_BYTES = 1 << 20
"""Answers that are longer are not kept."""
MOST_TOLD = 1 << 15
"""So many bytes of names are asked at once: git takes them all before anybody hears an answer."""
Question = tuple[tuple[str, ...], bytes | None]


class Desk:
    """What was asked in one run, and the processes that look objects up."""

    def __init__(self) -> None:
        """Know nothing, and start nothing yet."""
        self._answers: dict[Question, Result] = {}
        self._open: dict[str, _Lookup] = {}
        self._kept: GitProcess | None = None
        self._stack = ExitStack()
        self._process = os.getpid()
        weakref.finalize(self, _close, self._stack, self._process)

    def known(self, arguments: Sequence[str], data: bytes | None) -> Result | None:
        """What git said when it was asked that before."""
        return self._answers.get((tuple(arguments), data))

    def note(self, arguments: Sequence[str], data: bytes | None, answer: Result) -> None:
        """Remember what git said, if it was a call that only reads, and said little."""
        if arguments[0] in _READING and len(answer.out) <= MOST_BYTES:
            self._answers[tuple(arguments), data] = answer

    def pieces(
        self, arguments: Sequence[str], data: bytes | None, said: Iterable[bytes]
    ) -> Iterator[bytes]:
        """What git says piece by piece: what it said before, or what it says now."""
        if (known := self.known(arguments, data)) is not None:
            yield known.out
            return
        kept, size = list[bytes](), 0
        for piece in said:
            size += len(piece)
            if size <= MOST_BYTES:
                kept.append(piece)
            yield piece
        if size <= MOST_BYTES:
            self.note(arguments, data, Result(0, b"".join(kept), ""))

    def kept(self, made: Callable[[], AbstractContextManager[GitProcess]]) -> GitProcess:
        """Git on what is made once a run for the repository of this desk, and goes with it."""
        if self._kept is None:
            self._kept = self._stack.enter_context(made())
        return self._kept

    def apart(self) -> "Desk":
        """A desk of the same run for a repository that has more; it is closed with this one."""
        other = Desk()
        self._stack.callback(other.close)
        return other

    def looked_up(
        self,
        how: str,
        names: Sequence[str],
        start: "Callable[[], AbstractContextManager[Popen[bytes]]]",
    ) -> bytes | None:
        """What `cat-file` says of some objects, as it does by itself; None where it cannot.

        Then it is to be asked by a process of its own, which says what is wrong.

        Args:
            how: `--batch` or `--batch-check`.
            names: The objects.
            start: Starts the process.
        """
        told = "".join(f"{name}\n" for name in names).encode()
        # A process that was forked has these pipes, too, and may not speak into them.
        if len(told) > MOST_TOLD or os.getpid() != self._process:
            return None
        if how not in self._open:
            self._open[how] = _Lookup(self._stack.enter_context(start()), has_data=how == "--batch")
        said = self._open[how].asked(told, len(names))
        if said is None:
            self.close()
        return said

    def close(self) -> None:
        """End what was started; what is asked later starts anew."""
        self._open.clear()
        self._kept = None
        _close(self._stack, self._process)


class _Lookup:
    """A `cat-file` that answers as long as it is asked."""

    def __init__(self, process: "Popen[bytes]", *, has_data: bool) -> None:
        self._process = process
        self._has_data = has_data
        self._said = b""
        self._more: Iterator[bytes] = answered(process, SECONDS)

    def asked(self, told: bytes, count: int) -> bytes | None:
        """Its answers, one for each name; None when it ended."""
        stdin = self._process.stdin
        if stdin is None:
            return None
        answers = []
        try:
            stdin.write(told)
            stdin.flush()
            for _ in range(count):
                line = self._until(self._found_line)
                size = line[line.rfind(b" ") + 1 :].strip()
                more = int(size) + 1 if self._has_data and size.isdigit() else 0
                answers += [line, self._taken(more)]
        except (BrokenPipeError, StopIteration, TimeoutError):
            return None
        return b"".join(answers)

    def _found_line(self) -> int:
        return self._said.find(b"\n") + 1

    def _until(self, found: Callable[[], int]) -> bytes:
        while not (end := found()):
            self._said += next(self._more)
        return self._taken(end)

    def _taken(self, size: int) -> bytes:
        pieces, have = [self._said], len(self._said)
        while have < size:
            pieces.append(next(self._more))
            have += len(pieces[-1])
        said = b"".join(pieces)
        self._said = said[size:]
        return said[:size]


def _close(stack: ExitStack, process: int) -> None:
    """Leave what was entered; in a forked process nothing of it is its own."""
    if os.getpid() == process:
        with suppress(OSError):
            stack.close()
