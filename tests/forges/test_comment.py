"""Who posts what merging does: the action, run beside a forge, with the change in a bare repository."""

import base64
import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.adapters.kube.server import Reply, serving
from tests.documentation import ROOT
from tests.forges.forge import Forge, forging
from tests.forges.running import Runner, Used
from tests.forges.test_actions import FULL, SETTINGS
from tests.world import SMALL, commit, git, repository, tenant, write

MARKER = "<!-- ipam -->"
TWO = {"tenants/two.yaml": tenant("two")}


@pytest.fixture
def forge() -> Iterator[Forge]:
    with forging() as found:
        yield found


@pytest.fixture
def bare(tmp_path: Path, forge: Forge) -> Path:
    """What the forge hosts: main alone."""
    first = repository(tmp_path / "first", SMALL)
    place = tmp_path / forge.name
    git(tmp_path, "clone", "-q", "--bare", str(first), str(place))
    return place


def pushed(
    folder: Path, bare: Path, files: Mapping[str, str | bytes], ref: str = "refs/pull/1/head"
) -> str:
    """A change, as a person pushes it; its head."""
    clone = folder / f"person-{ref.replace('/', '-')}"
    if not clone.exists():
        git(folder, "clone", "-q", str(bare), str(clone))
    write(clone, files)
    head = commit(clone, "change")
    git(clone, "push", "-q", "origin", f"+HEAD:{ref}")
    return head


def told(
    folder: Path,
    forge: Forge,
    head: str,
    env: dict[str, str] | None = None,
    inputs: dict[str, str] | None = None,
    **run: Any,
) -> Used:
    """The action after a run of the change's own workflow for a commit."""
    work, temp = folder / "work", folder / "temp"
    work.mkdir(exist_ok=True)
    own = {
        "event": "pull_request",
        "head_sha": head,
        "head_branch": "change",
        "head_repository": {"owner": {"login": "fork"}},
        "pull_requests": [],
    }
    event = {"workflow_run": {**own, **run}, "repository": {"default_branch": "main"}}
    (folder / "event.json").write_text(json.dumps(event))
    made = Runner(work, temp, "workflow_run", {"github.token": "secret-token"})
    if not temp.exists():
        made.install()
    made.env = {
        "GITHUB_API_URL": forge.url,
        "GITHUB_EVENT_PATH": str(folder / "event.json"),
        "GITHUB_REPOSITORY": forge.name,
        "GITHUB_RUN_ID": "77",
        "GITHUB_SERVER_URL": f"file://{folder}",
        **(env or {}),
    }
    used = made.use("comment", **(inputs or {}))
    assert "secret-token" not in used.log
    assert [*work.iterdir()] == [], "nothing is laid out"
    return used


