"""Objects, commits, and reference names."""

import re
import stat
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct

from reconciler.documents.findings import article_list
from reconciler.documents.text import MAX_BYTES, Unread
from reconciler.gitio.config import RootFolder
from reconciler.gitio.interface import Entry, Made, Revision
from reconciler.gitio.process import (
    DAMAGED,
    FILTERED,
    LACKS,
    TRUE,
    GitProcess,
    Setting,
    common_folder,
    is_filtered,
    quoted,
)
from reconciler.model.errors import FilteredError, GitError, LimitError, UsageError
from reconciler.model.settings import PATH

_COMMITTED = re.compile(rb"^committer [^\n]*> ?(\d+) [-+]\d+$", re.MULTILINE)
_AUTHOR = re.compile(rb"^author ([^\n]*>) ?\d+ [-+]\d+$", re.MULTILINE)
_PARENT = re.compile(rb"^parent ([0-9a-f]+)$", re.MULTILINE)
# Maximum size of a commit or of one folder's tree: enough for 200,000 entries with long names.
MAX_OTHER_BYTES = 1 << 26


class Object(Struct, frozen=True):
    """Object: id, type, and content."""

    oid: str
    kind: str
    data: bytes


class Header(Struct, frozen=True):
    """Id, type, and size of an object."""

    oid: str
    kind: str
    size: int

    @property
    def is_read(self) -> bool:
        """Whether the object is small enough to be read."""
        return self.size <= (MAX_BYTES if self.kind == "blob" else MAX_OTHER_BYTES)


class Root(Struct, frozen=True):
    """Top-level entries of a revision by name, and the bytes of `ipam.yaml` by id.

    Every plan reads these first, so they are read together with the revision.
    """

    entries: dict[str, Entry]
    blobs: dict[str, bytes]


class ResolvedNames(Struct, frozen=True):
    """Commits that names resolve to, and the tree of the first one."""

    revisions: list[Revision | None]
    root: Root | None


def headers(git: GitProcess, names: Sequence[str]) -> list[Header | None]:
    """Return the headers of named objects, or None for a name that does not resolve.

    Raises:
        GitError: Git fails.
    """
    if not names:
        return []
    return [_header(line) for line in git.look_up("--batch-check", names).splitlines()]


def _header(line: bytes) -> Header | None:
    """Parse `<id> <type> <size>`, or `<name> missing`. A name can contain spaces."""
    head = line.split(b" ")
    if len(head) != 3 or not head[2].isdigit():
        return None
    return Header(head[0].decode(), head[1].decode(), int(head[2]))


def read_objects(git: GitProcess, names: Sequence[str]) -> list[Object | None]:
    """Return the named objects of any size, or None for a name that does not resolve.

    Raises:
        GitError: An object is corrupt, or missing from a partial clone.
    """
    heads = ((_header(line), data) for line, data in _answers(git, names))
    return [
        Object(head.oid, head.kind, data) if head is not None and data is not None else None
        for head, data in heads
    ]


def _answers(git: GitProcess, names: Sequence[str]) -> Iterator[tuple[bytes, bytes | None]]:
    """Yield the header line of each name, and the object's bytes if there are any."""
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
    """Return the bytes of objects that are known to be small enough.

    Raises:
        GitError: An object is corrupt, or missing from a partial clone.
    """
    blobs: list[bytes] = []
    for oid, (_, data) in zip(oids, _answers(git, oids), strict=True):
        if data is None:
            raise GitError(f"object {oid} is missing or corrupt", DAMAGED)
        blobs.append(data)
    return blobs


def find_revisions(git: GitProcess, names: Sequence[str]) -> ResolvedNames:
    """Return the commits that names mean, and the top of the first one's tree.

    Raises:
        GitError: Git fails.
        LimitError: A commit is too large to be read.
    """
    first = names[0]
    asked = [f"{name}^{{commit}}" for name in names]
    settings = git.root.named(first, PATH)
    known = _headers_but(git, [*asked, git.root.named(first), settings], [settings])
    for item in known[: len(asked)]:
        require_read(item)
    found = _objects(git, known)
    root = _root(found[-2], found[-1], known[-1])
    return ResolvedNames([_revision(item) for item in found[:-2]], root)


