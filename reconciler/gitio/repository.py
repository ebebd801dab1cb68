"""Repository that plans are read from, and that reconcile writes."""

import fcntl
import logging
import os
import shutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from msgspec import Struct

from reconciler.gitio import history, interface, objects, remote_state
from reconciler.gitio.incoming import MAX_FILES, unusable
from reconciler.gitio.interface import Changed, Commit, Made, Parsed, Revision, RootFolder
from reconciler.gitio.objects import Tally
from reconciler.gitio.process import GitProcess, discover, failure, guarded, read_configuration
from reconciler.gitio.remote_state import HEADS, LastSeen, RemoteHead
from reconciler.gitio.revision import GitSource, clock_of
from reconciler.gitio.worktree import Checkout, WorktreeSource
from reconciler.model.errors import GitError, LostRaceError, ReconcilerError, UsageError
from reconciler.model.settings import PATH as SETTINGS
from reconciler.model.settings import Limits

OLD = 60.0
"""Age in seconds of a stale Git lock. Git holds each lock only for moments."""
# Number of loose objects in one of 256 folders, or of packs, at which a mirror is packed.
LOOSE = 16
PACKS = 40

_NO_REPOSITORY = "pass --repo DIR or ipam -C DIR, or run ipam init DIR to create one"
_log = logging.getLogger(__name__)


def _no_commit(_repository: "Repository", _revision: str) -> str:
    return ""


