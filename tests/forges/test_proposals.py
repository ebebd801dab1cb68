"""Proposals of reconcile, and copies of them by another author, which have another branch."""

from pathlib import Path

import pytest

from reconciler.cli import run
from tests.cli.running import given_out
from tests.forges.commenting import describe
from tests.forges.forge import Forge
from tests.forges.test_actions import runner
from tests.world import CLOCK, SMALL, commit, git, tenant

RECORDS = "ipam/records"
OURS, FORK = "acme/addresses", "stranger/addresses"


def proposed(folder: Path, place: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A forge with a proposal of reconcile for an ended retention, and the head of its branch."""
    first = given_out(folder / "first", {**SMALL, "tenants/two.yaml": tenant("two")})
    (first / "tenants/two.yaml").unlink()
    commit(first, "two goes", clock=CLOCK + 60)
    assert run(["reconcile", "--repo", str(first)]) == 0
    monkeypatch.setattr("reconciler.cli.options.now", lambda: CLOCK + 3 * 86_400)
    assert run(["reconcile", "--repo", str(first), "--no-apply", "--to-branch", RECORDS]) == 0
    assert git(first, "log", "-1", "--format=%s", RECORDS) == "ipam: expire 1"
    git(folder, "clone", "-q", "--bare", str(first), str(place))
    git(place, "update-ref", "refs/pull/1/head", RECORDS)
    merging = folder / "merging"
    git(folder, "clone", "-q", str(place), str(merging))
    git(merging, "merge", "-q", "--no-ff", "-m", "merge", f"origin/{RECORDS}")
    git(merging, "push", "-q", "origin", "HEAD:refs/pull/1/merge")
    return git(place, "rev-parse", RECORDS)


@pytest.mark.parametrize(
    ("event", "branch", "repository", "code"),
    [
        ("pull_request", RECORDS, OURS, 0),
        ("pull_request", RECORDS, FORK, 1),
        ("pull_request", "change", OURS, 1),
        ("merge_group", "", "", 0),
        ("push", "", "", 0),
    ],
)
def test_what_is_proposed_counts_as_the_tip_of_its_own_branch(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    event: str,
    branch: str,
    repository: str,
    code: int,
) -> None:
    place = tmp_path / "forge.git"
    tip = proposed(tmp_path, place, monkeypatch)
    job = runner(tmp_path, place, "refs/pull/1/merge", event)
    job.env = {"GITHUB_REPOSITORY": OURS}
    job.contexts = {
        "github.event.merge_group.base_sha": git(place, "rev-parse", "main"),
        "github.event.pull_request.head.repo.full_name": repository,
        "github.event.pull_request.head.sha": tip if event == "pull_request" else "",
        "github.head_ref": branch,
    }
    used = job.use("check", proposals=RECORDS)
    assert used.code == code, used.log
    assert ("commit-carried" in used.log) is bool(code)
    if event != "push":  # the branch already has it
        assert job.use("check").code == 1, "no branch is named"


@pytest.mark.parametrize("event", ["pull_request", "merge_group"])
def test_so_it_does_for_the_action_that_comments(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, forge: Forge, event: str
) -> None:
    place = tmp_path / forge.name
    tip = proposed(tmp_path, place, monkeypatch)
    head, branch = tip, "change"
    if event == "merge_group":
        head = git(place, "rev-parse", "refs/pull/1/merge")
        branch = f"gh-readonly-queue/main/pr-1-{git(place, 'rev-parse', 'main')}"
        git(place, "update-ref", f"refs/heads/{branch}", head)
    else:
        forge.pull(tip)
    for inputs, code in (({"proposals": RECORDS}, "0"), ({"proposals": "other"}, "1"), ({}, "1")):
        used = describe(tmp_path, forge, head, inputs=inputs, event=event, head_branch=branch)
        assert (used.code, used.outputs["exit-code"]) == (0, code), used.log
    named = describe(tmp_path, forge, head, inputs={"proposals": "--upload-pack=x"}, event=event,
                 head_branch=branch)  # fmt: skip
    assert (named.code, named.outputs["exit-code"]) == (1, ""), named.log