def _objects(git: GitProcess, known: Sequence[Header | None]) -> list[Object | None]:
    """Return the objects that are small enough. Each is read once."""
    oids = dict.fromkeys(item.oid for item in known if item is not None and item.is_read)
    read = dict(zip(oids, read_objects(git, list(oids)), strict=True))
    return [read.get(item.oid) if item is not None else None for item in known]


def _root(tree: Object | None, settings: Object | None, about: Header | None) -> Root | None:
    """Return the top of a tree, or None for an oversized folder, which is listed instead."""
    if tree is None or tree.kind != "tree":
        return None
    blobs = {settings.oid: settings.data} if settings and settings.kind == "blob" else {}
    if settings is None and about is not None:
        blobs = {about.oid: Unread(about.size)}
    return Root(_entries(tree), blobs)


def read_folder(git: GitProcess, folder: Entry) -> list[Entry] | None:
    """Return the direct children of a folder by path, or None if Git has to list them.

    Raises:
        GitError: Git fails.
    """
    if git.cache is None:  # a listing needs one call, and this function two
        return None
    (tree,) = _objects(git, headers(git, [folder.oid]))
    if tree is None or tree.kind != "tree":
        return None
    return [it._replace(path=f"{folder.path}/{it.path}") for it in _entries(tree).values()]


def read_made(git: GitProcess, rev: str) -> Made:
    """Return the commit object of a revision.

    Raises:
        GitError: The commit does not exist.
        LimitError: The commit is too large to be read.
    """
    name = f"{rev}^{{commit}}"
    (head_of,) = headers(git, [name])
    require_read(head_of)
    (item,) = read_objects(git, [name])
    if item is None or item.kind != "commit":
        raise GitError(f"no commit {rev!r} in the repository", "git log shows the revisions")
    return _made(git, item)


def without_parents(git: GitProcess, commits: Sequence[str]) -> set[str]:
    """Return the commits whose objects have no parents, regardless of where a clone ends.

    Raises:
        GitError: Git fails.
    """
    found = _objects(git, headers(git, commits))
    commits_here = (it for it in found if it is not None and it.kind == "commit")
    return {it.oid for it in commits_here if not _PARENT.search(it.data.partition(b"\n\n")[0])}


def _headers_but(
    git: GitProcess, names: Sequence[str], settings: Iterable[str]
) -> list[Header | None]:
    """Like `headers`, but None for Settings that a partial clone can lack. Readers report them."""
    out = frozenset(settings if is_filtered(git) else ())
    known = iter(headers(git, [name for name in names if name not in out]))
    return [None if name in out else next(known) for name in names]


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
        LimitError: The commit is too large.
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
    """Parse a tree object: repeated mode, name, and binary id."""
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


_PROMISED, _PARTIAL = ("remote", "promisor"), ("extensions", "partialclone")
_SHA256 = 64


def present(git: GitProcess, oids: Sequence[str]) -> list[Header | None]:
    """Return headers of objects like `headers`, after fetching missing ones if allowed.

    Raises:
        FilteredError: Objects are missing and must not be fetched. The error names all of them.
        GitError: Git fails.
    """
    if not oids or not is_filtered(git):
        return headers(git, oids)
    found = _here(git, oids)
    if not (lacking := [oid for oid, head in zip(oids, found, strict=True) if head is None]):
        return found
    if git.brings is None:
        raise FilteredError(LACKS, FILTERED, lacking)
    git.brings(lacking)
    return _here(git, oids)


def _here(git: GitProcess, oids: Sequence[str]) -> list[Header | None]:
    """Return headers of objects, or None for missing ones."""
    with _apart(git, is_long=len(oids[0]) == _SHA256) as apart:
        return headers(apart, oids)


def promisor(settings: Iterable[Setting]) -> str:
    """Return the promisor remote of a partial clone, from the repository's own configuration."""
    read = list(settings)
    promised = (it for it in read if (it.section, it.variable) == _PROMISED)
    named = [it.between for it in promised if it.value.lower() in ("", *TRUE)]
    named += [it.value for it in read if (it.section, it.variable) == _PARTIAL]
    return next(iter(named), "origin")