@dataclass(frozen=True, slots=True)
class Repository:
    """Git repository, and the branch that is reconciled.

    Attributes:
        remote: URL or path that commits are pushed to, or None if this repository is authoritative.
        is_mirror: Whether ipam owns the repository and packs it.
        now: The machine's clock, used only to detect committer dates in the future.
        leads: Returns the newest reconcile commit in the history of a revision.
    """

    git: GitProcess
    branch: str
    remote: str | None = None
    worktree: Path | None = None
    is_checked_out: bool = False
    followed: str = ""
    is_mirror: bool = False
    seen: LastSeen = field(default_factory=LastSeen, compare=False)
    now: Callable[[], float] = field(default=time.time, compare=False)
    leads: "Callable[[Repository, str], str]" = field(default=_no_commit, compare=False)
    parsed: Parsed = field(default_factory=Parsed, compare=False)

    def source(self, rev: str) -> GitSource:
        """Return the files of a named revision. Raises UsageError if the name is ambiguous."""
        revision = history.named(self.git, rev)
        clock = clock_of(self.git, revision, self.now())
        return GitSource(self.git, revision, clock, partial(self.leads, self), self.parsed)

    def resolve(self, rev: str) -> Revision:
        """Return the commit that a name means."""
        return history.named(self.git, rev)

    def made(self, rev: str) -> Made:
        """Return the commit object of a revision."""
        return objects.read_commit(self.git, objects.whole_name(self.git, rev))

    def changed(
        self, base: str, rev: str, paths: Sequence[str] = (), limits: Limits | None = None
    ) -> tuple[list[Changed], bool]:
        """Return files changed since the merge base, and whether `rev` contains all of `base`."""
        return history.changed_since(self.git, base, rev, paths, limits or Limits())

    def unusable(self, base: str, rev: str) -> Iterator[tuple[str, str, str]]:
        """Yield path, commit, and reason of unusable objects that `base` lacks; see `unusable`."""
        return unusable(self.git, base, rev)

    @property
    def root(self) -> str:
        """The path of the root folder, empty for the top of the repository."""
        return self.git.root.path

    def dropped_files(self, base: str, rev: str) -> Iterator[str]:
        """Yield files outside the root that `rev` drops from `base`; the top includes its own."""
        tally = Tally(f"all of {rev[:12]}", Limits(files=MAX_FILES))
        trees = (objects.read_commit(self.git, base).tree, objects.read_commit(self.git, rev).tree)
        changed, _ = objects.differences(self.git, trees, (), tally)
        gone = (it.path for it in changed if it.new is None)
        root = self.git.root
        return (path for path in gone if not root.path or not root.holds(path))

    def other_roots(self, revision: str, without: Sequence[str] = ()) -> Iterator[tuple[str, str]]:
        """Yield other roots with the oldest commit (unverified) that has their plan line."""
        return history.other_roots(self.git, revision, without)

    def alone(self) -> AbstractContextManager[None]:
        """Lock the repository against other runs, and remove old Git locks of a mirror."""
        return alone(self.git.git_dir, self.now if self.is_mirror else None)

    def fetch(self) -> Revision:
        """Return the newest revision of the branch, fetched from the remote if there is one."""
        self.git.reader.forget()
        local = f"refs/heads/{self.branch}"
        head = local
        if self.remote is not None:
            head = self._tracking
            truth = self.default_branch()  # first: the branch must contain its commit
            remote_state.fetch(self.git, self.remote, self.branch, head, truth)
        revision = objects.find_revision(self.git, head)
        self.seen.local = objects.find_revision(self.git, local)
        if revision is None:
            hint = "create a first commit, or choose another branch with --branch"
            raise GitError(f"branch {self.branch} does not exist in this repository", hint)
        objects.require_root(self.git, revision.id)
        return revision

    @property
    def last_reference(self) -> str:
        """The reference, at the remote if there is one, that names the last reconciled head."""
        return self.git.root.reference(remote_state.LAST)

    def default_branch(self) -> interface.DefaultBranch:
        """Return the authoritative branch if Settings name none, and the reason."""
        # The first of: HEAD of the remote or bare repository, the only branch, the last reconciled.
        if self.remote is not None:
            return remote_state.default_there(self._ask(self.remote))
        return remote_state.default_here(self.git, is_bare=self.worktree is None)

    def references(self) -> Mapping[str, str]:
        """Return ids by reference of `ipam`, at the remote if there is one. It is queried once."""
        if self.remote is not None:
            return self._ask(self.remote).references
        out = self.git.check("for-each-ref", "--format=%(refname) %(objectname)", remote_state.IPAM)
        return dict(it.split(" ") for it in out.decode("utf-8", "replace").splitlines())

    def fetch_last(self, last: str) -> Revision | None:
        """Return the last reconciled commit, fetched if needed, or None if it is not a commit."""
        found = objects.find_revision(self.git, last)
        if found is None and history.is_shallow(self.git):
            message = f"the clone is too shallow: it lacks the last reconciled commit {last}"
            raise GitError(message, history.DEEPEN)
        if found is None and self.remote is not None:
            remote_state.fetch_reference(self.git, self.remote, self.last_reference)
            found = objects.find_revision(self.git, last)
        return found

    def remember(self, revision: Revision) -> None:
        """Record a reconciled head. Never fail, and never move the reference backwards."""
        if self.remote is not None:
            known = self._ask(self.remote)
            self.seen.remote = remote_state.note_reconciled(self.git, self.remote, revision, known)
            return
        if self.worktree is not None and not self.seen.is_marked:
            truth = self.git.root.reference(remote_state.TRUTH)
            self.git.run("symbolic-ref", truth, f"{HEADS}{self.branch}")
            self.seen.is_marked = True
        old = self.references().get(self.last_reference, "0" * len(revision.id))
        if old != revision.id:
            self.git.run("update-ref", self.last_reference, revision.id, old)

    def _ask(self, remote: str) -> RemoteHead:
        if self.seen.remote is None:
            self.seen.remote = remote_state.ask_remote(self.git, remote)
        return self.seen.remote

    @property
    def remote_name(self) -> str:
        """The name of the remote, or its URL. Empty if the repository has none."""
        return self.followed.split("/")[2] if self.followed else self.remote or ""

    def below(self, root: str) -> "Repository":
        """Return the same repository with another root."""
        git = replace(self.git, root=RootFolder(root))
        return replace(self, git=git, seen=LastSeen(), leads=_no_commit)

    def accepting(self, revision: str) -> list[str]:
        """Return the commits up to a revision that accept a rewritten history, newest first."""
        return self.git.words("rev-list", "--grep=^Ipam-Accepts: ", "--max-parents=1", revision)

    def is_in(self, ancestor: str, revision: str) -> bool:
        """Report whether a revision contains another. Raise a `GitError` if this is unknown."""
        return history.is_in(self.git, ancestor, revision)

    def require_pushed(self, revision: Revision, accepted: str = "") -> None:
        """Refuse a checkout with commits that neither the remote head nor `accepted` contains."""
        local, heads = self.seen.local, [it for it in (revision.id, accepted) if it]
        if local is None or self.worktree is None:
            return
        if any(history.holds(self.git, it, local.id) for it in heads):
            return
        message = f"branch {self.branch} of this checkout has commits that are not on the remote"
        hint = "run git push (or git reset) first; ipam reconcile uses the commits of the remote"
        raise UsageError(message, hint)

    def has_branch(self, branch: str) -> bool:
        """Report whether a branch is known, here or at a remote."""
        names = f"refs/heads/{branch}", f"refs/remotes/*/{branch}"
        return self.git.check("for-each-ref", "--count=1", *names) != b""

    def is_shallow(self) -> bool:
        """Report whether the clone is shallow."""
        return history.is_shallow(self.git)

    def first_commit(self, revision: str) -> str:
        """Return the first commit of first parents; empty in a shallow clone."""
        how = ("rev-list", "--first-parent", "--max-parents=0", revision, "--")
        return "" if self.is_shallow() else self.git.words(*how)[-1]

    def plan_commits(self, revision: str, without: Sequence[str] = ()) -> Iterator[str]:
        """Yield the reconcile commits of this root that `without` lacks, newest first."""
        return history.plan_commits(self.git, revision, without)

    def bases_of(self, revision: str, among: Iterable[str]) -> list[str]:
        """Return known ancestors of a revision, none in a shallow clone."""
        bases = self.git.reader.bases
        return [] if self.is_shallow() else [it for it in among if bases.get((it, revision)) == it]

    def changes_only(self, commit: str, folders: Sequence[str]) -> bool:
        """Report whether a commit changes at least one file, and no file outside some folders."""
        made = objects.read_commit(self.git, commit)
        old = objects.read_commit(self.git, made.parents[0]).tree if made.parents else ""
        tally = Tally(f"commit {commit[:12]}")
        changed, _ = objects.differences(self.git, (old, made.tree), (), tally)
        inside = tuple(f"{folder}/" for folder in self.git.root.inside(folders))
        return bool(changed) and all(it.path.startswith(inside) for it in changed)

    def nearest(self, commits: Sequence[str], revision: str) -> str:
        """Return the commit that no other commit contains, or the nearest; empty if there is none."""
        how = ("merge-base", "--independent", *commits)
        tips = self.git.words(*how) if len(commits) > 1 else commits

        def distance(commit: str) -> tuple[int, str]:
            how = ("rev-list", "--first-parent", "--count", revision, f"^{commit}")
            return int(self.git.check(*how)), commit

        return min(tips, key=distance) if len(tips) > 1 else next(iter(tips), "")

    def touching(self, revision: str, without: str, paths: Sequence[str], most: int) -> list[str]:
        """Return the newest commits between two revisions that changed some paths."""
        how = ("rev-list", "--full-history", f"--max-count={most}", revision)
        but = (f"^{without}",) if without else ()
        return self.git.words(*how, *but, "--", *self.git.root.inside(paths))

    def is_whole(self, revision: str, without: Sequence[str] = ()) -> bool:
        """Report whether all commits up to a revision are here, except ancestors of `without`."""
        reach = (revision, *(f"^{it}" for it in without))
        return not history.cut_off(self.git, self.git.words("rev-list", *reach))

    def require_clean(self, folders: Sequence[str], target: Revision) -> None:
        """Refuse uncommitted changes that are not in the target, and untracked files in `folders`."""
        if (checkout := self._checkout) is not None:
            checkout.require_clean(folders, target)

    def commit(self, commit: Commit) -> Revision:
        """Create a commit without an index, work tree, hook, or remaining reference."""
        clock = commit.base.clock + 1
        name, email = commit.committer
        stream = b"".join(_stream(self.git, commit, f"{name} <{email}> {clock} +0000"))
        how = ("fast-import", "--quiet", "--date-format=raw", "--force")
        revision = Revision(self.git.check(*how, data=stream).decode("ascii").strip(), clock)
        return _signed(self.git, commit, revision) if commit.sign else revision

    def publish(self, base: Revision, revision: Revision) -> None:
        """Move the branch, first at the remote. Raises LostRaceError if it is not at the base."""
        if self.remote is not None:
            try:
                reference = f"{HEADS}{self.branch}"
                remote_state.push_reference(self.git, self.remote, reference, base.id, revision.id)
            except LostRaceError:
                # Another run made the identical commit, or an earlier push succeeded.
                if self.fetch().id != revision.id:
                    raise
        self.follow(revision)

    def follow(self, revision: Revision) -> None:
        """Update this repository, and its checkout, to a published revision."""
        local, checkout = self.seen.local, self._checkout
        lines = []
        if local not in (None, revision) and (self.remote is None or checkout is not None):
            if checkout is not None:
                checkout.follow(local, revision)
            lines.append(f"update refs/heads/{self.branch} {revision.id} {local.id}")
        if self.remote is not None:
            # As `git push` does. Otherwise, a later `--base origin/main` would be outdated.
            lines += [f"update {it} {revision.id}" for it in (self._tracking, self.followed) if it]
        if lines:
            self._move(lines, revision)

    def tidy(self) -> None:
        """Pack a mirror with many loose objects. Never fail: only later runs benefit."""
        folder = self.git.git_dir / "objects"
        loose, packs = ([*folder.glob(it)] for it in ("17/*", "pack/*.pack"))
        if not self.is_mirror or (len(loose) < LOOSE and len(packs) < PACKS):
            return
        try:
            with self.alone():
                self.git.reader.close()
                result = self.git.run("gc", "--quiet")
                if result.status != 0:
                    raise failure("gc", result)
        except Exception as failed:  # noqa: BLE001 - the run itself has succeeded
            _log.warning("git gc of the mirror failed: %s", failed)

    @property
    def _checkout(self) -> Checkout | None:
        if self.worktree is None or not self.is_checked_out:
            return None
        return Checkout(self.git, self.worktree)

    @property
    def _tracking(self) -> str:
        return f"refs/ipam/remote/{self.branch}"

    def _move(self, lines: Sequence[str], revision: Revision) -> None:
        result = self.git.run("update-ref", "--stdin", data="\n".join([*lines, ""]).encode())
        if result.status == 0:
            return
        branch = f"refs/heads/{self.branch}"
        local = objects.find_revision(self.git, branch)
        if local == revision and any(branch in line for line in lines):
            # Another run already moved the branch to this revision.
            self._move([line for line in lines if branch not in line], revision)
            return
        if self.remote is None and local != self.seen.local:
            if self._checkout is not None and self.seen.local is not None:
                self._checkout.follow(revision, self.seen.local)  # undo the checkout
            raise LostRaceError(f"branch {self.branch} moved during planning")
        raise failure(
            "update-ref", result, "run the command again when no other Git command is running here"
        )


