"""Remotes and proposal branches."""

import os
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from urllib.parse import quote, unquote, urlsplit

from msgspec import Struct

from reconciler.gitio import files, objects, remote_state
from reconciler.gitio.history import is_in, plan_commits
from reconciler.gitio.interface import Revision, root_folder
from reconciler.gitio.process import GitProcess, Setting, failure, guarded, read_configuration
from reconciler.gitio.repository import URL, Repository
from reconciler.model.change import Proposed
from reconciler.model.errors import GitError, LostRaceError, UsageError


class Remote(Struct, frozen=True):
    """URL or path that Git may contact, without credentials, and the `user:secret` of the URL."""

    url: str
    credentials: str = ""

    @property
    def folders(self) -> list[Path]:
        """Existing local folders of the remote. Without a server, Git reads them directly."""
        scheme, separator, _ = self.url.partition("://")
        if (separator and scheme != "file") or not (separator or self.url.startswith("/")):
            return []
        path = _path(self.url) if separator else self.url
        return [
            Path(place) for place in (path, f"{path}/.git", f"{path}.git") if os.path.lexists(place)
        ]


_FOLLOWED = ("branch", "remote")


def with_remote(repository: Repository) -> Repository:
    """Return the checkout with the remote that its branch follows, or `origin`, if any."""
    # A bare repository is authoritative, regardless of its origin.
    objects.check_branch(repository.branch)
    settings = read_configuration(repository.git)
    branches = {it.between: it.value for it in settings if (it.section, it.variable) == _FOLLOWED}
    named = branches.get(repository.branch, "origin")
    is_alone = repository.worktree is None or named == "."
    remote = None if is_alone else _named(repository, settings, named)
    git = guarded(repository.git, settings)
    repository = replace(repository, git=git)
    if remote is None or repository.is_checked_out:
        objects.require_not_checked_out(git, repository.branch)
    if repository.worktree is None or remote is None:
        return repository
    return replace(
        repository,
        remote=remote.url,
        git=_remotes_reaching(repository, remote),
        followed=f"refs/remotes/{named}/{repository.branch}",
    )


def bringing(repository: Repository) -> Repository:
    """Return the clone with on-demand fetching of objects that a partial clone lacks."""
    git = replace(repository.git, brings=partial(bring, repository))
    return replace(repository, git=git)


def bring(repository: Repository, oids: Sequence[str]) -> None:
    """Fetch missing objects from the promisor remote, or raise GitError or UsageError."""
    settings = read_configuration(repository.git)
    name = objects.promisor(settings)
    if (remote := _named(repository, settings, name)) is None:
        message = f"remote {name}, which has the objects that a filter excluded, does not exist"
        raise GitError(message, "run git remote add, or clone without a filter")
    guards = replace(repository, git=guarded(repository.git, settings))
    remote_state.fetch_objects(_remotes_reaching(guards, remote), remote.url, oids)


def open_mirror(
    remote: str, cache: Path, environment: Mapping[str, str], branch: str | None, root: str | None
) -> Repository:
    """Open or create a bare mirror of a remote in the cache folder, by default at the top."""
    checked = check_remote(remote)
    branch = objects.check_branch(branch) if branch is not None else None
    git_dir = cache / "remotes" / f"{sha256(checked.url.encode()).hexdigest()[:32]}.git"
    for folder in (cache, git_dir.parent, git_dir):
        if why := files.refusal(folder):
            hint = (
                "delete the folder, run chmod 700 on it, or set another cache with XDG_CACHE_HOME"
            )
            raise GitError(f"the cache is not used: {why}", hint)
    git = GitProcess(
        git_dir, environment, credentials=checked.credentials, root=root_folder(root or "")
    )
    if not os.path.isfile(git_dir / "HEAD"):  # noqa: PTH113 - False if unreadable
        make_mirror(git, cache, checked.url)
    if branch is None:
        shown = remote_state.list_remote(git, checked.url, "HEAD").get("ref: HEAD", "main")
        branch = objects.check_branch(shown.removeprefix(remote_state.HEADS))
    return Repository(git, branch, checked.url, is_mirror=True)


