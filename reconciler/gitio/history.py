"""Log, ancestry, and messages of reconcile commits."""

import re
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from itertools import islice

from msgspec import Struct

from reconciler.gitio import interface, objects
from reconciler.gitio.interface import BranchCommit, Changed, CommitRow, Entry, Revision, Touch
from reconciler.gitio.process import GitProcess, common_folder, failure
from reconciler.model.errors import GitError, LimitError, UsageError
from reconciler.model.instant import format_instant, parse_instant
from reconciler.model.settings import Limits

Tallies = Callable[[], objects.Tally]
Newest = Callable[[str], str]
_STEP = re.compile(r"[~^]\d*$", re.ASCII)
DEEPEN = "run git fetch --unshallow, or pass --remote URL"


def is_in(git: GitProcess, ancestor: str, revision: str) -> bool:
    """Report whether a revision contains `ancestor`, which may be missing, or raise GitError."""
    with suppress(LimitError):  # the id can name a commit of any author
        new, old = objects.find_commits(git, [revision, ancestor])
        if new is not None and old is None and not is_shallow(git):
            return False  # all ancestors of the revision are here, and the other commit is not
    return holds(git, revision, ancestor)


def holds(git: GitProcess, revision: str, ancestor: str) -> bool:
    """Report whether a revision contains another; raise GitError if its history is cut off."""
    is_held = revision == ancestor or merge_base(git, ancestor, revision) == ancestor
    if not is_held and is_shallow(git):
        message = f"the clone is too shallow to determine whether {revision} contains {ancestor}"
        raise GitError(message, DEEPEN)
    return is_held


def merge_base(git: GitProcess, one: str, other: str) -> str:
    """Return the id of the merge base, or empty if there is none."""
    known = git.reader.bases
    if (one, other) not in known:
        result = git.run("merge-base", one, other)
        if result.status > 1 or result.status < 0:
            raise failure("merge-base", result, DEEPEN)
        known[one, other] = result.out.decode("ascii").strip()
    return known[one, other]


def named(git: GitProcess, rev: str) -> Revision:
    """Return the commit that a name means, or raise GitError; UsageError if it is ambiguous."""
    if (revision := objects.find_revision(git, objects.whole_name(git, rev))) is not None:
        return revision
    if _STEP.search(rev) and is_shallow(git):
        message = f"the clone is too shallow: it does not contain {rev!r}"
        raise GitError(
            message, "run git fetch --deepen 1; in a CI job, set fetch-depth: 2, or 0 for all"
        )
    hint = "run git branch -a to list branches; a new branch needs a first commit, or --worktree"
    raise GitError(f"commit {rev!r} does not exist in this repository", hint)


def is_shallow(git: GitProcess) -> bool:
    """Report whether the clone is shallow."""
    return bool(cut_off(git))


def cut_off(git: GitProcess, among: Collection[str] | None = None) -> set[str]:
    """Return commits, of all or `among` some, whose parents are missing from a shallow clone."""
    # All work trees share the list. It also has the first commits, which have no parents.
    file = common_folder(git) / "shallow"
    named = set(file.read_text(encoding="ascii").split()) if file.is_file() else set[str]()
    asked = sorted(named if among is None else named.intersection(among))
    made = objects.find_commits(git, asked) if asked else []
    return set(asked) - {it.id for it in made if it is not None and not it.parents}


_PLAN = re.compile(
    r"^Ipam-Plan: sha256:[0-9a-f]{64}(?: ([^\n]{1,800}?))?\r?$", re.MULTILINE | re.ASCII
)
_SHORT = 100
_ONE_PARENT = ("--min-parents=1", "--max-parents=1")
_GREP = r"--grep=^Ipam-Plan: sha256:[0-9a-f]\{64\}"


def _plans(
    git: GitProcess, revision: str, without: Sequence[str] = ()
) -> Iterator[tuple[str, str]]:
    """Yield one-parent commits with a plan line, newest first, and its root. A short list is kept."""
    if revision in without:
        return
    known, key = git.reader.plans, (revision, *without)
    if key not in known and len(without) == 1:
        rows = (it.split("\n", 2) for it in commits_since(git, revision, without[0]))
        single = (f"{it[0]}\n{it[2]}" for it in rows if it[1] and " " not in it[1])
        known[key] = list(_rooted(single))
    if key in known:
        yield from known[key]
        return
    reach = (revision, *(f"^{it}" for it in without), "--")
    listing = ("log", *_ONE_PARENT, _GREP, "-z", "--format=%H%n%B", *reach)
    with closing(fields(git, *listing)) as commits:
        first = list(islice(commits, _SHORT))
        found = list(_rooted(first))
        if len(first) < _SHORT:
            known[key] = found
        yield from found
        yield from _rooted(commits)


