"""The action that comments, run after a change's own workflow has ended."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.forges.forge import Forge
from tests.forges.running import Runner, Used
from tests.world import commit, git, tenant, write

MARKER = "<!-- ipam -->"
TWO = {"tenants/two.yaml": tenant("two")}


def pushed(
    folder: Path, bare: Path, files: Mapping[str, str | bytes], ref: str = "refs/pull/1/head"
) -> str:
    """Push a change, and return its head."""
    clone = folder / f"person-{ref.replace('/', '-')}"
    if not clone.exists():
        git(folder, "clone", "-q", str(bare), str(clone))
    write(clone, files)
    head = commit(clone, "change")
    git(clone, "push", "-q", "origin", f"+HEAD:{ref}")
    return head


def describe(
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
