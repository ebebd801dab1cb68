"""Whether a run may work on a cluster: never one that a newer revision changed, or may have."""

from collections.abc import Callable, Collection
from threading import Lock

from reconciler.commands.applying.enrolment import Enrolment
from reconciler.findings import shown
from reconciler.model.cluster import MANAGEMENT
from reconciler.ports import GitError, IdentityError

_HINT = "another repository, or too shallow a clone? if it is meant: --re-enrol"


def _root(path: str) -> str:
    """A root in words. Whoever may write into a cluster may have written it."""
    return f"root {shown(path)}" if path else "the top of the repository"


class Fence:
    """Keeps a run that is late from undoing the work of one that knew more.

    What cannot be told counts as newer: it is that cluster's failure, and no end of the run.
    """

    def __init__(
        self,
        revision: str,
        is_in: Callable[[str, str], bool],
        accepted: Collection[str],
        root: str = "",
    ) -> None:
        """Build it.

        Args:
            revision: What is applied.
            is_in: Whether a revision is contained in another one; a `GitError` when that cannot
                be told.
            accepted: Clusters in which another history may have been applied; when the management
                cluster is one of them, all are.
            root: The folder of the repository that it is applied from; empty for the top.
        """
        self._root = root
        self._revision = revision
        self._is_in = is_in
        self._accepted = accepted
        self._told: dict[tuple[str, str], bool | GitError] = {}
        self._lock = Lock()

    def check(self, name: str, enrolment: Enrolment) -> None:
        """Refuse a cluster that a newer revision changed already, or may have.

        Raises:
            IdentityError: It did, or that cannot be told and nobody said that it is meant.
        """
        self._check_root(name, enrolment)
        last = enrolment.inventory.revision
        newer = self._newer(last)
        is_accepted = name in self._accepted or MANAGEMENT in self._accepted
        if newer is not None and not is_accepted:
            what = f"{last[:12]} was applied last, and may be newer than {self._revision[:12]}"
            raise IdentityError(f"{what}: {newer}", f"{_HINT} {name}") from newer

    def check_line(self, enrolment: Enrolment) -> None:
        """Refuse a management cluster whose last revision is newer, or no part of this history.

        Another repository, or a history that was rewritten, knows nothing of what is there.

        Raises:
            IdentityError: It is one, and nobody said that it is meant.
        """
        self._check_root(MANAGEMENT, enrolment)
        last = enrolment.inventory.revision
        if self._holds(last) is True:
            return
        self._newer(last)
        if MANAGEMENT not in self._accepted:
            message = f"{last[:12]} was applied last, and {self._revision[:12]} does not contain it"
            raise IdentityError(message, f"{_HINT} {MANAGEMENT}")

    def _check_root(self, name: str, enrolment: Enrolment) -> None:
        """Refuse a cluster that another root of the repository was applied to.

        What it put there is not in this one, and would be taken away.
        """
        other = enrolment.inventory
        is_accepted = name in self._accepted or MANAGEMENT in self._accepted
        if other.revision and other.root != self._root and not is_accepted:
            message = f"{_root(other.root)} was applied last, and this is {_root(self._root)}"
            hint = "apply each root to clusters of its own; if it moved, and is the same"
            raise IdentityError(message, f"{hint}: --re-enrol {name}")

    def _newer(self, last: str) -> GitError | None:
        """Refuse what is surely newer; returns why that cannot be told."""
        if self._holds(last) is True:
            return None
        told = self._ask(self._revision, last)
        if told is True:
            message = f"{last[:12]} is applied already, and newer than {self._revision[:12]}"
            raise IdentityError(message, "apply the head of the branch")
        return told if isinstance(told, GitError) else None

    def _holds(self, last: str) -> bool | GitError:
        return last in ("", self._revision) or self._ask(last, self._revision)

    def _ask(self, ancestor: str, revision: str) -> bool | GitError:
        if not (ancestor.isalnum() and revision.isalnum()):
            return GitError("it is not the id of a commit")
        asked = ancestor, revision
        with self._lock:  # one question for all clusters with the same answer
            if asked not in self._told:
                try:
                    self._told[asked] = self._is_in(*asked)
                except GitError as failed:
                    self._told[asked] = failed
            return self._told[asked]
