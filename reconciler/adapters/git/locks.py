"""Who is alone with a repository, and what a git that was killed in a mirror has left in its way.

Git takes a file for its lock, and a kill leaves the file behind. A checkout is a person's: what is
in it nobody else removes. A mirror is ours alone, and nobody looks after it.
"""

import fcntl
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

OLD = 60.0
"""Seconds after which a lock of git is no living one's: it holds each for moments."""

_OURS = "ipam.lock"
_PLACES = ("*.lock", "refs/**/*.lock", "reftable/*.lock", "objects/info/**/*.lock",
           "objects/pack/*.lock")  # fmt: skip

_log = logging.getLogger(__name__)


@contextmanager
def alone(git_dir: Path, now: Callable[[], float] | None = None) -> Iterator[None]:
    """Keep other runs on this very folder waiting; the system lets go of it, even by a kill.

    Args:
        git_dir: The folder.
        now: This machine's clock, by which a lock of git is an old one, of a mirror that is ours;
            None for what is not: then none is removed.
    """
    with (git_dir / _OURS).open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as error:
            # Some network file systems have no locks; the branch is the lock that counts.
            _log.info("no lock on %s: %s", git_dir, error)
        else:
            if now is not None:
                _tidy(git_dir, now())
        yield


def _tidy(git_dir: Path, now: float) -> None:
    """Remove locks of git that are old; one that cannot be removed is told by who needs it."""
    for place in _PLACES:
        for lock in git_dir.glob(place):
            with suppress(OSError):
                # One from tomorrow is of a clock that was set back since.
                if lock.name != _OURS and abs(now - lock.lstat().st_mtime) >= OLD:
                    lock.unlink()
                    _log.warning("%s, which a git that was killed has left, is removed", lock)
