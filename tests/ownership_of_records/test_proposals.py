"""Proposals, reverts, and pushes during a run, with real Git."""

from collections.abc import Callable

import pytest

from reconciler.gitio.remotes import open_proposing, with_remote
from reconciler.gitio.repository import open_repository
from reconciler.model.change import FileChange, Observation
from reconciler.model.errors import HistoryError, UsageError
from reconciler.reconcile.reconcile import ReconcileOptions, reconcile
from reconciler.reconcile.writing import RunCommit
from tests.ownership_of_records.play import RECORD, TENANTS, Play
from tests.ownership_of_records.test_branch import settings
from tests.ownership_of_records.test_changes import BASE, forwarded, merged, rebased, squashed
from tests.world import ENVIRONMENT, git, provider, tenant

DAY = 86_400
SEEN = "observed/Demand.gitops-ipam.dev/team-a/one.yaml"
DEMAND = b"""apiVersion: gitops-ipam.dev/v1alpha1
kind: Demand
metadata: {name: one, namespace: team-a}
spec:
  loadBalancer:
    - {count: 4, index: 1}
"""


def proposed(play: Play, branch: str = "ipam") -> str:
    """Propose the plan of main. Return the head of the proposal."""
    assert play.reconcile("--to-branch", branch) == 0
    play.git("fetch", "-q", "origin")
    return play.git("rev-parse", f"origin/{branch}")


def late(play: Play, name: str = "late") -> None:
    play.edit({f"tenants/{name}.yaml": tenant(name)})
    play.push()


@pytest.mark.parametrize(
    ("how", "has_moved"), [(merged, False), (merged, True), (squashed, True), (rebased, True)]
)
def test_of_two_proposals_the_second_one_allocates_nothing_twice(
    play: Play, how: Callable[[Play, str], None], *, has_moved: bool
) -> None:
    late(play)
    first = proposed(play, "first")
    if has_moved:
        late(play, "aaa")
    second = proposed(play, "second")
    merged(play, first)
    play.push()
    held = play.held()
    try:
        how(play, second)
    except AssertionError:  # Git cannot merge it, or has nothing to commit
        play.git("reset", "-q", "--hard")
    play.push()
    assert play.reconcile() == 0
    after = play.held()
    assert held.items() <= after.items()
    assert len(set(after.values())) == len(after)
    assert play.ipam("verify")[0] == 0


@pytest.mark.parametrize("how", [merged, forwarded, squashed, rebased])
def test_a_proposal_with_an_expiry_and_growth_needs_its_branch_to_be_named(
    play: Play, how: Callable[[Play, str], None]
) -> None:
    play.edit({"providers/default.yaml": provider(loadBalancer="{defaultPoolSize: 8}")})
    play.edit(gone=["tenants/t1.yaml"])
    play.push()
    assert play.reconcile() == 0
    late(play)
    play.now += 2 * DAY
    seen = FileChange(SEEN, DEMAND)
    repository = with_remote(open_repository(play.folder, ENVIRONMENT))
    options = ReconcileOptions(
        now=lambda: play.now,
        look=lambda _: Observation(play.now, (seen,)),
        propose=open_proposing(repository, "ipam").bring,
    )
    done = reconcile(repository, options)
    assert [part.subject for part in done.parts if part.commit] == [
        "ipam: allocate 1", "ipam: expire 1", "ipam: observe 1",
    ]  # fmt: skip
    play.git("fetch", "-q", "origin")
    tip = play.git("rev-parse", "origin/ipam")
    play.git("switch", "-q", "--detach", tip)
    assert play.codes("check", *BASE) == (1, {"records-changed", "commit-carried"})
    assert play.codes("check", *BASE, "--proposed", "origin/ipam") == (0, set())
    play.git("switch", "-q", "main")
    held = play.held("origin/ipam")
    how(play, tip)
    play.push()
    play.git("push", "-q", "origin", ":ipam")
    assert play.reconcile() == 0
    assert play.held() == held


def test_a_fork_cannot_bring_the_expiry_that_clusters_withhold(play: Play) -> None:
    play.edit(gone=["tenants/t1.yaml"])
    play.push()
    assert play.reconcile() == 0
    play.now += 2 * DAY
    fork = play.folder.parent / "fork"
    git(play.folder.parent, "clone", "-q", str(play.remote), str(fork))
    git(fork, "remote", "remove", "origin")
    done = reconcile(open_repository(fork, ENVIRONMENT), ReconcileOptions(now=lambda: play.now))
    assert done.parts[-1].subject == "ipam: expire 1"
    play.git("fetch", "-q", str(fork), "main:fork")
    play.git("switch", "-q", "fork")
    assert play.codes("check", *BASE) == (1, {"records-changed", "commit-carried"})
    assert play.codes("check", *BASE, "--proposed", "origin/main")[0] == 1
    play.git("switch", "-q", "-c", "squashed", "origin/main")
    play.git("merge", "-q", "--squash", "fork")
    play.edit(message="Records")
    assert play.codes("check", *BASE) == (1, {"records-changed"})


def test_the_revert_of_a_squash_stops(play: Play) -> None:
    late(play)
    squashed(play, proposed(play))
    play.push()
    held = play.held()
    play.change()
    play.git("revert", "--no-edit", "HEAD")
    assert play.codes("check", *BASE) == (1, {"records-changed"})
    play.merge()
    assert play.reconcile() == 3
    play.git("revert", "--no-edit", "-m", "1", "HEAD")
    play.push()
    assert play.reconcile() == 0
    assert play.held() == held


