"""How git is run: with which settings, in which environment, for how long; GitPython starts it.

Everything that could make git run or read something else is switched off on every call: hooks,
filters of fsmonitor, replace objects, system and user configuration, prompts, protocols that are
not needed. The environment is emptied because `GIT_DIR` and its kin beat every argument. A secret
goes by the environment, never by an argument, and is cut out of whatever git says. GitPython is
used as a process runner only; its index and blob streams are 13 to 160 times slower.

The repository's own configuration is read by git on each call, and nothing turns that off. What of
it would run something is beaten one by one: by `-c` where the name is known, by `guard.py` where
the repository chooses it. A remote is known to git by a name that nobody can guess, so no section
of the configuration is about it.
"""

import logging
import os
import shlex
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from subprocess import PIPE, TimeoutExpired  # nosec B404  # names only; GitPython starts git
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from reconciler.adapters.children import child, converse, listen, partner
from reconciler.adapters.git import reaching
from reconciler.adapters.git.config import CONFIG, ENVIRONMENT, NETWORK
from reconciler.adapters.git.failing import DAMAGED, Result, failure, redacted
from reconciler.adapters.git.root_folder import TOP, RootFolder
from reconciler.adapters.git.starting import (
    EXCHANGE_MEMORY,
    MEMORY,
    SECONDS,
    HeldError,
    held,
    is_held,
    late,
    named_object,
    overfull,
    require_git,
    runner,
    spool,
    spooled,
)
from reconciler.ports import UsageError
from reconciler.report.escape import escape

if TYPE_CHECKING:
    from reconciler.adapters.git.beside import Beside
    from reconciler.adapters.git.desk import Desk

_log = logging.getLogger(__name__)

# What a person may hand through to reach a remote; nothing else of the environment gets in.
PASSED = (
    "PATH", "SSH_AUTH_SOCK", "GIT_SSH_COMMAND", "GIT_ASKPASS", "HTTPS_PROXY", "https_proxy",
    "NO_PROXY", "no_proxy", "GIT_SSL_CAINFO", "SSL_CERT_FILE", "TMPDIR",
)  # fmt: skip
TOKEN = "IPAM_GIT_TOKEN"  # noqa: S105 - the name of a variable  # nosec B105
REMOTE = f"ipam-{os.urandom(16).hex()}"
"""What git knows the remote by. Chosen anew by each process: a configuration cannot be about it."""

Files = tuple[int, int]
"""Descriptors of what git is told, and of what takes its answer."""