def open_repository(
    path: Path, environment: Mapping[str, str], branch: str | None = None, root: str | None = None
) -> Repository:
    """Open the bare repository at a path, or the repository of the checkout around it.

    The default branch is checked out. The default root is the nearest folder with Settings upwards,
    or the top.
    """
    if not path.is_dir():
        raise UsageError(f"{path} is not a folder", "pass a Git repository with --repo")
    path = path.resolve()
    git_dir, worktree = locate(path, environment)
    folder = interface.root_folder(root or "")
    if root is None and worktree is not None:
        folder = interface.found_root(path, worktree, SETTINGS)
    git = GitProcess(git_dir, environment, root=folder)
    shown = objects.shown_branch(git)
    # A repository that is only read does not need a branch name.
    name = objects.check_branch(branch) if branch else shown or "main"
    return Repository(
        git, name, worktree=worktree, is_checked_out=worktree is not None and shown == name
    )


def open_worktree(repository: Repository, root: Path) -> WorktreeSource:
    """Open the work tree of a checkout, compared with HEAD if it has a commit."""
    if repository.worktree is None:
        raise UsageError(f"{root} has no work tree", "omit --worktree")
    git = repository.git
    place = objects.require_place(git.root, repository.worktree)
    try:
        head = repository.source("HEAD")
    except GitError:
        head = None
    return WorktreeSource(place, head, git)


