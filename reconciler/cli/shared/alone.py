"""`check FILE…`: files that a person, an editor or a hook names, read wherever they are."""

import os
import stat
import sys
from collections.abc import Sequence

import click

from reconciler.commands.alone import check_alone
from reconciler.comparison import Compared
from reconciler.documents.text import MAX_BYTES, Unread
from reconciler.ports import UsageError

STDIN = "-"
_OF_REVISIONS = ("repo", "rev", "worktree", "base", "at", "allow_empty")
NOT_LOOKED_AT = (
    "note: looked at by itself: not at what it refers to, what is taken, and what runs full;"
    " ipam check --worktree does"
)


def named_alone(files: Sequence[str]) -> Compared:
    """What is wrong with files by themselves.

    Raises:
        UsageError: An option is about revisions; or some file cannot be read.
    """
    context = click.get_current_context()
    for name in _OF_REVISIONS:
        if context.get_parameter_source(name) is click.core.ParameterSource.COMMANDLINE:
            option = f"--{name.replace('_', '-')}"
            hint = f"leave {option} out, or the files: then the whole repository is checked"
            raise UsageError(f"files are checked by themselves, without {option}", hint)
    return Compared(check_alone({_shown(file): _data(file) for file in dict.fromkeys(files)}))


def _at_once(path: str, flags: int) -> int:
    """Open a file; a pipe that nobody writes to keeps nobody waiting."""
    return os.open(path, flags | os.O_NONBLOCK)


def _shown(file: str) -> str:
    """The path as findings name it."""
    return file if file == STDIN else os.path.normpath(file)


def _data(file: str) -> bytes:
    """The bytes of a file; of one that is too large, that it is."""
    if file == STDIN:
        data = sys.stdin.buffer.read(MAX_BYTES + 1)
        return data if len(data) <= MAX_BYTES else Unread(len(data))
    try:
        with open(file, "rb", opener=_at_once) as opened:
            about = os.fstat(opened.fileno())
            if not stat.S_ISREG(about.st_mode):
                hint = "name files; a whole repository is checked by ipam check --worktree"
                raise UsageError(f"{file} is no plain file", hint)
            data = opened.read(MAX_BYTES + 1)
    except OSError as failed:
        raise UsageError(f"{file} cannot be read: {failed.strerror}") from failed
    return data if len(data) <= MAX_BYTES else Unread(max(about.st_size, len(data)))
