"""A shell completes values: of this repository, at once, and without a word when something fails."""

from pathlib import Path

import click
import pytest
from click.shell_completion import ShellComplete

from reconciler.cli import completion, run
from reconciler.cli.commands import ipam as group
from tests.cli.running import Capture
from tests.world import SMALL, commit, git, reconciled, repository, tenant, write


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = repository(tmp_path / "repo", reconciled(SMALL))
    write(folder, {"tenants/two.yaml": tenant("two")})
    commit(folder)
    git(folder, "branch", "grow")
    git(folder, "tag", "v1")
    monkeypatch.chdir(folder)
    return folder


def completed(*words: str) -> list[str]:
    found = ShellComplete(group, {}, "ipam", "_IPAM_COMPLETE").get_completions(
        list(words[:-1]), words[-1]
    )
    return [item.value for item in found]


@pytest.mark.parametrize(
    ("line", "values"),
    [
        ("ch", ["check"]),
        ("check --bas", ["--base"]),
        ("plan --rev ", ["HEAD", "HEAD~1", "grow", "main", "v1"]),
        ("move ", ["team-a/one", "team-a/two"]),
        ("schema NetworkP", ["NetworkPool"]),
        ("get pools ", ["edge"]),
        ("get pools --team ", ["team-a"]),
        ("who ", ["edge", "team-a", "team-a/one", "team-a/two"]),
        ("help fore", ["forecast"]),
    ],
)
def test_values_are_completed(repo: Path, line: str, values: list[str]) -> None:
    assert completed(*line.split(" ")) == values


def test_another_repository_is_asked_where_one_is_named(
    repo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert completed("plan", "--repo", str(repo), "--rev", "g") == ["grow"]
    assert completed("-C", str(repo), "plan", "--rev", "g") == ["grow"]


def test_nothing_is_said_where_there_is_nothing_to_read(
    tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for words in (("plan", "--rev", ""), ("move", ""), ("move", "--repo", "/nowhere", "")):
        assert completed(*words) == []
    git(tmp_path, "init", "-q")
    write(tmp_path, {".git/HEAD": "what"})
    assert completed("move", "") == []
    assert capsys.readouterr() == ("", "")


def test_a_bug_is_no_word_in_a_completion(capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*args: object, **words: object) -> None:
        raise ZeroDivisionError

    monkeypatch.setattr(click.Group, "main", broken)
    assert run(["plan"]) == 70
    capsys.readouterr()
    monkeypatch.setenv("_IPAM_COMPLETE", "bash_complete")
    assert run(["plan"]) == 0
    assert capsys.readouterr() == ("", "")


def test_a_name_with_control_characters_is_not_offered(
    repo: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(completion.BY_NAME, "kind", (lambda values: ["good", "b\x1b[2Jad"],))
    assert completed("schema", "") == ["good"]


def test_completion_is_printed_for_each_shell(capsys: Capture) -> None:
    for shell in ("bash", "zsh", "fish"):
        assert run(["completion", shell]) == 0
        assert "_IPAM_COMPLETE" in capsys.readouterr().out
