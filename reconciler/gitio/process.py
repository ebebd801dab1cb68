"""Git processes. A missing, failed, or slow Git is a GitError."""

import logging
import os
import re
import selectors
import shlex
import signal
import time
import weakref
from base64 import b64encode
from collections.abc import (
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
)
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired  # nosec B404  # names only; GitPython starts git
from tempfile import TemporaryFile
from threading import RLock, current_thread, main_thread
from typing import Any
from urllib.parse import quote

from git import Git, GitCommandNotFound
from msgspec import Struct
from msgspec import field as struct_field

from reconciler.documents.text import escape
from reconciler.gitio.config import CONFIG, ENVIRONMENT, NETWORK
from reconciler.gitio.interface import TOP, RootFolder
from reconciler.model.errors import GitError, UsageError
from reconciler.model.settings import Limits

TICK_SECONDS = 1.0
"""Longest single wait. A signal that arrives just before is handled only after it."""
GRACE_SECONDS = 2.0
"""Time for Git to remove its locks and partial files."""
SECONDS = 300.0
"""Time limit of a Git call."""

_KILLED_SECONDS = 1.0
_AGAIN_SECONDS = 10.0
# A reading Git process ends at once. A process that removes locks can take longer.
_PAUSES = (0.0005, 0.001, 0.002, 0.004)
_PAUSE_SECONDS = 0.01
_PIECE = 1 << 16
_log = logging.getLogger(__name__)


