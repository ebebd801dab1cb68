"""Commits that say that reconcile made them, newest first. Whether that is true, a replay tells."""

from collections.abc import Iterator

from reconciler.adapters.git.ancestry import cut_off
from reconciler.adapters.git.objects import MAX_OTHER_BYTES, headers, require_read
from reconciler.adapters.git.process import GitProcess
from reconciler.ports import LimitError

# A merge is none of reconcile's, nor is a commit that changed nothing: git passes both over.
_OPTIONS = ("--no-merges", "--full-history")
_EVERYTHING = "."
# No message that a person writes is longer. All that are may be as large as one may be.
_LONG = 1 << 14
# Mostly the newest one is asked for, and no other.
_FIRST_LOOK = 1


def saying(
    git: GitProcess, revision: str, *, without: str = "", holding: str = "", on_line: bool = False
) -> Iterator[str]:
    """The ids of such commits up to a revision, those alone that changed something.

    Git walks as far as is asked for: a line of first parents to the commit, all else to the end.

    Args:
        git: The repository.
        revision: Where to begin.
        without: A commit; what it contains is left out.
        holding: A commit; only what contains it, and not itself.
        on_line: First parents alone.

    Raises:
        GitError: Git fails.
    """
    if revision in (without, holding):
        return  # as for each head that reconcile made: there is nothing in between
    reach = [revision, *(f"^{commit}" for commit in (without, holding) if commit)]
    # Dates are what people say. To put all in order git has to walk to the end, a line has one.
    how = ["--first-parent"] if on_line else ["--date-order"]
    how += [*(["--ancestry-path"] if holding else []), f"--grep={git.root.trailer}"]
    # To tell what changed something takes as long again; mostly there is none to be asked.
    if not on_line and not git.check("rev-list", *_OPTIONS, *how, "--max-count=1", *reach):
        return
    skip, size = 0, _FIRST_LOOK
    while True:
        look = (f"--skip={skip}", f"--max-count={size}")
        out = git.check(
            "rev-list", *_OPTIONS, *how, *look, *reach, "--", git.root.path or _EVERYTHING
        )
        found = out.decode("ascii").split()
        yield from found
        if len(found) < size:
            return
        skip, size = skip + size, size * 8


def is_whole(git: GitProcess, revision: str, without: str | None) -> bool:
    """Whether all commits up to a revision are here, but for what another one contains, if any.

    Raises:
        GitError: Git fails.
        LimitError: One of them is too large to be read, or many are very large.
    """
    but = [f"^{without}"] if without else []
    ids = git.check("rev-list", revision, *but).decode("ascii").split()
    together = 0
    for item in headers(git, ids):
        require_read(item)
        if item is not None and item.size > _LONG:
            together += item.size
            _require_together(item.oid, together)
    return not cut_off(git, ids)


def _require_together(commit: str, size: int) -> None:
    """Refuse commits that are too large in sum.

    Raises:
        LimitError: They are.
    """
    if size > MAX_OTHER_BYTES:
        message = f"commit {commit} and other large ones have {size} bytes, limit {MAX_OTHER_BYTES}"
        raise LimitError(message, "make them anew with shorter messages, and leave these out")
