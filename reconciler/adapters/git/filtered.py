"""What a filter left out of a clone: told without a fetch, all of it that a call is about to read.

Git brings such an object by itself, one at a time, or fails at the first. So it is asked from a
folder that has no remote, and looks at the objects of the clone: there, what is not here is missing.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from reconciler.adapters.git.failing import FILTERED, LACKS
from reconciler.adapters.git.folders import common_folder, is_filtered, quoted
from reconciler.adapters.git.guard import TRUE, Setting
from reconciler.adapters.git.objects import Header, headers
from reconciler.adapters.git.process import GitProcess
from reconciler.ports import FilteredError

_PROMISED, _PARTIAL = ("remote", "promisor"), ("extensions", "partialclone")
_SHA256 = 64


def present(git: GitProcess, oids: Sequence[str]) -> list[Header | None]:
    """What objects are, as `headers` tells it; what a filter left out is fetched, if that may be.

    Raises:
        FilteredError: It may not; the error names all of them that are not here.
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
    """What objects are; None for those that are not here."""
    with _apart(git, is_long=len(oids[0]) == _SHA256) as apart:
        return headers(apart, oids)


def promisor(settings: Iterable[Setting]) -> str:
    """The remote that promised what a filter left out, by a repository's own configuration."""
    read = list(settings)
    promised = (it for it in read if (it.section, it.variable) == _PROMISED)
    named = [it.between for it in promised if it.value.lower() in ("", *TRUE)]
    named += [it.value for it in read if (it.section, it.variable) == _PARTIAL]
    return next(iter(named), "origin")


@contextmanager
def _apart(git: GitProcess, *, is_long: bool) -> Iterator[GitProcess]:
    """Git on a repository of nothing that knows no remote, and reads the objects of another one."""
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