def _remotes_reaching(repository: Repository, remote: Remote) -> GitProcess:
    own = (repository.worktree or repository.git.git_dir, repository.git.git_dir)
    _require_apart(remote.folders, own)
    return replace(repository.git, credentials=remote.credentials)


def _require_apart(folders: Sequence[Path], own: Sequence[Path]) -> None:
    """Refuse to serve a folder of the repository: Git obeys its configuration and hooks."""
    around = [path for folder in own for path in (folder, folder.resolve())]
    for folder in folders:
        for place in (Path(os.path.normpath(folder)), folder.resolve()):
            if any(place.is_relative_to(it) or it.is_relative_to(place) for it in around):
                why = f"the configured remote is a folder inside the repository: {folder}"
                raise UsageError(why, f"pass --remote {folder}, if you trust its hooks")


def _named(repository: Repository, settings: Sequence[Setting], name: str) -> Remote | None:
    urls = {it.between: it.value for it in settings if (it.section, it.variable) == URL}
    if not (url := urls.get(name, "")):
        return None
    if "://" not in url and not Path(url).is_absolute():
        beside = (repository.worktree or repository.git.git_dir) / url
        url = str(beside) if beside.is_dir() else url
    return check_remote(url)


_SCP = re.compile(r"[A-Za-z0-9._-]+@[A-Za-z0-9.-]+:[^-].*", re.ASCII)
# URLs and paths that cannot contain a password.
_HARMLESS = re.compile(r"[A-Za-z0-9._/+~-]{1,200}|[a-z]{1,8}::[^@]{0,100}", re.ASCII)
_SCHEME = re.compile(r"[a-z+]{1,10}", re.ASCII)
_SCHEMES = ("https", "ssh", "file")
_LOOPBACK = ("127.0.0.1", "localhost", "::1")
_ALLOWED = "use an https, ssh, or file URL, or a path"
_NO_PASSWORD = "remove it; use a key for ssh, or IPAM_GIT_TOKEN for https"  # noqa: S105 - words  # nosec B105


def check_remote(remote: str) -> Remote:
    """Return a permitted remote (https, ssh, or file), or raise UsageError."""
    if remote.startswith("-") or not remote.isprintable() or "::" in remote.partition("/")[0]:
        raise UsageError(f"{_shown(remote)} is not a remote", _ALLOWED)
    if "://" not in remote:
        if _SCP.fullmatch(remote):
            return Remote(remote)
        path = Path(remote)
        if os.path.isdir(path):  # noqa: PTH112 - a name that is too long is none, and no error
            return Remote(str(path.resolve()))
        raise UsageError(f"{_shown(remote)} is neither a URL nor a folder", _ALLOWED)
    return _checked_url(remote)


def _checked_url(remote: str) -> Remote:
    try:
        parts = urlsplit(remote)
        host, _ = parts.hostname or "", parts.port
    except ValueError:
        raise UsageError(f"{_shown(remote)} is not a URL", _ALLOWED) from None
    if parts.scheme not in _SCHEMES and not (parts.scheme == "http" and host in _LOOPBACK):
        allowed = "use https, ssh, or file; plain http exposes the token and the plan"
        named = repr(parts.scheme) if _SCHEME.fullmatch(parts.scheme) else "(not shown)"
        raise UsageError(f"scheme {named} of the remote is not allowed", allowed)
    if host.startswith("-") or (parts.username or "").startswith("-"):
        raise UsageError(f"{_shown(remote)} starts its host or user with -", _ALLOWED)
    if parts.scheme not in ("http", "https"):
        if parts.password is not None or (parts.scheme == "file" and "@" in parts.netloc):
            raise UsageError(
                f"the {parts.scheme} URL of the remote contains a password", _NO_PASSWORD
            )
        # Links and `/proc/self` can differ between processes.
        resolved = f"file://{quote(str(Path(_path(remote)).resolve()))}"
        return Remote(resolved if parts.scheme == "file" else remote)
    # An @ in the path can follow a password with a slash, which then would not be redacted.
    if parts.query or parts.fragment or "@" in parts.path:
        raise UsageError("the URL of the remote has an @, ?, or # after its host", _NO_PASSWORD)
    about, separator, place = parts.netloc.rpartition("@")
    if not separator:
        return Remote(remote)
    # Other users can read process arguments, so the login is passed through the environment.
    user, _, secret = about.partition(":")
    return Remote(parts._replace(netloc=place).geturl(), f"{unquote(user)}:{unquote(secret)}")


