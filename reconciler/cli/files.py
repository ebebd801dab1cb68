"""Files that commands read and write."""

import os
import stat
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TypeVar

from reconciler.cli import output
from reconciler.cli.options import option
from reconciler.documents.edit import with_value
from reconciler.documents.text import Unread
from reconciler.families.plain.kinds import TARGET
from reconciler.gitio.files import TargetDirectory
from reconciler.gitio.repository import Repository, ground
from reconciler.history.applied import MAX_BYTES, ApplyResult, read_apply_result
from reconciler.model.applied import Applied
from reconciler.model.change import FileChange
from reconciler.model.errors import UsageError
from reconciler.planning.evaluate import Evaluation

STDIN = "-"
T = TypeVar("T")

apply_result_option = option(
    "--apply-result",
    metavar="FILE",
    help="Read the output of apply or reconcile -o json (- for stdin).",
)


def read_file(file: str, most: int, name: str = "", hint: str = "") -> bytes:
    """Return the bytes of a regular file or of stdin (`-`), or a marker if there are too many."""
    shown, size = f"{name} {file}" if name else file, 0

    def at_once(path: str, flags: int) -> int:  # also for a pipe that has no writer
        return os.open(path, flags | os.O_NONBLOCK)

    if file == STDIN:
        data = sys.stdin.buffer.read(most + 1)
    else:
        try:
            with open(file, "rb", opener=at_once) as opened:
                about = os.fstat(opened.fileno())
                if not stat.S_ISREG(about.st_mode):
                    raise UsageError(f"{shown} is not a regular file", hint)
                size, data = about.st_size, opened.read(most + 1)
        except OSError as failed:
            raise UsageError(f"{shown} cannot be read: {failed.strerror}", hint) from failed
    return data if len(data) <= most else Unread(max(size, len(data)))


def parsed_file(
    name: str, file: str | None, most: int, hint: str, parse: Callable[[bytes], T]
) -> T | None:
    """Return the content of a file that an option names, or None without a file."""
    if file is None:
        return None
    data = read_file(file, most, name, hint)
    try:
        if isinstance(data, Unread):
            raise ValueError(f"the file has more than {most:,} bytes")
        return parse(data)
    except ValueError as wrong:
        shown = "stdin" if file == STDIN else file
        raise UsageError(f"{name} {shown}: {wrong}", hint) from wrong


def apply_result_of(file: str | None) -> ApplyResult | None:
    """Return the result in the file of `--apply-result`, or None without a file."""
    hint = "pass the output of ipam apply -o json or ipam reconcile -o json"
    return parsed_file("--apply-result", file, MAX_BYTES, hint, read_apply_result)


def write_edit(root: Path | None, change: FileChange, hint: str, *, is_new: bool = False) -> None:
    """Write a file into a work tree, without following links or replacing a file by a new one."""
    assert root is not None  # noqa: S101 - opening it refuses one without  # nosec B101
    assert change.data is not None  # noqa: S101 - nothing is removed  # nosec B101
    target, text = TargetDirectory(root), change.data.decode("utf-8", "replace")
    try:
        if not is_new:
            target.rewrite(change.path, change.data)
        elif target.text(change.path) != text:
            target.add(change.path, text)
    except FileExistsError as there:
        message = f"{change.path} already exists with other content"
        raise UsageError(message, "edit or remove it, then run the command again") from there
    except OSError as failure:
        message = f"{change.path} cannot be written: {failure.strerror}"
        raise UsageError(message, hint) from failure


def write_uids(repository: Repository, evaluation: Evaluation, enrolled: Iterable[Applied]) -> None:
    """Write the uids of enrolled clusters into the unchanged files of a checkout."""
    root = ground(repository)
    for item in enrolled:
        document = evaluation.documents.find(TARGET, "", item.cluster)
        if root is None or document is None or item.is_failed or not item.uid:
            continue
        data = with_value(document, ("spec", "uid"), item.uid)
        is_same = TargetDirectory(root).text(document.path) == document.data.decode()
        if data not in (None, document.data) and is_same:
            write_edit(root, FileChange(document.path, data), "write spec.uid there")
            output.note(f"Wrote spec.uid of {item.cluster} to {document.path}: commit it.")
