"""The branch: F of its tip must equal F of its newest reconcile commit."""

from collections.abc import Callable

import pytest

from tests.ownership_of_records.play import FOLDER, RECORD, Play, edited, override
from tests.world import git, tenant

OTHER = f"{FOLDER}/t0.loadbalancer.yaml"


def removed(play: Play) -> None:
    play.edit(gone=[RECORD])


def moved(play: Play) -> None:
    play.edit({RECORD: edited(play.shown(RECORD))})


def added(play: Play) -> None:
    text = play.shown(RECORD).replace("one", "new")
    play.edit({f"{FOLDER}/new.loadbalancer.yaml": edited(text)})


def emptied(play: Play) -> None:
    play.git("rm", "-rq", "allocations")
    play.edit()


def foreign(play: Play) -> None:
    play.edit({"allocations/README.md": "ours\n"})


def observed(play: Play) -> None:
    play.edit({"observed/Cluster.cluster.x-k8s.io/team-a/edge.yaml": "a: 1\n"})


def on_a_side_branch(play: Play) -> None:
    play.change()
    play.edit(gone=[RECORD])
    play.merge()


def moved_folder(play: Play) -> None:
    play.git("rm", "-q", RECORD)
    play.git("mv", "allocations", "elsewhere")
    play.edit({"ipam.yaml": settings("records: elsewhere")})


def forged(play: Play) -> None:
    """A commit that also changes another file."""
    message = play.git("log", "-1", "--format=%B")
    play.edit({"tenants/forged.yaml": tenant("forged")}, gone=[RECORD], message=message)


def forged_on_another_base(play: Play) -> None:
    """A cherry-pick: F of the parent is not F of the base that it names."""
    first = play.tip
    play.add()
    play.git("rm", "-rq", "allocations")
    play.git("restore", f"--source={first}", "--staged", "--worktree", "--", "allocations")
    play.edit(message=play.git("log", "-1", "--format=%B", first))


def reverted(play: Play) -> None:
    play.git("revert", "--no-edit", "HEAD")


def ours(play: Play) -> None:
    """A merge that drops a reconcile commit."""
    play.change()
    play.edit({"tenants/mine.yaml": tenant("mine")})
    play.git("switch", "-q", "main")
    play.add()
    play.git("switch", "-q", "change")
    play.git("merge", "-q", "-s", "ours", "-m", "ours", "main")
    play.git("switch", "-q", "main")
    play.git("merge", "-q", "--ff-only", "change")


def settings(*spec: str) -> str:
    lines = "".join(f"  {line}\n" for line in spec)
    head = "apiVersion: gitops-ipam.dev/v1alpha1\nkind: Settings\nmetadata: {name: settings}\n"
    return f"{head}spec:\n{lines}"


@pytest.mark.parametrize(
    "act",
    [
        removed, moved, added, emptied, foreign, observed, on_a_side_branch, moved_folder, forged,
        forged_on_another_base, reverted, ours,
    ],
)  # fmt: skip
def test_edited_records_stop_everything(play: Play, act: Callable[[Play], None]) -> None:
    act(play)
    play.push()
    head = play.tip
    code, said = play.ipam("reconcile", "--no-apply")
    assert code == 3, said
    assert "newest reconcile commit" in said
    assert git(play.remote, "rev-parse", "main") == head
    assert play.ipam("render", "--out", str(play.folder.parent / "out"))[0] == 3
    assert not (play.folder.parent / "out").exists()
    assert "records-edited" in play.codes("plan")[1]
    assert "records-edited" in play.codes("check")[1]


@pytest.mark.parametrize("act", [removed, added, emptied, moved_folder, reverted])
def test_the_command_that_is_shown_restores_all_addresses(
    play: Play, act: Callable[[Play], None]
) -> None:
    before = play.held()
    act(play)
    play.push()
    _, said = play.ipam("reconcile", "--no-apply")
    commands = said.partition("restore them: ")[2].partition(" && git commit")[0]
    for command in commands.split(" && "):
        play.git(*command.split()[1:])
    play.edit(message="Restore records")
    play.push()
    assert play.reconcile() == 0
    assert play.reconcile() == 0
    moved = "elsewhere" if act is moved_folder else "allocations"
    play.git("diff", "--exit-code", "HEAD", "--", moved)
    if act is not moved_folder:
        assert play.held() == before


def test_an_edit_that_a_later_commit_undoes_is_none(play: Play) -> None:
    moved(play)
    play.git("revert", "--no-edit", "HEAD")
    play.push()
    assert play.reconcile() == 0


@pytest.mark.parametrize("scope", [RECORD, "butler/TenantCluster/team-a/one/loadbalancer"])
def test_an_override_accepts_the_edit(play: Play, scope: str) -> None:
    play.edit(override("2026-02-15-edit", kind="record", scope=scope))
    moved(play)
    play.push()
    assert play.reconcile() == 0
    assert "10.40.0.128" in play.shown(RECORD)
    moved_again = edited(play.shown(OTHER))
    play.edit({OTHER: moved_again})
    play.push()
    assert play.reconcile() == 3


