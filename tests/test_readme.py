"""The README tells the truth: its commands run, its output is what they print."""

import json
import re
from pathlib import Path

import pytest

from reconciler.cli.commands import VERBS
from reconciler.model.errors import ExitCode
from tests.documentation import ROOT, Block, Said, Terminal, blocks, masked, played

README = (ROOT / "README.md").read_text(encoding="utf-8")
# What a test cannot do: install system packages, clone, and make a virtual environment.
# `.ci/run` does those.
UNTESTED = (
    *('pipx install "git+', 'pipx install "gitops-ipam[clusters] @ git+', "ipam demo"),
    *("apt-get install", "git clone", "make demo", "cd gitops-ipam"),
    *("python3 -m venv ~/.local/share/gitops-ipam", "~/.local/share/gitops-ipam/bin/"),
    # Real clusters are those of tests/e2e.
    *("ipam apply --kubeconfig", "ipam reconcile --kubeconfig"),
)


@pytest.fixture(scope="module")
def terminal(tmp_path_factory: pytest.TempPathFactory) -> Terminal:
    return Terminal(tmp_path_factory.mktemp("readme"))


@pytest.fixture(scope="module")
def said(terminal: Terminal) -> list[Said]:
    return [one for _, each in played(README, terminal) for one in each]


def test_every_command_of_the_readme_succeeds(said: list[Said]) -> None:
    failed = [(one.command, one.came) for one in said if one.status != 0]
    assert not failed
    assert len(said) > 10


def test_every_output_of_the_readme_is_what_the_command_prints(said: list[Said]) -> None:
    for one in said:
        assert masked(one.came) == masked(one.shown), one.command


def test_the_walk_ends_where_the_other_pages_begin(said: list[Said], terminal: Terminal) -> None:
    assert said
    assert terminal.run("git branch --show-current") == (0, "main\n")


def test_the_first_screens_show_one_plan_over_all_three_systems(
    said: list[Said], terminal: Terminal
) -> None:
    assert said
    first = blocks(README)[0].text
    assert first in "\n".join(README.splitlines()[:40])
    command = first.splitlines()[0].removeprefix("$ ")
    assert command.startswith("ipam plan ")
    _, plan = terminal.run(f"{command} -o json")
    pools = {item["pool"].partition("/")[0] for item in json.loads(plan)["pools"]}
    claims = {item["claim"].partition("/")[0] for item in json.loads(plan)["actions"]}
    assert pools == claims == {"butler", "capi", "novaedge"}


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


def test_a_wrong_output_in_a_document_would_be_seen(tmp_path: Path) -> None:
    block = Block("", "console", "$ echo right\nwrong\n")
    assert not next(Terminal(tmp_path).play(block)).is_true()
