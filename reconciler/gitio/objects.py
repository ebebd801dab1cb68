"""Objects, trees, and names of revisions."""

import re
import stat
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

from msgspec import Struct, field

from reconciler.documents.findings import article_list
from reconciler.documents.load import upwards
from reconciler.documents.text import MAX_BYTES
from reconciler.gitio import process
from reconciler.gitio.interface import Changed, Entry, Made, Revision, RootFolder
from reconciler.gitio.process import GitProcess, ObjectReader, Output, Setting
from reconciler.model.errors import FilteredError, GitError, LimitError, UsageError
from reconciler.model.settings import Limits

_TREE = re.compile(rb"\Atree ([0-9a-f]+)$", re.MULTILINE)
_PARENT = re.compile(rb"^parent ([0-9a-f]+)$", re.MULTILINE)
_AUTHOR = re.compile(rb"^author ([^\n]*>) ?\d+ [-+]\d+$", re.MULTILINE)
_COMMITTED = re.compile(rb"^committer [^\n]*> ?(\d+) [-+]\d+$", re.MULTILINE)
# Maximum size of a commit or of one folder's tree: enough for 200,000 entries with long names.
MAX_OTHER_BYTES = 1 << 26
_FOLDER = "040000"


# Paths are rarely longer. Deep trees that contain each other would grow without limit.
PATH_BYTES = 512
LIMITS_HINT = "for a pull request, the Settings of the base apply"


class Tally(Struct):
    """Count of listed entries and total length of their paths."""

    where: str
    limits: Limits = field(default_factory=Limits)
    _count: int = 0
    _length: int = 0

    def add(self, path: str) -> None:
        """Count an entry."""
        self._count += 1
        self._length += len(path)
        if self._count > self.limits.files or self._length > PATH_BYTES * self.limits.files:
            message = f"{self.where} has more than {self.limits.files:,} files to read"
            hint = f"split it, or raise spec.limits.files in ipam.yaml; {LIMITS_HINT}"
            raise LimitError(message, hint)


class Header(Struct, frozen=True, gc=False):
    """Id, type, and size of an object."""

    oid: str
    kind: str
    size: int

    @property
    def is_read(self) -> bool:
        """Whether the object is small enough to be read."""
        return self.size <= (MAX_BYTES if self.kind == "blob" else MAX_OTHER_BYTES)


class Tree(Struct, frozen=True):
    """Mode and id of each entry of a folder by name, and names that occur twice or out of order."""

    entries: Mapping[str, tuple[str, str]]
    misplaced: tuple[str, ...] = ()


_EMPTY = Tree({})


def headers(git: GitProcess, names: Sequence[str]) -> list[Header | None]:
    """Return the headers of named objects, or None for a name that does not resolve."""
    if not names:
        return []
    found = b"".join(git.look_up("--batch-check", names))
    return [_header(line) for line in found.splitlines()]


def _header(line: bytes) -> Header | None:
    head = line.split(b" ")
    if len(head) != 3 or not head[2].isdigit():
        return None
    return Header(head[0].decode(), head[1].decode(), int(head[2]))


def read_blobs(git: GitProcess, oids: Sequence[str]) -> Iterator[bytes]:
    """Yield the bytes of small objects; raise GitError if one is corrupt or missing."""
    out = Output(git.look_up("--batch", oids) if oids else iter(()))
    for oid in oids:
        try:
            head = _header(out.line().rstrip())
            if head is None:
                raise EOFError
            yield out.take(head.size + 1)[:-1]
        except EOFError:
            raise GitError(f"object {oid} is missing or corrupt", process.DAMAGED) from None


def find_commits(git: GitProcess, names: Sequence[str]) -> list[Made | None]:
    """Return the commits of names, None for unknown ones; raise LimitError at a large commit."""
    known = git.reader.commits.setdefault(git.root.path, {})
    new = [name for name in names if name not in known]
    ids = {name: name for name in names}
    found = headers(git, [f"{name}^{{commit}}" for name in new])
    for name, head in zip(new, found, strict=True):
        ids[name] = head.oid if head is not None else ""
        if head is not None and not head.is_read:
            message = f"commit {head.oid} has {head.size} bytes, limit {MAX_OTHER_BYTES}"
            raise LimitError(message, "commit again with a shorter message, and drop this commit")
    missing = [oid for oid in dict.fromkeys(ids.values()) if oid and oid not in known]
    for oid, data in zip(missing, read_blobs(git, missing), strict=True):
        known[oid] = _commit(git, oid, data)
    return [known.get(ids[name]) for name in names]


def find_revision(git: GitProcess, name: str) -> Revision | None:
    """Return the commit that a name means, or None if there is none with a valid date."""
    (made,) = find_commits(git, [name])
    return Revision(made.id, made.clock) if made is not None and made.clock is not None else None


