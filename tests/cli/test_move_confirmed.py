"""A move without clusters ends when a person confirms that no Service uses the old range."""

from collections.abc import Callable

import pytest

from tests.cli.conftest import Moves
from tests.moving import KEY, OLD
from tests.ownership_of_records.play import override
from tests.world import CLOCK, SMALL, commit, git, pool, provider, tenant


@pytest.fixture
def world(moves: Callable[..., Moves]) -> Moves:
    """A claim that has moved from one pool to another."""
    made = moves(SMALL)
    made.commit(override("2026-02-15-move", kind="move", scope=KEY))
    far = {
        "pools/far.yaml": pool("far", "10.50.0.0/24"),
        "providers/default.yaml": provider(pools="[{name: far}]"),
    }
    made.commit(far)
    assert made.reconcile().code == 0
    assert "announced: until-unused" in old(made)
    return made


def old(world: Moves) -> str:
    path = world.folder / OLD
    return path.read_text(encoding="utf-8") if path.exists() else ""


def test_it_stays_while_nobody_says_so(world: Moves) -> None:
    assert "claim-left" in world.reconcile(later=3600).err
    assert "announced: until-unused" in old(world)


CONFIRMED, FORCED = ("--confirm-withdrawn", "team-a/one"), ("--force-withdraw-claim", "team-a/one")


@pytest.mark.parametrize("words", [CONFIRMED, FORCED])
def test_within_a_minute_of_another_commit_it_is_told_from_when_on(
    world: Moves, words: tuple[str, ...]
) -> None:
    commit(world.folder, "the Override goes", clock=CLOCK + 300)  # 10:05:30; it moved at 10:00:50
    world.time = CLOCK + 315
    ran = world.reconcile(*words)
    assert (ran.code, "Nothing to commit" in ran.out) == (0, True)
    line = (
        "--confirm-withdrawn had no effect: 10.40.0.0-10.40.0.7, which team-a/one (loadbalancer) left,"
        " can be confirmed only from 2026-02-15T10:05:50Z on, the next full minute after the move, because"
        " the newest commit is later than the last one. Run the command again then."
    )
    assert line in ran.err.splitlines()
    assert "announced: until-unused" in old(world)
    world.time = CLOCK + 320  # 10:05:50
    assert "had no effect" not in world.reconcile(*words).err
    assert "announced" not in old(world)


@pytest.mark.parametrize("words", [CONFIRMED, FORCED, ("--force-withdraw",)])
def test_it_ends_where_a_person_says_so(world: Moves, words: tuple[str, ...]) -> None:
    ran = world.reconcile(*words, later=3600)
    assert ran.code == 0
    assert "announced" not in old(world)
    assert "phase: Released" in old(world)
    assert world("verify").code == 0
    world.reconcile(later=2 * 86_400)
    assert old(world) == ""


def test_what_a_tenant_left_that_is_gone_ends_so_too(world: Moves) -> None:
    git(world.folder, "rm", "-q", "tenants/one.yaml")
    world.commit()
    world.reconcile("--allow-release", "1", later=3600)
    assert "announced: until-unused" in old(world)
    assert world.reconcile("--confirm-withdrawn", "team-a/one", later=60).code == 0
    assert "announced" not in old(world)


@pytest.mark.parametrize(
    ("option", "kind"), [("--confirm-withdrawn", "cluster"), ("--force-withdraw-claim", "claim")]
)
def test_a_name_that_nobody_has_is_refused(world: Moves, option: str, kind: str) -> None:
    ran = world.reconcile(option, "team-a/onne", later=3600)
    says = f"{option}: {kind} 'team-a/onne' does not exist"
    assert (ran.code, says in ran.err) == (64, True), ran.err
    assert "announced: until-unused" in old(world)


def test_who_names_another_cluster_ends_nothing(world: Moves) -> None:
    world.commit({"tenants/two.yaml": tenant("two")})
    assert world.reconcile("--confirm-withdrawn", "team-a/two", later=3600).code == 0
    assert "announced: until-unused" in old(world)