def _path(url: str) -> str:
    return f"/{unquote(url.partition('://')[2].partition('/')[2])}"


def _shown(remote: str) -> str:
    if _HARMLESS.fullmatch(remote):
        return repr(remote)
    return "the remote (not shown, because it might contain a password)"


def make_mirror(git: GitProcess, folder: Path, remote: str) -> None:
    """Create a bare repository of the remote's object format, moved into place: runs can race."""
    place = git.git_dir.parent
    try:
        files.make(folder)
        files.make(place)
        with TemporaryDirectory(dir=place) as scratch:
            made = Path(scratch) / "mirror.git"
            made.mkdir(mode=0o700)
            there = replace(git, git_dir=made)
            oids = remote_state.list_remote(there, remote, f"{remote_state.HEADS}*").values()
            is_sha256 = any(len(oid) == 64 for oid in oids)
            ids = f"--object-format={'sha256' if is_sha256 else 'sha1'}"
            there.check("init", "--bare", "--quiet", "--template=", ids, str(made))
            try:
                made.rename(git.git_dir)
            except OSError:
                if not (git.git_dir / "HEAD").is_file():
                    raise
    except OSError as error:
        hint = "make this folder writable, or set another one with XDG_CACHE_HOME"
        message = f"cannot create a mirror in {place}: {error.strerror or error}"
        raise GitError(message, hint) from error


def branch_head(repository: Repository) -> str:
    """Return the id of the branch's head, at the remote if there is one, without fetching it."""
    if repository.remote is not None:
        return remote_state.remote_head(repository.git, repository.remote, repository.branch)
    found = objects.find_revision(repository.git, f"refs/heads/{repository.branch}")
    if found is None:
        raise GitError(f"branch {repository.branch} does not exist in this repository")
    return found.id


class RepositoryProbe:
    """Repository to diagnose, opened at the first use. A checkout has its remote."""

    def __init__(
        self, open_repository: Callable[[], Repository], environment: Mapping[str, str]
    ) -> None:
        self._open = open_repository
        self._environment = environment

    @cached_property
    def repository(self) -> Repository:
        """The repository."""
        repository = self._open()
        if repository.is_mirror:
            return repository
        try:
            return with_remote(repository)
        except UsageError as wrong:
            raise GitError(str(wrong), wrong.hint) from wrong

    def version(self) -> str:
        """Return the version of Git, such as `2.43.0`."""
        version = GitProcess(Path(os.sep), self._environment).check("version").decode()
        return version.removeprefix("git version ").split(" ")[0]

    def title(self) -> str:
        """Return the kind of repository, and its branch."""
        it = self.repository
        local = "a checkout" if it.worktree is not None else "a bare repository"
        return f"{'a mirror of the remote' if it.is_mirror else local}, branch {it.branch}"

    def remote_head(self) -> str | None:
        """Return the id of the branch's head at the remote, or None without a remote."""
        repository = self.repository
        if repository.remote is None:
            return None
        if repository.is_mirror:
            return repository.fetch().id
        return remote_state.remote_head(repository.git, repository.remote, repository.branch)

    def find(self, oid: str | None) -> Revision | None:
        """Return a commit by its id, or the local head of the branch. None if it is missing."""
        repository = self.repository
        local = f"refs/heads/{repository.branch}"
        here = f"refs/ipam/remote/{repository.branch}" if repository.is_mirror else local
        repository.seen.local = objects.find_revision(repository.git, local)
        return objects.find_revision(repository.git, oid or here)

    def check_push(self, revision: Revision) -> None:
        """Refuse a remote, or a repository, that does not accept commits. Nothing is sent."""
        repository = self.repository
        folder = repository.git.git_dir
        if repository.remote is not None:
            remote_state.try_push(repository.git, repository.remote, repository.branch, revision)
            folder = Path(repository.remote.removeprefix("file://"))
        inside = [path for path in (folder, folder / ".git") if (path / "objects").is_dir()]
        if any(not os.access(path / "objects", os.W_OK) for path in inside):
            raise GitError(f"{folder} is not writable", "give the user of ipam write permission")