class SignalReceived(BaseException):
    """Signal that ends this process. Not an Exception, so that error handlers do not catch it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


class _State(Struct):
    """Running processes, and the signal that ends this process, or 0.

    A signal could interrupt the holder of a lock, so there is none: each access is a single step.
    """

    running: set[Popen[bytes]] = struct_field(default_factory=set)
    number: int = 0
    is_starting: bool = False


_state = _State()


@contextmanager
def child(start: Callable[[], Any]) -> Iterator[Popen[bytes]]:
    """Run a process that `start` makes a group leader; if the block raises, end the group."""
    wrapper = _registered(start)
    process: Popen[bytes] = wrapper.proc
    try:
        _go_on()
        yield process
    except BaseException:
        end(process)
        raise
    _state.running.discard(process)
    _go_on()


def pieces(process: Popen[bytes], seconds: float, err: bytearray | None = None) -> Iterator[bytes]:
    """Yield standard output, or raise TimeoutError when a piece takes longer than `seconds`."""
    with selectors.DefaultSelector() as ready:
        for stream in filter(None, (process.stdout, process.stderr)):
            ready.register(stream, selectors.EVENT_READ)
        until = time.monotonic() + seconds
        while ready.get_map():
            if time.monotonic() > until:
                raise TimeoutError
            for key, _ in ready.select(TICK_SECONDS):
                piece = os.read(key.fd, _PIECE)
                if not piece:
                    ready.unregister(key.fileobj)
                    key.fileobj.close()  # type: ignore[union-attr]  # a stream
                elif key.fileobj is process.stdout:
                    yield piece
                    until = time.monotonic() + seconds
                elif err is not None:
                    err += piece[: _PIECE - len(err)]


def communicate(process: Popen[bytes], data: bytes | None, seconds: float) -> tuple[bytes, bytes]:
    """Send input and return both outputs, or raise TimeoutExpired."""
    if data is not None:  # input can be written only once, and long-running processes get none
        return process.communicate(data, timeout=seconds)
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > TICK_SECONDS:
        with suppress(TimeoutExpired):
            return process.communicate(timeout=TICK_SECONDS)
    return process.communicate(timeout=max(left, 0.0))


def pause(seconds: float) -> None:
    """Wait, and handle signals in the meantime."""
    until = time.monotonic() + seconds
    while (left := until - time.monotonic()) > 0:
        time.sleep(min(left, TICK_SECONDS))


def stop(number: int) -> bool:
    """Start the shutdown after a signal: start no more processes, and signal all running ones.

    Returns whether the caller may raise `SignalReceived` now. Otherwise a process is being started,
    and its start raises it.
    """
    _state.number = number
    for process in list(_state.running):
        _signal(process, signal.SIGTERM)
    return not _state.is_starting


def end(process: Popen[bytes]) -> None:
    """End the process group of a process, and reap its members."""
    for number, seconds in ((signal.SIGTERM, GRACE_SECONDS), (signal.SIGKILL, _KILLED_SECONDS)):
        _signal(process, number)
        until, pauses = time.monotonic() + seconds, iter(_PAUSES)
        while (is_there := _is_there(process)) and time.monotonic() < until:
            time.sleep(next(pauses, _PAUSE_SECONDS))
        if not is_there:
            break
    _state.running.discard(process)


@contextmanager
def time_limit(seconds: float) -> Iterator[None]:
    """Leave the block after some seconds, wherever the main thread is in it."""

    def expire(number: int, frame: object) -> None:
        del frame
        if _state.is_starting:  # a process that is not registered yet could not be ended
            signal.setitimer(signal.ITIMER_REAL, TICK_SECONDS / 100, _AGAIN_SECONDS)
        else:
            raise SignalReceived(number)

    before = signal.signal(signal.SIGALRM, expire)
    try:
        signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN_SECONDS)  # a finalizer can swallow one
        yield
    except SignalReceived as ended:
        if ended.number != signal.SIGALRM:
            raise
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def end_all() -> None:
    """End all remaining processes."""
    for process in list(_state.running):
        end(process)


def _registered(start: Callable[[], Any]) -> Any:
    _go_on()
    is_main = current_thread() is main_thread()
    if is_main:
        _state.is_starting = True  # a signal now waits until the process is registered
    try:
        wrapper = start()
        _state.running.add(wrapper.proc)
        return wrapper
    finally:
        if is_main:
            _state.is_starting = False


def _go_on() -> None:
    if _state.number:
        raise SignalReceived(_state.number)


def _signal(process: Popen[bytes], number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


def _is_there(process: Popen[bytes]) -> bool:
    if process.poll() is None:
        return True
    # The first process of a container inherits orphaned processes.
    with suppress(ChildProcessError):
        while os.waitpid(-process.pid, os.WNOHANG)[0]:
            pass
    try:
        os.killpg(process.pid, 0)
    except (ProcessLookupError, PermissionError):
        return False
    return True


class Result(Struct, frozen=True):
    """Result of a Git call."""

    status: int
    out: bytes
    err: str


class Output:
    """Output of a process that is still running. Raises EOFError at its end."""

    def __init__(self, more: Iterator[bytes]) -> None:
        self._more = more
        self._held, self._at = b"", 0

    def line(self) -> bytes:
        """Return the next line, with its line feed."""
        while (end := self._held.find(b"\n", self._at)) < 0:
            self._read(1)
        return self.take(end + 1 - self._at)

    def take(self, size: int) -> bytes:
        """Return the next bytes."""
        if (lacking := self._at + size - len(self._held)) > 0:
            self._read(lacking)
        self._at += size
        return self._held[self._at - size : self._at]

    def _read(self, lacking: int) -> None:
        found = [self._held[self._at :]]
        while lacking > 0:
            if not (piece := next(self._more, b"")):
                raise EOFError
            found.append(piece)
            lacking -= len(piece)
        self._held, self._at = b"".join(found), 0


class _Lookup:
    def __init__(self, start: Callable[[], Any], *, has_data: bool) -> None:
        self._wrapper = _registered(start)
        self._process: Popen[bytes] = self._wrapper.proc
        self._has_data = has_data
        self._out = Output(pieces(self._process, SECONDS))

    def ask(self, names: bytes) -> bytes | None:
        found = []
        try:
            os.write(self._process.stdin.fileno(), names)  # type: ignore[union-attr]  # a pipe
            for _ in range(names.count(b"\n")):
                found.append(line := self._out.line())
                size = line[line.rfind(b" ") + 1 :].strip()
                if self._has_data and size.isdigit():
                    found.append(self._out.take(int(size) + 1))
        except (OSError, EOFError):
            return None
        return b"".join(found)

    def close(self) -> None:
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(OSError):
                if stream is not None:
                    stream.close()
        try:
            self._process.wait(GRACE_SECONDS)
        except TimeoutExpired:
            end(self._process)
        _state.running.discard(self._process)


class ObjectReader:
    """Long-lived `cat-file` processes of one object database, with a cache of objects by id."""

    # Git accepts this number of bytes of names before its output must be read.
    _MAX_NAMES = 1 << 15

    def __init__(self) -> None:
        self._lookups: dict[str, _Lookup] = {}
        self._lock = RLock()
        self.limits = Limits(0, 0)  # minimum limits, for a change that raises them
        weakref.finalize(self, _close_all, self._lookups)
        self.forget()

    def forget(self) -> None:
        """Drop the cached objects, so that a long-running process does not grow."""
        self.trees = dict[str, Any]()
        self.commits = dict[str, dict[str, Any]]()
        self.sizes = dict[str, int]()
        self.bases = dict[tuple[str, str], str]()
        self.ranges = dict[tuple[str, str], list[str]]()
        self.plans = dict[tuple[str, ...], list[tuple[str, str]]]()
        self.steps = dict[tuple[str, ...], list[Any]]()

    def ask(self, how: str, names: bytes, start: Callable[[], Any]) -> bytes | None:
        """Return the answers about some names, or None if they need a separate process."""
        if len(names) > self._MAX_NAMES:
            return None
        with self._lock:
            found = None
            try:
                if how not in self._lookups:
                    self._lookups[how] = _Lookup(start, has_data=how == "--batch")
                found = self._lookups[how].ask(names)
            finally:
                if found is None:
                    self.close()
        return found

    def close(self) -> None:
        """End the processes. A later lookup starts them again."""
        _close_all(self._lookups)


def _close_all(lookups: dict[str, _Lookup]) -> None:
    while lookups:
        lookups.popitem()[1].close()


TOKEN = "IPAM_GIT_TOKEN"  # noqa: S105 - the name of a variable  # nosec B105
REMOTE = f"ipam-{os.urandom(16).hex()}"
"""Name of the remote in Git calls. It is random, so that no configuration can refer to it."""
# Variables that locate the user's own configuration, in which Git reads `safe.directory`.
_PERSONAL = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
_KEPT = re.compile(
    "|".join(("GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_SSL_CAINFO", "GIT_PYTHON_REFRESH", *_PERSONAL))
    + r"|GIT_CONFIG_(COUNT|(KEY|VALUE)_[0-9]+)"
)


def clean_environment(variables: MutableMapping[str, str]) -> None:
    """Remove the variables that could redirect Git to other files or programs."""
    for name in list(variables):
        if name.startswith("GIT_") and not _KEPT.fullmatch(name):
            del variables[name]


@dataclass(frozen=True, slots=True)
class GitProcess:
    """Git on one repository.

    Attributes:
        credentials: `user:secret` for an HTTP remote, or empty.
        guards: Settings that override settings of the repository, by name.
        objects: Variables of a separate folder for new objects.
        reader: Reader of the object database. Another database needs another one.
        brings: Fetches objects by id. If None, an object missing from a partial clone is an error.
    """

    git_dir: Path
    environment: Mapping[str, str]
    credentials: str = field(default="", repr=False)
    guards: tuple[tuple[str, str], ...] = ()
    root: RootFolder = TOP
    objects: Mapping[str, str] = field(default_factory=dict, compare=False)
    reader: ObjectReader = field(default_factory=ObjectReader, compare=False, repr=False)
    brings: Callable[[Sequence[str]], None] | None = field(default=None, compare=False, repr=False)

    def run(
        self,
        *arguments: str,
        data: bytes | None = None,
        remote: str = "",
        extra: Mapping[str, str] | None = None,
    ) -> Result:
        """Run a plumbing command. Untrusted names come after `--`.

        Git may contact only `remote`, one of the arguments, as returned by `check_remote`. Without
        it, every protocol is refused.
        """
        with child(partial(self._start, arguments, remote, extra or {})) as process:
            try:
                out, err = communicate(process, data, SECONDS)
            except TimeoutExpired:
                raise _late(arguments[0]) from None
        text = err.decode("utf-8", "replace").strip().replace(REMOTE, remote)
        return Result(process.returncode, out, redacted(text, self._secrets()))

    def look_up(self, how: str, names: Sequence[str]) -> Iterator[bytes]:
        """Yield pieces of the output of `cat-file`. Raises GitError for a corrupt object."""
        data = "".join(f"{name}\n" for name in names).encode()
        start = partial(self._start, ("cat-file", how), "", {})
        if (found := self.reader.ask(how, data, start)) is not None:
            return iter((found,))
        return self.parts("cat-file", how, "--buffer", data=data)

    def parts(self, *arguments: str, data: bytes = b"") -> Generator[bytes, None, None]:
        """Yield the output in pieces while Git works. Closing the generator ends Git."""
        with TemporaryFile() as file:
            file.write(data)
            file.seek(0)
            yield from self._pieces(arguments, file)

    def _pieces(self, arguments: Sequence[str], file: Any) -> Iterator[bytes]:
        err = bytearray()
        with child(partial(self._start, arguments, "", {}, file)) as process:
            try:
                yield from pieces(process, SECONDS, err)
                process.wait(SECONDS)
            except (TimeoutError, TimeoutExpired):
                raise _late(arguments[0]) from None
        if process.returncode != 0:
            text = redacted(err.decode("utf-8", "replace").strip(), self._secrets())
            raise failure(arguments[0], Result(process.returncode, b"", text), DAMAGED)

    def check(self, *arguments: str, data: bytes | None = None) -> bytes:
        """Run Git and return its output without the last line feed."""
        result = self.run(*arguments, data=data)
        if result.status != 0:
            raise failure(arguments[0], result)
        return result.out.removesuffix(b"\n")

    def words(self, *arguments: str) -> list[str]:
        """Run Git and return its output split at white space, such as commit ids."""
        return self.check(*arguments).decode("ascii").split()

    def _start(
        self, arguments: Sequence[str], remote: str, extra: Mapping[str, str], stdin: Any = PIPE
    ) -> Any:
        # The last value of a name counts.
        variables = {**self.environment, **ENVIRONMENT, **self.objects, **extra}
        settings = [*self.guards, *CONFIG]
        if remote:
            settings += [*NETWORK, *self._remote_settings(remote)]
            scheme, separator, _ = remote.partition("://")
            path = "file" if remote.startswith("/") else "ssh"
            protocol = variables["GIT_ALLOW_PROTOCOL"] = scheme if separator else path
            if protocol == "file":
                # If the folder belongs to another user, the serving Git process looks for
                # `safe.directory` in the user's own configuration.
                variables = _personal(variables, self.environment)
        # Other users can read arguments, and Git ends the name of a setting there at the first `=`.
        variables["GIT_CONFIG_COUNT"] = str(len(settings))
        for number, (name, value) in enumerate(settings):
            variables[f"GIT_CONFIG_KEY_{number}"] = name
            variables[f"GIT_CONFIG_VALUE_{number}"] = value
        command = ["git", f"--git-dir={self.git_dir}", *arguments]
        if _log.isEnabledFor(logging.DEBUG):
            _log.debug("%s", escape(redacted(shlex.join(command), self._secrets())))
        named = [REMOTE if remote and part == remote else part for part in command]
        return _started(self.git_dir, named, variables, stdin)

    def _remote_settings(self, remote: str) -> list[tuple[str, str]]:
        found = [(f"url.{remote}.insteadOf", REMOTE), (f"url.{remote}.pushInsteadOf", REMOTE)]
        credentials = self._credentials()
        user, _, secret = credentials.partition(":")
        if user and not secret and self.environment.get("GIT_ASKPASS"):
            found.append((f"credential.{remote}.username", user))
        elif credentials:
            header = f"http.{remote}.extraHeader"
            # The empty value removes the headers that the repository configures.
            found += [(header, ""), (header, f"Authorization: Basic {_basic(credentials)}")]
        return found

    def _credentials(self) -> str:
        user, _, secret = self.credentials.partition(":")
        secret = self.environment.get(TOKEN, secret).strip()
        if any("\ud800" <= letter <= "\udfff" for letter in secret):  # bytes that are not text
            hint = "set it exactly as the server showed it"
            raise UsageError(f"{TOKEN} is not valid UTF-8", hint)
        return f"{user or 'x-access-token'}:{secret}" if user or secret else ""

    def _secrets(self) -> list[str]:
        credentials = self._credentials()
        if not credentials:
            return []
        user, _, secret = credentials.partition(":")
        hidden = [_basic(credentials), secret or user]
        return [*hidden, *(quote(text, safe="") for text in hidden)]


def _basic(credentials: str) -> str:
    return b64encode(credentials.encode()).decode()


def discover(folder: Path, environment: Mapping[str, str], *, is_bare: bool) -> Result:
    """Find the Git folder around a folder, and the relative path to the top of its work tree."""
    # Git refuses repositories of other users. `is_bare` permits the folder itself to be bare, but
    # never a parent: a committed bare repository could bring its own configuration.
    taken = f"safe.bareRepository={'all' if is_bare else 'explicit'}"
    command = ["git", "-c", taken, "rev-parse", "--absolute-git-dir", "--show-cdup"]
    variables = _personal({**environment, **ENVIRONMENT}, environment)
    with child(partial(_started, folder, command, variables)) as process:
        out, err = communicate(process, None, SECONDS)
    return Result(process.returncode, out, err.decode("utf-8", "replace"))


def _personal(variables: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    others = {name: value for name, value in variables.items() if name not in _PERSONAL}
    return others | {name: own[name] for name in _PERSONAL if name in own}


def _started(
    folder: Path, command: Sequence[str], variables: dict[str, str], stdin: Any = PIPE
) -> Any:
    # Relative folders of the search path are not searched for programs.
    path = variables.get("PATH", os.defpath).split(os.pathsep)
    variables["PATH"] = os.pathsep.join(part for part in path if part.startswith("/"))
    try:
        # With ipam's signal handlers, Git reports a full disk as an error and removes its locks.
        return Git(str(folder)).execute(
            command, as_process=True, istream=stdin, env=variables,
            start_new_session=True, restore_signals=False,
        )  # fmt: skip
    except GitCommandNotFound:
        raise GitError("Git is not installed", "install Git 2.31 or newer") from None


# Messages of Git, before and since 2.44, about missing objects of a partial clone.
_PROMISED = ("from promisor remote", "lazy fetching disabled")
FILTERED = "run git fetch --refetch --no-filter; in a CI job, check out without filter and sparse-checkout; for check and plan, pass --fetch-missing"
_OWNED = re.compile(r"dubious ownership in repository at '(.*)'")
LACKS = "the partial clone lacks objects that its filter excluded"
DAMAGED = (
    "clone the repository again, because this clone is partial or damaged, or pass --remote URL"
)
_UNREACHABLE = "check that the remote is running, and that you can read and write it"
# Messages of Git about an HTTP server that rejects the credentials or denies access.
_UNKNOWN = (
    "could not read Username",
    "could not read Password",
    "Authentication failed",
    "error: 401",
)
_FORBIDDEN = "returned error: 403"
_WHO = "set IPAM_GIT_TOKEN to a valid token that can read and write the repository"


def failure(command: str, result: Result, hint: str = "") -> GitError:
    """Return a failed call as an error with Git's own message."""
    text = result.err.splitlines()
    said = next((line for line in text if line.startswith(("fatal:", "error:"))), "")
    status = result.status
    ended = f"ended by {signal.Signals(-status).name}" if status < 0 else f"status {status}"
    # The text of a Git that crashed is about its own code.
    message = said.partition(": ")[2] or (text[-1] if text and status >= 0 else ended)
    if owned := _OWNED.search(result.err):
        hint = f"run git config --global --add safe.directory {owned[1]}, if you trust its files"
        return GitError(f"{owned[1]} belongs to another user", hint)
    if ".lock': File exists" in result.err:
        hint = "wait for the other Git command; if there is none, remove that .lock file"
    if any(words in result.err for words in _PROMISED):
        # Fetching objects one by one would take a round trip per file.
        return GitError(f"{LACKS} (git {command}: {message})", FILTERED)
    return GitError(f"git {command}: {message}", hint)


