"""Git processes."""

import logging
import os
import re
import shlex
import signal
import weakref
from collections.abc import (
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
)
from contextlib import ExitStack, closing, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from subprocess import PIPE, Popen, TimeoutExpired  # nosec B404  # names only; GitPython starts git
from tempfile import TemporaryFile
from typing import Any
from urllib.parse import quote

from git import Git, GitCommandNotFound
from msgspec import Struct

from reconciler.documents.text import escape
from reconciler.gitio.config import (
    CONFIG,
    ENVIRONMENT,
    NETWORK,
    TOP,
    RootFolder,
    basic,
    configured,
    pairs,
    protocol,
)
from reconciler.gitio.processes import child, communicate, coprocess, pieces
from reconciler.model.errors import GitError, UsageError


class Result(Struct, frozen=True):
    """Result of a Git call."""

    status: int
    out: bytes
    err: str


_log = logging.getLogger(__name__)

TOKEN = "IPAM_GIT_TOKEN"  # noqa: S105 - the name of a variable  # nosec B105
REMOTE = f"ipam-{os.urandom(16).hex()}"
"""Name of the remote in Git calls. It is random, so that no configuration can refer to it."""
_PERSONAL = ("GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM", "GIT_CONFIG_NOSYSTEM")
"""Variables that locate the user's own configuration, in which Git reads `safe.directory`."""
_KEPT = re.compile(
    "|".join(("GIT_SSH_COMMAND", "GIT_ASKPASS", "GIT_SSL_CAINFO", "GIT_PYTHON_REFRESH", *_PERSONAL))
    + r"|GIT_CONFIG_(COUNT|(KEY|VALUE)_[0-9]+)"
)


def clean_environment(variables: MutableMapping[str, str]) -> None:
    """Remove the variables that could redirect Git to other files or programs."""
    for name in list(variables):
        if name.startswith("GIT_") and not _KEPT.fullmatch(name):
            del variables[name]


class GitCommandCache:
    """Results of read-only calls and running lookup processes, for one run.

    A run repeats many calls about a change and its base. Runs that write, and daemons, have no
    cache.
    """

    _READING = frozenset(
        [
            "config",
            "diff-tree",
            "for-each-ref",
            "log",
            "ls-tree",
            "merge-base",
            "rev-list",
            "rev-parse",
        ]
    )
    _MAX_BYTES = 1 << 20
    # Git accepts this number of bytes of names before its output must be read.
    _MAX_NAMES = 1 << 15

    def __init__(self) -> None:
        """Begin without processes."""
        self._answers: dict[tuple[tuple[str, ...], bytes | None], Result] = {}
        self._lookups: dict[str, _Lookup] = {}
        self._stack = ExitStack()
        self._process = os.getpid()
        weakref.finalize(self, _close, self._stack, self._process)

    def known(self, arguments: Sequence[str], data: bytes | None) -> Result | None:
        """Return the result of an earlier call."""
        return self._answers.get((tuple(arguments), data))

    def note(self, arguments: Sequence[str], data: bytes | None, answer: Result) -> None:
        """Keep the result of a read-only call."""
        if arguments[0] in self._READING and len(answer.out) <= self._MAX_BYTES:
            self._answers[tuple(arguments), data] = answer

    def apart(self) -> "GitCommandCache":
        """Return a cache for another object database, closed with this one."""
        other = GitCommandCache()
        self._stack.callback(other.close)
        return other

    def look_up(self, how: str, names: bytes, start: Callable[[], Any]) -> bytes | None:
        """Return the output of a long-lived `cat-file`, or None if a new process is needed."""
        # A forked process shares these pipes.
        if len(names) > self._MAX_NAMES or os.getpid() != self._process:
            return None
        if how not in self._lookups:
            process = self._stack.enter_context(coprocess(start))
            self._lookups[how] = _Lookup(process, has_data=how == "--batch")
        found = self._lookups[how].ask(names)
        if found is None:
            self.close()
        return found

    def close(self) -> None:
        """End the processes. A later lookup starts them again."""
        self._lookups.clear()
        _close(self._stack, self._process)


