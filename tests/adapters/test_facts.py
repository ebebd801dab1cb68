"""The cache: what it says is true, or it says nothing."""

import sqlite3
from pathlib import Path

import pytest

from reconciler.adapters.facts import SqliteFacts, program_id
from reconciler.cli import run
from tests.world import SMALL, commit, repository, tenant, write

ROWS = {"a": "one", "b": "two\nlines\t"}


def test_it_recalls_what_was_noted(tmp_path: Path) -> None:
    SqliteFacts(tmp_path, "repo", "program").note("links", ROWS)
    assert SqliteFacts(tmp_path, "repo", "program").recall("links", ["a", "b", "c"]) == ROWS


@pytest.mark.parametrize(("where", "program"), [("other", "program"), ("repo", "other")])
def test_another_repository_or_program_knows_nothing(
    tmp_path: Path, where: str, program: str
) -> None:
    SqliteFacts(tmp_path, "repo", "program").note("links", ROWS)
    assert SqliteFacts(tmp_path, where, program).recall("links", ["a"]) == {}


def test_a_row_that_was_changed_is_not_there(tmp_path: Path) -> None:
    SqliteFacts(tmp_path, "repo", "program").note("links", ROWS)
    (file,) = tmp_path.rglob("*.sqlite")
    with sqlite3.connect(file) as database:
        database.execute("UPDATE links SET text = 'uno' WHERE key = 'a'")
    database.close()
    assert SqliteFacts(tmp_path, "repo", "program").recall("links", ["a", "b"]) == {"b": ROWS["b"]}


@pytest.mark.parametrize(
    "damage", [b"", b"no database at all", b"SQLite format 3\x00" + b"x" * 4096]
)
def test_a_damaged_file_is_begun_anew(tmp_path: Path, damage: bytes) -> None:
    SqliteFacts(tmp_path, "repo", "program").note("links", ROWS)
    (file,) = tmp_path.rglob("*.sqlite")
    file.write_bytes(damage)
    facts = SqliteFacts(tmp_path, "repo", "program")
    assert facts.recall("links", ["a"]) == {}
    SqliteFacts(tmp_path, "repo", "program").note("links", ROWS)


def test_a_folder_that_cannot_be_made_is_no_matter(tmp_path: Path) -> None:
    (tmp_path / "facts").write_text("a file")
    facts = SqliteFacts(tmp_path, "repo", "program")
    facts.note("links", ROWS)
    assert facts.recall("links", ["a"]) == {}


def test_a_folder_in_place_of_the_file_is_no_matter(tmp_path: Path) -> None:
    SqliteFacts(tmp_path, "repo", "program").note("links", ROWS)
    (file,) = tmp_path.rglob("*.sqlite")
    file.unlink()
    file.mkdir()
    facts = SqliteFacts(tmp_path, "repo", "program")
    facts.note("links", ROWS)
    assert facts.recall("links", ["a"]) == {}


def test_rows_that_nobody_uses_go(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("reconciler.adapters.facts._LEAST", 5)
    facts = SqliteFacts(tmp_path, "repo", "program")
    facts.note("links", {str(number): "text" for number in range(20)})
    assert len(facts.recall("links", ["1", "2"])) == 2
    assert len(facts.recall("links", [str(number) for number in range(20)])) == 2


def test_the_identity_of_the_program_follows_its_files(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("1")
    before = program_id(tmp_path)
    (tmp_path / "a.py").write_text("12")
    assert program_id(tmp_path) != before


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
    (file,) = cache.rglob("*.sqlite")
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
