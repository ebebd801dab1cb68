"""How objects are read by name or id: first their sizes, then those that are not too large.

A small pack can hold an object of any size. What is too large is never unpacked, here or in git.
"""

import re
from collections.abc import Iterable, Iterator, Sequence

from msgspec import Struct

from reconciler.adapters.git.failing import DAMAGED
from reconciler.adapters.git.folders import is_filtered
from reconciler.adapters.git.process import GitProcess
from reconciler.documents.text import MAX_BYTES, Unread
from reconciler.model.settings import PATH
from reconciler.ports import Entry, GitError, LimitError, Made, Revision

_COMMITTED = re.compile(rb"^committer [^\n]*> ?(\d+) [-+]\d+$", re.MULTILINE)
_AUTHOR = re.compile(rb"^author ([^\n]*>) ?\d+ [-+]\d+$", re.MULTILINE)
_PARENT = re.compile(rb"^parent ([0-9a-f]+)$", re.MULTILINE)
# A commit, or the tree of one folder: 200,000 entries with long names fit in.
MAX_OTHER_BYTES = 1 << 26


class Object(Struct, frozen=True):
    """An object: id, type, content."""

    oid: str
    kind: str
    data: bytes


class Header(Struct, frozen=True):
    """What an object is before it is read."""

    oid: str
    kind: str
    size: int

    @property
    def is_read(self) -> bool:
        """It is not too large to be read."""
        return self.size <= (MAX_BYTES if self.kind == "blob" else MAX_OTHER_BYTES)


class Root(Struct, frozen=True):
    """The top of a revision's tree by name, and the bytes of `ipam.yaml` by id.

    Every plan begins with these, so they come with the revision, by the same call.
    """

    entries: dict[str, Entry]
    blobs: dict[str, bytes]


class Found(Struct, frozen=True):
    """What names lead to: their commits, and the tree of the first one."""

    revisions: list[Revision | None]
    root: Root | None


def headers(git: GitProcess, names: Sequence[str]) -> list[Header | None]:
    """What names mean; None for a name that means nothing.

    Raises:
        GitError: Git fails.
    """
    if not names:
        return []
    return [_header(line) for line in git.look_up("--batch-check", names).splitlines()]


def _header(line: bytes) -> Header | None:
    """`<id> <type> <size>`, or `<name> missing`, and a name may have spaces."""
    head = line.split(b" ")
    if len(head) != 3 or not head[2].isdigit():
        return None
    return Header(head[0].decode(), head[1].decode(), int(head[2]))


def read_objects(git: GitProcess, names: Sequence[str]) -> list[Object | None]:
    """The objects that names mean, however large; None for a name that means nothing.

    Raises:
        GitError: An object is corrupt, or promised by a remote and not here.
    """
    heads = ((_header(line), data) for line, data in _answers(git, names))
    return [
        Object(head.oid, head.kind, data) if head is not None and data is not None else None
        for head, data in heads
    ]


def _answers(git: GitProcess, names: Sequence[str]) -> Iterator[tuple[bytes, bytes | None]]:
    """The line that git says of each name, and the bytes of what it means, if anything."""
    if not names:
        return
    out, at = git.look_up("--batch", names), 0
    for _ in names:
        end = out.find(b"\n", at)
        if end < 0:
            raise GitError("git cat-file stopped early", DAMAGED)
        line, at = out[at:end], end + 1
        size = line[line.rfind(b" ") + 1 :]
        if size.isdigit():
            last = at + int(size)
            yield line, out[at:last]
            at = last + 1
        else:
            yield line, None


def read_blobs(git: GitProcess, oids: Sequence[str]) -> list[bytes]:
    """The bytes of objects that are known not to be too large.

    Raises:
        GitError: An object is missing, as in a partial clone, or is corrupt.
    """
    blobs: list[bytes] = []
    for oid, (_, data) in zip(oids, _answers(git, oids), strict=True):
        if data is None:
            raise GitError(f"object {oid} is missing or corrupt", DAMAGED)
        blobs.append(data)
    return blobs


def find_revisions(git: GitProcess, names: Sequence[str]) -> Found:
    """The commits that names mean, and what stands at the top of the first.

    Raises:
        GitError: Git fails.
        LimitError: One of them is too large to be read.
    """
    first = names[0]
    asked = [f"{name}^{{commit}}" for name in names]
    settings = git.root.named(first, PATH)
    known = _headers_but(git, [*asked, git.root.named(first), settings], [settings])
    for item in known[: len(asked)]:
        require_read(item)
    found = _objects(git, known)
    root = _root(found[-2], found[-1], known[-1])
    return Found([_revision(item) for item in found[:-2]], root)


