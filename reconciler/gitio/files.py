"""Files outside Git."""

import errno
import json
import os
import re
import shutil
import stat
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from errno import EISDIR, ELOOP, ENOENT, ENOTDIR
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from reconciler.documents.findings import join_limited
from reconciler.model.errors import UsageError

_MAX_GROUND = 1 << 20


class TargetDirectory:
    """A folder, whether it is there already or not. No link in it is followed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def text(self, path: str) -> str | None:
        """The beginning of a file, whatever its bytes are; None when nothing is there.

        Raises:
            OSError: Something is there or on the way to it that is no such file.
        """
        self._require_way(path)
        place = self._folder / path
        try:
            found = place.lstat()
        except FileNotFoundError:
            return None
        if stat.S_ISLNK(found.st_mode):
            raise OSError(ELOOP, "is a link")
        if not stat.S_ISREG(found.st_mode):
            raise OSError(EISDIR, "is not a file")
        with place.open("rb") as file:
            return file.read(_MAX_GROUND).decode("utf-8", "replace")

    def below(self, folder: str) -> list[str]:
        """The paths of all files below a folder."""
        if (self._folder / folder).is_symlink():
            return []
        found = [
            Path(at).relative_to(self._folder).joinpath(name).as_posix()
            for at, _, names in os.walk(self._folder / folder)
            for name in names
        ]
        return sorted(found)

    def add(self, path: str, text: str) -> None:
        """Write a file that is not there. One that is there stays.

        Raises:
            OSError: It is there, or cannot be written.
        """
        self._require_way(path)
        place = self._folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("x", encoding="utf-8", newline="\n") as file:
            try:
                file.write(text)
                file.flush()
            except OSError:  # the disk is full: half a file would pass for a person's
                with suppress(OSError):
                    place.unlink()
                raise

    def rewrite(self, path: str, data: bytes) -> None:
        """Write a file anew that is there.

        Raises:
            OSError: It is not there, is a link, or cannot be written.
        """
        if self.text(path) is None:
            raise FileNotFoundError(ENOENT, "is not there")
        (self._folder / path).write_bytes(data)

    def _require_way(self, path: str) -> None:
        """Refuse a path that leads through a link, or through a file."""
        for name in reversed(Path(path).parents[:-1]):
            with suppress(FileNotFoundError):
                mode = (self._folder / name).lstat().st_mode
                if stat.S_ISLNK(mode):
                    raise OSError(ELOOP, f"{name} is a link")
                if not stat.S_ISDIR(mode):
                    raise OSError(ENOTDIR, f"{name} is not a folder")


_WORK = ".ipam-import-"


def write_all(out: Path, files: Mapping[str, bytes]) -> list[str]:
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
        message = f"{join_limited(taken)} {verb} there already; nothing was written"
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


_WRITABLE = stat.S_IWGRP | stat.S_IWOTH


def refusal(folder: Path) -> str:
    """Why a folder of the cache may not be used; empty when it is ours alone, or not there."""
    try:
        found = [folder.lstat(), folder.stat()]
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        return f"{folder} cannot be looked at: {error.strerror or error}"
    if not stat.S_ISDIR(found[-1].st_mode):
        return f"{folder} is not a folder"
    if any(item.st_uid != os.geteuid() for item in found):
        return f"{folder} belongs to another user"
    if found[-1].st_mode & _WRITABLE:
        return f"others may write into {folder}"
    return ""


def make(folder: Path) -> None:
    """Make a folder of the cache that only we can read and write, below whatever is above it.

    Raises:
        OSError: It cannot be made.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    if why := refusal(folder):  # somebody may have been quicker
        raise PermissionError(errno.EPERM, why)


_NAME = "gitops-ipam"
# Nothing of a person: no password, and no name but that under which all use ssh.
_PUBLIC = re.compile(r"(?:https://[^/@\s]+|ssh://(?:git@)?[^/@:\s]+(?::\d+)?)/[^\s@#]+")


def installed_from() -> str:
    """What pip would install the same from; empty when that is on this machine alone, or unknown."""
    try:
        found = distribution(_NAME)
    except PackageNotFoundError:
        return ""
    return requirement(found.read_text("direct_url.json"), found.version)


def with_extra(extra: str) -> str:
    """What pip takes to install the same with an extra; `SOURCE` stands where nobody knows it.

    The name alone would do where an index serves this very project, and bring in a stranger's where
    it does not.
    """
    source = installed_from() or "SOURCE"
    is_of_index = source.startswith(f"{_NAME}==")
    version = source.removeprefix(_NAME) if is_of_index else f" @ {source}"
    return f"{_NAME}[{extra}]{version}"


def requirement(direct_url: str | None, version: str) -> str:
    """The requirement that follows from what an installer noted.

    Args:
        direct_url: Its `direct_url.json`; None where the program came from an index.
        version: The version that was installed.
    """
    if direct_url is None:
        return f"{_NAME}=={version}"
    try:
        noted = json.loads(direct_url)
        url, origin = str(noted["url"]), noted.get("vcs_info")
        if not _PUBLIC.fullmatch(url):
            return ""
        return f"{origin['vcs']}+{url}@{origin['commit_id']}" if origin else url
    except (KeyError, TypeError, ValueError, AttributeError):
        return ""
