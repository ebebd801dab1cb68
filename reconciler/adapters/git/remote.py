"""Which remotes and branches may be named, and what git needs to reach them."""

import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from reconciler.adapters.git.process import GitProcess, Result, failure
from reconciler.ports import GitError, UsageError

_BRANCH = re.compile(
    r"(?![-./])(?!.*(?:\.\.|//|/\.|@\{|\.lock(?:/|$)|/$|\.$))[A-Za-z0-9._/-]{1,200}", re.ASCII
)
_SCP = re.compile(r"[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^-].*", re.ASCII)
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_UNREACHABLE = "see that the remote is up, and that you may read and write it"


class Remote(NamedTuple):
    """A remote that may be reached.

    Attributes:
        url: URL or path, without credentials.
        is_loopback_http: It is plain http, on the loopback.
        credentials: `user:secret` that the URL held, or empty.
    """

    url: str
    is_loopback_http: bool = False
    credentials: str = ""

    def reached_by(self, git: GitProcess) -> GitProcess:
        """The same git, with what it needs to reach this remote."""
        return replace(git, has_loopback_http=self.is_loopback_http, credentials=self.credentials)


def check_branch(branch: str) -> str:
    """A branch name, if it is one that git takes and that no option hides in.

    Raises:
        UsageError: It is not.
    """
    if not _BRANCH.fullmatch(branch):
        raise UsageError(
            f"{branch!r} is not a valid branch name", "letters, digits, and . _ - / between them"
        )
    return branch


def check_remote(remote: str) -> Remote:
    """A remote, if it is one that may be reached.

    Raises:
        UsageError: Its scheme is not one of https, ssh, file; or it hides an option.
    """
    hint = "use an https, ssh or file URL, or a path"
    if remote.startswith("-") or not remote.isprintable() or "::" in remote.partition("/")[0]:
        raise UsageError(f"{_shown(remote)!r} is not a remote", hint)
    if "://" not in remote:
        if _SCP.fullmatch(remote):
            return Remote(remote)
        path = Path(remote)
        if path.is_dir():
            return Remote(str(path.resolve()))
        raise UsageError(f"remote {remote!r} is neither a URL nor a folder", hint)
    return _checked_url(remote)


def unreachable(what: str, command: str, result: Result) -> GitError:
    """A call that reached for a remote and failed, as an error that says what was tried."""
    error = failure(command, result, _UNREACHABLE)
    return GitError(f"{what}: {error}", error.hint)


def _checked_url(remote: str) -> Remote:
    try:
        parts = urlsplit(remote)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise UsageError(f"{_shown(remote)!r} is not a URL") from None
    loopback = parts.scheme == "http" and host in _LOOPBACK
    if parts.scheme not in ("https", "ssh", "file") and not loopback:
        allowed = "use https, ssh or file; plain http would show the token and the plan to anybody"
        raise UsageError(f"scheme {parts.scheme!r} of the remote is not allowed", allowed)
    if host.startswith("-") or (parts.username or "").startswith("-"):
        raise UsageError(f"{_shown(remote)!r} is not a remote", "its host looks like an option")
    about, separator, place = parts.netloc.rpartition("@")
    if not separator or parts.scheme not in ("http", "https"):
        return Remote(remote, loopback)
    # Arguments of a process can be read by anybody: who logs in goes by the environment.
    user, _, secret = about.partition(":")
    return Remote(
        parts._replace(netloc=place).geturl(), loopback, f"{unquote(user)}:{unquote(secret)}"
    )


def _shown(remote: str) -> str:
    """A remote as it may be shown: without who logs in."""
    return re.sub(r"//[^/@]*@", "//", remote)
