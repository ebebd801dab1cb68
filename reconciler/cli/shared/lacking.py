"""What is said where a filter left out of a clone what a check is about to read.

Nothing is fetched here: a check opens no socket. With a cache few files are read, so they are named,
and a job fetches just these; without one all of them are, and all have to come.
"""

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from reconciler.adapters.git.filtered import MOST
from reconciler.cli.shared.outs import write_file
from reconciler.ports import FilteredError, GitError, UsageError

_NAMED = 8
"""So many ids stand in the command itself."""


class Few(NamedTuple):
    """Where objects that are not here are named, if there are few of them.

    Attributes:
        file: The file that gets their ids, one a line; none of them when nothing is missing, or
            everything has to come.
        counts: Few files are read at all.
    """

    file: Path | None
    counts: bool

    @contextmanager
    def told(self) -> Iterator[None]:
        """Name what is missing in the file, and the command that brings it in what is raised.

        Raises:
            GitError: Something is missing.
            UsageError: The file cannot be written.
        """
        self._write(())
        try:
            yield
        except FilteredError as lacking:
            if not self.counts or len(lacking.ids) > MOST:
                raise
            self._write(lacking.ids)
            raise GitError(str(lacking), self._hint(lacking)) from None

    def _hint(self, lacking: FilteredError) -> str:
        if self.file is not None:
            return f"{lacking.fetch} <{shlex.quote(str(self.file))} brings them; then check again"
        if len(lacking.ids) <= _NAMED:
            fetch = lacking.fetch.replace(" --stdin", "")
            return f"{fetch} {' '.join(lacking.ids)} brings them; then check again"
        fetch = f"{lacking.fetch} <FILE"
        return f"--missing-out FILE names them, and {fetch} brings them; then check again"

    def _write(self, ids: Sequence[str]) -> None:
        if self.file is None:
            return
        try:
            write_file(self.file, "".join(f"{oid}\n" for oid in ids))
        except OSError as failure:
            hint = "name a file that you may write to, in a folder that is there"
            message = f"--missing-out cannot be written: {self.file}: {failure.strerror}"
            raise UsageError(message, hint) from None
