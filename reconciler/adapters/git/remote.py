"""Which remotes may be named, and what git needs to reach them."""

import os
import re
from dataclasses import replace
from pathlib import Path
from urllib.parse import quote, unquote, urlsplit

from msgspec import Struct

from reconciler.adapters.git.process import GitProcess
from reconciler.ports import UsageError

_SCP = re.compile(r"[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^-].*", re.ASCII)
# No sign that a password could stand before or behind.
_HARMLESS = re.compile(r"[A-Za-z0-9._/+~-]{1,200}|[a-z]{1,8}::[^@]{0,100}", re.ASCII)
_SCHEME = re.compile(r"[a-z+]{1,10}", re.ASCII)
_SCHEMES = ("https", "ssh", "file")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_ALLOWED = "use an https, ssh or file URL, or a path"
_NO_PASSWORD = "leave it out: ssh takes keys, for https set IPAM_GIT_TOKEN"  # noqa: S105 - words  # nosec B105


class Remote(Struct, frozen=True):
    """A remote that may be reached.

    Attributes:
        url: URL or path, without credentials.
        credentials: `user:secret` that the URL held, or empty.
    """

    url: str
    credentials: str = ""

    def reached_by(self, git: GitProcess) -> GitProcess:
        """The same git, with what it needs to reach this remote."""
        return replace(git, credentials=self.credentials)

    @property
    def folders(self) -> list[Path]:
        """Where it is on this machine, as far as there is anything; without a server, git looks."""
        scheme, separator, _ = self.url.partition("://")
        if (separator and scheme != "file") or not (separator or self.url.startswith("/")):
            return []
        path = _path(self.url) if separator else self.url
        return [Path(place) for place in (path, f"{path}/.git", f"{path}.git") if _is_there(place)]


def check_remote(remote: str) -> Remote:
    """A remote, if it is one that may be reached.

    Raises:
        UsageError: Its scheme is not one of https, ssh, file; or it hides an option.
    """
    if remote.startswith("-") or not remote.isprintable() or "::" in remote.partition("/")[0]:
        raise UsageError(f"{_shown(remote)} is not a remote", _ALLOWED)
    if "://" not in remote:
        if _SCP.fullmatch(remote):
            return Remote(remote)
        path = Path(remote)
        if os.path.isdir(path):  # noqa: PTH112 - a name that is too long is none, and no error
            return Remote(str(path.resolve()))
        raise UsageError(f"{_shown(remote)} is neither a URL nor a folder", _ALLOWED)
    return _checked_url(remote)


def _checked_url(remote: str) -> Remote:
    try:
        parts = urlsplit(remote)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise UsageError(f"{_shown(remote)} is not a URL", _ALLOWED) from None
    if parts.scheme not in _SCHEMES and not (parts.scheme == "http" and host in _LOOPBACK):
        allowed = "use https, ssh or file; plain http would show the token and the plan to anybody"
        named = repr(parts.scheme) if _SCHEME.fullmatch(parts.scheme) else "(not shown)"
        raise UsageError(f"scheme {named} of the remote is not allowed", allowed)
    if host.startswith("-") or (parts.username or "").startswith("-"):
        raise UsageError(f"{_shown(remote)} is not a remote", "its host looks like an option")
    if parts.scheme not in ("http", "https"):
        if parts.password is not None or (parts.scheme == "file" and "@" in parts.netloc):
            raise UsageError(f"the {parts.scheme} URL of the remote holds a password", _NO_PASSWORD)
        return Remote(_fixed(remote)) if parts.scheme == "file" else Remote(remote)
    # An @ is there as behind a password with a slash, which then is no password to anybody.
    if parts.query or parts.fragment or "@" in parts.path:
        raise UsageError("the URL of the remote has an @, a ? or a # behind its host", _NO_PASSWORD)
    about, separator, place = parts.netloc.rpartition("@")
    if not separator:
        return Remote(remote)
    # Arguments of a process can be read by anybody: who logs in goes by the environment.
    user, _, secret = about.partition(":")
    return Remote(parts._replace(netloc=place).geturl(), f"{unquote(user)}:{unquote(secret)}")


def _fixed(url: str) -> str:
    """A file URL that means the same to every process: links and `/proc/self` are followed here."""
    return f"file://{quote(str(Path(_path(url)).resolve()))}"


def _path(url: str) -> str:
    """The path of a file URL, as git reads it: what could be a host means nothing to it."""
    return f"/{unquote(url.partition('://')[2].partition('/')[2])}"


def _is_there(place: str) -> bool:
    return os.path.lexists(place)


def _shown(remote: str) -> str:
    """A remote as it may be shown. What may hold a password anywhere, or hide one, is not."""
    if _HARMLESS.fullmatch(remote):
        return repr(remote)
    return "what is named as the remote (not shown: it may hold a password)"
