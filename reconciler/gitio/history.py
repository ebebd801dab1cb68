"""Log, ancestry, and commit trailers."""

import re
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import closing
from pathlib import Path

from reconciler.gitio.interface import BranchCommit, Changed, Entry, Revision
from reconciler.gitio.limits import Tally, fields
from reconciler.gitio.objects import Root, find_revisions, present, whole_name, without_parents
from reconciler.gitio.process import GitProcess, common_folder, failure
from reconciler.model.errors import GitError, LimitError
from reconciler.model.settings import Limits

_STEP = re.compile(r"[~^]\d*$", re.ASCII)
DEEPEN = "git fetch --unshallow, or name the remote with --remote URL"


def is_in(git: GitProcess, ancestor: str, revision: str) -> bool:
    """Report whether a revision contains `ancestor`, which may be missing from the repository.

    Raises:
        GitError: The revision is missing, its history is cut off, or Git fails.
    """
    try:
        return _is_in(git, ancestor, revision)
    except LimitError as heavy:  # the id can name a commit of any author
        raise GitError(str(heavy), heavy.hint) from heavy


def _is_in(git: GitProcess, ancestor: str, revision: str) -> bool:
    try:
        return holds(git, Revision(revision, 0), Revision(ancestor, 0))
    except GitError:
        new, old = find_revisions(git, [revision, ancestor]).revisions
        if new is None or old is not None or is_shallow(git):
            raise
        return False  # all ancestors of the revision are here, and the other commit is not


def holds(git: GitProcess, revision: Revision, ancestor: Revision) -> bool:
    """Report whether a revision contains another.

    Raises:
        GitError: The history is cut off, or Git fails.
    """
    if revision.id == ancestor.id:
        return True
    # Not `--is-ancestor`: the changed files need the same merge base, so its answer is cached.
    result = git.run("merge-base", ancestor.id, revision.id)
    if result.status > 1 or result.status < 0:
        raise failure("merge-base", result, DEEPEN)
    is_held = result.status == 0 and result.out.decode("ascii").strip() == ancestor.id
    if not is_held and is_shallow(git):
        message = f"the clone is too shallow to tell whether {revision.id} holds {ancestor.id}"
        raise GitError(message, DEEPEN)
    return is_held


def named(git: GitProcess, rev: str) -> tuple[Revision, Root | None]:
    """Return the commit that a name means, and the top of its tree.

    Raises:
        GitError: The commit does not exist, or the clone ends before it.
        UsageError: The name is invalid or ambiguous.
    """
    found = find_revisions(git, [whole_name(git, rev)])
    (revision,) = found.revisions
    if revision is not None:
        return revision, found.root
    if _STEP.search(rev) and is_shallow(git):
        message = f"the clone is too shallow: it ends before {rev!r}"
        raise GitError(message, "git fetch --deepen 1; in a CI job: fetch-depth: 2, or 0 for all")
    hint = "git branch -a names the branches; a new one needs a first commit, or --worktree"
    raise GitError(f"no commit {rev!r} in the repository", hint)


def shallow_file(git: GitProcess) -> Path:
    """Return the file in which a shallow clone lists its oldest commits."""
    return common_folder(git) / "shallow"


def is_shallow(git: GitProcess) -> bool:
    """Report whether the clone is shallow.

    Raises:
        GitError: Git fails.
    """
    return bool(cut_off(git))


def cut_off(git: GitProcess, among: Collection[str] | None = None) -> set[str]:
    """Return the commits whose parents are missing from a shallow clone.

    All work trees share this list. A clone that reaches the first commits also lists them, although
    they have no parents.

    Args:
        git: The repository.
        among: Commits to check, or None for all.

    Raises:
        GitError: Git fails.
    """
    file = shallow_file(git)
    named = set(file.read_text(encoding="ascii").split()) if file.is_file() else set[str]()
    asked = sorted(named if among is None else named.intersection(among))
    # A full clone lists no commits, and needs no Git call.
    return set(asked) - without_parents(git, asked) if asked else set()


_ONE_PARENT = ("--min-parents=1", "--max-parents=1")