class _Lookup:
    """A `cat-file` process that runs until it is closed."""

    def __init__(self, process: "Popen[bytes]", *, has_data: bool) -> None:
        self._process = process
        self._has_data = has_data
        self._rest = b""
        self._more: Iterator[bytes] = pieces(process, SECONDS)

    def ask(self, names: bytes) -> bytes | None:
        """Return one answer per line of `names`, or None if the process ended."""
        if self._process.stdin is None:
            return None
        found = []
        try:
            self._process.stdin.write(names)
            self._process.stdin.flush()
            for _ in range(names.count(b"\n")):
                while (end := self._rest.find(b"\n") + 1) == 0:
                    self._rest += next(self._more)
                found.append(line := self._take(end))
                size = line[line.rfind(b" ") + 1 :].strip()
                found.append(self._take(int(size) + 1 if self._has_data and size.isdigit() else 0))
        except (BrokenPipeError, StopIteration, TimeoutError):
            return None
        return b"".join(found)

    def _take(self, size: int) -> bytes:
        pieces, have = [self._rest], len(self._rest)
        while have < size:
            pieces.append(next(self._more))
            have += len(pieces[-1])
        whole = b"".join(pieces)
        self._rest = whole[size:]
        return whole[:size]


def _close(stack: ExitStack, process: int) -> None:
    """Close a stack in the process that opened it, but not in a fork."""
    if os.getpid() == process:
        with suppress(OSError):
            stack.close()


