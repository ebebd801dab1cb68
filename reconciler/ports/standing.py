"""What the authoritative repository says of itself: its default branch, the last reconciled head."""

from typing import Protocol

from msgspec import Struct

from reconciler.ports.revision import Revision


class DefaultBranch(Struct, frozen=True):
    """The branch that is the truth where Settings name none.

    Attributes:
        branch: Its name; empty where that is not clear.
        why: Why it is that one; else why it is not clear.
    """

    branch: str
    why: str


class Standing(Protocol):
    """What the remote of a repository says of itself."""

    @property
    def reference(self) -> str:
        """The name under which the remote keeps what was reconciled last."""

    def default_branch(self) -> DefaultBranch:
        """The branch that is the truth where Settings name none, and why.

        It is the default branch of the remote, or of a bare repository; else the only branch; of a
        checkout without a remote else the branch that was reconciled.
        """

    def last(self) -> str:
        """Return the id of the head that was reconciled last; empty if there is none."""

    def forget(self) -> None:
        """Ask the remote again, the next time that it is needed."""

    def bring(self, last: str) -> Revision | None:
        """Return the commit that the reference names, fetched if needed; None if it is no commit."""

    def remember(self, revision: Revision) -> None:
        """Set the reference to a head that is reconciled. Never fails, and never overtakes."""
