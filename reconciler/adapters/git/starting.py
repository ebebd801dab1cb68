"""What starts git, and what holds it: its variables and files, and a limit on memory."""

import os
import resource
import signal
from base64 import b64encode
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import cache
from tempfile import TemporaryFile
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


@contextmanager
def spool(data: bytes = b"") -> Iterator[int]:
    """The descriptor of a file without a name, in memory where the system has such; at its start."""
    in_memory = hasattr(os, "memfd_create")
    with os.fdopen(os.memfd_create("git"), "w+b") if in_memory else TemporaryFile() as file:
        file.write(data)
        file.seek(0)
        yield file.fileno()


def spooled(descriptor: int) -> bytes:
    """All that was written to a file by somebody else."""
    size = os.fstat(descriptor).st_size
    return os.pread(descriptor, size, 0)


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


def redirected(descriptor: int) -> tuple[str, ...]:
    """What starts the program behind it with its output going to a file: GitPython knows pipes."""
    return ("sh", "-c", 'exec "$@" >"$0"', f"/dev/fd/{descriptor}")


def configured(pairs: Sequence[tuple[str, str]]) -> dict[str, str]:
    """Settings by the environment: arguments can be read by anybody, and end names at a `=`."""
    variables = {"GIT_CONFIG_COUNT": str(len(pairs))}
    for number, (name, value) in enumerate(pairs):
        variables[f"GIT_CONFIG_KEY_{number}"] = name
        variables[f"GIT_CONFIG_VALUE_{number}"] = value
    return variables


def protocol(remote: str) -> str:
    """The one protocol by which a checked remote is reached."""
    scheme, separator, _ = remote.partition("://")
    if separator:
        return scheme
    return "file" if remote.startswith("/") else "ssh"


def absolute(path: str) -> str:
    """A search path without folders that depend on where one stands."""
    return os.pathsep.join(part for part in path.split(os.pathsep) if part.startswith("/"))


def named(name: str, remote: str, credentials: str) -> list[tuple[str, str]]:
    """What leads from a name for a remote to the remote itself, and what is said to it alone."""
    pairs = [(f"url.{remote}.insteadOf", name), (f"url.{remote}.pushInsteadOf", name)]
    if credentials:
        header = f"http.{remote}.extraHeader"
        # The empty one takes away those of the repository.
        pairs += [(header, ""), (header, f"Authorization: Basic {basic(credentials)}")]
    return pairs


def basic(credentials: str) -> str:
    """Credentials as a header of http has them."""
    return b64encode(credentials.encode()).decode()
