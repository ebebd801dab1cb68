"""Opening repositories: a checkout, a bare repository, or a mirror of a remote in the cache."""

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from pathlib import Path

from reconciler.adapters.git import GitRepository, check_branch, check_remote
from reconciler.adapters.git_process import GitProcess
from reconciler.adapters.worktree import WorktreeSource
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
    head = git.run("symbolic-ref", "--quiet", "--short", "HEAD").out.decode().strip()
    name = check_branch(branch or head or "main")
    return GitRepository(git, name, None, worktree, worktree is not None and head == name)


def with_remote(repository: GitRepository) -> GitRepository:
    """The repository with the remote that its branch follows, or `origin`, if it has one."""
    git = repository.git
    named = git.run("config", "--get", f"branch.{repository.branch}.remote").out.decode().strip()
    if named == ".":
        return repository
    url = git.run("config", "--get", f"remote.{named or 'origin'}.url").out.decode().strip()
    if not url:
        return repository
    if repository.worktree is not None and "://" not in url and not Path(url).is_absolute():
        beside = repository.worktree / url
        url = str(beside) if beside.is_dir() else url
    remote, loopback = check_remote(url)
    return replace(repository, remote=remote, git=replace(git, has_loopback_http=loopback))


def open_mirror(
    remote: str, cache: Path, environment: Mapping[str, str], branch: str | None = None
) -> GitRepository:
    """A bare mirror of a remote in the cache folder; made when it is not there.

    Raises:
        GitError: The remote cannot be reached.
    """
    remote, loopback = check_remote(remote)
    git_dir = cache / "remotes" / f"{sha256(remote.encode()).hexdigest()[:32]}.git"
    git = GitProcess(git_dir, environment, loopback)
    if not (git_dir / "HEAD").is_file():
        git_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
        git.check("init", "--bare", "--quiet", str(git_dir))
    if branch is None:
        out = git.run("ls-remote", "--symref", "--", remote, "HEAD", network=True)
        if out.status != 0:
            hint = "see that the remote is up and that you may read it"
            raise GitError(f"cannot reach the remote: {out.err.splitlines()[-1:]}", hint)
        first = out.out.decode("utf-8", "replace").partition("\t")[0]
        branch = first.removeprefix("ref: refs/heads/") if first.startswith("ref: ") else "main"
    return GitRepository(git, check_branch(branch), remote)


def open_worktree(repository: GitRepository, root: Path) -> WorktreeSource:
    """The work tree of a checkout, with the clock of HEAD (0 before the first commit)."""
    if repository.worktree is None:
        raise UsageError(f"{root} has no work tree", "leave --worktree out")
    try:
        clock = repository.resolve("HEAD").clock
    except GitError:
        clock = 0
    return WorktreeSource(repository.worktree, clock)


def _locate(path: Path) -> tuple[Path, Path | None]:
    """The repository's own folder, and its work tree if it has one.

    By hand and not by git's discovery: with a bare repository that is not named git would have to
    trust what it finds.
    """
    if (path / "HEAD").is_file() and (path / "objects").is_dir():
        return path, None
    for folder in (path, *path.parents):
        inner = folder / ".git"
        if (inner / "HEAD").is_file():
            return inner, folder
        if inner.is_file():
            text = inner.read_text(encoding="utf-8").strip()
            target = Path(text.removeprefix("gitdir: "))
            return (target if target.is_absolute() else (folder / target).resolve()), folder
    raise GitError(f"{path} is not a Git repository", "git init, or name one with --repo")
