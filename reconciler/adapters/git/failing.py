"""What a git call said, and how one that failed is told: in git's own words, without a secret."""

import signal
from collections.abc import Sequence

from msgspec import Struct

from reconciler.ports import GitError

# As git says it that may not fetch what a filter left out, before 2.44 and since.
_PROMISED = ("from promisor remote", "lazy fetching disabled")
FILTERED = (
    "git fetch --refetch --no-filter brings them; in a CI job: a checkout without filter and"
    " sparse-checkout; check and plan take --fetch-missing"
)
LACKS = "the partial clone lacks objects that its filter left out"
DAMAGED = "the clone is partial or damaged: clone it anew, or name the remote with --remote URL"
_UNREACHABLE = "see that the remote is up, and that you may read and write it"
# What git says of an http server that knows nobody by what it was shown, or lets them do nothing.
_UNKNOWN = (
    "could not read Username",
    "could not read Password",
    "Authentication failed",
    "error: 401",
)
_FORBIDDEN = "returned error: 403"
_WHO = "set IPAM_GIT_TOKEN to a token that is valid there, and may read and write the repository"


SECONDS = 300.0
"""How long a call of Git may take."""


class Result(Struct, frozen=True):
    """What a git call said."""

    status: int
    out: bytes
    err: str


def failure(command: str, result: Result, hint: str = "") -> GitError:
    """A failed call as an error, in git's own words."""
    text = result.err.splitlines()
    said = next((line for line in text if line.startswith(("fatal:", "error:"))), "")
    message = said.partition(": ")[2] or (text[-1] if text else ended(result.status))
    if ".lock': File exists" in result.err:
        hint = "another git is at work there, or was killed; if none is, remove that .lock file"
    if any(words in result.err for words in _PROMISED):
        # Brought one by one, a plan would wait for as many answers as there are files.
        return GitError(f"{LACKS} (git {command}: {message})", FILTERED)
    return GitError(f"git {command}: {message}", hint)


def unreachable(what: str, command: str, result: Result) -> GitError:
    """A call that reached for a remote and failed, as an error that says what was tried.

    One that answered and refuses is not down: that is told apart, with what to set.
    """
    is_unknown = any(words in result.err for words in _UNKNOWN)
    status = 401 if is_unknown else 403 if _FORBIDDEN in result.err else 0
    hint = _WHO if status else _UNREACHABLE
    error = failure(command, result, hint)
    what = f"the remote refuses who asks ({status})" if status else what
    return GitError(f"{what}: {error}", error.hint)


def redacted(text: str, secrets: Sequence[str]) -> str:
    """A text with every secret in it struck out."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return text


def late(command: str) -> GitError:
    """Return the error of a call that did not end in time."""
    message = f"git {command} took over {SECONDS:.0f} seconds"
    return GitError(message, "see whether the remote answers, and try again")


def ended(status: int) -> str:
    """Describe how a process ended that printed nothing."""
    return f"ended by {signal.Signals(-status).name}" if status < 0 else f"status {status}"
