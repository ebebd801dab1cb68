"""What a work tree shows: the branch of HEAD, and which other work trees show a branch."""

from dataclasses import replace
from pathlib import Path

from reconciler.adapters.git.folders import common_folder
from reconciler.adapters.git.process import GitProcess
from reconciler.ports import UsageError

# A path, and a few words.
_MOST = 1 << 16


def shown_branch(git: GitProcess) -> str:
    """The branch that HEAD names, whether it has a commit or not; empty when it names none."""
    text = small_text(git.git_dir / "HEAD")
    name = text.removeprefix("ref: refs/heads/")
    if name == ".invalid":  # another format of references, which only git reads
        return git.run("symbolic-ref", "--quiet", "--short", "HEAD").out.decode().strip()
    return name if name != text else ""


def require_unshown(git: GitProcess, branch: str) -> None:
    """Refuse to move a branch that another work tree of the repository shows.

    Its index and files would stay behind, and its next commit take back what the branch got.

    Raises:
        UsageError: One does.
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
    """A small file of a repository, which may hold anything."""
    with path.open("rb") as file:
        return file.read(_MOST).decode("utf-8", "replace").replace("\0", "\ufffd").strip()