def open_proposing(repository: Repository, name: str) -> "ProposingBranch":
    """Open the proposal branch in the same remote."""
    git, remote = repository.git, repository.remote
    if objects.check_branch(name) == repository.branch:
        message = f"--to-branch {name} is the branch that ipam reconciles"
        raise UsageError(message, "pass another branch")
    if remote is None:
        objects.require_not_checked_out(git, name)
        if repository.worktree is not None and objects.shown_branch(git) == name:
            message = f"branch {name} is checked out here, and ipam would replace it"
            raise UsageError(message, f"git switch {repository.branch}")
    return ProposingBranch(git, remote, name)


class ProposingBranch(Struct, frozen=True):
    """Branch of the pull request that ipam opens, in a remote or in this repository itself."""

    git: GitProcess
    remote: str | None
    name: str

    def bring(self, base: Revision, revision: Revision | None) -> Proposed:
        """Set the branch to the commits that reconcile would publish on `base`, or raise GitError."""
        old = self._seen()
        if revision is None and (not old or is_in(self.git, old, base.id)):
            return Proposed.NONE
        if old and revision is not None:
            is_same = (
                len({objects.read_commit(self.git, it).tree for it in (old, revision.id)}) == 1
            )
            if is_same and is_in(self.git, base.id, old):
                return Proposed.UNCHANGED
        if old:
            self._require_ours(old, base)
        self._move(old, revision.id if revision is not None else "")
        return Proposed.DELETED if revision is None else Proposed.PUSHED

    def checked(self, base: Revision) -> str:
        """Return the head of the branch, empty for none. Raises ReconcilerError if it is blocked."""
        if self.remote is not None:
            remote_state.require_free(
                remote_state.list_remote(self.git, self.remote), self.remote, self._reference
            )
        if old := self._seen():
            self._require_ours(old, base)
        return old

    @property
    def _reference(self) -> str:
        return f"refs/heads/{self.name}"

    def _seen(self) -> str:
        git, remote, name = self.git, self.remote, self._reference
        if remote is None:
            return git.run("rev-parse", "--verify", "--quiet", name).out.decode("ascii").strip()
        seen = remote_state.list_remote(git, remote, name).get(name, "")
        if seen and git.run("cat-file", "-e", f"{seen}^{{commit}}").status != 0:
            remote_state.fetch_reference(git, remote, name)
        return seen

    def _require_ours(self, old: str, base: Revision) -> None:
        made = frozenset(plan_commits(self.git, old, [base.id]))
        commits = self.git.words("rev-list", "--no-merges", old, f"^{base.id}")
        other = next((commit for commit in commits if commit not in made), "")
        if other:
            message = (
                f"branch {self.name} has commit {other[:12]}, which ipam reconcile did not make"
            )
            drop = remote_state.deleting(self.remote or "", [self._reference])
            hint = f"merge the branch, pass another one with --to-branch, or delete it: {drop}"
            raise UsageError(message, hint)

    def _move(self, old: str, new: str) -> None:
        if self.remote is not None:
            remote_state.push_reference(self.git, self.remote, self._reference, old, new)
            return
        how = (self._reference, new, old or "0" * 40) if new else ("-d", self._reference, old)
        result = self.git.run("update-ref", *how)
        if result.status == 0:
            return
        if self._seen() != old:
            raise LostRaceError(f"branch {self.name} moved during planning")
        raise failure(
            "update-ref", result, f"check that Git permits the branch name {self.name} here"
        )
