"""A rewritten history, and the reference by which it is noticed."""

import subprocess
from collections.abc import Callable

import pytest

from tests.ownership_of_records.play import RECORD, Play
from tests.ownership_of_records.test_branch import settings
from tests.ownership_of_records.test_changes import BASE, merged, rebased, squashed
from tests.world import ENVIRONMENT, git, tenant

LAST = "refs/ipam/last"
LATE = "allocations/NetworkPool/butler-system.edge/team-a/late.loadbalancer.yaml"
NEWCOMER = {"tenants/newcomer.yaml": tenant("newcomer")}
WRONG = {"ipam.yaml": settings("recrods: x")}


def rolled_back(play: Play, to: str) -> None:
    play.git("reset", "-q", "--hard", to)
    play.push("--force")


def test_a_branch_that_was_rolled_back_stops_and_the_way_back_works(play: Play) -> None:
    before = play.tip
    lost = play.add()
    held = play.held()
    rolled_back(play, before)
    code, said = play.ipam("reconcile", "--no-apply")
    assert code == 6
    assert f"missing commit {lost[:12]} of 'gitops-ipam" in said
    assert "lost record: team-a/late (loadbalancer) 10.40.0." in said
    assert f"git push origin :{LAST}" in said
    code, told = play.ipam("doctor")
    assert (code, "\\u" in told) == (4, False)
    assert any(it.lstrip().startswith("lost record: team-a/late") for it in told.splitlines())
    assert f"git fetch origin {LAST}, then git push origin {lost}:refs/heads/main" in said
    play.git("fetch", "-q", "origin", LAST)
    play.git("push", "-q", "origin", f"{lost}:refs/heads/main")
    play.git("pull", "-q", "--ff-only", "origin", "main")
    assert play.reconcile() == 0
    assert play.held() == held


def test_accepting_keeps_lost_ranges_out_of_use(play: Play) -> None:
    before = play.tip
    play.add()
    lost = play.held().items() - {}.items()
    rolled_back(play, before)
    kept = play.held()
    play.edit({"tenants/other.yaml": tenant("other")})
    play.push()
    assert play.reconcile() == 6
    assert play.reconcile("--accept-history", play.tip) == 0
    after = play.held()
    (gone,) = (claim_range for claim_range in lost if claim_range[0] not in kept)
    assert kept.items() <= after.items()
    assert gone[1] not in after.values()
    assert "phase: Released" in play.shown(
        "allocations/NetworkPool/butler-system.edge/team-a/late.loadbalancer.yaml"
    )
    assert play.ipam("verify")[0] == 0
    assert play.reconcile() == 0


def test_a_lost_claim_that_comes_back_gets_its_range(play: Play) -> None:
    before = play.tip
    play.add()
    held = play.held()
    rolled_back(play, before)
    play.edit({"tenants/late.yaml": tenant("late")})
    play.push()
    assert play.reconcile("--accept-history", play.tip) == 0
    assert play.held() == held


def left(play: Play) -> set[str]:
    """Ranges of the first history, and a branch at its start."""
    before = play.edit({"ipam.yaml": settings("records: allocations")})
    play.add()
    ranges = set(play.held().values())
    rolled_back(play, before)
    return ranges


@pytest.mark.parametrize("how", [merged, squashed, rebased])
def test_the_reference_stays_until_the_proposal_that_accepts_is_merged(
    play: Play, how: Callable[[Play, str], None]
) -> None:
    ranges = left(play)
    last = git(play.remote, "rev-parse", LAST)
    play.edit(NEWCOMER)
    play.push()
    assert play.reconcile("--to-branch", "ipam", "--accept-history", play.tip) == 0
    tip = git(play.remote, "rev-parse", "ipam")
    assert play.reconcile("--to-branch", "ipam") == 6
    assert git(play.remote, "rev-parse", LAST, "ipam") == f"{last}\n{tip}"
    play.git("fetch", "-q", "origin")
    play.git("switch", "-q", "--detach", tip)
    assert play.codes("check", *BASE, "--proposed", "origin/ipam") == (0, set())
    play.git("switch", "-q", "main")
    how(play, tip)
    play.push()
    assert play.reconcile("--to-branch", "ipam") == 0
    assert git(play.remote, "rev-parse", LAST) == git(play.remote, "rev-parse", "main")
    assert "phase: Released" in play.shown(LATE)
    (given,) = (it for claim, it in play.held().items() if "/newcomer/" in claim)
    assert given not in ranges


@pytest.mark.parametrize("is_at_tip", [False, True])
def test_settings_that_cannot_be_read_hide_no_lost_record(play: Play, *, is_at_tip: bool) -> None:
    ranges = left(play)
    if is_at_tip:
        play.edit(WRONG)
        play.push()
    else:  # as a program that remembered each head left it
        play.git("fetch", "-q", "origin", LAST)
        play.git("switch", "-q", "--detach", "FETCH_HEAD")
        play.git("push", "-q", "--force", "origin", f"{play.edit(WRONG)}:{LAST}")
        play.git("switch", "-q", "main")
    last = git(play.remote, "rev-parse", LAST)
    code, said = play.ipam("reconcile", "--no-apply")
    assert (code, "lost record: team-a/late" in said) == (6, True)
    if is_at_tip:
        code, said = play.ipam("reconcile", "--no-apply", "--accept-history", play.tip)
        assert (code, "ipam.yaml" in said, git(play.remote, "rev-parse", LAST)) == (6, True, last)
    play.edit({"ipam.yaml": settings("records: allocations"), **NEWCOMER})
    play.push()
    assert play.reconcile() == 6
    assert play.reconcile("--accept-history", play.tip) == 0
    (given,) = (it for claim, it in play.held().items() if "/newcomer/" in claim)
    assert given not in ranges