@dataclass(frozen=True, slots=True)
class GitProcess:
    """Git on one repository.

    Attributes:
        git_dir: The Git folder of the repository.
        environment: Variables of the caller, such as `IPAM_GIT_TOKEN`, `GIT_ASKPASS`, and `HOME`.
        credentials: `user:secret` for an HTTP remote, or empty.
        guards: Settings that override those of the repository, by name.
        root: The root folder in the repository.
        objects: Environment variables of a separate object folder, if new objects do not go into
            the repository.
        cache: Results of earlier calls, or None for a run that writes and for a daemon.
        brings: Fetches objects by their ids. If None, objects missing from a partial clone are an
            error.
    """

    git_dir: Path
    environment: Mapping[str, str]
    credentials: str = field(default="", repr=False)
    guards: tuple[tuple[str, str], ...] = ()
    root: RootFolder = TOP
    objects: "Mapping[str, str]" = field(default_factory=dict, compare=False)
    cache: GitCommandCache | None = field(default=None, compare=False, repr=False)
    brings: "Callable[[Sequence[str]], None] | None" = field(
        default=None, compare=False, repr=False
    )

    def run(
        self,
        *arguments: str,
        data: bytes | None = None,
        remote: str = "",
        extra: Mapping[str, str] | None = None,
    ) -> Result:
        """Run Git to its end.

        Args:
            arguments: A plumbing command with its arguments. Untrusted names come after `--`.
            data: Its standard input.
            remote: The only remote that Git may contact, as returned by `check_remote`. It is one
                of the arguments. Without it, every protocol is refused.
            extra: Additional environment variables.

        Raises:
            GitError: Git is not installed, or timed out.
        """
        if self.cache is not None and (known := self.cache.known(arguments, data)) is not None:
            return known
        with child(partial(self._start, arguments, remote, extra or {})) as process:
            try:
                out, err = communicate(process, data, SECONDS)
            except TimeoutExpired:
                raise late(arguments[0]) from None
        text = err.decode("utf-8", "replace").strip().replace(REMOTE, remote)
        result = Result(process.returncode, out, redacted(text, self._secrets()))
        if self.cache is not None:
            self.cache.note(arguments, data, result)
        return result

    def look_up(self, how: str, names: Sequence[str]) -> bytes:
        """Return the output of `cat-file` with `--batch` or `--batch-check`.

        Raises:
            GitError: An object is corrupt, or missing from a partial clone.
        """
        data = "".join(f"{name}\n" for name in names).encode()
        if self.cache is not None:
            start = partial(self._start, ("cat-file", how), "", {})
            if (found := self.cache.look_up(how, data, start)) is not None:
                return found
        result = self.run("cat-file", how, "--buffer", data=data)
        if result.status != 0:
            raise failure("cat-file", result, DAMAGED)
        return result.out

    def parts(self, *arguments: str, data: bytes | None = None) -> Generator[bytes, None, None]:
        """Yield the output of a call in pieces. Closing the generator ends Git.

        Args:
            arguments: A plumbing command with its arguments. Untrusted names come after `--`.
            data: Its standard input.

        Raises:
            GitError: Git failed, is not installed, or timed out.
        """
        if self.cache is not None and (known := self.cache.known(arguments, data)) is not None:
            yield known.out
            return
        kept = bytearray()
        with closing(self._parts(arguments, data)) as parts:
            for piece in parts:
                kept += piece[: GitCommandCache._MAX_BYTES + 1 - len(kept)]
                yield piece
        if self.cache is not None:
            self.cache.note(arguments, data, Result(0, bytes(kept), ""))

    def _parts(self, arguments: Sequence[str], data: bytes | None) -> Generator[bytes, None, None]:
        err = bytearray()
        with TemporaryFile() as given:
            given.write(data or b"")
            given.seek(0)
            start = partial(self._start, arguments, "", {}, given.fileno())
            with child(start) as process:
                try:
                    yield from pieces(process, SECONDS, err)
                    process.wait(SECONDS)
                except (TimeoutError, TimeoutExpired):
                    raise late(arguments[0]) from None
        if process.returncode != 0:
            text = redacted(err.decode("utf-8", "replace").strip(), self._secrets())
            raise failure(arguments[0], Result(process.returncode, b"", text), DAMAGED)

    def check(self, *arguments: str, data: bytes | None = None) -> bytes:
        """Run Git and return its output without the last line feed.

        Raises:
            GitError: Git failed.
        """
        result = self.run(*arguments, data=data)
        if result.status != 0:
            raise failure(arguments[0], result)
        return result.out.removesuffix(b"\n")

    def _start(
        self, arguments: Sequence[str], remote: str, extra: Mapping[str, str], stdin: int = PIPE
    ) -> Any:
        # The last value of a name counts.
        variables = {**self.environment, **ENVIRONMENT, **self.objects, **extra}
        settings = [*self.guards, *CONFIG]
        if remote:
            settings += NETWORK
            settings += pairs(REMOTE, remote, self._credentials(), self._asks_as())
            variables["GIT_ALLOW_PROTOCOL"] = protocol(remote)
            if variables["GIT_ALLOW_PROTOCOL"] == "file":
                # If the folder belongs to another user, the serving Git process looks for
                # `safe.directory` in the user's own configuration.
                variables = _personal(variables, self.environment)
        variables |= configured(settings)
        command = [
            "git",
            f"--git-dir={self.git_dir}",
            *(REMOTE if remote and part == remote else part for part in arguments),
        ]
        if _log.isEnabledFor(logging.DEBUG):
            _log.debug("%s", self._shown(arguments))
        return _started(self.git_dir, command, variables, stdin)

    def _shown(self, arguments: Sequence[str]) -> str:
        """Return a call as a user would type it, without secrets and settings."""
        command = shlex.join(["git", f"--git-dir={self.git_dir}", *arguments])
        return escape(redacted(command, self._secrets()))

    def _credentials(self) -> str:
        """Return the login for an HTTP remote: the token, with the URL's user if there is one."""
        user, _, secret = self.credentials.partition(":")
        secret = self.environment.get(TOKEN, secret).strip()
        if any("\ud800" <= letter <= "\udfff" for letter in secret):  # bytes that are not text
            raise UsageError(f"{TOKEN} is not text in UTF-8", "set it as the server showed it")
        return f"{user or 'x-access-token'}:{secret}" if user or secret else ""

    def _asks_as(self) -> str:
        """Return the URL's user if Git must ask the user's credential helper for the secret."""
        user, _, secret = self._credentials().partition(":")
        return user if not secret and self.environment.get("GIT_ASKPASS") else ""

    def _secrets(self) -> list[str]:
        """Return all secrets, in every form in which Git can print them."""
        credentials = self._credentials()
        if not credentials:
            return []
        user, _, secret = credentials.partition(":")
        hidden = [basic(credentials), secret or user]
        return [*hidden, *(quote(text, safe="") for text in hidden)]


