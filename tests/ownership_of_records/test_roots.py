"""Roots that move: records keep their protection, and no change forges the plan line of a root."""

from collections.abc import Callable

import pytest

from tests.ownership_of_records.play import RECORD, TENANTS, Play, edited
from tests.ownership_of_records.test_branch import settings
from tests.ownership_of_records.test_cures import cure
from tests.world import SMALL, pool, provider, tenant

BASE = ("--base", "origin/main")
FILES = [*SMALL, *TENANTS]
PLAN = f"tidy\n\nIpam-Plan: sha256:{'0' * 64}"


def at(root: str, path: str) -> str:
    return f"{root}/{path}" if root else path


def relocate(play: Play, old: str, new: str) -> None:
    for path in play.git("ls-files", *([old] if old else FILES), "allocations").splitlines():
        target = play.folder / at(new, path.removeprefix(f"{old}/" if old else ""))
        target.parent.mkdir(parents=True, exist_ok=True)
        play.git("mv", path, str(target))
    play.edit(message="move the root")


@pytest.fixture
def root(play: Play) -> Play:
    """A root in folder `a` that was reconciled, after one at the top."""
    relocate(play, "", "a")
    play.edit({"a/tenants/first.yaml": tenant("first")})
    play.push()
    assert play.reconcile("--root", "a") == 0
    return play


def edited_record(play: Play, old: str) -> None:
    play.edit({at(old, RECORD): edited(play.shown(at(old, RECORD)))}, message=plan_of(play, old))


def removed_records(play: Play, old: str) -> None:
    play.git("rm", "-rq", at(old, "allocations"))
    play.edit(message=plan_of(play, old))


def plan_of(play: Play, root: str) -> str:
    return f"{PLAN} {root}".rstrip() + f"\nIpam-Base: {play.tip}\n"


def require_stop_without_records(root: Play) -> None:
    root.git("mv", "a", "b")
    root.git("rm", "-rqf", "b/allocations")
    root.edit(message="move")
    assert "records-left" in root.codes("check", *BASE, "--root", "b")[1]
    root.merge()
    assert root.reconcile("--root", "b") == 3


@pytest.mark.parametrize("act", [edited_record, removed_records])
@pytest.mark.parametrize(("old", "new"), [("a", "b"), ("a", ""), ("", "infra")])
def test_a_forged_commit_of_the_old_root_does_not_hide_an_edit(
    request: pytest.FixtureRequest, old: str, new: str, act: Callable[[Play, str], None]
) -> None:
    play: Play = request.getfixturevalue("root" if old else "play")
    play.change()
    act(play, old)
    relocate(play, old, new)
    code, errors = play.codes("check", *BASE, "--root", new or ".")
    assert code == 1
    assert "commit-carried" in errors
    assert errors & {"records-changed", "records-left"}


@pytest.mark.parametrize("name", ["a", "fake", "../x", "tenants"])
def test_a_forged_commit_of_any_other_root_is_red(root: Play, name: str) -> None:
    """Its revert leaves no difference that the check of that root would see."""
    record = f"{name}/allocations/x.yaml".removeprefix("../")
    root.git("mv", "a", "b")
    root.edit(message="move")
    root.push()
    root.change()
    root.edit({record: "a: 1\n"}, message=plan_of(root, name))
    root.git("revert", "--no-edit", "HEAD")
    code, errors = root.codes("check", *BASE, "--root", "b")
    assert (code, errors) == ((0, set()) if name.startswith("..") else (1, {"commit-carried"}))


def test_a_proposal_of_another_root_is_left_to_its_own_check(root: Play) -> None:
    files = {**SMALL, "tenants/other.yaml": tenant("other")}
    root.edit({f"b/{path}": text for path, text in files.items() if "one" not in path})
    root.push()
    for name in ("ipam", "more"):
        assert root.reconcile("--root", "b", "--to-branch", name) == 0
    root.git("fetch", "-q", "origin")
    root.git("switch", "-q", "--detach", "origin/ipam")
    assert root.codes("check", *BASE, "--root", "a") == (0, set())
    assert root.codes("check", *BASE, "--root", "b") == (0, set())


def test_many_roots_do_not_hide_records_that_stay_behind(root: Play) -> None:
    for count in range(17):
        root.git("commit", "-q", "--allow-empty", "-m", f"{PLAN} fake{count}")
    root.push()
    root.change()
    require_stop_without_records(root)


@pytest.mark.parametrize("is_edited", [False, True])
def test_a_root_that_moves_back_is_compared_with_where_it_was(root: Play, is_edited: bool) -> None:
    root.git("mv", "a", "b")
    root.edit({"b/tenants/late.yaml": tenant("late")})
    root.push()
    assert root.reconcile("--root", "b") == 0
    kept = root.shown(f"b/{RECORD}")
    root.change()
    root.git("mv", "b", "a")
    root.edit({f"a/{RECORD}": edited(kept)} if is_edited else {}, message="move back")
    code, errors = root.codes("check", *BASE, "--root", "a")
    assert (code, errors) == ((1, {"records-changed"}) if is_edited else (0, set()))
    root.merge()
    code, said = root.ipam("reconcile", "--no-apply", "--root", "a")
    assert code == (3 if is_edited else 0), said
    if is_edited:
        cure(root, said)
        root.push()
        assert root.reconcile("--root", "a") == 0
    assert root.shown(f"a/{RECORD}", "origin/main") == kept


