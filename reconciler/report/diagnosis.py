"""What is in order and what is not: checks in groups, each with its mend."""

from enum import StrEnum

from msgspec import Struct

GIT = "git"


class Verdict(StrEnum):
    """Whether something is in order."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


class Check(Struct, frozen=True):
    """One thing that was looked at.

    Attributes:
        name: What, in a word.
        mend: What a person can do; empty when nothing needs doing.
        is_bug: A bug of ours ended it.
    """

    name: str
    verdict: Verdict
    message: str
    mend: str = ""
    is_bug: bool = False


class Group(Struct, frozen=True):
    """The checks of Git (`GIT`), or of one cluster by its name."""

    name: str
    checks: tuple[Check, ...]

    def count(self, verdict: Verdict) -> int:
        """How many checks had a verdict."""
        return sum(1 for check in self.checks if check.verdict is verdict)

    @property
    def verdict(self) -> Verdict:
        """The gravest of its checks."""
        for verdict in (Verdict.FAILED, Verdict.WARNING):
            if self.count(verdict):
                return verdict
        return Verdict.OK


class Diagnosis(Struct, frozen=True):
    """All checks.

    Attributes:
        groups: Git first, then the management cluster, then the others by name.
        revision: The commit whose files were read; empty when none could be.
    """

    groups: tuple[Group, ...]
    revision: str = ""

    def count(self, verdict: Verdict) -> int:
        """How many checks had a verdict."""
        return sum(group.count(verdict) for group in self.groups)

    @property
    def is_bug(self) -> bool:
        """A bug of ours ended some check."""
        return any(check.is_bug for group in self.groups for check in group.checks)


def fine(name: str, message: str) -> Check:
    """Something that is in order."""
    return Check(name, Verdict.OK, message)


def doubtful(name: str, message: str, mend: str = "") -> Check:
    """Something that a person should look at, but that stops nothing."""
    return Check(name, Verdict.WARNING, message, mend)


def wrong(name: str, message: str, mend: str = "") -> Check:
    """Something that has to be mended."""
    return Check(name, Verdict.FAILED, message, mend)