def discover(folder: Path, environment: Mapping[str, str], *, is_bare: bool) -> Result:
    """Find the repository of a folder. Git refuses a repository of another user.

    Args:
        folder: The folder.
        environment: Variables of the caller. The user's own configuration applies here.
        is_bare: Whether the folder itself can be a bare repository. Git does not search for one in
            parent folders, because a committed bare repository could bring its own configuration.

    Returns:
        The Git folder of the repository, and the relative path from the folder to the top of its
            work tree.
    """
    taken = f"safe.bareRepository={'all' if is_bare else 'explicit'}"
    command = ["git", "-c", taken, "rev-parse", "--absolute-git-dir", "--show-cdup"]
    variables = _personal({**environment, **ENVIRONMENT}, environment)
    with child(partial(_started, folder, command, variables)) as process:
        out, err = communicate(process, None, SECONDS)
    return Result(process.returncode, out, err.decode("utf-8", "replace"))


def _personal(variables: Mapping[str, str], own: Mapping[str, str]) -> dict[str, str]:
    """Replace the variables that hide the user's own configuration with the user's values."""
    others = {name: value for name, value in variables.items() if name not in _PERSONAL}
    return others | {name: own[name] for name in _PERSONAL if name in own}


def _started(
    folder: Path, command: Sequence[str], variables: dict[str, str], stdin: int = PIPE
) -> Any:
    # Do not search the folder for programs.
    variables["PATH"] = _absolute(variables.get("PATH", os.defpath))
    try:
        # With ipam's signal handlers, Git reports a full disk as an error and removes its locks.
        return Git(str(folder)).execute(
            command, as_process=True, istream=stdin, env=variables,
            start_new_session=True, restore_signals=False,
        )  # fmt: skip
    except GitCommandNotFound:
        raise GitError("git is not installed", "install git 2.31 or newer") from None


def _absolute(path: str) -> str:
    """Remove the relative folders from a search path."""
    return os.pathsep.join(part for part in path.split(os.pathsep) if part.startswith("/"))


# Messages of Git, before and since 2.44, about missing objects of a partial clone.
_PROMISED = ("from promisor remote", "lazy fetching disabled")
FILTERED = (
    "git fetch --refetch --no-filter brings them; in a CI job: a checkout without filter and"
    " sparse-checkout; check and plan take --fetch-missing"
)
_OWNED = re.compile(r"dubious ownership in repository at '(.*)'")
LACKS = "the partial clone lacks objects that its filter left out"
DAMAGED = "the clone is partial or damaged: clone it anew, or name the remote with --remote URL"
_UNREACHABLE = "see that the remote is up, and that you may read and write it"
# Messages of Git about an HTTP server that rejects the credentials or denies access.
_UNKNOWN = (
    "could not read Username",
    "could not read Password",
    "Authentication failed",
    "error: 401",
)
_FORBIDDEN = "returned error: 403"
_WHO = "set IPAM_GIT_TOKEN to a token that is valid there, and may read and write the repository"


SECONDS = 300.0
"""Time limit of a Git call."""


def failure(command: str, result: Result, hint: str = "") -> GitError:
    """Return a failed call as an error with Git's own message."""
    text = result.err.splitlines()
    said = next((line for line in text if line.startswith(("fatal:", "error:"))), "")
    message = said.partition(": ")[2] or (text[-1] if text else ended(result.status))
    if owned := _OWNED.search(result.err):
        hint = f"if you trust it: git config --global --add safe.directory {owned[1]}"
        return GitError(f"{owned[1]} belongs to another user", hint)
    if ".lock': File exists" in result.err:
        hint = "another git is at work there, or was killed; if none is, remove that .lock file"
    if any(words in result.err for words in _PROMISED):
        # Fetching objects one by one would take a round trip per file.
        return GitError(f"{LACKS} (git {command}: {message})", FILTERED)
    return GitError(f"git {command}: {message}", hint)


