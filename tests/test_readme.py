"""The README tells the truth: its commands run, its output is what they print."""

import re
from pathlib import Path

import pytest

from reconciler.cli.group import VERBS
from reconciler.ports import ExitCode
from tests.documentation import ROOT, Block, Said, Terminal, blocks, masked, played

README = (ROOT / "README.md").read_text(encoding="utf-8")
# What a test cannot do: install system packages, clone, and make a virtual environment.
# `.ci/run` does those.
UNTESTED = (
    *("apt-get install", "git clone", "make demo", "cd gitops-ipam"),
    # Real clusters are those of tests/e2e.
    *("ipam apply --kubeconfig", "ipam reconcile --kubeconfig"),
)


@pytest.fixture(scope="module")
def said(tmp_path_factory: pytest.TempPathFactory) -> list[Said]:
    told = played(README, Terminal(tmp_path_factory.mktemp("readme")))
    return [one for _, each in told for one in each]


def test_every_command_of_the_readme_succeeds(said: list[Said]) -> None:
    failed = [(one.command, one.came) for one in said if one.status != 0]
    assert not failed
    assert len(said) > 10


def test_every_output_of_the_readme_is_what_the_command_prints(said: list[Said]) -> None:
    for one in said:
        assert masked(one.came) == masked(one.shown), one.command


def test_only_what_no_test_can_do_is_left_out() -> None:
    skipped = [block for block in blocks(README) if block.mark == "skip"]
    lines = [line for block in skipped for line in block.text.splitlines()]
    for line in lines:
        assert all(part.startswith(UNTESTED) for part in line.split(" && ")), line


def test_the_readme_lists_every_verb() -> None:
    listed = set(re.findall(r"^\| `ipam ([a-z]+)", README, re.MULTILINE))
    assert listed == set(VERBS)


def test_the_readme_lists_every_exit_code() -> None:
    section = README.partition("## Exit codes")[2].partition("\n## ")[0]
    listed = {int(code) for code in re.findall(r"^\| (\d+) \|", section, re.MULTILINE)}
    assert listed == {int(code) for code in ExitCode}


def test_every_test_that_proves_a_promise_is_there() -> None:
    section = README.partition("## What is promised")[2].partition("\n## ")[0]
    proofs = re.findall(r"\]\((tests/[\w/]+\.py)\)((?:,? `test_\w+`)*)", section)
    assert len(proofs) > 5
    for path, names in proofs:
        text = (ROOT / path).read_text(encoding="utf-8")
        for name in re.findall(r"`(test_\w+)`", names):
            assert f"def {name}(" in text, f"{path}: {name}"


def test_a_wrong_output_in_a_document_would_be_seen(tmp_path: Path) -> None:
    block = Block("", "console", "$ echo right\nwrong\n")
    assert not next(Terminal(tmp_path).play(block)).is_true()