def read_roots(git: GitProcess, commits: Sequence[str]) -> dict[str, tuple[Made, Root | None]]:
    """How commits were made, and what stands at the top of their trees, by their ids.

    What is not here is left out, and what is too large to be read.

    Raises:
        GitError: Git fails.
    """
    names = [_names(git, commit) for commit in commits]
    known = _headers_but(git, [it for each in names for it in each], [it[-1] for it in names])
    found = _objects(git, known)
    read: dict[str, tuple[Made, Root | None]] = {}
    for at, commit in enumerate(commits):
        item, tree, settings = found[3 * at : 3 * at + 3]
        if item is not None and item.kind == "commit":
            read[commit] = _made(git, item), _root(tree, settings, known[3 * at + 2])
    return read


def _objects(git: GitProcess, known: Sequence[Header | None]) -> list[Object | None]:
    """Those of some objects that are not too large; each is read once."""
    oids = dict.fromkeys(item.oid for item in known if item is not None and item.is_read)
    read = dict(zip(oids, read_objects(git, list(oids)), strict=True))
    return [read.get(item.oid) if item is not None else None for item in known]


def _root(tree: Object | None, settings: Object | None, about: Header | None) -> Root | None:
    """The top of a tree; None for a folder without end, which is listed as any other is."""
    if tree is None or tree.kind != "tree":
        return None
    blobs = {settings.oid: settings.data} if settings and settings.kind == "blob" else {}
    if settings is None and about is not None:
        blobs = {about.oid: Unread(about.size)}
    return Root(_entries(tree), blobs)


def read_folder(git: GitProcess, folder: Entry) -> list[Entry] | None:
    """What stands directly in a folder, by path; None where git has to list it.

    Raises:
        GitError: Git fails.
    """
    if git.cache is None:  # one call tells it then, and this would take two
        return None
    (tree,) = _objects(git, headers(git, [folder.oid]))
    if tree is None or tree.kind != "tree":
        return None
    return [it._replace(path=f"{folder.path}/{it.path}") for it in _entries(tree).values()]


def read_made(git: GitProcess, rev: str) -> Made:
    """How a commit was made.

    Raises:
        GitError: There is no such commit.
        LimitError: It is too large to be read.
    """
    name = f"{rev}^{{commit}}"
    (head_of,) = headers(git, [name])
    require_read(head_of)
    (item,) = read_objects(git, [name])
    if item is None or item.kind != "commit":
        raise GitError(f"no commit {rev!r} in the repository", "git log shows the revisions")
    return _made(git, item)


def without_parents(git: GitProcess, commits: Sequence[str]) -> set[str]:
    """Those of some commits that have no parents by what they say, wherever a clone ends.

    Raises:
        GitError: Git fails.
    """
    found = _objects(git, headers(git, commits))
    commits_here = (it for it in found if it is not None and it.kind == "commit")
    return {it.oid for it in commits_here if not _PARENT.search(it.data.partition(b"\n\n")[0])}


def _headers_but(
    git: GitProcess, names: Sequence[str], settings: Iterable[str]
) -> list[Header | None]:
    """Like `headers`; None for Settings that a filter may have left out: who reads them is told."""
    out = frozenset(settings if is_filtered(git) else ())
    known = iter(headers(git, [name for name in names if name not in out]))
    return [None if name in out else next(known) for name in names]


def _names(git: GitProcess, commit: str) -> tuple[str, str, str]:
    """A commit, the root of its tree, and the Settings there."""
    return f"{commit}^{{commit}}", git.root.named(commit), git.root.named(commit, PATH)


def _made(git: GitProcess, item: Object) -> Made:
    head, _, message = item.data.partition(b"\n\n")
    parents = tuple(found.decode("ascii") for found in _PARENT.findall(head))
    wrote = _AUTHOR.search(head)
    author = wrote.group(1).decode("utf-8", "replace") if wrote else ""
    text = git.root.own(message.decode("utf-8", "replace"))
    revision = _revision(item)
    return Made(item.oid, parents, revision.clock if revision else None, text, author)


def require_read(commit: Header | None) -> None:
    """Refuse a commit that is too large to be read.

    Raises:
        LimitError: It is.
    """
    if commit is not None and not commit.is_read:
        message = f"commit {commit.oid} has {commit.size} bytes, limit {MAX_OTHER_BYTES}"
        raise LimitError(message, "make it anew with a shorter message, and leave this one out")


def _revision(item: Object | None) -> Revision | None:
    if item is None or item.kind != "commit":
        return None
    head, _, _ = item.data.partition(b"\n\n")
    committed = _COMMITTED.search(head)
    return Revision(item.oid, int(committed.group(1))) if committed else None


def _entries(tree: Object) -> dict[str, Entry]:
    """A tree object: mode, name, and id in bytes, again and again."""
    width = len(tree.oid) // 2
    found: dict[str, Entry] = {}
    at = 0
    while at < len(tree.data):
        end = tree.data.index(b"\0", at)
        mode, _, raw = tree.data[at:end].partition(b" ")
        path = raw.decode("utf-8", "replace")
        oid = tree.data[end + 1 : end + 1 + width].hex()
        found[path] = Entry(path, mode.decode("ascii").lstrip("0").zfill(6), oid)
        at = end + 1 + width
    return found
