"""`check FILE…`: files that a person, an editor or a hook names, read wherever they are."""

import os
import stat
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from reconciler.adapters.git.root_folder import found_root, root_folder
from reconciler.cli.shared.opening import asked_root
from reconciler.commands.alone import Place, check_alone
from reconciler.documents.text import MAX_BYTES, Unread
from reconciler.model.settings import PATH as SETTINGS
from reconciler.ports import UsageError
from reconciler.review.result import Compared
from reconciler.settings import read_settings

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
    named = dict.fromkeys(files)
    places = {_shown(file): place for file in named if (place := _place(file)) is not None}
    return Compared(check_alone({_shown(file): _data(file) for file in named}, places))


def _place(file: str) -> Place | None:
    """Where a file is in the root that it stands in; None where it stands in none."""
    place, name = Path(file).parent.resolve(), Path(file).name
    top = next((it for it in (place, *place.parents) if (it / ".git").exists()), None)
    if top is None or file == STDIN:
        return None
    asked = asked_root()
    own = root_folder(asked) if asked is not None else found_root(place, top, SETTINGS)
    root = top / own.path
    if not (place / name).is_relative_to(root):
        return None
    path = root / SETTINGS
    settings, _ = read_settings(_data(str(path)) if path.is_file() else None)
    folders = (*settings.folders, settings.records)
    if not (path.is_file() or any((root / it).is_dir() for it in folders)):
        return None  # the checkout is of something else
    return (place / name).relative_to(root).as_posix(), settings


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
