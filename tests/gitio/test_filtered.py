"""Objects missing in a partial clone are reported with the fetch command, and not fetched."""

from pathlib import Path

import pytest

from reconciler.gitio.objects import present
from reconciler.gitio.process import GitProcess
from reconciler.gitio.remotes import bring
from reconciler.gitio.repository import open_repository
from reconciler.model.errors import FilteredError, GitError, UsageError
from tests.world import ENVIRONMENT, SMALL, git, repository


@pytest.fixture
def author(tmp_path: Path) -> Path:
    made = repository(tmp_path / "author", SMALL)
    git(made, "config", "uploadpack.allowFilter", "true")
    return made


@pytest.fixture
def clone(tmp_path: Path, author: Path) -> Path:
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{author}", "clone")
    return tmp_path / "clone"


def opened(folder: Path) -> GitProcess:
    return open_repository(folder, ENVIRONMENT).git


def blobs(author: Path) -> list[str]:
    lines = git(author, "ls-tree", "-r", "HEAD").splitlines()
    return list(dict.fromkeys(line.split()[2] for line in lines))


def lacking(git: GitProcess, oids: list[str]) -> list[str]:
    try:
        present(git, oids)
    except FilteredError as error:
        return list(error.ids)
    return []


def packs(folder: Path) -> list[Path]:
    return sorted((folder / ".git" / "objects" / "pack").iterdir())


def test_all_that_is_not_here_is_told_and_nothing_is_fetched(author: Path, clone: Path) -> None:
    wanted = blobs(author)
    tree = git(author, "rev-parse", "HEAD^{tree}")
    before = packs(clone)
    assert lacking(opened(clone), [tree, *wanted]) == wanted
    assert packs(clone) == before
    assert lacking(opened(author), [tree, *wanted]) == []


def test_what_is_named_is_brought_and_nothing_else(author: Path, clone: Path) -> None:
    first, *others = blobs(author)
    told = (clone / ".git" / "config").read_text()
    bring(open_repository(clone, ENVIRONMENT), [first])
    assert lacking(opened(clone), [first, *others]) == others
    (head,) = present(opened(clone), [first])
    assert head is not None
    assert head.kind == "blob"
    assert (clone / ".git" / "config").read_text() == told
    assert not (clone / ".git" / "FETCH_HEAD").exists()
    git(clone, "fsck", "--connectivity-only")
    git(clone, "gc", "-q", "--prune=now")
    assert lacking(opened(clone), [first, *others]) == others


@pytest.mark.parametrize("name", ["upstream", "a b", "-x"])
def test_the_remote_that_promised_is_asked(author: Path, clone: Path, name: str) -> None:
    git(clone, "config", "--rename-section", "remote.origin", f"remote.{name}")
    git(clone, "config", "remote.origin.url", "file:///nowhere")
    bring(open_repository(clone, ENVIRONMENT), blobs(author))
    assert lacking(opened(clone), blobs(author)) == []


def test_a_remote_that_promises_nothing_is_not_asked(author: Path, clone: Path) -> None:
    text = (clone / ".git" / "config").read_text()
    aside = '[remote "aside"]\n\turl = file:///nowhere\n\tpromisor = false\n'
    (clone / ".git" / "config").write_text(aside + text)
    bring(open_repository(clone, ENVIRONMENT), blobs(author))
    assert lacking(opened(clone), blobs(author)) == []


def test_a_bare_clone_and_a_relative_remote_are_no_other_matter(
    tmp_path: Path, author: Path
) -> None:
    bare = tmp_path / "bare.git"
    git(tmp_path, "clone", "-q", "--bare", "--filter=blob:none", f"file://{author}", bare.name)
    git(bare, "config", "remote.origin.url", "../author")
    bring(open_repository(bare, ENVIRONMENT), blobs(author))
    assert lacking(opened(bare), blobs(author)) == []


def test_a_remote_that_is_gone_or_has_nothing_of_it_is_told(author: Path, clone: Path) -> None:
    with pytest.raises(GitError, match="cannot fetch objects that a filter excluded"):
        bring(open_repository(clone, ENVIRONMENT), ["f" * 40])
    git(clone, "config", "remote.origin.url", f"{author}-gone")
    with pytest.raises(UsageError, match="neither a URL nor a folder"):
        bring(open_repository(clone, ENVIRONMENT), blobs(author))
    git(clone, "config", "--unset", "remote.origin.url")
    with pytest.raises(GitError, match="remote origin, which has"):
        bring(open_repository(clone, ENVIRONMENT), blobs(author))


def test_what_serves_the_remote_is_not_what_the_clone_names(author: Path, clone: Path) -> None:
    git(clone, "config", "remote.origin.uploadpack", f"touch {clone}/ran;git-upload-pack")
    git(clone, "config", "core.fsmonitor", f"touch {clone}/ran")
    bring(open_repository(clone, ENVIRONMENT), blobs(author))
    assert not (clone / "ran").exists()
