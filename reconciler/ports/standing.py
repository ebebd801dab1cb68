"""What a remote says of itself: which branch is the truth, and what was reconciled last."""

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

        That which the remote, or a bare repository, shows to who clones it; else the only one; of a
        checkout without a remote else the only one that reconcile worked on.
        """

    def remembered(self, revision: Revision) -> str:
        """The head that was reconciled last by whomever, if the revision lacks it; else empty.

        It is here then. That somebody noted it at the remote proves nothing.
        """

    def remember(self, revision: Revision) -> None:
        """Note at the remote that this head is reconciled. Never fails, and never overtakes."""