def renamed(play: Play) -> None:
    former = "namespace: team-a, annotations: {gitops-ipam.dev/formerly: team-a/one}}"
    text = tenant("new").replace("namespace: team-a}", former)
    play.edit({"tenants/new.yaml": text}, gone=["tenants/one.yaml"])
    play.push()
    before = play.held()
    assert play.reconcile() == 0
    assert sorted(play.held().values()) == sorted(before.values())


def test_the_revert_of_a_rename_with_its_records_is_red_and_stops(play: Play) -> None:
    before = play.held()
    renamed(play)
    held = play.held()
    play.change()
    play.git("revert", "--no-edit", "HEAD", "HEAD~1")
    code, errors = play.codes("check", *BASE)
    assert (code, "records-changed" in errors) == (1, True)
    play.merge()
    code, said = play.ipam("reconcile", "--no-apply")
    assert (code, RECORD in said) == (3, True)
    assert play.held() == before
    play.git("revert", "--no-edit", "-m", "1", "HEAD")
    play.push()
    assert play.reconcile() == 0
    assert play.held() == held


@pytest.mark.parametrize("moves_reference", [False, True])
def test_a_forced_push_during_a_run_is_not_overwritten(
    play: Play, *, moves_reference: bool
) -> None:
    """A person rolls the branch back, with or without the reference, during an observation."""
    before = play.tip
    play.add()
    lost = play.tip
    forced: list[str] = []

    def look(_: RunCommit) -> Observation:
        if not forced:
            git(play.remote, "update-ref", "refs/heads/main", before)
            if moves_reference:
                git(play.remote, "update-ref", "refs/ipam/last", before)
            forced.append(before)
        return Observation(play.now, (FileChange(SEEN, DEMAND),))

    repository = with_remote(open_repository(play.folder, ENVIRONMENT))
    with pytest.raises(UsageError if moves_reference else HistoryError):
        reconcile(repository, ReconcileOptions(look=look), sleep=lambda _: None)
    assert git(play.remote, "rev-parse", "main") == before
    assert git(play.remote, "rev-parse", "refs/ipam/last") == (before if moves_reference else lost)


@pytest.mark.parametrize("name", ["ipam", "ipam/records/x"])
def test_a_branch_that_blocks_the_name_of_proposals_is_named(play: Play, name: str) -> None:
    late(play)
    play.git("push", "-q", "origin", f"HEAD:refs/heads/{name}")
    code, said = play.ipam("reconcile", "--no-apply", "--to-branch", "ipam/records")
    assert (code, f":refs/heads/{name}" in said) == (4, True)
    code, said = doctored(play)
    assert (code, f":refs/heads/{name}" in said) == (4, True)
    play.git("push", "-q", "origin", f":refs/heads/{name}")
    assert play.reconcile("--to-branch", "ipam/records") == 0


@pytest.mark.parametrize(
    ("gone", "how"),
    [(["tenants/t0.yaml"], merged), (list(TENANTS), squashed), (list(TENANTS), rebased)],
)
def test_proposals_after_loosened_settings_with_releases_are_green(
    play: Play, gone: list[str], how: Callable[[Play, str], None]
) -> None:
    play.edit({"ipam.yaml": settings("brakes: {maxReleasePercent: 10, minRecords: 1}")})
    play.add()
    loose = settings("retention: 0s", "brakes: {maxReleasePercent: 100, minRecords: 1}")
    play.edit({"ipam.yaml": loose, "tenants/more.yaml": tenant("more")}, gone=gone)
    play.push()
    codes = []
    for _ in range(3):  # growth while the limit holds, the releases, their expiry
        codes.append(play.reconcile("--to-branch", "ipam"))
        play.git("fetch", "-q", "origin")
        play.git("switch", "-q", "--detach", "origin/ipam")
        assert play.codes("check", *BASE, "--proposed", "origin/ipam") == (0, set())
        play.git("switch", "-q", "main")
        how(play, "origin/ipam")
        play.push()
    assert codes == [3, 0, 0]
    assert play.reconcile() == 0
    assert len(play.held()) == 8 - len(gone)
    assert play.ipam("verify")[0] == 0


def doctored(play: Play) -> tuple[int, str]:
    """The line of `doctor` about proposals, and the hint below it, if any."""
    code, said = play.ipam("doctor", "--to-branch", "ipam/records")
    return code, said.partition(" proposals ")[2].partition("\n\n")[0]


def test_doctor_shows_a_proposal_that_is_open_stale_or_blocked_with_the_cure(play: Play) -> None:
    assert doctored(play)[0] == 0
    late(play)
    tip = proposed(play, "ipam/records")
    code, said = doctored(play)
    assert (code, f"{tip[:12]} of branch ipam/records can be merged" in said) == (0, True)
    play.edit({"tenants/more.yaml": tenant("more")})
    play.push()
    assert play.reconcile() == 0
    code, said = doctored(play)
    assert (code, "is stale" in said) == (0, True)
    assert "ipam reconcile --to-branch ipam/records" in said
    play.git("switch", "-q", "--detach", tip)
    other = play.edit({"README.md": "text"})
    play.git("push", "-q", "origin", "HEAD:ipam/records")
    play.git("switch", "-q", "main")
    code, said = doctored(play)
    assert (code, f"has commit {other[:12]}, which ipam" in said) == (4, True)
    play.git("push", "-q", *said.partition("delete it: git push ")[2].split()[:2])
    assert doctored(play)[0] == 0


def test_doctor_shows_a_proposal_on_a_branch_that_was_rewritten(play: Play) -> None:
    late(play)
    proposed(play, "ipam/records")
    play.git("commit", "-q", "--amend", "-m", "other")
    play.push("--force")
    code, said = doctored(play)
    assert (code, "ipam reconcile did not make" in said) == (4, True)
