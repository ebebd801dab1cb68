"""Help texts: examples that run, grouped options, and suggestions for typing errors."""

import logging
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from reconciler.cli.commands import VERBS, examples
from reconciler.cli.commands import ipam as group
from tests.cli.running import Capture, ipam
from tests.test_example_repo import files
from tests.world import SMALL, git, reconciled, repository

# Parsed, but not run: commands that need clusters, a server, or minutes, or change the repository.
NEEDS = ("--kubeconfig", "--watch", "--crds", "ipam demo", "ipam move", "ipam import", "eval ")
# The result of an apply that no cluster was in.
APPLIED = (
    '{"apiVersion": "gitops-ipam.dev/v1alpha1", "kind": "ApplyResult",'
    ' "revision": "' + "0" * 40 + '", "clusters": []}'
)
CASES = [(verb, line) for verb in VERBS for line, _ in examples(verb)]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = repository(tmp_path_factory.mktemp("demo") / "repo", files())
    git(folder, "commit", "-q", "--allow-empty", "-m", "second")
    (folder / "applied.json").write_text(APPLIED, encoding="utf-8")
    return folder


@pytest.fixture(autouse=True)
def _still(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Restore the state that `-C` and `-v` change."""
    monkeypatch.chdir(Path.cwd())
    yield
    logging.getLogger("reconciler").setLevel(logging.NOTSET)


def command(verb: str) -> click.Command:
    found = group.get_command(click.Context(group), verb)
    assert found is not None
    return found


@pytest.mark.parametrize(("verb", "line"), CASES, ids=[line for _, line in CASES])
def test_an_example_of_a_help_runs_on_the_repository_of_the_demo(
    verb: str, line: str, demo: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(demo)
    if verb == "init":
        (demo.parent / "empty").mkdir(exist_ok=True)
        monkeypatch.chdir(demo.parent / "empty")
    program, *words = shlex.split(line.removeprefix('eval "$(').removesuffix(')"'))
    assert (program, words[0]) == ("ipam", verb)
    if any(part in line for part in NEEDS):
        with command(verb).make_context(verb, words[1:], parent=click.Context(group)):
            return
    assert ipam(capsys, *words).code == 0


def test_help_of_a_verb_is_what_the_verb_says(capsys: Capture) -> None:
    assert ipam(capsys, "help").out == ipam(capsys, "--help").out
    for verb in VERBS:
        assert ipam(capsys, "help", verb).out == ipam(capsys, verb, "--help").out


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chekc"], "No command 'chekc'. Did you mean check?"),
        (["diff"], "No command 'diff'. Did you mean plan?"),
        (["check", "--bas", "x"], "--base"),
        (["get", "pool", "--outptu", "x"], "Did you mean '--output'?"),
        (
            ["--repo", ".", "check"],
            "No option --repo before check. Options of a command go after it",
        ),
    ],
)
def test_a_mistake_is_answered_with_what_was_meant(
    words: list[str], said: str, capsys: Capture
) -> None:
    ran = ipam(capsys, *words)
    assert ran.code == 64
    assert said in ran.err
    assert ran.out == ""


@pytest.mark.parametrize("words", [["-C", "{}", "status"], ["status", "-C", "{}"]])
def test_a_folder_may_be_named_before_and_behind_the_verb(
    words: list[str], demo: Path, capsys: Capture
) -> None:
    ran = ipam(capsys, *[word.format(demo) for word in words])
    assert ran.code == 0
    assert "vlan40-pool" in ran.out


def test_verbose_tells_each_call_of_git_in_one_line_that_a_person_could_type(
    tmp_path: Path, capsys: Capture, caplog: pytest.LogCaptureFixture
) -> None:
    repo = repository(tmp_path / "repo", reconciled(SMALL))
    assert ipam(capsys, "-v", "plan", "--repo", repo).code == 0
    calls = [it.getMessage() for it in caplog.records if it.name.startswith("reconciler.gitio")]
    assert calls
    assert all(call.startswith(f"git --git-dir={repo}/.git ") for call in calls)
    assert not any("\n" in call or "-u" in call.split() for call in calls)
    caplog.clear()
    assert ipam(capsys, "plan", "--repo", repo).code == 0
    assert not [it for it in caplog.records if it.name.startswith("reconciler.gitio")]
