"""What a filter left out of a clone: told without a fetch, all of it that a call is about to read.

Git brings such an object by itself, one at a time, or fails at the first. So it is asked from a
folder that has no remote, and looks at the objects of the clone: there, what is not here is missing.
"""

import shlex
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from reconciler.adapters.git.ancestry import common_folder
from reconciler.adapters.git.failing import DAMAGED, FILTERED, LACKS, failure
from reconciler.adapters.git.guard import read_configuration
from reconciler.adapters.git.objects import Header, headers
from reconciler.adapters.git.process import GitProcess
from reconciler.ports import FilteredError, GitError

MOST = 1_000
"""With more objects than these all of them are fetched."""
_SHA256 = 64
# As git brings what a filter left out: it tells of no commit that it has, or the server would
# think that all which belongs to one is here.
_FETCH = (
    "git -c fetch.negotiationAlgorithm=noop fetch --no-tags --no-write-fetch-head"
    " --filter=blob:none --stdin {remote}"
)


def is_filtered(git: GitProcess) -> bool:
    """A filter left something out when this was fetched, and a remote promised to have it."""
    return any((common_folder(git) / "objects" / "pack").glob("*.promisor"))


def absent(git: GitProcess, oids: Sequence[str]) -> list[str]:
    """Those of some objects that are not here, in their order.

    Raises:
        GitError: Git fails.
    """
    objects = (common_folder(git) / "objects").resolve()
    # What is made for this run alone lies elsewhere, and git is told of both then.
    extra = {} if git.beside is not None else {"GIT_OBJECT_DIRECTORY": str(objects)}
    with TemporaryDirectory(prefix="ipam-") as folder:
        apart = GitProcess(_bare(Path(folder), oids), git.environment, beside=git.beside)
        data = "\n".join([*oids, ""]).encode()
        asked = ("cat-file", "--batch-check=%(objectname)", "--buffer")
        result = apart.run(*asked, data=data, extra=extra)
    if result.status != 0:
        raise failure("cat-file", result, DAMAGED)
    lines = result.out.decode("ascii").splitlines()
    return [oid for oid, line in zip(oids, lines, strict=True) if line != oid]


def _bare(folder: Path, oids: Sequence[str]) -> Path:
    """A repository of nothing, which knows no remote."""
    for name in ("objects", "refs"):
        (folder / name).mkdir()
    (folder / "HEAD").write_text("ref: refs/heads/none\n", encoding="ascii")
    is_long = any(len(oid) == _SHA256 for oid in oids)
    form = "\n[extensions]\n\tobjectFormat = sha256\n" if is_long else "\n"
    version = int(is_long)
    text = f"[core]\n\trepositoryformatversion = {version}\n\tbare = true{form}"
    (folder / "config").write_text(text, encoding="ascii")
    return folder


def present(git: GitProcess, oids: Sequence[str]) -> list[Header | None]:
    """What objects are, as `headers` tells it, where no filter left out one of them.

    Raises:
        FilteredError: One did; it names all of them that are not here.
        GitError: Git fails.
    """
    try:
        found = headers(git, oids)
    except GitError:
        if (error := _lacking(git, oids)) is not None:
            raise error from None
        raise
    # Since 2.44 git says that they are missing, as if the repository were damaged.
    if None in found and (error := _lacking(git, oids)) is not None:
        raise error
    return found


def _lacking(git: GitProcess, oids: Sequence[str]) -> FilteredError | None:
    """What is said of objects of which some are not here; None where none was left out.

    Raises:
        GitError: Git fails.
    """
    found = absent(git, oids) if is_filtered(git) else []
    if not found:
        return None
    settings = [it for it in read_configuration(git) if it.section == "remote"]
    named = (it.between for it in settings if it.variable == "promisor")
    remote = next((it for it in named if not it.startswith("-")), "origin")
    return FilteredError(LACKS, FILTERED, found, _FETCH.format(remote=shlex.quote(remote)))
