"""Which program this is: by its content, which is read anew where files stand otherwise."""

import os
from pathlib import Path

import pytest

from reconciler.adapters import program
from reconciler.adapters.program import known_program, program_id


@pytest.fixture
def code(tmp_path: Path) -> Path:
    folder = tmp_path / "code"
    (folder / "inner").mkdir(parents=True)
    (folder / "a.py").write_text("1")
    (folder / "inner" / "b.json").write_text("{}")
    (folder / "notes.txt").write_text("x")
    return folder


@pytest.fixture
def later(code: Path) -> float:
    """A time at which nobody writes those files any more."""
    return max(path.stat().st_ctime for path in code.rglob("*")) + 60


def never(_: object) -> str:
    raise AssertionError("the files are read")


def test_the_identity_follows_content_and_names_of_code_and_schemas(code: Path) -> None:
    seen = [program_id(code)]
    (code / "a.py").write_text("12")
    seen.append(program_id(code))
    (code / "inner" / "b.json").write_text("[]")
    seen.append(program_id(code))
    (code / "a.py").rename(code / "c.py")
    seen.append(program_id(code))
    assert len(set(seen)) == len(seen)
    (code / "notes.txt").write_text("y")
    assert program_id(code) == seen[-1]


def test_one_folder_is_not_two(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.py").write_text(name)
    ids = [program_id(tmp_path / "a"), program_id(tmp_path / "a", tmp_path / "b")]
    assert len(set(ids)) == 2


def test_files_that_stand_as_they_stood_are_not_read_again(
    code: Path, tmp_path: Path, later: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = known_program([code], tmp_path / "cache", later)
    assert made == program_id(code)
    monkeypatch.setattr(program, "_sum_of", never)
    assert known_program([code], tmp_path / "cache", later) == made


@pytest.mark.parametrize("keeps_times", [False, True])
def test_a_file_that_stands_otherwise_is_read(
    code: Path, tmp_path: Path, later: float, *, keeps_times: bool
) -> None:
    made = known_program([code], tmp_path / "cache", later)
    stood = (code / "a.py").stat()
    (code / "a.py").write_text("2")
    if keeps_times:
        os.utime(code / "a.py", ns=(stood.st_atime_ns, stood.st_mtime_ns))
    assert known_program([code], tmp_path / "cache", later + 60) != made


def test_a_file_that_is_written_just_now_is_not_remembered(
    code: Path, tmp_path: Path, later: float
) -> None:
    just_now = later - 60
    assert known_program([code], tmp_path / "cache", just_now) == program_id(code)
    assert list(tmp_path.rglob("program")) == []


def test_a_cache_that_cannot_be_written_costs_time_only(code: Path, later: float) -> None:
    assert known_program([code], Path("/dev/null"), later) == program_id(code)


def test_a_damaged_memory_is_no_memory(code: Path, tmp_path: Path, later: float) -> None:
    made = known_program([code], tmp_path / "cache", later)
    (file,) = tmp_path.rglob("program")
    file.write_bytes(file.read_bytes()[:-1] + b"!")
    assert known_program([code], tmp_path / "cache", later) == made
