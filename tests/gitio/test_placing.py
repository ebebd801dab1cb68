"""New files come into a folder all together or not at all, and never in the place of another."""

import os
from pathlib import Path

import pytest

from reconciler.gitio.files import write_all
from reconciler.model.errors import UsageError

FILES = {"pools/a.yaml": b"a\n", "tenants/x/b.yaml": b"b\n"}


def there(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_files_are_written_into_a_folder_that_may_be_new(tmp_path: Path) -> None:
    assert write_all(tmp_path / "new", FILES) == list(FILES)
    assert there(tmp_path / "new") == FILES
    assert write_all(tmp_path / "new", FILES) == []


def test_a_file_that_is_there_is_never_replaced_and_nothing_is_written(tmp_path: Path) -> None:
    (tmp_path / "tenants/x").mkdir(parents=True)
    (tmp_path / "tenants/x/b.yaml").write_bytes(b"mine\n")
    with pytest.raises(UsageError, match=r"tenants/x/b.yaml already exists; nothing was written"):
        write_all(tmp_path, FILES)
    assert there(tmp_path) == {"tenants/x/b.yaml": b"mine\n"}


@pytest.mark.parametrize("at", range(2))
def test_a_failure_takes_back_what_was_put_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at: int
) -> None:
    real, calls = os.link, iter(range(9))

    def link(source: Path, target: Path) -> None:
        if next(calls) == at:
            raise OSError(28, "No space left on device")
        real(source, target)

    monkeypatch.setattr(os, "link", link)
    with pytest.raises(OSError, match="No space left"):
        write_all(tmp_path, FILES)
    assert there(tmp_path) == {}


def test_what_comes_meanwhile_is_not_replaced(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = os.link

    def link(source: Path, target: Path) -> None:
        if target.name == "b.yaml":
            target.write_bytes(b"mine\n")
        real(source, target)

    monkeypatch.setattr(os, "link", link)
    with pytest.raises(FileExistsError):
        write_all(tmp_path, FILES)
    assert there(tmp_path) == {"tenants/x/b.yaml": b"mine\n"}


def test_after_a_run_that_was_killed_the_next_one_goes_on(tmp_path: Path) -> None:
    write_all(tmp_path, {"pools/a.yaml": b"a\n"})
    (tmp_path / ".ipam-import-dead").mkdir()
    (tmp_path / ".ipam-import-dead/0").write_bytes(b"b\n")
    assert write_all(tmp_path, FILES) == ["tenants/x/b.yaml"]
    assert there(tmp_path) == FILES
