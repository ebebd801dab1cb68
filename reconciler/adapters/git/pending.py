"""What of a checkout is not committed: a verb that reads a revision looks at none of it."""

from collections.abc import Sequence

from reconciler.adapters.git.checkout import Checkout
from reconciler.adapters.git.folders import common_folder
from reconciler.adapters.git.guard import guarded, read_configuration
from reconciler.adapters.git.process import GitProcess
from reconciler.adapters.git.repository import GitRepository
from reconciler.ports import ReconcilerError

# What a configuration has to say to name a program for files, or another file that may.
_NAMING = (b"filter", b"include", b"hook", b"\\")
_MOST = 1 << 16


def uncommitted(repository: GitRepository, paths: Sequence[str]) -> list[str]:
    """Files at or below some paths of the work tree that HEAD does not have so.

    None of a bare repository or of a clone that laid nothing out, nor where git cannot be asked: it
    is a word by the way.
    """
    if repository.worktree is None or not (repository.git.git_dir / "index").exists():
        return []
    try:
        return Checkout(_guarded(repository.git), repository.worktree).uncommitted(paths)
    except (ReconcilerError, OSError):
        return []


def _guarded(git: GitProcess) -> GitProcess:
    """Git that runs no filter; asked for what its configuration says only where that may name one."""
    common = common_folder(git)
    text = (common / "config").read_bytes()[:_MOST].lower()
    if len(text) < _MOST and not (common / "config.worktree").exists():
        is_plain = not any(word in text for word in _NAMING)
        if is_plain and not (git.git_dir / "config.worktree").exists():
            return git
    return guarded(git, read_configuration(git), "")
