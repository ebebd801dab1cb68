"""The folder in which a repository begins: its files, and new ones. Nothing of it is overwritten."""

import os
import stat
from contextlib import suppress
from errno import EISDIR, ELOOP, ENOENT, ENOTDIR
from pathlib import Path

_MOST = 1 << 20


class FolderGround:
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
            return file.read(_MOST).decode("utf-8", "replace")

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
