"""What starts git, and what holds it: GitPython without its variables, and a limit on memory."""

import os
import re
import signal
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from types import ModuleType
from typing import IO, Any

from reconciler.ports import GitError, LimitError

SECONDS = 300.0
MEMORY = 1 << 29
"""Bytes that git may need to read what is here; packs are mapped and do not count."""
EXCHANGE_MEMORY = 1 << 30
"""And to exchange it with a remote, or to pack it: it compares many objects at once."""
_GITPYTHON = "GIT_PYTHON_"
_LOADING = {f"{_GITPYTHON}REFRESH": "quiet", f"{_GITPYTHON}GIT_EXECUTABLE": "/nonexistent/git"}
# What a shell knows as a variable, and may forget. Some it keeps for itself.
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_FIXED = frozenset({"BASHOPTS", "BASH_VERSINFO", "EUID", "OPTIND", "PPID", "SHELLOPTS", "UID"})
# It names the object that it had no room for as if it were damaged.
_OBJECT = re.compile(r"(?:packed|loose|delta base) object ([0-9a-f]{40,64})\b")


class HeldError(LimitError):
    """Git needed more memory than it was held to."""


@cache
def runner() -> Any:
    """GitPython's runner, which is told nothing by the environment.

    It would run whatever program is named there, and refuse to load when that is none. It looks for
    git as it loads, with the whole environment, and not to find it is the one thing that it bears.

    Raises:
        OSError: The system does not let it look.
    """
    own = {name: os.environ.pop(name) for name in list(os.environ) if name.startswith(_GITPYTHON)}
    os.environ |= _LOADING
    try:
        return _runner_alone() or _runner()
    except ImportError as failed:
        if isinstance(failed.__cause__, OSError):
            raise failed.__cause__ from None
        raise
    finally:
        for name in _LOADING:
            del os.environ[name]
        os.environ.update(own)


def _runner_alone() -> Any:
    """The runner without the rest of GitPython, which takes 15 ms to load, and nobody uses.

    None where it does not go alone: in another version, or when all of it is loaded already.
    """
    found = find_spec("git")
    if found is None or "git" in sys.modules:
        return None
    _put_off("gitdb")  # 8 ms more: the runner takes three of its modules
    bare = ModuleType("git")
    bare.__path__ = list(found.submodule_search_locations or ())
    sys.modules["git"] = bare
    try:
        from git.cmd import Git
    except (ImportError, AttributeError):
        return None
    finally:
        del sys.modules["git"]  # who asks for it gets the whole
    return Git


class _PutOff(ModuleType):
    """A package that is loaded when something of it is asked for, and none of its modules."""

    def __getattr__(self, name: str) -> Any:
        """What the whole package has."""
        loader = self.__dict__.pop("_loader", None)
        if loader is None:
            raise AttributeError(name)
        loader.exec_module(self)
        return getattr(self, name)


def _put_off(package: str) -> None:
    found = find_spec(package) if package not in sys.modules else None
    if found is None:
        return
    bare = _PutOff(package)
    bare.__dict__.update(_loader=found.loader, __spec__=found, __file__=found.origin)
    bare.__path__ = list(found.submodule_search_locations or ())
    sys.modules[package] = bare


def _runner() -> Any:
    from git.cmd import Git

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
    with _file_alone() as file:
        file.write(data)
        file.seek(0)
        yield file.fileno()


def _file_alone() -> IO[bytes]:
    if hasattr(os, "memfd_create"):
        return os.fdopen(os.memfd_create("git"), "w+b")
    from tempfile import TemporaryFile

    return TemporaryFile()


def spooled(descriptor: int) -> bytes:
    """All that somebody else wrote to a file."""
    return os.pread(descriptor, os.fstat(descriptor).st_size, 0)


def held(memory: int, foreign: Iterable[str], answer: int | None = None) -> list[str]:
    """The words that start git: without some variables, held to an amount of memory at once.

    Files that it maps, as packs, do not count. Where less is allowed already, that stays.

    Args:
        memory: The bytes.
        foreign: Names of variables that git does not get; GitPython hands on all that there are.
        answer: A descriptor of the file that takes its output; GitPython knows pipes alone.
    """
    plain, odd = list[str](), list[str]()
    for name in sorted(foreign):
        (plain if _NAME.fullmatch(name) and name not in _FIXED else odd).append(name)
    # A program less to start for each call.
    first = ["env", *(part for name in odd for part in ("-u", name))] if odd else []
    gone = f"unset -v {' '.join(plain)}; " if plain else ""
    into = "" if answer is None else f" >/dev/fd/{answer}"
    # Where another user only lends his rights, a shell would give them back.
    keeps = ["-p"] if os.geteuid() != os.getuid() else []
    script = f'{gone}ulimit -S -d {memory >> 10} 2>/dev/null; exec git "$@"{into}'
    return [*first, "sh", *keeps, "-c", script, "git"]


def is_held(said: str) -> bool:
    """Git failed because it was held: it says so of what it could not have; a server, of itself."""
    lines = said.lower().splitlines()
    return any("out of memory" in line for line in lines if not line.startswith("remote:"))


def named_object(said: str) -> str:
    """The object that git had no room for, where it names one; else empty."""
    # The last one is what was asked for: another may be what that is a difference from.
    return next(reversed(_OBJECT.findall(said)), "")


def overfull(command: str, oid: str, memory: int, *, is_commit: bool) -> HeldError:
    """A call that was held, with the object that it had no room for."""
    message = f"git {command} needs more than {memory >> 20} MiB of memory"
    if not oid:
        return HeldError(message, "split what it reads: no file, list or history is that large")
    hint = (
        "it is too large, or packed as a difference from one that is; leave out the commit that"
        f" brought it: git log --all --find-object={oid}"
    )
    if is_commit:
        hint = (
            "it is a commit, and its message is too large: leave it out of the change (git rebase"
            f" -i {oid[:12]}^), or squash that; a branch that has it already has to go back to before"
            " that merge: git reset, git push --force, then ipam reconcile --accept-history"
        )
    return HeldError(f"{message} to read object {oid}", hint)


def late(command: str) -> GitError:
    """A call that did not end in time."""
    message = f"git {command} took over {SECONDS:.0f} seconds"
    return GitError(message, "see whether the remote answers, and try again")


def ended(status: int) -> str:
    """How a process ended that said nothing."""
    return f"ended by {signal.Signals(-status).name}" if status < 0 else f"status {status}"
