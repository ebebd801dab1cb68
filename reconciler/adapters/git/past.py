"""The commits that made the files of a branch, newest first.

They are the commits of the first-parent line. If the first parent of a merge does not contain R, the
newest reconcile commit, the line continues with the first parent that contains it: `git pull` followed
by a push puts the branch on the second parent.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import closing

from reconciler.adapters.git.ancestry import cut_off
from reconciler.adapters.git.bounds import Tally, fields
from reconciler.adapters.git.objects import present
from reconciler.adapters.git.process import GitProcess
from reconciler.adapters.git.saying import said_by
from reconciler.model.settings import Limits
from reconciler.ports import Changed, Entry, Step

# Most files that are asked for changed recently: a small portion first, then larger ones.
_FIRST_LOOK = 32
_NONE = "000000"


def past(
    git: GitProcess,
    revision: str,
    paths: Sequence[str],
    tally: Callable[[], Tally],
    newest: Callable[[str], str],
) -> Iterator[Step]:
    """Return the commits of a line that changed a file below the paths.

    Args:
        git: The repository.
        revision: Id of the newest commit.
        paths: Files and folders that the history contains.
        tally: Counts the files that one commit changed.
        newest: Returns R of a revision; called only if there are merges.

    Raises:
        GitError: Git fails.
        LimitError: A commit changed more files than are read of a revision.
    """
    line = line_of(git, revision, newest)
    # The parents of the oldest commit of a shallow clone are missing.
    last = line.pop() if cut_off(git, line[-1:]) else ""
    before = [*line, last][1:]
    pairs = [f"{commit} {parent}".strip() for commit, parent in zip(line, before, strict=True)]
    start, size = 0, _FIRST_LOOK
    while start < len(pairs):
        found = list(differences(git, pairs[start : start + size], paths, tally))
        said = said_by(git, [commit for commit, _ in found])
        for commit, changed in found:
            yield Step(commit, changed, commit in said)
        start, size = start + size, size * 8
    if last:
        yield Step(last, (), is_cut=True)


def line_of(git: GitProcess, revision: str, newest: Callable[[str], str]) -> list[str]:
    """Return the ids of the commits of a line, newest first.

    Raises:
        GitError: Git fails.
    """
    listed = git.check("rev-list", "--first-parent", "--parents", revision).decode("ascii")
    commits = [line.split() for line in listed.splitlines()]
    line = [commit[0] for commit in commits]
    leading = newest(revision) if any(len(commit) > 2 for commit in commits) else ""
    if not leading or leading in frozenset(line):
        return line
    listed = git.check("rev-list", "--ancestry-path", "--parents", revision, f"^{leading}").decode()
    parents = {commit: rest for commit, *rest in map(str.split, listed.splitlines())}
    line = [revision]
    while line[-1] != leading:
        line.append(next(it for it in parents[line[-1]] if it == leading or it in parents))
    return [*line[:-1], *git.check("rev-list", "--first-parent", leading).decode("ascii").split()]


def knows(git: GitProcess, revision: str, paths: Sequence[str]) -> bool:
    """Whether the history of a revision knows anything of some paths.

    Raises:
        GitError: Git fails.
    """
    return bool(git.check("rev-list", "--max-count=1", revision, "--", *git.root.inside(paths)))


def brought(
    git: GitProcess,
    revision: str,
    paths: Sequence[str],
    tally: Callable[[], Tally],
    newest: Callable[[str], str],
) -> Step:
    """Return the files below the paths that the newest commit of a person changed.

    Reconcile commits on top of it are included: they are made of that commit. If the line leaves the
    first parents at a merge, its files differ from either parent: one of them is not the branch.

    Raises:
        GitError: Git fails.
        LimitError: It changed more files than are read of a revision.
    """
    line = line_of(git, revision, newest)
    said, start, size = frozenset[str](), 0, _FIRST_LOOK
    for at, commit in enumerate(line):
        if at == start:
            said, start, size = said_by(git, line[at : at + size]), at + size, size * 8
        if commit not in said:
            break
    if cut_off(git, [line[at]]):
        return Step(revision, (), is_cut=True)
    pairs = [" ".join(line[it : it + 2]) for it in range(at + 1)]
    parents = git.check("rev-list", "--parents", "--max-count=1", line[at]).decode().split()[1:]
    if parents and parents[0] != line[at + 1]:
        pairs.append(f"{line[at]} {parents[0]}")
    steps = differences(git, pairs, paths, tally)
    return Step(revision, tuple(item for _, changed in steps for item in changed))


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
