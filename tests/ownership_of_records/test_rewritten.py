"""A rewritten history, and the reference by which it is noticed."""

from collections.abc import Callable

import pytest

from tests.ownership_of_records.play import Play
from tests.world import git, tenant

LAST = "refs/ipam/last"


def late(play: Play, name: str = "late") -> str:
    """One more tenant, reconciled; the head."""
    play.edit({f"tenants/{name}.yaml": tenant(name)})
    play.push()
    assert play.reconcile() == 0
    return play.tip


def rolled_back(play: Play, to: str) -> None:
    play.git("reset", "-q", "--hard", to)
    play.push("--force")


def test_a_branch_that_was_rolled_back_stops_and_the_way_back_works(play: Play) -> None:
    before = play.tip
    lost = late(play)
    held = play.held()
    rolled_back(play, before)
    code, said = play.ipam("reconcile", "--no-apply")
    assert code == 6
    assert f"missing commit {lost[:12]} of 'gitops-ipam" in said
    assert "lost record: team-a/late (loadbalancer) 10.40.0." in said
    assert f"git push origin :{LAST} loses nothing" in said
    assert said.index("missing commit") < said.index("loses nothing") < said.index("to go back")
    assert said.index("to go back") < said.index("--accept-history")
    assert play.ipam("doctor", "--no-cluster")[0] != 0
    assert f"git fetch origin {LAST}, then git push origin {lost}:refs/heads/main" in said
    play.git("fetch", "-q", "origin", LAST)
    play.git("push", "-q", "origin", f"{lost}:refs/heads/main")
    play.git("pull", "-q", "--ff-only", "origin", "main")
    assert play.reconcile() == 0
    assert play.held() == held


def test_accepting_keeps_lost_ranges_out_of_use(play: Play) -> None:
    before = play.tip
    late(play)
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
    late(play)
    held = play.held()
    rolled_back(play, before)
    play.edit({"tenants/late.yaml": tenant("late")})
    play.push()
    assert play.reconcile("--accept-history", play.tip) == 0
    assert play.held() == held


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


def test_a_rewrite_names_the_commits_that_going_back_drops(play: Play) -> None:
    before = play.tip
    lost = late(play)
    rolled_back(play, before)
    mine = play.edit({"README.md": "text"})
    play.push()
    _, said = play.ipam("reconcile", "--no-apply")
    lease = f"git push --force-with-lease=main:{mine} origin {lost}:refs/heads/main"
    assert f"{lease} (drops {mine[:12]})" in said


def deleted(play: Play) -> None:
    git(play.remote, "update-ref", "-d", LAST)


def back(play: Play) -> None:
    git(play.remote, "update-ref", LAST, git(play.remote, "rev-parse", "main^"))


@pytest.mark.parametrize("act", [deleted, back])
def test_a_reference_that_is_gone_or_old_changes_nothing(
    play: Play, act: Callable[[Play], None]
) -> None:
    late(play)
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
    assert f"git push origin :{LAST} loses nothing" in said
    assert play.held() == before
    play.git("push", "-q", "origin", f":{LAST}")
    assert play.reconcile() == 0
    assert play.held() == before


def test_a_mirror_without_references_goes_on(play: Play) -> None:
    late(play)
    mirror = play.folder.parent / "mirror.git"
    git(play.folder.parent, "clone", "-q", "--bare", str(play.remote), str(mirror))
    play.git("remote", "set-url", "origin", str(mirror))
    before = play.held()
    assert play.reconcile() == 0
    assert play.held() == before


def test_a_server_that_refuses_the_reference_is_no_failure(
    play: Play, caplog: pytest.LogCaptureFixture
) -> None:
    git(play.remote, "update-ref", "-d", LAST)
    hook = play.remote / "hooks/update"
    hook.write_text('#!/bin/sh\ncase "$1" in refs/ipam/*) exit 1;; esac\n')
    hook.chmod(0o755)
    late(play)
    assert "cannot be moved" in caplog.text


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
