"""Commits with an `Ipam-Plan` line, and where they are in a history."""

from collections.abc import Iterator, Sequence
from contextlib import closing

from reconciler.adapters.git.ancestry import cut_off
from reconciler.adapters.git.bounds import Tally, fields
from reconciler.adapters.git.process import GitProcess

_ONE_PARENT = ("--min-parents=1", "--max-parents=1")


def plan_commits(git: GitProcess, revision: str, without: Sequence[str] = ()) -> Iterator[str]:
    """Return the commits of a history that have one parent and a line of this root, newest first.

    Args:
        git: The repository.
        revision: The newest commit.
        without: Commits; whatever they contain is left out.

    Raises:
        GitError: Git fails.
    """
    if revision in without:
        return
    reach = [*_ONE_PARENT, f"--grep={git.root.trailer}", revision, *(f"^{it}" for it in without)]
    first = git.check("rev-list", "--max-count=1", *reach).decode("ascii").split()
    yield from first
    if first:
        yield from git.check("rev-list", "--skip=1", *reach).decode("ascii").split()


def said_by(git: GitProcess, commits: Sequence[str]) -> frozenset[str]:
    """Return the given commits that have one parent and a line of this root.

    Raises:
        GitError: Git fails.
    """
    if not commits:
        return frozenset()
    how = ("rev-list", "--no-walk=unsorted", *_ONE_PARENT, f"--grep={git.root.trailer}", "--stdin")
    data = "".join(f"{commit}\n" for commit in commits).encode()
    return frozenset(git.check(*how, data=data).decode("ascii").split())


def changes_only(git: GitProcess, commit: str, folders: Sequence[str]) -> bool:
    """Whether a commit changes at least one file, and none outside of some folders of the root.

    Raises:
        GitError: Git fails.
    """
    inside = tuple(f"{folder}/" for folder in git.root.inside(folders))
    how = ("diff-tree", "-r", "-z", "--name-only", "--no-renames", "--no-commit-id", commit)
    is_any = False
    with closing(fields(git, Tally(f"commit {commit[:12]}"), *how)) as paths:
        for path in filter(None, paths):
            if not path.startswith(inside):
                return False
            is_any = True
    return is_any


def nearest(git: GitProcess, commits: Sequence[str], revision: str) -> str:
    """Return the commit that no other of them contains; of several the nearest by first parents.

    Raises:
        GitError: Git fails.
    """
    tips = git.check("merge-base", "--independent", *commits).decode("ascii").split()

    def distance(commit: str) -> tuple[int, str]:
        how = ("rev-list", "--first-parent", "--count", revision, f"^{commit}")
        return int(git.check(*how)), commit

    return min(tips, key=distance) if len(tips) > 1 else tips[0]


def touching(
    git: GitProcess, revision: str, without: str, paths: Sequence[str], most: int
) -> list[str]:
    """Return the newest commits between two revisions that changed some paths.

    Raises:
        GitError: Git fails.
    """
    how = ("rev-list", "--full-history", f"--max-count={most}", revision)
    but = (f"^{without}",) if without else ()
    return git.check(*how, *but, "--", *git.root.inside(paths)).decode("ascii").split()


def is_whole(git: GitProcess, revision: str, without: Sequence[str]) -> bool:
    """Whether all commits up to a revision are here, except for those that others contain.

    Raises:
        GitError: Git fails.
    """
    but = [f"^{commit}" for commit in without]
    return not cut_off(git, git.check("rev-list", revision, *but).decode("ascii").split())
