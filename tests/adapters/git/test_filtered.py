"""What a filter left out is told without a fetch, all of it, with the command that brings it."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from reconciler.adapters.git.beside import Beside
from reconciler.adapters.git.filtered import absent, is_filtered, present
from reconciler.adapters.git.opening import open_repository
from reconciler.adapters.git.process import GitProcess
from reconciler.ports import FilteredError
from tests.world import ENVIRONMENT, SMALL, git, repository


@pytest.fixture
def author(tmp_path: Path) -> Path:
    made = repository(tmp_path / "author", SMALL)
    git(made, "config", "uploadpack.allowFilter", "true")
    return made


@pytest.fixture
def clone(tmp_path: Path, author: Path) -> Path:
    """A clone that has no file's content."""
    git(tmp_path, "clone", "-q", "--filter=blob:none", "--no-checkout", f"file://{author}", "clone")
    return tmp_path / "clone"


def opened(folder: Path) -> GitProcess:
    return open_repository(folder, ENVIRONMENT).git


def blobs(author: Path) -> list[str]:
    lines = git(author, "ls-tree", "-r", "HEAD").splitlines()
    return list(dict.fromkeys(line.split()[2] for line in lines))


def test_a_whole_clone_is_not_filtered(author: Path, clone: Path) -> None:
    assert not is_filtered(opened(author))
    assert is_filtered(opened(clone))


def test_all_that_is_not_here_is_told_and_nothing_is_fetched(author: Path, clone: Path) -> None:
    wanted = blobs(author)
    tree = git(author, "rev-parse", "HEAD^{tree}")
    packs = sorted((clone / ".git" / "objects" / "pack").iterdir())
    assert absent(opened(clone), [tree, *wanted]) == wanted
    with pytest.raises(FilteredError) as raised:
        present(opened(clone), [tree, *wanted])
    assert list(raised.value.ids) == wanted
    assert sorted((clone / ".git" / "objects" / "pack").iterdir()) == packs
    assert absent(opened(author), [tree, *wanted]) == []


def test_the_command_brings_what_was_told_and_nothing_else(author: Path, clone: Path) -> None:
    first, *others = blobs(author)
    with pytest.raises(FilteredError) as raised:
        present(opened(clone), [first])
    subprocess.run(
        ["sh", "-c", raised.value.fetch], cwd=clone, input=f"{first}\n".encode(), check=True
    )
    assert absent(opened(clone), [first, *others]) == others
    (head,) = present(opened(clone), [first])
    assert head is not None
    assert head.kind == "blob"


@pytest.mark.parametrize(
    ("name", "said"), [("upstream", "upstream"), ("a b", "'a b'"), ("--upload-pack=x", "origin")]
)
def test_the_command_names_the_remote_that_promised_unless_that_would_be_an_option(
    author: Path, clone: Path, name: str, said: str
) -> None:
    git(clone, "config", "--rename-section", "remote.origin", f"remote.{name}")
    with pytest.raises(FilteredError) as raised:
        present(opened(clone), blobs(author))
    assert raised.value.fetch.endswith(f" --stdin {said}")


def test_what_was_made_for_the_run_alone_counts_as_here(author: Path, clone: Path) -> None:
    whole = opened(clone)
    apart = replace(whole, beside=Beside(whole.git_dir / "objects"))
    made = apart.check("hash-object", "-w", "--stdin", data=b"made").decode()
    wanted = blobs(author)
    assert absent(apart, [made, *wanted]) == wanted


def test_what_is_in_no_repository_is_no_matter_of_a_filter(author: Path) -> None:
    assert present(opened(author), ["f" * 40]) == [None]


def test_objects_with_long_ids_are_told_apart_too(tmp_path: Path) -> None:
    folder = tmp_path / "long"
    git(tmp_path, "init", "-q", "--object-format=sha256", str(folder))
    whole = opened(folder)
    made = whole.check("hash-object", "-w", "--stdin", data=b"made").decode()
    assert absent(whole, ["f" * 64, made]) == ["f" * 64]