def plan_commits(git: GitProcess, revision: str, without: Sequence[str] = ()) -> Iterator[str]:
    """Yield the commits with one parent and a plan trailer of this root, newest first.

    Args:
        git: The repository.
        revision: The newest commit.
        without: Commits to exclude, with all of their ancestors.

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
    """Return the given commits that have one parent and a plan trailer of this root.

    Raises:
        GitError: Git fails.
    """
    if not commits:
        return frozenset()
    how = ("rev-list", "--no-walk=unsorted", *_ONE_PARENT, f"--grep={git.root.trailer}", "--stdin")
    data = "".join(f"{commit}\n" for commit in commits).encode()
    return frozenset(git.check(*how, data=data).decode("ascii").split())


def changes_only(git: GitProcess, commit: str, folders: Sequence[str]) -> bool:
    """Report whether a commit changes at least one file, and no file outside the given folders.

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
    """Return the commit that none of the others contains, or the nearest one by first parents.

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
    """Report whether all commits up to a revision are here, except for ancestors of `without`.

    Raises:
        GitError: Git fails.
    """
    but = [f"^{commit}" for commit in without]
    return not cut_off(git, git.check("rev-list", revision, *but).decode("ascii").split())


# Most requested files changed recently, so start with a small batch, then read larger ones.
_FIRST_LOOK = 32
_NONE = "000000"


def past(
    git: GitProcess,
    revision: str,
    paths: Sequence[str],
    tally: Callable[[], Tally],
    newest: Callable[[str], str],
) -> Iterator[BranchCommit]:
    """Yield the commits of the branch that changed a file below the paths.

    Args:
        git: The repository.
        revision: Id of the newest commit.
        paths: Files and folders that the history contains.
        tally: Counts the files that one commit changed.
        newest: Returns the newest reconcile commit of a revision. Called only if there are merges.

    Raises:
        GitError: Git fails.
        LimitError: A commit changed more files than the limit allows.
    """
    line = line_of(git, revision, newest)
    # The parents of the oldest commit of a shallow clone are missing.
    last = line.pop() if cut_off(git, line[-1:]) else ""
    before = [*line, last][1:]
    pairs = [f"{commit} {parent}".strip() for commit, parent in zip(line, before, strict=True)]
    start, size = 0, _FIRST_LOOK
    while start < len(pairs):
        found = list(changed_files(git, pairs[start : start + size], paths, tally))
        said = said_by(git, [commit for commit, _ in found])
        for commit, changed in found:
            yield BranchCommit(commit, changed, commit in said)
        start, size = start + size, size * 8
    if last:
        yield BranchCommit(last, (), is_cut=True)


def line_of(git: GitProcess, revision: str, newest: Callable[[str], str]) -> list[str]:
    """Return the commit ids of the branch, newest first.

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
    """Report whether any commit up to a revision touched some paths.

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
) -> BranchCommit:
    """Return the files below the paths that the newest user commit changed.

    Reconcile commits on top of it are included, because they result from that commit. If the branch
    does not continue with the first parent of a merge, its files differ from either parent.

    Raises:
        GitError: Git fails.
        LimitError: The commit changed more files than the limit allows.
    """
    line = line_of(git, revision, newest)
    said, start, size = frozenset[str](), 0, _FIRST_LOOK
    for at, commit in enumerate(line):
        if at == start:
            said, start, size = said_by(git, line[at : at + size]), at + size, size * 8
        if commit not in said:
            break
    if cut_off(git, [line[at]]):
        return BranchCommit(revision, (), is_cut=True)
    pairs = [" ".join(line[it : it + 2]) for it in range(at + 1)]
    parents = git.check("rev-list", "--parents", "--max-count=1", line[at]).decode().split()[1:]
    if parents and parents[0] != line[at + 1]:
        pairs.append(f"{line[at]} {parents[0]}")
    steps = changed_files(git, pairs, paths, tally)
    return BranchCommit(revision, tuple(item for _, changed in steps for item in changed))


def changed_files(
    git: GitProcess, pairs: Sequence[str], paths: Sequence[str], tally: Callable[[], Tally]
) -> Iterator[tuple[str, tuple[Changed, ...]]]:
    """Yield the files that each commit changed below some paths, or anywhere without paths.

    Args:
        git: The repository.
        pairs: A commit and its parent, separated by a space, or only a commit.
        paths: Files and folders.
        tally: Counts the files that one commit changed.

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
    """Return the files changed since the merge base, and whether the second revision has the first.

    If the merge base is missing (a shallow clone), the files are compared with the first revision.
    """
    base, rev = ends
    result = git.run("merge-base", base, rev)
    parted = result.out.decode().strip() or base
    tally = Tally(f"the change from {base[:12]} to {rev[:12]}", limits)
    found = changes(git, (parted, rev), paths, tally)
    # Callers that pass paths read both sides next, so fetch missing objects in one request. Callers
    # without paths need only names.
    if git.brings is not None and paths:
        sides = (side for it in found for side in (it.old, it.new) if side and side.is_file)
        present(git, list(dict.fromkeys(side.oid for side in sides)))
    return found, result.status == 0 and parted == base


def changes(
    git: GitProcess, revisions: tuple[str, str], paths: Sequence[str], tally: Tally
) -> list[Changed]:
    """Return the files that differ between two revisions, at or below some paths or anywhere.

    Raises:
        GitError: Git fails.
        LimitError: Too many files differ.
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
    """Parse an entry of raw `diff-tree` output: modes and ids, and the path."""
    old_mode, new_mode, old_oid, new_oid, _ = about[1:].split(" ")
    old = None if old_mode == _NONE else Entry(path, old_mode, old_oid)
    new = None if new_mode == _NONE else Entry(path, new_mode, new_oid)
    return Changed(path, old, new)