def test_a_run_with_wrong_settings_leaves_the_reference(play: Play) -> None:
    last = git(play.remote, "rev-parse", LAST)
    play.edit(WRONG)
    play.push()
    assert play.reconcile() == 1
    assert git(play.remote, "rev-parse", LAST) == last


@pytest.mark.parametrize(
    ("files", "hidden"), [({RECORD: "text"}, RECORD), ({"ipam.yaml": "text"}, "ipam.yaml")]
)
def test_what_hides_lost_records_is_named_and_cannot_be_accepted(
    play: Play, files: dict[str, str], hidden: str
) -> None:
    play.change("side")
    play.git("push", "-q", "--force", "origin", f"{play.edit(files)}:{LAST}")
    play.git("switch", "-q", "main")
    last = git(play.remote, "rev-parse", LAST)
    code, said = play.ipam("reconcile", "--no-apply", "--accept-history", play.tip)
    assert (code, f"{hidden} of {last[:12]} cannot be read" in said) == (6, True)
    assert "no record is lost" not in said
    assert git(play.remote, "rev-parse", LAST) == last
    play.git("push", "-q", "origin", f":{LAST}")
    assert play.reconcile() == 0


def test_nothing_lost_is_said(play: Play) -> None:
    before = play.tip
    play.edit({"README.md": "text"})
    play.push()
    assert play.reconcile() == 0
    rolled_back(play, before)
    code, said = play.ipam("reconcile", "--no-apply")
    assert (code, "no record is lost" in said) == (6, True)
    assert play.reconcile("--accept-history", before) == 0
    assert play.tip == before
    assert git(play.remote, "rev-parse", LAST) == before


def deleted(play: Play) -> None:
    git(play.remote, "update-ref", "-d", LAST)


def back(play: Play) -> None:
    git(play.remote, "update-ref", LAST, git(play.remote, "rev-parse", "main^"))


@pytest.mark.parametrize("act", [deleted, back])
def test_a_reference_that_is_gone_or_old_changes_nothing(
    play: Play, act: Callable[[Play], None]
) -> None:
    play.add()
    act(play)
    before = play.held()
    assert play.reconcile() == 0
    assert play.held() == before
    assert git(play.remote, "rev-parse", LAST) == git(play.remote, "rev-parse", "main")


def descendant(play: Play) -> str:
    play.change("side")
    commit = play.edit({"tenants/evil.yaml": tenant("evil")})
    play.git("push", "-q", "origin", "side")
    play.git("switch", "-q", "main")
    return commit


def unrelated(play: Play) -> str:
    play.git("switch", "-q", "--orphan", "side")
    commit = play.edit({"tenants/evil.yaml": tenant("evil")})
    play.git("push", "-q", "origin", "side")
    play.git("switch", "-q", "main")
    return commit


def blob(play: Play) -> str:
    return git(play.remote, "hash-object", "-w", "--stdin", data=b"text")


@pytest.mark.parametrize("act", [descendant, unrelated, blob])
def test_a_foreign_reference_stops_and_deleting_it_is_the_cure(
    play: Play, act: Callable[[Play], str]
) -> None:
    foreign = act(play)
    git(play.remote, "update-ref", "-d", LAST)
    git(play.remote, "update-ref", LAST, foreign)
    before = play.held()
    code, said = play.ipam("reconcile", "--no-apply")
    assert code == 6
    assert f"git push origin :{LAST}" in said
    assert play.held() == before
    if act is blob:
        assert "--accept-history" not in said
        assert play.reconcile("--accept-history", play.tip) == 6
    play.git("push", "-q", "origin", f":{LAST}")
    assert play.reconcile() == 0
    assert play.held() == before


@pytest.mark.parametrize(
    ("name", "has_remote"), [(f"{LAST}/x", False), (f"{LAST}/x;$(id)/y", True)]
)
def test_a_reference_that_blocks_the_name_stops_and_the_command_deletes_it(
    play: Play, name: str, *, has_remote: bool
) -> None:
    if not has_remote:
        play.git("remote", "remove", "origin")
    folder = play.remote if has_remote else play.folder
    for each in git(folder, "for-each-ref", "--format=%(refname)", "refs/ipam").splitlines():
        git(folder, "update-ref", "--no-deref", "-d", each)
    git(folder, "update-ref", name, git(folder, "rev-parse", "main"))
    code, said = play.ipam("reconcile", "--no-apply")
    assert (code, name in said) == (6, True)
    assert play.ipam("doctor")[0] != 0
    command = said.partition("did not create: ")[2].strip()
    subprocess.run(command, shell=True, cwd=play.folder, env=ENVIRONMENT, check=True)
    assert play.reconcile() == 0
    assert git(folder, "rev-parse", LAST) == git(folder, "rev-parse", "main")


def test_a_server_that_refuses_the_reference_is_no_failure(
    play: Play, caplog: pytest.LogCaptureFixture
) -> None:
    git(play.remote, "update-ref", "-d", LAST)
    hook = play.remote / "hooks/update"
    hook.write_text('#!/bin/sh\ncase "$1" in refs/ipam/*) exit 1;; esac\n')
    hook.chmod(0o755)
    play.add()
    assert "cannot be updated" in caplog.text


def test_a_repository_without_a_remote_notices_it_as_well(play: Play) -> None:
    play.git("remote", "remove", "origin")
    before = play.tip
    play.edit({"tenants/late.yaml": tenant("late")})
    assert play.reconcile() == 0
    lost = play.tip
    play.git("reset", "-q", "--hard", before)
    code, said = play.ipam("reconcile", "--no-apply")
    assert (code, f"git merge {lost}" in said) == (6, True)
    play.git("merge", "-q", lost)
    assert play.reconcile() == 0
