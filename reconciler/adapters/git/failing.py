"""What a git call said, and how one that failed is told: in git's own words, without a secret."""

from collections.abc import Sequence

from msgspec import Struct

from reconciler.adapters.git.starting import ended
from reconciler.ports import GitError

# As git says it that may not fetch what a filter left out, before 2.44 and since.
_PROMISED = ("from promisor remote", "lazy fetching disabled")
FILTERED = (
    "git fetch --refetch --no-filter brings them; in a CI job: a checkout without filter and"
    " sparse-checkout; check and plan take --fetch-missing"
)
LACKS = "the partial clone lacks objects that its filter left out"
DAMAGED = "the clone is partial or damaged: clone it anew, or name the remote with --remote URL"


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


def redacted(text: str, secrets: Sequence[str]) -> str:
    """A text with every secret in it struck out."""
    for secret in secrets:
        text = text.replace(secret, "***")
    return text
