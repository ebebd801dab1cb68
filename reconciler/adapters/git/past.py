"""Which commits made a branch's files what they are: its line, newest first.

First parents, as `git log --first-parent`. But who merges the branch into a change and pushes that
as the branch makes it another parent of the merge: there the line goes on with the parent that
has the newest reconcile commit, if reconcile did make it. Anybody can write the trailer of one.
"""

from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing

from reconciler.adapters.git.ancestry import cut_off
from reconciler.adapters.git.bounds import Tally, fields
from reconciler.adapters.git.filtered import present
from reconciler.adapters.git.process import GitProcess
from reconciler.adapters.git.saying import saying
from reconciler.adapters.git.starting import MEMORY
from reconciler.model.settings import Limits
from reconciler.ports import Changed, Entry, Step

_FORMAT = "%H %T %P%x00%(trailers:key=Ipam-Plan,valueonly,separator=%x2C)"
# Most of what is asked for was changed lately: a small look first, then larger ones.
_FIRST_LOOK = 32
_NONE = "000000"
# Nothing behind that makes a trailer one of ours, or a parent one that leads the line.
_LONGEST = 1 << 16
# So many merges are asked which parent leads; further back it is the first one.
_MOST_ASKED = 16


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
        paths: Files and folders, of which the history knows something.
        tally: Counts what one commit may have changed.
        believes: Whether reconcile made a commit that says so; asked at the newest merges alone.

    Raises:
        GitError: Git fails.
        LimitError: A commit changed more files than are read of a revision.
    """
    parents, ours = history(git, revision)
    line = _line(revision, parents, ours, believes)
    # What the oldest commit of a shallow clone changed cannot be told.
    last = line.pop() if cut_off(git, line[-1:]) else ""
    pairs = [
        f"{commit} {parent}".strip() for commit, parent in zip(line, [*line, last][1:], strict=True)
    ]
    start, size = 0, _FIRST_LOOK
    while start < len(pairs):
        for commit, changed in differences(git, pairs[start : start + size], paths, tally):
            yield Step(commit, changed, commit in ours)
        start, size = start + size, size * 8
    if last:
        yield Step(last, (), is_cut=True)


def knows(git: GitProcess, revision: str, paths: Sequence[str]) -> bool:
    """Whether the history of a revision knows anything of some paths.

    Raises:
        GitError: Git fails.
    """
    return bool(git.check("rev-list", "--max-count=1", revision, "--", *git.root.inside(paths)))


def brought(
    git: GitProcess, revision: str, paths: Sequence[str], tally: Callable[[], Tally]
) -> Step:
    """What a revision itself changed below the paths, of any parent that may be the branch.

    What says that reconcile made it is taken together with what it was made of: it is no change of
    anybody's. Of a merge that is the first parent, and each that has a commit which says that
    reconcile made it, and which the first one lacks: somebody may have merged the branch into a
    change.

    Raises:
        GitError: Git fails.
        LimitError: It changed more files than are read of a revision.
    """
    pairs, newest, parents = [], "", list[str]()
    for newest, parents, is_said in _first_parents(git, revision):
        if not (is_said and len(parents) == 1):
            break
        pairs.append(f"{newest} {parents[0]}")
    if cut_off(git, [newest]):
        return Step(revision, (), is_cut=True)
    first = parents[:1]
    asked = [*first, *(it for it in parents[1:] if any(saying(git, it, without=first[0])))]
    pairs += [f"{newest} {parent}" for parent in asked] or [newest]
    steps = differences(git, pairs, paths, tally)
    return Step(revision, tuple(item for _, changed in steps for item in changed))


def history(git: GitProcess, revision: str) -> tuple[dict[str, list[str]], dict[str, int]]:
    """Parents of all commits, and those that say so of themselves, with their place: newest first.

    A merge is none of reconcile's, nor is a commit that changed nothing, whatever it says.
    """
    parents: dict[str, list[str]] = {}
    trees: dict[str, str] = {}
    ours: dict[str, int] = {}
    said = _log(git, revision)
    for place, (ids, digest) in enumerate(zip(said, said, strict=True)):
        commit, trees[commit], *before = ids.decode("ascii").split()
        parents[commit] = before
        if git.root.is_said(digest) and len(before) <= 1:
            ours[commit] = place
    changed = {it for it in ours if trees[it] not in (trees.get(one) for one in parents[it])}
    if changed and git.root.path:
        how = ("--full-history", "--no-merges", f"--grep={git.root.trailer}")
        inside = git.check("rev-list", *how, revision, "--", git.root.path)
        changed &= set(inside.decode("ascii").split())
    return parents, {commit: place for commit, place in ours.items() if commit in changed}


def _first_parents(git: GitProcess, revision: str) -> Iterator[tuple[str, list[str], bool]]:
    """A revision and its first parents: of each its parents, and whether it says it is ours."""
    said = _log(git, revision, "--first-parent")
    with closing(said):
        for ids, digest in zip(said, said, strict=True):
            commit, _, *parents = ids.decode("ascii").split()
            yield commit, parents, git.root.is_said(digest)


def _log(git: GitProcess, revision: str, order: str = "--topo-order") -> Generator[bytes]:
    """Of all commits the ids, and what a trailer says; in turn, and no more of it than is asked."""
    options = (order, "-z", f"--format={_FORMAT}")
    rest = b""
    with closing(git.parts("log", *options, revision, "--", memory=MEMORY)) as parts:
        for piece in parts:
            *whole, rest = (rest + piece).split(b"\0")
            yield from whole
            rest = rest[:_LONGEST]


def _line(
    revision: str,
    parents: dict[str, list[str]],
    ours: dict[str, int],
    believes: Callable[[str], bool],
) -> list[str]:
    newest = _newest(parents, ours)
    by_place = {place: commit for commit, place in ours.items()}
    line, left = [revision], _MOST_ASKED
    while before := [item for item in parents[line[-1]] if item in parents]:
        # `min` takes the first of equals: the first parent. Another one has to prove its claim,
        # and to have all that reconcile did on the first one.
        first, chosen = before[0], min(before, key=lambda item: newest[item])
        own = by_place.get(newest[first])
        is_led = chosen != first and (own is None or _holds(parents, chosen, own))
        is_asked, left = is_led and left > 0, left - is_led
        line.append(chosen if is_asked and believes(by_place[newest[chosen]]) else first)
    return line


def _holds(parents: dict[str, list[str]], commit: str, ancestor: str) -> bool:
    """Whether a commit contains another one."""
    seen, open_ = {commit}, [commit]
    while open_:
        new = [item for item in parents.get(open_.pop(), ()) if item not in seen]
        seen.update(new)
        open_ += new
    return ancestor in seen


def _newest(parents: dict[str, list[str]], ours: dict[str, int]) -> dict[str, int]:
    """The place of the newest reconcile commit that each commit contains."""
    newest: dict[str, int] = {}
    for commit in reversed(parents):  # parents stand behind their children
        known = [newest[item] for item in parents[commit] if item in newest]
        newest[commit] = min([ours.get(commit, len(parents)), *known])
    return newest


def differences(
    git: GitProcess, pairs: Sequence[str], paths: Sequence[str], tally: Callable[[], Tally]
) -> Iterator[tuple[str, tuple[Changed, ...]]]:
    """What commits changed below some paths; of no paths, anywhere.

    Args:
        git: The repository.
        pairs: A commit and its parent each, with a space; or a commit alone.
        paths: Files and folders.
        tally: Counts what one commit may have changed.

    Raises:
        GitError: Git fails.
        LimitError: A commit changed too many files.
    """
    options = ("--stdin", "--root", "-r", "-z", "--no-renames", "--")
    data = "\n".join([*pairs, ""]).encode()
    commit, found, counted = "", list[Changed](), tally()
    inside = git.root.inside(paths)
    with closing(fields(git, counted, "diff-tree", *options, *inside, data=data)) as parts:
        for part in parts:
            if part.startswith(":"):
                found.append(changed_file(part, git.root.outside(next(parts))))
                counted.add(found[-1].path)
            elif part:
                if commit:
                    yield commit, tuple(found)
                commit, found, counted = part, [], tally()
    if commit:
        yield commit, tuple(found)


def changed_since(
    git: GitProcess, ends: tuple[str, str], paths: Sequence[str], limits: Limits
) -> tuple[list[Changed], bool]:
    """Files that differ since two revisions parted, and whether the second has all of the first.

    Without a common ancestor at hand (a shallow clone) the first itself is compared with.
    """
    base, rev = ends
    result = git.run("merge-base", base, rev)
    parted = result.out.decode().strip() or base
    tally = Tally(f"the change from {base[:12]} to {rev[:12]}", limits)
    found = changes(git, (parted, rev), paths, tally)
    # Who names paths reads both sides next, so what is not here of them comes in one go. Who asks
    # for all looks at names alone.
    if git.brings is not None and paths:
        sides = (side for it in found for side in (it.old, it.new) if side and side.is_file)
        present(git, list(dict.fromkeys(side.oid for side in sides)))
    return found, result.status == 0 and parted == base


def changes(
    git: GitProcess, revisions: tuple[str, str], paths: Sequence[str], tally: Tally
) -> list[Changed]:
    """Files that differ between two revisions, at or below some paths; of no paths, all.

    Raises:
        GitError: Git fails.
        LimitError: There are too many.
    """
    return _changes(git, revisions, git.root.inside(paths), tally)


def _changes(
    git: GitProcess, trees: tuple[str, str], paths: Sequence[str], tally: Tally
) -> list[Changed]:
    found = []
    options = ("diff-tree", "-r", "-z", "--no-renames")
    with closing(fields(git, tally, *options, *trees, "--", *paths)) as parts:
        for part in parts:
            found.append(changed_file(part, git.root.outside(next(parts))))
            tally.add(found[-1].path)
    return found


def changed_file(about: str, path: str) -> Changed:
    """An entry of raw `diff-tree` output: modes and ids, and the path."""
    old_mode, new_mode, old_oid, new_oid, _ = about[1:].split(" ")
    old = None if old_mode == _NONE else Entry(path, old_mode, old_oid)
    new = None if new_mode == _NONE else Entry(path, new_mode, new_oid)
    return Changed(path, old, new)