def open_revision(repository: Repository, rev: str) -> GitSource:
    """Open the files of a revision; raise GitError if it does not exist or the root is missing."""
    source = repository.source(rev)
    objects.require_root(repository.git, source.revision().id)
    return source


def ground(repository: Repository) -> Path | None:
    """Return the path of the root in the checkout, or None without a checkout."""
    top = repository.worktree
    return top / repository.git.root.path if top is not None else None


class NoRepositoryError(GitError):
    """The folder is not in a repository."""


def locate(path: Path, environment: Mapping[str, str]) -> tuple[Path, Path | None]:
    """Return the Git folder and work tree, or raise GitError (none, or of another user)."""
    folder = path.parent if path.name == ".git" else path
    is_bare = os.path.isfile(folder / "HEAD")  # noqa: PTH113 - False if unreadable
    is_bare = is_bare and not os.path.lexists(folder / ".git")
    found = discover(folder, environment, is_bare=is_bare)
    if "not a git repository" in found.err or "cannot use bare repository" in found.err:
        raise NoRepositoryError(f"{path} is not a Git repository", _NO_REPOSITORY)
    if found.status != 0:
        raise failure("rev-parse", found, _NO_REPOSITORY)
    git_dir, *up = os.fsdecode(found.out).splitlines()
    return Path(git_dir), (folder / up[0]).resolve() if up else None


