"""Of a folder that is known as it was, only what changed since is listed."""

import shutil
from pathlib import Path

import pytest

from reconciler.adapters.git.opening import open_repository
from reconciler.ports import Entry, Source
from tests.cli.running import ipam
from tests.contracts.homes import ENVIRONMENT
from tests.world import SMALL, commit, git, repository, tenant, write


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return repository(tmp_path / "repo", SMALL)


def at_head(folder: Path) -> Source:
    return open_repository(folder, ENVIRONMENT).source("HEAD")


def tenants(source: Source) -> Entry:
    return (source.standing(["tenants"]) or [])[0]


def test_what_was_added_changed_and_removed_is_told_by_its_path(folder: Path) -> None:
    write(folder, {"tenants/gone.yaml": tenant("gone"), "tenants/a.yaml": tenant("a")})
    commit(folder)
    before = tenants(at_head(folder))
    (folder / "tenants/gone.yaml").unlink()
    write(folder, {"tenants/deep/new.yaml": tenant("new"), "tenants/a.yaml": tenant("a", count=2)})
    commit(folder)
    source = at_head(folder)
    found = source.changed_below(tenants(source), before.oid)
    assert found is not None
    assert [(it.path, it.old is not None, it.new is not None) for it in found] == [
        ("tenants/a.yaml", True, True),
        ("tenants/deep/new.yaml", False, True),
        ("tenants/gone.yaml", True, False),
    ]
    assert [it.new for it in found if it.new] == [
        it for it in source.entries(["tenants"]) if it.path in [found[0].path, found[1].path]
    ]


@pytest.mark.parametrize("since", ["0" * 40, "--output=stolen", "HEAD", ""])
def test_what_is_not_at_hand_is_not_told(folder: Path, since: str) -> None:
    source = at_head(folder)
    assert source.changed_below(tenants(source), since) is None
    assert not (folder / "stolen").exists()


def test_a_link_that_is_new_is_found_by_a_plan_that_knows_the_folder(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ipam(capsys, "plan", "--repo", folder).code == 0
    (folder / "tenants/linked.yaml").symlink_to("/etc/passwd")
    commit(folder)
    ran = ipam(capsys, "plan", "--repo", folder)
    assert "tenants/linked.yaml: error not-a-file" in ran.err.replace(":1:1:", ":")


def test_a_plan_is_the_same_when_git_tidied_the_old_folder_away(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    git(folder, "checkout", "--quiet", "-b", "aside")
    write(folder, {"tenants/aside.yaml": tenant("aside")})
    commit(folder)
    assert ipam(capsys, "plan", "--repo", folder).code == 0
    git(folder, "checkout", "--quiet", "main")
    git(folder, "branch", "--quiet", "-D", "aside")
    git(folder, "reflog", "expire", "--expire=now", "--all")
    git(folder, "gc", "--quiet", "--prune=now")
    write(folder, {"tenants/new.yaml": tenant("new")})
    commit(folder)
    warm = ipam(capsys, "plan", "--repo", folder, "-o", "json").out
    clone = folder.parent / "clone"
    shutil.copytree(folder, clone)
    assert ipam(capsys, "plan", "--repo", clone, "-o", "json").out == warm
