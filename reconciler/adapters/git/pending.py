"""What of a checkout is not committed: a verb that reads a revision looks at none of it."""

from collections.abc import Sequence

from reconciler.adapters.git.checkout import Checkout
from reconciler.adapters.git.guard import guarded
from reconciler.adapters.git.repository import GitRepository
from reconciler.ports import ReconcilerError


def uncommitted(repository: GitRepository, paths: Sequence[str]) -> list[str]:
    """Files at or below some paths of the work tree that HEAD does not have so.

    None of a bare repository or of a clone that laid nothing out, nor where git cannot be asked: it
    is a word by the way.
    """
    if repository.worktree is None or not (repository.git.git_dir / "index").exists():
        return []
    try:
        return Checkout(guarded(repository.git), repository.worktree).uncommitted(paths)
    except (ReconcilerError, OSError):
        return []