def read_commit(git: GitProcess, rev: str) -> Made:
    """Return a commit object; raise GitError if missing, LimitError if too large."""
    (made,) = find_commits(git, [rev])
    if made is None:
        hint = "run git log to list revisions"
        raise GitError(f"commit {rev!r} does not exist in this repository", hint)
    return made


def _commit(git: GitProcess, oid: str, data: bytes) -> Made:
    head, _, message = data.partition(b"\n\n")
    tree, wrote, committed = (it.search(head) for it in (_TREE, _AUTHOR, _COMMITTED))
    return Made(
        oid,
        parents=tuple(found.decode("ascii") for found in _PARENT.findall(head)),
        clock=int(committed[1]) if committed else None,
        message=git.root.own(message.decode("utf-8", "replace")),
        author=wrote[1].decode("utf-8", "replace") if wrote else "",
        tree=tree[1].decode("ascii") if tree else "",
    )


def _read_trees(git: GitProcess, oids: Iterable[str]) -> Mapping[str, Tree]:
    known = git.reader.trees
    known.setdefault("", _EMPTY)
    new = [oid for oid in dict.fromkeys(oids) if oid not in known]
    for oid, head in zip(new, headers(git, new), strict=True):
        if head is not None and not head.is_read:
            hint = "split it"
            raise LimitError(f"folder {oid} has {head.size} bytes, limit {MAX_OTHER_BYTES}", hint)
    for oid, data in zip(new, read_blobs(git, new), strict=True):
        known[oid] = _tree(oid, data)
    return known


@lru_cache(maxsize=64)
def _mode(text: bytes) -> str:
    return text.decode("ascii").lstrip("0").zfill(6)


def _tree(oid: str, data: bytes) -> Tree:
    width, at = len(oid) // 2, 0
    found: dict[str, tuple[str, str]] = {}
    seen, before, misplaced = set[bytes](), b"", list[str]()
    while at < len(data):
        end = data.find(b"\0", at)
        mode, space, raw = data[at:end].partition(b" ")
        if end < 0 or not space:
            raise GitError(f"object {oid} is missing or corrupt", process.DAMAGED)
        name, at = raw.decode("utf-8", "replace"), end + 1 + width
        key = raw + b"/" * (mode.lstrip(b"0") == b"40000")
        if raw in seen or key < before or b"/" in raw or not raw:
            misplaced.append(name)
        seen.add(raw)
        before = key
        found[name] = _mode(mode), data[end + 1 : at].hex()
    return Tree(found, tuple(misplaced))


def root_tree(git: GitProcess, commit: str) -> str:
    """Return the id of the root's tree in a commit, or empty if it has no such folder."""
    found = entry_at(git, read_commit(git, commit).tree, git.root.path)
    return found.oid if found is not None and found.is_folder else ""


def entry_at(git: GitProcess, tree: str, path: str) -> Entry | None:
    """Return the entry at a path below a tree. An empty path is the tree itself."""
    entry = Entry("", _FOLDER, tree)
    for name in path.split("/") if path else ():
        if not entry.is_folder:
            return None
        found = _read_trees(git, [entry.oid])[entry.oid].entries.get(name)
        if found is None:
            return None
        entry = Entry(f"{entry.path}/{name}".removeprefix("/"), *found)
    return entry


def children(git: GitProcess, folder: Entry) -> list[Entry]:
    """Return the direct children of a folder, by path."""
    inside = f"{folder.path}/".removeprefix("/")
    entries = _read_trees(git, [folder.oid])[folder.oid].entries
    return sorted(Entry(f"{inside}{name}", *entry) for name, entry in entries.items())


def differences(
    git: GitProcess, trees: tuple[str, str], paths: Sequence[str], tally: Tally
) -> tuple[list[Changed], list[str]]:
    """Return the files that differ between two trees, and new paths twice or out of order."""
    # An empty id is an empty tree. A file at a folder above a path also counts.
    wanted, upward = set(paths), {folder for it in paths for folder in upwards(it)}
    found, misplaced, folders = list[Changed](), list[str](), Tally(tally.where, tally.limits)
    level = [("", *trees, not paths)]
    while level:
        known = _read_trees(git, (oid for _, old, new, _ in level for oid in (old, new)))
        deeper = list[tuple[str, str, str, bool]]()
        for prefix, old, new, is_whole in level:
            before, after = known[old].entries, known[new].entries
            known_before = known[old].misplaced
            misplaced += (prefix + it for it in known[new].misplaced if it not in known_before)
            for name in after if not before else {**before, **after}:
                was, now = before.get(name), after.get(name)
                path = prefix + name
                if was == now or not (is_whole or path in upward):
                    continue
                files = [Entry(path, *it) if it and it[0] != _FOLDER else None for it in (was, now)]
                if files != [None, None]:
                    tally.add(path)
                    found.append(Changed(path, *files))
                one, other = (it[1] if it and it[0] == _FOLDER else "" for it in (was, now))
                if one or other:
                    folders.add(path)
                    deeper.append((f"{path}/", one, other, is_whole or path in wanted))
        level = deeper
    return sorted(found, key=lambda it: it.path), misplaced


