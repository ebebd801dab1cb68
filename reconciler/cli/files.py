"""Files that commands read and write."""

import os
import stat
import sys
from importlib.util import find_spec
from pathlib import Path

from reconciler.cli.options import option
from reconciler.gitio.files import TargetDirectory, with_extra
from reconciler.history.applied import MAX_BYTES, ApplyResult, read_apply_result
from reconciler.model.change import FileChange
from reconciler.model.errors import UsageError


def write_edit(root: Path | None, change: FileChange, hint: str, *, is_new: bool = False) -> None:
    """Write a file into a work tree. A new file never overwrites an existing one.

    Links are not followed, because they can lead out of the repository.

    Args:
        root: The work tree. Opening it refuses a repository without one.
        change: The file. Removals are not supported.
        hint: Hint for a file that cannot be written.
        is_new: Whether the file must not exist yet, unless with this content.

    Raises:
        UsageError: The file cannot be written.
    """
    assert root is not None  # noqa: S101 - opening it refuses one without  # nosec B101
    assert change.data is not None  # noqa: S101 - nothing is removed  # nosec B101
    ground, text = TargetDirectory(root), change.data.decode("utf-8", "replace")
    try:
        if not is_new:
            ground.rewrite(change.path, change.data)
        elif ground.text(change.path) != text:
            ground.add(change.path, text)
    except FileExistsError as there:
        message = f"{change.path} is there already, and says something else"
        raise UsageError(message, "edit it, or remove it, then run it again") from there
    except OSError as failure:
        message = f"{change.path} cannot be written: {failure.strerror}"
        raise UsageError(message, hint) from failure


STDIN = "-"
_HINT = "give what ipam apply -o json, or ipam reconcile -o json, printed"

apply_result_option = option(
    "--apply-result",
    metavar="FILE",
    help="What apply -o json or reconcile -o json printed; - for stdin.",
)


def apply_result_of(file: str | None) -> ApplyResult | None:
    """Return the apply result in a file, or None without a file.

    Raises:
        UsageError: The file cannot be read, or is not an apply result.
    """
    if file is None:
        return None
    name = "stdin" if file == STDIN else file
    try:
        return read_apply_result(_data(file))
    except ValueError as wrong:
        raise UsageError(f"--apply-result {name}: {wrong}", _HINT) from wrong


def _data(file: str) -> bytes:
    """Read a file, at most one byte more than the limit."""
    if file == STDIN:
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    try:
        with open(file, "rb", opener=_at_once) as opened:
            if not stat.S_ISREG(os.fstat(opened.fileno()).st_mode):
                raise UsageError(
                    f"--apply-result {file}: it is no plain file", f"{_HINT}; - is stdin"
                )
            return opened.read(MAX_BYTES + 1)
    except OSError as failed:
        why = failed.strerror or str(failed)
        raise UsageError(f"--apply-result {file}: it cannot be read: {why}", _HINT) from failed


def _at_once(path: str, flags: int) -> int:
    """Open a file without blocking on a pipe that has no writer."""
    return os.open(path, flags | os.O_NONBLOCK)


CLUSTERS = ("cryptography", "kubernetes", "prometheus_client")
"""Modules of the extra `clusters` in `pyproject.toml`."""


def require_clusters(what: str) -> None:
    """Refuse to start if the extra `clusters` is needed but not installed.

    Args:
        what: The feature that needs the extra, as the beginning of a sentence.

    Raises:
        UsageError: The extra is not installed.
    """
    missing = [name for name in CLUSTERS if not _is_there(name)]
    if not missing:
        return
    source = with_extra("clusters")
    where = "" if "SOURCE" not in source else ", SOURCE being where this ipam was installed from"
    raise UsageError(
        f"{what} needs packages that are not installed: {', '.join(missing)}",
        f"pip install '{source}', or pipx install --force '{source}'{where}",
    )


def _is_there(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False