def commits_since(git: GitProcess, revision: str, base: str) -> list[str]:
    """Return the commits that `base` lacks, newest first: id, parents, and message as lines."""
    known = git.reader.ranges
    if (revision, base) not in known:
        listing = ("log", "-z", "--format=%H%n%P%n%B", revision, f"^{base}", "--")
        with closing(fields(git, *listing)) as commits:
            known[revision, base] = list(commits)
    return known[revision, base]


def _rooted(commits: Iterable[str]) -> Iterator[tuple[str, str]]:
    for commit, _, message in (it.partition("\n") for it in commits):
        for root in dict.fromkeys(it[1] or "" for it in _PLAN.finditer(message)):
            yield commit, root


def plan_commits(git: GitProcess, revision: str, without: Sequence[str] = ()) -> Iterator[str]:
    """Yield one-parent commits with a plan line of this root that `without` lacks, newest first."""
    yield from (it for it, root in _plans(git, revision, without) if root == git.root.path)


def compare(
    git: GitProcess, commits: tuple[str, str], paths: Sequence[str], tally: objects.Tally
) -> tuple[Changed, ...]:
    """Return the files of the root that differ between two commits. An empty id has no files."""
    old, new = (objects.root_tree(git, it) if it else "" for it in commits)
    return tuple(objects.differences(git, (old, new), paths, tally)[0])


def changed_since(
    git: GitProcess, base: str, rev: str, paths: Sequence[str], limits: Limits
) -> tuple[list[Changed], bool]:
    """Return the files changed since the merge base, and whether `rev` has all of `base`."""
    parted = base if base == rev else merge_base(git, base, rev)
    tally = objects.Tally(f"the change from {base[:12]} to {rev[:12]}", limits)
    found = list(compare(git, (parted or base, rev), paths, tally))
    # Callers that pass paths read both sides next, so fetch missing objects in one request. Callers
    # without paths need only names.
    if git.brings is not None and paths:
        sides = (side for it in found for side in (it.old, it.new) if side and side.is_file)
        objects.present(git, list(dict.fromkeys(side.oid for side in sides)))
    return found, parted == base


class _Logged(Struct, frozen=True):
    id: str
    clock: int
    parents: tuple[str, ...]
    author: str
    message: str
    changed: tuple[Changed, ...]


# A commit can declare UTF-16 as its encoding. Git then decodes the whole commit as UTF-16,
# including dates and names.
_HEAD = re.compile(r"\x01([0-9a-f]+) (\d+)((?: [0-9a-f]+)*)", re.ASCII)
_LOG = (
    "log", "--first-parent", "--diff-merges=first-parent", "--root", "--raw", "--no-abbrev",
    "--no-renames", "-z", "--format=%x01%H %ct %P%x00%an <%ae>%x00%B",
)  # fmt: skip
# Longer messages are truncated. The reference to a pull request is in the first lines.
_LONGEST = 1 << 16


def _log(
    git: GitProcess, start: str, paths: Sequence[str], tally: Tallies, *options: str
) -> Generator[_Logged, None, None]:
    commit, changed, counted = None, list[Changed](), tally()
    inside = git.root.inside(paths)
    with closing(fields(git, *_LOG, *options, start, "--", *inside)) as parts:
        for part in parts:
            if part.startswith("\x01"):
                if commit is not None:
                    yield _Logged(*commit, tuple(changed))
                commit = _logged(git, part, next(parts), next(parts))
                changed, counted = [], tally()
            elif part.lstrip("\n").startswith(":"):
                changed.append(changed_file(part.lstrip("\n"), git.root.outside(next(parts))))
                counted.add(changed[-1].path)
    if commit is not None:
        yield _Logged(*commit, tuple(changed))


def _logged(
    git: GitProcess, head: str, author: str, message: str
) -> tuple[str, int, tuple[str, ...], str, str]:
    if (found := _HEAD.match(head)) is not None:
        parents = tuple(found[3].split())
        return found[1], int(found[2]), parents, author, git.root.own(message)
    made = objects.read_commit(git, head[1:].partition(" ")[0])
    return made.id, made.clock or 0, made.parents, made.author, made.message[:_LONGEST]


