"""The cache folder: ours alone, or not used.

What stands in it is believed without being read anew, so nobody else may have written it.
"""

import errno
import os
import stat
from pathlib import Path

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
