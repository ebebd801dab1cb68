"""What git stores of a file that it wrote into a work tree with other ends of lines."""

from collections.abc import Callable
from contextlib import closing
from functools import partial
from hashlib import sha1, sha256
from pathlib import Path

from reconciler.adapters.git.bounds import Tally, fields
from reconciler.adapters.git.process import GitProcess

_CRLF, _LF = b"\r\n", b"\n"
# Of a file of this very second git looks at the content; then as it would be stored.
_CHANGED = ("-c", "core.autocrlf=true", "diff-files", "-z", "--name-only")


def blob_id(data: bytes, like: str) -> str:
    """The id of a file's content in a repository that has such ids."""
    make = sha256 if len(like) == 64 else partial(sha1, usedforsecurity=False)
    return make(b"blob %d\0" % len(data) + data).hexdigest()


class Conversion:
    """Ends of lines of a work tree. Git is asked when a file has others, once.

    Only where git itself takes a file for unchanged, and its content is what the index has but for
    the ends of lines, these were made by git: `core.autocrlf`, or an attribute.
    """

    def __init__(self, open_git: Callable[[], GitProcess], root: Path) -> None:
        """Take what opens git with its filters off, and the work tree."""
        self._open = open_git
        self._root = root
        self._ids: dict[str, str] | None = None

    def stored(self, path: str, data: bytes, tally: Callable[[], Tally]) -> bytes:
        """The bytes of a file as git would store them.

        Raises:
            GitError: The index cannot be read.
            LimitError: It has more files than are read.
            UsageError: The configuration has what cannot be beaten.
        """
        if _CRLF not in data:
            return data
        if self._ids is None:
            self._ids = self._unchanged(tally)
        plain, oid = data.replace(_CRLF, _LF), self._ids.get(path, "")
        return plain if oid == blob_id(plain, oid) else data

    def _unchanged(self, tally: Callable[[], Tally]) -> dict[str, str]:
        git = self._open()
        work = (f"--work-tree={self._root}", "-C", str(self._root))  # else it lists .git alone
        found, counted = dict[str, str](), tally()
        with closing(fields(git, counted, *work, "ls-files", "-s", "-z")) as lines:
            for line in lines:
                about, _, path = line.partition("\t")
                counted.add(path)
                found[path] = about.split(" ")[1]
        with closing(fields(git, tally(), *work, *_CHANGED)) as lines:
            for line in lines:
                found.pop(line, None)
        return found