def fields(git: GitProcess, *arguments: str) -> Generator[str, None, None]:
    """Yield the fields of `-z` output, each up to `_LONGEST` bytes; bad UTF-8 becomes U+FFFD."""
    rest = b""
    with closing(git.parts(*arguments)) as parts:
        for piece in parts:
            *whole, rest = (rest + piece).split(b"\0")
            for field in whole:
                yield field[:_LONGEST].decode("utf-8", "replace")
            rest = rest[:_LONGEST]
    if rest:
        yield rest.decode("utf-8", "replace")


_NONE = "000000"


def changed_file(about: str, path: str) -> Changed:
    """Parse an entry of raw `diff` output: modes and ids, and the path."""
    old_mode, new_mode, old_oid, new_oid, _ = about[1:].split(" ")
    old = None if old_mode == _NONE else Entry(path, old_mode, old_oid)
    new = None if new_mode == _NONE else Entry(path, new_mode, new_oid)
    return Changed(path, old, new)


class _Step(Struct, frozen=True):
    commit: _Logged
    parent: str
    changed: tuple[Changed, ...]
    is_reconcile: bool
    is_cut: bool


def _branch(
    git: GitProcess, revision: str, paths: Sequence[str], tally: Tallies, newest: Newest
) -> Generator[_Step, None, None]:
    """Yield all commits of the branch, newest first: see `Source.past`."""
    cut, start, turns = cut_off(git), revision, None
    while start:
        with closing(_log(git, start, paths, tally, "--sparse")) as commits:
            start = ""
            for commit in commits:
                parent, changed = next(iter(commit.parents), ""), commit.changed
                if len(commit.parents) > 1 and turns is None:
                    turns = _turns(git, revision, newest(revision))
                if turns and turns.get(commit.id, parent) != parent:
                    parent = start = turns[commit.id]
                    changed = compare(git, (parent, commit.id), paths, tally())
                is_plan = len(commit.parents) == 1 and _is_plan(commit.message)
                is_cut = commit.id in cut
                yield _Step(commit, parent, () if is_cut else changed, is_plan, is_cut)
                if start or is_cut:
                    break


def _turns(git: GitProcess, revision: str, leading: str) -> dict[str, str]:
    """Return the parents at which the branch leaves first parents to reach the leading commit."""
    if not leading or leading == revision:
        return {}
    last = git.words("rev-list", "--first-parent", revision, f"^{leading}", "--")[-1]
    if leading in objects.read_commit(git, last).parents[:1]:
        return {}
    how = ("rev-list", "--ancestry-path", "--parents", revision, f"^{leading}", "--")
    rows = git.check(*how).decode("ascii").splitlines()
    parents = {commit: rest for commit, *rest in map(str.split, rows)}
    found, at = {}, revision
    while at != leading:
        found[at] = next(it for it in parents[at] if it == leading or it in parents)
        at = found[at]
    return found


def _is_plan(message: str) -> bool:
    return any(it[1] is None for it in _PLAN.finditer(message))


def past(
    git: GitProcess, revision: str, paths: Sequence[str], tally: Tallies, newest: Newest
) -> Iterator[BranchCommit]:
    """Yield the commits of the branch that changed a file below the paths, newest first."""
    known, key = git.reader.steps, (git.root.path, revision, *paths)
    if key in known:
        yield from known[key]
        return
    found = []
    with closing(_branch(git, revision, paths, tally, newest)) as steps:
        for step in steps:
            if step.changed or step.is_cut:
                made = BranchCommit(step.commit.id, step.changed, step.is_reconcile, step.is_cut)
                found.append(made)
                yield made
    known[key] = found


def brought(
    git: GitProcess, revision: str, paths: Sequence[str], tally: Tallies, newest: Newest
) -> BranchCommit:
    """Return the files below the paths that the newest user commit changed."""
    # Reconcile commits on top of it are included, because they result from that commit. If the
    # branch does not continue with the first parent of a merge, its files differ from either
    # parent.
    found: list[Changed] = []
    with closing(_branch(git, revision, paths, tally, newest)) as steps:
        for step in steps:
            if step.is_cut and not step.is_reconcile:
                return BranchCommit(revision, (), is_cut=True)
            found += step.changed
            if not step.is_reconcile:
                if step.parent != next(iter(step.commit.parents), ""):
                    found += step.commit.changed
                break
    return BranchCommit(revision, tuple(found))


