"""Which commits made a branch's files what they are: its line, newest first.

First parents, as `git log --first-parent`. But who pulls what reconcile committed meanwhile, and
pushes the merge, makes the branch another parent of it. There the line goes over what reconcile
did, and joins the first parents again below it. Nothing that people did gets on the line by another
parent: a branch on which somebody ran reconcile looks just as the branch does.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing
from itertools import accumulate

from reconciler.adapters.git.bounds import Tally, fields
from reconciler.adapters.git.process import GitProcess
from reconciler.ports import Changed, Entry, Step

_FORMAT = "%H %P%x00%(trailers:key=Ipam-Plan,valueonly,separator=%x2C)"
_TRAILER = "^Ipam-Plan: sha256:[0-9a-f]\\{64\\}$"
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
# Most of what is asked for was changed lately: a small look first, then larger ones.
_FIRST_LOOK = 32
_NONE = "000000"
# Reconcile has nothing to do after itself: more commits of it in a row are no one's line.
_MOST_MADE = 16


def past(
    git: GitProcess,
    revision: str,
    paths: Sequence[str],
    tally: Callable[[], Tally],
    believes: Callable[[str], bool] = lambda _: True,
) -> Iterator[Step]:
    """The commits of a revision's line that changed something below the paths.

    Args:
        git: The repository.
        revision: Id of the newest commit.
        paths: Files and folders.
        tally: Counts what one commit may have changed.
        believes: Whether reconcile made a commit that says so; asked at merges alone.

    Raises:
        GitError: Git fails.
        LimitError: A commit changed more files than are read of a revision.
    """
    if not git.check("rev-list", "--max-count=1", revision, "--", *paths):
        return  # the whole history knows nothing of them: nothing else has to be asked
    parents, ours = _history(git, revision)
    line = line_of(revision, parents, ours, believes)
    # What the oldest commit of a shallow clone changed cannot be told.
    last = line.pop() if line[-1] in _cut_off(git) else ""
    pairs = [
        f"{commit} {parent}".strip() for commit, parent in zip(line, [*line, last][1:], strict=True)
    ]
    start, size = 0, _FIRST_LOOK
    while start < len(pairs):
        for commit, changed in _differences(git, pairs[start : start + size], paths, tally):
            yield Step(commit, changed, commit in ours)
        start, size = start + size, size * 8
    if last:
        yield Step(last, (), is_cut=True)


def brought(
    git: GitProcess, revision: str, paths: Sequence[str], tally: Callable[[], Tally]
) -> Step:
    """What a revision itself changed below the paths, of any parent that may be the branch.

    Of a merge that is the first one, and each that has a commit which says that reconcile made it,
    and which the first one lacks: somebody may have merged the branch into a change.

    Raises:
        GitError: Git fails.
        LimitError: It changed more files than are read of a revision.
    """
    if revision in _cut_off(git):
        return Step(revision, (), is_cut=True)
    _, *parents = git.check("rev-list", "--parents", "--max-count=1", revision).decode().split()
    first = parents[:1]
    asked = [*first, *(it for it in parents[1:] if last_saying(git, it, 0, f"^{first[0]}"))]
    pairs = [f"{revision} {parent}" for parent in asked] or [revision]
    steps = _differences(git, pairs, paths, tally)
    return Step(revision, tuple(item for _, changed in steps for item in changed))


def last_saying(git: GitProcess, revision: str, skip: int, *but: str) -> str | None:
    """The newest commit up to a revision that says that reconcile made it, but for some."""
    options = ("--max-count=1", f"--skip={skip}", f"--grep={_TRAILER}")
    return git.check("rev-list", *options, revision, *but).decode("ascii") or None


def _history(git: GitProcess, revision: str) -> tuple[dict[str, list[str]], set[str]]:
    """Parents of all commits, and those that say that reconcile made them."""
    out = git.check("log", f"--format={_FORMAT}", revision, "--").decode()
    parents: dict[str, list[str]] = {}
    ours: set[str] = set()
    for text in out.split("\n"):
        ids, _, digest = text.partition("\0")
        commit, *before = ids.split()
        parents[commit] = before
        if _DIGEST.fullmatch(digest):
            ours.add(commit)
    return parents, ours


def line_of(
    revision: str,
    parents: Mapping[str, Sequence[str]],
    ours: Collection[str],
    believes: Callable[[str], bool],
) -> list[str]:
    """The line: first parents, and what reconcile did beside them."""
    firsts = _firsts(revision, parents)
    at = {commit: place for place, commit in enumerate(firsts)}
    # How many of the first parents above each place say that reconcile made them.
    said = [0, *accumulate(commit in ours for commit in firsts)]
    line: list[str] = []
    place = 0
    while place < len(firsts):
        line.append(firsts[place])
        place += 1
        for other in parents[line[-1]][1:]:
            made, below = _made_beside(other, parents, ours, at)
            left = at.get(below, 0)
            # Where reconcile went on beside both, the first parent is the branch.
            if left and said[left] == said[place] and all(believes(commit) for commit in made):
                line += made
                place = left
                break
    return line


def _firsts(revision: str, parents: Mapping[str, Sequence[str]]) -> list[str]:
    """A revision, its first parent, and so on, as far as the clone has them."""
    found = [revision]
    while (before := parents[found[-1]]) and before[0] in parents:
        found.append(before[0])
    return found


def _made_beside(
    commit: str,
    parents: Mapping[str, Sequence[str]],
    ours: Collection[str],
    firsts: Collection[str],
) -> tuple[list[str], str]:
    """Commits that say that reconcile made them, beside the first parents, and what is below."""
    made: list[str] = []
    while commit in ours and commit not in firsts and len(made) < _MOST_MADE:
        made.append(commit)
        commit = next(iter(parents[commit]), "")
    return made, commit if made else ""


def _differences(
    git: GitProcess, pairs: Sequence[str], paths: Sequence[str], tally: Callable[[], Tally]
) -> Iterator[tuple[str, tuple[Changed, ...]]]:
    options = ("--stdin", "--root", "-r", "-z", "--no-renames", "--")
    data = "\n".join([*pairs, ""]).encode()
    commit, found, counted = "", list[Changed](), tally()
    with closing(fields(git, counted, "diff-tree", *options, *paths, data=data)) as parts:
        for part in parts:
            if part.startswith(":"):
                found.append(changed_file(part, next(parts)))
                counted.add(found[-1].path)
            elif part:
                if commit:
                    yield commit, tuple(found)
                commit, found, counted = part, [], tally()
    if commit:
        yield commit, tuple(found)


def changes(
    git: GitProcess, revisions: tuple[str, str], paths: Sequence[str], tally: Tally
) -> list[Changed]:
    """Files that differ between two revisions, at or below some paths; of no paths, all.

    Raises:
        GitError: Git fails.
        LimitError: There are too many.
    """
    found = []
    options = ("diff-tree", "-r", "-z", "--no-renames")
    with closing(fields(git, tally, *options, *revisions, "--", *paths)) as parts:
        for part in parts:
            found.append(changed_file(part, next(parts)))
            tally.add(found[-1].path)
    return found


def changed_file(about: str, path: str) -> Changed:
    """An entry of raw `diff-tree` output: modes and ids, and the path."""
    old_mode, new_mode, old_oid, new_oid, _ = about[1:].split(" ")
    old = None if old_mode == _NONE else Entry(path, old_mode, old_oid)
    new = None if new_mode == _NONE else Entry(path, new_mode, new_oid)
    return Changed(path, old, new)


def _cut_off(git: GitProcess) -> frozenset[str]:
    """Commits whose parents a shallow clone does not have."""
    file = git.git_dir / "shallow"
    return frozenset(file.read_text(encoding="ascii").split()) if file.is_file() else frozenset()
