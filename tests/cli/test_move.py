"""`ipam move`: two files for two changes, and a plan of their result."""

import re
from collections.abc import Callable

import pytest

from reconciler.model.errors import ExitCode
from tests.cli.conftest import Moves
from tests.moving import KEY, NEW, OLD
from tests.world import CLOCK, SMALL, git, pool, provider, request

OVERRIDE = "overrides/2026-02-15-move-team-a-one-loadbalancer.yaml"
TWO = {
    **SMALL,
    "pools/far.yaml": pool("far", "10.50.0.0/24"),
    "pools/small.yaml": pool("small", "10.60.0.0/30"),
    "providers/default.yaml": provider(pools="[{name: edge}, {name: far}, {name: small}]"),
    "tenants/more.yaml": request("more", count=4),
}


@pytest.fixture
def play(moves: Callable[..., Moves]) -> Moves:
    return moves(TWO)


def test_a_move_is_written_as_two_files_and_told(play: Moves) -> None:
    ran = play("move", "team-a/one", "--to", "far", "--reason", "the old VLAN goes")
    assert ran.code == 0
    assert ran.out.splitlines() == [
        "Merge two changes, one after the other:",
        f"  1. {OVERRIDE} permits team-a/one (loadbalancer) to move",
        f"     git add {OVERRIDE} && git commit -m 'Permit team-a/one (loadbalancer) to move to far'",
        "  2. tenants/one.yaml:3: metadata.annotations.gitops-ipam.dev/loadbalancer-pool: now far",
        "     git add tenants/one.yaml && git commit -m 'Move team-a/one (loadbalancer) to far'",
        "Then ipam reconcile makes this plan:",
        "1 move",
        "  ~   team-a/one   loadbalancer   10.40.0.0-10.40.0.7 in pool edge   →   10.50.0.0-10.50.0.7 in pool far",
        "  10.40.0.0-10.40.0.7: announced while in use",
        "Pools",
        "  edge   4.7% → 4.7% of 256   244 free, largest range 244   ok",
        "  far    0.0% → 3.1% of 256   248 free, largest range 248   ok",
    ]
    assert play.status() == ["M tenants/one.yaml", f"?? {OVERRIDE}"]
    text = (play.folder / OVERRIDE).read_text()
    assert f"scope: {KEY}\n" in text
    assert "reason: the old VLAN goes\n" in text
    assert 'expires: "2026-03-17T10:00:30Z"\n' in text


def test_an_override_that_counts_already_is_not_written_again(play: Moves) -> None:
    play("move", "one", "--to", "far")
    git(play.folder, "checkout", "-q", "tenants/one.yaml")
    play.commit()
    play.commit()
    ran = play("move", "one", "--to", "far")
    assert ran.out.splitlines()[0] == (
        f"{OVERRIDE} permits team-a/one (loadbalancer) to move: merge this change:"
    )
    assert play.status() == ["M tenants/one.yaml"]


def test_a_move_that_was_merged_with_its_override_needs_only_a_commit(play: Moves) -> None:
    play("move", "one", "--to", "far")
    play.commit()
    for verb in ("plan", "reconcile"):
        why = play(verb).err
        assert (
            f"edge); the claim now asks for pool far; {OVERRIDE} permits the move only from" in why
        )
        assert "git commit --allow-empty" in why
    ran = play("move", "one", "--to", "far")
    assert ran.out.splitlines()[:2] == [
        f"{OVERRIDE} permits team-a/one (loadbalancer) to move: the next commit of the branch moves it.",
        "Then ipam reconcile makes this plan:",
    ]
    assert play.status() == []
    play.commit()  # an empty one
    assert "1 moved" in play.reconcile().out