class CommitLog(Struct, frozen=True):
    """First-parent history of a branch."""

    git: GitProcess

    def line(self, start: str, paths: Sequence[str]) -> Iterator[CommitRow]:
        """Yield the first-parent commits up to `start` that touched `paths`, newest first."""
        cut = cut_off(self.git)
        for it in _log(self.git, start, paths, lambda: objects.Tally("a commit", Limits())):
            touched = tuple(Touch(one.path, _oid(one.old), _oid(one.new)) for one in it.changed)
            yield CommitRow(
                it.id,
                it.clock,
                it.author,
                subject=it.message.strip().partition("\n")[0].strip(),
                request=interface.request_of(it.message),
                is_plan=_is_plan(it.message),
                is_cut=it.id in cut,
                touched=() if it.id in cut else touched,
            )

    def before(self, start: str, seconds: int) -> Revision | None:
        """Return the newest first-parent commit not dated after `seconds`, or None."""
        how = ("--first-parent", "--max-count=1", f"--min-age={seconds}")
        found = self.git.words("rev-list", *how, objects.whole_name(self.git, start), "--")
        return objects.find_revision(self.git, found[0]) if found else None

    def is_cut(self) -> bool:
        """Report whether the clone is shallow."""
        return is_shallow(self.git)


def _oid(entry: Entry | None) -> str:
    return entry.oid if entry is not None and entry.is_file else ""


def other_roots(
    git: GitProcess, revision: str, without: Sequence[str] = ()
) -> Iterator[tuple[str, str]]:
    """Yield each other root once, with the oldest commit that claims to reconcile it."""
    for root, commit in {root: commit for commit, root in _plans(git, revision, without)}.items():
        with suppress(UsageError):  # a name that `--root` refuses
            if root != git.root.path and interface.root_folder(root).path == root:
                yield root, commit


SKIP_CI = " [skip ci]"
"""Suffix of the subject that makes CI skip a commit."""

_TRAILER = re.compile(r"^(?P<name>Ipam-[A-Za-z-]+): (?P<value>[^\n]+)$", re.MULTILINE | re.ASCII)
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}", re.ASCII)
_COMMIT = re.compile(r"[0-9a-f]{40}|[0-9a-f]{64}", re.ASCII)
_NUMBER = re.compile(r"0|[1-9][0-9]{0,9}", re.ASCII)


class CommitTrailers(Struct, frozen=True):
    """Trailers of a reconcile commit. `seen` is the observed state of clusters.

    `clock` is set if it is not the base's committer date. `accepts` is the commit that the user
    accepted as lost.
    """

    plan: str
    base: str
    version: str = ""
    allow_release: int | None = None
    clock: int | None = None
    seen: str = ""
    accepts: str = ""


def message_of(subject: str, trailers: CommitTrailers) -> str:
    """Return a message: a subject, which is never parsed, and a trailer for each value."""
    values = {
        "Ipam-Plan": trailers.plan,
        "Ipam-Base": trailers.base,
        "Ipam-Version": trailers.version,
        "Ipam-Allow-Release": "" if (allowed := trailers.allow_release) is None else str(allowed),
        "Ipam-Clock": "" if trailers.clock is None else format_instant(trailers.clock),
        "Ipam-Accepts": trailers.accepts,
        "Ipam-Observed": trailers.seen,
    }
    listed = "".join(f"{name}: {value}\n" for name, value in values.items() if value)
    return f"ipam: {subject}\n\n{listed}"


def read_message(message: str) -> CommitTrailers | None:
    """Return the trailers, or None if incomplete or repeated. A squash merge adds others."""
    listed = [(it["name"], it["value"].rstrip("\r")) for it in _TRAILER.finditer(message)]
    found = dict(listed)
    plan, base = found.get("Ipam-Plan", ""), found.get("Ipam-Base", "")
    allowed, clock = found.get("Ipam-Allow-Release"), found.get("Ipam-Clock")
    accepts = found.get("Ipam-Accepts", "")
    is_sound = (
        len(found) == len(listed)
        and _DIGEST.fullmatch(plan)
        and _COMMIT.fullmatch(base)
        and (allowed is None or _NUMBER.fullmatch(allowed))
        and (not accepts or _COMMIT.fullmatch(accepts))
        and (clock is None or parse_instant(clock) is not None)
    )
    if not is_sound:
        return None
    number = int(allowed) if allowed is not None else None
    instant = parse_instant(clock) if clock is not None else None
    version, seen = found.get("Ipam-Version", ""), found.get("Ipam-Observed", "")
    return CommitTrailers(plan, base, version, number, instant, seen, accepts)
