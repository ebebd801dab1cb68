"""Where git puts what is made for one run alone, and not into the repository.

So does a server with what it takes in, until it accepts it: git-receive-pack(1), "quarantine
environment".
"""

import shutil
import tempfile
import weakref
from collections.abc import Mapping
from pathlib import Path

from reconciler.adapters.git.folders import quoted
from reconciler.ports import GitError


class Beside:
    """A folder for objects beside those of a repository. It goes with this value, or the process."""

    def __init__(self, objects: Path) -> None:
        """Make it.

        Args:
            objects: Those of the repository, which are read as well.

        Raises:
            GitError: There is no place for it.
        """
        try:
            self.folder = Path(tempfile.mkdtemp(prefix="ipam-"))
        except OSError as failure:
            hint = "TMPDIR names a folder that can be written"
            raise GitError(f"there is no place for a merge: {failure.strerror}", hint) from None
        self.objects = objects
        weakref.finalize(self, shutil.rmtree, self.folder, ignore_errors=True)

    @property
    def variables(self) -> Mapping[str, str]:
        """What git has to be told, so that it writes there and reads both."""
        return {
            "GIT_ALTERNATE_OBJECT_DIRECTORIES": quoted(str(self.objects)),
            "GIT_OBJECT_DIRECTORY": str(self.folder),
        }