@dataclass(frozen=True, slots=True)
class GitProcess:
    """Git on one repository.

    Attributes:
        git_dir: The repository's own folder.
        environment: The variables of `PASSED`, `TOKEN`, and `HOME`, as far as they are set.
        credentials: `user:secret` for an http remote, or empty.
        guards: Settings that beat those of the repository, by name.
        calls_safe: The person calls the folder of the remote safe, though it is another user's.
        root: The folder of the repository that it is asked about.
        beside: Where it puts what it makes, if not into the repository.
        desk: What this run has asked already; None for who goes on when the repository has changed.
        brings: Fetches objects by their ids; None where what a filter left out is named instead.
    """

    git_dir: Path
    environment: Mapping[str, str]
    credentials: str = field(default="", repr=False)
    guards: tuple[tuple[str, str], ...] = ()
    calls_safe: bool = False
    root: RootFolder = TOP
    beside: "Beside | None" = None
    desk: "Desk | None" = field(default=None, compare=False, repr=False)
    brings: "Callable[[Sequence[str]], None] | None" = field(
        default=None, compare=False, repr=False
    )

    def run(
        self,
        *arguments: str,
        data: bytes | None = None,
        remote: str = "",
        extra: Mapping[str, str] | None = None,
        memory: int = MEMORY,
        files: Files | None = None,
    ) -> Result:
        """Run git to its end.

        Args:
            arguments: A plumbing command with its arguments; names from outside behind `--`.
            data: Its standard input.
            remote: The one remote that it may reach, as `check_remote` gave it, which stands among
                the arguments; without this every protocol is refused.
            extra: Further variables of its environment.
            memory: Bytes that git may need, where the system can hold it to that.
            files: What takes the place of its standard input and output.

        Raises:
            GitError: Git is not installed, or did not end in time.
            LimitError: It needs more memory than that.
        """
        if self.desk is not None and (known := self.desk.known(arguments, data)) is not None:
            return known
        memory = max(memory, EXCHANGE_MEMORY) if remote else memory
        start = partial(
            self._start, arguments, remote=remote, extra=extra or {}, memory=memory, files=files
        )
        with child(start) as process:
            try:
                out, err = converse(process, data, SECONDS)
            except TimeoutExpired:
                raise late(arguments[0]) from None
        said = err.decode("utf-8", "replace").strip().replace(REMOTE, remote)
        if process.returncode != 0 and is_held(said):
            raise self._overfull(arguments, said, memory)
        result = Result(process.returncode, out, redacted(said, self._secrets()))
        if self.desk is not None:
            self.desk.note(arguments, data, result)
        return result

    def look_up(self, how: str, names: Sequence[str]) -> bytes:
        """What `cat-file` says of objects, with `--batch` or `--batch-check`.

        Of thousands, what git is told and what it answers are files: it writes each blob by itself.
        Through a pipe each of them wakes the reader, which takes as long as reading it.

        Raises:
            GitError: An object is corrupt, or promised by a remote and not here.
        """
        if self.desk is not None:
            start = partial(self._start, ("cat-file", how), remote="", extra={}, memory=MEMORY)
            said = self.desk.looked_up(how, names, partial(partner, start))
            if said is not None:
                return said
        with spool("\n".join([*names, ""]).encode()) as told, spool() as answer:
            result = self.run("cat-file", how, "--buffer", files=(told, answer))
            if result.status != 0:
                raise failure("cat-file", result, DAMAGED)
            return spooled(answer)

    def parts(
        self, *arguments: str, data: bytes | None = None, memory: int
    ) -> Generator[bytes, None, None]:
        """The output of a call that may say more than memory holds, piece by piece.

        Closed early, it ends git.

        Args:
            arguments: A plumbing command with its arguments; names from outside behind `--`.
            data: Its standard input.
            memory: Bytes that git may need, where the system can hold it to that.

        Raises:
            GitError: Git failed, is not installed, or did not end in time.
            LimitError: It needs more memory than that.
        """
        if self.desk is None:
            yield from self._parts(arguments, data, memory)
            return
        with closing(self._parts(arguments, data, memory)) as parts:
            yield from self.desk.pieces(arguments, data, parts)

    def _parts(
        self, arguments: Sequence[str], data: bytes | None, memory: int
    ) -> Generator[bytes, None, None]:
        said = bytearray()
        start = partial(self._start, arguments, remote="", extra={}, memory=memory)
        with child(start) as process:
            try:
                yield from listen(process, data, SECONDS, said)
            except (TimeoutError, TimeoutExpired):
                raise late(arguments[0]) from None
        if process.returncode != 0:
            text = redacted(said.decode("utf-8", "replace").strip(), self._secrets())
            if is_held(text):
                raise self._overfull(arguments, text, memory)
            raise failure(arguments[0], Result(process.returncode, b"", text), DAMAGED)

    def check(self, *arguments: str, data: bytes | None = None) -> bytes:
        """Like `run`; the output, without its last line feed.

        Raises:
            GitError: Git failed.
        """
        result = self.run(*arguments, data=data)
        if result.status != 0:
            raise failure(arguments[0], result)
        return result.out.removesuffix(b"\n")

    def _start(
        self,
        arguments: Sequence[str],
        *,
        remote: str,
        extra: Mapping[str, str],
        memory: int,
        files: Files | None = None,
    ) -> Any:
        start = runner()
        variables = dict(ENVIRONMENT)
        variables |= {name: self.environment[name] for name in PASSED if name in self.environment}
        # Git runs in the repository's folder: no program is looked for there.
        variables["PATH"] = _absolute(variables.get("PATH", os.defpath))
        variables |= self.beside.variables if self.beside is not None else {}
        variables |= extra
        # In this order: what is said later of one name counts.
        pairs = [*self.guards, *CONFIG, ("safe.directory", str(self.git_dir))]
        if self.git_dir.name == ".git":
            pairs.append(("safe.directory", str(self.git_dir.parent)))
        if remote:
            pairs += NETWORK
            pairs += reaching.pairs(REMOTE, remote, self._credentials(), self._asks_as())
            pairs += reaching.servers(REMOTE) if self.calls_safe else []
            variables["GIT_ALLOW_PROTOCOL"] = reaching.protocol(remote)
        variables |= reaching.configured(pairs)
        command = [
            *held(memory, os.environ.keys() - variables, files[1] if files else None),
            f"--git-dir={self.git_dir}",
            *(REMOTE if remote and part == remote else part for part in arguments),
        ]
        require_git(variables["PATH"])
        if _log.isEnabledFor(logging.DEBUG):
            _log.debug("%s", self._told(arguments))
        # Signals as ours: git then meets a full disk as an error, and takes its locks away.
        return start(str(self.git_dir)).execute(
            command, as_process=True, istream=files[0] if files else PIPE, env=variables,
            start_new_session=True, restore_signals=False, pass_fds=files or (),
        )  # fmt: skip

    def _told(self, arguments: Sequence[str]) -> str:
        """A call as a person would type it: without secrets, and without what only guards it."""
        said = shlex.join(["git", f"--git-dir={self.git_dir}", *arguments])
        return escape(redacted(said, self._secrets()))

    def _overfull(self, arguments: Sequence[str], said: str, memory: int) -> HeldError:
        oid, asks = named_object(said), ("cat-file", "-t")
        is_asked = oid != "" and tuple(arguments[:2]) != asks
        is_commit = is_asked and self.run(*asks, oid).out == b"commit\n"
        return overfull(arguments[0], oid, memory, is_commit=is_commit)

    def _credentials(self) -> str:
        """What to say to an http remote: the token, in the name of the URL's user if it has one."""
        user, _, secret = self.credentials.partition(":")
        secret = self.environment.get(TOKEN, secret).strip()
        if any("\ud800" <= letter <= "\udfff" for letter in secret):  # bytes that were no text
            raise UsageError(f"{TOKEN} is no text in UTF-8", "set it as the server showed it")
        return f"{user or 'x-access-token'}:{secret}" if user or secret else ""

    def _asks_as(self) -> str:
        """The URL's user, for whom git asks the person's own program when there is no secret."""
        user, _, secret = self._credentials().partition(":")
        return user if not secret and self.environment.get("GIT_ASKPASS") else ""

    def _secrets(self) -> list[str]:
        """What must not be shown, in every form that git may show it in."""
        credentials = self._credentials()
        if not credentials:
            return []
        user, _, secret = credentials.partition(":")
        hidden = [reaching.basic(credentials), secret or user]
        return [*hidden, *(quote(text, safe="") for text in hidden)]


def _absolute(path: str) -> str:
    """A search path without folders that depend on where one stands."""
    return os.pathsep.join(part for part in path.split(os.pathsep) if part.startswith("/"))
