"""Errors and exit codes."""

from collections.abc import Sequence
from enum import IntEnum


class ExitCode(IntEnum):
    """Exit codes of `ipam` (docs/reference/exit-codes.md)."""

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
    """An operational failure, as opposed to invalid content. `hint` suggests a fix."""

    exit_code = ExitCode.BUG

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint


class UsageError(ReconcilerError):
    """The command line is invalid."""

    exit_code = ExitCode.USAGE


class NotThereError(ReconcilerError):
    """The subject of a query does not exist."""

    exit_code = ExitCode.WRONG


class GitError(ReconcilerError):
    """Git is not reachable, refuses a command, or lacks an object."""

    exit_code = ExitCode.GIT


class FilteredError(GitError):
    """Git objects (`ids`) are missing because a filter excluded them from the clone."""

    def __init__(self, message: str, hint: str, ids: Sequence[str]) -> None:
        super().__init__(f"{message} ({len(ids)} objects needed so far)", hint)
        self.ids = tuple(dict.fromkeys(ids))


class LimitError(ReconcilerError):
    """A revision exceeds the read limits: its content is invalid."""

    exit_code = ExitCode.WRONG


class UnmergedError(GitError):
    """Two revisions cannot be merged: `paths` conflict, relative to the top of the repository."""

    def __init__(self, message: str, hint: str = "", paths: Sequence[str] = ()) -> None:
        super().__init__(message, hint)
        self.paths = tuple(paths)


class LostRaceError(GitError):
    """The branch moved since it was read. Read and plan again."""


class RacesLostError(GitError):
    """The branch moved in each attempt of a run."""


class NoBranchError(GitError):
    """The remote does not have the branch."""


class PushRefusedError(GitError):
    """The remote refuses the push: the branch is protected, or a hook rejects the commit."""


class GateError(ReconcilerError):
    """The content is valid, but carrying it out needs approval."""

    exit_code = ExitCode.GATE


class ClusterError(ReconcilerError):
    """A cluster refuses a request or cannot be reached. Other clusters are unaffected."""

    exit_code = ExitCode.CLUSTER


class BugError(ClusterError):
    """A bug in `ipam` during work on one cluster. Other clusters are unaffected."""

    exit_code = ExitCode.BUG

    def __init__(self, bug: Exception) -> None:
        hint = "run the command again with --debug, and report its output"
        super().__init__(f"internal error: {type(bug).__name__}: {str(bug)[:300]}", hint)


class UnreachableError(ClusterError):
    """The server does not respond: no connection, an incomplete response, or only server errors."""


class UnauthorizedError(ClusterError):
    """The credentials are missing, invalid, or expired, or lack a permission."""


class KubeconfigError(ClusterError):
    """The kubeconfig is unusable. The message names its key, never its value."""


class IdentityError(ClusterError):
    """The cluster differs from the cluster that had this name before."""


class NoSuchKindError(ClusterError):
    """The cluster does not have the kind: its CRD is missing."""


class NoSuchObjectError(ClusterError):
    """The object does not exist."""


class StaleError(ClusterError):
    """The object changed since it was read: another uid or resourceVersion."""


class OwnedError(ClusterError):
    """Others own fields that were to be applied: `owners` are field managers with their fields."""

    def __init__(self, message: str, owners: Sequence[tuple[str, str]], hint: str = "") -> None:
        super().__init__(message, hint)
        self.owners = tuple(owners)


class RejectedError(ClusterError):
    """The content is rejected permanently: by schema, rule, policy, webhook, or size."""


class HistoryError(ReconcilerError):
    """The history differs from the history that was seen before."""

    exit_code = ExitCode.HISTORY
