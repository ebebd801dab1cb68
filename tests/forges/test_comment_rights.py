"""Rights and token of the comment action, and the comment of each root."""

import base64
from pathlib import Path

import pytest

from tests.forges.commenting import MARKER, TWO, describe, pushed
from tests.forges.forge import Forge
from tests.forges.test_actions import SETTINGS
from tests.kube.server import Reply, serving
from tests.world import SMALL, git, repository, tenant


def test_git_gets_the_token_by_a_variable_and_the_check_gets_none(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    head = pushed(tmp_path, bare, TWO)
    forge.pull(head)
    assert describe(tmp_path, forge, head).code == 0
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
    assert describe(tmp_path, forge, head, env).code == 0
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
    used = describe(tmp_path, forge, head)
    assert used.code == 1
    assert f"is answered with 403. Does the job have `{right}`?" in used.log


def test_the_token_does_not_follow_a_redirect(tmp_path: Path, bare: Path, forge: Forge) -> None:
    head = pushed(tmp_path, bare, TWO)
    with serving(Reply(301, b"", {"Location": f"{forge.url}/elsewhere"})) as moved:
        env = {"GITHUB_API_URL": moved.url}
        assert "is answered with 301" in describe(tmp_path, forge, head, env).log
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
        used = describe(tmp_path, forge, head, inputs={"root": "infra/of it/"})
        assert used.outputs["exit-code"] == "0", used.log
    (_, body) = forge.bodies()
    assert body.startswith("<!-- ipam infra/of%20it -->")
    assert {it["context"] for it in forge.statuses} == {"ipam infra/of it"}


def test_what_files_say_is_no_command_of_the_runner(
    tmp_path: Path, bare: Path, forge: Forge
) -> None:
    head = pushed(tmp_path, bare, {"tenants/a.yaml": "kind: '::error::owned'\n"})
    forge.pull(head)
    log = describe(tmp_path, forge, head).log
    token = log.partition("::stop-commands::")[2].split("\n", 1)[0]
    assert len(token) == 32
    assert log.index("a.yaml") < log.index(f"\n::{token}::\n")