def uncommitted(repository: Repository, paths: Sequence[str]) -> list[str]:
    """Return files that differ from HEAD, for display. Empty if Git fails or has no work tree."""
    if repository.worktree is None or not (repository.git.git_dir / "index").exists():
        return []
    try:
        return Checkout(guarded(repository.git), repository.worktree).uncommitted(paths)
    except (ReconcilerError, OSError):
        return []


_WORK = b"refs/ipam/work"
URL = ("remote", "url")


def _stream(git: GitProcess, commit: Commit, who: str) -> Iterable[bytes]:
    """Yield the fast-import stream of one commit. It deletes the reference that it needs."""
    message = git.root.signed(commit.message).encode()
    yield b"commit %s\nmark :1\nauthor %s\ncommitter %s\n" % (_WORK, who.encode(), who.encode())
    yield b"data %d\n%s\nfrom %s\n" % (len(message), message, commit.base.id.encode())
    for change in commit.changes:
        (inside,) = git.root.inside([change.path])
        # A leading quote would begin a quoted path.
        quoted = inside.replace('"', '\\"')
        path = (f'"{quoted}"' if inside.startswith('"') else inside).encode()
        if change.data is None:
            yield b"D %s\n" % path
        else:
            yield b"M 100644 inline %s\ndata %d\n%s\n" % (path, len(change.data), change.data)
    yield b"\nget-mark :1\nreset %s\nfrom %s\n\n" % (_WORK, b"0" * len(commit.base.id))


def signature(person: tuple[str, str], clock: int) -> dict[str, str]:
    """Return the variables that make a person the author and committer at a time."""
    values = {"NAME": person[0], "EMAIL": person[1], "DATE": f"{clock} +0000"}
    roles = "AUTHOR", "COMMITTER"
    return {f"GIT_{role}_{part}": it for role in roles for part, it in values.items()}


def _signed(git: GitProcess, commit: Commit, revision: Revision) -> Revision:
    key, form = commit.sign, "openpgp"
    # Git runs elsewhere: a file is named by its whole path.
    file = Path(os.path.expanduser(key))  # noqa: PTH111 - which leaves it as it is without a home
    if key.startswith("ssh-") or file.is_file():
        key, form = (key if key.startswith("ssh-") else str(file.resolve())), "ssh"
    result = git.run(
        "-c", f"gpg.format={form}", "commit-tree", f"-S{key}", "-p", commit.base.id,
        f"{revision.id}^{{tree}}", data=git.root.signed(commit.message).encode(),
        extra=signature(commit.committer, revision.clock),
    )  # fmt: skip
    if result.status != 0:
        hint = "pass a GPG key ID to --sign, or the path of an SSH key without a passphrase"
        raise GitError(f"cannot sign: {failure('commit-tree', result)}", hint)
    return Revision(result.out.decode("ascii").strip(), revision.clock)


_OURS = "ipam.lock"
_PLACES = ("*.lock", "refs/**/*.lock", "reftable/*.lock", "objects/info/**/*.lock",
           "objects/pack/*.lock", "../tmp*")  # fmt: skip