def test_records_that_vanished_before_any_reconcile_commit_stop(fresh: Play) -> None:
    assert fresh.reconcile() == 0
    fresh.git("checkout", "-q", "--orphan", "new")
    fresh.edit(message="import")
    fresh.git("rm", "-rq", "allocations")
    fresh.edit()
    fresh.git("branch", "-q", "-M", "new", "main")
    fresh.push("--force")
    fresh.git("push", "-q", "origin", ":refs/ipam/last")
    code, said = fresh.ipam("reconcile", "--no-apply")
    assert code == 3
    assert "all were deleted" in said
    assert fresh.reconcile("--allow-release", "0") == 0


def test_git_pull_that_puts_the_branch_on_the_second_parent_is_fine(play: Play) -> None:
    play.edit({"tenants/mine.yaml": tenant("mine")})
    play.git("switch", "-q", "-c", "other", "origin/main")
    play.edit({"tenants/late.yaml": tenant("late")})
    play.git("push", "-q", "origin", "HEAD:main")
    play.git("branch", "-q", "-f", "local", "main")
    play.git("switch", "-q", "main")
    play.git("reset", "-q", "--hard", "origin/main")
    assert play.reconcile() == 0
    before = play.held()
    play.git("switch", "-q", "local")
    play.git("merge", "-q", "-m", "pull", "main")
    play.git("switch", "-q", "main")
    play.git("merge", "-q", "--ff-only", "local")
    play.push()
    assert play.reconcile() == 0
    after = play.held()
    assert before.items() <= after.items()
    assert len(after) == len(before) + 1
    assert play.ipam("verify")[0] == 0


def rewritten(play: Play) -> str:
    """Rewrite all commits with the same files. Return the new head."""
    play.git("filter-branch", "-f", "--msg-filter", "cat && echo", "main")
    play.git("for-each-ref", "--format=delete %(refname)", "refs/original")
    play.push("--force")
    play.git("push", "-q", "origin", ":refs/ipam/last")
    return play.tip


def from_a_clone(play: Play, *more: str) -> None:
    """Continue in a new clone, without commits that are not on the branch."""
    clone = play.folder.parent / "clone"
    git(play.folder.parent, "clone", "-q", *more, f"file://{play.remote}", str(clone))
    play.folder = clone


@pytest.mark.parametrize("is_here", [True, False])
def test_a_commit_whose_base_is_not_in_the_history_is_an_edit(play: Play, is_here: bool) -> None:
    """Records that were allocated on a branch, which was rebased and merged over a red check."""
    play.edit({"tenants/late.yaml": tenant("late")})
    base = play.git("rev-parse", "main^")
    play.git("branch", "-q", "j1")
    play.push()
    play.git("switch", "-q", "j1")
    play.git("commit", "-q", "--amend", "-m", "late")
    play.git("remote", "remove", "origin")
    assert play.reconcile("--branch", "j1", "--any-branch") == 0
    play.git("remote", "add", "origin", str(play.remote))
    play.git("switch", "-q", "main")
    play.git("cherry-pick", "j1")
    assert play.git("rev-parse", "main~2") == base
    play.push()
    if not is_here:
        from_a_clone(play)
    code, said = play.ipam("reconcile", "--no-apply")
    assert (code, "git restore " in said) == (3, True), said
    assert "records-edited" in play.codes("check")[1]
    play.git("revert", "--no-edit", "HEAD")
    play.push()
    assert play.reconcile() == 0


def test_a_shallow_clone_does_not_decide_about_a_base_that_it_lacks(play: Play) -> None:
    play.add()
    rewritten(play)
    from_a_clone(play, "--depth=3")
    code, said = play.ipam("check")
    assert (code, "--unshallow" in said) == (4, True)
    play.git("fetch", "-q", "--unshallow")
    assert play.ipam("check")[0] == 0


def test_a_rewrite_that_keeps_all_files_leaves_dangling_bases(play: Play) -> None:
    play.add()
    before = play.held()
    rewritten(play)
    from_a_clone(play)
    play.add("later")
    assert before.items() <= play.held().items()
    play.edit({RECORD: edited(play.shown(RECORD))})
    play.push()
    assert play.reconcile() == 3


def test_a_newer_record_format_stops_allocation(play: Play) -> None:
    """A record that cannot be read, and that reconcile wrote."""
    message = play.git("log", "-1", "--format=%B")
    base = play.git("rev-parse", "HEAD")
    message = "\n".join(
        f"Ipam-Base: {base}" if line.startswith("Ipam-Base") else line
        for line in message.splitlines()
    )
    play.edit({RECORD: "kind: IPAllocation\napiVersion: x/v9\n"}, message=message)
    play.edit({"tenants/late.yaml": tenant("late")})
    play.push()
    before = play.held()
    assert play.reconcile() == 1
    assert play.held() == before
