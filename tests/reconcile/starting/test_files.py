"""Files of a new repository: `check` has no findings, and CI works as documented."""

from os.path import normpath
from pathlib import Path

import pytest
import yaml
from msgspec.structs import replace

from reconciler.model.errors import UsageError
from reconciler.model.plan import Grant
from reconciler.model.settings import Settings
from reconciler.planning.settings import read_settings
from reconciler.reconcile.init import (
    UNNAMED,
    WORKFLOWS,
    Beginning,
    Forge,
    InitOptions,
    Start,
    examples,
    schemas,
    wanted,
)
from tests.caches import ROOT
from tests.documentation import blocks, shown_ci, shown_comment, with_ci
from tests.world import evaluation_of

WISH = InitOptions("main", None, "gitops-ipam", Beginning.EXAMPLES)


def ci(forge: Forge, branch: str = "main", package: str = UNNAMED) -> str:
    """Return the CI files for a forge."""
    return wanted(InitOptions(branch, forge, package, Beginning.EMPTY))[WORKFLOWS[forge]]


def test_the_example_plans_one_claim_and_nothing_is_found() -> None:
    files: dict[str, str | bytes] = {
        path: text for path, text in wanted(WISH).items() if path.endswith(".yaml")
    }
    evaluation = evaluation_of(files)
    assert evaluation.findings == ()
    assert evaluation.gates == ()
    assert len([it for it in evaluation.plan.decisions if isinstance(it, Grant)]) == 1


def test_its_settings_are_the_defaults_written_out() -> None:
    text = wanted(WISH)["ipam.yaml"]
    settings, findings = read_settings(text.encode())
    assert findings == ()
    default = Settings()
    for name in ("thresholds", "gate", "retention", "max_release_percent", "min_records"):
        assert getattr(settings, name) == getattr(default, name), name


@pytest.mark.parametrize("start", list(Start))
def test_every_document_names_the_schema_that_is_written_beside_it(start: Start) -> None:
    found = wanted(replace(WISH, start=start))
    for path in ["ipam.yaml", *examples(start)]:
        schema = found[path].splitlines()[0].partition("$schema=")[2]
        assert normpath(Path(path).parent / schema) in schemas(start.kinds)


@pytest.mark.parametrize("forge", list(Forge))
def test_ci_is_written_for_the_branch_and_the_package(forge: Forge) -> None:
    text = ci(forge, "trunk", "git+https://git.example.com/ipam@0123")
    assert "__" not in text
    assert "main" not in text
    assert "ipam reconcile" in text
    assert "--branch trunk" in text
    assert "IPAM_PACKAGE: git+https://git.example.com/ipam@0123\n" in text
    assert yaml.safe_load(text)


COMMIT = "0123456789abcdef0123456789abcdef01234567"
PINNED = f"git+https://github.com/acme/gitops-ipam.git@{COMMIT}"


@pytest.mark.parametrize("root", ["", "infra/ipam"])
def test_a_package_that_is_a_commit_on_github_is_used_by_its_actions(root: str) -> None:
    wish = InitOptions("trunk", Forge.GITHUB, PINNED, Beginning.EMPTY, root)
    text = wanted(wish)[wish.workflow]
    assert "__" not in text
    assert "pip" not in text
    workflow = yaml.safe_load(text)
    assert workflow.get("env", {}) == ({"IPAM_ROOT": root} if root else {})
    used = {name: job["steps"][-1] for name, job in workflow["jobs"].items()}
    assert {name: step["uses"] for name, step in used.items()} == {
        name: f"acme/gitops-ipam/.github/actions/{name}@{COMMIT}" for name in ("check", "reconcile")
    }
    assert used["reconcile"]["with"]["branch"] == "trunk"
    inputs = yaml.safe_load((ROOT / ".github/actions/reconcile/action.yml").read_text())["inputs"]
    assert used["reconcile"]["with"].keys() <= inputs.keys()


@pytest.mark.parametrize("root", ["", "infra/ipam"])
def test_the_comment_is_written_by_a_workflow_of_the_branch_that_lays_nothing_out(
    root: str,
) -> None:
    wish = InitOptions("trunk", Forge.GITHUB, PINNED, Beginning.EMPTY, root)
    files = wanted(wish)
    assert wish.comment == (
        "../../.github/workflows/ipam-infra-ipam-comment.yml"
        if root
        else ".github/workflows/ipam-comment.yml"
    )
    assert "__" not in files[wish.comment]
    workflow = yaml.safe_load(files[wish.comment])
    checks = yaml.safe_load(files[wish.workflow])
    assert workflow[True] == {
        "workflow_run": {"workflows": [checks["name"]], "types": ["completed"]}
    }
    assert workflow["permissions"] == {}
    assert workflow.get("env", {}) == ({"IPAM_ROOT": root} if root else {})
    (job,) = workflow["jobs"].values()
    assert job["permissions"] == {"contents": "read", "pull-requests": "write", "statuses": "write"}
    (step,) = job["steps"]
    assert step == {
        "uses": f"acme/gitops-ipam/.github/actions/comment@{COMMIT}",
        "with": {"branch": "trunk"},
    }
    slug = "-infra-ipam" if root else ""
    assert job["concurrency"]["group"].startswith(f"ipam-comment{slug}-${{{{")


