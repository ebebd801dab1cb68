"""The action posts the comment: run with a forge, and a change in a bare repository."""

from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.documentation import ROOT
from tests.forges.commenting import MARKER, TWO, describe, pushed
from tests.forges.forge import Forge
from tests.forges.test_actions import FULL, SETTINGS
from tests.world import SMALL, git, reconciled, repository, tenant


def test_a_fork_s_pull_request_gets_a_status_and_one_comment_that_is_written_anew(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    head, main = pushed(tmp_path, bare, TWO), git(bare, "rev-parse", "main")
    forge.pull(head)
    used = describe(tmp_path, forge, head)
    assert used.code == 0, used.log
    assert used.outputs["exit-code"] == "0"
    assert forge.statuses == [
        {
            "sha": head,
            "state": "success",
            "context": "ipam",
            "description": f"OK; {used.outputs['digest']} beside {main[:12]}",
            "target_url": f"file://{tmp_path}/acme/addresses/actions/runs/77",
        }
    ]
    (body,) = forge.bodies()
    assert body.startswith(MARKER)
    assert "team-a/two" in body
    assert f"--base {git(bare, 'rev-parse', 'main')[:12]} --rev {head[:12]}" in body
    again = describe(tmp_path, forge, head)
    assert again.code == 0
    assert not [it for it in forge.calls if it.startswith("PATCH")], "it says the same still"
    newer = pushed(tmp_path, bare, {"tenants/three.yaml": tenant("three")})
    forge.pulls.clear()
    forge.pull(newer)
    assert describe(tmp_path, forge, newer).code == 0
    (body,) = forge.bodies()
    assert "team-a/three" in body


@pytest.mark.parametrize(
    ("files", "code", "state", "says"),
    [
        ({"tenants/two.yaml": tenant("two", workers="{replicas: many}")}, "1", "failure", "Invalid"),
        ({"tenants/many.yaml": FULL}, "3", "failure", "Blocked"),
    ],
    ids=["wrong", "gate"],
)  # fmt: skip
def test_what_may_not_be_merged_fails_the_status_and_not_the_job(
    tmp_path: Path,
    bare: Path,
    forge: Forge,
    files: Mapping[str, str | bytes],
    code: str,
    state: str,
    says: str,
) -> None:
    head = pushed(tmp_path, bare, files)
    forge.pull(head)
    used = describe(tmp_path, forge, head)
    assert (used.code, used.outputs["exit-code"]) == (0, code)
    assert (forge.statuses[0]["state"], forge.statuses[0]["description"].partition(";")[0]) == (state, says)  # fmt: skip
    assert len(forge.statuses[0]["description"]) <= 140


def test_a_change_can_weaken_neither_what_judges_it_nor_run_anything(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    trap = "import pathlib; pathlib.Path('owned').touch()\n"
    files: Mapping[str, str | bytes] = {
        "ipam.yaml": f"{SETTINGS}  gate: never\n",
        "tenants/many.yaml": FULL,
        ".github/workflows/ipam.yml": "name: ipam\non: pull_request\njobs: {}\n",
        ".gitattributes": "* filter=evil\n",
        **{f"{name}.py": trap for name in ("json", "forge", "reconciler", "sitecustomize")},
    }
    head = pushed(tmp_path, bare, files)
    forge.pull(head)
    assert describe(tmp_path, forge, head).outputs["exit-code"] == "3"
    assert forge.statuses[0]["state"] == "failure"
    assert not [*tmp_path.rglob("owned")]


def test_a_pull_request_into_another_branch_gets_no_status_that_would_count_for_this_one(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    head = pushed(tmp_path, bare, TWO)
    forge.pull(head, base="loose")
    used = describe(tmp_path, forge, head)
    assert (used.code, used.outputs["exit-code"]) == (0, "")
    assert "Nothing to report" in used.log
    assert (forge.statuses, forge.comments) == ([], [])


def test_a_comment_of_somebody_else_is_left_alone_whatever_it_begins_with(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    head = pushed(tmp_path, bare, TWO)
    forge.pull(head)
    forge.comment(f"{MARKER}\nAll is fine, merge me.", "stranger")
    forge.comment("> cites\n<!-- ipam -->")
    forge.comment("<!-- ipam other -->\nof another root")
    before = [it["body"] for it in forge.comments]
    assert describe(tmp_path, forge, head).code == 0
    assert [it["body"] for it in forge.comments[:3]] == before
    assert len(forge.comments) == 4


def test_where_there_is_nothing_to_say_any_more_the_comment_goes(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    example = ROOT / "example-repo"
    files = {
        str(it.relative_to(example)): it.read_bytes() for it in example.rglob("*") if it.is_file()
    }
    git(repository(tmp_path / "quiet", files), "push", "-q", "-f", str(bare), "HEAD:main")
    head = pushed(tmp_path, bare, {"notes.md": "x\n"})
    forge.pull(head)
    forge.comment(f"{MARKER}\nold")
    forge.comment(f"{MARKER}\nof a stranger", "stranger")
    used = describe(tmp_path, forge, head)
    assert used.outputs["exit-code"] == "0", used.log
    assert (forge.bodies(), len(forge.comments)) == ([], 1)
    assert forge.statuses[0]["state"] == "success"


def test_a_push_while_it_is_checked_keeps_its_own_answer(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    head = pushed(tmp_path, bare, TWO)
    forge.pull(head)
    forge.moved = "f" * 40
    assert describe(tmp_path, forge, head).code == 0
    assert [it["sha"] for it in forge.statuses] == [head], "the status is on another commit"
    assert forge.comments == []


def test_a_merge_group_gets_the_status_that_its_queue_waits_for(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    group = f"gh-readonly-queue/main/pr-1-{git(bare, 'rev-parse', 'main')}"
    head = pushed(tmp_path, bare, {"tenants/many.yaml": FULL}, f"refs/heads/{group}")
    assert describe(tmp_path, forge, head, event="merge_group", head_branch=group).code == 0
    assert [(it["sha"], it["state"]) for it in forge.statuses] == [(head, "failure")]
    assert not [it for it in forge.calls if "comments" in it]
    other = group.replace("/main/", "/loose/")
    describe(tmp_path, forge, head, event="merge_group", head_branch=other)
    describe(tmp_path, forge, head, event="push")
    assert len(forge.statuses) == 1


def test_what_cannot_be_checked_is_an_error_and_the_comment_says_so(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    head = pushed(tmp_path, bare, TWO)
    forge.pull(head)
    forge.comment(f"{MARKER}\nfine, as it was")
    used = describe(tmp_path, forge, head)
    ipam = tmp_path / "temp" / "ipam-requirements-check" / "bin" / "ipam"
    ipam.write_text("#!/bin/sh\nexit 4\n")
    used = describe(tmp_path, forge, head)
    assert (used.code, used.outputs["exit-code"], used.outputs["digest"]) == (0, "4", "")
    assert forge.statuses[-1]["state"] == "error"
    assert forge.statuses[-1]["description"] == "could not be checked: exit code 4"
    (body,) = forge.bodies()
    assert body.startswith(f"{MARKER}\n### ❌ It could not be checked\n")


def test_the_status_is_set_before_others_are_fetched(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    heads = []
    for number in range(1, 4):
        files = {f"tenants/n{number}.yaml": tenant(f"n{number}")}
        heads.append(pushed(tmp_path, bare, files, f"refs/pull/{number}/head"))
        forge.pull(heads[-1], number)
    used = describe(tmp_path, forge, heads[0])
    assert (used.code, used.outputs["exit-code"]) == (0, "0"), used.log
    set_at = next(at for at, it in enumerate(forge.calls) if it.startswith("POST /statuses/"))
    listed = [at for at, it in enumerate(forge.calls) if it == "GET /pulls"]
    assert listed[0] < set_at < listed[-1]  # the others are asked for after the status
    (body,) = forge.bodies()
    assert "With other open pull requests" in body
    assert body.index("`pull/3/head (") < body.index("`pull/2/head (")
    assert "pull/1/head" not in body
    assert "both changes would get" in body


def test_a_change_of_objects_in_clusters_only_gets_a_comment(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    base = reconciled({**SMALL, "ipam.yaml": f"{SETTINGS}  apply: {{documents: all}}\n"})
    pushed(tmp_path, bare, base, "refs/heads/main")
    (path,) = [it for it in base if it.startswith("tenants/")]
    edited = str(base[path]).replace("spec:\n", "spec:\n  kubernetesVersion: v1.31.0\n", 1)
    head = pushed(tmp_path, bare, {path: edited})
    forge.pull(head)
    used = describe(tmp_path, forge, head)
    assert (used.outputs["exit-code"], used.outputs["changed"]) == ("0", "false"), used.log
    (body,) = forge.bodies()
    assert "kubernetesVersion" in body