def unreachable(what: str, command: str, result: Result) -> GitError:
    """Return the error of a failed call to a remote, with the attempted action.

    The message distinguishes a remote that rejects the login (401 or 403) from an unreachable one.
    """
    is_unknown = any(words in result.err for words in _UNKNOWN)
    status = 401 if is_unknown else 403 if _FORBIDDEN in result.err else 0
    hint = _WHO if status else _UNREACHABLE
    error = failure(command, result, hint)
    what = f"the remote refuses who asks ({status})" if status else what
    return GitError(f"{what}: {error}", error.hint)


def redacted(text: str, secrets: Sequence[str]) -> str:
    """Return a text with every secret replaced by `***`."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return text


def late(command: str) -> GitError:
    """Return the error of a call that timed out."""
    message = f"git {command} took over {SECONDS:.0f} seconds"
    return GitError(message, "see whether the remote answers, and try again")


def ended(status: int) -> str:
    """Describe how a process without output ended."""
    return f"ended by {signal.Signals(-status).name}" if status < 0 else f"status {status}"


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
"""Values that Git reads as true, in lower case. A configuration name without a value is also true.
"""


class Setting(Struct, frozen=True):
    """Setting of a repository. Section and variable are in lower case, the subsection is unchanged."""

    section: str
    between: str
    variable: str
    value: str


def read_configuration(git: GitProcess) -> list[Setting]:
    """Return the repository's own configuration, with all included files.

    Raises:
        GitError: The configuration cannot be read.
    """
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


def guarded(git: GitProcess, settings: Iterable[Setting] | None = None) -> GitProcess:
    """Return Git that runs no filter, merge driver, or server of the repository's configuration.

    Args:
        git: The repository.
        settings: Its own configuration, if it is already known.

    Raises:
        UsageError: The configuration has a program that newer versions of Git run and that cannot
            be disabled.
    """
    guards: dict[str, str] = {}
    for item in read_configuration(git) if settings is None else settings:
        if item.variable in _SECTIONS.get(item.section, {}):
            # Override all of them, because Git prefers `process` to `clean`.
            for variable, value in _SECTIONS[item.section].items():
                guards[f"{item.section}.{item.between}.{variable}"] = value
        elif item.section == "hook" and item.variable in _HOOKS:
            name = os.fsencode(f"hook.{item.between}.{item.variable}").decode("utf-8", "replace")
            message = f"{name} of the repository's own configuration is not taken"
            raise UsageError(message, "git config --unset it: no hook of a repository is run")
    return replace(git, guards=tuple(guards.items()))


def require_apart(folders: Iterable[Path], own: Iterable[Path]) -> None:
    """Refuse a remote that is part of the repository and named only by its configuration.

    Git obeys the configuration and hooks of the folder that it serves.

    Args:
        folders: Folders of the remote.
        own: Folders of the repository.

    Raises:
        UsageError: One of them contains the other.
    """
    around = [path for folder in own for path in (folder, folder.resolve())]
    for folder in folders:
        for place in (Path(os.path.normpath(folder)), folder.resolve()):
            if any(place.is_relative_to(it) or it.is_relative_to(place) for it in around):
                message = (
                    f"the remote of the repository's own configuration is a part of it: {folder}"
                )
                raise UsageError(message, f"if its hooks may run: name it, --remote {folder}")


def common_folder(git: GitProcess) -> Path:
    """Return the Git folder that all work trees of the repository share."""
    common = git.git_dir / "commondir"
    shared = common.read_text(encoding="utf-8").strip() if common.is_file() else ""
    return git.git_dir / shared


def is_filtered(git: GitProcess) -> bool:
    """Report whether the repository is a partial clone.

    A query for missing objects makes Git search all promised objects, which takes as long as
    reading them. Callers therefore never request objects that can be missing.
    """
    return any((common_folder(git) / "objects" / "pack").glob("*.promisor"))


def quoted(path: str) -> str:
    """Return a path quoted for a list of alternates, which Git parses like a C string (git(1))."""
    escaped = path.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")
    return f'"{escaped}"'