@contextmanager
def _apart(git: GitProcess, *, is_long: bool) -> Iterator[GitProcess]:
    """Yield Git on an empty repository without remotes that reads another one's objects."""
    with TemporaryDirectory(prefix="ipam-") as name:
        folder = Path(name)
        for inner in ("objects/info", "refs"):
            (folder / inner).mkdir(parents=True)
        objects = quoted(str((common_folder(git) / "objects").resolve()))
        version, extension = int(is_long), "[extensions]\n\tobjectFormat = sha256\n" * is_long
        texts = {
            "HEAD": "ref: refs/heads/none\n",
            "config": f"[core]\n\trepositoryformatversion = {version}\n\tbare = true\n{extension}",
            "objects/info/alternates": f"{objects}\n",
        }
        for path, text in texts.items():
            (folder / path).write_text(text, encoding="utf-8", errors="surrogateescape")
        yield replace(git, git_dir=folder, cache=None)


_KINDS = {"120000": "a symlink", "160000": "a submodule"}
_WAYS = (
    "name a folder from the top of the Git repository: --root infra/ipam, or --root . for the top"
    " itself; one that is not committed yet is read by --worktree"
)


def require_root(git: GitProcess, revision: Revision, known: Root | None) -> Root | None:
    """Return the known top of a revision's root. Refuse a revision without this folder.

    Raises:
        GitError: The root is not a folder.
    """
    parts = git.root.path.split("/") if git.root.path else []
    above = ["/".join(parts[: at + 1]) for at in range(len(parts))]
    where = f"revision {revision.id[:12]}"
    if known is not None or not above:
        return known
    for path in above:  # one at a time: given a folder and its content, Git lists only the content
        listed = git.check("ls-tree", "-z", "--full-tree", revision.id, "--", path)
        mode = listed.decode("utf-8", "replace").partition(" ")[0]
        if mode != "040000":
            raise _no_folder(git.root, path, _KINDS.get(mode, "a file") if mode else "", where)
    return None


def require_place(root: RootFolder, top: Path) -> Path:
    """Return the path of the root in a work tree.

    Raises:
        GitError: The root is not a folder.
    """
    place, path = top, ""
    for part in root.path.split("/") if root.path else ():
        place, path = place / part, f"{path}/{part}".removeprefix("/")
        try:
            mode = place.lstat().st_mode
        except OSError:
            raise _no_folder(root, path, "", "the work tree") from None
        if not stat.S_ISDIR(mode) or (place / ".git").exists():
            is_file = "a submodule" if stat.S_ISDIR(mode) else "a file"
            what = "a symlink" if stat.S_ISLNK(mode) else is_file
            raise _no_folder(root, path, what, "the work tree")
    return place


def _no_folder(root: RootFolder, path: str, what: str, where: str) -> GitError:
    said = f"{path} is {what}, not a folder" if what else f"there is no folder {path}"
    return GitError(f"the root {root.path!r} is not in {where}: {said}", _WAYS)


# Rules of `git check-ref-format`, without a leading `-`. An empty name before `@{u}` means HEAD.
_NAME = re.compile(r"(?:[^\x00-\x20~^:?*\[\\\x7f@\s]|@(?!\{))*")
_WRONG = re.compile(r"[-./]|.*(?:\.\.|//|/\.|\.lock/|\.lock$|[./]$)")
_STEP = re.compile(r"\^\{commit\}|\^\d*|~\d*", re.ASCII)
_UPSTREAM = re.compile(r"@\{(?:u|upstream|push)\}")  # resolved by the configuration of a branch
_HEX = re.compile(r"[0-9a-f]{4,64}", re.ASCII | re.IGNORECASE)
# Git reserves these names and HEAD, and looks there before references. A push cannot create one.
_OWN = re.compile(r"(?:[A-Z]+_)+HEAD", re.ASCII)
_BRANCH = r"(?![-./])(?!.*(?:\.\.|//|/\.|@\{|\.lock(?:/|$)|/$|\.$))[A-Za-z0-9._/-]{1,200}"
_WHOLE = (40, 64)
_ORDER = ("refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")
_HINT = "name a branch (main, origin/main), a tag or a commit id; git log shows the revisions"


def check_branch(branch: str) -> str:
    """Return a branch name after checking that Git accepts it and that it is not an option.

    Raises:
        UsageError: The name is invalid.
    """
    # Git rejects a branch named HEAD. A name below refs/ could be confused with other references.
    if (
        not re.fullmatch(_BRANCH, branch, re.ASCII)
        or branch == "HEAD"
        or branch.startswith("refs/")
    ):
        raise UsageError(
            f"{branch!r} is not a valid branch name", "letters, digits, and . _ - / between them"
        )
    return branch