@pytest.mark.parametrize("same", [False, True])
def test_a_new_root_in_the_folder_of_one_that_moved_is_red(root: Play, same: bool) -> None:
    root.git("mv", "a", "b")
    root.edit()
    root.push()
    assert root.reconcile("--root", "b") == 0
    root.change()
    files = {
        "a/pools/edge.yaml": pool("lab", "10.99.0.0/24"),
        "a/providers/default.yaml": provider(pools="[{name: lab}]"),
        "a/tenants/x.yaml": tenant("one" if same else "x"),
    }
    root.edit(files)
    assert root.codes("check", *BASE, "--root", "a")[0] == 1
    assert root.codes("check", *BASE, "--root", "b") == (0, set())
    root.merge()
    code, said = root.ipam("reconcile", "--no-apply", "--root", "a")
    assert code == 3
    assert same or "Restore records" not in said
    kept = root.shown(f"b/{RECORD}")
    root.edit({f"b/{RECORD}": edited(kept)})
    root.push()
    assert root.reconcile("--root", "b") == 3, "records of b still belong to the old root"


@pytest.mark.parametrize(("branch", "code"), [("nosuch", 1), ("main", 0), ("mai", 1)])
def test_a_change_cannot_name_a_branch_that_does_not_exist(
    play: Play, branch: str, code: int
) -> None:
    play.change()
    play.edit({"ipam.yaml": settings(f"branch: {branch}")})
    found = play.codes("check", *BASE)
    assert found == (code, {"settings-changed"} if code else set())


def another(play: Play, root: str, *tenants: str) -> None:
    """A root with a pool of its own, and tenants."""
    files = {
        f"{root}/pools/edge.yaml": pool("edge", "10.99.0.0/24"),
        f"{root}/providers/default.yaml": provider(),
        **{f"{root}/tenants/{name}.yaml": tenant(name) for name in tenants},
    }
    play.edit(files)


@pytest.mark.parametrize("old", ["", "a"])
@pytest.mark.parametrize("when", ["with the move", "after it", "after a run", "after an expiry"])
def test_claims_of_another_root_can_have_the_names_of_claims_that_moved(
    request: pytest.FixtureRequest, old: str, when: str
) -> None:
    play: Play = request.getfixturevalue("root" if old else "play")
    play.change()
    relocate(play, old, "prod")
    if when == "with the move":
        another(play, "stage", "one", "t0")
        assert play.codes("check", *BASE, "--root", "stage") == (0, set())
    assert play.codes("check", *BASE, "--root", "prod") == (0, set())
    play.merge()
    if when.startswith("after a"):
        no_retention = {"prod/ipam.yaml": settings("retention: 0s")}
        play.edit(no_retention, gone=["prod/tenants/one.yaml"])
        play.push()
        assert play.reconcile("--root", "prod") == 0
        assert play.reconcile("--root", "prod") == 0
    if when == "after an expiry":
        play.edit({"prod/tenants/one.yaml": tenant("one")})
        assert play.codes("check", *BASE, "--root", "prod") == (0, set())
        play.push()
        assert play.reconcile("--root", "prod") == 0
    elif when != "with the move":
        play.change("more")
        another(play, "stage", "one", "t0")
        assert play.codes("check", *BASE, "--root", "stage") == (0, set())
        play.merge("more")
    assert play.reconcile("--root", "prod") == 0
    another(play, "stage", "one", "t0", "t1")
    play.push()
    assert play.reconcile("--root", "stage") == 0
    assert play.codes("check", "--root", "stage") == (0, set())


@pytest.mark.parametrize("copies", [False, True])
def test_records_that_another_root_has_under_the_same_names_do_not_replace_them(
    root: Play, *, copies: bool
) -> None:
    """A root that lives, and a copy of the records where no root is."""
    another(root, "prod", "one", "first")
    root.push()
    assert root.reconcile("--root", "prod") == 0
    root.change()
    if copies:
        root.edit({f"old/{RECORD}": root.shown(f"a/{RECORD}")})
    require_stop_without_records(root)


@pytest.mark.parametrize("edits", [False, True])
def test_an_import_can_have_the_names_of_records_that_moved(play: Play, *, edits: bool) -> None:
    kept = play.shown(RECORD)
    play.change()
    relocate(play, "", "prod")
    play.merge()
    play.change("more")
    another(play, "stage", "one", "t0")
    imported = kept.replace("10.40.0", "10.99.0")
    play.edit({f"stage/{RECORD}": imported})
    assert play.codes("check", *BASE, "--root", "stage") == (0, set())
    play.merge("more")
    assert play.reconcile("--root", "stage") == 0
    if edits:
        play.edit({f"prod/{RECORD}": edited(kept)})
        play.push()
    assert play.reconcile("--root", "prod") == (3 if edits else 0)
    assert play.shown(f"stage/{RECORD}") == imported