def test_a_fork_s_pull_request_gets_a_status_and_one_comment_that_is_written_anew(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    head = pushed(tmp_path, bare, TWO)
    forge.pull(head)
    used = told(tmp_path, forge, head)
    assert used.code == 0, used.log
    assert used.outputs["exit-code"] == "0"
    assert forge.statuses == [
        {
            "sha": head,
            "state": "success",
            "context": "ipam",
            "description": f"fine; {used.outputs['digest']}",
            "target_url": f"file://{tmp_path}/acme/addresses/actions/runs/77",
        }
    ]
    (body,) = forge.bodies()
    assert body.startswith(MARKER)
    assert "team-a/two" in body
    assert f"--base {git(bare, 'rev-parse', 'main')} --rev {head[:12]}" in body
    again = told(tmp_path, forge, head)
    assert again.code == 0
    assert not [it for it in forge.calls if it.startswith("PATCH")], "it says the same still"
    newer = pushed(tmp_path, bare, {"tenants/three.yaml": tenant("three")})
    forge.pulls.clear()
    forge.pull(newer)
    assert told(tmp_path, forge, newer).code == 0
    (body,) = forge.bodies()
    assert "team-a/three" in body


@pytest.mark.parametrize(
    ("files", "code", "state", "says"),
    [
        ({"tenants/two.yaml": tenant("two", workers="{replicas: many}")}, "1", "failure", "the content is wrong"),
        ({"tenants/many.yaml": FULL}, "3", "failure", "right, but a gate stops it"),
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
    used = told(tmp_path, forge, head)
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
    assert told(tmp_path, forge, head).outputs["exit-code"] == "3"
    assert forge.statuses[0]["state"] == "failure"
    assert not [*tmp_path.rglob("owned")]


def test_a_pull_request_into_another_branch_gets_no_status_that_would_count_for_this_one(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    head = pushed(tmp_path, bare, TWO)
    forge.pull(head, base="loose")
    used = told(tmp_path, forge, head)
    assert (used.code, used.outputs["exit-code"]) == (0, "")
    assert "Nothing to tell" in used.log
    assert (forge.statuses, forge.comments) == ([], [])


def test_the_branch_may_be_named_and_is_else_the_default_one(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    git(bare, "branch", "trunk", "main")
    head = pushed(tmp_path, bare, TWO)
    forge.pull(head, base="trunk")
    assert told(tmp_path, forge, head, inputs={"branch": "trunk"}).outputs["exit-code"] == "0"
    used = told(tmp_path, forge, head, inputs={"branch": "--upload-pack=x"})
    assert used.code == 1
    assert "::error title=ipam::the branch has a name that is none" in used.log


def test_a_comment_of_somebody_else_is_left_alone_whatever_it_begins_with(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    head = pushed(tmp_path, bare, TWO)
    forge.pull(head)
    forge.comment(f"{MARKER}\nAll is fine, merge me.", "stranger")
    forge.comment("> cites\n<!-- ipam -->")
    forge.comment("<!-- ipam other -->\nof another root")
    before = [it["body"] for it in forge.comments]
    assert told(tmp_path, forge, head).code == 0
    assert [it["body"] for it in forge.comments[:3]] == before
    assert len(forge.comments) == 4


def test_its_own_is_found_among_many_and_is_one(tmp_path: Path, bare: Path, forge: Forge) -> None:
    head = pushed(tmp_path, bare, TWO)
    forge.pull(head)
    for number in range(230):
        forge.comment(f"talk {number}", "person")
    forge.comment(f"{MARKER}\r\nold")
    forge.comment(f"{MARKER}\r\nolder runs raced")
    assert told(tmp_path, forge, head).code == 0
    (body,) = forge.bodies()
    assert "team-a/two" in body
    assert len(forge.bodies("person")) == 230
    assert not [it for it in forge.calls if it == "POST /issues/1/comments"]


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
    used = told(tmp_path, forge, head)
    assert used.outputs["exit-code"] == "0", used.log
    assert (forge.bodies(), len(forge.comments)) == ([], 1)
    assert forge.statuses[0]["state"] == "success"


def test_a_head_that_has_moved_on_is_left_to_its_own_run(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    head = pushed(tmp_path, bare, TWO)
    newer = pushed(tmp_path, bare, {"notes.md": "x\n"})
    forge.pull(newer)
    assert "Nothing to tell" in told(tmp_path, forge, head).log
    forge.pulls.clear()
    forge.pull(head)  # the API is behind: what can be fetched is newer
    assert "Nothing to tell" in told(tmp_path, forge, head).log
    assert forge.statuses == []


def test_a_push_while_it_is_checked_keeps_its_own_answer(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    head = pushed(tmp_path, bare, TWO)
    forge.pull(head)
    forge.moved = "f" * 40
    assert told(tmp_path, forge, head).code == 0
    assert [it["sha"] for it in forge.statuses] == [head], "what it says of that commit is true"
    assert forge.comments == []


def test_a_pull_request_whose_fork_is_gone_is_found_by_its_head(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    head = pushed(tmp_path, bare, TWO)
    for number in range(2, 130):
        forge.pull("a" * 40, number, owner=f"other-{number}")
    forge.pull(head)
    assert told(tmp_path, forge, head, head_repository=None).outputs["exit-code"] == "0"
    assert len(forge.bodies()) == 1


def test_a_merge_group_gets_the_status_that_its_queue_waits_for(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    group = f"gh-readonly-queue/main/pr-1-{git(bare, 'rev-parse', 'main')}"
    head = pushed(tmp_path, bare, {"tenants/many.yaml": FULL}, f"refs/heads/{group}")
    assert told(tmp_path, forge, head, event="merge_group", head_branch=group).code == 0
    assert [(it["sha"], it["state"]) for it in forge.statuses] == [(head, "failure")]
    assert not [it for it in forge.calls if "comments" in it]
    other = group.replace("/main/", "/loose/")
    told(tmp_path, forge, head, event="merge_group", head_branch=other)
    told(tmp_path, forge, head, event="push")
    assert len(forge.statuses) == 1


def test_what_cannot_be_checked_is_an_error_and_the_comment_says_so(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    head = pushed(tmp_path, bare, TWO)
    forge.pull(head)
    forge.comment(f"{MARKER}\nfine, as it was")
    used = told(tmp_path, forge, head)
    ipam = tmp_path / "temp" / "ipam-requirements-check" / "bin" / "ipam"
    ipam.write_text("#!/bin/sh\nexit 4\n")
    used = told(tmp_path, forge, head)
    assert (used.code, used.outputs["exit-code"], used.outputs["digest"]) == (0, "4", "")
    assert forge.statuses[-1]["state"] == "error"
    assert forge.statuses[-1]["description"] == "could not be checked: exit code 4"
    (body,) = forge.bodies()
    assert body.startswith(f"{MARKER}\n### ❌ It could not be checked\n")


def test_git_gets_the_token_by_a_variable_and_the_check_gets_none(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    head = pushed(tmp_path, bare, TWO)
    forge.pull(head)
    assert told(tmp_path, forge, head).code == 0
    programs = tmp_path / "temp" / "ipam-requirements-check" / "bin"
    (programs / "ipam").rename(programs / "real")
    for name, real, place in (
        ("ipam", programs / "real", programs),
        ("git", "/usr/bin/git", tmp_path / "bin"),
    ):
        place.mkdir(exist_ok=True)
        log = tmp_path / f"{name}.log"
        script = f'#!/bin/sh\nenv >>{log}; echo "argv: $*" >>{log}\nexec {real} "$@"\n'
        (place / name).write_text(script)
        (place / name).chmod(0o755)
    env = {
        "PATH": f"{tmp_path / 'bin'}:/usr/local/bin:/usr/bin:/bin",
        "GIT_DIR": str(tmp_path / "elsewhere"),
        "IPAM_BASE": "nowhere",
        "GITHUB_TOKEN": "secret-token",
    }
    assert told(tmp_path, forge, head, env).code == 0
    of_git, of_check = ((tmp_path / f"{it}.log").read_text() for it in ("git", "ipam"))
    word = base64.b64encode(b"x-access-token:secret-token").decode()
    assert f"GIT_CONFIG_VALUE_0=AUTHORIZATION: basic {word}\n" in of_git
    assert f"GIT_CONFIG_KEY_0=http.file://{tmp_path}/.extraheader\n" in of_git
    assert not [it for it in of_git.splitlines() if it.startswith("argv") and word in it]
    assert "secret-token" not in of_git + of_check
    assert word not in of_check


@pytest.mark.parametrize(
    ("refused", "right"),
    [("POST /statuses", "statuses: write"), ("POST /issues", "pull-requests: write")],
)
def test_a_right_that_is_missing_is_named(
    tmp_path: Path, bare: Path, forge: Forge, refused: str, right: str
) -> None:
    head = pushed(tmp_path, bare, TWO)
    forge.pull(head)
    forge.refused = refused
    used = told(tmp_path, forge, head)
    assert used.code == 1
    assert f"is answered with 403. Does the job have `{right}`?" in used.log


def test_nobody_is_sent_elsewhere_with_the_token(tmp_path: Path, bare: Path, forge: Forge) -> None:
    head = pushed(tmp_path, bare, TWO)
    with serving(Reply(301, b"", {"Location": f"{forge.url}/elsewhere"})) as moved:
        env = {"GITHUB_API_URL": moved.url}
        assert "is answered with 301" in told(tmp_path, forge, head, env).log
    assert forge.calls == []


def test_each_root_has_its_comment_and_its_status(tmp_path: Path, forge: Forge) -> None:
    files = {f"infra/of it/{name}": text for name, text in SMALL.items()}
    files["infra/of it/ipam.yaml"] = f"{SETTINGS}  {{}}\n"
    first = repository(tmp_path / "first", files)
    place = tmp_path / forge.name
    git(tmp_path, "clone", "-q", "--bare", str(first), str(place))
    head = pushed(tmp_path, place, {"infra/of it/tenants/two.yaml": tenant("two")})
    forge.pull(head)
    forge.comment(f"{MARKER}\nof the top")
    for _ in range(2):
        used = told(tmp_path, forge, head, inputs={"root": "infra/of it/"})
        assert used.outputs["exit-code"] == "0", used.log
    (_, body) = forge.bodies()
    assert body.startswith("<!-- ipam infra/of%20it -->")
    assert {it["context"] for it in forge.statuses} == {"ipam infra/of it"}


def test_the_action_is_for_one_event(tmp_path: Path, bare: Path, forge: Forge) -> None:
    head = pushed(tmp_path, bare, TWO)
    told(tmp_path, forge, head)
    made = Runner(tmp_path / "work", tmp_path / "temp", "pull_request_target")
    made.env = {"GITHUB_EVENT_PATH": str(tmp_path / "event.json")}
    used = made.use("comment")
    assert used.code == 1
    assert "this action is for `on: workflow_run` alone" in used.log


def test_what_files_say_is_no_command_of_the_runner(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    head = pushed(tmp_path, bare, {"tenants/a.yaml": "kind: '::error::owned'\n"})
    forge.pull(head)
    log = told(tmp_path, forge, head).log
    token = log.partition("::stop-commands::")[2].split("\n", 1)[0]
    assert len(token) == 32
    assert log.index("a.yaml") < log.index(f"\n::{token}::\n")