_PARTIAL = ("objects/pack/tmp_*", "objects/*/tmp_obj_*")


@contextmanager
def alone(git_dir: Path, now: Callable[[], float] | None = None) -> Iterator[None]:
    """Lock a folder. The system unlocks it after a kill. Without `now`, no Git lock is removed."""
    with (git_dir / _OURS).open("wb") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX)
        except OSError as error:
            # Some network file systems have no locks. The push of the branch is the decisive lock.
            _log.info("cannot lock %s: %s", git_dir, error)
            now = None
        else:
            if now is not None:
                _remove(git_dir, (*_PLACES, *_PARTIAL), now(), OLD)
        try:
            yield
        except BaseException:
            if now is not None:  # a full disk would leave more with each run
                _remove(git_dir, _PARTIAL, now(), 0)
            raise


def _remove(git_dir: Path, places: Iterable[str], now: float, age: float) -> None:
    for left in (it for place in places for it in git_dir.glob(place)):
        with suppress(OSError):
            # A file from the future was created before the clock was set back.
            if left.name != _OURS and abs(now - left.lstat().st_mtime) >= age:
                shutil.rmtree(left) if left.is_dir() else left.unlink()
                if age:
                    _log.warning("removed %s, left by a Git command that was killed", left)


def checkout_around(path: Path, environment: Mapping[str, str]) -> Path | None:
    """Return the checkout or bare repository around a folder, which need not exist, if any."""
    while not path.is_dir():
        path = path.parent
    try:
        git_dir, worktree = locate(path, environment)
    except NoRepositoryError:
        return None
    return worktree or git_dir


_ORIGIN = "refs/remotes/origin/"


class Site(Struct, frozen=True):
    """Folder for a new or existing repository, and the checkout around it, if any."""

    folder: Path
    repository: Repository | None

    @property
    def root(self) -> str:
        """The folder's path from the top of the checkout, empty for the top."""
        return self.repository.git.root.path if self.repository is not None else ""

    @property
    def top(self) -> Path:
        """The top of the checkout."""
        return self.repository.git.root.top(self.folder) if self.repository else self.folder

    @property
    def branch(self) -> str:
        """The default branch of origin as far as known, else the checked out one, else empty."""
        if self.repository is None:
            return ""
        found = self.repository.git.run("symbolic-ref", "--quiet", f"{_ORIGIN}HEAD")
        shown = found.out.decode("utf-8", "replace").strip().removeprefix(_ORIGIN)
        return shown or self.repository.branch

    def remotes(self) -> dict[str, str]:
        """Return the URLs of remotes by their names."""
        found = read_configuration(self.repository.git) if self.repository is not None else []
        return {it.between: it.value for it in found if (it.section, it.variable) == URL}


def find_site(folder: Path, environment: Mapping[str, str]) -> Site:
    """Return the site at a folder, which need not exist, or raise UsageError."""
    folder = folder.resolve()
    if folder.exists() and not folder.is_dir():
        raise UsageError(f"{folder} is not a folder", "choose an existing folder, or a new one")
    around = checkout_around(folder, environment)
    if around is None:
        return Site(folder, None)
    root = folder.relative_to(around).as_posix()
    repository = open_repository(around, environment, root=root)
    if repository.worktree is None:
        hint = "clone it, and run ipam init in the clone"
        raise UsageError(f"{folder} is a bare repository, which has no files", hint)
    for above in folder.parents:
        if above != around and around not in above.parents:
            break
        if (above / SETTINGS).exists():  # its files would belong to two roots
            hint = f"run ipam init {above}, or choose a folder outside of it"
            raise UsageError(f"{folder} is in {above}, which has its own {SETTINGS}", hint)
    return Site(folder, repository)


def make_repository(site: Site, environment: Mapping[str, str], branch: str) -> Site:
    """Create an empty repository with a branch without commits; raise OSError if not writable."""
    git_dir = site.folder / ".git"
    git_dir.mkdir(parents=True, exist_ok=True)
    git = GitProcess(git_dir, environment)
    git.check("init", "--quiet", "--template=", f"--initial-branch={branch}", str(site.folder))
    return Site(site.folder, open_repository(site.folder, environment))
