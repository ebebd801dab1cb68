"""What starts git, and what holds it: GitPython without its variables, and a limit on memory."""

import os
import resource
import signal
from contextlib import suppress
from functools import cache
from typing import Any

from reconciler.ports import GitError

SECONDS = 300.0
_GITPYTHON = "GIT_PYTHON_"


@cache
def runner() -> Any:
    """GitPython's runner, which is told nothing by the environment.

    It would run whatever program is named there, and refuse to load when that is none.
    """
    own = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(_GITPYTHON)}
    os.environ[f"{_GITPYTHON}REFRESH"] = "quiet"
    try:
        from git.cmd import Git  # 84 ms: `ipam --help` needs no Git
    finally:
        del os.environ[f"{_GITPYTHON}REFRESH"]
        os.environ.update(own)
    return Git


@cache
def require_git(path: str) -> None:
    """Refuse to go on without git."""
    import shutil

    if shutil.which("git", path=path) is None:
        raise GitError("git is not installed", "install git 2.31 or newer")


def hold(process: int, memory: int) -> None:
    """Hold a process to an amount of memory; files that it maps, as packs, do not count."""
    if not hasattr(resource, "prlimit"):  # not Linux
        return
    _, most = resource.getrlimit(resource.RLIMIT_DATA)
    if most == resource.RLIM_INFINITY or memory < most:
        with suppress(OSError):  # it has ended already, or is not ours to hold
            resource.prlimit(process, resource.RLIMIT_DATA, (memory, most))


def late(command: str) -> GitError:
    """A call that did not end in time."""
    message = f"git {command} took over {SECONDS:.0f} seconds"
    return GitError(message, "see whether the remote answers, and try again")


def ended(status: int) -> str:
    """How a process ended that said nothing."""
    return f"ended by {signal.Signals(-status).name}" if status < 0 else f"status {status}"