def unreachable(what: str, command: str, result: Result) -> GitError:
    """Return the error of a call to a remote; rejected logins (401, 403) are reported as such."""
    is_unknown = any(words in result.err for words in _UNKNOWN)
    status = 401 if is_unknown else 403 if _FORBIDDEN in result.err else 0
    hint = _WHO if status else _UNREACHABLE
    error = failure(command, result, hint)
    what = f"the remote refuses these credentials ({status})" if status else what
    return GitError(f"{what}: {error}", error.hint)


def redacted(text: str, secrets: Sequence[str]) -> str:
    """Return a text with every secret replaced by `***`."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return text


def _late(command: str) -> GitError:
    message = f"git {command} took more than {SECONDS:.0f} seconds"
    return GitError(message, "check that the remote answers, then try again")


# Git passes content through a filter without a command unchanged.
_FILTERS = {"clean": "", "smudge": "", "process": "", "required": "false"}
# Programs that Git starts for a remote on the same machine.
_SERVERS = {"uploadpack": "git-upload-pack", "receivepack": "git-receive-pack"}
# Merges that need an external program are conflicts.
_MERGES = {"driver": "false"}
_SECTIONS = {"filter": _FILTERS, "remote": _SERVERS, "merge": _MERGES}
# Programs that newer versions of Git run as hooks, regardless of `core.hooksPath`.
_HOOKS = ("command", "event")
_SCOPES = ("local", "worktree")
TRUE = ("1", "true", "yes", "on")
"""Values that Git reads as true, in lower case. A name without a value is also true."""


class Setting(Struct, frozen=True):
    """Setting of a repository. Section and variable are in lower case."""

    section: str
    between: str
    variable: str
    value: str


def read_configuration(git: GitProcess) -> list[Setting]:
    """Return the repository's own configuration, with all included files."""
    listed = git.check("config", "--null", "--show-scope", "--list")
    parts = os.fsdecode(listed).split("\0")  # names can have any bytes
    found = []
    for scope, text in zip(parts[::2], parts[1::2], strict=False):
        name, _, value = text.partition("\n")
        section, _, rest = name.partition(".")
        between, _, variable = rest.rpartition(".")
        if scope in _SCOPES:
            found.append(Setting(section.lower(), between, variable.lower(), value))
    return found