_PROMISED, _PARTIAL = ("remote", "promisor"), ("extensions", "partialclone")
_SHA256 = 64


def present(git: GitProcess, oids: Sequence[str]) -> list[Header | None]:
    """Return headers after fetching missing objects. Raise FilteredError if that is forbidden."""
    if not oids or not process.is_filtered(git):
        return headers(git, oids)
    found = _here(git, oids)
    if not (lacking := [oid for oid, head in zip(oids, found, strict=True) if head is None]):
        return found
    if git.brings is None:
        raise FilteredError(process.LACKS, process.FILTERED, lacking)
    git.brings(lacking)
    return _here(git, oids)


def promisor(settings: Iterable[Setting]) -> str:
    """Return the promisor remote of a partial clone, from the repository's own configuration."""
    read = list(settings)
    promised = (it for it in read if (it.section, it.variable) == _PROMISED)
    named = [it.between for it in promised if it.value.lower() in ("", *process.TRUE)]
    named += [it.value for it in read if (it.section, it.variable) == _PARTIAL]
    return next(iter(named), "origin")


def _here(git: GitProcess, oids: Sequence[str]) -> list[Header | None]:
    """Return headers without asking remotes, so that Git does not search for missing objects."""
    with TemporaryDirectory(prefix="ipam-") as name:
        folder = Path(name)
        for inner in ("objects/info", "refs"):
            (folder / inner).mkdir(parents=True)
        is_long = len(oids[0]) == _SHA256
        version, extension = int(is_long), "[extensions]\n\tobjectFormat = sha256\n" * is_long
        texts = {
            "HEAD": "ref: refs/heads/none\n",
            "config": f"[core]\n\trepositoryformatversion = {version}\n\tbare = true\n{extension}",
            "objects/info/alternates": f"{process.alternate(git)}\n",
        }
        for path, text in texts.items():
            (folder / path).write_text(text, encoding="utf-8", errors="surrogateescape")
        apart = replace(git, git_dir=folder, reader=ObjectReader())
        try:
            return headers(apart, oids)
        finally:
            apart.reader.close()


KINDS = {"120000": "a symlink", "160000": "a submodule"}
_WAYS = "pass the path from the top of the Git repository, such as --root infra/ipam, or --root . for the top; to read a folder that is not committed, add --worktree"


def require_root(git: GitProcess, commit: str) -> None:
    """Refuse a commit without the root folder. Raises GitError if the root is not a folder."""
    tree = read_commit(git, commit).tree
    for path in upwards(git.root.path):
        entry = entry_at(git, tree, path)
        if entry is None or not entry.is_folder:
            what = KINDS.get(entry.mode, "a file") if entry is not None else ""
            raise _no_folder(git.root, path, what, f"revision {commit[:12]}")


def require_place(root: RootFolder, top: Path) -> Path:
    """Return the path of the root in a work tree. Raises GitError if the root is not a folder."""
    for path in upwards(root.path) if root.path else ():
        place = top / path
        try:
            mode = place.lstat().st_mode
        except OSError:
            raise _no_folder(root, path, "", "the work tree") from None
        if not stat.S_ISDIR(mode) or (place / ".git").exists():
            is_file = "a submodule" if stat.S_ISDIR(mode) else "a file"
            what = "a symlink" if stat.S_ISLNK(mode) else is_file
            raise _no_folder(root, path, what, "the work tree")
    return top / root.path


def _no_folder(root: RootFolder, path: str, what: str, where: str) -> GitError:
    reason = f"{path} is {what}, not a folder" if what else f"folder {path} does not exist"
    return GitError(f"the root {root.path!r} is not in {where}: {reason}", _WAYS)


# Rules of `git check-ref-format`, without a leading `-`. An empty name before `@{u}` means HEAD.
_NAME = re.compile(r"(?:[^\x00-\x20~^:?*\[\\\x7f@\s]|@(?!\{))*")
_WRONG = re.compile(r"[-./]|.*(?:\.\.|//|/\.|\.lock/|\.lock$|[./]$)")
_STEPS = re.compile(r"(?:\^\{commit\}|\^\d*|~\d*)*", re.ASCII)
_UPSTREAM = re.compile(r"@\{(?:u|upstream|push)\}")  # resolved by the configuration of a branch
_HEX = re.compile(r"[0-9a-f]{4,64}", re.ASCII | re.IGNORECASE)
# Git reserves these names and HEAD, and looks there before references. A push cannot create one.
_OWN = re.compile(r"(?:[A-Z]+_)+HEAD", re.ASCII)
_BRANCH = r"(?![-./])(?!.*(?:\.\.|//|/\.|@\{|\.lock(?:/|$)|/$|\.$))[A-Za-z0-9._/-]{1,200}"
_WHOLE = (40, 64)
_ORDER = ("refs/{}", "refs/tags/{}", "refs/heads/{}", "refs/remotes/{}", "refs/remotes/{}/HEAD")
_HINT = "pass a branch (main, origin/main), a tag, or a commit ID; run git log to list revisions"


