"""What the index says of the files that are read of a work tree."""

from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

from reconciler.adapters.git.bounds import Tally, fields
from reconciler.adapters.git.process import GitProcess
from reconciler.ports import UsageError

_SHOWN = 3
_HINT = (
    "git sparse-checkout disable brings all files back; git update-index --no-skip-worktree"
    " --no-assume-unchanged FILE takes a mark away; or read a revision, without --worktree"
)


def listed(
    git: GitProcess, root: Path, tally: Tally, options: Sequence[str], folders: Sequence[str]
) -> Iterator[str]:
    """Lines of `git ls-files -z` about the files at or below some folders of a root in a work tree.

    Raises:
        GitError: The index cannot be read.
        LimitError: It has more files there than are read.
    """
    # Without both git lists what is in `.git` alone.
    work = (f"--work-tree={git.root.top(root)}", "-C", str(root))
    with closing(fields(git, tally, *work, "ls-files", "-z", *options, "--", *folders)) as lines:
        for line in lines:
            tally.add(line)
            yield line


def require_seen(git: GitProcess, root: Path, tally: Tally, folders: Sequence[str]) -> None:
    """Refuse files that git does not look at: what is on disk is not what would be committed.

    A sparse checkout leaves them out; a person may have marked others as unchanged.

    Raises:
        UsageError: The index marks some so.
        GitError: The index cannot be read.
        LimitError: It has more files there than are read.
    """
    lines = listed(git, root, tally, ["-v"], folders)
    marked = [line[2:] for line in lines if line[0] == "S" or line[0].islower()]
    if marked:
        more = f" and {len(marked) - _SHOWN} more" if len(marked) > _SHOWN else ""
        message = "the index marks files as not to be looked at (skip-worktree, assume-unchanged)"
        raise UsageError(f"{message}: {', '.join(marked[:_SHOWN])}{more}", _HINT)
