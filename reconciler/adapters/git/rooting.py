"""Whether a root is a folder where it is looked for: of a revision, or of a work tree."""

import stat
from pathlib import Path

from reconciler.adapters.git.objects import Root
from reconciler.adapters.git.process import GitProcess
from reconciler.adapters.git.root_folder import RootFolder
from reconciler.ports import GitError, Revision

_KINDS = {"120000": "a symlink", "160000": "a submodule"}
_WAYS = (
    "name a folder from the top of the Git repository: --root infra/ipam, or --root . for the top"
    " itself; one that is not committed yet is read by --worktree"
)


def require_root(git: GitProcess, revision: Revision, known: Root | None) -> Root | None:
    """What is known of the top of a revision's root; refuses one in which that is no folder.

    Raises:
        GitError: It is none.
    """
    parts = git.root.path.split("/") if git.root.path else []
    above = ["/".join(parts[: at + 1]) for at in range(len(parts))]
    where = f"revision {revision.id[:12]}"
    if known is not None or not above:
        return known
    for path in above:  # one at a time: of a folder and what is in it git lists the latter
        listed = git.check("ls-tree", "-z", "--full-tree", revision.id, "--", path)
        mode = listed.decode("utf-8", "replace").partition(" ")[0]
        if mode != "040000":
            raise _no_folder(git.root, path, _KINDS.get(mode, "a file") if mode else "", where)
    return None


def require_place(root: RootFolder, top: Path) -> Path:
    """Where the root is in a work tree.

    Raises:
        GitError: It is no folder there.
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
