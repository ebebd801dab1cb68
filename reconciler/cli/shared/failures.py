"""How a failure is told: what happened, what mends it, and the exit code that it leads to."""

import re
from typing import NamedTuple

from reconciler.ports import ExitCode, GitError, ReconcilerError
from reconciler.report.escape import escape

_SHOWN_CHARACTERS = 300
_BETWEEN = re.compile(r"([\s'\"(]+)")


class Told(NamedTuple):
    """A failure, fit for a terminal. The hint may be empty."""

    message: str
    hint: str
    code: int

    @property
    def line(self) -> str:
        """All of it in one line."""
        text = f"{self.message}; {self.hint}" if self.hint else self.message
        return text.replace("\n    ", "; ")


def told(failure: Exception) -> Told:
    """A failure of the world in its own words; any other one as a bug."""
    if isinstance(failure, OSError):
        failure = _world(failure)
    if isinstance(failure, ReconcilerError):
        said, hint = without_passwords(str(failure)), without_passwords(failure.hint)
        return Told(_lines(said), _lines(hint), int(failure.exit_code))
    said = escape(without_passwords(str(failure)))[:_SHOWN_CHARACTERS]
    hint = "run it again with --debug and report it with what that prints"
    return Told(f"a bug: {type(failure).__name__}: {said}", hint, ExitCode.BUG)


def _lines(text: str) -> str:
    """A text of several lines, each escaped, and all but the first indented."""
    return "\n    ".join(map(escape, text.splitlines()))


def without_passwords(text: str) -> str:
    """A text without what stands where URLs have a password, also in the wrong place."""
    return "".join(map(_without_password, _BETWEEN.split(text)))


def _without_password(word: str) -> str:
    about, separator, place = word.rpartition("@")
    return f"***@{place}" if separator and ":" in about else word


def _world(failure: OSError) -> ReconcilerError:
    """An error of the operating system (disk full, no rights) is no bug of ours."""
    where = f" {failure.filename}" if failure.filename else ""
    return GitError(
        f"{failure.strerror or failure}{where}",
        "mend that and run it again; what was published stays",
    )