def test_a_claim_that_names_its_new_pool_already_needs_only_the_override(play: Moves) -> None:
    play("move", "one", "--to", "far")
    (play.folder / OVERRIDE).unlink()
    play.commit()
    ran = play("move", "one", "--to", "far")
    assert ran.out.splitlines()[0] == "Merge this change:"
    assert "git add tenants" not in ran.out
    assert play.status() == [f"?? {OVERRIDE}"]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("absent", "--to", "far"), "no claim 'absent'"),
        (("one", "--to", "nowhere"), "no pool 'nowhere'"),
        (("one", "--to", "edge"), "already has its addresses in pool butler-system/edge"),
        (("one", "--to", "small"), "needs 8 addresses, more than pool small (4)"),
        (("one", "--to", "far", "--expires", "soon"), "--expires 'soon' must be in the future"),
    ],
)
def test_what_cannot_be_done_is_said_and_writes_nothing(
    play: Moves, words: tuple[str, ...], said: str
) -> None:
    ran = play("move", *words)
    assert (ran.code, said in ran.err) == (64, True), ran.err
    assert play.status() == []


def test_nothing_is_written_through_a_link(play: Moves) -> None:
    outside = play.folder.parent / "outside"
    outside.mkdir()
    (play.folder / "overrides").symlink_to(outside)
    ran = play("move", "team-a/one", "--to", "far", "--reason", "x")
    assert ran.code == ExitCode.USAGE
    assert f"{OVERRIDE} cannot be written: overrides is a symlink" in ran.err
    assert list(outside.iterdir()) == []
    assert play.status() == ["?? overrides"]


def test_the_way_back_is_a_move_and_no_revert(play: Moves) -> None:
    assert play("move", "team-a/one", "--to", "far", "--reason", "the old VLAN goes").code == 0
    assert play.checked("team-a-one-loadbalancer").out.splitlines()[0] == "1 move"
    assert play("reconcile").code == 0
    assert "phase: Allocated" in git(play.folder, "show", f"HEAD:{NEW}")
    assert "announced: until-unused" in git(play.folder, "show", f"HEAD:{OLD}")
    git(play.folder, "reset", "-q", "--hard", "main")
    git(play.folder, "revert", "--no-edit", "HEAD~1", clock=CLOCK + 60)
    ran = play("plan")
    assert "No changes:" in ran.out
    assert "moved from 10.40.0.0-10.40.0.7 (pool edge), which stays announced" in ran.err
    back = play("move", "team-a/one", "--to", "edge", "--reason", "it was too early")
    assert "10.50.0.0-10.50.0.7 in pool far" in back.out.partition("→")[0]
    assert "10.40.0.0-10.40.0.7 in pool edge" in back.out.partition("→")[2]


def of_one(asked: str) -> str:
    """A request that holds load-balancer addresses for the tenant of these tests."""
    asked = re.sub(r"tenantClusterRef: \{name: \w+,", "tenantClusterRef: {name: one,", asked)
    return asked.replace("type: nodes", "type: loadbalancer")


def test_the_own_claim_of_a_tenant_moves_without_its_requests(moves: Callable[..., Moves]) -> None:
    play = moves({**TWO, "tenants/more.yaml": of_one(TWO["tenants/more.yaml"])})
    ran = play("move", "team-a/one", "--to", "far")
    assert (ran.code, "permits team-a/one (loadbalancer) to move" in ran.out) == (0, True)


def test_of_several_requests_of_a_tenant_one_must_be_named(moves: Callable[..., Moves]) -> None:
    """A pinned request replaces the claim of the tenant, but does not have its name."""
    pin = "{startAddress: 10.40.0.64, endAddress: 10.40.0.67}"
    pinned = of_one(request("pinned", pinnedRange=pin))
    play = moves(
        {**TWO, "tenants/more.yaml": of_one(TWO["tenants/more.yaml"]), "tenants/pin.yaml": pinned}
    )
    ran = play("move", "team-a/one", "--to", "far")
    assert (ran.code, ran.out) == (64, "")
    assert "team-a/one matches several claims" in ran.err
    assert all(f"butler-system/{it}/request" in ran.err for it in ("more", "pinned"))
