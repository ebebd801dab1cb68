"""The words that the action itself puts into a summary, a status and a log: none are active."""

import re
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest
from markdown_it import MarkdownIt

from tests.report.hostile import corpus
from tests.world import commit, git, tenant, write

ACTION = Path(__file__).parents[2] / ".github/actions/comment"


@pytest.fixture
def as_told(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    monkeypatch.syspath_prepend(ACTION)
    yield import_module("as_told")
    for name in ("as_told", "forge"):
        sys.modules.pop(name, None)


@pytest.mark.parametrize("text", corpus(), ids=ascii)
def test_a_subject_of_a_commit_is_words_in_code(
    text: str, as_told: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    subject = text.encode("utf-8", "replace").decode().replace("\0", "")
    git(tmp_path, "init", "-q", "-b", "main")
    write(tmp_path, {"a": "a"})
    first = commit(tmp_path, "first")
    write(tmp_path, {"tenants/x.yaml": tenant("x")})
    commit(tmp_path, f"x {subject}")
    write(tmp_path, {"b": "b"})
    last = commit(tmp_path, "last")
    monkeypatch.chdir(tmp_path)
    between = as_told.came_between(first, last)
    assert len(between) == 1
    line = as_told.sentence(as_told.Said(1, "sha256:1", first), "sha256:2", between)
    assert line.replace("\ufe0f", "").isprintable()
    assert line.startswith("⚠️ Not as told: ")
    (block,) = (it for it in MarkdownIt("commonmark").parse(line) if it.type == "inline")
    kinds = [it.type for it in block.children or ()]
    assert kinds == ["text", "code_inline", "text"]
    assert not re.search(r"[@<>\[\]`*_|]", (block.children or [])[2].content)
