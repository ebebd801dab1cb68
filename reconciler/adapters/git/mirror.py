"""A mirror in the cache: how it is made, and whether one that is there was made so."""

import re
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from reconciler.adapters import cache
from reconciler.adapters.git.fetch import object_format
from reconciler.adapters.git.process import GitProcess
from reconciler.ports import GitError

# What `git init` says of a bare repository, on any machine. Nothing else is ever written into it.
_CONFIGURATION = re.compile(
    r"(\[(core|extensions)\]\n"
    r"|\t(repositoryformatversion = [01]|bare = true|(filemode|ignorecase|precomposeunicode|symlinks)"
    r" = (true|false)|objectformat = sha(1|256)|refstorage = (files|reftable))\n)+",
    re.IGNORECASE,
)
# What would have git read elsewhere, too.
_FOREIGN = (
    "commondir",
    "config.worktree",
    "objects/info/alternates",
    "objects/info/http-alternates",
)
_AGAIN = "remove it, and it is made anew; what it remembers of rewritten history is lost with it"


def require_ours(folder: Path, git_dir: Path) -> None:
    """Refuse a mirror that we did not make, or where others may write. One not made yet is fine.

    Args:
        folder: The cache.
        git_dir: The mirror in it.

    Raises:
        GitError: It is not ours.
    """
    for item in (folder, git_dir.parent, git_dir):
        if why := cache.refusal(item):
            hint = "remove it, chmod it 700, or name another cache with XDG_CACHE_HOME"
            raise GitError(f"the cache is not used: {why}", hint)
    if not git_dir.exists():
        return
    try:
        text = (git_dir / "config").read_text(encoding="utf-8", errors="replace")
    except OSError:
        text = ""
    if not _CONFIGURATION.fullmatch(text) or any((git_dir / name).exists() for name in _FOREIGN):
        raise GitError(f"the mirror {git_dir} is not as ipam made it", _AGAIN)


def make_mirror(git: GitProcess, folder: Path, remote: str) -> None:
    """Make a bare repository beside its place and move it there: two runs may begin at once.

    Its ids are as long as those of the remote.

    Raises:
        GitError: The cache cannot be written, or the remote not be reached.
    """
    place = git.git_dir.parent
    try:
        cache.make(folder)
        cache.make(place)
        with TemporaryDirectory(dir=place) as scratch:
            made = Path(scratch) / "mirror.git"
            made.mkdir(mode=0o700)
            there = replace(git, git_dir=made)
            ids = f"--object-format={object_format(there, remote)}"
            there.check("init", "--bare", "--quiet", "--template=", ids, str(made))
            try:
                made.rename(git.git_dir)
            except OSError:
                if not (git.git_dir / "HEAD").is_file():
                    raise
    except OSError as error:
        hint = "make that folder writable, or name another with XDG_CACHE_HOME"
        message = f"cannot make a mirror in {place}: {error.strerror or error}"
        raise GitError(message, hint) from error