def check_branch(branch: str) -> str:
    """Return a branch name that Git accepts and that is not an option, or raise UsageError."""
    # Git rejects a branch named HEAD. A name below refs/ could be confused with other references.
    is_valid = re.fullmatch(_BRANCH, branch, re.ASCII) and branch != "HEAD"
    if not is_valid or branch.startswith("refs/"):
        hint = "use letters, digits, and . _ - / between them"
        raise UsageError(f"{branch!r} is not a valid branch name", hint)
    return branch


def whole_name(git: GitProcess, rev: str) -> str:
    """Return an unambiguous name of a branch, tag, commit id, or `HEAD`, with steps like `^1`."""
    name, steps = _parted(rev)
    is_whole = _HEX.fullmatch(name) and len(name) in _WHOLE
    # Git reserves these names, and writes some of them in a fetch or merge.
    is_own = name in ("@", "HEAD") or (_OWN.fullmatch(name) and (git.git_dir / name).is_file())
    if is_whole or is_own or _UPSTREAM.match(steps):
        return rev
    wanted = [name] if name.startswith("refs/") else [form.format(name) for form in _ORDER]
    found = [form for form, head in zip(wanted, headers(git, wanted), strict=True) if head]
    if name.startswith("refs/") and not found:
        hint = "run git for-each-ref to list them"
        raise GitError(f"reference {name!r} does not exist in this repository", hint)
    if found == [f"refs/tags/{name}"]:  # the clone might lack a local branch of this name
        listed = git.check("for-each-ref", "--format=%(refname)", f"refs/remotes/*/{name}")
        found += listed.decode("utf-8", "replace").split()
        if not (found[1:] or git.check("for-each-ref", "--count=1", "refs/heads", "refs/remotes")):
            hint = f"fetch the intended branch, or write refs/tags/{rev}"
            raise UsageError(f"{rev!r} is a tag, and this clone has no branches", hint)
    is_begin = found and _HEX.fullmatch(name) and git.check("rev-parse", f"--disambiguate={name}")
    commits = [f"the commits {name}…"] if is_begin else []
    if len(found) + len(commits) > 1:
        hint = f"write {article_list(f'{form}{steps}' for form in found)}, or {'the whole' if commits else 'a'} commit ID"
        raise UsageError(f"{rev!r} is ambiguous: {article_list([*found, *commits], 'and')}", hint)
    return f"{found[0]}{steps}" if found else rev


def _parted(rev: str) -> tuple[str, str]:
    name = rev[: _end(_NAME, rev, 0)]
    upstream = _end(_UPSTREAM, rev, len(name))
    is_named = name or upstream > 0
    is_whole = _end(_STEPS, rev, upstream) == len(rev)
    if not is_named or not is_whole or _WRONG.match(name) or not rev.isprintable():
        raise UsageError(f"{rev!r} is not a revision", _HINT)
    return name, rev[len(name) :]


def _end(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found is not None else at


# Enough for a path and a few words.
_MAX_NAMING = 1 << 16


def shown_branch(git: GitProcess) -> str:
    """Return the branch that HEAD names, even without commits. Empty for a detached HEAD."""
    text = small_text(git.git_dir / "HEAD")
    name = text.removeprefix("ref: refs/heads/")
    if name == ".invalid":  # another reference format, which only Git can read
        return git.run("symbolic-ref", "--quiet", "--short", "HEAD").out.decode().strip()
    return name if name != text else ""


def require_not_checked_out(git: GitProcess, branch: str) -> None:
    """Raise UsageError if another work tree has the branch checked out, and would become outdated."""
    own, common = git.git_dir.resolve(), process.common_folder(git).resolve()
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
        message = (
            f"branch {branch} is checked out in another work tree, which would become outdated"
        )
        hint = f"pass --repo {place}; if that work tree was deleted, run git worktree prune"
        raise UsageError(message, hint)


def small_text(path: Path) -> str:
    """Return the text of a small file in a repository, whatever its content."""
    with path.open("rb") as file:
        return file.read(_MAX_NAMING).decode("utf-8", "replace").replace("\0", "\ufffd").strip()
