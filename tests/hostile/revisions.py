"""The sixth of the readers in `readers.py`: names of revisions, in a small repository of its own."""

import re
import subprocess
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from reconciler.gitio.objects import whole_name
from reconciler.gitio.opening import open_repository
from reconciler.gitio.repository import GitRepository
from reconciler.model.errors import ReconcilerError
from tests.world import ENVIRONMENT, commit, git, repository, write


@cache
def _repository() -> tuple[GitRepository, TemporaryDirectory[str]]:
    """A repository of three commits, in which names mean one thing, two or none; gone at exit."""
    home = TemporaryDirectory(prefix="ipam-revisions-")
    folder = repository(Path(home.name), {"a": "1"})
    first = git(folder, "rev-parse", "HEAD")
    write(folder, {"a": "2"})
    second = commit(folder, "second")
    git(folder, "checkout", "-q", "-b", "change")
    git(folder, "branch", "-q", "--set-upstream-to", "main", "change")
    write(folder, {"a": "3"})
    commit(folder, "third")
    git(folder, "branch", "twin", first)
    for tag, target in (("twin", second), ("v1", first), (first[:7], second)):
        git(folder, "tag", tag, target)
    git(folder, "tag", "-m", "annotated", "v2", second)
    for name in ("tags/HEAD", "tags/refs/heads/gone", "remotes/origin/main", "notes/n"):
        git(folder, "update-ref", f"refs/{name}", first)
    git(folder, "update-ref", "refs/remotes/origin/twin", second)
    git(folder, "fetch", "-q", ".", "twin:refs/heads/fetched")
    return open_repository(folder, {"PATH": ENVIRONMENT["PATH"]}), home


def revisions(data: bytes) -> None:
    """A name is refused, or nobody but Git itself says which commit it means, and only one."""
    found, home = _repository()
    rev = data.decode("utf-8", "surrogateescape")
    try:
        name = whole_name(found.git, rev)
    except ReconcilerError as refused:
        if str(refused):
            return
        raise
    said = subprocess.run(
        ["git", "-C", home.name, "rev-parse", "--verify", "--end-of-options", f"{name}^{{commit}}"],
        capture_output=True,
        check=False,
        env=ENVIRONMENT,
    )
    told = re.findall(rb"refname '(.*)' is ambiguous", said.stderr)
    assert not {*told} - {b"HEAD", b"@", b"FETCH_HEAD"}, said  # Git's own files go first
    try:
        resolved = found.resolve(rev).id
    except ReconcilerError:
        resolved = ""
    assert resolved == (said.stdout.decode().strip() if said.returncode == 0 else "")