def whole_name(git: GitProcess, rev: str) -> str:
    """Return an unambiguous name of a revision.

    Args:
        git: The repository.
        rev: A branch, tag, commit id, or `HEAD`, with optional steps such as `^1` and `~2`.

    Raises:
        UsageError: The name is invalid or ambiguous.
        GitError: The name begins with `refs/`, and there is no such reference.
    """
    name, steps = _parted(rev)
    is_whole = _HEX.fullmatch(name) and len(name) in _WHOLE
    if is_whole or _UPSTREAM.match(steps) or _is_own(git, name):
        return rev
    wanted = [name] if name.startswith("refs/") else [form.format(name) for form in _ORDER]
    listed = git.check("for-each-ref", "--format=%(refname)", "--", *wanted).decode()
    found = [form for form in wanted if form in listed.splitlines()]
    if name.startswith("refs/") and not found:
        raise GitError(f"no reference {name!r} in the repository", "git for-each-ref shows them")
    commits = [f"the commits {name}…"] if found and _begins_commit(git, name) else []
    if len(found) + len(commits) > 1:
        raise UsageError(
            f"{rev!r} is ambiguous: {article_list([*found, *commits], 'and')}",
            f"write {article_list(f'{form}{steps}' for form in found)},"
            f" or {'the whole' if commits else 'a'} commit id",
        )
    return f"{found[0]}{steps}" if found else rev


def _parted(rev: str) -> tuple[str, str]:
    """Split a revision into its name and the steps after it."""
    name = rev[: _end(_NAME, rev, 0)]
    at = upstream = _end(_UPSTREAM, rev, len(name))
    while (end := _end(_STEP, rev, at)) > at:
        at = end
    is_named = name or upstream > 0
    if not is_named or at < len(rev) or _WRONG.match(name) or not rev.isprintable():
        raise UsageError(f"{rev!r} is not a revision", _HINT)
    return name, rev[len(name) :]


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found is not None else at


def _is_own(git: GitProcess, name: str) -> bool:
    """Report whether Git reserves a name: `HEAD`, and names that a fetch or merge writes."""
    is_left = _OWN.fullmatch(name) is not None and (git.git_dir / name).is_file()
    return name in ("@", "HEAD") or is_left


def _begins_commit(git: GitProcess, name: str) -> bool:
    """Report whether a name is also the prefix of an object id, which the user could mean."""
    return bool(_HEX.fullmatch(name)) and bool(git.check("rev-parse", f"--disambiguate={name}"))


# Enough for a path and a few words.
_MAX_NAMING = 1 << 16


def shown_branch(git: GitProcess) -> str:
    """Return the branch that HEAD names, even without commits. Empty for a detached HEAD."""
    text = small_text(git.git_dir / "HEAD")
    name = text.removeprefix("ref: refs/heads/")
    if name == ".invalid":  # another reference format, which only Git can read
        return git.run("symbolic-ref", "--quiet", "--short", "HEAD").out.decode().strip()
    return name if name != text else ""


def require_unshown(git: GitProcess, branch: str) -> None:
    """Refuse to move a branch that another work tree of the repository has checked out.

    Its index and files would become outdated, and its next commit would revert the move.

    Raises:
        UsageError: Another work tree has the branch checked out.
    """
    own, common = git.git_dir.resolve(), common_folder(git).resolve()
    for folder in (common, *sorted(common.glob("worktrees/*"))):
        there = replace(git, git_dir=folder)
        if folder == own or not (folder / "HEAD").is_file() or shown_branch(there) != branch:
            continue
        if folder != common:
            place = Path(small_text(folder / "gitdir")).parent
        elif there.run("rev-parse", "--is-bare-repository").out.strip() == b"true":
            continue
        else:
            place = common.parent if common.name == ".git" else common
        message = f"branch {branch} is checked out in another work tree, which would stay behind"
        hint = f"reconcile there: --repo {place}; if it is gone: git worktree prune"
        raise UsageError(message, hint)


def small_text(path: Path) -> str:
    """Return the text of a small file in a repository, whatever its content."""
    with path.open("rb") as file:
        return file.read(_MAX_NAMING).decode("utf-8", "replace").replace("\0", "\ufffd").strip()