def test_what_is_installed_is_installed_where_no_file_of_a_change_is() -> None:
    for forge in (Forge.GITHUB, Forge.GITEA):
        for job in yaml.safe_load(ci(forge))["jobs"].values():
            assert [step.get("name") for step in job["steps"][:2]] == ["Install", None]
    lines = [it for it in ci(Forge.GITLAB).splitlines() if "bin/pip install" in it]
    assert all(it.startswith("    - (cd / && ") for it in lines)


@pytest.mark.parametrize("forge", [Forge.GITHUB, Forge.GITEA, Forge.FORGEJO, Forge.GITLAB])
def test_what_the_package_needs_is_installed_by_its_hashes_only(forge: Forge) -> None:
    """pip has no hashes for commits, so the package is installed separately, with a lock of the others."""
    lines = [it for it in ci(forge).splitlines() if "pip" in it and " install " in it]
    packages = [it for it in lines if '"$IPAM_PACKAGE"' in it]
    others = [it for it in lines if it not in packages and "apt-get" not in it]
    assert packages
    assert len(packages) == len(others)
    assert all("--no-deps" in it for it in packages)
    for line in others:
        assert "--require-hashes -r " in line
        assert "/reconciler/shipped/requirements.lock" in line


@pytest.mark.parametrize("package", [UNNAMED, PINNED])
@pytest.mark.parametrize("forge", [Forge.GITHUB, Forge.GITEA, Forge.FORGEJO, Forge.GITLAB])
def test_records_are_proposed_on_a_branch_where_the_main_one_is_protected(
    forge: Forge, package: str
) -> None:
    wish = InitOptions("main", forge, package, Beginning.EMPTY, to_branch="bot/records")
    text = wanted(wish)[WORKFLOWS[forge]]
    found = yaml.safe_load(text)
    assert "__TO_BRANCH__" not in text
    job = found["ipam-reconcile"] if forge is Forge.GITLAB else found["jobs"]["reconcile"]
    steps = [job, *job.get("steps", [])]
    said = [{**it.get("variables", {}), **it.get("env", {}), **it.get("with", {})} for it in steps]
    named = [it.get("IPAM_TO_BRANCH", it.get("to-branch")) for it in said]
    assert named.count("bot/records") == 1
    if forge is Forge.GITHUB:
        assert job["permissions"]["pull-requests"] == "write"
        assert "gh pr create" in steps[-1]["run"]
        assert "bot/records" in str(found["jobs"]["check"]["steps"])
    plain = wanted(InitOptions("main", forge, package, Beginning.EMPTY))[WORKFLOWS[forge]]
    assert not any(word in plain for word in ("TO_BRANCH", "to-branch", "gh pr create", "bot/"))


NO_NAMES = ("-x", "x..y", "x.lock", "a b", "$(id)", "x'y", 'a"b', "é", "a\nb")


@pytest.mark.parametrize(
    ("branch", "proposals"),
    [*((it, "") for it in NO_NAMES), *(("main", it) for it in (*NO_NAMES, "main"))],
)
def test_a_branch_that_would_be_more_than_a_name_in_ci_is_refused(
    branch: str, proposals: str
) -> None:
    with pytest.raises(UsageError, match="branch"):
        wanted(InitOptions(branch, Forge.GITHUB, "x", Beginning.EMPTY, to_branch=proposals))


@pytest.mark.parametrize("forge", [Forge.GITHUB, Forge.GITLAB, Forge.GITEA])
def test_the_page_of_ci_shows_what_init_writes(forge: Forge) -> None:
    page = (ROOT / "docs" / "how-to" / f"ci-{forge.value}.md").read_text()
    assert with_ci(page) == page, "python -m tests.documentation writes the page"
    assert ci(forge) in [block.text for block in blocks(page) if block.language == "yaml"]


def test_the_pages_of_ci_show_the_workflows_of_the_actions() -> None:
    folder = ROOT / "docs" / "how-to"
    assert shown_ci(Forge.GITHUB, by_action=True) in (folder / "ci-github.md").read_text()
    page = (folder / "required-status.md").read_text()
    assert with_ci(page) == page, "python -m tests.documentation writes the page"
    assert shown_comment() in page


@pytest.mark.parametrize("forge", [Forge.GITHUB, Forge.GITEA])
def test_no_job_has_a_right_that_it_does_not_name_or_a_command_of_a_stranger(forge: Forge) -> None:
    workflow = yaml.safe_load(ci(forge))
    assert workflow["permissions"] == {}
    assert workflow["jobs"]["check"]["permissions"] == {"contents": "read"}
    for job in workflow["jobs"].values():
        assert "timeout-minutes" in job
        for step in job["steps"]:
            assert "${{" not in step.get("run", "")
            if "uses" in step:
                assert len(step["uses"].partition("@")[2]) == 40
                assert step["with"]["persist-credentials"] is False


def test_our_own_hook_and_theirs_run_the_same_check() -> None:
    theirs = yaml.safe_load(wanted(WISH)[".pre-commit-config.yaml"])["repos"][0]["hooks"][0]
    (ours,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    same = ("id", "name", "entry", "pass_filenames", "always_run")
    assert {name: theirs[name] for name in same} == {name: ours[name] for name in same}
    assert (theirs["language"], ours["language"]) == ("system", "python")