# Words that a configuration with any program of the sections above, or an included file, contains.
_PROGRAMS = re.compile(rb"filter|driver|hook|include|uploadpack|receivepack", re.IGNORECASE)


def _names_programs(git: GitProcess) -> bool:
    files = (common_folder(git) / "config", git.git_dir / "config.worktree")
    return any(file.exists() and _PROGRAMS.search(file.read_bytes()) for file in files)


def guarded(git: GitProcess, settings: Iterable[Setting] | None = None) -> GitProcess:
    """Return Git that runs no program of the repository's configuration, or raise UsageError."""
    guards: dict[str, str] = {}
    if settings is None:
        settings = read_configuration(git) if _names_programs(git) else ()
    for item in settings:
        if item.variable in _SECTIONS.get(item.section, {}):
            # Override all of them, because Git prefers `process` to `clean`.
            for variable, value in _SECTIONS[item.section].items():
                guards[f"{item.section}.{item.between}.{variable}"] = value
        elif item.section == "hook" and item.variable in _HOOKS:
            name = os.fsencode(f"hook.{item.between}.{item.variable}").decode("utf-8", "replace")
            message = f"{name} in the configuration of the repository is not permitted"
            raise UsageError(
                message,
                f"run git config --unset {name}, because ipam runs no hooks of a repository",
            )
    return replace(git, guards=tuple(guards.items()))


def common_folder(git: GitProcess) -> Path:
    """Return the Git folder that all work trees of the repository share."""
    common = git.git_dir / "commondir"
    shared = common.read_text(encoding="utf-8").strip() if common.is_file() else ""
    return git.git_dir / shared


def is_filtered(git: GitProcess) -> bool:
    """Return whether the repository is a partial clone. Querying objects that can be missing is very slow."""
    return any((common_folder(git) / "objects" / "pack").glob("*.promisor"))


def alternate(git: GitProcess) -> str:
    """Return the object folder for a list of alternates, which Git parses like C (git(1))."""
    path = str((common_folder(git) / "objects").resolve())
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
