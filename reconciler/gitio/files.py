"""Files outside Git."""

import errno
import json
import logging
import os
import re
import shutil
import stat
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from errno import EISDIR, ELOOP, ENOENT, ENOTDIR
from hashlib import sha256
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

from msgspec import Struct

from reconciler.documents.findings import join_limited
from reconciler.documents.validators import folder as shipped
from reconciler.model.errors import UsageError

_MAX_GROUND = 1 << 20
_log = logging.getLogger(__name__)


class TargetDirectory:
    """Target folder, which need not exist. Symbolic links in it are not followed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def text(self, path: str) -> str | None:
        """Return the beginning of a file, or None. Raise OSError unless the file is regular."""
        self._require_way(path)
        place = self._folder / path
        try:
            found = place.lstat()
        except FileNotFoundError:
            return None
        if stat.S_ISLNK(found.st_mode):
            raise OSError(ELOOP, "is a symlink")
        if not stat.S_ISREG(found.st_mode):
            raise OSError(EISDIR, "is not a file")
        with place.open("rb") as file:
            return file.read(_MAX_GROUND).decode("utf-8", "replace")

    def below(self, folder: str) -> list[str]:
        """Return the paths of all files below a folder."""
        if (self._folder / folder).is_symlink():
            return []
        found = [
            Path(at).relative_to(self._folder).joinpath(name).as_posix()
            for at, _, names in os.walk(self._folder / folder)
            for name in names
        ]
        return sorted(found)

    def add(self, path: str, text: str) -> None:
        """Write a new file, or raise OSError. Never overwrite an existing one."""
        self._require_way(path)
        place = self._folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("x", encoding="utf-8", newline="\n") as file:
            try:
                file.write(text)
                file.flush()
            except OSError:  # the disk is full: a truncated file would look like a user's file
                with suppress(OSError):
                    place.unlink()
                raise

    def rewrite(self, path: str, data: bytes) -> None:
        """Replace an existing file, or raise OSError if it is missing or a link."""
        if self.text(path) is None:
            raise FileNotFoundError(ENOENT, "does not exist")
        (self._folder / path).write_bytes(data)

    def _require_way(self, path: str) -> None:
        for name in reversed(Path(path).parents[:-1]):
            with suppress(FileNotFoundError):
                mode = (self._folder / name).lstat().st_mode
                if stat.S_ISLNK(mode):
                    raise OSError(ELOOP, f"{name} is a symlink")
                if not stat.S_ISDIR(mode):
                    raise OSError(ENOTDIR, f"{name} is not a folder")


_WORK = ".ipam-import-"


def write_all(out: Path, files: Mapping[str, bytes]) -> list[str]:
    """Write files below a folder all or not at all, and return the paths that differed."""
    if out.exists() and not out.is_dir():
        raise UsageError(f"{out} is not a folder", "choose another folder: --out DIR")
    new = _new(out, files)
    out.mkdir(parents=True, exist_ok=True)
    for left in out.glob(f"{_WORK}*"):  # of a run that was killed
        if left.is_dir() and not left.is_symlink():
            shutil.rmtree(left, ignore_errors=True)
    work = Path(tempfile.mkdtemp(prefix=_WORK, dir=out))
    done: list[Path] = []
    try:
        for number, path in enumerate(new):
            with (work / str(number)).open("xb") as file:
                file.write(files[path])
                file.flush()
                os.fsync(file.fileno())
        for number, path in enumerate(new):
            (out / path).parent.mkdir(parents=True, exist_ok=True)
            # Unlike a rename, a link never replaces a file that was created in the meantime.
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
    new, taken = [], []
    for path, data in files.items():
        for folder in (out / it for it in reversed(Path(path).parents[:-1])):
            if folder.is_symlink() or (folder.exists() and not folder.is_dir()):
                hint = "move or delete it"
                raise UsageError(f"{folder} is not a folder; nothing was written", hint)
        target = out / path
        if not os.path.lexists(target):
            new.append(path)
        elif target.is_symlink() or not target.is_file() or target.read_bytes() != data:
            taken.append(path)
    if taken:
        verb = "exists" if len(taken) == 1 else "exist"
        message = f"{join_limited(taken)} already {verb}; nothing was written"
        hint = "move or delete the file, or pass --out ANOTHER-FOLDER and merge by hand"
        raise UsageError(message, hint)
    return new


_WRITABLE = stat.S_IWGRP | stat.S_IWOTH


def refusal(folder: Path) -> str:
    """Return why a cache folder is unsafe, or empty if it is private or does not exist."""
    try:
        found = [folder.lstat(), folder.stat()]
    except (FileNotFoundError, NotADirectoryError):
        return ""
    except OSError as error:
        return f"{folder} cannot be read: {error.strerror or error}"
    if not stat.S_ISDIR(found[-1].st_mode):
        return f"{folder} is not a folder"
    if any(item.st_uid != os.geteuid() for item in found):
        return f"{folder} belongs to another user"
    if found[-1].st_mode & _WRITABLE:
        return f"other users can write to {folder}"
    return ""


def make(folder: Path) -> None:
    """Create a private cache folder with its parents, or raise OSError."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    if why := refusal(folder):  # another process can create the folder first
        raise PermissionError(errno.EPERM, why)


