"""Each command of the jobs that `ipam init` writes is run as its forge runs it, on a bare repository."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
import yaml

from reconciler.reconcile.init import UNNAMED, Beginning, Forge, InitOptions, wanted
from tests.forges.running import Runner, evaluated
from tests.forges.test_actions import change, checked_out, forge, merged
from tests.world import git, tenant

TWO = {"tenants/two.yaml": tenant("two")}
RECORD = "allocations/NetworkPool/butler-system.edge/team-a/two.loadbalancer.yaml"


def jobs_of(kind: Forge) -> dict[str, Any]:
    wish = InitOptions("main", kind, UNNAMED, Beginning.EMPTY)
    found: dict[str, Any] = yaml.safe_load(wanted(wish)[wish.workflow])
    return found


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    """A forge with a change that brings a tenant, and its merge commit."""
    made = forge(tmp_path)
    change(tmp_path, made, TWO)
    merged(tmp_path, made)
    return made


class Machine:
    """Runs the commands of a job, except the installation."""

    def __init__(self, folder: Path, workspace: Path, **variables: str) -> None:
        self.workspace, self.variables = workspace, variables
        temp = folder / "temp"
        temp.mkdir()
        Runner(workspace, temp).install()
        self.summary = temp / "summary.md"
        self.path = f"{temp / 'ipam-requirements-check' / 'bin'}:{os.environ['PATH']}"

    def run(self, command: str, **own: str) -> tuple[int, str]:
        done = subprocess.run(
            ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", command],
            cwd=self.workspace,
            env={
                **{"PATH": self.path, "HOME": str(self.workspace.parent), "CI": "true"},
                **{"LC_ALL": "C.UTF-8", "GITHUB_STEP_SUMMARY": str(self.summary)},
                **self.variables,
                **own,
            },
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout


def steps_of(
    job: dict[str, Any], contexts: dict[str, str]
) -> Iterator[tuple[str, str, dict[str, str]]]:
    """Name, command and variables of each step that runs ipam."""
    for step in job["steps"]:
        if "run" in step and step["name"] != "Install":
            own = {key: evaluated(str(it), contexts) for key, it in step.get("env", {}).items()}
            yield step["name"], step["run"], own


def shadowed(workspace: Path) -> Path:
    """A checkout with tags that could choose or block the base of a check."""
    for name in ("main", "origin/main"):
        git(workspace, "tag", name, "HEAD")
    return workspace


def ran(machine: Machine, job: dict[str, Any], contexts: dict[str, str]) -> dict[str, str]:
    said = {}
    for name, command, own in steps_of(job, contexts):
        assert "${{" not in command
        code, said[name] = machine.run(command, **own)
        assert code == 0, said[name]
    return said


@pytest.mark.parametrize("kind", [Forge.GITHUB, Forge.GITEA])
def test_a_pull_request_and_its_merge(tmp_path: Path, bare: Path, kind: Forge) -> None:
    jobs = jobs_of(kind)["jobs"]
    # GitHub lays out the merge commit, Gitea the head of the change.
    ref = "refs/pull/1/merge" if kind is Forge.GITHUB else "change"
    machine = Machine(tmp_path, shadowed(checked_out(tmp_path, bare, ref)))
    contexts = {"github.base_ref": "main", "github.token": "secret-token"}
    said = ran(machine, jobs["check"], contexts)
    assert list(said) == ["Check", "Plan"]
    assert "tenants/two.yaml:1" in said["Plan"]
    if kind is Forge.GITHUB:
        assert machine.summary.read_text("utf-8").startswith("<!-- ipam -->")
    git(bare, "update-ref", "refs/heads/main", git(bare, "rev-parse", "refs/pull/1/merge"))
    (tmp_path / "after").mkdir()
    after = Machine(tmp_path / "after", checked_out(tmp_path / "after", bare, "main"))
    said = ran(after, jobs["reconcile"], {**contexts, "inputs.allow-release": "2"})
    assert list(said) == ["Show the plan", "Reconcile"]
    assert "tenants/two.yaml:1" in said["Show the plan"]
    assert "secret-token" not in "".join(said.values())
    assert RECORD in git(bare, "ls-tree", "-r", "--name-only", "main")
    assert "Ipam-Allow-Release: 2" in git(bare, "log", "-1", "--format=%B", "main")


def test_a_merge_request_of_gitlab_and_its_merge(tmp_path: Path, bare: Path) -> None:
    jobs = jobs_of(Forge.GITLAB)
    machine = Machine(
        tmp_path,
        shadowed(checked_out(tmp_path, bare, "change")),
        CI_MERGE_REQUEST_TARGET_BRANCH_NAME="main",
        CI_PROJECT_URL=str(bare).removesuffix(".git"),
    )
    said = [machine.run(command) for command in jobs["ipam-check"]["script"]]
    assert [code for code, _ in said] == [0, 0], said
    assert "tenants/two.yaml:1" in said[0][1]
    reports = jobs["ipam-check"]["artifacts"]["reports"]
    kept = {name: (machine.workspace / path).read_text("utf-8") for name, path in reports.items()}
    assert kept["codequality"].strip() == "[]"
    assert ElementTree.fromstring(kept["junit"]).get("failures") == "0"
    assert "IPAM_RESULT_EXIT_CODE=0\n" in kept["dotenv"]
    git(bare, "update-ref", "refs/heads/main", git(bare, "rev-parse", "refs/pull/1/merge"))
    shown, done = jobs["ipam-reconcile"]["script"]
    # A runner runs all lines in one shell, so a failure of the first line ends the job.
    before = git(bare, "rev-parse", "main")
    code, text = machine.run(f"{shown}\n{done}", IPAM_DRY_RUN="1")
    assert (code, git(bare, "rev-parse", "main")) == (0, before), text
    code, text = machine.run(f"{shown}\n{done}", IPAM_GIT_TOKEN="secret-token")
    assert (code, "secret-token" in text) == (0, False), text
    assert RECORD in git(bare, "ls-tree", "-r", "--name-only", "main")
