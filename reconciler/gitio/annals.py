"""Commits of the first-parent line, and records outside the root folder."""

import re
from collections.abc import Generator, Iterator, Sequence
from contextlib import closing

from msgspec import Struct

from reconciler.gitio.history import changed_file, cut_off, is_shallow
from reconciler.gitio.interface import CommitRow, Entry, Revision, Touch, row_of
from reconciler.gitio.limits import Tally, fields
from reconciler.gitio.objects import find_revisions, read_made, whole_name
from reconciler.gitio.process import GitProcess
from reconciler.model.settings import Limits

_MARK = "\x01"
_FORMAT = "%x01%H %ct%x00%an <%ae>%x00%B"
_OPTIONS = (
    "--first-parent", "--diff-merges=first-parent", "--root", "--raw", "--no-abbrev",
    "--no-renames", "-z", f"--format={_FORMAT}",
)  # fmt: skip
# Longer messages are truncated. The reference to a pull request is in the first lines.
_LONGEST = 1 << 16


class GitAnnals(Struct, frozen=True):
    """First-parent history of a repository."""

    git: GitProcess

    def line(self, start: str, paths: Sequence[str]) -> Iterator[CommitRow]:
        """Yield the first-parent commits up to `start` that touched `paths`, newest first.

        Raises:
            GitError: Git fails.
            LimitError: A commit touched more files than the limit allows.
        """
        cut = cut_off(self.git)
        with closing(
            _fields(self.git, "log", *_OPTIONS, start, "--", *self.git.root.inside(paths))
        ) as parts:
            yield from _rows(self.git, parts, cut)

    def before(self, start: str, seconds: int) -> Revision | None:
        """Return the newest first-parent commit not dated after `seconds`, or None."""
        name = whole_name(self.git, start)
        how = ("--first-parent", "--max-count=1", f"--min-age={seconds}")
        found = self.git.check("rev-list", *how, name, "--").decode("ascii").strip()
        return find_revisions(self.git, [found]).revisions[0] if found else None

    def is_cut(self) -> bool:
        """Report whether the clone is shallow."""
        return is_shallow(self.git)


def _rows(
    git: GitProcess, parts: Iterator[str], cut: frozenset[str] | set[str]
) -> Iterator[CommitRow]:
    head, touched, tally = None, list[Touch](), Tally("a commit", Limits())
    for part in parts:
        if part.startswith(_MARK):
            if head is not None:
                yield row_of(head[0], head[1], tuple(touched), is_cut=head[0][0] in cut)
            head = _head(git, part, next(parts), next(parts))
            touched, tally = [], Tally(f"commit {head[0][0]}", Limits())
        elif part.lstrip("\n").startswith(":"):
            changed = changed_file(part.lstrip("\n"), git.root.outside(next(parts)))
            tally.add(changed.path)
            touched.append(Touch(changed.path, _oid(changed.old), _oid(changed.new)))
    if head is not None:
        yield row_of(head[0], head[1], tuple(touched), is_cut=head[0][0] in cut)


def _head(
    git: GitProcess, mark: str, author: str, message: str
) -> tuple[tuple[str, int, str], str]:
    """Return the id, date, and author of a commit, and its message."""
    commit, _, clock = mark[1:].partition(" ")
    if clock:
        return (commit, int(clock), author), git.root.own(message)
    # A commit can declare UTF-16 as its encoding. Git then decodes the whole commit as UTF-16,
    # including dates and names. Like Git, treat a missing date as 1970.
    made = read_made(git, commit)
    return (commit, made.clock or 0, made.author), made.message[:_LONGEST]


def _oid(entry: Entry | None) -> str:
    return entry.oid if entry is not None and entry.is_file else ""


def _fields(git: GitProcess, *arguments: str) -> Generator[str, None, None]:
    """Yield the NUL-separated fields that Git prints with `-z`, each truncated to `_LONGEST` bytes."""
    rest = b""
    with closing(git.parts(*arguments)) as parts:
        for piece in parts:
            *whole, rest = (rest + piece).split(b"\0")
            for field in whole:
                yield field[:_LONGEST].decode("utf-8", "replace")
            rest = rest[:_LONGEST]
    if rest:
        yield rest.decode("utf-8", "replace")


_SAYS = ("--grep=^Ipam-Plan: sha256:", "--no-merges")
# A trailer has no maximum length.
_FORMAT_ROOTS = "%H %<(1000,trunc)%(trailers:key=Ipam-Plan,valueonly,separator=%x2C)"
_SAID = re.compile(r"([0-9a-f]{40,64}) sha256:[0-9a-f]{64}(?: ([^\n]{1,800}))?", re.ASCII)
# Roots that no longer exist are found through the newest commits. A root whose last reconcile
# commit is older than this number of commits is not found.
_MAX_ANNALS = "--max-count=20000"


class GitRoots(Struct, frozen=True):
    """Files and reconcile commits outside the root folder."""

    git: GitProcess

    @property
    def own(self) -> str:
        """The path of the root folder, empty for the top of the repository."""
        return self.git.root.path

    def files(self, rev: str) -> Generator[str, None, None]:
        """Yield the paths of all files of a revision, in any folder.

        Raises:
            GitError: Git fails.
            LimitError: The listing exceeds the memory limit.
        """
        return self._listed(rev, "ls-tree", "-r", "-z", "--full-tree", "--name-only", rev)

    def dropped(self, base: str, rev: str) -> Generator[str, None, None]:
        """Yield the files that `base` has and `rev` does not, except for files of the root folder.

        Raises:
            GitError: Git fails.
            LimitError: The listing exceeds the memory limit.
        """
        how = ("diff-tree", "-r", "-z", "--no-renames", "--diff-filter=D", "--name-only")
        with closing(self._listed(rev, *how, base, rev)) as paths:
            yield from (it for it in paths if not self.own or not self.git.root.holds(it))

    def made(self, revision: str) -> Iterator[tuple[str, str]]:
        """Yield each other root once, with the newest commit that claims to reconcile it.

        Raises:
            GitError: Git fails.
        """
        met = {self.own: None}
        options = (*_SAYS, _MAX_ANNALS, "-z", f"--format={_FORMAT_ROOTS}")
        listing = fields(self.git, Tally("what commits say"), "log", *options, revision, "--")
        with closing(listing) as said:
            for line in said:
                found = _SAID.fullmatch(line.rstrip())
                root = (found[2] or "") if found is not None else self.own
                if found is not None and root not in met:
                    met[root] = None
                    yield root, found[1]

    def _listed(self, rev: str, *command: str) -> Generator[str, None, None]:
        with closing(fields(self.git, Tally(f"all of {rev[:12]}"), *command)) as paths:
            yield from paths
