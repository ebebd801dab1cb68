"""Root folders: paths, references, trailer, and refused folders."""

from pathlib import Path

import pytest

from reconciler.gitio.history import plan_commits
from reconciler.gitio.interface import TOP, RootFolder, found_root, root_folder
from reconciler.gitio.repository import open_repository
from reconciler.model.errors import UsageError
from tests.contracts.homes import ENVIRONMENT
from tests.world import commit, git, repository, write

DIGEST = f"sha256:{'a' * 64}"
MESSAGE = f"ipam: allocate 1\n\nIpam-Plan: {DIGEST}\nIpam-Base: {'0' * 40}\n"


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("", ""),
        (".", ""),
        ("./.", ""),
        ("infra/ipam/", "infra/ipam"),
        ("./infra//ipam/.", "infra/ipam"),
    ],
)
def test_a_folder_is_named_by_its_path_alone_and_a_dot_is_the_top(text: str, path: str) -> None:
    assert root_folder(text) == (RootFolder(path) if path else TOP)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("/srv/ipam", "is an absolute path"),
        ("infra/../ipam", r"contains \.\."),
        (".git/ipam", "reserved by Git"),
        ("a/.GIT", "reserved by Git"),
        ("a\nb", "invalid characters"),
        ("a\\b", "invalid characters"),
        ("a\udcff", "invalid characters"),
        ("a ", "invalid characters"),
    ],
)
def test_what_leads_elsewhere_is_refused_in_words(text: str, why: str) -> None:
    with pytest.raises(UsageError, match=why) as refused:
        root_folder(text)
    assert "--root infra/ipam" in refused.value.hint


def test_the_nearest_folder_with_settings_is_found_and_nothing_above_the_top(
    tmp_path: Path,
) -> None:
    top = tmp_path / "top"
    write(top, {"a/ipam.yaml": "", "a/b/c/x": "", "d/x": ""})
    write(tmp_path, {"ipam.yaml": ""})
    assert found_root(top / "a/b/c", top, "ipam.yaml") == RootFolder("a")
    assert found_root(top / "d", top, "ipam.yaml") == TOP
    assert found_root(top, top, "ipam.yaml") == TOP
    (top / "a/b/ipam.yaml").symlink_to(top / "a/ipam.yaml")
    assert found_root(top / "a/b", top, "ipam.yaml") == RootFolder("a")


@pytest.mark.parametrize("path", ["a.b[c]*^$", "ä/ö ü", '"q"', "a+b?(c){1}|d", "-x"])
def test_git_finds_the_commits_of_a_root_by_its_very_name(tmp_path: Path, path: str) -> None:
    root = RootFolder(path)
    folder = repository(tmp_path / "repo", {f"{path}/x": "1", "axb/x": "1"})
    for number, message in enumerate((root.signed(MESSAGE), MESSAGE)):
        write(folder, {f"{path}/x": f"{number} of it", "axb/x": f"{number}"})
        commit(folder, message)
    write(folder, {"axb/x": "nothing of the root"})
    commit(folder, root.signed(MESSAGE))
    opened = open_repository(folder, ENVIRONMENT, root=path)
    ids = git(folder, "rev-list", "HEAD").splitlines()
    assert ids[2] in plan_commits(opened.git, ids[0])
    assert ids[1] not in plan_commits(opened.git, ids[0])
    assert list(plan_commits(open_repository(folder, ENVIRONMENT, root="").git, ids[0])) == [ids[1]]
    step, *_ = opened.source("HEAD").past(["x"])
    assert (step.id, step.is_reconcile) == (ids[1], False)
    assert [it.is_reconcile for it in opened.source(ids[2]).past(["x"])] == [True, False]
