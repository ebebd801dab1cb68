"""The annals of a branch: what each commit of its first-parent line touched, told by one git."""

from collections.abc import Generator, Iterator, Sequence
from contextlib import closing

from msgspec import Struct

from reconciler.adapters.git.ancestry import cut_off, is_shallow
from reconciler.adapters.git.bounds import Tally
from reconciler.adapters.git.naming import whole_name
from reconciler.adapters.git.objects import find_revisions, read_made
from reconciler.adapters.git.past import changed_file
from reconciler.adapters.git.process import GitProcess
from reconciler.asking.rows import Row, Touch, row_of
from reconciler.model.settings import Limits
from reconciler.ports import Entry, Revision

_MARK = "\x01"
_FORMAT = "%x01%H %ct%x00%an <%ae>%x00%B"
_OPTIONS = (
    "--first-parent", "--diff-merges=first-parent", "--root", "--raw", "--no-abbrev",
    "--no-renames", "-z", f"--format={_FORMAT}",
)  # fmt: skip
# Of a message no more is read: what names a pull request stands in the first lines.
_LONGEST = 1 << 16


class GitAnnals(Struct, frozen=True):
    """The line of a repository."""

    git: GitProcess

    def line(self, start: str, paths: Sequence[str]) -> Iterator[Row]:
        """The commits up to one that touched something below some paths, newest first.

        Raises:
            GitError: Git fails.
            LimitError: A commit touched more files than are read of a revision.
        """
        cut = cut_off(self.git)
        with closing(
            _fields(self.git, "log", *_OPTIONS, start, "--", *self.git.root.inside(paths))
        ) as parts:
            yield from _rows(self.git, parts, cut)

    def before(self, start: str, seconds: int) -> Revision | None:
        """The newest commit of the line that is not dated later; None where there is none."""
        name = whole_name(self.git, start)
        how = ("--first-parent", "--max-count=1", f"--min-age={seconds}")
        found = self.git.check("rev-list", *how, name, "--").decode("ascii").strip()
        return find_revisions(self.git, [found]).revisions[0] if found else None

    def is_cut(self) -> bool:
        """Part of the history is not here."""
        return is_shallow(self.git)


def _rows(git: GitProcess, parts: Iterator[str], cut: frozenset[str] | set[str]) -> Iterator[Row]:
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
    """A commit's id, date and author, and its message."""
    commit, _, clock = mark[1:].partition(" ")
    if clock:
        return (commit, int(clock), author), git.root.own(message)
    # One may say that it is in UTF-16, and git reads all of it as that, dates and names among it.
    # As for git, one without a date is of 1970.
    made = read_made(git, commit)
    return (commit, made.clock or 0, made.author), made.message[:_LONGEST]


def _oid(entry: Entry | None) -> str:
    return entry.oid if entry is not None and entry.is_file else ""


def _fields(git: GitProcess, *arguments: str) -> Generator[str, None, None]:
    """What git says with `-z`; of a field that is very long its beginning."""
    rest = b""
    with closing(git.parts(*arguments)) as parts:
        for piece in parts:
            *whole, rest = (rest + piece).split(b"\0")
            for field in whole:
                yield field[:_LONGEST].decode("utf-8", "replace")
            rest = rest[:_LONGEST]
    if rest:
        yield rest.decode("utf-8", "replace")
