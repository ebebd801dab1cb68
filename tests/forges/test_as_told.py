"""After a merge, the reconcile action reports whether the result matches the comment."""

from pathlib import Path

import pytest

from tests.forges.commenting import TWO, describe, pushed
from tests.forges.forge import Forge
from tests.forges.running import Runner, Used
from tests.world import commit, git, tenant, write

HOSTILE = "`x` <img src=x> | ::error::y\n\nbody"


def merged(folder: Path, bare: Path, forge: Forge, head: str) -> str:
    """Merge the pull request like the forge, and return the commit."""
    clone = folder / "merging"
    if not clone.exists():
        git(folder, "clone", "-q", str(bare), str(clone))
    git(clone, "pull", "-q", "origin", "main")
    git(clone, "fetch", "-q", "origin", head)
    git(clone, "merge", "-q", "--no-ff", "-m", "Merge pull request #1", head)
    git(clone, "push", "-q", "origin", "HEAD:main")
    made = git(clone, "rev-parse", "HEAD")
    forge.pulls[0] |= {"state": "closed", "merge_commit_sha": made}
    return made


def reconciled(folder: Path, bare: Path, forge: Forge) -> Used:
    """Run the action on main, in a fresh checkout."""
    work, temp = folder / "checkout", folder / "reconciling"
    git(folder, "clone", "-q", str(bare), str(work))
    temp.mkdir()
    made = Runner(work, temp, "push", {"github.ref_name": "main", "github.token": "secret-token"})
    made.install()
    made.env = {"GITHUB_API_URL": forge.url, "GITHUB_REPOSITORY": forge.name}
    used = made.use("reconcile")
    assert used.code == 0, used.log
    assert "secret-token" not in used.log
    return used


def other(folder: Path, bare: Path, subject: str) -> None:
    clone = folder / "other"
    git(folder, "clone", "-q", str(bare), str(clone))
    write(clone, {"tenants/aaa.yaml": tenant("aaa")})
    commit(clone, subject)
    git(clone, "push", "-q", "origin", "HEAD:main")


def test_what_was_said_is_what_was_done(tmp_path: Path, bare: Path, forge: Forge) -> None:
    head = pushed(tmp_path, bare, TWO)
    forge.pull(head)
    digest = describe(tmp_path, forge, head).outputs["digest"]
    merged(tmp_path, bare, forge, head)
    used = reconciled(tmp_path, bare, forge)
    line = f"✅ As told: #1 was shown {digest}, and that is what was done."
    assert used.summary.strip() == line
    assert line in used.log


def test_what_came_in_between_is_named(tmp_path: Path, bare: Path, forge: Forge) -> None:
    head = pushed(tmp_path, bare, TWO)
    forge.pull(head)
    digest = describe(tmp_path, forge, head).outputs["digest"]
    other(tmp_path, bare, HOSTILE)
    merged(tmp_path, bare, forge, head)
    used = reconciled(tmp_path, bare, forge)
    assert used.summary.startswith(f"⚠️ Not as told: #1 was shown {digest}, done was sha256:")
    between = used.summary.partition("in between came ")[2]
    assert between.startswith("`")
    assert between.endswith("x img src=x  ::error::y`.\n")
    at, _, rest = used.log.rpartition("::stop-commands::")
    assert "Not as told" in rest
    assert "Not as told" not in at


@pytest.mark.parametrize("refused", ["GET /commits", "GET /commits/{head}/statuses"])
def test_a_forge_that_does_not_tell_stops_nothing(
    refused: str, tmp_path: Path, bare: Path, forge: Forge
) -> None:
    head = pushed(tmp_path, bare, TWO)
    forge.pull(head)
    merged(tmp_path, bare, forge, head)
    forge.refused = refused.format(head=head)
    used = reconciled(tmp_path, bare, forge)
    assert "is not looked at (pull-requests: read and statuses: read)" in used.log
    assert used.summary == ""
