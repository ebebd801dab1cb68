"""Which repository a path or URL means: a checkout, a bare one, or a mirror in the cache."""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from reconciler.adapters.git.fetch import default_branch
from reconciler.adapters.git.process import GitProcess
from reconciler.adapters.git.remote import check_branch, check_remote
from reconciler.adapters.git.repository import GitRepository
from reconciler.adapters.git.worktree import WorktreeSource
from reconciler.ports import GitError, UsageError


def open_repository(
    path: Path, environment: Mapping[str, str], branch: str | None = None
) -> GitRepository:
    """The repository at a path: a bare one, or the one that a checkout belongs to.

    Args:
        path: Folder.
        environment: What git may know of the environment.
        branch: Branch to work on; else the one that is checked out.

    Raises:
        UsageError: There is no such folder.
        GitError: It is no Git repository.
    """
    if not path.is_dir():
        raise UsageError(f"{path} is not a folder", "name a Git repository with --repo")
    path = path.resolve()
    git_dir, worktree = _locate(path)
    git = GitProcess(git_dir, environment)
    head = _head(git)
    name = check_branch(branch or head or "main")
    return GitRepository(git, name, None, worktree, worktree is not None and head == name)


def with_remote(repository: GitRepository) -> GitRepository:
    """The checkout with the remote that its branch follows, or `origin`, if it has one.

    A bare repository is the truth itself, wherever it was cloned from.
    """
    if repository.worktree is None:
        return repository
    pattern = r"^(branch\..*\.remote|remote\..*\.url)$"
    listed = repository.git.run("config", "--null", "--get-regexp", pattern).out.decode()
    configured = dict(item.partition("\n")[::2] for item in listed.split("\0"))
    named = configured.get(f"branch.{repository.branch}.remote", "origin")
    url = configured.get(f"remote.{named}.url", "")
    if not url or named == ".":
        return repository
    if "://" not in url and not Path(url).is_absolute():
        beside = repository.worktree / url
        url = str(beside) if beside.is_dir() else url
    remote = check_remote(url)
    return replace(
        repository,
        remote=remote.url,
        git=remote.reached_by(repository.git),
        followed=f"refs/remotes/{named}/{repository.branch}",
    )


def open_mirror(
    remote: str, cache: Path, environment: Mapping[str, str], branch: str | None = None
) -> GitRepository:
    """A bare mirror of a remote in the cache folder; made when it is not there.

    Raises:
        GitError: The remote cannot be reached, or the cache not be written.
    """
    checked = check_remote(remote)
    name = check_branch(branch) if branch is not None else None
    git_dir = cache / "remotes" / f"{sha256(checked.url.encode()).hexdigest()[:32]}.git"
    git = checked.reached_by(GitProcess(git_dir, environment))
    if not (git_dir / "HEAD").is_file():
        _make_mirror(git)
    if name is None:
        name = check_branch(default_branch(git, checked.url))
    return GitRepository(git, name, checked.url, is_mirror=True)


def open_worktree(repository: GitRepository, root: Path) -> WorktreeSource:
    """The work tree of a checkout, with what HEAD holds (nothing before the first commit)."""
    if repository.worktree is None:
        raise UsageError(f"{root} has no work tree", "leave --worktree out")
    try:
        head = repository.source("HEAD")
    except GitError:
        return WorktreeSource(repository.worktree, None)
    return WorktreeSource(repository.worktree, head)


def _make_mirror(git: GitProcess) -> None:
    """Make a bare repository beside its place and move it there: two runs may begin at once."""
    folder = git.git_dir.parent
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with TemporaryDirectory(dir=folder) as scratch:
            made = Path(scratch) / "mirror.git"
            made.mkdir(mode=0o700)
            replace(git, git_dir=made).check("init", "--bare", "--quiet", "--template=", str(made))
            try:
                made.rename(git.git_dir)
            except OSError:
                if not (git.git_dir / "HEAD").is_file():
                    raise
    except OSError as error:
        hint = "make that folder writable, or name another with XDG_CACHE_HOME"
        message = f"cannot make a mirror in {folder}: {error.strerror or error}"
        raise GitError(message, hint) from error


def _head(git: GitProcess) -> str:
    """The branch that HEAD names, whether it has a commit or not; empty when it names none."""
    text = (git.git_dir / "HEAD").read_text(encoding="utf-8").strip()
    name = text.removeprefix("ref: refs/heads/")
    if name == ".invalid":  # another format of references, which only git reads
        return git.run("symbolic-ref", "--quiet", "--short", "HEAD").out.decode().strip()
    return name if name != text else ""


def _locate(path: Path) -> tuple[Path, Path | None]:
    """The repository's own folder, and its work tree if it has one.

    By hand and not by git's discovery: with a bare repository that is not named git would have to
    trust what it finds.
    """
    if (path / "HEAD").is_file() and (path / "objects").is_dir():
        return path, path.parent if path.name == ".git" else None
    for folder in (path, *path.parents):
        inner = folder / ".git"
        if (inner / "HEAD").is_file():
            return inner, folder
        if inner.is_file():
            text = inner.read_text(encoding="utf-8").strip()
            target = Path(text.removeprefix("gitdir: "))
            return (target if target.is_absolute() else (folder / target).resolve()), folder
    raise GitError(f"{path} is not a Git repository", "git init, or name one with --repo")
