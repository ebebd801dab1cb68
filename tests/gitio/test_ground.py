"""A folder in which a repository begins: nothing is overwritten, and no link is followed."""

from pathlib import Path

import pytest

from reconciler.gitio.files import TargetDirectory


def test_a_file_is_written_once_with_the_folders_above_it(tmp_path: Path) -> None:
    ground = TargetDirectory(tmp_path / "new")
    assert ground.text("a/b/c.yaml") is None
    ground.add("a/b/c.yaml", "one\n")
    assert ground.text("a/b/c.yaml") == "one\n"
    with pytest.raises(FileExistsError):
        ground.add("a/b/c.yaml", "two\n")
    assert ground.text("a/b/c.yaml") == "one\n"
    assert ground.below("a") == ["a/b/c.yaml"]
    assert ground.below("nowhere") == []


def test_no_link_is_followed(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "x.yaml").write_text("x")
    folder = tmp_path / "repo"
    folder.mkdir()
    (folder / "pools").symlink_to(elsewhere)
    (folder / "ipam.yaml").symlink_to(elsewhere / "not-there")
    ground = TargetDirectory(folder)
    for path in ("pools/new.yaml", "ipam.yaml"):
        with pytest.raises(OSError, match="is a symlink"):
            ground.text(path)
        with pytest.raises(OSError):  # noqa: PT011 - the first failing call raises it
            ground.add(path, "mine")
    assert ground.below("pools") == []
    assert [path.name for path in elsewhere.iterdir()] == ["x.yaml"]
