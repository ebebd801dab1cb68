"""Linters and schemas of CI services accept our workflows, and the files of `ipam init`."""

import json
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft7Validator

from reconciler.reconcile.init import UNNAMED, Beginning, Forge, InitOptions, wanted
from tests.documentation import ROOT, blocks
from tests.envtest.assets import actionlint
from tests.forges.running import ACTIONS
from tests.world import git

SCHEMAS = Path(__file__).parent / "schemas"
COMMIT = "0123456789abcdef0123456789abcdef01234567"
PACKAGES = (UNNAMED, "gitops-ipam==0.1.0", f"git+https://github.com/acme/gitops-ipam@{COMMIT}")


def written(forge: Forge, package: str, root: str = "") -> str:
    wish = InitOptions("main", forge, package, Beginning.EMPTY, root)
    return wanted(wish)[wish.workflow]


def merging() -> str:
    """The job that merges by the contract of a team, as the page shows it, behind a check."""
    page = (ROOT / "docs/how-to/team-self-service.md").read_text(encoding="utf-8")
    (job,) = [it.text for it in blocks(page) if it.text.startswith("  merge:\n")]
    found = re.search(r"# with `(outputs: .*)`$", job, re.MULTILINE)
    assert found is not None
    return (
        "name: merging\non: pull_request\npermissions: {}\n"
        "concurrency: {group: merging, cancel-in-progress: true}\njobs:\n"
        "  check:\n    name: check\n    runs-on: ubuntu-24.04\n    permissions: {}\n"
        f"    {found[1]}\n    steps:\n"
        f"      - {{id: ipam, uses: acme/gitops-ipam/.github/actions/check@{COMMIT}}}\n{job}"
    )


@pytest.fixture
def shipped(tmp_path: Path) -> Path:
    """All workflows and actions in the layout of a repository, so that linters recognize them."""
    git(tmp_path, "init", "-q")
    workflows = tmp_path / ".github" / "workflows"
    workflows.mkdir(parents=True)
    for path in [*ROOT.glob(".github/**/*.yml"), *ROOT.glob(".github/*.yaml")]:
        target = tmp_path / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(path.read_bytes())
    for number, package in enumerate(PACKAGES):
        for root in ("", "infra/ipam", "of dc1/ä: x"):
            name = f"init-{number}-{len(root)}.yml"
            (workflows / name).write_text(written(Forge.GITHUB, package, root))
            wish = InitOptions("main", Forge.GITHUB, package, Beginning.EMPTY, root)
            if wish.comment:
                (workflows / f"comment-{name}").write_text(wanted(wish)[wish.comment])
    (workflows / "gitea.yml").write_text(written(Forge.GITEA, UNNAMED))
    (workflows / "merging.yml").write_text(merging())
    return tmp_path


@pytest.mark.served
def test_actionlint_finds_nothing(shipped: Path) -> None:
    done = subprocess.run(
        [str(actionlint()), "-no-color", "-shellcheck=", "-pyflakes="],
        cwd=shipped,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, ""), done.stderr


def test_zizmor_finds_nothing(shipped: Path) -> None:
    zizmor = str(Path(sys.executable).parent / "zizmor")
    done = subprocess.run(
        [zizmor, "--offline", "--no-progress", "--collect=all", "."],
        cwd=shipped,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    assert "No findings to report" in done.stdout


def _errors(schema: str, document: Any) -> list[str]:
    validator = Draft7Validator(json.loads((SCHEMAS / schema).read_text()))
    return [f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)]


@pytest.mark.parametrize(
    "path", sorted(ACTIONS.glob("*/action.yml")), ids=lambda it: it.parent.name
)
def test_an_action_is_one_by_its_schema(path: Path) -> None:
    assert _errors("github-actions.json", yaml.safe_load(path.read_text())) == []


@pytest.mark.parametrize("root", ["", "infra/ipam"])
@pytest.mark.parametrize("package", PACKAGES)
def test_what_init_writes_for_gitlab_is_right_by_its_schema(package: str, root: str) -> None:
    wish = InitOptions("main", Forge.GITLAB, package, Beginning.EMPTY, root)
    jobs = yaml.safe_load(wanted(wish)[wish.workflow])
    assert _errors("gitlab-ci.json", jobs) == []
    own = {"IPAM_PACKAGE": package, "GIT_DEPTH": "0"} | ({"IPAM_ROOT": root} if root else {})
    assert jobs[".ipam"]["variables"] == own


def test_what_gitlab_includes_is_right_and_does_what_init_writes() -> None:
    shipped = (ROOT / "deploy" / "ci" / "gitlab.yml").read_text()
    assert _errors("gitlab-ci.json", yaml.safe_load(shipped)) == []
    own = written(Forge.GITLAB, UNNAMED)
    same = own.partition("\n.ipam:\n")[2]
    same = re.sub(r"^ +IPAM_PACKAGE: .*\n", "", same, flags=re.MULTILINE)
    same = same.replace('== "main"', "== $CI_DEFAULT_BRANCH")
    same = same.replace("--branch main", '--branch "$CI_DEFAULT_BRANCH"')
    assert shipped.partition("\n.ipam:\n")[2] == same
