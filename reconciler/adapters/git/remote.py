"""A remote: which ones may be reached, fetching from it, and pushing by compare-and-swap."""

import re
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from reconciler.adapters.git.process import GitProcess, Result, failure
from reconciler.ports import GitError, LostRaceError, Revision, UsageError

_BRANCH = re.compile(
    r"(?![-./])(?!.*(?:\.\.|//|/\.|@\{|\.lock(?:/|$)|/$|\.$))[A-Za-z0-9._/-]{1,200}", re.ASCII
)
_SCP = re.compile(r"[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^-].*", re.ASCII)
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
# What git, or the server's git, gives as the reason when the branch is not where we think it is.
_MOVED = ("stale info", "fetch first", "non-fast-forward", "cannot lock ref",
          "failed to update ref", "incorrect old value")  # fmt: skip
_SHOWN_CHARACTERS = 1_000
_NO_BRANCH = "push a first commit to it, or name another with --branch"
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


def fetch(git: GitProcess, remote: str, branch: str, reference: str) -> None:
    """Bring a branch of a remote to a reference of this repository.

    Raises:
        GitError: The remote cannot be read, or has no such branch.
    """
    result = git.run(
        "fetch", "--no-tags", "--no-write-fetch-head", "--quiet", "--", remote,
        f"+refs/heads/{branch}:{reference}", network=True,
    )  # fmt: skip
    if "couldn't find remote ref" in result.err:
        raise GitError(f"branch {branch} is not on the remote", _NO_BRANCH)
    if result.status != 0:
        raise _because("cannot read the remote", failure("fetch", result, _UNREACHABLE))


def default_branch(git: GitProcess, remote: str) -> str:
    """The branch that the remote's HEAD names; `main` where it does not say.

    Raises:
        GitError: The remote cannot be reached.
    """
    result = git.run("ls-remote", "--symref", "--", remote, "HEAD", network=True)
    if result.status != 0:
        raise _because("cannot reach the remote", failure("ls-remote", result, _UNREACHABLE))
    head = result.out.decode("utf-8", "replace").partition("\t")[0]
    return head.removeprefix("ref: refs/heads/") if head.startswith("ref: ") else "main"


def push(git: GitProcess, remote: str, branch: str, base: Revision, revision: Revision) -> None:
    """Move a branch of the remote from `base` to `revision`.

    That it is there already is success.

    Raises:
        LostRaceError: It is somewhere else.
        GitError: The remote refuses, or cannot be reached.
    """
    reference = f"refs/heads/{branch}"
    result = git.run(
        "push", "--porcelain", "--no-verify", f"--force-with-lease={reference}:{base.id}", "--",
        remote, f"{revision.id}:{reference}", network=True,
    )  # fmt: skip
    if result.status == 0:
        return
    reason = _reason(result)
    if any(word in reason for word in _MOVED):
        raise LostRaceError(f"branch {branch} moved while this was planned: {reason}")
    if reason:
        hint = f"let the reconciler push to {branch}, or name another with --branch"
        raise GitError(f"the remote refuses the push: {reason}{_words(result)}", hint)
    raise _because("cannot push to the remote", failure("push", result, _UNREACHABLE))


def try_push(git: GitProcess, remote: str, branch: str, revision: Revision) -> None:
    """See whether the remote would take a push to a branch. Sends nothing.

    That the branch is somewhere else is no matter: the server was willing to speak of a push. Rules
    of the server for a branch are only told by a real one.

    Raises:
        GitError: The remote refuses, or cannot be reached.
    """
    result = git.run(
        "push", "--dry-run", "--porcelain", "--no-verify", "--", remote,
        f"{revision.id}:refs/heads/{branch}", network=True,
    )  # fmt: skip
    if result.status != 0 and not any(word in _reason(result) for word in _MOVED):
        raise _because("cannot push to the remote", failure("push", result, _UNREACHABLE))


def remote_head(git: GitProcess, remote: str, branch: str) -> str:
    """The id of the commit that a branch of a remote is at. Brings nothing here.

    Raises:
        GitError: The remote cannot be reached, or has no such branch.
    """
    reference = f"refs/heads/{branch}"
    result = git.run("ls-remote", "--", remote, reference, network=True)
    if result.status != 0:
        raise _because("cannot reach the remote", failure("ls-remote", result, _UNREACHABLE))
    for line in result.out.decode("utf-8", "replace").splitlines():
        oid, _, name = line.partition("\t")
        if name == reference:
            return oid
    raise GitError(f"branch {branch} is not on the remote", _NO_BRANCH)


def _because(what: str, error: GitError) -> GitError:
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


def _reason(result: Result) -> str:
    """What the porcelain output of a push says of the ref, without its names."""
    for line in result.out.decode("utf-8", "replace").splitlines():
        if line.startswith("!"):
            return line.split("\t")[-1]
    return ""


def _words(result: Result) -> str:
    """What the server said, in one line."""
    lines = [
        line.removeprefix("remote:").strip()
        for line in result.err.splitlines()
        if line.startswith("remote:")
    ]
    said = " / ".join(line for line in lines if line)[:_SHOWN_CHARACTERS]
    return f"; the server said: {said}" if said else ""
