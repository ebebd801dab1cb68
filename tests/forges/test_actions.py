"""Each step of the actions is run, as a runner runs it, with a bare repository for a forge."""

import json
from pathlib import Path

import pytest

from tests.forges.running import Runner, action
from tests.world import SMALL, commit, git, repository, tenant, write

SETTINGS = (
    "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: settings}\nspec:\n"
)
# Eight addresses each: with the one that is there already, 248 of 254.
FULL = "---\n".join(tenant(f"t{number}") for number in range(30))


def forge(folder: Path) -> Path:
    """A bare repository, whose main is reconciled."""
    first = repository(folder / "first", SMALL)
    git(folder, "clone", "-q", "--bare", str(first), str(folder / "forge.git"))
    return folder / "forge.git"


def change(folder: Path, bare: Path, *commits: dict[str, str]) -> None:
    """A branch `change` on the forge, with a commit for each set of files."""
    clone = folder / "person"
    git(folder, "clone", "-q", str(bare), str(clone))
    git(clone, "switch", "-q", "-c", "change")
    for number, files in enumerate(commits):
        write(clone, files)
        commit(clone, f"change {number}")
    git(clone, "push", "-q", "origin", "change")


def merged(folder: Path, bare: Path) -> None:
    """The merge commit of the change, as a forge makes it: on no branch."""
    clone = folder / "merging"
    git(folder, "clone", "-q", str(bare), str(clone))
    git(clone, "merge", "-q", "--no-ff", "-m", "merge", "origin/change")
    git(clone, "push", "-q", "origin", "HEAD:refs/pull/1/merge")


def checked_out(folder: Path, bare: Path, ref: str) -> Path:
    """Create a checkout like `actions/checkout`."""
    work = folder / "work"
    git(folder, "init", "-q", "-b", "main", str(work))
    git(work, "remote", "add", "origin", str(bare))
    refs = (f"{ref}:refs/remotes/origin/it", "main:refs/remotes/origin/main")
    git(work, "fetch", "-q", "origin", *refs)
    if ref == "main":
        git(work, "switch", "-q", "-C", "main", "--track", "origin/main")
    else:
        git(work, "checkout", "-q", "--detach", "refs/remotes/origin/it")
    return work


@pytest.fixture
def bare(tmp_path: Path) -> Path:
    return forge(tmp_path)


def runner(folder: Path, bare: Path, ref: str, event: str = "pull_request") -> Runner:
    temp = folder / "temp"
    temp.mkdir(exist_ok=True)
    made = Runner(checked_out(folder, bare, ref), temp, event)
    made.install()
    return made


def pull_request(folder: Path, bare: Path, *commits: dict[str, str]) -> Runner:
    change(folder, bare, *commits)
    merged(folder, bare)
    return runner(folder, bare, "refs/pull/1/merge")


def test_a_pull_request_gets_addresses_a_digest_and_a_file_for_a_comment(
    tmp_path: Path, bare: Path
) -> None:
    used = pull_request(tmp_path, bare, {"tenants/two.yaml": tenant("two")}).use("check")
    assert used.code == 0, used.log
    given = {name: used.outputs[name] for name in ("exit-code", "changed", "sarif", "junit")}
    assert given == {"exit-code": "0", "changed": "true", "sarif": "", "junit": ""}
    assert used.outputs["digest"].startswith("sha256:")
    comment = Path(used.outputs["markdown"]).read_text()
    assert comment.startswith("<!-- ipam -->")
    assert "team-a/two" in comment
    assert used.summary == comment
    assert "::group::The plan of merging now" in used.log
    assert git(tmp_path / "work", "status", "--porcelain") == "", (
        "nothing is laid into the checkout"
    )


def test_after_the_merge_the_action_commits_what_the_check_said(tmp_path: Path, bare: Path) -> None:
    told = pull_request(tmp_path, bare, {"tenants/two.yaml": tenant("two")}).use("check")
    git(bare, "update-ref", "refs/heads/main", git(bare, "rev-parse", "refs/pull/1/merge"))
    (tmp_path / "after").mkdir()
    after = runner(tmp_path / "after", bare, "main", "push")
    after.contexts = {"github.ref_name": "main", "github.token": "secret-token"}
    used = after.use("reconcile")
    assert used.code == 0, used.log
    assert used.outputs["digest"] == told.outputs["digest"]
    assert used.outputs["changed"] == "true"
    assert used.outputs["commit"] == git(bare, "rev-parse", "main")
    assert "secret-token" not in used.log
    again = after.use("reconcile")
    assert (again.code, again.outputs["changed"], again.outputs["commit"]) == (0, "false", "")


def test_a_dry_run_shows_the_plan_and_writes_nothing(tmp_path: Path, bare: Path) -> None:
    before = git(bare, "for-each-ref")
    after = runner(tmp_path, bare, "main", "workflow_dispatch")
    after.contexts = {"github.ref_name": "main"}
    used = after.use("reconcile", dry_run="true", allow_release="3")
    assert (used.code, used.outputs["changed"], used.outputs["commit"]) == (0, "true", "")
    assert "team-a/one" in used.log
    assert "team-a/one" in used.summary
    assert git(bare, "for-each-ref") == before


