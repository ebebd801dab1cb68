"""How new files come into a folder: all of them or none, and never in the place of another."""

import os
import shutil
import tempfile
from collections.abc import Iterable, Mapping
from pathlib import Path

from reconciler.findings import few
from reconciler.ports import UsageError

_WORK = ".ipam-import-"


def place(out: Path, files: Mapping[str, bytes]) -> list[str]:
    """Write files below a folder; returns the paths of those that were not there just so.

    They are written beside, and then moved to where they belong, in order. What was moved is taken
    back when a later one fails. After a run that was killed, the next one goes on from there: a file
    of just these bytes is as good as written.

    Raises:
        UsageError: Another file, or a link, stands in the way. Then nothing is written.
        OSError: The disk fails.
    """
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is not a folder", "name another one: --out DIR")
    new = _new(out, files)
    out.mkdir(parents=True, exist_ok=True)
    _tidy(out)
    work = Path(tempfile.mkdtemp(prefix=_WORK, dir=out))
    done: list[Path] = []
    try:
        for number, path in enumerate(new):
            _written(work / str(number), files[path])
        for number, path in enumerate(new):
            (out / path).parent.mkdir(parents=True, exist_ok=True)
            # A link, unlike a rename, never takes the place of what came there meanwhile.
            os.link(work / str(number), out / path)
            done.append(out / path)
    except BaseException:
        for made in reversed(done):
            made.unlink(missing_ok=True)
        raise
    finally:
        shutil.rmtree(work, ignore_errors=True)
    return new


def _new(out: Path, files: Mapping[str, bytes]) -> list[str]:
    """The files that are not there yet."""
    new, taken = [], []
    for path, data in files.items():
        _require_no_link(out, path)
        target = out / path
        if not os.path.lexists(target):
            new.append(path)
        elif target.is_symlink() or not target.is_file() or target.read_bytes() != data:
            taken.append(path)
    if taken:
        verb = "is" if len(taken) == 1 else "are"
        message = f"{few(taken)} {verb} there already; nothing was written"
        hint = "move it away, or --out ANOTHER-FOLDER and merge by hand"
        raise UsageError(message, hint)
    return new


def _require_no_link(out: Path, path: str) -> None:
    """Refuse to write through a symlink: it may lead out of the folder."""
    for folder in _above(out, path):
        if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
            raise UsageError(f"{folder} is no folder; nothing was written", "move it away")


def _above(out: Path, path: str) -> Iterable[Path]:
    parts = Path(path).parts[:-1]
    return (out.joinpath(*parts[:count]) for count in range(1, len(parts) + 1))


def _written(path: Path, data: bytes) -> None:
    with path.open("xb") as file:
        file.write(data)
        file.flush()
        os.fsync(file.fileno())


def _tidy(out: Path) -> None:
    """Take away what a run left that was killed."""
    for left in out.glob(f"{_WORK}*"):
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left, ignore_errors=True)
