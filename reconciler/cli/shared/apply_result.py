"""`--apply-result FILE`: what an apply told of clusters, for verbs that ask no cluster themselves."""

import os
import stat
import sys

from reconciler.asking.applied import MOST_BYTES, ApplyResult, read_apply_result
from reconciler.cli.shared.options import option
from reconciler.ports import UsageError

STDIN = "-"
_HINT = "give what ipam apply -o json, or ipam reconcile -o json, printed"

apply_result_option = option(
    "--apply-result",
    metavar="FILE",
    help="What apply -o json or reconcile -o json printed; - for stdin.",
)


def apply_result_of(file: str | None) -> ApplyResult | None:
    """The result in a file; None without a file.

    Raises:
        UsageError: It cannot be read, or is no such result.
    """
    if file is None:
        return None
    name = "stdin" if file == STDIN else file
    try:
        return read_apply_result(_data(file))
    except ValueError as wrong:
        raise UsageError(f"--apply-result {name}: {wrong}", _HINT) from wrong


def _data(file: str) -> bytes:
    """All bytes, and one more than are read of what is too long."""
    if file == STDIN:
        return sys.stdin.buffer.read(MOST_BYTES + 1)
    try:
        with open(file, "rb", opener=_at_once) as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                raise UsageError(
                    f"--apply-result {file}: it is no plain file", f"{_HINT}; - is stdin"
                )
            return opened.read(MOST_BYTES + 1)
    except OSError as failed:
        why = failed.strerror or str(failed)
        raise UsageError(f"--apply-result {file}: it cannot be read: {why}", _HINT) from failed


def _at_once(path: str, flags: int) -> int:
    """Open a file; a pipe that nobody writes to keeps nobody waiting."""
    return os.open(path, flags | os.O_NONBLOCK)