_SEAL = sha256().digest_size


class CacheFile(Struct, frozen=True):
    """File of a private cache folder. A damaged one, or one of another version, is not used."""

    path: Path

    def read(self) -> bytes | memoryview:
        """Return the bytes that this version of the program wrote; else nothing."""
        is_private, found = not any(map(refusal, self.path.parents[:2])), memoryview(b"")
        with suppress(OSError):
            found = memoryview(self.path.read_bytes())
        return found[_SEAL:] if is_private and found[:_SEAL] == _seal(found[_SEAL:]) else b""

    def write(self, data: bytes) -> None:
        """Replace the file, if that is possible."""
        made = self.path.with_suffix(".new")  # two writers at once spoil it, which the seal shows
        try:
            for folder in (self.path.parent.parent, self.path.parent):
                make(folder)
            with made.open("wb") as file:
                file.writelines((_seal(data), data))
            made.replace(self.path)
        except OSError as error:
            _log.debug("the cache is not written: %s", error)
            with suppress(OSError):
                made.unlink()


def _seal(data: bytes | memoryview) -> bytes:
    """Return a hash of data, and of the code and schemas that determine it."""
    found = sha256(sys.version.encode())
    homes = Path(__file__).parent.parent, shipped("schemas")
    for file in sorted(it for home in homes for it in home.rglob("*.*")):
        if file.suffix in (".py", ".json"):
            found.update(file.read_bytes())
    found.update(data)
    return found.digest()


_NAME = "gitops-ipam"
# Public URLs only: no password, and no user name except the common `git` of SSH.
_PUBLIC = re.compile(r"(?:https://[^/@\s]+|ssh://(?:git@)?[^/@:\s]+(?::\d+)?)/[^\s@#]+")


def installed_from() -> str:
    """Return the requirement that installs the same source, or empty if it is local or unknown."""
    try:
        found = distribution(_NAME)
    except PackageNotFoundError:
        return ""
    return requirement(found.read_text("direct_url.json"), found.version)


def with_extra(extra: str) -> str:
    """Return a requirement with an extra. `SOURCE` replaces an unknown source."""
    # The bare name would install an unrelated project from an index that does not serve this one.
    source = installed_from() or "SOURCE"
    is_of_index = source.startswith(f"{_NAME}==")
    version = source.removeprefix(_NAME) if is_of_index else f" @ {source}"
    return f"{_NAME}[{extra}]{version}"


def requirement(direct_url: str | None, version: str) -> str:
    """Return the requirement for `direct_url.json`, which is None for a program from an index."""
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