@pytest.mark.parametrize(
    ("files", "code", "said"),
    [
        ({"tenants/two.yaml": tenant("two", workers="{replicas: many}")}, "1", "::error file=tenants/two.yaml"),
        ({"tenants/many.yaml": FULL}, "3", "::error"),
    ],
    ids=["wrong", "gate"],
)  # fmt: skip
def test_a_check_that_fails_gives_its_outputs_all_the_same(
    tmp_path: Path, bare: Path, files: dict[str, str], code: str, said: str
) -> None:
    used = pull_request(tmp_path, bare, files).use("check", sarif="true", junit="true")
    assert (str(used.code), used.outputs["exit-code"]) == (code, code)
    assert said in used.log
    assert json.loads(Path(used.outputs["sarif"]).read_text())["runs"]
    assert Path(used.outputs["junit"]).read_text().startswith("<?xml")
    assert used.summary != ""


def test_a_merge_group_that_was_rebased_is_checked_from_the_base_that_it_names(
    tmp_path: Path, bare: Path
) -> None:
    # The first commit fills the pool and takes the gate away that would stop that.
    loose = {"ipam.yaml": f"{SETTINGS}  gate: never\n", "tenants/many.yaml": FULL}
    change(tmp_path, bare, loose, {"notes.md": "x\n"})
    queue = runner(tmp_path, bare, "change", "merge_group")
    queue.contexts = {"github.event.merge_group.base_sha": git(bare, "rev-parse", "main")}
    assert queue.use("check").code == 3
    assert queue.use("check", base="HEAD^1").code == 0, "by its own Settings"


def test_a_head_that_is_no_merge_commit_is_refused_with_what_to_change(
    tmp_path: Path, bare: Path
) -> None:
    change(tmp_path, bare, {"tenants/two.yaml": tenant("two")})
    head = runner(tmp_path, bare, "change")
    used = head.use("check")
    assert (used.code, used.outputs["exit-code"]) == (64, "64")
    assert "Leave ref out of actions/checkout, or say base" in used.log
    assert head.use("check", base="origin/main").code == 0


def test_a_merge_that_the_author_of_a_change_made_is_refused(tmp_path: Path, bare: Path) -> None:
    head = pull_request(tmp_path, bare, {"tenants/two.yaml": tenant("two")})
    head.contexts = {"github.event.pull_request.head.sha": git(bare, "rev-parse", "main")}
    assert head.use("check").code == 64
    head.contexts = {"github.event.pull_request.head.sha": git(bare, "rev-parse", "change")}
    assert head.use("check").code == 0


@pytest.mark.parametrize("word", ['a";touch owned;"', "$(touch owned)", "--help", "`touch owned`"])
def test_no_input_becomes_a_command(tmp_path: Path, bare: Path, word: str) -> None:
    made = runner(tmp_path, bare, "main", "push")
    made.contexts = {"github.ref_name": word}
    assert made.use("reconcile").code != 0
    made.use("check", base=word, root=word, args=word)
    assert not [*tmp_path.rglob("owned")]


def test_what_stands_in_a_result_is_no_command_of_the_runner(tmp_path: Path, bare: Path) -> None:
    made = runner(tmp_path, bare, "main", "push")
    made.contexts = {"github.ref_name": "main"}
    log = made.use("reconcile").log
    token = log.partition("::stop-commands::")[2].split("\n", 1)[0]
    assert len(token) == 32
    assert log.index("::stop-commands::") < log.index("Plan for ") < log.index(f"\n::{token}::\n")


def test_an_apply_installs_what_clusters_need_and_nothing_else_does(
    tmp_path: Path, bare: Path
) -> None:
    made = runner(tmp_path, bare, "main", "push")
    made.contexts = {"github.ref_name": "main"}
    made.install("requirements")
    used = made.use("reconcile", apply="true")
    assert used.code == 0, used.log
    assert "no cluster configured" in used.log
    assert "--no-apply" in made.use("reconcile").log
    (install, _) = action("reconcile")["runs"]["steps"]
    assert "requirements.lock" in install["env"]["LOCK"]


def test_the_action_installs_itself_by_hash_and_no_file_of_the_checkout_runs(
    tmp_path: Path, bare: Path
) -> None:
    # Each is a module that Python or pip would take from the folder that they are started in.
    trap = "import pathlib; pathlib.Path(__file__).with_name('owned').touch()\n"
    names = ("venv", "pip", "json", "ensurepip", "hatchling", "reconciler", "sitecustomize")
    change(tmp_path, bare, {f"{name}.py": trap for name in names})
    merged(tmp_path, bare)
    work = checked_out(tmp_path, bare, "refs/pull/1/merge")
    (tmp_path / "temp").mkdir()
    made = Runner(work, tmp_path / "temp")
    used = made.use("check")
    assert used.code == 0, used.log
    assert used.outputs["digest"].startswith("sha256:")
    assert not [*tmp_path.rglob("owned")]
    packages = made.temp / "ipam-requirements-check" / "lib"
    assert [*packages.glob("*/site-packages/reconciler")]
    assert not [*packages.glob("*/site-packages/kubernetes")]
