"""The cache: what it says is true, or it says nothing."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from reconciler.adapters.facts import FileFacts
from reconciler.cli import run
from tests.world import SMALL, commit, repository, tenant, write

ROWS = {"a": "one", "b": "two\nlines\t"}


def test_it_knows_what_was_noted(tmp_path: Path) -> None:
    FileFacts(tmp_path, "repo", "program").note("links", ROWS)
    assert FileFacts(tmp_path, "repo", "program").known("links", ["a", "b", "c"]) == ROWS


@pytest.mark.parametrize(("where", "program"), [("other", "program"), ("repo", "other")])
def test_another_repository_or_program_knows_nothing(
    tmp_path: Path, where: str, program: str
) -> None:
    FileFacts(tmp_path, "repo", "program").note("links", ROWS)
    assert FileFacts(tmp_path, where, program).known("links", ["a"]) == {}


@pytest.mark.parametrize("damage", ["flip", "cut", "more", "empty"])
def test_a_damaged_file_is_not_there_and_is_begun_anew(tmp_path: Path, damage: str) -> None:
    FileFacts(tmp_path, "repo", "program").note("links", ROWS)
    (file,) = tmp_path.rglob("links")
    data = file.read_bytes()
    flipped = bytes([data[-1] ^ 1])
    file.write_bytes(
        {"flip": data[:-1] + flipped, "cut": data[:-1], "more": data + b"x", "empty": b""}[damage]
    )
    facts = FileFacts(tmp_path, "repo", "program")
    assert facts.known("links", ["a"]) == {}
    facts.note("links", ROWS)
    assert facts.known("links", ["a"]) == {"a": "one"}


def test_what_two_runs_note_at_once_is_that_of_one_of_them(tmp_path: Path) -> None:
    def note(number: int) -> None:
        facts = FileFacts(tmp_path, "repo", "program")
        for _ in range(20):
            facts.note("links", {"a": str(number) * 1000})
            assert set(facts.known("links", ["a"])["a"]) <= set("0123")

    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(note, range(4))) == [None] * 4
    assert len(FileFacts(tmp_path, "repo", "program").known("links", ["a"])["a"]) == 1000
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["links"]


def test_a_folder_that_cannot_be_made_is_no_matter(tmp_path: Path) -> None:
    (tmp_path / "facts").write_text("a file")
    facts = FileFacts(tmp_path, "repo", "program")
    facts.note("links", ROWS)
    assert facts.known("links", ["a"]) == {}


def test_a_folder_in_place_of_the_file_is_no_matter(tmp_path: Path) -> None:
    FileFacts(tmp_path, "repo", "program").note("links", ROWS)
    (file,) = tmp_path.rglob("links")
    file.unlink()
    file.mkdir()
    facts = FileFacts(tmp_path, "repo", "program")
    facts.note("links", ROWS)
    assert facts.known("links", ["a"]) == {}


def test_rows_that_nobody_uses_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reconciler.adapters.facts._LEAST", 5)
    facts = FileFacts(tmp_path, "repo", "program")
    facts.note("links", {str(number): "text" for number in range(20)})
    later = FileFacts(tmp_path, "repo", "program")
    assert len(later.known("links", ["1"])) == 1
    later.note("links", {"2": "new"})
    found = FileFacts(tmp_path, "repo", "program").known("links", list(map(str, range(20))))
    assert found == {"1": "text", "2": "new"}


@pytest.mark.parametrize("damage", [None, b"", b"garbage", b"flip"])
def test_a_plan_with_a_damaged_cache_is_the_plan_without(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    damage: bytes | None,
) -> None:
    cache = tmp_path / "cache"
    monkeypatch.setenv("XDG_CACHE_HOME", str(cache))
    folder = repository(tmp_path / "repo", SMALL)
    plan = ["plan", "--repo", str(folder), "-o", "json"]
    assert run(["reconcile", "--repo", str(folder)]) == 0
    assert run(plan) == 0
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder)
    files = [path for path in cache.rglob("*") if path.is_file() and "facts" in path.parts]
    assert {path.name for path in files} >= {"head", "groups", "names"}
    for file in files:
        if damage == b"flip":
            data = bytearray(file.read_bytes())
            data[len(data) // 2] ^= 0xFF
            file.write_bytes(bytes(data))
        elif damage is not None:
            file.write_bytes(damage)
    capsys.readouterr()
    assert run(plan) == 0
    known = capsys.readouterr().out
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "empty"))
    assert run(plan) == 0
    assert capsys.readouterr().out == known
