"""Failures and their exit codes."""

from collections.abc import Sequence
from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of `ipam` (docs/reference/output.md)."""

    OK = 0
    WRONG = 1
    CHANGES = 2
    GATE = 3
    GIT = 4
    CLUSTER = 5
    HISTORY = 6
    USAGE = 64
    BUG = 70


class ReconcilerError(Exception):
    """The world failed. `hint` says what a person can do."""

    exit_code = ExitCode.BUG

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(ReconcilerError):
    """The command line asks for something that cannot be."""

    exit_code = ExitCode.USAGE


class GitError(ReconcilerError):
    """Git cannot be reached, refuses, or lacks an object."""

    exit_code = ExitCode.GIT


class FilteredError(GitError):
    """What is to be read is not here: a filter left it out of the clone, and nobody fetches it.

    Attributes:
        ids: The objects, as far as it is known by now what is read.
    """

    def __init__(self, message: str, hint: str, ids: Sequence[str]) -> None:
        super().__init__(f"{message} ({len(ids)} of what is read by now)", hint)
        self.ids = tuple(dict.fromkeys(ids))


class LimitError(ReconcilerError):
    """A revision holds more than is read of one: its content is wrong."""

    exit_code = ExitCode.WRONG


class UnmergedError(GitError):
    """Two revisions cannot be merged here.

    Attributes:
        paths: Files, from the top of the repository, in which they conflict.
    """

    def __init__(self, message: str, hint: str = "", paths: Sequence[str] = ()) -> None:
        super().__init__(message, hint)
        self.paths = tuple(paths)


class LostRaceError(GitError):
    """The branch moved since it was read. Read and plan again."""


class RacesLostError(GitError):
    """The branch moved in each attempt of a run."""


class NoBranchError(GitError):
    """The remote has no branch of that name."""


class PushRefusedError(GitError):
    """The remote takes no commit of ours: the branch is protected, or a hook says no."""


class GateError(ReconcilerError):
    """Nothing is wrong with the content, but carrying it out needs a person's word."""

    exit_code = ExitCode.GATE


class ClusterError(ReconcilerError):
    """A cluster refuses, or cannot be asked. It stops nothing in the other clusters."""

    exit_code = ExitCode.CLUSTER


class BugError(ClusterError):
    """A bug of ours, met in the work on one cluster. It stops nothing in the others."""

    exit_code = ExitCode.BUG

    def __init__(self, bug: Exception) -> None:
        hint = "run it again with --debug and report it with what that prints"
        super().__init__(f"a bug: {type(bug).__name__}: {str(bug)[:300]}", hint)


class UnreachableError(ClusterError):
    """No answer: no connection, no end of the answer, or only errors of the server, to the last."""


class UnauthorizedError(ClusterError):
    """The credentials are missing, wrong or expired, or lack a right."""


class KubeconfigError(ClusterError):
    """A kubeconfig that cannot be used. Names its key, never its value."""


class IdentityError(ClusterError):
    """It is another cluster than the one that had the name before."""


class NoSuchKindError(ClusterError):
    """The cluster does not know the kind: its CRD is missing."""


class NoSuchObjectError(ClusterError):
    """There is no such object."""


class StaleError(ClusterError):
    """The object is not the one that was read: another uid or resourceVersion."""


class OwnedError(ClusterError):
    """Other field managers own what should be applied.

    Attributes:
        owners: Field manager and field, in order.
    """

    def __init__(self, message: str, owners: Sequence[tuple[str, str]], hint: str = "") -> None:
        super().__init__(message, hint)
        self.owners = tuple(owners)


class RejectedError(ClusterError):
    """The content is refused for good: by schema, rule, policy, webhook or size."""


class HistoryError(ReconcilerError):
    """The history is not the one seen before."""

    exit_code = ExitCode.HISTORY
